package plan

import (
	"cmp"
	"math"
	"slices"

	"github.com/shardproof/shardproof/plan/internal/box"
)

// A placedPiece is a piece that places something, and where: as a box of F and as a box of its shard.
type placedPiece struct {
	shard, number int // indexes into the judge's map
	rank          int
	locations     []int // ascending
	source, dest  placed
}

// placed is one side of a piece: the coordinates that it takes up in a tensor.
type placed struct {
	// The corners of the piece: the smallest box around its coordinates.
	box.Box

	own     bool // each axis that is longer than 1 steps along the tensor's axis of the same number, by 1
	filled  bool // the coordinates fill the box
	repeats bool // some coordinate is taken up twice. Known only where filled is true or this is
	forward bool // each axis that is longer than 1 steps along one axis, forwards
	units   bool // no axis steps by more than 1
}

// bounds is the second stage: it places every piece on both sides.
func (j *judge) bounds() {
	for i := range j.pieces {
		p := &j.pieces[i]
		piece := &j.m.Shards[p.shard].Pieces[p.number]
		if !j.place(&p.source, piece.Source, piece.Shape, &j.logical) {
			j.outside(p, "stands at", piece.Source, piece.Shape, j.logical, "logical tensor")
		}
		if shard := &j.shards[p.shard]; !j.place(&p.dest, piece.Dest, piece.Shape, shard) {
			j.outside(p, "writes", piece.Dest, piece.Shape, *shard, "shard")
		}
	}
}

// place finds the coordinates of a block in a tensor, and is false where the block leaves the tensor or wraps
// round an axis of it. An element's coordinates must be those of the first element plus a fixed step for
// each index.
func (j *judge) place(p *placed, view View, shape []int64, t *tensor) bool {
	if view.Offset < 0 || view.Offset >= t.volume {
		return false
	}
	p.Lo = j.slab.take(len(t.shape))
	t.coordinates(view.Offset, p.Lo)
	p.filled, p.forward, p.units = true, true, true
	if p.own = t.fitsRowMajor(view.Strides, shape, p.Lo); p.own {
		p.Shape = shape
		return true
	}
	return j.placeAnywhere(p, view, shape, t)
}

// coordinates writes the coordinates of an address of the tensor.
func (t *tensor) coordinates(address int64, coordinates []int64) {
	for axis, stride := range t.strides {
		if stride == 1 {
			// All axes that follow are of extent 1.
			coordinates[axis], address = address, 0
			continue
		}
		coordinates[axis] = address / stride
		address -= coordinates[axis] * stride
	}
}

// fitsRowMajor reports whether a block whose first element is at lo steps along the tensor's own axes and
// stays inside. It is the usual case.
func (t *tensor) fitsRowMajor(strides, shape, lo []int64) bool {
	if len(shape) != len(t.shape) {
		return false
	}
	for axis, extent := range shape {
		if extent > t.shape[axis]-lo[axis] || extent > 1 && strides[axis] != t.strides[axis] {
			return false
		}
	}
	return true
}

// A step is what one axis of a piece does on one axis of a tensor.
type step struct {
	axis   int    // of the tensor
	length uint64 // at least 1
	extent int64  // of the piece's axis, at least 2
}

// placeAnywhere is place for a block whose first element is at p.Lo and that steps as it likes.
func (j *judge) placeAnywhere(p *placed, view View, shape []int64, t *tensor) bool {
	first, lo, hi, vector := p.Lo, j.slab.take(len(p.Lo)), j.slab.take(len(p.Lo)), j.vectorOf(len(p.Lo))
	copy(lo, first)
	copy(hi, first)
	j.steps = j.steps[:0]
	for k, extent := range shape {
		if extent == 1 {
			continue
		}
		if !t.stepOf(view.Strides[k], view.Offset, first, vector) || !t.extend(lo, hi, vector, extent) {
			return false
		}
		axis, several := onlyAxis(vector)
		switch {
		case several:
			p.filled, p.forward = false, false
		case axis == none:
			p.repeats, p.forward = true, false
		default:
			s := step{axis: axis, length: magnitude(vector[axis]), extent: extent}
			p.forward = p.forward && vector[axis] > 0
			p.units = p.units && s.length == 1
			j.steps = append(j.steps, s)
		}
	}
	p.Lo, p.Shape = lo, hi
	for axis := range lo {
		p.Shape[axis] = hi[axis] - lo[axis] + 1
	}
	p.spread(j.steps)
	return true
}

