package mutant

import (
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// A box is a block of the logical tensor: its first element and its extents on each axis.
type box struct{ lo, shape []int64 }

func (b box) elements() int64 { return volume(b.shape) }

// overlap is what two boxes have in common, and whether that is anything.
func overlap(a, b box) (box, bool) {
	common := box{make([]int64, len(a.lo)), make([]int64, len(a.lo))}
	for axis := range a.lo {
		lo := max(a.lo[axis], b.lo[axis])
		hi := min(a.lo[axis]+a.shape[axis], b.lo[axis]+b.shape[axis])
		if hi <= lo {
			return box{}, false
		}
		common.lo[axis], common.shape[axis] = lo, hi-lo
	}
	return common, true
}

// A block is a piece that places something, seen along the axes of the logical tensor.
type block struct {
	box
	rank      int
	address   int64   // of its first element in the shard
	strides   []int64 // the steps in the shard that the logical axes take
	locations []int   // ascending

	layout *plan.Map
	shard  *plan.Shard
	piece  *plan.Piece
}

// resolve finds the block of a piece. A piece may list the logical axes in another order.
func resolve(layout *plan.Map, shard *plan.Shard, piece *plan.Piece) block {
	logical := layout.LogicalShape
	b := block{
		box:       box{coordinates(piece.Source.Offset, logical), make([]int64, len(logical))},
		rank:      shard.Rank,
		address:   piece.Dest.Offset,
		strides:   make([]int64, len(logical)),
		locations: slices.Sorted(slices.Values(piece.Locations)),
		layout:    layout,
		shard:     shard,
		piece:     piece,
	}
	axes, _ := walked(piece.Shape, piece.Source.Strides, logical)
	for k, axis := range axes {
		b.shape[axis] = piece.Shape[k]
		b.strides[axis] = piece.Dest.Strides[k]
	}
	b.strides = settled(b.shape, b.strides, rowMajor(shard.Shape))
	return b
}

// settled gives a block strides on its axes of extent 1, where those of the piece mean nothing: the shard's,
// where the block is row-major, else what a step over the axes after it would be.
func settled(shape, strides, shard []int64) []int64 {
	if sameSteps(shape, strides, shard) {
		return shard
	}
	step := int64(1)
	for axis := len(shape) - 1; axis >= 0; axis-- {
		if shape[axis] == 1 {
			strides[axis] = step
		}
		step = strides[axis] * shape[axis]
	}
	return strides
}

// walked tells which axis of a tensor each axis of a view walks along: the one whose row-major stride it has.
// It is false where some axis walks along none, or along the same as another. An axis of extent 1 walks
// nowhere and takes one of the axes left, in order, or -1 where the tensor has none left.
func walked(shape, strides, tensor []int64) ([]int, bool) {
	axes := make([]int, len(shape))
	free := make([]bool, len(tensor))
	for axis := range free {
		free[axis] = true
	}
	steps := rowMajor(tensor)
	all := true
	for k, extent := range shape {
		if extent == 1 {
			continue
		}
		axes[k] = stepped(tensor, steps, strides[k])
		if axes[k] < 0 || !free[axes[k]] {
			all = false
			continue
		}
		free[axes[k]] = false
	}
	for k, extent := range shape {
		if extent != 1 {
			continue
		}
		if axes[k] = slices.Index(free, true); axes[k] >= 0 {
			free[axes[k]] = false
		}
	}
	return axes, all
}

// stepped is the axis longer than 1 with the given row-major stride, or -1. No two such axes share a stride.
func stepped(tensor, steps []int64, stride int64) int {
	for axis, step := range steps {
		if step == stride && tensor[axis] > 1 {
			return axis
		}
	}
	return -1
}

// sameSteps reports whether two views of one shape have the same strides wherever they step.
func sameSteps(shape, a, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for axis, extent := range shape {
		if extent > 1 && a[axis] != b[axis] {
			return false
		}
	}
	return true
}

// coordinates are those of an address in a row-major tensor.
func coordinates(address int64, tensor []int64) []int64 {
	at := make([]int64, len(tensor))
	for axis := len(tensor) - 1; axis >= 0; axis-- {
		extent := max(tensor[axis], 1)
		at[axis] = address % extent
		address /= extent
	}
	return at
}

// rowMajor is for shapes whose products fit, which a check of its own refuses otherwise.
func rowMajor(shape []int64) []int64 {
	strides := make([]int64, len(shape))
	step := int64(1)
	for axis := len(shape) - 1; axis >= 0; axis-- {
		strides[axis] = step
		step *= max(shape[axis], 1)
	}
	return strides
}

func volume(shape []int64) int64 {
	product := int64(1)
	for _, extent := range shape {
		product *= extent
	}
	return product
}
