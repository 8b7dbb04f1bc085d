package reference

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/shardproof/shardproof/plan"
)

var foldings = []Folding{Pieces, Addresses, Stack}

// A fataler is a test, Go's own or rapid's.
type fataler interface {
	Helper()
	Fatalf(format string, arguments ...any)
}

func planned(t fataler, folding Folding, request plan.Request) plan.Answer {
	t.Helper()
	answer, err := Planner{Folding: folding}.Plan(context.Background(), request)
	if err != nil {
		t.Fatalf("%s: %v, want a plan", folding, err)
	}
	return answer
}

// Every right request is planned exactly, in plan.order, with holders that the selector allows, and stacking
// never needs more segments than folding by addresses, nor that more than folding inside pieces.
func TestPlansAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		request := drawRequest(t)
		want := int64(0)
		for _, shard := range request.Target.Shards {
			n, _ := plan.Elements(shard.Shape)
			want += n
		}
		segments := map[Folding]int{}
		for _, folding := range foldings {
			answer, err := Planner{Folding: folding}.Plan(context.Background(), request)
			if err != nil {
				t.Fatalf("%s: %v, want a plan", folding, err)
			}
			segments[folding] = len(answer.Plan.Segments)
			if wrong := execute(request, answer.Plan); wrong != "" {
				t.Fatalf("%s: %s\n%+v", folding, wrong, answer.Plan)
			}
			if answer.MovedElements == nil || *answer.MovedElements != want {
				t.Fatalf("%s: moved elements %v, want %d", folding, answer.MovedElements, want)
			}
			if !cmp.Equal(answer.Plan.LogicalShape, request.Source.LogicalShape) {
				t.Fatalf("%s: logical shape %v, want %v", folding, answer.Plan.LogicalShape, request.Source.LogicalShape)
			}
			if !slices.IsSortedFunc(answer.Plan.Segments, compareSegments) {
				t.Fatalf("%s: segments out of order\n%+v", folding, answer.Plan)
			}
			if i, j, joins := joinable(answer.Plan.Segments); folding != Pieces && joins {
				t.Fatalf("%s: segments %d and %d join\n%+v", folding, i, j, answer.Plan)
			}
		}
		if segments[Stack] > segments[Addresses] {
			t.Fatalf("segments %v: stack needs more than addresses", segments)
		}
	})
}

// compareSegments is plan.order as affine-ir.md has it, key by key.
func compareSegments(a, b plan.Segment) int {
	key := func(s plan.Segment) [][]int64 {
		return [][]int64{
			{int64(s.Target.Rank), s.Target.Offset, int64(s.Source.Rank), s.Source.Offset},
			s.Shape, s.Source.Strides, s.Target.Strides,
		}
	}
	return slices.CompareFunc(key(a), key(b), slices.Compare)
}

// joinable finds two segments that plan.fold would join, by looking at all pairs and axes.
func joinable(segments []plan.Segment) (int, int, bool) {
	for i, a := range segments {
		for j, b := range segments {
			for axis := range a.Shape {
				if i != j && follows(a, b, axis) {
					return i, j, true
				}
			}
		}
	}
	return 0, 0, false
}

func follows(a, b plan.Segment, axis int) bool {
	if a.Source.Rank != b.Source.Rank || a.Target.Rank != b.Target.Rank || len(a.Shape) != len(b.Shape) ||
		!slices.Equal(a.Source.Strides, b.Source.Strides) || !slices.Equal(a.Target.Strides, b.Target.Strides) {
		return false
	}
	for k := range a.Shape {
		if k != axis && a.Shape[k] != b.Shape[k] {
			return false
		}
	}
	return b.Source.Offset == a.Source.Offset+a.Shape[axis]*a.Source.Strides[axis] &&
		b.Target.Offset == a.Target.Offset+a.Shape[axis]*a.Target.Strides[axis]
}

// The order of shards, pieces and locations never shows in the plan, and the request is left as it is.
func TestPlansDoNotDependOnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		request := drawRequest(t)
		seed := rapid.Uint64().Draw(t, "reorder")
		other := request
		other.Source, other.Target = reordered(request.Source, seed), reordered(request.Target, seed+1)
		before := reordered(other.Source, 0)
		for _, folding := range foldings {
			got, err := Planner{Folding: folding}.Plan(context.Background(), other)
			if err != nil {
				t.Fatalf("%s: %v, want a plan", folding, err)
			}
			want, err := Planner{Folding: folding}.Plan(context.Background(), request)
			if err != nil {
				t.Fatalf("%s: %v, want a plan", folding, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s: another plan for the same request in another order (-want +got):\n%s", folding, diff)
			}
		}
		if diff := cmp.Diff(before, reordered(other.Source, 0)); diff != "" {
			t.Fatalf("the request was changed (-before +after):\n%s", diff)
		}
	})
}
