package mutant_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/gen"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/mutant"
)

// most elements of a case that the brute force of this test runs.
const mostElements = 1 << 12

// TestPublishedPlans holds the planner that mutants change against plans that were published for DeepSpeed's
// planner: 8x8 from rows over 2 ranks to columns over 4, and GPTBigCode's fused weight, 48x8, from 2 ranks to 4.
func TestPublishedPlans(t *testing.T) {
	segments := segmentsOf(t, mutant.Right(), rowsToColumns())
	if len(segments) != 8 {
		t.Fatalf("rows to columns: got %d segments; want 8", len(segments))
	}
	for i, got := range segments {
		target, source := i/2, i%2
		want := plan.Segment{
			Shape:  []int64{4, 2},
			Source: plan.Endpoint{Rank: source, View: plan.View{Offset: int64(2 * target), Strides: []int64{8, 1}}},
			Target: plan.Endpoint{Rank: target, View: plan.View{Offset: int64(8 * source), Strides: []int64{2, 1}}},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("rows to columns, segment %d (-want +got):\n%s", i, diff)
		}
	}

	segments = segmentsOf(t, mutant.Right(), plan.Request{Source: bigCode(2), Target: bigCode(4)})
	joined := plan.Segment{
		Shape:  []int64{24, 8},
		Source: plan.Endpoint{Rank: 0, View: plan.View{Offset: 64, Strides: []int64{8, 1}}},
		Target: plan.Endpoint{Rank: 1, View: plan.View{Offset: 0, Strides: []int64{8, 1}}},
	}
	if len(segments) != 7 || !slices.ContainsFunc(segments, func(s plan.Segment) bool { return cmp.Equal(s, joined) }) {
		t.Errorf("BigCode: got %d segments %v; want 7 with %v", len(segments), segments, joined)
	}
}

func rowsToColumns() plan.Request {
	request := plan.Request{Source: plan.Map{LogicalShape: []int64{8, 8}}, Target: plan.Map{LogicalShape: []int64{8, 8}}}
	for rank := range 2 {
		request.Source.Shards = append(request.Source.Shards, plan.Shard{
			Rank: rank, Shape: []int64{4, 8},
			Pieces: []plan.Piece{rowsOf(4, 8, int64(32*rank), 0, rank)},
		})
	}
	for rank := range 4 {
		request.Target.Shards = append(request.Target.Shards, plan.Shard{
			Rank: rank, Shape: []int64{8, 2},
			Pieces: []plan.Piece{{
				Shape:     []int64{8, 2},
				Source:    plan.View{Offset: int64(2 * rank), Strides: []int64{8, 1}},
				Dest:      plan.View{Strides: []int64{2, 1}},
				Locations: []int{rank},
			}},
		})
	}
	return request
}

// bigCode splits 32 rows of q over the ranks; the 16 rows of k and v are whole on each.
func bigCode(ranks int) plan.Map {
	m := plan.Map{LogicalShape: []int64{48, 8}}
	var all []int
	for rank := range ranks {
		all = append(all, rank)
	}
	q := int64(32 / ranks)
	for rank := range ranks {
		m.Shards = append(m.Shards, plan.Shard{
			Rank: rank, Shape: []int64{q + 16, 8},
			Pieces: []plan.Piece{
				rowsOf(q, 8, int64(rank)*q*8, 0, rank),
				rowsOf(16, 8, 256, q*8, all...),
			},
		})
	}
	return m
}

// rowsOf is a piece of whole rows.
func rowsOf(rows, columns, source, dest int64, locations ...int) plan.Piece {
	return plan.Piece{
		Shape:     []int64{rows, columns},
		Source:    plan.View{Offset: source, Strides: []int64{columns, 1}},
		Dest:      plan.View{Offset: dest, Strides: []int64{columns, 1}},
		Locations: locations,
	}
}

// TestRight holds the planner that mutants change against a run element by element.
func TestRight(t *testing.T) {
	planned := 0
	for counter := range uint64(4000) {
		c := gen.Case(gen.Seeded(gen.CaseSeed(1, counter)))
		if elements(c.Request) > mostElements {
			continue
		}
		answer, err := mutant.Right().Plan(context.Background(), c.Request)
		if refusal, ok := err.(*plan.Refusal); ok {
			if c.Expect.Outcome != plan.Refused || !slices.Contains(c.Expect.Kinds, refusal.Kind) {
				t.Fatalf("case %d: got %v; want %v\n%s", counter, refusal, c.Expect, plan.EncodeCase(c))
			}
			continue
		}
		if c.Expect.Outcome == plan.Refused {
			t.Fatalf("case %d: got a plan; want %v\n%s", counter, c.Expect, plan.EncodeCase(c))
		}
		if fault := wrong(c.Request, answer); fault != "" {
			t.Fatalf("case %d: %s\n%s\nplan %s", counter, fault, plan.EncodeCase(c), plan.EncodePlan(answer))
		}
		planned++
	}
	if planned < 2000 {
		t.Errorf("got %d plans; want 2,000 at least", planned)
	}
}
