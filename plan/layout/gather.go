package layout

import (
	"fmt"

	"github.com/shardproof/shardproof/plan"
)

var gather = Family{
	Name:       "gather",
	Doc:        "an axis of equal blocks, of which a rank takes listed ones in its own order",
	Parameters: []string{"shape", "blocks", "ids", "axis"},
	Axes:       1,
	Grain:      anyExtent,
	draw:       drawGather,
	build:      func(a Arguments) (plan.Map, error) { return Gather(a.Shape, a.Axis, a.Blocks, a.IDs) },
}

// Gather is the map of an axis that is divided into equal blocks, in which rank r stores the blocks ids[r] in
// that order. Consecutive ids are one piece where the same ranks hold them. A rank may take none, and several
// may take the same.
//
// It is an error where the blocks do not divide the axis, an id is out of range, a rank lists an id twice and
// a block is taken by no rank.
func Gather(shape []int64, axis int, blocks int64, ids [][]int64) (plan.Map, error) {
	return gatherBlocks(shape, axis, blocks, ids, false)
}

// gatherBlocks is Gather, which keeps replicated blocks apart on demand.
func gatherBlocks(shape []int64, axis int, blocks int64, ids [][]int64, apart bool) (plan.Map, error) {
	if err := firstError(checkAxis(shape, axis), checkDegree(len(ids)), checkBlocks(shape[axis], blocks)); err != nil {
		return plan.Map{}, err
	}
	listed := 0
	for _, own := range ids {
		listed += len(own)
	}
	var buffer [32]run
	runs := buffer[:0]
	if listed > len(buffer) {
		runs = make([]run, 0, listed)
	}
	size, cutAt := shape[axis]/max(blocks, 1), int64(0)
	if apart {
		cutAt = size
	}
	for rank, own := range ids {
		for _, id := range own {
			if id < 0 || id >= blocks {
				return plan.Map{}, fmt.Errorf("rank %d: block %d, want 0 to %d", rank, id, blocks-1)
			}
			runs = append(runs, run{rank, id * size, (id + 1) * size})
		}
	}
	placed, err := place(shape[axis], len(ids), runs, cutAt)
	if err != nil {
		return plan.Map{}, fmt.Errorf("axis %d in blocks of %d: %w", axis, size, err)
	}
	return placed.alongAxis(shape, axis), nil
}

// checkBlocks refuses a number of blocks that does not divide the extent. Only an extent of 0 may be no
// blocks.
func checkBlocks(extent, blocks int64) error {
	if blocks < 0 || blocks == 0 && extent > 0 || blocks > 0 && extent%blocks != 0 {
		return fmt.Errorf("%d blocks do not divide an axis of %d", blocks, extent)
	}
	return nil
}

func drawGather(choose Choose, shape []int64, degree int, axes []int) Arguments {
	axis := drawAxis(choose, axes)
	blocks := drawDivisor(choose, "blocks", shape[axis], mostBlocks)
	return Arguments{Axis: axis, Blocks: blocks, IDs: drawHolders(choose, blocks, degree)}
}

// mostBlocks bounds the blocks of a drawn map, so that drawn maps stay small.
const mostBlocks = 8
