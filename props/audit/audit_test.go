package audit_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/corpus"
	"github.com/shardproof/shardproof/gen"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/mutant"
	"github.com/shardproof/shardproof/plan/reference"
	"github.com/shardproof/shardproof/props"
	"github.com/shardproof/shardproof/props/audit"
)

// small are the options of an audit that takes a second or so: without the maps at real sizes.
func small(t *testing.T, planner plan.Planner) audit.Options {
	t.Helper()
	info := reference.Info()
	cases := slices.DeleteFunc(corpus.All(), func(file corpus.File) bool {
		return !strings.Contains(file.Path, "refusals/") && !strings.Contains(file.Path, "huge/") && !strings.Contains(file.Path, "seed/")
	})
	return audit.Options{
		Planner: planner, Name: "subject", Check: props.Options{Info: &info, Complete: true}, Cases: cases,
		Seed: 1, Checks: 400, Out: t.TempDir(), Draws: 2, Workers: 2,
	}
}

func ruleOf(t *testing.T, report audit.Report, id string) audit.RuleReport {
	t.Helper()
	for _, rule := range report.Rules {
		if rule.ID == id {
			return rule
		}
	}
	t.Fatalf("no rule %s", id)
	return audit.RuleReport{}
}

func TestTheReferencePlannerKeepsEveryRule(t *testing.T) {
	report := audit.Audit(t.Context(), small(t, reference.Planner{Folding: reference.Addresses}))
	for _, rule := range report.Rules {
		switch rule.Status {
		case audit.Kept, audit.Refused:
		default:
			t.Errorf("%s is %s: %v", rule.ID, rule.Status, rule.Counts)
		}
	}
	tally := report.Tally
	sum := tally.Exact + tally.Refused + tally.Unsupported + tally.Broken + tally.Unknown + tally.NotExercised
	if tally.Broken != 0 || tally.Cases < 600 || sum != tally.Cases || len(report.Findings) != 0 {
		t.Errorf("tally %+v, %d findings", tally, len(report.Findings))
	}
}

// Each of these planners is broken in one way on purpose; the rule beside it is the one that the way breaks.
func TestABrokenPlannerBreaksItsRule(t *testing.T) {
	for _, test := range []struct{ mutant, rule string }{
		{"address-logical-offset", "plan.read"},
		{"fold-joins-over-gap", "values"},
	} {
		row, ok := mutant.Lookup(test.mutant)
		if !ok {
			t.Fatalf("no mutant %s", test.mutant)
		}
		report := audit.Audit(t.Context(), small(t, row.New()))
		rule := ruleOf(t, report, test.rule)
		if rule.Status != audit.Broken || rule.Finding < 0 {
			t.Errorf("%s: %s is %s, finding %d", test.mutant, test.rule, rule.Status, rule.Finding)
			continue
		}
		finding := report.Findings[rule.Finding]
		saved, err := corpus.Load(finding.Path)
		if err != nil || saved.Name != finding.Case.Name {
			t.Errorf("%s: the finding is not saved: %v", test.mutant, err)
		}
		if fault := ruleOf(t, report, "fault"); fault.Status != audit.Kept {
			t.Errorf("%s: fault is %s", test.mutant, fault.Status)
		}
	}
}

// acceptsHidden plans whatever is refused as a wrong location: rows 17 and map.locations must show it.
func TestRefusalsAreReportedByRow(t *testing.T) {
	right := reference.Planner{Folding: reference.Addresses}
	lenient := plan.PlannerFunc(func(ctx context.Context, request plan.Request) (plan.Answer, error) {
		answer, err := right.Plan(ctx, request)
		if err != nil && strings.Contains(err.Error(), "locations") {
			return plan.Answer{}, nil
		}
		return answer, err
	})
	report := audit.Audit(t.Context(), small(t, lenient))
	for _, id := range []string{audit.RowID(17), "map.locations", "outcome"} {
		if rule := ruleOf(t, report, id); rule.Status != audit.Broken || rule.Finding < 0 {
			t.Errorf("%s is %s with %v", id, rule.Status, rule.Counts)
		}
	}
	for _, id := range []string{audit.RowID(1), audit.RowID(19), "map.bounds", "values"} {
		if rule := ruleOf(t, report, id); rule.Status == audit.Broken {
			t.Errorf("%s is %s with %v", id, rule.Status, rule.Counts)
		}
	}
}

func TestWhatIsHeldBackIsNotExercised(t *testing.T) {
	options := small(t, reference.Planner{Folding: reference.Addresses})
	options.Check.Info.Features = []plan.Feature{plan.FeaturePrefer}
	report := audit.Audit(t.Context(), options)
	for _, id := range []string{"plan.selector", audit.RowID(21), "plan.budget", "budget"} {
		rule := ruleOf(t, report, id)
		if rule.Status != audit.NotExercised || len(rule.Why) == 0 {
			t.Errorf("%s is %s, because of %v", id, rule.Status, rule.Why)
		}
	}
	if report.Tally.NotExercised == 0 || len(report.HeldOff) == 0 {
		t.Errorf("nothing was held back: %+v", report.Tally)
	}
}

