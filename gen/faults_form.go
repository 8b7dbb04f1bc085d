package gen

import (
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// Rows 1 to 11, 23: what the numbers of a request say, wherever they place things.

func otherShape(d *draw, s *subject) {
	axis := d.upTo("axis", len(s.shape)-1)
	s.otherTarget(d, with(s.shape, axis, s.shape[axis]+1))
}

// otherTarget has the target describe another tensor, and be right about that.
func (s *subject) otherTarget(d *draw, shape []int64) {
	s.side = &s.Target
	s.replace(d.solidSide(d.tensorOf(shape)))
}

func otherShapeSameCount(d *draw, s *subject) {
	shapes := [][]int64{append(slices.Clone(s.shape), 1)}
	if len(s.shape) > 1 {
		elements, _ := plan.Elements(s.shape)
		shapes = append(shapes, []int64{elements})
	}
	reversed := slices.Clone(s.shape)
	slices.Reverse(reversed)
	if !slices.Equal(reversed, s.shape) {
		shapes = append(shapes, reversed)
	}
	s.otherTarget(d, shapes[d.upTo("shape", len(shapes)-1)])
}

func nineAxes(d *draw, s *subject) {
	shape := slices.Clone(s.shape)
	for len(shape) < mostAxes {
		shape = slices.Insert(shape, d.upTo("where to put an axis of 1", len(shape)), 1)
	}
	s.tensor = d.tensorOf(shape)
	s.Source = d.meshMap(s.tensor, spares{})
	s.Target = d.meshMap(s.tensor, spares{})
}

func axesOverLimit(d *draw, s *subject) {
	s.Budget.MaxNdim = d.number(d.choose("limit", 0, int64(len(s.shape)-1)))
}

func otherAxes(d *draw, s *subject) {
	shard := &s.side.Shards[d.anyPlaced(s).shard]
	if len(shard.Shape) > 1 && d.oneIn("flatten", 2) {
		elements, _ := plan.Elements(shard.Shape)
		shard.Shape = []int64{elements}
	} else {
		shard.Shape = append(slices.Clone(shard.Shape), 1)
	}
	if len(shard.Shape) == len(s.shape) {
		// It was flat, and the axis made up for it.
		shard.Shape = append(shard.Shape, 1)
	}
}

func piecesOverLimit(d *draw, s *subject) {
	d.addEmptyPieces(s.side)
	pieces := max(pieceCount(&s.Source), pieceCount(&s.Target))
	s.Budget.MaxPiecesPerMap = d.number(d.choose("limit", 0, pieces-1))
}

func noPieces(d *draw, s *subject) {
	s.side.Shards[d.anyPlaced(s).shard].Pieces = nil
}

func onlyEmptyPieces(d *draw, s *subject) {
	shard := &s.side.Shards[d.anyPlaced(s).shard]
	shard.Pieces = slices.Clone(shard.Pieces[:1])
	shard.Pieces[0].Shape = with(shard.Pieces[0].Shape, d.upTo("axis", len(s.shape)-1), 0)
}

func undeclared(d *draw, s *subject) {
	shard := &s.side.Shards[d.upTo("shard", len(s.side.Shards)-1)]
	shard.Undeclared, shard.Shape = true, nil
}

func emptyShardPlaces(d *draw, s *subject) {
	shard := &s.side.Shards[d.anyPlaced(s).shard]
	shard.Shape = with(shard.Shape, d.upTo("axis", len(shard.Shape)-1), 0)
}

func shortSourceStrides(d *draw, s *subject) {
	piece := d.anyPiece(s)
	piece.Source.Strides = piece.Source.Strides[:len(s.shape)-1]
}

func shortDestStrides(d *draw, s *subject) {
	piece := d.anyPiece(s)
	piece.Dest.Strides = piece.Dest.Strides[:len(s.shape)-1]
}

func shortExtents(d *draw, s *subject) {
	piece := d.anyPiece(s)
	piece.Shape = piece.Shape[:len(s.shape)-1]
	if d.oneIn("and as few strides", 2) {
		piece.Source.Strides = piece.Source.Strides[:len(s.shape)-1]
		piece.Dest.Strides = piece.Dest.Strides[:len(s.shape)-1]
	}
}

func longStrides(d *draw, s *subject) {
	piece := d.anyPiece(s)
	side := &piece.Source
	if d.oneIn("in the shard", 2) {
		side = &piece.Dest
	}
	side.Strides = append(slices.Clone(side.Strides), 1)
}

func negativeExtent(d *draw, s *subject) {
	piece := d.anyPiece(s)
	axis := d.upTo("axis", len(s.shape)-1)
	piece.Shape = with(piece.Shape, axis, -1-d.choose("below -1", 0, 3))
}

func negativeShard(d *draw, s *subject) {
	shard := &s.side.Shards[d.upTo("shard", len(s.side.Shards)-1)]
	axis := d.upTo("axis", len(shard.Shape)-1)
	shard.Shape = with(shard.Shape, axis, -1-d.choose("below -1", 0, 3))
}

func noLocations(d *draw, s *subject) {
	piece := d.anyPiece(s)
	piece.Locations = nil
	if d.oneIn("an empty list", 2) {
		piece.Locations = []int{}
	}
}

func otherScale(d *draw, s *subject) {
	scales := [...]float64{2, 0.5, -1}
	d.anyPiece(s).Scale = &scales[d.upTo("scale", len(scales)-1)]
}

func zeroScale(d *draw, s *subject) {
	d.anyPiece(s).Scale = new(float64)
}

// hugeProduct builds a tensor of 2^63 elements or more whose offsets and strides all fit.
func hugeProduct(d *draw, s *subject) {
	shapes := [...][]int64{{1 << 32, 1 << 31}, {1 << 32, 1 << 32}, {3, 1 << 62}, {1 << 62, 2, 1}}
	s.tensor = d.tensorOf(shapes[d.upTo("shape", len(shapes)-1)])
	s.Source, s.Target = d.wholeMap(s.tensor, 1), d.wholeMap(s.tensor, 1+d.upTo("more replicas", 1))
}

// wrappedProduct has a shard of 4n rows of one column declare 2^62+1 columns: modulo 2^64 that is 4n elements.
func wrappedProduct(d *draw, s *subject) {
	rows := 4 * d.choose("rows, by four", 1, 3)
	s.tensor = d.tensorOf([]int64{rows, 1})
	s.Source, s.Target = d.wholeMap(s.tensor, 1), d.wholeMap(s.tensor, 1)
	s.wide = false
	s.side.Shards[0].Shape = []int64{rows, 1<<62 + 1}
}
