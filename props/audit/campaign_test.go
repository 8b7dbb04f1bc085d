package audit

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/gen"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/reference"
	"github.com/shardproof/shardproof/props"
	"github.com/shardproof/shardproof/props/campaign"
)

// A campaign's verdicts count for the rules that every plan is judged by. What is held back counts for the rules
// that it would have been about.
func TestACampaignCountsByRule(t *testing.T) {
	a := begun(refusesAll, Options{})
	result := campaign.Result{Counts: campaign.Counts{
		Cases: 100, Exact: 50, Refused: 20, Unsupported: 9, Broken: 7, Unknown: 3, NotExercised: 11, Should: 4,
		Related: map[string]int64{"compose": 6, "cut-piece": 5},
		HeldOff: []campaign.HeldOff{{Reason: "needs budget", Cases: 2}, {Reason: "needs cost", Cases: 4}, {Reason: "needs returns", Cases: 5}},
	}}
	a.takeCampaign(&result)
	for _, test := range []struct {
		want map[Status]int64
		ids  []string
	}{
		{map[Status]int64{Kept: 50}, []string{
			"valid", "bounds", "cover", "once", "values", "holder", "stable", "plan.read", "plan.deterministic",
		}},
		{map[Status]int64{Kept: 46}, []string{"folded", "ordered", "plan.order", "plan.fold"}},
		{map[Status]int64{Kept: 6}, []string{"compose"}},
		{map[Status]int64{Kept: 5}, []string{"cut-piece"}},
		{map[Status]int64{Kept: 50, Refused: 20, Unsupported: 9}, conductIDs},
		{map[Status]int64{NotExercised: 2}, []string{"budget", "plan.budget", "row.22"}},
		{map[Status]int64{NotExercised: 4}, []string{"plan.holder"}},
		{map[Status]int64{NotExercised: 5}, []string{"plan.selector", "row.21"}},
		// These are about some plans alone, which a campaign does not count.
		{map[Status]int64{}, []string{"moved", "plan.every-holder", "plan.metadata", "row.1", "map.bounds", "round-trip", "flat-size"}},
	} {
		for _, id := range test.ids {
			if got := a.countsOf(id); !cmp.Equal(got, test.want) {
				t.Errorf("%s: %v, want %v", id, got, test.want)
			}
		}
	}
	want := Tally{
		Cases: 100, Exact: 50, Refused: 20, Unsupported: 9, Broken: 7, Known: 7, Unknown: 3, NotExercised: 11,
	}
	if a.Tally != want {
		t.Errorf("without a finding that is not expected: tally %+v, want %+v", a.Tally, want)
	}
	if !slices.Equal(a.HeldOff, result.HeldOff) || a.CannotRun != nil {
		t.Errorf("held off %v, want %v; cannot run because of %v", a.HeldOff, result.HeldOff, a.CannotRun)
	}
	a.takeCampaign(&result)
	if a.Tally.Cases != 200 || a.Tally.Unknown != 6 || a.HeldOff[1].Cases != 8 {
		t.Errorf("two campaigns: tally %+v, held off %v", a.Tally, a.HeldOff)
	}
}

// More verdicts may fall short of a should rule than there are exact ones.
func TestACampaignWhosePlansAllFallShort(t *testing.T) {
	a := begun(refusesAll, Options{})
	a.takeCampaign(&campaign.Result{Counts: campaign.Counts{Cases: 3, Exact: 1, Broken: 2, Should: 3}})
	if got := a.countsOf("folded"); len(got) != 0 {
		t.Errorf("folded: %v, want no plan that keeps it", got)
	}
}

// found is a finding of a campaign whose verdict names these.
func found(name string, broken, should []string) campaign.Finding {
	var f campaign.Finding
	f.Case = caseOf("drawn", split(4, 2), split(4, 1)).Case
	f.Case.Origin, f.Number, f.Path = "drawn: "+name, 17, name+".json"
	f.Reduced = caseOf(name, split(2, 2), split(2, 1)).Case
	f.After = props.Verdict{Outcome: props.Exact, Answered: true, Should: should}
	if len(broken) > 0 {
		f.After.Outcome, f.After.Broken = props.Broken, broken
	}
	f.Cause = f.After.Cause(true)
	return f
}