func TestAKnownFailureIsExcusedAndAStaleOneTold(t *testing.T) {
	row, _ := mutant.Lookup("address-logical-offset")
	options := small(t, row.New())
	first := audit.Audit(t.Context(), options)
	if first.Tally.Broken == 0 || first.Tally.Known != 0 {
		t.Fatalf("tally %+v", first.Tally)
	}
	none := &audit.Known{}
	text := none.Updated(first)
	known, err := audit.ParseKnown("# found in review\nno-such-case it was mended\n" + text)
	if err != nil {
		t.Fatal(err)
	}
	options.Known = known
	second := audit.Audit(t.Context(), options)
	if second.Tally.Broken != first.Tally.Broken || second.Tally.Known != second.Tally.Broken {
		t.Errorf("with every failure known: %+v, first %+v", second.Tally, first.Tally)
	}
	if !slices.Equal(second.Stale, []string{"no-such-case"}) {
		t.Errorf("stale: %q", second.Stale)
	}
	updated := known.Updated(second)
	if updated != "# found in review\n"+text {
		t.Errorf("updated:\n%s\nwant the comment and\n%s", updated, text)
	}
	if rule := ruleOf(t, second, "plan.read"); rule.Status != audit.Excused {
		t.Errorf("plan.read is %s", rule.Status)
	}
}

// A rule that is known to be broken excuses the whole campaign, though its plans also fall short of a should rule.
func TestAKnownRuleExcusesACampaign(t *testing.T) {
	pieces := reference.Planner{Folding: reference.Pieces}
	miscounting := plan.PlannerFunc(func(ctx context.Context, request plan.Request) (plan.Answer, error) {
		answer, err := pieces.Plan(ctx, request)
		if err == nil {
			wrong := *answer.MovedElements + 1
			answer.MovedElements = &wrong
		}
		return answer, err
	})
	options := small(t, miscounting)
	var err error
	if options.Known, err = audit.ParseKnown("moved it counts one too many\n"); err != nil {
		t.Fatal(err)
	}
	report := audit.Audit(t.Context(), options)
	if report.Tally.Broken < 300 || report.Tally.Known != report.Tally.Broken || report.Tally.Should == 0 || len(report.Stale) > 0 {
		t.Errorf("tally %+v, stale %v", report.Tally, report.Stale)
	}
	for id, want := range map[string]audit.Status{"moved": audit.Excused, "folded": audit.Broken, "values": audit.Kept} {
		if rule := ruleOf(t, report, id); rule.Status != want {
			t.Errorf("%s is %s with %v, want %s", id, rule.Status, rule.Counts, want)
		}
	}
}

// Options that say nothing stand for the embedded corpus, eight draws of each fault, and no campaign.
func TestWhatIsAuditedByDefault(t *testing.T) {
	gone := errors.New("gone")
	type phase struct {
		audit.Phase
		cases int64
	}
	var phases []phase
	options := audit.Options{
		Planner:  plan.PlannerFunc(func(context.Context, plan.Request) (plan.Answer, error) { return plan.Answer{}, gone }),
		Progress: func(p audit.Phase, cases int64) { phases = append(phases, phase{p, cases}) },
	}
	report := audit.Audit(t.Context(), options)
	if want := []phase{{audit.Saved, int64(len(corpus.All()))}}; !slices.Equal(phases, want) {
		t.Errorf("phases %v, want %v", phases, want)
	}
	if report.CannotRun != gone || report.Interrupted || report.Tally.Cases != 0 {
		t.Errorf("cannot run because of %v, interrupted: %t, tally %+v", report.CannotRun, report.Interrupted, report.Tally)
	}
	phases = nil
	options.Planner, options.Cases = reference.Planner{}, []corpus.File{}
	report = audit.Audit(t.Context(), options)
	drawn := int64(8 * len(gen.CorruptionTable()))
	if want := []phase{{audit.Saved, 0}, {audit.Corrupted, drawn}}; !slices.Equal(phases, want) || report.Tally.Cases != drawn {
		t.Errorf("phases %v, want %v; %d cases", phases, want, report.Tally.Cases)
	}
}

