package props

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/shardproof/shardproof/oracle"
	"github.com/shardproof/shardproof/plan"
)

// Options say how a planner is checked.
type Options struct {
	Info      *plan.Info    // what the planner says of itself; nil: every feature, and the lowest holder
	Complete  bool          // a right request must be planned: unsupported counts as broken
	Strict    bool          // Test and Fuzz fail for what is broken of should level, too
	Relations bool          // ask for every relation besides stable, each of which costs one to three more plans
	LaidOut   int64         // plans are run on labelled elements up to so many a side, else proved; 0: oracle.MaxElements
	TimeLimit time.Duration // for one answer of a planner in this process; 0: none. Past it the fault is a hang
}

// Check asks a planner about a case and judges what it answers.
//
// It asks twice: for the case as it is, and with shards, pieces and locations in another order, which must
// give the same plan ("stable") and the same sort of answer. A panic is a fault, and so is a request that the
// planner has changed. A case that needs a feature which the planner lacks is not exercised. A planner that picks
// holders by its own rule is judged as under the policy any where the case has no selector.
func Check(ctx context.Context, planner plan.Planner, c plan.Case, options Options) Verdict {
	if feature, lacks := options.lacks(c); lacks {
		return Verdict{Outcome: NotExercised, Detail: "needs " + feature}
	}
	if c.Raw != nil {
		return checkRaw(ctx, planner, c, options)
	}
	if c.Selector.Policy == plan.PolicyAny {
		c.Selector = plan.Selector{}
		return check(ctx, planner, c, options, true)
	}
	_, named := c.Selector.Feature()
	return check(ctx, planner, c, options, !named && options.Info != nil && options.Info.AnyHolder)
}

// lacks names a feature that the case needs and the planner does not name.
func (o Options) lacks(c plan.Case) (string, bool) {
	if o.Info == nil {
		return "", false
	}
	if feature, needed := c.Selector.Feature(); needed && !o.has(feature) {
		return string(feature), true
	}
	return string(plan.FeatureBudget), c.Budget.Set() && !o.has(plan.FeatureBudget)
}

func (o Options) laidOut() int64 {
	if o.LaidOut == 0 {
		return oracle.MaxElements
	}
	return o.LaidOut
}

func (o Options) has(feature plan.Feature) bool {
	for _, named := range o.Info.Features {
		if named == feature {
			return true
		}
	}
	return false
}

// check asks for the case as it is and reordered. The case has no policy any: anyHolder says that it is judged so.
func check(ctx context.Context, planner plan.Planner, c plan.Case, options Options, anyHolder bool) Verdict {
	asker := asker{ctx, planner, options.TimeLimit}
	print := fingerprint(&c.Request, 0)
	memory := reorderings.Get().(*reordering)
	other := memory.of(c.Request, print)
	otherPrint := fingerprint(&other, 0)

	judged := c
	if anyHolder {
		judged.Selector = plan.Selector{Policy: plan.PolicyAny}
	}
	answer, err := asker.ask(c.Request)
	if err != nil && !isRefusal(err) {
		return Judge(judged, answer, err)
	}
	again, againErr := asker.ask(other)
	if !isHang(againErr) {
		defer reorderings.Put(memory) // a planner that hangs may still read it
	}
	if fingerprint(&c.Request, 0) != print || fingerprint(&other, 0) != otherPrint {
		// The request is no longer the one that was asked, so the answer cannot be judged.
		return judgeFault(&plan.Fault{Name: "changed request", Detail: "the planner changed what it was asked"})
	}
	v := judge(judged, answer, err, options.laidOut())
	if !v.compare(judged, again, againErr) {
		return v
	}
	if options.Complete {
		requireComplete(c, &v)
	}
	if options.Relations && v.Outcome == Exact {
		v.relate(asker, c, anyHolder)
	}
	return v
}

func isRefusal(err error) bool {
	var refusal *plan.Refusal
	return errors.As(err, &refusal)
}

// compare judges the answer to the reordered request beside the first. It is false where the planner did not answer.
//
// A plan must be the same plan, and a refusal must be a refusal again, for a reason that is due. Its kind and
// its message may differ: a request with several faults may be refused for any one of them.
func (v *Verdict) compare(c plan.Case, answer plan.Answer, err error) bool {
	if err == nil {
		switch {
		case !v.Answered:
			v.breaks(StableID, "refused, but with shards, pieces and locations reordered planned")
		case !equalAnswers(&v.Answer, &answer):
			v.breaks(StableID, differenceOf(&v.Answer, &answer))
		}
		return true
	}
	again := Judge(c, plan.Answer{}, err)
	switch {
	case again.CannotRun != nil:
		*v = again
		return false
	case again.Fault != nil:
		v.breaks(FaultID, "with shards, pieces and locations reordered: "+again.Fault.Error())
		v.Fault = again.Fault
		return false
	case v.Answered:
		v.breaks(StableID, "planned, but with shards, pieces and locations reordered "+err.Error())
	case again.Outcome == Broken && v.Outcome != Broken:
		v.breaks(OutcomeID, "with shards, pieces and locations reordered "+again.Detail)
	}
	return true
}

