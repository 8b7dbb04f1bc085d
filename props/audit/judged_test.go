package audit

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/corpus"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/reference"
	"github.com/shardproof/shardproof/props"
	"github.com/shardproof/shardproof/props/campaign"
)

// begun is an audit of a planner that has judged nothing yet.
func begun(planner plan.Planner, options Options) *auditing {
	options.Planner, options.Cases = planner, []corpus.File{}
	a := &auditing{Options: options}
	a.setDefaults()
	a.Rules = ruleReports(plannerRules())
	return a
}

// countsOf are the counts of a rule.
func (a *auditing) countsOf(id string) map[Status]int64 {
	return a.Rules[slices.IndexFunc(a.Rules, func(r RuleReport) bool { return r.ID == id })].Counts
}

// caseOf is a request of an audit, by its name and its maps.
func caseOf(name string, source, target plan.Map) Judged {
	var j Judged
	j.Case.Name, j.Case.Expect.Outcome = name, plan.Exact
	j.Case.Source, j.Case.Target = source, target
	return j
}

// numbered are so many small requests.
func numbered(count int) []Judged {
	var cases []Judged
	for i := range count {
		cases = append(cases, caseOf(strconv.Itoa(i), split(4, 2), split(4, 1)))
	}
	return cases
}

var refusesAll = plan.PlannerFunc(func(context.Context, plan.Request) (plan.Answer, error) {
	return plan.Answer{}, plan.Refuse(plan.Unsupported, "nothing is planned")
})

func TestTheRowOfAFile(t *testing.T) {
	for path, want := range map[string][]int{
		"cases/refusals/row-01-equal-counts.json": {1},
		"cases/refusals/row-23-past-int64.json":   {23},
		"mine/refusals/row-07":                    {7},
		"cases/refusals/row-01-legal.json":        nil,
		"cases/refusals/row-7":                    nil,
		"cases/refusals/row-any-kind.json":        nil,
		"cases/seed/row-01-equal-counts.json":     nil,
	} {
		if got := rowsOf(corpus.File{Path: path}); !slices.Equal(got, want) {
			t.Errorf("%s is about rows %v, want %v", path, got, want)
		}
	}
}

// Every outcome has its count, and all of them add up to the cases.
func TestVerdictsAreTallied(t *testing.T) {
	var tally Tally
	for n, outcome := range []props.Outcome{
		props.Exact, props.Refused, props.Unsupported, props.Broken, props.Unknown, props.NotExercised,
	} {
		for range n + 1 {
			tally.add(&props.Verdict{Outcome: outcome}, true, true)
		}
	}
	tally.add(&props.Verdict{Outcome: props.Broken}, false, true)
	tally.add(&props.Verdict{Outcome: props.Exact, Should: []string{"ordered"}}, false, false)
	want := Tally{Cases: 23, Exact: 2, Refused: 2, Unsupported: 3, Broken: 5, Known: 4, Unknown: 5, NotExercised: 6, Should: 1}
	if diff := cmp.Diff(want, tally); diff != "" {
		t.Errorf("want, got:\n%s", diff)
	}
}

// Whatever the workers, each case is asked about, and they are reported in their order.
func TestEveryFixedCaseIsJudged(t *testing.T) {
	for _, workers := range []int{1, 3} {
		a := begun(reference.Planner{}, Options{Workers: workers})
		a.fixed(t.Context(), Saved, numbered(20))
		for i, j := range a.Report.Cases {
			if j.Case.Name != strconv.Itoa(i) || j.Verdict.Outcome != props.Exact {
				t.Errorf("%d workers: case %d is %s, %s: %s", workers, i, j.Case.Name, j.Verdict.Outcome, j.Verdict.Detail)
			}
		}
		if want := (Tally{Cases: 20, Exact: 20}); a.Tally != want {
			t.Errorf("%d workers: tally %+v, want %+v", workers, a.Tally, want)
		}
	}
}

// A planner that hangs takes the whole time limit for each case, so that after five it is asked no more.
func TestAPlannerThatHangsIsAskedFiveTimes(t *testing.T) {
	asked := 0
	a := begun(plan.PlannerFunc(func(context.Context, plan.Request) (plan.Answer, error) {
		asked++
		return plan.Answer{}, &plan.Fault{Name: "hang"}
	}), Options{Workers: 1})
	a.fixed(t.Context(), Saved, numbered(8))
	if want := (Tally{Cases: 8, Broken: 5, NotExercised: 3}); asked != 5 || a.Tally != want {
		t.Errorf("asked %d times, want 5; tally %+v, want %+v", asked, a.Tally, want)
	}
	if got := a.Report.Cases[5].Verdict.Detail; got != "after 5 hangs" {
		t.Errorf("the sixth case is not exercised because of %q", got)
	}
}

func TestAnotherFaultIsNoHang(t *testing.T) {
	a := begun(plan.PlannerFunc(func(context.Context, plan.Request) (plan.Answer, error) {
		return plan.Answer{}, &plan.Fault{Name: "panic"}
	}), Options{Workers: 1})
	a.fixed(t.Context(), Saved, numbered(8))
	if want := (Tally{Cases: 8, Broken: 8}); a.Tally != want {
		t.Errorf("tally %+v, want %+v", a.Tally, want)
	}
}

