package props_test

import (
	"context"
	"errors"
	"math"
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

// Ranks are renamed as long as the new numbers fit 32 bits with a sign, as a planner may keep them.
func TestRenamedRanksFit32Bits(t *testing.T) {
	for rank, want := range map[int]bool{0: true, (math.MaxInt32 - 1) / 2: true, (math.MaxInt32 + 1) / 2: false} {
		shard := plan.Shard{Rank: rank, Shape: []int64{6}, Pieces: []plan.Piece{{
			Shape:     []int64{6},
			Source:    plan.View{Strides: []int64{1}},
			Dest:      plan.View{Strides: []int64{1}},
			Locations: []int{rank},
		}}}
		m := plan.Map{LogicalShape: []int64{6}, Shards: []plan.Shard{shard}}
		c := plan.Case{Request: plan.Request{Source: m, Target: m}, Expect: plan.Expect{Outcome: plan.Exact}}
		v := props.Check(t.Context(), reference.Planner{}, c, props.Options{Relations: true})
		if got := slices.Contains(v.Related, "rename-ranks"); v.Outcome != props.Exact || got != want {
			t.Errorf("rank %d: %s, rename-ranks exercised: %t, want %t", rank, v.Outcome, got, want)
		}
	}
}

// What a planner does with the requests that belong to a case it planned. A wrong plan breaks what compares more than
// the number of segments. A refusal that it may give leaves the
// relation alone; one that it may not, or a fault, breaks it; and where it cannot be run there is nothing to judge.
func TestDerivedRequestsAreJudged(t *testing.T) {
	var all, must []string
	for _, relation := range props.Relations()[1:] {
		all = append(all, relation.ID)
		if relation.Level == props.Must {
			must = append(must, relation.ID)
		}
	}
	should := all[len(must):]
	but := func(id string) []string {
		return slices.DeleteFunc(slices.Clone(should), func(s string) bool { return s == id })
	}
	c := props.Relations()[1].Canaries[0].Case() // 4x6 in rows to columns, where every relation's condition holds
	lost := errors.New("no such program")
	for _, test := range []struct {
		name                    string
		err                     error
		further                 int64 // how much further than is right the last segment writes
		related, broken, should []string
		cannotRun               error
	}{
		{"planned", nil, 0, all, nil, nil, nil},
		{"planned with writes that leave the shards", nil, 1000, all, must, but("flat-size"), nil},
		{"unsupported", plan.Refuse(plan.Unsupported, "too wide"), 0, nil, nil, nil, nil},
		{"over a budget", plan.Refuse(plan.OverBudget, "too large"), 0, nil, nil, nil, nil},
		{"refused as invalid", plan.Refuse(plan.Invalid, "no map"), 0, nil, must, should, nil},
		{"met with a fault", &plan.Fault{Name: "exit", Detail: "status 3"}, 0, nil, must, should, nil},
		{"not run", lost, 0, nil, nil, nil, lost},
	} {
		asked := 0
		planner := plannerOf(func(request plan.Request) (plan.Answer, error) {
			answer, err := reference.Planner{}.Plan(context.Background(), request)
			if asked++; asked > 2 { // the case itself is asked twice
				answer.Plan.Segments[len(answer.Plan.Segments)-1].Target.Offset += test.further
				err = test.err
			}
			return answer, err
		})
		got := props.Check(t.Context(), planner, c, props.Options{Relations: true})
		if !slices.Equal(got.Related, test.related) || !slices.Equal(got.Broken, test.broken) ||
			!slices.Equal(got.Should, test.should) || got.CannotRun != test.cannotRun {
			t.Errorf("%s: related %v, broken %v, should %v, cannot run: %v",
				test.name, got.Related, got.Broken, got.Should, got.CannotRun)
		}
	}
}
