package audit

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/shardproof/shardproof/corpus"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/reference"
	"github.com/shardproof/shardproof/props"
	"github.com/shardproof/shardproof/props/campaign"
)

// forgetful leaves the last segment out of each plan, and counts what it is asked.
func forgetful(asked *atomic.Int64) plan.Planner {
	return plan.PlannerFunc(func(ctx context.Context, request plan.Request) (plan.Answer, error) {
		asked.Add(1)
		answer, err := reference.Planner{}.Plan(ctx, request)
		if n := len(answer.Plan.Segments); n > 0 {
			answer.Plan.Segments, answer.MovedElements = answer.Plan.Segments[:n-1], nil
		}
		return answer, err
	})
}

// breaking is a case whose verdict names these.
func breaking(name string, elements int64, broken, should []string) Judged {
	j := caseOf(name, split(elements, 1), split(elements, 1))
	j.Verdict = props.Verdict{Outcome: props.Exact, Answered: true, Should: should}
	if len(broken) > 0 {
		j.Verdict.Outcome, j.Verdict.Broken = props.Broken, broken
	}
	return j
}

// concluded is an audit of these cases. Its planner refuses all, so that nothing is shown again and each finding
// stays the case that it was made of.
func concluded(t *testing.T, options Options, cases ...Judged) *auditing {
	t.Helper()
	a := begun(refusesAll, options)
	for i := range cases {
		a.take(&cases[i])
		a.Report.Cases = append(a.Report.Cases, cases[i])
	}
	a.conclude(t.Context())
	return a
}

// shown are the findings, as the name of their case and their cause.
func (a *auditing) shown() []string {
	var shown []string
	for _, f := range a.Findings {
		shown = append(shown, f.Case.Name+" "+f.Cause)
	}
	return shown
}

// findingOf is the finding that a rule points to: the name of its case.
func (a *auditing) findingOf(id string) string {
	rule := a.Rules[slices.IndexFunc(a.Rules, func(r RuleReport) bool { return r.ID == id })]
	if rule.Finding < 0 {
		return ""
	}
	return a.Findings[rule.Finding].Case.Name
}

// The first findings are those of the first rules that are broken, whatever the order of the cases.
func TestEachBrokenRuleHasAFinding(t *testing.T) {
	values, cover, once, folded := []string{"values"}, []string{"cover"}, []string{"cover", "once"}, []string{"folded"}
	for _, test := range []struct {
		what  string
		cases []Judged
		want  []string
		rules map[string]string // the case of the finding that a rule points to
	}{
		{"nothing is broken", []Judged{breaking("a", 4, nil, nil)}, nil, map[string]string{"values": ""}},
		{
			"two rules, a case each", []Judged{breaking("a", 4, nil, folded), breaking("b", 4, values, nil)},
			[]string{"b values", "a folded"}, map[string]string{"values": "b", "plan.read": "b", "folded": "a", "plan.fold": "a", "cover": ""},
		},
		{
			"the smaller of two cases", []Judged{breaking("a", 8, values, nil), breaking("b", 4, values, nil)},
			[]string{"b values"}, map[string]string{"values": "b"},
		},
		{
			"a case that breaks two rules stands for both", []Judged{breaking("a", 4, []string{"cover", "values"}, nil)},
			[]string{"a cover"}, map[string]string{"cover": "a", "values": "a"},
		},
		{
			// Either shows what is wrong with cover, and the smaller one is pointed to.
			"a case that breaks one rule more", []Judged{breaking("a", 4, cover, nil), breaking("b", 8, once, nil)},
			[]string{"a cover", "b once"}, map[string]string{"cover": "a", "once": "b"},
		},
		{
			"a larger case that stands for an earlier rule", []Judged{breaking("a", 8, []string{"cover", "values"}, nil), breaking("b", 4, values, nil)},
			[]string{"a cover"}, map[string]string{"cover": "a", "values": "a"},
		},
		{
			"a relation after a clause", []Judged{breaking("a", 4, nil, folded), breaking("b", 8, nil, []string{"folded", "flat-size"})},
			[]string{"a folded", "b flat-size"}, map[string]string{"folded": "a", "flat-size": "b"},
		},
	} {
		for range 2 {
			a := concluded(t, Options{}, slices.Clone(test.cases)...)
			if got := a.shown(); !slices.Equal(got, test.want) {
				t.Errorf("%s: findings %q, want %q", test.what, got, test.want)
			}
			for id, want := range test.rules {
				if got := a.findingOf(id); got != want {
					t.Errorf("%s: %s points to %q, want %q", test.what, id, got, want)
				}
			}
			slices.Reverse(test.cases)
		}
	}
}

