package props_test

import (
	"context"
	"testing"

	"github.com/shardproof/shardproof/gen"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/reference"
	"github.com/shardproof/shardproof/props"
)

// The reference planner keeps every relation on generated cases, and is asked for all of them.
func TestReferenceKeepsRelations(t *testing.T) {
	asked := 0
	counting := plan.PlannerFunc(func(ctx context.Context, request plan.Request) (plan.Answer, error) {
		asked++
		return reference.Planner{}.Plan(ctx, request)
	})
	const cases = 800
	for n := range uint64(cases) {
		c := gen.Case(gen.Seeded(gen.CaseSeed(11, n)))
		v := props.Check(t.Context(), counting, c, props.Options{Relations: true, Complete: true})
		if cause := v.Cause(true); cause != "" {
			t.Errorf("case %d: %s\n%s", n, v.Detail, plan.EncodeCase(c))
		}
	}
	if asked < 7*cases {
		t.Errorf("%d plans for %d cases: some relation is rarely asked", asked, cases)
	}
}
