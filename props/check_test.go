package props_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/layout"
	"github.com/shardproof/shardproof/plan/reference"
	"github.com/shardproof/shardproof/props"
)

// A planner that does what no planner may is a finding, whatever it answers besides.
func TestCheckFaults(t *testing.T) {
	right := reference.Planner{}
	calls := 0
	after := func(change func(*plan.Request)) plan.Planner {
		return plannerOf(func(request plan.Request) (plan.Answer, error) {
			answer, err := right.Plan(context.Background(), request)
			change(&request)
			return answer, err
		})
	}
	for name, planner := range map[string]plan.Planner{
		"panics": plannerOf(func(plan.Request) (plan.Answer, error) { panic("no") }),
		"panics on the second request": plannerOf(func(request plan.Request) (plan.Answer, error) {
			if calls++; calls == 2 {
				panic("no")
			}
			return right.Plan(context.Background(), request)
		}),
		"hangs":                      plannerOf(func(plan.Request) (plan.Answer, error) { time.Sleep(time.Minute); return plan.Answer{}, nil }),
		"changes an extent":          after(func(r *plan.Request) { r.Target.LogicalShape[0]++ }),
		"changes a piece's extent":   after(func(r *plan.Request) { r.Target.Shards[1].Pieces[0].Shape[0]++ }),
		"changes a stride":           after(func(r *plan.Request) { r.Source.Shards[0].Pieces[0].Source.Strides[0]++ }),
		"changes a stride of a dest": after(func(r *plan.Request) { r.Source.Shards[0].Pieces[0].Dest.Strides[0]++ }),
		"changes an offset":          after(func(r *plan.Request) { r.Target.Shards[0].Pieces[0].Source.Offset++ }),
		"changes a dest's offset":    after(func(r *plan.Request) { r.Target.Shards[0].Pieces[0].Dest.Offset++ }),
		"changes a rank":             after(func(r *plan.Request) { r.Source.Shards[1].Rank = 9 }),
		"changes a shard's shape":    after(func(r *plan.Request) { r.Source.Shards[1].Shape[1] = 9 }),
		"changes a location":         after(func(r *plan.Request) { r.Source.Shards[1].Pieces[0].Locations[0] = 9 }),
		"undeclares a shard":         after(func(r *plan.Request) { r.Source.Shards[1].Undeclared = true }),
		"scales":                     after(func(r *plan.Request) { one := 1.0; r.Source.Shards[1].Pieces[0].Scale = &one }),
		"changes the budget":         after(func(r *plan.Request) { *r.Budget.MaxNdim = 3 }),
		"changes the preferences":    after(func(r *plan.Request) { r.Selector.Prefer[1][0] = 3 }),
		"adds a preference":          after(func(r *plan.Request) { r.Selector.Prefer[7] = []int{3} }),
		"sorts locations":            after(func(r *plan.Request) { slices.Sort(r.Source.Shards[0].Pieces[1].Locations) }),
		"sorts shards": after(func(r *plan.Request) {
			slices.SortFunc(r.Source.Shards, func(a, b plan.Shard) int { return a.Rank - b.Rank })
		}),
	} {
		c, _ := rightExample(t)
		c.Selector.Prefer = map[int][]int{1: {0, 1}}
		c.Budget.MaxNdim = number(2)
		calls = 0
		got := props.Check(t.Context(), planner, c, props.Options{TimeLimit: 50 * time.Millisecond})
		if got.Outcome != props.Broken || got.Cause(false) != "fault" || got.Fault == nil {
			t.Errorf("%s: got %s, broken %v", name, got.Outcome, got.Broken)
		}
	}
}

// A planner that does not answer may still read what it was asked, whatever is checked after it.
func TestCheckLeavesAHangingPlannerItsRequest(t *testing.T) {
	asked, release := make(chan plan.Request, 2), make(chan struct{})
	defer close(release)
	first := true
	hangs := plannerOf(func(request plan.Request) (plan.Answer, error) {
		if !first {
			asked <- request
			<-release
		}
		first = false
		return reference.Planner{}.Plan(context.Background(), request)
	})
	c, _ := rightExample(t)
	if got := props.Check(t.Context(), hangs, c, props.Options{TimeLimit: 20 * time.Millisecond}); got.Fault == nil {
		t.Fatalf("got %s, want a hang", got.Outcome)
	}
	request := <-asked
	before := props.CloneRequest(request)
	c.Source, c.Target = c.Target, c.Source
	if got := props.Check(t.Context(), reference.Planner{}, c, props.Options{}); got.Outcome != props.Exact {
		t.Fatalf("the case after it: %s (%s)", got.Outcome, got.Detail)
	}
	if diff := cmp.Diff(before, request); diff != "" {
		t.Errorf("what the planner was asked has changed:\n%s", diff)
	}
}

