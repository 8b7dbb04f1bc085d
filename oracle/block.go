package oracle

import (
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// A block is the elements of a shape, with where each stands in several tensors at once: by the view of
// sides[s], element i stands at Offset + i . Strides. All axes are longer than 1.
type block struct {
	shape []int64
	sides []plan.View
}

// newBlock copies a shape and its views, without the axes of extent 1. Extents are at least 1.
func newBlock(shape []int64, views ...plan.View) block {
	b := block{sides: make([]plan.View, len(views))}
	for s := range views {
		b.sides[s].Offset = views[s].Offset
	}
	for axis, extent := range shape {
		if extent == 1 {
			continue
		}
		b.shape = append(b.shape, extent)
		for s := range views {
			b.sides[s].Strides = append(b.sides[s].Strides, views[s].Strides[axis])
		}
	}
	return b
}

func (b block) clone() block {
	c := block{slices.Clone(b.shape), make([]plan.View, len(b.sides))}
	for s, side := range b.sides {
		c.sides[s] = plan.View{Offset: side.Offset, Strides: slices.Clone(side.Strides)}
	}
	return c
}

// flipped is the same elements with an axis numbered the other way round.
func (b block) flipped(axis int) block {
	c := b.clone()
	for s := range c.sides {
		c.sides[s].Offset += (b.shape[axis] - 1) * b.sides[s].Strides[axis]
		c.sides[s].Strides[axis] = -b.sides[s].Strides[axis]
	}
	return c
}

// sliced is the elements of an axis from one on, so many of them.
func (b block) sliced(axis int, lo, n int64) block {
	c := b.clone()
	for s := range c.sides {
		c.sides[s].Offset += lo * b.sides[s].Strides[axis]
	}
	if c.shape[axis] = n; n == 1 {
		c.remove(axis)
	}
	return c
}

func (b *block) remove(axis int) {
	b.shape = slices.Delete(b.shape, axis, axis+1)
	for s := range b.sides {
		b.sides[s].Strides = slices.Delete(b.sides[s].Strides, axis, axis+1)
	}
}

// folded is the same elements with an axis cut into rows: an axis of whole rows before the one of a row's
// elements. Its extent is a multiple of the row.
func (b block) folded(axis int, row int64) block {
	c := b.clone()
	rows := b.shape[axis] / row
	if c.shape[axis] = row; rows == 1 {
		return c
	}
	c.shape = append(c.shape, rows)
	for s := range c.sides {
		c.sides[s].Strides = append(c.sides[s].Strides, row*b.sides[s].Strides[axis])
	}
	return c
}

// joined is the same elements on as few axes: two are one where, on every side, the one counts whole rows of
// the other.
func (b block) joined() block {
	for outer := range b.shape {
		for inner := range b.shape {
			if outer == inner || !b.joins(outer, inner) {
				continue
			}
			c := b.clone()
			c.shape[inner] *= b.shape[outer]
			c.remove(outer)
			return c.joined()
		}
	}
	return b
}

func (b block) joins(outer, inner int) bool {
	for _, side := range b.sides {
		if side.Strides[outer] != multiply(b.shape[inner], side.Strides[inner]) {
			return false
		}
	}
	return true
}

// ascending is the same elements with no negative stride on one side.
func (b block) ascending(side int) block {
	for axis, stride := range b.sides[side].Strides {
		if stride < 0 {
			b = b.flipped(axis)
		}
	}
	return b
}

// span is the lowest and the highest address of the block on one side.
func (b block) span(side int) (lo, hi int64) {
	return span(b.shape, b.sides[side].Offset, b.sides[side].Strides)
}

// firstOn is where the element with the lowest address on one side stands, on each side.
func (b block) firstOn(side int) []int64 {
	at := make([]int64, len(b.sides))
	for s := range b.sides {
		at[s] = b.sides[s].Offset
		for axis, extent := range b.shape {
			if b.sides[side].Strides[axis] < 0 {
				at[s] += (extent - 1) * b.sides[s].Strides[axis]
			}
		}
	}
	return at
}

// stridesOf lists the lengths of the strides of blocks on one side.
func stridesOf(side int, blocks []block) (strides []int64) {
	for _, b := range blocks {
		for _, stride := range b.sides[side].Strides {
			strides = append(strides, max(stride, -stride))
		}
	}
	return strides
}
