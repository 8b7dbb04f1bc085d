package mutant_test

import (
	"context"
	"slices"
	"testing"

	"github.com/shardproof/shardproof/gen"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/mutant"
)

// most elements of a case that the brute force of this test runs.
const mostElements = 1 << 12

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
