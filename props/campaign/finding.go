package campaign

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/shardproof/shardproof/corpus"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/props"
)

// A Finding is a case in which something is broken.
type Finding struct {
	Number  uint64        // of the case in its campaign
	Cause   string        // what is broken: a clause, a relation, outcome or fault
	Verdict props.Verdict // on the case as it was drawn

	Case    plan.Case     // as it was drawn
	Reduced plan.Case     // as simple as it could be made, with what the planner did
	After   props.Verdict // on the reduced case
	Stats   props.ReduceStats
	Path    string // of the file that the reduced case was saved in; "": not saved
	Problem error  // why it could not be saved
}

// conclude draws the case of a finding again, reduces it, and saves what is left.
func (r *running) conclude(ctx context.Context, f *Finding) {
	// A planner may have changed the case that it was asked.
	f.Case = r.Source.Case(f.Number)
	f.Reduced, f.After = f.Case, f.Verdict
	if !isHang(f.Verdict.Fault) || r.Hang == 0 {
		r.reduce(ctx, f)
	}
	f.Reduced.Origin = fmt.Sprintf("%s; found as case %d of seed %d", f.Case.Origin, f.Number, r.Seed)
	f.Reduced.Found = r.foundOf(f)
	f.Reduced.Name = corpus.Name(f.Reduced.Request)
	if r.Out != "" {
		f.Path, f.Problem = corpus.Save(r.Out, f.Reduced)
	}
}

// maxReduced is the most elements a side that are laid out for a candidate of a reduction: larger ones are proved
// by geometry, since a hundred of them laid out would take all of the time that there is.
const maxReduced = 1 << 16

func (r *running) reduce(ctx context.Context, f *Finding) {
	limit := r.ReduceFor
	if limit == 0 {
		limit = DefaultReduceFor
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var turn atomic.Uint64
	options := r.Check
	options.LaidOut = maxReduced
	check := func(c plan.Case) props.Verdict {
		c.Request = props.CloneRequest(c.Request)
		planner := r.Planners[turn.Add(1)%uint64(len(r.Planners))]
		return props.Check(ctx, planner, c, options)
	}
	fails := func(c plan.Case) bool { return r.same(f, check(c)) }
	f.Reduced, f.Stats = props.Reduce(limited, f.Case, fails, r.Options.Reduce)
	f.After = check(f.Reduced)
	if !r.same(f, f.After) {
		// The planner does not do the same each time: what it did first is told.
		f.Reduced, f.After = f.Case, f.Verdict
	}
}

// same reports whether a verdict shows what the finding does.
func (r *running) same(f *Finding, v props.Verdict) bool {
	if f.Verdict.Fault != nil && (v.Fault == nil || v.Fault.Name != f.Verdict.Fault.Name) {
		return false
	}
	if r.GoOn {
		return v.Names(f.Cause)
	}
	return v.Cause(r.Strict) == f.Cause
}

func isHang(fault *plan.Fault) bool { return fault != nil && fault.Name == "hang" }

// foundOf is what a saved case says about the planner.
func (r *running) foundOf(f *Finding) *plan.Found {
	found := &plan.Found{Planner: r.Name, Seed: strconv.FormatUint(r.Seed, 10)}
	found.Broken = append(append(found.Broken, f.After.Broken...), f.After.Should...)
	switch {
	case f.After.Fault != nil:
		found.Fault = f.After.Fault.Name
	case f.After.Answered:
		found.Plan = &f.After.Answer.Plan
	}
	return found
}

// clonePlan is a plan that shares no memory with the first.
func clonePlan(p plan.Plan) plan.Plan {
	p.LogicalShape = slices.Clone(p.LogicalShape)
	p.Segments = slices.Clone(p.Segments)
	for i := range p.Segments {
		s := &p.Segments[i]
		s.Shape = slices.Clone(s.Shape)
		s.Source.Strides, s.Target.Strides = slices.Clone(s.Source.Strides), slices.Clone(s.Target.Strides)
	}
	return p
}
