package mutant

import (
	"cmp"
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// joining tells whether segment b continues segment a along an axis.
type joining func(a, b plan.Segment, axis int) bool

// fold joins segments along the lowest axis until nothing joins, then along the next, and begins again until
// nothing joins on any.
func fold(segments []plan.Segment, joins joining) []plan.Segment {
	for {
		before := len(segments)
		for axis := 0; before > 0 && axis < len(segments[0].Shape); axis++ {
			segments = foldAlong(segments, axis, joins)
		}
		if len(segments) == before {
			return segments
		}
	}
}

func foldAlong(segments []plan.Segment, axis int, joins joining) []plan.Segment {
	for i := 0; i < len(segments); i++ {
		for {
			j := continuation(segments, i, axis, joins)
			if j < 0 {
				break
			}
			segments[i].Shape[axis] += segments[j].Shape[axis]
			segments = slices.Delete(segments, j, j+1)
			if j < i {
				i--
			}
		}
	}
	return segments
}

// continuation finds another segment that continues segment i, or -1.
func continuation(segments []plan.Segment, i, axis int, joins joining) int {
	for j := range segments {
		if j != i && joins(segments[i], segments[j], axis) {
			return j
		}
	}
	return -1
}

func joins(a, b plan.Segment, axis int) bool {
	return sameRanks(a, b) && sameStrides(a, b) && sameShapes(a, b, axis) &&
		continues(a, a.Source, b.Source, axis) && continues(a, a.Target, b.Target, axis)
}

func sameRanks(a, b plan.Segment) bool {
	return a.Source.Rank == b.Source.Rank && a.Target.Rank == b.Target.Rank
}

func sameStrides(a, b plan.Segment) bool {
	return slices.Equal(a.Source.Strides, b.Source.Strides) && slices.Equal(a.Target.Strides, b.Target.Strides)
}

// sameShapes reports whether two segments have the same extents on every axis but one.
func sameShapes(a, b plan.Segment, but int) bool {
	for axis, extent := range a.Shape {
		if axis != but && extent != b.Shape[axis] {
			return false
		}
	}
	return true
}

// continues reports whether one side of a segment goes on where that of another ends.
func continues(a plan.Segment, from, to plan.Endpoint, axis int) bool {
	return to.Offset == from.Offset+a.Shape[axis]*from.Strides[axis]
}

// less is the order of segments in a plan.
func less(a, b plan.Segment) int {
	return cmp.Or(
		cmp.Compare(a.Target.Rank, b.Target.Rank),
		cmp.Compare(a.Target.Offset, b.Target.Offset),
		cmp.Compare(a.Source.Rank, b.Source.Rank),
		cmp.Compare(a.Source.Offset, b.Source.Offset),
		slices.Compare(a.Shape, b.Shape),
		slices.Compare(a.Source.Strides, b.Source.Strides),
		slices.Compare(a.Target.Strides, b.Target.Strides),
	)
}