// Of two cases that are the same in name and size the first stands.
func TestTheFirstOfEqualCasesIsTheFinding(t *testing.T) {
	first, second := breaking("a", 4, []string{"values"}, nil), breaking("a", 4, []string{"values"}, nil)
	first.Path, second.Path = "first.json", "second.json"
	a := concluded(t, Options{}, first, second)
	if got := a.Findings[0].Path; got != "first.json" {
		t.Errorf("the finding is %s", got)
	}
}

// A rule points to a failure that is expected only where no other breaks it.
func TestAnExpectedFailureStandsBehindOthers(t *testing.T) {
	values := []string{"values"}
	known := parsed(t, "a reason\n")
	a := concluded(t, Options{Known: known}, breaking("a", 2, values, nil), breaking("b", 8, values, nil))
	if got := a.findingOf("values"); got != "b" {
		t.Errorf("with an unexpected failure: values points to %q, want b", got)
	}
	a = concluded(t, Options{Known: known}, breaking("a", 2, values, nil))
	if got := a.findingOf("values"); got != "a" {
		t.Errorf("with an expected failure alone: values points to %q, want a", got)
	}
	// The rule that is known to be broken excuses the case, but not what it breaks of should level.
	a = concluded(t, Options{Known: parsed(t, "values reason\n")}, breaking("a", 2, values, []string{"folded"}))
	if got := a.findingOf("folded"); got != "a" || a.countsOf("folded")[Broken] != 1 {
		t.Errorf("folded is %v and points to %q, want a", a.countsOf("folded"), got)
	}
}

// Findings of the same case are one, which breaks what each does, unless one is expected and the other is not.
func TestFindingsOfOneCaseAreOne(t *testing.T) {
	a := begun(refusesAll, Options{})
	for _, f := range []Finding{
		{Judged: Judged{Broken: []string{"values", "plan.read"}}, Cause: "values"},
		{Judged: Judged{Broken: []string{"cover", "values"}}, Cause: "cover"},
		{Judged: Judged{Broken: []string{"moved"}, Known: "reason"}, Cause: "moved"},
	} {
		f.Case.Name = "a"
		a.addFinding(f)
	}
	b := Finding{Judged: Judged{Broken: []string{"once"}}, Cause: "once"}
	b.Case.Name = "b"
	a.addFinding(b)
	if got, want := a.shown(), []string{"a values", "a moved", "b once"}; !slices.Equal(got, want) {
		t.Errorf("findings %q, want %q", got, want)
	}
	if got, want := a.Findings[0].Broken, []string{"cover", "values", "plan.read"}; !slices.Equal(got, want) {
		t.Errorf("the first breaks %v, want %v", got, want)
	}
}

// Unexpected failures come first; then the fewest elements, pieces and segments; then the name.
func TestTheOrderOfCases(t *testing.T) {
	sized := func(name, known string, source, target plan.Map, segments int) *Judged {
		j := caseOf(name, source, target)
		j.Known, j.Verdict.Segments = known, segments
		return &j
	}
	past := split(4, 1)
	past.LogicalShape = []int64{math.MaxInt64, 2}
	ordered := []*Judged{
		sized("z", "", split(2, 1), split(2, 1), 1),
		sized("y", "", split(4, 1), split(4, 1), 9),
		sized("x", "", split(4, 1), split(4, 2), 8),
		sized("w", "", split(4, 2), split(4, 1), 9),
		sized("a", "", split(4, 2), split(4, 2), 1),
		sized("b", "", split(4, 2), split(4, 2), 1),
		sized("a", "", past, past, 1),
		sized("a", "b", split(2, 1), split(2, 1), 1),
		sized("b", "a longer reason", split(2, 1), split(2, 1), 1),
	}
	for i, a := range ordered {
		for k, b := range ordered {
			if got := compareSizes(a, b); (got < 0) != (i < k) || (got > 0) != (i > k) {
				t.Errorf("cases %d and %d compare as %d", i, k, got)
			}
		}
	}
}