func TestCheckPanicKeepsTheStack(t *testing.T) {
	c, _ := rightExample(t)
	got := props.Check(t.Context(), plannerOf(func(plan.Request) (plan.Answer, error) { panic("one\ntwo") }), c, props.Options{})
	if got.Fault == nil || got.Fault.Name != "panic" || got.Fault.Detail != "one" || got.Fault.Log == "" {
		t.Errorf("got %+v, want a panic of one line with its stack", got.Fault)
	}
}

// The same question in another order must be answered alike.
func TestCheckStable(t *testing.T) {
	c, answer := rightExample(t)
	inOrder := func(r plan.Request) bool { return r.Source.Shards[0].Rank == 0 }
	more := answer
	more.MovedElements = nil
	for _, test := range []struct {
		name   string
		first  answerOrError
		second answerOrError
		expect plan.Expect
		broken []string
	}{
		{"the same plan", answerOrError{answer, nil}, answerOrError{answer, nil}, plan.Expect{Outcome: plan.Exact}, nil},
		{"a count stated once", answerOrError{answer, nil}, answerOrError{more, nil}, plan.Expect{Outcome: plan.Exact}, []string{"stable"}},
		{"a plan and a refusal", answerOrError{answer, nil}, refused(plan.Unsupported), plan.Expect{Outcome: plan.Exact}, []string{"stable"}},
		{"a refusal and a plan", refused(plan.Unsupported), answerOrError{answer, nil}, plan.Expect{Outcome: plan.Exact}, []string{"stable"}},
		{"two refusals", refused(plan.Unsupported), refused(plan.Unsupported), plan.Expect{Outcome: plan.Exact}, nil},
		{"either refusal is due", refused(plan.Invalid), refused(plan.Unsupported), plan.Expect{Outcome: plan.Refused}, nil},
		{
			"the second refusal is not due", refused(plan.Invalid), refused(plan.Unsupported),
			plan.Expect{Outcome: plan.Refused, Kinds: []plan.Kind{plan.Invalid}}, []string{"outcome"},
		},
	} {
		c.Expect = test.expect
		planner := plannerOf(func(r plan.Request) (plan.Answer, error) {
			if inOrder(r) {
				return test.first.answer, test.first.err
			}
			return test.second.answer, test.second.err
		})
		if got := props.Check(t.Context(), planner, c, props.Options{}); !slices.Equal(got.Broken, test.broken) {
			t.Errorf("%s: broken is %v, want %v (%s)", test.name, got.Broken, test.broken, got.Detail)
		}
	}
}

type answerOrError struct {
	answer plan.Answer
	err    error
}

func refused(kind plan.Kind) answerOrError {
	return answerOrError{plan.Answer{}, plan.Refuse(kind, "for a reason")}
}

// Each detail in which two plans differ is seen, and the first is told.
func TestCheckStableSeesEveryDifference(t *testing.T) {
	const statement, fewer, first, second = "the stated shape or count", "4 segments, with", "segment 0 is", "segment 1 is"
	for _, test := range []struct {
		name   string
		told   string
		change func(*plan.Answer)
	}{
		{"no shape", statement, func(a *plan.Answer) { a.Plan.LogicalShape = nil }},
		{"a count", statement, func(a *plan.Answer) { *a.MovedElements++ }},
		{"a segment less", fewer, func(a *plan.Answer) { a.Plan.Segments = a.Plan.Segments[1:] }},
		{"an extent", second, func(a *plan.Answer) { a.Plan.Segments[1].Shape[0]-- }},
		{"an axis more", second, func(a *plan.Answer) { a.Plan.Segments[1].Shape = append(a.Plan.Segments[1].Shape, 1) }},
		{"a source rank", second, func(a *plan.Answer) { a.Plan.Segments[1].Source.Rank = 0 }},
		{"a target rank", second, func(a *plan.Answer) { a.Plan.Segments[1].Target.Rank = 1 }},
		{"a read offset", second, func(a *plan.Answer) { a.Plan.Segments[1].Source.Offset-- }},
		{"a write offset", second, func(a *plan.Answer) { a.Plan.Segments[1].Target.Offset-- }},
		{"a read stride", second, func(a *plan.Answer) { a.Plan.Segments[1].Source.Strides[0]-- }},
		{"a write stride", second, func(a *plan.Answer) { a.Plan.Segments[1].Target.Strides[0]-- }},
		{"two in exchange", first, func(a *plan.Answer) { slices.Reverse(a.Plan.Segments[:2]) }},
	} {
		c, _ := rightExample(t)
		planner := plannerOf(func(r plan.Request) (plan.Answer, error) {
			_, answer := rightExample(t)
			if r.Source.Shards[0].Rank != 0 {
				test.change(&answer)
			}
			return answer, nil
		})
		got := props.Check(t.Context(), planner, c, props.Options{})
		if !slices.Equal(got.Broken, []string{"stable"}) || !strings.HasPrefix(got.Detail, "stable: "+test.told) {
			t.Errorf("%s: broken is %v (%s), want stable: %s", test.name, got.Broken, got.Detail, test.told)
		}
	}
}

