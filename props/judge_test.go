package props_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/layout"
	"github.com/shardproof/shardproof/props"
)

// The example of the canaries, whose answer is right: the rules of judging are varied around it.
func rightExample(t *testing.T) (plan.Case, plan.Answer) {
	t.Helper()
	for _, clause := range props.Clauses() {
		if clause.ID == "moved" {
			c, answer := clause.Canaries[0].Example()
			*answer.MovedElements-- // the canary's one fault
			return c, answer
		}
	}
	t.Fatal("no canary for moved")
	return plan.Case{}, plan.Answer{}
}

func TestJudgePlans(t *testing.T) {
	right, answer := rightExample(t)
	wrong := answer
	wrong.Plan.Segments = answer.Plan.Segments[1:]
	for _, test := range []struct {
		name   string
		expect plan.Expect
		answer plan.Answer
		want   props.Outcome
		broken []string
		should []string
	}{
		{"an exact plan that was due", plan.Expect{Outcome: plan.Exact}, answer, props.Exact, nil, nil},
		{"an exact plan from a wide planner", plan.Expect{Outcome: plan.ExactOrUnsupported}, answer, props.Exact, nil, nil},
		{"a wrong plan where either was right", plan.Expect{Outcome: plan.ExactOrUnsupported}, wrong, props.Broken, []string{"cover", "moved"}, nil},
		{"a right plan where a refusal was due", plan.Expect{Outcome: plan.Refused, Kinds: []plan.Kind{plan.Invalid}}, answer, props.Broken, []string{"outcome"}, nil},
		{"a wrong plan where a refusal was due", plan.Expect{Outcome: plan.Refused}, wrong, props.Broken, []string{"outcome", "cover", "moved"}, nil},
		{"as many segments as expected", plan.Expect{Outcome: plan.Exact, Segments: number(4)}, answer, props.Exact, nil, nil},
		{"more segments than folding gives", plan.Expect{Outcome: plan.Exact, Segments: number(3)}, answer, props.Exact, nil, []string{"folded"}},
		{"fewer segments than folding gives", plan.Expect{Outcome: plan.Exact, Segments: number(5)}, answer, props.Exact, nil, nil},
		{"more segments than any planner needs", plan.Expect{Outcome: plan.Exact, MaxSegments: number(3)}, answer, props.Exact, nil, []string{"folded"}},
		{"the elements that are expected", plan.Expect{Outcome: plan.Exact, MovedElements: number(20)}, answer, props.Exact, nil, nil},
		{"other elements than are expected", plan.Expect{Outcome: plan.Exact, MovedElements: number(21)}, answer, props.Broken, []string{"moved"}, nil},
	} {
		c := right
		c.Expect = test.expect
		got := props.Judge(c, test.answer, nil)
		if got.Outcome != test.want || !slices.Equal(got.Broken, test.broken) || !slices.Equal(got.Should, test.should) {
			t.Errorf("%s: got %s broken %v should %v, want %s broken %v should %v",
				test.name, got.Outcome, got.Broken, got.Should, test.want, test.broken, test.should)
		}
		if bad := len(test.broken)+len(test.should) > 0; (got.Detail != "") != bad {
			t.Errorf("%s: detail %q", test.name, got.Detail)
		}
	}
	if got := props.Judge(right, answer, nil); got.Segments != 4 || got.MovedElements != 20 {
		t.Errorf("got %d segments and %d elements, want 4 and 20", got.Segments, got.MovedElements)
	}
}

func TestVerdictNames(t *testing.T) {
	v := props.Verdict{Broken: []string{"cover", "values"}, Should: []string{"folded"}}
	for id, want := range map[string]bool{"cover": true, "values": true, "folded": true, "once": false, "": false} {
		if got := v.Names(id); got != want {
			t.Errorf("%q: got %t", id, got)
		}
	}
}