// A finding of a fixed case is reduced, and saved under the name of what it was reduced to, with what the planner did.
func TestAFindingIsReducedAndSaved(t *testing.T) {
	out := t.TempDir()
	var asked atomic.Int64
	a := begun(forgetful(&asked), Options{Name: "forgetful 1.0", Seed: 12, Out: out, Workers: 1})
	j := caseOf("large", split(64, 8), split(64, 4))
	j.Case.Origin = "by hand"
	a.fixed(t.Context(), Saved, []Judged{j})
	a.conclude(t.Context())
	if len(a.Findings) != 1 {
		t.Fatalf("%d findings, want 1", len(a.Findings))
	}
	f := a.Findings[0]
	if f.Cause != "cover" || f.From != "large" || f.Stats.Tried == 0 || f.Stats.Stopped || f.Problem != nil {
		t.Errorf("%s from %s after %+v: %v", f.Cause, f.From, f.Stats, f.Problem)
	}
	// One element of one rank is the least that leaves a segment to forget.
	if got := f.Case.Source.LogicalShape; len(f.Case.Target.Shards) != 1 || !slices.Equal(got, []int64{1}) && len(got) > 0 {
		t.Errorf("reduced to %v on %d ranks", got, len(f.Case.Target.Shards))
	}
	saved, err := corpus.Load(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(f.Case, saved, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the finding, saved:\n%s", diff)
	}
	if f.Path != filepath.Join(out, f.Case.Name+".json") || f.Case.Name != corpus.Name(f.Case.Request) || saved.Origin != "by hand; reduced from large" {
		t.Errorf("%s saved as %s, from %q", f.Case.Name, f.Path, saved.Origin)
	}
	want := plan.Found{Planner: "forgetful 1.0", Seed: "12", Broken: []string{"cover"}, Plan: &plan.Plan{}}
	if diff := cmp.Diff(want, *saved.Found, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(plan.Plan{}, "LogicalShape")); diff != "" {
		t.Errorf("what was found, want, got:\n%s", diff)
	}
}

// A fault stands in the saved case by its name, and a refusal that was not due by nothing but what it breaks.
func TestWhatIsSavedOfAPlannerWithoutAPlan(t *testing.T) {
	for _, test := range []struct {
		err  error
		want plan.Found
	}{
		{&plan.Fault{Name: "exit"}, plan.Found{Seed: "0", Broken: []string{"fault"}, Fault: "exit"}},
		{plan.Refuse(plan.Invalid, "no"), plan.Found{Seed: "0", Broken: []string{"outcome"}}},
	} {
		a := begun(plan.PlannerFunc(func(context.Context, plan.Request) (plan.Answer, error) { return plan.Answer{}, test.err }), Options{})
		a.fixed(t.Context(), Saved, numbered(1))
		a.conclude(t.Context())
		f := a.Findings[0]
		if diff := cmp.Diff(test.want, *f.Case.Found); diff != "" {
			t.Errorf("%v: what was found, want, got:\n%s", test.err, diff)
		}
		if f.Path != "" || f.Problem != nil || f.Case.Origin != "reduced from 0" {
			t.Errorf("%v: saved as %q without a directory: %v; from %q", test.err, f.Path, f.Problem, f.Case.Origin)
		}
	}
}

// Some failures stay as they are: expected ones, values that are no maps, and hangs, each of which takes the whole
// time limit again.
func TestWhatIsNotReduced(t *testing.T) {
	var asked atomic.Int64
	a := begun(forgetful(&asked), Options{})
	for what, change := range map[string]func(*Judged){
		"an expected failure":     func(j *Judged) { j.Known = "reason" },
		"values that are no maps": func(j *Judged) { j.Case.Raw = &plan.Raw{} },
		"a hang":                  func(j *Judged) { j.Verdict.Fault = &plan.Fault{Name: "hang"} },
	} {
		j := breaking("a", 4, []string{"cover"}, nil)
		change(&j)
		f := a.reduce(t.Context(), &j, "cover")
		if asked.Load() != 0 || f.Case.Name != "a" || f.From != "a" || f.Cause != "cover" || f.Case.Found != nil {
			t.Errorf("%s: asked %d times for %s from %s", what, asked.Load(), f.Case.Name, f.From)
		}
	}
	j := breaking("a", 4, []string{"cover"}, nil)
	j.Verdict.Fault = &plan.Fault{Name: "exit"}
	if f := a.reduce(t.Context(), &j, "cover"); f.Case.Name == "a" {
		t.Errorf("a fault that is no hang stays as it is")
	}
}

// What a planner does only once is told as it was seen.
func TestAFailureThatDoesNotComeAgain(t *testing.T) {
	a := begun(reference.Planner{}, Options{Out: t.TempDir()})
	j := breaking("a", 4, []string{"cover"}, nil)
	f := a.reduce(t.Context(), &j, "cover")
	if f.Case.Name != "a" || !f.Verdict.Names("cover") || f.Path != "" {
		t.Errorf("%s, saved as %q, with %v broken", f.Case.Name, f.Path, f.Verdict.Broken)
	}
}

// A reduction ends after the time that it has.
func TestTheTimeOfAReduction(t *testing.T) {
	var asked atomic.Int64
	a := begun(forgetful(&asked), Options{ReduceFor: 1})
	j := breaking("a", 64, []string{"cover"}, nil)
	if f := a.reduce(t.Context(), &j, "cover"); !f.Stats.Stopped || f.Case.Source.LogicalShape[0] != 64 {
		t.Errorf("after a nanosecond: %+v, reduced to %v", f.Stats, f.Case.Source.LogicalShape)
	}
}

// A relation is asked for where it is the cause, and only there: it costs more plans.
func TestAReductionAsksForTheRelationThatIsBroken(t *testing.T) {
	for _, relation := range props.Relations() {
		canary := relation.Canaries[0]
		a := begun(canary.Spoil(reference.Planner{Folding: reference.Addresses}), Options{})
		j := Judged{Case: canary.Case()}
		j.Case.Name = "canary"
		f := a.reduce(t.Context(), &j, relation.ID)
		if !f.Verdict.Names(relation.ID) || f.Stats.Tried == 0 {
			t.Errorf("%s is not shown by %s, which breaks %v and %v", relation.ID, f.Case.Name, f.Verdict.Broken, f.Verdict.Should)
		}
	}
	for cause, want := range map[string]bool{"cover": false, props.StableID: false, "insert-axis": true} {
		var inserted atomic.Bool
		a := begun(plan.PlannerFunc(func(ctx context.Context, request plan.Request) (plan.Answer, error) {
			inserted.Store(inserted.Load() || len(request.Source.LogicalShape) > 1)
			return reference.Planner{}.Plan(ctx, request)
		}), Options{})
		j := breaking("a", 4, []string{cause}, nil)
		a.reduce(t.Context(), &j, cause)
		if inserted.Load() != want {
			t.Errorf("reduced for %s, axes are inserted: %t, want %t", cause, inserted.Load(), want)
		}
	}
}

// The fixed cases that were not exercised stand beside those of the campaign.
func TestFixedCasesThatAreHeldOff(t *testing.T) {
	held := func(name, why string) Judged {
		j := caseOf(name, split(4, 1), split(4, 1))
		j.Verdict = props.Verdict{Outcome: props.NotExercised, Detail: why}
		return j
	}
	a := concluded(t, Options{}, held("a", "needs cost"), held("b", "needs budget"), breaking("c", 4, []string{"cover"}, nil), held("d", "needs cost"))
	if want := []campaign.HeldOff{{Reason: "needs budget", Cases: 1}, {Reason: "needs cost", Cases: 2}}; !slices.Equal(a.HeldOff, want) {
		t.Errorf("held off %v, want %v", a.HeldOff, want)
	}
}
