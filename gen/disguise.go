package gen

import "github.com/shardproof/shardproof/plan"

// disguise changes how a map is written and where its blocks stand in their shards, and not what each rank
// holds: pieces are cut further, shards permuted, things put in another order.
func (d *draw) disguise(m *plan.Map) {
	style := d.upTo("disguise", 31)
	if style >= 12 && style < 20 {
		d.refine(m)
	}
	switch {
	case style == 20 || style == 12:
		d.permuteShards(m)
	case style == 21:
		d.permutePieces(m)
	case style == 22 || style == 13:
		d.oddStrides(m)
	case style == 23 || style == 14:
		d.addEmptyPieces(m)
	}
	if style > 26 || style == 15 || style == 16 {
		d.reorder(m)
	}
}

// refine cuts pieces of some shards in two again and again. A cut piece may go on being cut, along any axis,
// so that a block ends as strips within strips. A replica that is cut alone has other cuts than its peers.
func (d *draw) refine(m *plan.Map) {
	s := d.upTo("first shard to cut", len(m.Shards)-1)
	for range 1 + d.upTo("more shards to cut", 1) {
		shard := &m.Shards[s]
		if len(shard.Pieces) > 0 {
			d.cutPieces(shard, 1+d.upTo("more cuts", 3), d.oneIn("strips", 2))
		}
		s = (s + 1) % len(m.Shards)
	}
}

// cutPieces makes up to so many cuts in a shard's pieces: each in any piece, or each in what the last cut
// left over.
func (d *draw) cutPieces(shard *plan.Shard, cuts int, strips bool) {
	count := len(shard.Pieces)
	pieces := append(d.takePieces(count + cuts)[:0], shard.Pieces...)
	which := d.upTo("piece to cut", count-1)
	for range cuts {
		axis, ok := d.axisToCut(&pieces[which])
		if ok && len(shard.Shape) != len(pieces[which].Shape) {
			axis = outermost(&pieces[which])
		}
		if ok {
			lower, upper := d.cutPiece(&pieces[which], axis)
			pieces[which] = lower
			pieces = append(pieces, upper)
		}
		if which = len(pieces) - 1; !strips {
			which = d.upTo("piece to cut", len(pieces)-1)
		}
	}
	shard.Pieces = pieces
}

// axisToCut chooses an axis longer than 1. It is false where a piece has none.
func (d *draw) axisToCut(piece *plan.Piece) (int, bool) {
	axes := len(piece.Shape)
	if axes == 0 || piece.Empty() {
		return 0, false
	}
	axis := d.upTo("axis to cut", axes-1)
	for range axes {
		if piece.Shape[axis] > 1 {
			return axis, true
		}
		axis = (axis + 1) % axes
	}
	return 0, false
}

// outermost is the first axis longer than 1. A piece that is one run of a flat shard's addresses is cut into
// two such runs there, and into strided blocks anywhere else.
func outermost(piece *plan.Piece) int {
	axis := 0
	for piece.Shape[axis] == 1 {
		axis++
	}
	return axis
}

// cutPiece cuts a piece in two along an axis.
func (d *draw) cutPiece(piece *plan.Piece, axis int) (lower, upper plan.Piece) {
	at := d.choose("where to cut", 1, piece.Shape[axis]-1)
	lower, upper = *piece, *piece
	lower.Shape, upper.Shape = d.copyInts(piece.Shape), d.copyInts(piece.Shape)
	lower.Shape[axis] = at
	upper.Shape[axis] -= at
	upper.Source.Offset += at * piece.Source.Strides[axis]
	upper.Dest.Offset += at * piece.Dest.Strides[axis]
	return lower, upper
}

// permuteShards stores some shards with their axes in another order, such as a transposed weight: the shard's
// shape and what its pieces step by are permuted alike.
func (d *draw) permuteShards(m *plan.Map) {
	for s := range m.Shards {
		shard := &m.Shards[s]
		if len(shard.Shape) == len(m.LogicalShape) && len(shard.Shape) > 1 && !d.oneIn("leave the shard", 3) {
			d.permuteShard(shard)
		}
	}
}

