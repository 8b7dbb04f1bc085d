package props_test

import (
	"slices"
	"testing"

	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/layout"
	"github.com/shardproof/shardproof/plan/reference"
	"github.com/shardproof/shardproof/props"
)

// A relation whose condition does not hold was not exercised, and is not told as kept.
func TestOnlyRelationsThatWereExercisedAreTold(t *testing.T) {
	for _, test := range []struct {
		name     string
		extent   int64
		selector plan.Selector
		want     bool // flat-size is exercised
	}{
		{"plain", 6, plan.Selector{}, true},
		{"an extent of 1", 1, plan.Selector{}, false},
		{"holders picked freely", 6, plan.Selector{Policy: plan.PolicyBalanced}, false},
	} {
		m, err := layout.Replicated([]int64{test.extent}, 2)
		if err != nil {
			t.Fatal(err)
		}
		c := plan.Case{
			Request: plan.Request{Source: m, Target: m, Selector: test.selector},
			Expect:  plan.Expect{Outcome: plan.Exact},
		}
		v := props.Check(t.Context(), reference.Planner{}, c, props.Options{Relations: true})
		if v.Outcome != props.Exact {
			t.Fatalf("%s: %s %s", test.name, v.Outcome, v.Detail)
		}
		if got := slices.Contains(v.Related, "flat-size"); got != test.want {
			t.Errorf("%s: flat-size exercised: %v, want %v", test.name, got, test.want)
		}
		if !slices.Contains(v.Related, "round-trip") {
			t.Errorf("%s: round-trip is not among %v", test.name, v.Related)
		}
	}
}
