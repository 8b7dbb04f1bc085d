package props_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/shardproof/shardproof/oracle"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/reference"
	"github.com/shardproof/shardproof/props"
)

// Every clause has a canary, and each is broken first by the plan that is broken so.
func TestClauseCanaries(t *testing.T) {
	clauses := props.Clauses()
	if len(clauses) != len(oracle.Clauses()) {
		t.Fatalf("%d clauses, the oracle has %d", len(clauses), len(oracle.Clauses()))
	}
	for _, clause := range clauses {
		if len(clause.Canaries) == 0 {
			t.Errorf("clause %s has no canary", clause.ID)
		}
		for _, canary := range clause.Canaries {
			c, answer := canary.Example()
			verdict := props.Judge(c, answer, nil)
			if got := verdict.Cause(true); got != clause.ID {
				t.Errorf("%s: first broken is %q, want %q (%s)", canary.Name, got, clause.ID, verdict.Detail)
			}
			if broken := verdict.Outcome == props.Broken; broken != (clause.Level == props.Must) {
				t.Errorf("%s: the outcome is %q, and the clause is a %s", canary.Name, verdict.Outcome, clause.Level)
			}
		}
	}
}

// Every relation has a canary: a planner that the relation catches, and that a check without it does not.
func TestRelationCanaries(t *testing.T) {
	right := reference.Planner{}
	for _, relation := range props.Relations() {
		if len(relation.Canaries) == 0 {
			t.Errorf("relation %s has no canary", relation.ID)
		}
		for _, canary := range relation.Canaries {
			c := canary.Case()
			if v := props.Check(context.Background(), right, c, props.Options{Relations: true}); v.Cause(true) != "" {
				t.Fatalf("%s: the right planner breaks %q: %s", relation.ID, v.Cause(true), v.Detail)
			}
			v := props.Check(context.Background(), canary.Spoil(right), c, props.Options{Relations: true})
			named := v.Should
			if relation.Level == props.Must {
				named = v.Broken
			}
			if !slices.Contains(named, relation.ID) || strings.Contains(v.Detail, "panic") {
				t.Errorf("%s: %s: broken is %q (%s), want the relation, by a plan", relation.ID, canary.Name, named, v.Detail)
			}
			if alone := props.Judge(c, v.Answer, nil); alone.Cause(true) != "" {
				t.Errorf("%s: %s: the clause %q catches it as well", relation.ID, canary.Name, alone.Cause(true))
			}
		}
	}
}

func plannerOf(f func(plan.Request) (plan.Answer, error)) plan.Planner {
	return plan.PlannerFunc(func(_ context.Context, request plan.Request) (plan.Answer, error) { return f(request) })
}
