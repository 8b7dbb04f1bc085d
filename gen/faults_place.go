package gen

import (
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// Rows 12 to 16: where blocks stand in the tensor and in their shards.

// longAxis chooses an axis of a divisible piece that is longer than 1.
func (d *draw) longAxis(piece *plan.Piece) int {
	axis, ok := d.axisToCut(piece)
	if !ok {
		panic("gen: a piece of two elements has no axis that is longer than 1")
	}
	return axis
}

func broadcastSource(d *draw, s *subject) {
	piece := d.divisible(s).in(s.side)
	piece.Source.Strides = with(piece.Source.Strides, d.longAxis(piece), 0)
}

func broadcastDest(d *draw, s *subject) {
	piece := d.divisible(s).in(s.side)
	piece.Dest.Strides = with(piece.Dest.Strides, d.longAxis(piece), 0)
}

func doubledStride(d *draw, s *subject) {
	piece := d.divisible(s).in(s.side)
	axis := d.longAxis(piece)
	piece.Source.Strides = with(piece.Source.Strides, axis, 2*piece.Source.Strides[axis])
}

// diagonal spreads a square: one rank holds its diagonal, another the rest, element by element.
func diagonal(d *draw, s *subject) {
	n := d.choose("size", 2, 3)
	s.redraw(d, d.tensorOf([]int64{n, n}))
	ids := d.rankIDs(2)
	ones := []int64{1, 1}
	var rest []plan.Piece
	for address := range n * n {
		if address%(n+1) != 0 {
			rest = append(rest, plan.Piece{
				Shape: ones, Source: plan.View{Offset: address, Strides: s.strides},
				Dest: plan.View{Offset: int64(len(rest)), Strides: ones}, Locations: ids[1:],
			})
		}
	}
	along := plan.Piece{
		Shape: []int64{n, 1}, Source: plan.View{Strides: []int64{n + 1, 1}},
		Dest: plan.View{Strides: ones}, Locations: ids[:1],
	}
	s.side.Shards = []plan.Shard{
		{Rank: ids[0], Shape: []int64{n, 1}, Pieces: []plan.Piece{along}},
		{Rank: ids[1], Shape: []int64{n*n - n, 1}, Pieces: rest},
	}
}

func permuted(d *draw, s *subject) {
	s.redraw(d, d.tensorOf([]int64{d.choose("rows", 2, 5), d.choose("columns", 2, 5)}))
	s.replace(d.wholeMap(s.tensor, 1))
	shard := &s.side.Shards[0]
	shard.Shape = []int64{s.shape[1], s.shape[0]}
	shard.Pieces[0].Dest.Strides = []int64{1, s.shape[0]}
}

func reversed(d *draw, s *subject) {
	s.replace(d.wholeMap(s.tensor, 1))
	piece := &s.side.Shards[0].Pieces[0]
	axis := d.longAxis(piece)
	piece.Source.Offset = (s.shape[axis] - 1) * s.strides[axis]
	piece.Source.Strides = with(s.strides, axis, -s.strides[axis])
}

// stepped gives each of two ranks every other index of the first axis.
func stepped(d *draw, s *subject) {
	s.redraw(d, d.tensorOf(with(s.shape, 0, 2*d.choose("indices each", 2, 4))))
	ids := d.rankIDs(2)
	shape := with(s.shape, 0, s.shape[0]/2)
	s.side.Shards = nil
	for i, id := range ids {
		s.side.Shards = append(s.side.Shards, plan.Shard{Rank: id, Shape: shape, Pieces: []plan.Piece{{
			Shape:     shape,
			Source:    plan.View{Offset: int64(i) * s.strides[0], Strides: with(s.strides, 0, 2*s.strides[0])},
			Dest:      plan.View{Strides: s.strides},
			Locations: ids[i : i+1],
		}}})
	}
}

// wrapsTensor takes a tensor of two rows as a single row, in three blocks: the one in the middle runs from
// the second column of a row to the first of the next. It has three elements at least: two could lie on a
// diagonal.
func wrapsTensor(d *draw, s *subject) {
	columns := d.choose("columns", 3, 6)
	s.wrapped(d, []int64{2, columns}, []int64{1, 2 * columns}, columns)
}

// wrapsShard stores a tensor of a single row in a shard of two rows, in three blocks: the one in the middle
// runs from the second column of a row to the first of the next.
func wrapsShard(d *draw, s *subject) {
	columns := d.choose("columns", 3, 6)
	s.wrapped(d, []int64{1, 2 * columns}, []int64{2, columns}, columns)
}

func (s *subject) wrapped(d *draw, shape, shardShape []int64, columns int64) {
	s.redraw(d, d.tensorOf(shape))
	s.replace(d.wholeMap(s.tensor, 1))
	shard := &s.side.Shards[0]
	whole := shard.Pieces[0]
	shard.Shape, shard.Pieces = shardShape, nil
	for _, block := range [...][2]int64{{0, 1}, {1, columns}, {columns + 1, columns - 1}} {
		piece := whole
		piece.Shape = []int64{1, block[1]}
		piece.Source.Offset, piece.Dest.Offset = block[0], block[0]
		piece.Dest.Strides = d.rowMajor(shardShape)
		shard.Pieces = append(shard.Pieces, piece)
	}
}

func sourceBeyond(d *draw, s *subject) {
	elements, _ := plan.Elements(s.shape)
	d.anyPlaced(s).in(s.side).Source.Offset += elements + d.choose("further", 0, 2)
}

func sourceNegative(d *draw, s *subject) {
	d.anyPlaced(s).in(s.side).Source.Offset = -1 - d.choose("further", 0, 2)
}

func destBeyond(d *draw, s *subject) {
	at := d.anyPlaced(s)
	elements, _ := plan.Elements(s.side.Shards[at.shard].Shape)
	at.in(s.side).Dest.Offset += elements + d.choose("further", 0, 2)
}

func destNegative(d *draw, s *subject) {
	d.anyPlaced(s).in(s.side).Dest.Offset = -1 - d.choose("further", 0, 2)
}

// leavesTensor makes a block longer than an axis of the tensor. The axis is itself longer than 1: two steps
// along one of extent 1 may be a step along another.
func leavesTensor(d *draw, s *subject) {
	piece := d.anyPlaced(s).in(s.side)
	axis := d.upTo("axis", len(s.shape)-1)
	for s.shape[axis] == 1 {
		axis-- // the first is longer
	}
	piece.Shape = with(piece.Shape, axis, s.shape[axis]+1)
	piece.Source.Strides = with(piece.Source.Strides, axis, s.strides[axis])
}

// leavesShard moves a block of two elements or more so that it starts at the last address of its shard.
func leavesShard(d *draw, s *subject) {
	at := d.divisible(s)
	elements, _ := plan.Elements(s.side.Shards[at.shard].Shape)
	at.in(s.side).Dest.Offset = elements - 1
}

// halved cuts a divisible piece in two and returns where both parts are, and along which axis.
func (d *draw) halved(s *subject) (lower, upper *plan.Piece, axis int) {
	at := d.divisible(s)
	shard := &s.side.Shards[at.shard]
	axis = d.longAxis(&shard.Pieces[at.piece])
	first, second := d.cutPiece(&shard.Pieces[at.piece], axis)
	shard.Pieces = append(slices.Clone(shard.Pieces), second)
	shard.Pieces[at.piece] = first
	return &shard.Pieces[at.piece], &shard.Pieces[len(shard.Pieces)-1], axis
}

func sharedAddress(d *draw, s *subject) {
	lower, upper, _ := d.halved(s)
	upper.Dest.Offset = lower.Dest.Offset
}

// slidPiece moves the upper part of a block down by one index in the tensor: it is inside still, holds what
// the lower part holds, and leaves the last index to nobody.
func slidPiece(d *draw, s *subject) {
	_, upper, axis := d.halved(s)
	upper.Source.Offset -= upper.Source.Strides[axis]
}

// heldTwice makes a shard twice as long and has its pieces fill both halves.
func heldTwice(d *draw, s *subject) {
	shard := &s.side.Shards[d.anyPlaced(s).shard]
	elements, _ := plan.Elements(shard.Shape)
	shard.Shape = with(shard.Shape, 0, 2*shard.Shape[0])
	for _, piece := range slices.Clone(shard.Pieces) {
		piece.Dest.Offset += elements
		shard.Pieces = append(slices.Clip(shard.Pieces), piece)
	}
}

func longVolume(d *draw, s *subject) {
	shard := &s.side.Shards[d.anyPlaced(s).shard]
	shard.Shape = with(shard.Shape, 0, shard.Shape[0]+1+d.choose("more", 0, 2))
}

func shortVolume(d *draw, s *subject) {
	at := d.anyPlaced(s)
	shard := &s.side.Shards[at.shard]
	shard.Pieces = slices.Delete(slices.Clone(shard.Pieces), at.piece, at.piece+1)
}