// Each finding of a campaign counts once for the rules that it breaks, as it was reduced. The tally has the cases.
func TestFindingsOfACampaign(t *testing.T) {
	a := begun(refusesAll, Options{})
	a.takeCampaign(&campaign.Result{
		Counts:   campaign.Counts{Cases: 10, Exact: 6, Broken: 4, Should: 2},
		Findings: []campaign.Finding{found("one", []string{"values"}, nil), found("two", nil, []string{"ordered"})},
	})
	if want := (Tally{Cases: 10, Exact: 6, Broken: 4, Should: 2}); a.Tally != want {
		t.Errorf("tally %+v, want %+v", a.Tally, want)
	}
	for id, want := range map[string]map[Status]int64{
		"values": {Kept: 7, Broken: 1}, "plan.read": {Kept: 7, Broken: 1}, "ordered": {Kept: 5, Broken: 1}, "cover": {Kept: 8},
	} {
		if got := a.countsOf(id); !cmp.Equal(got, want) {
			t.Errorf("%s: %v, want %v", id, got, want)
		}
	}
	if len(a.Findings) != 2 {
		t.Fatalf("%d findings, want 2", len(a.Findings))
	}
	f := a.Findings[0]
	if f.Phase != Campaign || f.Case.Name != "one" || f.Path != "one.json" || f.Cause != "values" || f.Number != 17 || f.From != "drawn: one" ||
		!slices.Equal(f.Broken, []string{"values", "plan.read"}) {
		t.Errorf("the finding is %+v", f)
	}
}

// The broken verdicts of a campaign are known where each of its findings is, and so is what falls short of should level.
func TestKnownFailuresOfACampaign(t *testing.T) {
	values, ordered := found("one", []string{"values"}, nil), found("two", nil, []string{"ordered"})
	for _, test := range []struct {
		known         string
		findings      []campaign.Finding
		broken, short int64 // that are known, and that are short of should level and not known
	}{
		{"", []campaign.Finding{values, ordered}, 0, 2},
		{"values reason", []campaign.Finding{values, ordered}, 4, 2},
		{"ordered reason", []campaign.Finding{values, ordered}, 0, 0},
		{"one reason\ntwo reason", []campaign.Finding{values, ordered}, 4, 0},
		{"values reason", []campaign.Finding{values, found("three", []string{"cover"}, nil)}, 0, 0},
		{"values reason", []campaign.Finding{found("three", []string{"cover"}, nil), values}, 0, 0},
		{"ordered reason", []campaign.Finding{ordered, found("three", nil, []string{"folded"})}, 4, 2},
		{"ordered reason", []campaign.Finding{found("three", nil, []string{"folded"}), ordered}, 4, 2},
	} {
		a := begun(refusesAll, Options{Known: parsed(t, test.known)})
		a.takeCampaign(&campaign.Result{Counts: campaign.Counts{Cases: 10, Exact: 6, Broken: 4, Should: 2}, Findings: test.findings})
		if a.Tally.Known != test.broken || a.Tally.Should != test.short {
			t.Errorf("with %q: %d of 4 broken are known, want %d; %d short of should, want %d",
				test.known, a.Tally.Known, test.broken, a.Tally.Should, test.short)
		}
	}
}

// A case that was drawn with a fault is about the rows of the fault, which its origin names.
func TestTheRowsOfADraw(t *testing.T) {
	for _, corruption := range gen.CorruptionTable() {
		drawn := corruption.Draw(gen.Seeded(1))
		if got := rowsOfDraw(drawn); !slices.Equal(got, corruption.Rows) {
			t.Errorf("%s is about rows %v, want %v", corruption.Name, got, corruption.Rows)
		}
	}
	for _, origin := range []string{"", "drawn", "corrupted: by nobody"} {
		if got := rowsOfDraw(plan.Case{Origin: origin}); got != nil {
			t.Errorf("origin %q is about rows %v", origin, got)
		}
	}
}