// Case n of the corruptions is drawn from the seed's n-th, so that the draws of one fault, and of all, differ.
func TestCorruptionsAreDrawnFromTheSeed(t *testing.T) {
	const seed, draws = 3, 2
	report := audit.Audit(t.Context(), audit.Options{Planner: reference.Planner{}, Cases: []corpus.File{}, Draws: draws, Seed: seed})
	n := 0
	for _, corruption := range gen.CorruptionTable() {
		for _, name := range []string{corruption.Name + "-0", corruption.Name + "-1"} {
			want := corruption.Draw(gen.Seeded(gen.CaseSeed(seed, uint64(n))))
			want.Name = name
			if diff := cmp.Diff(want, report.Cases[n].Case); diff != "" {
				t.Errorf("case %d, %s, want, got:\n%s", n, name, diff)
			}
			n++
		}
	}
	if len(report.Cases) != n || report.Seed != seed {
		t.Errorf("%d cases of seed %d, want %d of %d", len(report.Cases), report.Seed, n, seed)
	}
}

// What a caller sets is not replaced by what stands for nothing.
func TestOptionsThatAreSet(t *testing.T) {
	known, err := audit.ParseKnown("gone it was mended\n")
	if err != nil {
		t.Fatal(err)
	}
	file := corpus.File{Path: "mine.json", Case: corpus.All()[0].Case}
	options := audit.Options{
		Planner: reference.Planner{}, Name: "mine 1.0", Cases: []corpus.File{file}, Draws: 1, Checks: 7, Strict: true, Replay: "--mine",
		Workers: 1, Known: known, Hang: time.Minute,
	}
	report := audit.Audit(t.Context(), options)
	if want := 1 + len(gen.CorruptionTable()); len(report.Cases) != want || report.Tally.Cases != int64(want)+7 {
		t.Errorf("%d cases, want %d; tally %+v", len(report.Cases), want, report.Tally)
	}
	if first := report.Cases[0]; first.Path != "mine.json" || first.Phase != audit.Saved || report.Cases[1].Phase != audit.Corrupted {
		t.Errorf("the first case is %s of the %s", first.Path, first.Phase)
	}
	if !slices.Equal(report.Stale, []string{"gone"}) {
		t.Errorf("stale: %q", report.Stale)
	}
	if report.Subject != "mine 1.0" || report.Checks != 7 || !report.Strict || report.Replay != "--mine" || report.Maps {
		t.Errorf("the report is of %s, %d checks, strict: %t, replayed by %q", report.Subject, report.Checks, report.Strict, report.Replay)
	}
	if report.Elapsed <= 0 || report.Elapsed > time.Hour {
		t.Errorf("it took %s", report.Elapsed)
	}
}

// An entry is not stale where an audit did not come to its end.
func TestNoEntryIsStaleAfterHalfAnAudit(t *testing.T) {
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	for what, options := range map[string]audit.Options{
		"interrupted":   {Planner: reference.Planner{}},
		"cannot be run": {Planner: plan.PlannerFunc(func(context.Context, plan.Request) (plan.Answer, error) { return plan.Answer{}, errors.New("gone") })},
	} {
		ctx := t.Context()
		if what == "interrupted" {
			ctx = interrupted
		}
		var err error
		if options.Known, err = audit.ParseKnown("gone it was mended\n"); err != nil {
			t.Fatal(err)
		}
		report := audit.Audit(ctx, options)
		if report.Stale != nil || report.Interrupted != (what == "interrupted") {
			t.Errorf("%s: stale %q, interrupted: %t", what, report.Stale, report.Interrupted)
		}
	}
}

// The cases of a campaign whose workers hang are not exercised, and not left out of the count.
func TestACampaignThatHangs(t *testing.T) {
	end := make(chan struct{})
	defer close(end)
	report := audit.Audit(t.Context(), audit.Options{
		Planner: plan.PlannerFunc(func(context.Context, plan.Request) (plan.Answer, error) { <-end; return plan.Answer{}, nil }),
		Cases:   []corpus.File{}, Draws: 1, Checks: 1000, Workers: 2, Hang: 5 * time.Millisecond,
	})
	if report.Tally.Cases != int64(len(report.Cases))+1000 || report.Tally.NotExercised < 1000-2 {
		t.Errorf("%+v of %d cases and 1000 drawn", report.Tally, len(report.Cases))
	}
}

// A planner of this process that does not answer in time hangs.
func TestTheTimeForAnAnswer(t *testing.T) {
	end := make(chan struct{})
	defer close(end)
	report := audit.Audit(t.Context(), audit.Options{
		Planner: plan.PlannerFunc(func(context.Context, plan.Request) (plan.Answer, error) { <-end; return plan.Answer{}, nil }),
		Cases:   corpus.All()[:1], Draws: 1, Workers: 8, Hang: 5 * time.Millisecond,
	})
	if fault := report.Cases[0].Verdict.Fault; fault == nil || fault.Name != "hang" || ruleOf(t, report, "fault").Status != audit.Broken {
		t.Errorf("the fault is %v", fault)
	}
}