func (j *judge) vectorOf(axes int) []int64 {
	if len(j.vector) < axes {
		j.vector = make([]int64, axes)
	}
	return j.vector[:axes]
}

// stepOf writes the change of coordinates that a stride means. A stride of the tensor's own steps along that
// axis, so that a row-major block which runs past the end of a row is one that wraps, and no diagonal of two
// elements. Any other stride means what it does from the first element. It is false where that leaves the
// tensor.
func (t *tensor) stepOf(stride, offset int64, first, vector []int64) bool {
	clear(vector)
	if stride == 0 {
		return true
	}
	for axis, own := range t.strides {
		// Where strides are equal, only the first is of an axis longer than 1.
		if magnitude(stride) == uint64(own) {
			vector[axis] = 1
			if stride < 0 {
				vector[axis] = -1
			}
			return true
		}
	}
	// The offset is an address and so not negative: the sum can leave int64 only upwards.
	if stride > math.MaxInt64-offset || offset+stride < 0 || offset+stride >= t.volume {
		return false
	}
	t.coordinates(offset+stride, vector)
	for axis := range vector {
		vector[axis] -= first[axis]
	}
	return true
}

// extend moves the corners of a block out by one more axis, and is false where that leaves the tensor.
func (t *tensor) extend(lo, hi, vector []int64, extent int64) bool {
	for axis, length := range vector {
		switch {
		case length > 0:
			if length > (t.shape[axis]-1-hi[axis])/(extent-1) {
				return false
			}
			hi[axis] += length * (extent - 1)
		case length < 0:
			if -length > lo[axis]/(extent-1) {
				return false
			}
			lo[axis] += length * (extent - 1)
		}
	}
	return true
}

const none = -1

// onlyAxis is the axis on which a vector is not 0: none where there is no such axis, or several.
func onlyAxis(vector []int64) (axis int, several bool) {
	axis = none
	for k, length := range vector {
		if length != 0 {
			if axis != none {
				return none, true
			}
			axis = k
		}
	}
	return axis, false
}

// spread finds out whether single steps fill the box, and whether they come to some coordinate twice. Along
// one axis the coordinates reached by the shorter steps are a run without holes; a longer step within that
// run repeats a coordinate, a step to its end continues the run, and one past it leaves a hole.
func (p *placed) spread(steps []step) {
	slices.SortFunc(steps, func(a, b step) int { return cmp.Or(a.axis-b.axis, cmp.Compare(a.length, b.length)) })
	run, hole := uint64(1), false
	for i, s := range steps {
		if i == 0 || s.axis != steps[i-1].axis {
			run, hole = 1, false
		}
		if hole = hole || s.length > run; hole {
			p.filled = false
			continue
		}
		p.repeats = p.repeats || s.length < run
		run += s.length * uint64(s.extent-1)
	}
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// outside reports a block that is not inside a tensor.
func (j *judge) outside(p *placedPiece, verb string, view View, shape []int64, t tensor, what string) {
	path := j.path(p.shard, p.number)
	if view.Offset < 0 || view.Offset >= t.volume {
		j.broken(RuleBounds, 13, path, "%s offset %d, outside the %s %s", verb, view.Offset, t, what)
		return
	}
	lo := make([]int64, len(t.shape))
	t.coordinates(view.Offset, lo)
	if len(shape) == len(lo) && rowMajorOn(view.Strides, shape, t) {
		j.broken(RuleBounds, 13, path, "%s %s, outside the %s %s", verb, spanText(lo, shape), t, what)
		return
	}
	j.broken(RuleBounds, 13, path, "%s %s elements from offset %d by strides %v, outside the %s %s or round an axis of it",
		verb, shapeText(shape), view.Offset, view.Strides, t, what)
}

// rowMajorOn reports whether a block steps by the tensor's own strides on every axis longer than 1.
func rowMajorOn(strides, shape []int64, t tensor) bool {
	for axis, extent := range shape {
		if extent > 1 && strides[axis] != t.strides[axis] {
			return false
		}
	}
	return true
}