func TestJudgeRefusals(t *testing.T) {
	exact := plan.Expect{Outcome: plan.Exact}
	either := plan.Expect{Outcome: plan.ExactOrUnsupported}
	invalid := plan.Expect{Outcome: plan.Refused, Kinds: []plan.Kind{plan.Invalid}}
	limit := func(set func(*plan.Budget, *int64)) plan.Budget {
		var b plan.Budget
		set(&b, number(8))
		return b
	}
	axes := limit(func(b *plan.Budget, n *int64) { b.MaxNdim = n })
	perMap := limit(func(b *plan.Budget, n *int64) { b.MaxPiecesPerMap = n })
	segments := limit(func(b *plan.Budget, n *int64) { b.MaxSegments = n })
	bytes := limit(func(b *plan.Budget, n *int64) { b.MaxPlanBytes = n })
	pairs := limit(func(b *plan.Budget, n *int64) { b.MaxPairChecks = n })
	merges := limit(func(b *plan.Budget, n *int64) { b.MaxMergeChecks = n })
	passes := limit(func(b *plan.Budget, n *int64) { b.MaxMergePasses = n })
	for _, test := range []struct {
		name     string
		expect   plan.Expect
		budget   plan.Budget
		kind     plan.Kind
		want     props.Outcome
		complete props.Outcome // of a planner that is held to plan everything
	}{
		{"due", invalid, plan.Budget{}, plan.Invalid, props.Refused, props.Refused},
		{"one of two kinds due", plan.Expect{Outcome: plan.Refused, Kinds: []plan.Kind{plan.Invalid, plan.Unsupported}}, plan.Budget{}, plan.Unsupported, props.Refused, props.Refused},
		{"any kind due", plan.Expect{Outcome: plan.Refused}, plan.Budget{}, plan.BadSelection, props.Refused, props.Refused},
		{"another kind than is due", invalid, plan.Budget{}, plan.Unsupported, props.Broken, props.Broken},
		{"a right request as invalid", exact, plan.Budget{}, plan.Invalid, props.Broken, props.Broken},
		{"a right request as a bad selection", exact, plan.Budget{}, plan.BadSelection, props.Broken, props.Broken},
		{"a right request as unsupported", exact, plan.Budget{}, plan.Unsupported, props.Unsupported, props.Broken},
		{"unsupported where either is right", either, plan.Budget{}, plan.Unsupported, props.Unsupported, props.Broken},
		{"invalid where unsupported is right", either, plan.Budget{}, plan.Invalid, props.Broken, props.Broken},
		{"a limit of the planner's own", exact, plan.Budget{}, plan.OverBudget, props.Unsupported, props.Broken},
		{"a limit of the planner's own, of a wrong request", invalid, plan.Budget{}, plan.OverBudget, props.Unsupported, props.Broken},
		{"axes within the limit", exact, axes, plan.OverBudget, props.Broken, props.Broken},
		{"pieces within the limit", exact, perMap, plan.OverBudget, props.Broken, props.Broken},
		{"segments, which planners fold differently", exact, segments, plan.OverBudget, props.Unsupported, props.Unsupported},
		{"bytes, likewise", exact, bytes, plan.OverBudget, props.Unsupported, props.Unsupported},
		{"the planner's own pair checks", exact, pairs, plan.OverBudget, props.Unsupported, props.Unsupported},
		{"its merge checks", exact, merges, plan.OverBudget, props.Unsupported, props.Unsupported},
		{"its merge passes", exact, passes, plan.OverBudget, props.Unsupported, props.Unsupported},
	} {
		c, _ := rightExample(t)
		c.Expect, c.Budget = test.expect, test.budget
		refusal := plan.Refuse(test.kind, "for a reason")
		if got := props.Judge(c, plan.Answer{}, refusal); got.Outcome != test.want || got.Refusal != refusal {
			t.Errorf("%s: got %s, want %s (%s)", test.name, got.Outcome, test.want, got.Detail)
		} else if broken := got.Outcome == props.Broken; broken != slices.Equal(got.Broken, []string{"outcome"}) {
			t.Errorf("%s: broken is %v", test.name, got.Broken)
		}
		refusing := plannerOf(func(plan.Request) (plan.Answer, error) { return plan.Answer{}, refusal })
		got := props.Check(t.Context(), refusing, c, props.Options{Complete: true})
		if got.Outcome != test.complete {
			t.Errorf("%s, complete: got %s, want %s (%s)", test.name, got.Outcome, test.complete, got.Detail)
		}
	}
}

