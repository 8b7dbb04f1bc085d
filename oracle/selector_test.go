package oracle

import (
	"testing"

	"github.com/shardproof/shardproof/plan"
)

// The table of selectors of formats.md, for the candidates 1, 2 and 4.
func TestChoose(t *testing.T) {
	returns := func(value string) plan.Selector { return plan.Selector{Returns: []byte(value)} }
	costs := func(costs ...plan.Cost) plan.Selector { return plan.Selector{Cost: costs} }
	anyone, none := choice{any: true}, choice{none: true}
	for _, test := range []struct {
		name     string
		selector plan.Selector
		target   int
		want     choice
	}{
		{"absent: the lowest", plan.Selector{}, 4, choice{rank: 1}},
		{"prefer: the first that is a candidate", plan.Selector{Prefer: map[int][]int{7: {3, 4, 2}}}, 7, choice{rank: 4}},
		{"prefer: none is a candidate", plan.Selector{Prefer: map[int][]int{7: {3, 9}}}, 7, choice{rank: 1}},
		{"prefer: of another target rank", plan.Selector{Prefer: map[int][]int{7: {4}}}, 4, choice{rank: 1}},
		{"highest", plan.Selector{Policy: plan.PolicyHighest}, 1, choice{rank: 4}},
		{"local: a candidate", plan.Selector{Policy: plan.PolicyLocal}, 2, choice{rank: 2}},
		{"local: no candidate", plan.Selector{Policy: plan.PolicyLocal}, 3, choice{rank: 1}},
		{"balanced", plan.Selector{Policy: plan.PolicyBalanced}, 2, anyone},
		{"any", plan.Selector{Policy: plan.PolicyAny}, 2, anyone},
		{"cost: the least", costs(plan.Cost{Source: 1, Target: 0, Cost: 3}, plan.Cost{Source: 2, Target: 0, Cost: 2}, plan.Cost{Source: 4, Target: 0, Cost: 1}), 0, choice{rank: 4}},
		{"cost: 0 where unlisted", costs(plan.Cost{Source: 1, Target: 0, Cost: 3}, plan.Cost{Source: 4, Target: 0, Cost: 1}), 0, choice{rank: 2}},
		{"cost: a tie goes to the lowest", costs(plan.Cost{Source: 1, Target: 0, Cost: 5}), 0, choice{rank: 2}},
		{"cost: of another target rank", costs(plan.Cost{Source: 1, Target: 0, Cost: 5}), 1, choice{rank: 1}},
		{"returns: a candidate", returns("4"), 0, choice{rank: 4}},
		{"returns: a candidate, in white space", returns(" 2\n"), 0, choice{rank: 2}},
		{"returns: no candidate", returns("3"), 0, none},
		{"returns: true is no integer", returns("true"), 0, none},
		{"returns: a fraction", returns("1.5"), 0, none},
		{"returns: 1.0 is no integer", returns("1.0"), 0, none},
		{"returns: an exponent", returns("1e0"), 0, none},
		{"returns: null", returns("null"), 0, none},
		{"returns: a string", returns(`"1"`), 0, none},
		{"returns: past int64", returns("18446744073709551617"), 0, none},
	} {
		if got := choose(&test.selector, test.target, []int{1, 2, 4}); got != test.want {
			t.Errorf("%s: got %+v, want %+v", test.name, got, test.want)
		}
		if got, want := choose(&test.selector, test.target, []int{9}), (choice{rank: 9}); got != want {
			t.Errorf("%s, one candidate: got %+v, want %+v", test.name, got, want)
		}
	}
}

// A choice that depends on the target rank is made again for each: rank 1 takes its own replica, rank 0 too.
func TestChoiceIsMadeForEachTargetRank(t *testing.T) {
	whole := []int64{2, 2}
	request := plan.Request{Source: replicated(2, 2, 2), Target: replicated(2, 2, 2), Selector: plan.Selector{Policy: plan.PolicyLocal}}
	answer := plan.Answer{Plan: plan.Plan{Segments: []plan.Segment{
		segment(whole, 0, 0, []int64{2, 1}, 0, 0, []int64{2, 1}),
		segment(whole, 1, 0, []int64{2, 1}, 1, 0, []int64{2, 1}),
	}}}
	if evidence := Execute(request, answer); evidence != (Evidence{}) {
		t.Errorf("each from itself: %+v", evidence)
	}
	answer.Plan.Segments[1].Source.Rank = 0
	want := "target rank 1 [0 0] (address 0): wants logical [0 0], read from source rank 0 address 0, must be read from source rank 1"
	if got := Execute(request, answer).Of(Holder).Detail; got != want {
		t.Errorf("both from rank 0:\n got %s\nwant %s", got, want)
	}
}
