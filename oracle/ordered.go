package oracle

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// ordered compares neighbours; equal ones stand in either order.
func ordered(l *look) Finding {
	segments := l.answer.Plan.Segments
	for i := 1; i < len(segments); i++ {
		if compare(&segments[i-1], &segments[i]) > 0 {
			return Finding{Status: Broken, Detail: fmt.Sprintf("segment %d belongs before segment %d", i, i-1)}
		}
	}
	return Finding{}
}

// compare orders two segments as plan.order says.
func compare(a, b *plan.Segment) int {
	if c := cmp.Compare(a.Target.Rank, b.Target.Rank); c != 0 {
		return c
	}
	if c := cmp.Compare(a.Target.Offset, b.Target.Offset); c != 0 {
		return c
	}
	if c := cmp.Compare(a.Source.Rank, b.Source.Rank); c != 0 {
		return c
	}
	if c := cmp.Compare(a.Source.Offset, b.Source.Offset); c != 0 {
		return c
	}
	if c := slices.Compare(a.Shape, b.Shape); c != 0 {
		return c
	}
	if c := slices.Compare(a.Source.Strides, b.Source.Strides); c != 0 {
		return c
	}
	return slices.Compare(a.Target.Strides, b.Target.Strides)
}
