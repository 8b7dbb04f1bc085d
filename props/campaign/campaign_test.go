package campaign_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/shardproof/shardproof/corpus"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/reference"
	"github.com/shardproof/shardproof/props"
	"github.com/shardproof/shardproof/props/campaign"
)

// seed is fixed, so that what these tests find is the same each time.
const seed = 7

func options(t *testing.T, checks uint64, planners ...plan.Planner) campaign.Options {
	t.Helper()
	source, err := campaign.NewSource(seed, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return campaign.Options{Planners: planners, Source: source, Seed: seed, Checks: checks, Workers: 2}
}

// spoilt is the reference planner, but for the plans that a condition picks, whose last segment it leaves out.
func spoilt(pick func(plan.Request, plan.Plan) bool) plan.Planner {
	return plan.PlannerFunc(func(ctx context.Context, request plan.Request) (plan.Answer, error) {
		answer, err := reference.Planner{}.Plan(ctx, request)
		if err == nil && pick(request, answer.Plan) {
			answer.Plan.Segments = answer.Plan.Segments[:len(answer.Plan.Segments)-1]
			answer.MovedElements = nil
		}
		return answer, err
	})
}

// rare picks few cases: from four source ranks or more to a tensor of three axes.
func rare(r plan.Request, p plan.Plan) bool {
	return len(p.Segments) > 2 && len(r.Source.Shards) > 3 && len(r.Source.LogicalShape) == 3
}

func TestReferenceHasNoFinding(t *testing.T) {
	o := options(t, 4000, reference.Planner{})
	o.Check.Complete = true
	o.Strict = true
	result := campaign.Run(t.Context(), o)
	for _, finding := range result.Findings {
		t.Errorf("case %d: %s: %s", finding.Number, finding.Cause, finding.Verdict.Detail)
	}
	if result.Cases != 4000 || result.Exact < 2500 || result.Refused < 200 {
		t.Errorf("%d cases, %d exact and %d refused: too few", result.Cases, result.Exact, result.Refused)
	}
	if got := result.Exact + result.Refused + result.Unsupported + result.Broken + result.Unknown + result.NotExercised; got != result.Cases {
		t.Errorf("the outcomes add up to %d of %d cases", got, result.Cases)
	}
	if result.Untold != nil {
		t.Errorf("case %d could not be judged: %s", result.Untold.Number, result.Untold.Reason)
	}
	if result.MeanSegments() < 1 || result.MeanElements() < 10 || result.Traits.Cases < 100 || result.Traits.Cases > 4000/16 {
		t.Errorf("means of %g segments and %g elements, traits of %d cases", result.MeanSegments(), result.MeanElements(), result.Traits.Cases)
	}
}

// The finding is that of the lowest number whatever the workers, and reduces to the same case.
func TestFindingDoesNotDependOnWorkers(t *testing.T) {
	var want campaign.Finding
	for n := uint64(0); ; n++ {
		source, _ := campaign.NewSource(seed, nil, 0)
		v := props.Check(t.Context(), spoilt(rare), source.Case(n), props.Options{})
		if v.Cause(false) != "" {
			want = campaign.Finding{Number: n, Cause: v.Cause(false)}
			break
		}
	}
	var reduced plan.Case
	for _, workers := range []int{1, 2, 5} {
		o := options(t, 0, spoilt(rare))
		o.Workers = workers
		result := campaign.Run(t.Context(), o)
		if len(result.Findings) != 1 {
			t.Fatalf("%d workers: %d findings, want 1", workers, len(result.Findings))
		}
		got := result.Findings[0]
		if got.Number != want.Number || got.Cause != want.Cause {
			t.Errorf("%d workers: case %d %s, want case %d %s", workers, got.Number, got.Cause, want.Number, want.Cause)
		}
		if got.After.Cause(false) != got.Cause || got.Stats.Tried == 0 {
			t.Errorf("%d workers: the reduced case shows %q after %d tries", workers, got.After.Cause(false), got.Stats.Tried)
		}
		if workers == 1 {
			reduced = got.Reduced
		} else if diff := cmp.Diff(reduced, got.Reduced); diff != "" {
			t.Errorf("%d workers reduce to another case:\n%s", workers, diff)
		}
	}
}

func TestFindingIsSaved(t *testing.T) {
	out := filepath.Join(t.TempDir(), "found")
	o := options(t, 0, spoilt(rare))
	o.Out, o.Name = out, "spoilt 1.0"
	finding := campaign.Run(t.Context(), o).Findings[0]
	if finding.Problem != nil {
		t.Fatal(finding.Problem)
	}
	got, err := corpus.Load(finding.Path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(finding.Reduced, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("reduced, saved:\n%s", diff)
	}
	if filepath.Base(finding.Path) != got.Name+".json" || got.Name != corpus.Name(got.Request) {
		t.Errorf("saved as %s, named %s", finding.Path, got.Name)
	}
	found := got.Found
	if found == nil || found.Planner != "spoilt 1.0" || found.Seed != "7" || !slices.Contains(found.Broken, "cover") || found.Plan == nil {
		t.Errorf("found is %+v", found)
	}
}

// A planner that spoils its request must not spoil what is saved.
func TestFindingIsDrawnAgain(t *testing.T) {
	planner := plan.PlannerFunc(func(ctx context.Context, r plan.Request) (plan.Answer, error) {
		for _, shard := range r.Source.Shards {
			for _, piece := range shard.Pieces {
				for axis := range piece.Shape {
					piece.Shape[axis] = 99
				}
			}
		}
		return plan.Answer{}, plan.Refuse(plan.Unsupported, "spoilt")
	})
	finding := campaign.Run(t.Context(), options(t, 0, planner)).Findings[0]
	if finding.Cause != props.FaultID || finding.After.Cause(false) != props.FaultID {
		t.Fatalf("found %q, and %q when reduced", finding.Cause, finding.After.Cause(false))
	}
	for _, shard := range finding.Reduced.Source.Shards {
		for _, piece := range shard.Pieces {
			if slices.Contains(piece.Shape, 99) {
				t.Fatalf("the saved case has the planner's extents: %v", piece.Shape)
			}
		}
	}
}

// A campaign that goes on keeps the first case of each thing that is broken, of either level.
func TestGoOn(t *testing.T) {
	planner := spoilt(func(r plan.Request, p plan.Plan) bool {
		if len(r.Source.LogicalShape) == 1 && len(p.Segments) > 1 {
			slices.Reverse(p.Segments)
		}
		return len(r.Source.LogicalShape) == 2 && len(p.Segments) > 1
	})
	o := options(t, 500, planner)
	o.GoOn = true
	result := campaign.Run(t.Context(), o)
	first := map[string]uint64{}
	for n := range uint64(500) {
		v := props.Check(t.Context(), planner, o.Source.Case(n), props.Options{})
		for _, id := range slices.Concat(v.Broken, v.Should) {
			if _, ok := first[id]; !ok {
				first[id] = n
			}
		}
	}
	got := map[string]uint64{}
	for _, finding := range result.Findings {
		got[finding.Cause] = finding.Number
		if !finding.After.Names(finding.Cause) {
			t.Errorf("%s: the reduced case shows %v and %v", finding.Cause, finding.After.Broken, finding.After.Should)
		}
	}
	if diff := cmp.Diff(first, got); diff != "" || len(got) < 2 {
		t.Errorf("first cases, findings:\n%s", diff)
	}
	if result.Cases != 500 {
		t.Errorf("%d cases, want all 500", result.Cases)
	}
}

func TestStrict(t *testing.T) {
	planner := plan.PlannerFunc(func(ctx context.Context, request plan.Request) (plan.Answer, error) {
		answer, err := reference.Planner{}.Plan(ctx, request)
		slices.Reverse(answer.Plan.Segments)
		return answer, err
	})
	o := options(t, 300, planner)
	if result := campaign.Run(t.Context(), o); len(result.Findings) != 0 || result.Should == 0 {
		t.Errorf("not strict: %d findings and %d should", len(result.Findings), result.Should)
	}
	o.Strict = true
	if result := campaign.Run(t.Context(), o); len(result.Findings) != 1 || result.Findings[0].Cause != "ordered" {
		t.Errorf("strict: %d findings, want one of ordered", len(result.Findings))
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var asked atomic.Int64
	planner := plan.PlannerFunc(func(ctx context.Context, request plan.Request) (plan.Answer, error) {
		if asked.Add(1) == 200 {
			cancel()
		}
		return reference.Planner{}.Plan(context.Background(), request)
	})
	result := campaign.Run(ctx, options(t, 0, planner))
	if !result.Interrupted || result.Cases < 90 || result.Cases > 110 {
		t.Errorf("interrupted %t after %d cases, want about 100", result.Interrupted, result.Cases)
	}
}

func TestEndsByTime(t *testing.T) {
	o := options(t, 0, reference.Planner{})
	o.For = 50 * time.Millisecond
	result := campaign.Run(t.Context(), o)
	if result.Interrupted || result.Cases == 0 || result.Elapsed < o.For || result.Elapsed > 20*o.For {
		t.Errorf("%d cases in %v, interrupted %t", result.Cases, result.Elapsed, result.Interrupted)
	}
}

func TestCannotRun(t *testing.T) {
	lost := errors.New("no such program")
	var asked atomic.Int64
	planner := plan.PlannerFunc(func(ctx context.Context, request plan.Request) (plan.Answer, error) {
		if asked.Add(1) > 50 {
			return plan.Answer{}, lost
		}
		return reference.Planner{}.Plan(ctx, request)
	})
	result := campaign.Run(t.Context(), options(t, 0, planner))
	if result.CannotRun != lost || len(result.Findings) != 0 || result.Cases < 20 {
		t.Errorf("%v after %d cases, %d findings", result.CannotRun, result.Cases, len(result.Findings))
	}
}

func TestHang(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	planner := plan.PlannerFunc(func(ctx context.Context, request plan.Request) (plan.Answer, error) {
		if rare(request, plan.Plan{Segments: make([]plan.Segment, 3)}) {
			<-release
		}
		return reference.Planner{}.Plan(ctx, request)
	})
	o := options(t, 0, planner)
	o.Hang = 40 * time.Millisecond
	result := campaign.Run(t.Context(), o)
	if len(result.Findings) != 1 || result.Findings[0].Verdict.Fault == nil || result.Findings[0].Verdict.Fault.Name != "hang" {
		t.Fatalf("findings are %+v, want a hang", result.Findings)
	}
	if r := result.Findings[0].Reduced; !rare(r.Request, plan.Plan{Segments: make([]plan.Segment, 3)}) {
		t.Error("the case is not the one that hangs")
	}
}

// What a planner does not name is not asked, and counted by what it lacks.
func TestHeldOff(t *testing.T) {
	o := options(t, 3000, reference.Planner{})
	o.Check.Info = &plan.Info{Features: []plan.Feature{plan.FeatureBudget}}
	result := campaign.Run(t.Context(), o)
	sum := int64(0)
	var reasons []string
	for _, held := range result.HeldOff {
		sum += held.Cases
		reasons = append(reasons, held.Reason)
	}
	want := []string{"needs balanced", "needs cost", "needs highest", "needs local", "needs prefer", "needs returns"}
	if !slices.Equal(reasons, want) || sum != result.NotExercised {
		t.Errorf("held off for %v, %d of %d", reasons, sum, result.NotExercised)
	}
}

func TestProgress(t *testing.T) {
	o := options(t, 0, reference.Planner{})
	o.For, o.Every = 100*time.Millisecond, 10*time.Millisecond
	calls, last := 0, int64(0)
	o.Progress = func(counts campaign.Counts, elapsed time.Duration) {
		calls++
		if counts.Cases < last || elapsed <= 0 {
			t.Errorf("%d cases after %d, at %v", counts.Cases, last, elapsed)
		}
		last = counts.Cases
	}
	if result := campaign.Run(t.Context(), o); calls < 2 || last == 0 || last > result.Cases {
		t.Errorf("%d calls, the last of %d cases, %d in the end", calls, last, result.Cases)
	}
}

func TestSource(t *testing.T) {
	source, err := campaign.NewSource(seed, nil, 4)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := campaign.NewSource(seed, nil, 4)
	other, _ := campaign.NewSource(seed+1, nil, 4)
	refused, differ := 0, 0
	const cases = 2000
	for n := range uint64(cases) {
		c := source.Case(n)
		text := plan.EncodeCase(c)
		if !bytes.Equal(text, plan.EncodeCase(again.Case(n))) {
			t.Fatalf("case %d is another the second time", n)
		}
		if !bytes.Equal(text, plan.EncodeCase(other.Case(n))) {
			differ++
		}
		if slices.Contains(c.Expect.Kinds, plan.Invalid) {
			refused++
		}
	}
	if differ < cases*9/10 {
		t.Errorf("another seed draws %d other cases of %d", differ, cases)
	}
	// A quarter is drawn with a fault, and most faults are invalid.
	if share := float64(refused) / cases; math.Abs(share-0.2) > 0.07 {
		t.Errorf("%g of the cases are due a refusal as invalid", share)
	}
	if _, err := campaign.NewSource(seed, []string{"no family"}, 0); err == nil {
		t.Error("a family that is none was taken")
	}
}

func TestFamilies(t *testing.T) {
	source, err := campaign.NewSource(seed, []string{"experts"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for n := range uint64(100) {
		if c := source.Case(n); c.Origin != "generated: experts to experts" {
			t.Fatalf("case %d is %s", n, c.Origin)
		}
	}
}

// A campaign in parts is the campaign: the second part begins where the first ends.
func TestFirst(t *testing.T) {
	count := func(first, checks uint64) campaign.Counts {
		o := options(t, checks, reference.Planner{})
		o.First = first
		return campaign.Run(t.Context(), o).Counts
	}
	whole, one, two := count(0, 600), count(0, 250), count(250, 350)
	if whole.Exact != one.Exact+two.Exact || whole.Segments != one.Segments+two.Segments {
		t.Errorf("%d exact and %d segments; in parts %d and %d", whole.Exact, whole.Segments, one.Exact+two.Exact, one.Segments+two.Segments)
	}
}

// Workers share the planners in turn: each planner waits at first until the next one is asked.
func TestEveryPlannerIsAsked(t *testing.T) {
	var asked [3]atomic.Int64
	var planners []plan.Planner
	for i := range asked {
		planners = append(planners, plan.PlannerFunc(func(ctx context.Context, request plan.Request) (plan.Answer, error) {
			first := asked[i].Add(1) == 1
			for wait := 0; first && wait < 1000 && asked[(i+1)%3].Load() == 0; wait++ {
				time.Sleep(time.Millisecond)
			}
			return reference.Planner{}.Plan(ctx, request)
		}))
	}
	o := options(t, 200, planners...)
	o.Workers = 4
	campaign.Run(t.Context(), o)
	for i := range asked {
		if asked[i].Load() == 0 {
			t.Errorf("of 3 planners for 4 workers number %d is never asked", i)
		}
	}
}

// Without a number of workers there is one a processor.
func TestWorkersByDefault(t *testing.T) {
	o := options(t, 100, reference.Planner{})
	o.Workers = 0
	if result := campaign.Run(t.Context(), o); result.Cases != 100 {
		t.Errorf("%d cases, want 100", result.Cases)
	}
}

// Progress needs to know how often.
func TestProgressWithoutATime(t *testing.T) {
	o := options(t, 100, reference.Planner{})
	o.Progress = func(campaign.Counts, time.Duration) { t.Error("progress is told") }
	if result := campaign.Run(t.Context(), o); result.Cases != 100 {
		t.Errorf("%d cases, want 100", result.Cases)
	}
}

// A worker that hangs is given up about as soon as the limit says, and the others go on.
func TestAHangIsFoundInTime(t *testing.T) {
	const limit = 100 * time.Millisecond
	release := make(chan struct{})
	defer close(release)
	var asked atomic.Int64
	o := options(t, 400, plan.PlannerFunc(func(ctx context.Context, request plan.Request) (plan.Answer, error) {
		if asked.Add(1) == 1 {
			<-release
		}
		return reference.Planner{}.Plan(ctx, request)
	}))
	o.Hang, o.GoOn = limit, true
	result := campaign.Run(t.Context(), o)
	if result.Elapsed < limit || result.Elapsed > 7*limit {
		t.Errorf("a hang past %s is found after %s", limit, result.Elapsed)
	}
	// Of the 32 cases that the worker took together all but the first may be lost.
	if result.Broken != 1 || result.Cases < 400-31 {
		t.Errorf("%d cases of 400, %d broken, want 1", result.Cases, result.Broken)
	}
}

// failing is a planner that fails as it is told to for tensors of several axes, and is right for the others.
func failing(fail func() (plan.Answer, error)) plan.Planner {
	return plan.PlannerFunc(func(ctx context.Context, request plan.Request) (plan.Answer, error) {
		if len(request.Source.LogicalShape) > 1 {
			return fail()
		}
		return reference.Planner{}.Plan(ctx, request)
	})
}

// A hang is reduced where the planner is a process, which can be ended. A fault is saved by its name.
func TestAFaultIsReducedAndSaved(t *testing.T) {
	for _, name := range []string{"hang", "exit"} {
		o := options(t, 0, failing(func() (plan.Answer, error) { return plan.Answer{}, &plan.Fault{Name: name} }))
		o.Out = t.TempDir()
		f := campaign.Run(t.Context(), o).Findings[0]
		saved, err := corpus.Load(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		if f.Stats.Tried == 0 || f.Stats.Stopped || saved.Found.Fault != name || saved.Found.Plan != nil {
			t.Errorf("%s: %+v, saved with fault %q", name, f.Stats, saved.Found.Fault)
		}
	}
}

// A case is reduced for the fault that it met with, and not for another one that a smaller case meets with.
func TestAFaultStaysTheSame(t *testing.T) {
	o := options(t, 0, plan.PlannerFunc(func(ctx context.Context, request plan.Request) (plan.Answer, error) {
		switch elements, _ := plan.Elements(request.Source.LogicalShape); {
		case elements > 8:
			panic("too many")
		case elements > 4:
			return plan.Answer{}, &plan.Fault{Name: "exit"}
		}
		return reference.Planner{}.Plan(ctx, request)
	}))
	f := campaign.Run(t.Context(), o).Findings[0]
	for f.Verdict.Fault.Name != "panic" {
		o.First = f.Number + 1
		f = campaign.Run(t.Context(), o).Findings[0]
	}
	if elements, _ := plan.Elements(f.Reduced.Source.LogicalShape); f.After.Fault == nil || f.After.Fault.Name != "panic" || elements != 9 {
		t.Errorf("a panic past 8 elements is reduced to %v with %d elements", f.After.Fault, elements)
	}
}

// What a planner does only once is told as it was seen.
func TestAFailureThatDoesNotComeAgain(t *testing.T) {
	var failed atomic.Bool
	o := options(t, 0, failing(func() (plan.Answer, error) {
		if failed.Swap(true) {
			return plan.Answer{}, plan.Refuse(plan.Unsupported, "not now")
		}
		return plan.Answer{}, &plan.Fault{Name: "exit"}
	}))
	o.Workers = 1
	f := campaign.Run(t.Context(), o).Findings[0]
	if f.After.Fault == nil || f.After.Fault.Name != "exit" || cmp.Diff(f.Case.Request, f.Reduced.Request) != "" {
		t.Errorf("what happened is %v, on another case than was drawn", f.After.Fault)
	}
}

// A reduction ends after the time that it has.
func TestTheTimeOfAReduction(t *testing.T) {
	o := options(t, 0, spoilt(rare))
	o.ReduceFor = 1
	f := campaign.Run(t.Context(), o).Findings[0]
	if !f.Stats.Stopped || cmp.Diff(f.Case.Request, f.Reduced.Request) != "" {
		t.Errorf("after a nanosecond: %+v", f.Stats)
	}
}

// Of the cases of a source that says nothing, one in six is drawn with a fault; of others, as many as are asked for.
func TestTheShareOfFaults(t *testing.T) {
	for corrupted, want := range map[int]float64{0: 1. / 6, 3: 1. / 3, 1: 1, -1: 0} {
		source, err := campaign.NewSource(seed, nil, corrupted)
		if err != nil {
			t.Fatal(err)
		}
		const cases = 2000
		faults := 0
		for n := range uint64(cases) {
			if strings.HasPrefix(source.Case(n).Origin, "corrupted: ") {
				faults++
			}
		}
		// Four standard deviations of the share.
		if got := float64(faults) / cases; math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/cases) {
			t.Errorf("one in %d: %g of the cases have a fault, want %g", corrupted, got, want)
		}
	}
}

func BenchmarkCampaign(b *testing.B) {
	source, err := campaign.NewSource(seed, nil, 0)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	result := campaign.Run(b.Context(), campaign.Options{
		Planners: []plan.Planner{reference.Planner{}}, Source: source, Checks: uint64(b.N),
		Check: props.Options{Complete: true}, Strict: true,
	})
	if len(result.Findings) > 0 || result.Cases != int64(b.N) {
		b.Fatalf("%d cases, %d findings", result.Cases, len(result.Findings))
	}
	b.ReportMetric(float64(result.Cases)/result.Elapsed.Seconds(), "cases/s")
	b.ReportMetric(result.MeanElements(), "elements/case")
	b.ReportMetric(result.MeanSegments(), "segments/case")
}