// equalAnswers reports whether two answers are the same, value for value.
func equalAnswers(a, b *plan.Answer) bool {
	if (a.MovedElements == nil) != (b.MovedElements == nil) ||
		a.MovedElements != nil && *a.MovedElements != *b.MovedElements ||
		(a.Plan.LogicalShape == nil) != (b.Plan.LogicalShape == nil) ||
		!equalInts(a.Plan.LogicalShape, b.Plan.LogicalShape) ||
		len(a.Plan.Segments) != len(b.Plan.Segments) {
		return false
	}
	for i := range a.Plan.Segments {
		if !equalSegments(&a.Plan.Segments[i], &b.Plan.Segments[i]) {
			return false
		}
	}
	return true
}

func equalSegments(a, b *plan.Segment) bool {
	return equalInts(a.Shape, b.Shape) && equalEndpoints(&a.Source, &b.Source) && equalEndpoints(&a.Target, &b.Target)
}

func equalEndpoints(a, b *plan.Endpoint) bool {
	return a.Rank == b.Rank && a.Offset == b.Offset && equalInts(a.Strides, b.Strides)
}

func equalInts(a, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// differenceOf says where two answers that differ do so first.
func differenceOf(a, b *plan.Answer) string {
	const reordered = "with shards, pieces and locations reordered "
	if len(a.Plan.Segments) != len(b.Plan.Segments) {
		return fmt.Sprintf("%d segments, %s%d", len(a.Plan.Segments), reordered, len(b.Plan.Segments))
	}
	for i := range a.Plan.Segments {
		if one, other := &a.Plan.Segments[i], &b.Plan.Segments[i]; !equalSegments(one, other) {
			return fmt.Sprintf("segment %d is %s, %s%s", i, segmentText(one), reordered, segmentText(other))
		}
	}
	return "the stated shape or count differs " + strings.TrimSpace(reordered)
}

func segmentText(s *plan.Segment) string {
	return fmt.Sprintf("%v from %d at %d %v to %d at %d %v", s.Shape,
		s.Source.Rank, s.Source.Offset, s.Source.Strides, s.Target.Rank, s.Target.Offset, s.Target.Strides)
}

// checkRaw sends two values that are no maps. A planner within this process cannot be sent them.
func checkRaw(ctx context.Context, planner plan.Planner, c plan.Case, options Options) Verdict {
	raw, ok := planner.(plan.RawPlanner)
	if !ok {
		return Verdict{Outcome: NotExercised, Detail: "no maps: only for a planner process"}
	}
	asker := asker{ctx, planRaw{raw, *c.Raw}, options.TimeLimit}
	answer, err := asker.ask(plan.Request{})
	v := Judge(c, answer, err)
	if options.Complete {
		requireComplete(c, &v)
	}
	return v
}

// planRaw is a raw planner with what to send it.
type planRaw struct {
	plan.RawPlanner
	raw plan.Raw
}

func (p planRaw) Plan(ctx context.Context, _ plan.Request) (plan.Answer, error) {
	return p.PlanRaw(ctx, p.raw)
}

// An asker puts requests to one planner, and turns what a planner must not do into faults.
type asker struct {
	ctx     context.Context
	planner plan.Planner
	limit   time.Duration
}

func (a asker) ask(request plan.Request) (plan.Answer, error) {
	if a.limit == 0 {
		return guarded(a.ctx, a.planner, request)
	}
	type result struct {
		answer plan.Answer
		err    error
	}
	done := make(chan result, 1)
	go func() {
		answer, err := guarded(a.ctx, a.planner, request)
		done <- result{answer, err}
	}()
	timer := time.NewTimer(a.limit)
	defer timer.Stop()
	select {
	case r := <-done:
		return r.answer, r.err
	case <-timer.C:
		// The goroutine is lost: nothing can end a planner in this process.
		return plan.Answer{}, &plan.Fault{Name: hang, Detail: "no answer within " + a.limit.String()}
	}
}

// hang is the name of the fault of a planner that does not answer in time.
const hang = "hang"

func isHang(err error) bool {
	var fault *plan.Fault
	return errors.As(err, &fault) && fault.Name == hang
}

// guarded asks, a panic becoming a fault.
func guarded(ctx context.Context, planner plan.Planner, request plan.Request) (answer plan.Answer, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &plan.Fault{Name: "panic", Detail: firstLine(fmt.Sprint(value)), Log: string(debug.Stack())}
		}
	}()
	return planner.Plan(ctx, request)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