// A complete planner may leave out what is no layout of boxes, where the case leaves it open.
func TestCompleteLeavesOpen(t *testing.T) {
	refusing := plannerOf(func(plan.Request) (plan.Answer, error) {
		return plan.Answer{}, plan.Refuse(plan.Unsupported, "for a reason")
	})
	for name, change := range map[string]func(*plan.Case){
		"a scale":                  func(c *plan.Case) { two := 2.0; c.Source.Shards[0].Pieces[0].Scale = &two },
		"a stepped block":          func(c *plan.Case) { c.Target.Shards[0].Pieces[0].Source.Strides = []int64{8, 1} },
		"a block that is reversed": func(c *plan.Case) { c.Target.Shards[0].Pieces[0].Dest.Strides = []int64{-2, 1} },
		"nine axes": func(c *plan.Case) {
			c.Source.LogicalShape = []int64{1, 1, 1, 1, 1, 1, 1, 5, 4}
			c.Target.LogicalShape = c.Source.LogicalShape
		},
		"sizes past int64": func(c *plan.Case) {
			c.Source.LogicalShape = []int64{1 << 40, 1 << 40}
			c.Target.LogicalShape = c.Source.LogicalShape
		},
	} {
		for outcome, want := range map[plan.Outcome]props.Outcome{
			plan.Exact: props.Broken, plan.ExactOrUnsupported: props.Unsupported,
		} {
			c, _ := rightExample(t)
			change(&c)
			c.Expect = plan.Expect{Outcome: outcome}
			if got := props.Check(t.Context(), refusing, c, props.Options{Complete: true}); got.Outcome != want {
				t.Errorf("%s, %s expected: got %s, want %s", name, outcome, got.Outcome, want)
			}
		}
	}
}

// Eight axes are within every limit: what has them is planned by a complete planner.
func TestCompletePlansEightAxes(t *testing.T) {
	m, err := layout.Replicated([]int64{1, 2, 1, 2, 1, 2, 1, 2}, 1)
	if err != nil {
		t.Fatal(err)
	}
	c := plan.Case{Request: plan.Request{Source: m, Target: m}, Expect: plan.Expect{Outcome: plan.ExactOrUnsupported}}
	refusing := plannerOf(func(plan.Request) (plan.Answer, error) {
		return plan.Answer{}, plan.Refuse(plan.Unsupported, "eight axes")
	})
	if got := props.Check(t.Context(), refusing, c, props.Options{Complete: true}); got.Outcome != props.Broken {
		t.Errorf("got %s, want broken", got.Outcome)
	}
}

// The elements moved are those of all segments, right or wrong, and 0 where they are more than an int64 counts.
func TestJudgeCountsMovedElements(t *testing.T) {
	const half = 1 << 62 // of 2^63, the first number past int64
	for _, test := range []struct {
		shapes [][]int64
		want   int64
	}{
		{nil, 0},
		{[][]int64{{3, 0}, {3, 4}, {2}}, 14},
		{[][]int64{{half - 1}, {half}}, 1<<63 - 1},
		{[][]int64{{half}, {half}}, 0},
		{[][]int64{{5}, {half, 2}}, 0},
	} {
		c, answer := rightExample(t)
		answer.Plan.Segments = nil
		for _, shape := range test.shapes {
			answer.Plan.Segments = append(answer.Plan.Segments, plan.Segment{Shape: shape})
		}
		if got := props.Judge(c, answer, nil); got.MovedElements != test.want {
			t.Errorf("segments of %v: got %d elements, want %d", test.shapes, got.MovedElements, test.want)
		}
	}
}

func TestJudgeFaults(t *testing.T) {
	c, _ := rightExample(t)
	fault := &plan.Fault{Name: "exit", Detail: "status 3"}
	got := props.Judge(c, plan.Answer{}, fault)
	if got.Outcome != props.Broken || !slices.Equal(got.Broken, []string{"fault"}) || got.Fault != fault {
		t.Errorf("a fault: got %s broken %v", got.Outcome, got.Broken)
	}
	c.Expect = plan.Expect{Outcome: plan.Refused}
	if got := props.Judge(c, plan.Answer{}, fault); got.Outcome != props.Broken {
		t.Errorf("a fault where a refusal was due: got %s", got.Outcome)
	}
	lost := errors.New("no such program")
	if got := props.Judge(c, plan.Answer{}, lost); got.CannotRun != lost || got.Outcome != props.Unknown {
		t.Errorf("a planner that cannot be run: got %s, %v", got.Outcome, got.CannotRun)
	}
}

// Where no oracle can tell, nothing is passed: here because the target map is no map.
func TestJudgeUnknown(t *testing.T) {
	c, answer := rightExample(t)
	c.Target.Shards = slices.Clone(c.Target.Shards)
	c.Target.Shards[0].Pieces = nil
	if got := props.Judge(c, answer, nil); got.Outcome != props.Unknown || got.Detail == "" {
		t.Errorf("got %s (%s), want unknown and a reason", got.Outcome, got.Detail)
	}
}

func number(n int64) *int64 { return &n }
