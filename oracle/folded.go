package oracle

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// pairwiseSegments is how many segments are compared each with each. Above it they are sorted first, so that
// a plan of N segments costs N log N and not N squared.
const pairwiseSegments = 32

// folded looks for two segments that are one copy. Segments that are not valid are passed over.
func folded(l *look) Finding {
	join := l.joinAmongPairs
	if len(l.copies) > pairwiseSegments {
		join = l.joinAmongSorted
	}
	a, b, axis := join()
	if a < 0 {
		return Finding{}
	}
	return Finding{Status: Broken, Detail: fmt.Sprintf("segments %d and %d join along axis %d", a, b, axis)}
}

// joinAmongPairs finds the lowest segment that another one continues, or -1.
func (l *look) joinAmongPairs() (a, b, axis int) {
	segments := l.answer.Plan.Segments
	for a := range segments {
		for b := range segments {
			if segments[a].Target.Rank != segments[b].Target.Rank || segments[a].Source.Rank != segments[b].Source.Rank {
				continue
			}
			if axis := l.continues(a, b); axis >= 0 {
				return a, b, axis
			}
		}
	}
	return -1, -1, 0
}

// continues is the lowest axis along which segment b is the continuation of segment a, or -1.
func (l *look) continues(a, b int) int {
	if a == b || !l.copies[a].reads() || !l.copies[b].reads() {
		return -1
	}
	first, second := &l.answer.Plan.Segments[a], &l.answer.Plan.Segments[b]
	if compareMappings(first, second) != 0 {
		return -1
	}
	for axis := range first.Shape {
		target, source, ok := endAlong(first, axis)
		if ok && target == second.Target.Offset && source == second.Source.Offset && equalBut(first.Shape, second.Shape, axis) {
			return axis
		}
	}
	return -1
}

// compareMappings orders segments by their ranks and strides: those that compare equal may join.
func compareMappings(a, b *plan.Segment) int {
	if c := cmp.Compare(a.Target.Rank, b.Target.Rank); c != 0 {
		return c
	}
	if c := cmp.Compare(a.Source.Rank, b.Source.Rank); c != 0 {
		return c
	}
	if c := slices.Compare(a.Target.Strides, b.Target.Strides); c != 0 {
		return c
	}
	return slices.Compare(a.Source.Strides, b.Source.Strides)
}

// endAlong is where a continuation along an axis starts on either side; false where that leaves int64.
func endAlong(s *plan.Segment, axis int) (target, source int64, ok bool) {
	target = add(s.Target.Offset, multiply(s.Shape[axis], s.Target.Strides[axis]))
	source = add(s.Source.Offset, multiply(s.Shape[axis], s.Source.Strides[axis]))
	return target, source, !cutOff(target) && !cutOff(source)
}

func cutOff(value int64) bool { return add(value, 1) == value || add(value, -1) == value }

func equalBut(a, b []int64, but int) bool {
	for axis := range a {
		if axis != but && a[axis] != b[axis] {
			return false
		}
	}
	return true
}

// joinAmongSorted finds the same pair as joinAmongPairs: it looks up where each segment would be continued.
func (l *look) joinAmongSorted() (a, b, axis int) {
	segments := l.answer.Plan.Segments
	order := make([]int, 0, len(segments))
	for i := range segments {
		if l.copies[i].reads() {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(compareStarts(&segments[i], &segments[j], segments[j].Target.Offset, segments[j].Source.Offset), cmp.Compare(i, j))
	})
	for a := range segments {
		if b, axis := l.continuation(order, a); b >= 0 {
			return a, b, axis
		}
	}
	return -1, -1, 0
}

// compareStarts compares a segment's mapping and start to another's mapping and a start.
func compareStarts(s, mapping *plan.Segment, target, source int64) int {
	return cmp.Or(compareMappings(s, mapping), cmp.Compare(s.Target.Offset, target), cmp.Compare(s.Source.Offset, source))
}

// continuation is the lowest segment that continues segment a, and the lowest axis along which, or -1.
func (l *look) continuation(order []int, a int) (b, axis int) {
	segments := l.answer.Plan.Segments
	if !l.copies[a].reads() {
		return -1, 0
	}
	b = -1
	for k := range segments[a].Shape {
		target, source, ok := endAlong(&segments[a], k)
		if !ok {
			continue
		}
		at, _ := slices.BinarySearchFunc(order, a, func(i, a int) int { return compareStarts(&segments[i], &segments[a], target, source) })
		for ; at < len(order) && compareStarts(&segments[order[at]], &segments[a], target, source) == 0; at++ {
			if c := order[at]; c != a && equalBut(segments[a].Shape, segments[c].Shape, k) && (b < 0 || c < b) {
				b, axis = c, k
			}
		}
	}
	return b, axis
}