func (d *draw) permuteShard(shard *plan.Shard) {
	axes := len(shard.Shape)
	var order [mostAxes]int // of the new axes
	for axis := range axes {
		order[axis] = axes - 1 - axis // the simplest permutation is to transpose
	}
	d.shuffle("axis", axes, func(i, j int) { order[i], order[j] = order[j], order[i] })
	shape := d.takeInts(axes)
	for i, axis := range order[:axes] {
		shape[i] = shard.Shape[axis]
	}
	permuted := d.rowMajor(shape)
	was, strides := d.rowMajor(shard.Shape), d.takeInts(axes)
	for i, axis := range order[:axes] {
		strides[axis] = permuted[i]
	}
	for p := range shard.Pieces {
		if tied(shard.Pieces[p].Shape, strides, shape) {
			return
		}
	}
	for p := range shard.Pieces {
		dest := &shard.Pieces[p].Dest
		dest.Offset = restrided(dest.Offset, was, strides)
		dest.Strides = strides
	}
	shard.Shape = shape
}

// restrided is the address of a coordinate under other strides, given its address under row-major ones.
func restrided(address int64, rowMajor, strides []int64) int64 {
	there := int64(0)
	for axis, stride := range rowMajor {
		there += address / stride * strides[axis]
		address %= stride
	}
	return there
}

// permutePieces lists the axes of some pieces in another order: extents and both sides' strides alike.
func (d *draw) permutePieces(m *plan.Map) {
	for s := range m.Shards {
		for p := range m.Shards[s].Pieces {
			piece := &m.Shards[s].Pieces[p]
			if axes := len(piece.Shape); axes > 1 && !d.oneIn("leave the piece", 3) {
				axis := d.upTo("axis to put last", axes-2)
				shape := d.exchanged(piece.Shape, axis)
				source, dest := d.exchanged(piece.Source.Strides, axis), d.exchanged(piece.Dest.Strides, axis)
				if !tied(shape, source, m.LogicalShape) && !tied(shape, dest, m.Shards[s].Shape) {
					piece.Shape, piece.Source.Strides, piece.Dest.Strides = shape, source, dest
				}
			}
		}
	}
}

// tied reports whether a block has row-major strides and leaves its tensor by them, as 1x2 in 2x1 does: both axes
// of the tensor have stride 1. Whether it is permuted or out of bounds, the rules leave open, so none is drawn.
func tied(block, strides, tensor []int64) bool {
	if len(block) != len(tensor) || !isRowMajor(block, strides, tensor) {
		return false
	}
	for axis, extent := range block {
		if extent > tensor[axis] {
			return true
		}
	}
	return false
}

// exchanged is a copy with an entry and the last one exchanged.
func (d *draw) exchanged(values []int64, i int) []int64 {
	taken, last := d.copyInts(values), len(values)-1
	taken[i], taken[last] = taken[last], taken[i]
	return taken
}

// oddStrides gives axes of extent 1 any stride: nothing is ever read or written by it.
func (d *draw) oddStrides(m *plan.Map) {
	for s := range m.Shards {
		for p := range m.Shards[s].Pieces {
			piece := &m.Shards[s].Pieces[p]
			for axis, extent := range piece.Shape {
				if extent != 1 {
					continue
				}
				side := &piece.Source
				if d.oneIn("odd stride in the shard", 2) {
					side = &piece.Dest
				}
				side.Strides = d.copyInts(side.Strides)
				side.Strides[axis] = strideChoices[d.upTo("odd stride", len(strideChoices)-1)]
			}
		}
	}
}

var strideChoices = []int64{1, 0, 3, -1, 1000, 1 << 40}

// addEmptyPieces adds a piece that places nothing to some shards, at an address of no meaning.
func (d *draw) addEmptyPieces(m *plan.Map) {
	axes := len(m.LogicalShape)
	if axes == 0 {
		return // a scalar's piece has no extent that could be zero
	}
	for s := range m.Shards {
		shard := &m.Shards[s]
		if d.oneIn("leave the shard", 2) {
			continue
		}
		pieces := append(d.takePieces(len(shard.Pieces) + 1)[:0], shard.Pieces...)
		shape := d.copyInts(m.LogicalShape)
		shape[d.upTo("empty axis", axes-1)] = 0
		locations := d.takeRanks(1)
		locations[0] = shard.Rank
		shard.Pieces = append(pieces, plan.Piece{
			Shape:     shape,
			Source:    plan.View{Offset: d.choose("offset", 0, 3), Strides: d.rowMajor(m.LogicalShape)},
			Dest:      plan.View{Offset: d.choose("offset", 0, 3), Strides: d.rowMajor(m.LogicalShape)},
			Locations: locations,
		})
	}
}

// reorder puts shards and pieces in another order.
func (d *draw) reorder(m *plan.Map) {
	d.shuffle("shard", len(m.Shards), func(i, j int) { m.Shards[i], m.Shards[j] = m.Shards[j], m.Shards[i] })
	for s := range m.Shards {
		pieces := m.Shards[s].Pieces
		d.shuffle("piece", len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
	}
}
