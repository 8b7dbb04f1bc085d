package mutant_test

import (
	"context"
	"slices"
	"testing"

	"github.com/shardproof/shardproof/gen"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/mutant"
	"github.com/shardproof/shardproof/props"
	"github.com/shardproof/shardproof/props/campaign"
)

// mostCases is how many cases of a campaign a mutant may live through in a test. A campaign of a minute has
// many more.
const mostCases = 20000

// TestEveryMutantIsKilled runs a campaign against each mutant until the first finding, which must be one that
// the row names: any other is the judge's fault, or a second fault of the mutant.
func TestEveryMutantIsKilled(t *testing.T) {
	source, err := campaign.NewSource(3, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mutant.Mutants() {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			planner := m.New()
			for n := range uint64(mostCases) {
				c := source.Case(n)
				v := check(planner, c)
				if v.Cause(m.Strict) == "" {
					continue
				}
				if !named(v, m) {
					t.Fatalf("case %d: got %v and %v broken; want one of %v\n%s\n%s",
						n, v.Broken, v.Should, m.Clauses, v.Detail, plan.EncodeCase(c))
				}
				if m.Strict && len(v.Broken) > 0 {
					t.Errorf("case %d: got %v broken; want should clauses only", n, v.Broken)
				}
				return
			}
			t.Errorf("alive after %d cases", mostCases)
		})
	}
}

// TestRightPlannerIsJudgedRight is the canary of the test above: unchanged, the steps break nothing.
func TestRightPlannerIsJudgedRight(t *testing.T) {
	source, err := campaign.NewSource(4, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for n := range uint64(4000) {
		c := source.Case(n)
		if v := check(mutant.Right(), c); v.Cause(true) != "" {
			t.Fatalf("case %d: %s\n%s", n, v.Detail, plan.EncodeCase(c))
		}
	}
	n := 0
	gen.EachSmall(gen.SmallGrids(), func(c plan.Case) bool {
		if n++; n%sampled == 0 {
			exactOn(t, mutant.Right(), c)
		}
		return true
	})
}

func check(planner plan.Planner, c plan.Case) props.Verdict {
	return props.Check(context.Background(), planner, c, props.Options{Complete: true})
}

func named(v props.Verdict, m mutant.Mutant) bool { return slices.ContainsFunc(m.Clauses, v.Names) }
