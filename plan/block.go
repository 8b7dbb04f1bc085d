package plan

import "slices"

// A Block is a piece that places something, as a box of the full logical tensor F whose coordinates step
// through the shard: element x of F, where Lo[k] <= x[k] < Lo[k]+Shape[k] on each axis k, stands in the shard
// at Address + sum of (x[k]-Lo[k]) * Strides[k].
//
// Its slices are shared, with the map and with other blocks, and are not to be written to.
type Block struct {
	Shard, Piece int     // indexes into the map
	Lo, Shape    []int64 // on F's axes, every extent at least 1
	Address      int64   // in the shard, of the first element
	Strides      []int64 // in the shard, for each axis of F
}

// Blocks resolves the pieces of a map that place something, in the order of the map. It does so for
// row-major pieces, for permuted ones, where either side steps along the axes in another order, and for
// pieces that are dense in a shard with other axes than F's, such as a flat one.
//
// On an axis where the block is longer than 1, Strides has the piece's own stride. Where those are all the
// shard's row-major ones, it has the shard's row-major strides on every axis (plan.read). Else an axis of
// extent 1 has a stride that depends on the block and its shard, and never on what the piece says there.
//
// Violations come in place of blocks: of the first two stages of Validate, or of kind Unsupported where a
// piece is no such block but stepped, reversed or diagonal. That the pieces fit together is for Validate.
func (m Map) Blocks() ([]Block, []Violation) {
	resolve := func(j *judge) {
		for _, stage := range [...]func(){j.structure, j.bounds, j.expressible} {
			if stage(); len(j.found) > 0 {
				return
			}
		}
	}
	j := &judge{m: m, room: new(room)}
	if resolve(j); len(j.found) == 0 {
		return j.blocks(), nil
	}
	j = sortedJudge(m)
	resolve(j)
	return nil, j.found
}

// expressible reports a piece that is no block.
func (j *judge) expressible() {
	for i := range j.pieces {
		p := &j.pieces[i]
		if !p.source.filled || p.source.repeats || !p.source.forward || !p.source.units ||
			!p.dest.filled || p.dest.repeats || !p.dest.forward {
			piece := &j.m.Shards[p.shard].Pieces[p.number]
			j.report(Violation{Kind: Unsupported, Row: 12}, j.path(p.shard, p.number),
				"a %s block with source strides %v in %s and dest strides %v in a %s shard is not a box of both",
				shapeText(piece.Shape), piece.Source.Strides, j.logical, piece.Dest.Strides, j.shards[p.shard])
		}
	}
}

// blocks are the blocks of a map whose pieces are all expressible.
func (j *judge) blocks() []Block {
	blocks := make([]Block, len(j.pieces))
	for i := range j.pieces {
		p := &j.pieces[i]
		piece := &j.m.Shards[p.shard].Pieces[p.number]
		blocks[i] = Block{
			Shard: p.shard, Piece: p.number,
			Lo: p.source.Lo, Shape: p.source.Shape,
			Address: piece.Dest.Offset, Strides: j.shardStrides(p),
		}
	}
	return blocks
}

// shardStrides is the stride in the shard for each axis of F.
func (j *judge) shardStrides(p *placedPiece) []int64 {
	shard := &j.shards[p.shard]
	if p.source.own && p.dest.own {
		return shard.strides
	}
	// For each axis of F on which the block is longer than 1, the axis of the shard that it is.
	shardAxis := make([]int, len(j.logical.shape))
	strides := make([]int64, len(j.logical.shape))
	for axis := range shardAxis {
		shardAxis[axis] = none
	}
	piece := &j.m.Shards[p.shard].Pieces[p.number]
	for k, extent := range piece.Shape {
		if extent > 1 {
			axis := j.axisOf(piece.Source, k, &j.logical)
			shardAxis[axis], strides[axis] = j.axisOf(piece.Dest, k, shard), piece.Dest.Strides[k]
		}
	}
	switch {
	case len(shard.shape) != len(strides):
		nextStrides(strides, p.source.Shape)
	case rowMajorOn(strides, p.source.Shape, *shard):
		return shard.strides
	default:
		remainingStrides(strides, shardAxis, shard.strides)
	}
	return strides
}

// axisOf is the axis of a tensor along which axis k of a block steps.
func (j *judge) axisOf(view View, k int, t *tensor) int {
	first := j.slab.take(len(t.shape))
	t.coordinates(view.Offset, first)
	vector := j.vectorOf(len(t.shape))
	t.stepOf(view.Strides[k], view.Offset, first, vector)
	axis, _ := onlyAxis(vector)
	return axis
}

// nextStrides gives each axis of extent 1 the length of the axis after it, as in a row-major block.
func nextStrides(strides, shape []int64) {
	next := int64(1)
	for axis := len(strides) - 1; axis >= 0; axis-- {
		if shape[axis] == 1 {
			strides[axis] = next
		}
		// No more than the elements of the shard, in which the block is a box.
		next = strides[axis] * shape[axis]
	}
}

// remainingStrides gives the axes of extent 1, in order, the strides of the shard's axes that are left.
func remainingStrides(strides []int64, shardAxis []int, own []int64) {
	left := 0
	for axis := range strides {
		if shardAxis[axis] != none {
			continue
		}
		for slices.Contains(shardAxis, left) {
			left++
		}
		strides[axis] = own[left]
		left++
	}
}
