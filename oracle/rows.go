package oracle

// maxLoopAxes is the most axes longer than 1 that a block of fewer than 2^63 elements can have.
const maxLoopAxes = 62

// A rows walks a block that stands in two tensors at once, a row at a time: count elements from first on,
// stepping by step, in each. Every address must lie in int64.
type rows struct {
	first, step [2]int64
	count       int64

	axes          int // of the odometer: the axes but the row's
	extent, index [maxLoopAxes]int64
	strides       [maxLoopAxes][2]int64
}

// start takes a block and stands on its first row. It drops axes of extent 1, and joins an axis with the
// next where both tensors go on without a seam, so that rows are as long as they can be. It is false where
// the block has no elements.
func (r *rows) start(shape []int64, offsets [2]int64, a, b []int64) bool {
	r.first, r.step, r.count, r.axes = offsets, [2]int64{}, 1, 0
	for axis := len(shape) - 1; axis >= 0; axis-- {
		extent := shape[axis]
		if extent == 1 {
			continue
		}
		if extent == 0 {
			return false
		}
		r.axis(extent, [2]int64{a[axis], b[axis]})
	}
	return true
}

// axis puts an axis before those already taken.
func (r *rows) axis(extent int64, strides [2]int64) {
	switch last := r.axes - 1; {
	case r.count == 1:
		r.count, r.step = extent, strides
	case r.axes == 0 && strides[0] == r.step[0]*r.count && strides[1] == r.step[1]*r.count:
		r.count *= extent
	case r.axes > 0 && strides[0] == r.strides[last][0]*r.extent[last] && strides[1] == r.strides[last][1]*r.extent[last]:
		r.extent[last] *= extent
	default:
		r.extent[r.axes], r.index[r.axes], r.strides[r.axes] = extent, 0, strides
		r.axes++
	}
}

// next goes on to the next row, the last axes first. It is false after the last row.
func (r *rows) next() bool {
	for axis := range r.axes {
		strides := r.strides[axis]
		r.first[0] += strides[0]
		r.first[1] += strides[1]
		if r.index[axis]++; r.index[axis] < r.extent[axis] {
			return true
		}
		r.index[axis] = 0
		r.first[0] -= strides[0] * r.extent[axis]
		r.first[1] -= strides[1] * r.extent[axis]
	}
	return false
}
