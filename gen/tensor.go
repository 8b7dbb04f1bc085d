package gen

import "github.com/shardproof/shardproof/plan"

// A tensor is a logical shape that both sides of a case share.
type tensor struct {
	shape   []int64
	strides []int64 // row-major; shared by the pieces that are drawn on it
}

func (d *draw) tensorOf(shape []int64) tensor {
	return tensor{shape: shape, strides: d.rowMajor(shape)}
}

// mostAxes bounds the axes of what is drawn: one more than is planned, for the request that has too many.
const mostAxes = plan.MaxAxes + 1

// The axes of a tensor, by share: two most often, and each number up to the limit often enough to matter.
var axesTable = []int{
	0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8,
}

// largestExtent bounds the extents of a tensor with so many axes, so that a mean tensor has some 150
// elements whatever its axes: few enough to execute in microseconds.
var largestExtent = [plan.MaxAxes + 1]int64{0, 260, 25, 11, 6, 4, 3, 3, 2}

// tensor draws a logical shape of any kind.
func (d *draw) tensor() tensor {
	axes := d.from("axes", axesTable)
	shape := d.takeInts(axes)
	for axis := range shape {
		shape[axis] = d.choose("extent", 1, largestExtent[axes])
	}
	if axes > 0 {
		switch d.upTo("unusual extent", 127) {
		case 127, 126, 125, 124:
			shape[d.upTo("empty axis", axes-1)] = 0
		case 123:
			shape[d.upTo("huge axis", axes-1)] = hugeExtents[d.upTo("huge extent", len(hugeExtents)-1)]
		}
	}
	return d.tensorOf(shape)
}

// hugeExtents take addresses beyond 2^31 elements and 2^32 bytes; none takes a product beyond int64, the
// other axes and the replicas being small.
var hugeExtents = []int64{1e9, 1<<31 + 11, 1<<33 + 1, 1 << 40}

// solidTensor draws a logical shape with elements and at least one axis that can be cut: what a corruption
// starts from.
func (d *draw) solidTensor() tensor {
	axes := 1 + d.upTo("axes", 3)
	shape := d.takeInts(axes)
	shape[0] = d.choose("first extent", 2, 6)
	for axis := 1; axis < axes; axis++ {
		shape[axis] = d.choose("extent", 1, 4)
	}
	return d.tensorOf(shape)
}
