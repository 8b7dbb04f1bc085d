// Package box is the geometry of boxes of integer coordinates: which boxes of two sets meet, and whether
// boxes cover another. It knows nothing of maps or plans.
//
// No function looks at single coordinates, so time and memory depend on the number of boxes alone.
package box

import "math/bits"

// A Box holds the coordinates x with Lo[k] <= x[k] < Lo[k]+Shape[k] on each axis k. Every extent is at least
// one and Lo[k]+Shape[k] fits int64. Without axes it is a single point. Boxes that are given together have
// the same number of axes.
type Box struct{ Lo, Shape []int64 }

// Hi is the coordinate on an axis that follows the box's last one.
func (b Box) Hi(axis int) int64 { return b.Lo[axis] + b.Shape[axis] }

// Meets reports whether two boxes have a coordinate in common.
func (b Box) Meets(other Box) bool {
	for k, lo := range b.Lo {
		if lo >= other.Lo[k]+other.Shape[k] || other.Lo[k] >= lo+b.Shape[k] {
			return false
		}
	}
	return true
}

// Contains reports whether every coordinate of other is one of b's.
func (b Box) Contains(other Box) bool {
	for k, lo := range b.Lo {
		if lo > other.Lo[k] || other.Hi(k) > b.Hi(k) {
			return false
		}
	}
	return true
}

// Intersect writes the common part of two boxes that meet into the box out, whose slices it fills.
func (b Box) Intersect(other, out Box) {
	for k := range b.Lo {
		lo := max(b.Lo[k], other.Lo[k])
		out.Lo[k], out.Shape[k] = lo, min(b.Hi(k), other.Hi(k))-lo
	}
}

// Common is the number of coordinates that two boxes have in common: 0 where they do not meet. It panics
// where that leaves int64, which no box inside a tensor of int64 elements can do.
func (b Box) Common(other Box) int64 {
	volume := uint64(1)
	for k := range b.Lo {
		extent := min(b.Hi(k), other.Hi(k)) - max(b.Lo[k], other.Lo[k])
		if extent <= 0 {
			return 0
		}
		var over uint64
		if over, volume = bits.Mul64(volume, uint64(extent)); over != 0 || volume > 1<<63-1 {
			panic("box: a volume past int64")
		}
	}
	return int64(volume)
}

// Volume is the number of coordinates in the box. It panics where that leaves int64.
func (b Box) Volume() int64 { return b.Common(b) }