// Where the planner cannot be run, the cases that it has answered count and the error is that of the planner.
func TestAPlannerThatCannotBeRunIsAskedNoMore(t *testing.T) {
	gone := errors.New("the planner is gone")
	for _, workers := range []int{1, 4} {
		var asked atomic.Int64
		a := begun(plan.PlannerFunc(func(context.Context, plan.Request) (plan.Answer, error) {
			if asked.Add(1) > 3 {
				return plan.Answer{}, gone
			}
			return plan.Answer{}, &plan.Fault{Name: "exit"}
		}), Options{Workers: workers})
		a.fixed(t.Context(), Saved, numbered(1000))
		if n := asked.Load(); a.CannotRun != gone || n > int64(3+workers) {
			t.Errorf("%d workers: cannot run because of %v, want %v; asked %d times", workers, a.CannotRun, gone, n)
		}
		if want := (Tally{Cases: 3, Broken: 3}); a.Tally != want || len(a.Report.Cases) != 3 {
			t.Errorf("%d workers: tally %+v, want %+v", workers, a.Tally, want)
		}
		a.fixed(t.Context(), Corrupted, numbered(1))
		if a.Tally.Cases != 3 {
			t.Errorf("%d workers: it is asked again in the next phase", workers)
		}
	}
}

// What an interruption does to a planner is no fault of the planner's.
func TestAnInterruptedAuditJudgesNoMore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	a := begun(plan.PlannerFunc(func(context.Context, plan.Request) (plan.Answer, error) {
		cancel()
		return plan.Answer{}, ctx.Err()
	}), Options{Workers: 2})
	a.fixed(ctx, Saved, numbered(10))
	a.fixed(ctx, Corrupted, numbered(10))
	if a.CannotRun != nil || a.Tally.Cases != 0 {
		t.Errorf("cannot run because of %v, tally %+v", a.CannotRun, a.Tally)
	}
}

// Every relation is asked for where a plan has up to 4096 pairs of pieces, and stable alone where there are more.
func TestRelationsAreAskedForOfSmallCases(t *testing.T) {
	for ranks, want := range map[int]map[Status]int64{64: {Kept: 1}, 65: {}} {
		a := begun(reference.Planner{Folding: reference.Addresses}, Options{})
		a.fixed(t.Context(), Saved, []Judged{caseOf("wide", split(64*65, 64), split(64*65, ranks))})
		if got := a.countsOf("rename-ranks"); !cmp.Equal(got, want) {
			t.Errorf("64 pieces to %d: rename-ranks is %v, want %v", ranks, got, want)
		}
		if got := a.countsOf("stable"); got[Kept] != 1 {
			t.Errorf("64 pieces to %d: stable is %v", ranks, got)
		}
	}
}

// The rules that the maps of a request break, whichever of the two breaks them, each once.
func TestTheRulesThatMapsBreak(t *testing.T) {
	outside := split(4, 2)
	outside.Shards[1].Pieces[0].Source.Offset = 3
	for _, test := range []struct {
		what string
		plan.Case
		want []plan.RuleID
	}{
		{"right maps", plan.Case{Request: plan.Request{Source: split(4, 2), Target: split(4, 1)}}, nil},
		{"a source outside", plan.Case{Request: plan.Request{Source: outside, Target: split(4, 1)}}, []plan.RuleID{"map.bounds"}},
		{"a target outside", plan.Case{Request: plan.Request{Source: split(4, 1), Target: outside}}, []plan.RuleID{"map.bounds"}},
		{"both outside", plan.Case{Request: plan.Request{Source: outside, Target: outside}}, []plan.RuleID{"map.bounds"}},
		{"two shapes", plan.Case{Request: plan.Request{Source: split(4, 1), Target: split(6, 1)}}, []plan.RuleID{"map.shape"}},
		{"no maps", plan.Case{Raw: &plan.Raw{}, Request: plan.Request{Source: outside, Target: split(6, 1)}}, nil},
	} {
		if got := mapRulesOf(test.Case); !slices.Equal(got, test.want) {
			t.Errorf("%s break %v, want %v", test.what, got, test.want)
		}
	}
}

// A refusal counts for the rules of maps that make it due.
func TestARefusalCountsForTheRulesOfTheMaps(t *testing.T) {
	j := caseOf("two shapes", split(4, 1), split(6, 1))
	j.Case.Expect.Outcome = plan.Refused
	j.rows = []int{1}
	a := begun(refusesAll, Options{})
	a.fixed(t.Context(), Saved, []Judged{j})
	for id, want := range map[string]map[Status]int64{
		"map.shape": {Refused: 1}, "row.1": {Refused: 1}, "outcome": {Refused: 1}, "map.bounds": {}, "row.2": {}, "values": {},
	} {
		if got := a.countsOf(id); !cmp.Equal(got, want) {
			t.Errorf("%s: %v, want %v", id, got, want)
		}
	}
}

// A relation that a plan does not exercise is told so, whatever else the verdict on that plan says.
func TestWhyARelationIsNotExercised(t *testing.T) {
	a := begun(refusesAll, Options{})
	j := caseOf("relations", split(4, 2), split(4, 1))
	j.relations = true
	j.Verdict = props.Verdict{
		Outcome: props.Exact, Answered: true,
		Should: []string{"permute-axes"}, Detail: "permute-axes: another end",
	}
	a.take(&j)
	rule := a.Rules[slices.IndexFunc(a.Rules, func(r RuleReport) bool { return r.ID == "round-trip" })]
	want := []campaign.HeldOff{{Reason: "nothing derived to compare", Cases: 1}}
	if diff := cmp.Diff(want, rule.Why); diff != "" {
		t.Errorf("round-trip (-want +got):\n%s", diff)
	}
}