// A request is sent only to a planner that names the features it needs.
func TestCheckFeatures(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*plan.Case)
		need   plan.Feature
	}{
		{"prefer", func(c *plan.Case) { c.Selector.Prefer = map[int][]int{0: {1}} }, plan.FeaturePrefer},
		{"highest", func(c *plan.Case) { c.Selector.Policy = plan.PolicyHighest }, plan.FeatureHighest},
		{"local", func(c *plan.Case) { c.Selector.Policy = plan.PolicyLocal }, plan.FeatureLocal},
		{"balanced", func(c *plan.Case) { c.Selector.Policy = plan.PolicyBalanced }, plan.FeatureBalanced},
		{"cost", func(c *plan.Case) { c.Selector.Cost = []plan.Cost{{Source: 0, Target: 0, Cost: 1}} }, plan.FeatureCost},
		{"returns", func(c *plan.Case) { c.Selector.Returns = []byte("0") }, plan.FeatureReturns},
		{"a budget", func(c *plan.Case) { c.Budget.MaxNdim = number(8) }, plan.FeatureBudget},
		{"nothing", func(*plan.Case) {}, ""},
		{"the policy any", func(c *plan.Case) { c.Selector.Policy = plan.PolicyAny }, ""},
	} {
		c, _ := rightExample(t)
		test.change(&c)
		var others []plan.Feature
		for _, feature := range plan.AllFeatures() {
			if feature != test.need {
				others = append(others, feature)
			}
		}
		asked := 0
		planner := plannerOf(func(r plan.Request) (plan.Answer, error) {
			asked++
			return reference.Planner{}.Plan(context.Background(), r)
		})
		got := props.Check(t.Context(), planner, c, props.Options{Info: &plan.Info{Features: others}})
		if held := got.Outcome == props.NotExercised; held != (test.need != "") || held != (asked == 0) {
			t.Errorf("%s: without its feature got %s, and was asked %d times", test.name, got.Outcome, asked)
		}
		info := &plan.Info{Features: plan.AllFeatures()}
		if got := props.Check(t.Context(), planner, c, props.Options{Info: info}); got.Outcome != props.Exact {
			t.Errorf("%s: with every feature got %s (%s)", test.name, got.Outcome, got.Detail)
		}
	}
}

// A planner that picks holders by its own rule is judged so where the case has no selector. The policy any is never sent.
func TestCheckAnyHolder(t *testing.T) {
	var highest plan.Planner = plannerOf(func(r plan.Request) (plan.Answer, error) {
		if r.Selector.Policy == plan.PolicyAny {
			return plan.Answer{}, errors.New("was sent the policy any")
		}
		r.Selector = plan.Selector{Policy: plan.PolicyHighest}
		return reference.Planner{}.Plan(context.Background(), r)
	})
	lowest := plan.Info{Features: plan.AllFeatures()}
	any := lowest
	any.AnyHolder = true
	for _, test := range []struct {
		name     string
		info     *plan.Info
		selector plan.Selector
		want     props.Outcome
	}{
		{"of its own rule", &any, plan.Selector{}, props.Exact},
		{"of the lowest rank", &lowest, plan.Selector{}, props.Broken},
		{"that says nothing of itself", nil, plan.Selector{}, props.Broken},
		{"of its own rule, asked for the cheapest", &any, plan.Selector{Cost: []plan.Cost{{Source: 1, Target: 0, Cost: 2}}}, props.Broken},
		{"of the lowest rank, asked for any", &lowest, plan.Selector{Policy: plan.PolicyAny}, props.Exact},
	} {
		c, _ := rightExample(t)
		c.Selector = test.selector
		if got := props.Check(t.Context(), highest, c, props.Options{Info: test.info}); got.Outcome != test.want {
			t.Errorf("a planner %s: got %s, want %s (%s)", test.name, got.Outcome, test.want, got.Detail)
		}
	}
}