func TestWhatIsHeldBackCountsForItsRules(t *testing.T) {
	for _, test := range []struct {
		reason string
		want   []string
	}{
		{"needs budget", []string{"budget", "plan.budget", "row.22"}},
		{"needs returns", []string{"plan.selector", "row.21"}},
		{"needs prefer", []string{"plan.holder"}},
		{"after 5 hangs", nil},
	} {
		var got []string
		for _, rule := range plannerRules() {
			if holdsBack(test.reason, rule.ID) {
				got = append(got, rule.ID)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, test.want) {
			t.Errorf("%q is held back from %v, want %v", test.reason, got, test.want)
		}
	}
}

// The cases of a campaign are those of its seed, numbered from 0. Of every ten, the last is judged by each relation.
func TestACampaignChecksTheCasesOfItsSeed(t *testing.T) {
	planner := reference.Planner{Folding: reference.Addresses}
	for checks, related := range map[uint64]uint64{5: 0, 100: 10} {
		source, err := campaign.NewSource(9, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		var want Tally
		renamed := int64(0)
		for n := range checks {
			v := props.Check(t.Context(), planner, source.Case(n), props.Options{Relations: n >= checks-related})
			want.add(&v, false, len(v.Should) == 0)
			if slices.Contains(v.Related, "rename-ranks") {
				renamed++
			}
		}
		a := begun(planner, Options{Seed: 9, Checks: checks, Workers: 2})
		a.campaign(t.Context())
		if a.Tally != want {
			t.Errorf("%d checks: tally %+v, want %+v", checks, a.Tally, want)
		}
		if got := a.countsOf("rename-ranks")[Kept]; got != renamed || related > 0 && got == 0 {
			t.Errorf("%d checks: rename-ranks is kept by %d plans, want %d", checks, got, renamed)
		}
		if len(a.Traits) != len(gen.TraitTable()) {
			t.Errorf("%d checks: the shares of %d traits, want %d", checks, len(a.Traits), len(gen.TraitTable()))
		}
	}
}

// The shares of a campaign are of its right requests, so they add up to something, and none is past the whole.
func TestTheTraitsOfACampaign(t *testing.T) {
	a := begun(refusesAll, Options{Checks: 320})
	a.campaign(t.Context())
	met := 0
	for i, trait := range a.Traits {
		if trait.Name != gen.TraitTable()[i].Name || trait.Share < 0 || trait.Share > 1 {
			t.Errorf("trait %d is %+v", i, trait)
		}
		if trait.Share > 0 {
			met++
		}
	}
	if met < len(a.Traits)/2 {
		t.Errorf("%d traits of %d are met by any of 20 requests", met, len(a.Traits))
	}
}

// There is no campaign without checks, after an interruption, or where the planner could not be run before.
func TestThereMayBeNoCampaign(t *testing.T) {
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		what      string
		ctx       context.Context
		checks    uint64
		cannotRun error
		want      []Phase
	}{
		{"a campaign", t.Context(), 20, nil, []Phase{Campaign}},
		{"no checks", t.Context(), 0, nil, nil},
		{"an interruption", interrupted, 20, nil, nil},
		{"a planner that cannot be run", t.Context(), 20, errors.New("gone"), nil},
	} {
		var phases []Phase
		a := begun(refusesAll, Options{Checks: test.checks, Progress: func(phase Phase, cases int64) {
			phases = append(phases, phase)
			if cases != int64(test.checks) {
				t.Errorf("%s: of %d cases, want %d", test.what, cases, test.checks)
			}
		}})
		a.CannotRun = test.cannotRun
		a.campaign(test.ctx)
		if !slices.Equal(phases, test.want) || (a.Tally.Cases > 0) != (test.want != nil) || (a.Traits != nil) != (test.want != nil) {
			t.Errorf("%s: phases %v, want %v; %d cases and %d traits", test.what, phases, test.want, a.Tally.Cases, len(a.Traits))
		}
	}
}

// Where the planner cannot be run in the first part of a campaign, there is no second.
func TestACampaignEndsWithItsPlanner(t *testing.T) {
	gone := errors.New("the planner is gone")
	asked := 0
	a := begun(plan.PlannerFunc(func(context.Context, plan.Request) (plan.Answer, error) {
		asked++
		return plan.Answer{}, gone
	}), Options{Checks: 20, Workers: 1})
	a.campaign(t.Context())
	if a.CannotRun != gone || asked != 1 {
		t.Errorf("cannot run because of %v, want %v; asked %d times, want once", a.CannotRun, gone, asked)
	}
}
