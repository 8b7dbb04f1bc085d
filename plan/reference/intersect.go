package reference

import (
	"cmp"
	"slices"

	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/internal/box"
)

// A crossing is a target block that meets a source region.
type crossing struct {
	rank    int   // the target's
	address int64 // where the common part begins in the target shard
	target  *plan.Block
	source  *region
	reader  int // the source rank that is read, once it is chosen
}

// crossingsOf finds every target block and region that meet, by target rank and address. Where a region
// comes in several cuts, so do its crossings.
func crossingsOf(m plan.Map, targets []plan.Block, regions []region, desk *desk, work *meter) (found []crossing, err error) {
	found = slices.Grow(desk.crossings[:0], len(targets)+len(regions))
	boxes := slices.Grow(desk.boxes[:0], len(targets)+len(regions))
	boxes = appendBlocks(boxes, targets)
	boxes = appendRegions(boxes, regions)
	box.Join(boxes[:len(targets)], boxes[len(targets):], func(i, j int) bool {
		if err = work.spend(&work.pairChecks); err != nil {
			return false
		}
		target, source := &targets[i], &regions[j]
		found = append(found, crossing{
			rank: m.Shards[target.Shard].Rank, address: addressIn(target, target.Lo, source.box.Lo),
			target: target, source: source,
		})
		return true
	})
	slices.SortFunc(found, func(a, b crossing) int {
		if a.rank != b.rank {
			return cmp.Compare(a.rank, b.rank)
		}
		return cmp.Compare(a.address, b.address)
	})
	desk.crossings, desk.boxes = found, boxes
	return found, err
}

func appendBlocks(boxes []box.Box, blocks []plan.Block) []box.Box {
	for i := range blocks {
		boxes = append(boxes, box.Box{Lo: blocks[i].Lo, Shape: blocks[i].Shape})
	}
	return boxes
}

func appendRegions(boxes []box.Box, regions []region) []box.Box {
	for i := range regions {
		boxes = append(boxes, regions[i].box)
	}
	return boxes
}

// addressIn is where a block holds the coordinate that is the larger of a and b on each axis.
func addressIn(block *plan.Block, a, b []int64) int64 {
	address := block.Address
	for axis, lo := range block.Lo {
		address += (max(a[axis], b[axis]) - lo) * block.Strides[axis]
	}
	return address
}

// size is the number of elements that a crossing copies.
func (c *crossing) size() int64 {
	return c.source.box.Common(box.Box{Lo: c.target.Lo, Shape: c.target.Shape})
}

// movesOf makes a move of each crossing. Where its reader does not hold the region in this cut there is none:
// the reader's own cut of the region has crossings with the same elements. The moves are in plan.order, as
// the crossings are.
func movesOf(found []crossing, desk *desk) []move {
	if len(found) == 0 {
		return nil
	}
	moves := slices.Grow(desk.moves[:0], len(found))
	axes := len(found[0].target.Lo)
	shapes := slices.Grow(desk.shapes[:0], axes*len(found))[:axes*len(found)]
	for i := range found {
		c := &found[i]
		from := c.source.heldBy(c.reader)
		if from == nil {
			continue
		}
		shape := shapes[len(moves)*axes:][:axes:axes]
		for axis, lo := range c.target.Lo {
			hi := min(lo+c.target.Shape[axis], c.source.box.Hi(axis))
			shape[axis] = hi - max(lo, c.source.box.Lo[axis])
		}
		moves = append(moves, move{
			targetRank: c.rank, target: c.address, targetStrides: c.target.Strides,
			sourceRank: from.rank, source: addressIn(from.block, c.target.Lo, c.source.box.Lo), sourceStrides: from.block.Strides,
			shape: shape, piece: from.piece,
		})
	}
	desk.moves, desk.shapes = moves, shapes
	return moves
}