// Values that are no maps go to planners that take them, and to no other.
func TestCheckRaw(t *testing.T) {
	c := plan.Case{Raw: &plan.Raw{Source: []byte("4.7"), Target: []byte("{}")}, Expect: plan.Expect{Outcome: plan.Refused}}
	if got := props.Check(t.Context(), reference.Planner{}, c, props.Options{}); got.Outcome != props.NotExercised {
		t.Errorf("a planner of maps: got %s", got.Outcome)
	}
	for want, planner := range map[props.Outcome]rawPlanner{
		props.Refused: func(raw plan.Raw) (plan.Answer, error) {
			return plan.Answer{}, plan.Refuse(plan.Invalid, "%s is no map", raw.Source)
		},
		props.Broken: func(plan.Raw) (plan.Answer, error) { return plan.Answer{}, nil },
	} {
		if got := props.Check(t.Context(), planner, c, props.Options{}); got.Outcome != want {
			t.Errorf("got %s, want %s", got.Outcome, want)
		}
	}
}

// A budget refusal without a limit sent is unsupported, which a complete planner must not say (the rows' last note).
func TestCheckRawComplete(t *testing.T) {
	c := plan.Case{
		Raw:    &plan.Raw{Source: []byte("4.7"), Target: []byte("{}")},
		Expect: plan.Expect{Outcome: plan.Refused, Kinds: []plan.Kind{plan.Invalid}},
	}
	var planner rawPlanner = func(plan.Raw) (plan.Answer, error) { return plan.Answer{}, plan.Refuse(plan.OverBudget, "too large") }
	for complete, want := range map[bool]props.Outcome{false: props.Unsupported, true: props.Broken} {
		if got := props.Check(t.Context(), planner, c, props.Options{Complete: complete}); got.Outcome != want {
			t.Errorf("complete %t: got %s, want %s", complete, got.Outcome, want)
		}
	}
}

type rawPlanner func(plan.Raw) (plan.Answer, error)

func (p rawPlanner) PlanRaw(_ context.Context, raw plan.Raw) (plan.Answer, error) { return p(raw) }

func (p rawPlanner) Plan(context.Context, plan.Request) (plan.Answer, error) {
	panic("asked for maps")
}

// A planner that cannot be run is no finding: there is nothing to judge.
func TestCheckCannotRun(t *testing.T) {
	c, answer := rightExample(t)
	lost := errors.New("no such program")
	calls := 0
	for when := range 2 {
		calls = 0
		planner := plannerOf(func(plan.Request) (plan.Answer, error) {
			if calls++; calls > when {
				return plan.Answer{}, lost
			}
			return answer, nil
		})
		if got := props.Check(t.Context(), planner, c, props.Options{}); got.CannotRun != lost || len(got.Broken) > 0 {
			t.Errorf("after %d answers: got %v, broken %v", when, got.CannotRun, got.Broken)
		}
	}
}

// Sides of up to LaidOut elements are run on labelled elements, and larger ones proved. No run lays out 2^25
// elements, so that of those a run tells nothing, and a proof everything.
func TestCheckLaidOut(t *testing.T) {
	const elements = 1 << 25
	whole := func(extent int64, ranks int) plan.Map {
		m, err := layout.Replicated([]int64{extent}, ranks)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	one, single, four := whole(elements, 1), whole(elements/4, 1), whole(elements/4, 4)
	for _, test := range []struct {
		name           string
		source, target plan.Map
	}{
		{"a tensor", one, one},
		{"four source shards together", four, single},
		{"four target shards together", single, four},
	} {
		c := plan.Case{Request: plan.Request{Source: test.source, Target: test.target}, Expect: plan.Expect{Outcome: plan.Exact}}
		for laidOut, want := range map[int64]props.Outcome{
			0: props.Exact, elements - 1: props.Exact, elements: props.Unknown,
		} {
			got := props.Check(t.Context(), reference.Planner{}, c, props.Options{LaidOut: laidOut})
			if got.Outcome != want {
				t.Errorf("%s of 2^25 elements, laid out up to %d: got %s, want %s (%s)", test.name, laidOut, got.Outcome, want, got.Detail)
			}
		}
	}
}
