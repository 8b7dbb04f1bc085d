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
			if decoded, _, err := plan.DecodePlan(plan.EncodePlan(answer)); err != nil || !cmp.Equal(answer, decoded) {
				t.Fatalf("%s: read back as %+v, %v\nwant %+v", folding, decoded, err, answer)
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

// What is done to an answer reaches neither the request nor another list of the answer.
func TestAnswersShareNoMemory(t *testing.T) {
	request := plan.Request{Source: codeGen(t, 2), Target: codeGen(t, 4)}
	before := plan.CompactRequest(request)
	for _, folding := range foldings {
		want := planned(t, folding, request)
		got := planned(t, folding, request)
		for i := range got.Plan.Segments {
			s := &got.Plan.Segments[i]
			for _, list := range [][]int64{s.Shape, s.Source.Strides, s.Target.Strides} {
				_ = append(list, -1)
				for k := range list {
					list[k]++
				}
			}
		}
		for i, s := range got.Plan.Segments {
			for _, lists := range [][2][]int64{
				{s.Shape, want.Plan.Segments[i].Shape}, {s.Source.Strides, want.Plan.Segments[i].Source.Strides},
				{s.Target.Strides, want.Plan.Segments[i].Target.Strides},
			} {
				for k := range lists[0] {
					if lists[0][k] != lists[1][k]+1 {
						t.Fatalf("%s: segment %d: %v after adding 1 to %v", folding, i, lists[0], lists[1])
					}
				}
			}
		}
		if after := plan.CompactRequest(request); !slices.Equal(before, after) {
			t.Errorf("%s: the request became %s", folding, after)
		}
	}
}

func TestFoldingNames(t *testing.T) {
	for folding, want := range map[Folding]string{Pieces: "pieces", Addresses: "addresses", Stack: "stack"} {
		if got := folding.String(); got != want {
			t.Errorf("folding %d is called %q, want %q", folding, got, want)
		}
	}
	if (Planner{}).Folding != Addresses {
		t.Error("the zero Planner does not fold by addresses")
	}
	if got, want := Info().Features, plan.AllFeatures(); !slices.Equal(got, want) || Info().AnyHolder {
		t.Errorf("features %v, any holder %t, want %v, false", got, Info().AnyHolder, want)
	}
}
