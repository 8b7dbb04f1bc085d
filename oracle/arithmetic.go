package oracle

import (
	"math"
	"math/bits"
)

// volume is the number of elements of a shape whose extents are all at least 1, or the largest int64 where
// there are more.
func volume(shape []int64) int64 {
	product := int64(1)
	for _, extent := range shape {
		product = multiply(product, extent)
	}
	return product
}

// span is the lowest and the highest address of a block with extents of at least 1. A bound that leaves int64
// is cut off there, which is outside of every tensor as well.
func span(shape []int64, offset int64, strides []int64) (lo, hi int64) {
	down, up := int64(0), int64(0)
	for axis, extent := range shape {
		reach := multiply(extent-1, strides[axis])
		if reach < 0 {
			down = add(down, reach)
		} else {
			up = add(up, reach)
		}
	}
	return add(offset, down), add(offset, up)
}

// inside reports whether a block with extents of at least 1 stays within a tensor of so many elements. Where
// both bounds of a span are cut off it is outside on either side, so one of them always tells.
func inside(shape []int64, offset int64, strides []int64, elements int64) bool {
	lo, hi := span(shape, offset, strides)
	return lo >= 0 && hi < elements
}

// add is a + b, cut off at the ends of int64.
func add(a, b int64) int64 {
	sum := a + b
	switch {
	case a > 0 && b > 0 && sum < 0:
		return math.MaxInt64
	case a < 0 && b < 0 && sum >= 0:
		return math.MinInt64
	}
	return sum
}

// multiply is a * b for a >= 0, cut off at the ends of int64.
func multiply(a, b int64) int64 {
	product := a * b
	if uint64(a) < 1<<31 && uint64(b) < 1<<31 || b == 0 {
		return product
	}
	if product/b != a {
		if b < 0 {
			return math.MinInt64
		}
		return math.MaxInt64
	}
	return product
}

// A wide is an integer of 128 bits. The addresses of a plan that lies can leave int64 and come back to look
// like addresses within a shard; as a wide they cannot.
type wide struct {
	high int64
	low  uint64
}

func widen(value int64) wide { return wide{value >> 63, uint64(value)} }

func (w wide) plus(value int64) wide {
	low, carry := bits.Add64(w.low, uint64(value), 0)
	return wide{w.high + value>>63 + int64(carry), low}
}

// within reports whether 0 <= w < elements.
func (w wide) within(elements int64) bool { return w.high == 0 && w.low < uint64(elements) }

// narrow is the integer as an int64, cut off at its ends.
func (w wide) narrow() int64 {
	switch {
	case w.high == int64(w.low)>>63:
		return int64(w.low)
	case w.high < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}

// coordinate is the place of a row-major index in a shape.
func coordinate(shape []int64, index int64) []int64 {
	at := make([]int64, len(shape))
	for axis := len(shape) - 1; axis >= 0; axis-- {
		at[axis] = index % shape[axis]
		index /= shape[axis]
	}
	return at
}
