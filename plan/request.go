package plan

import (
	"context"
	"encoding/json"
)

// An Endpoint is a view into the shard of one rank.
type Endpoint struct {
	Rank int
	View
}

// A Segment is one strided copy from a source shard to a target shard. It has no logical origin: a folded
// copy can span two distinct regions of the logical tensor.
type Segment struct {
	Shape          []int64
	Source, Target Endpoint
}

// A Plan is the copies that turn the source shards into the target shards.
type Plan struct {
	LogicalShape []int64 // nil: not stated
	Segments     []Segment
}

// A Request asks for the copies from one layout of a parameter to another. Source ranks and target ranks
// are two namespaces: source rank 0 and target rank 0 need not be one process.
type Request struct {
	Source, Target Map
	Selector       Selector
	Budget         Budget
}

// An Answer is a plan and what the planner states about it.
type Answer struct {
	Plan          Plan
	MovedElements *int64 // nil: not stated
}

// A Planner answers requests. Plan may be called from several goroutines, and leaves the request as it is.
//
// A *Refusal is an answer and a *Fault a finding; any other error means that the planner cannot be run at
// all. The answer is meaningful only where the error is nil.
type Planner interface {
	Plan(context.Context, Request) (Answer, error)
}

// PlannerFunc is a function as a Planner.
type PlannerFunc func(context.Context, Request) (Answer, error)

// Plan calls the function.
func (f PlannerFunc) Plan(ctx context.Context, request Request) (Answer, error) {
	return f(ctx, request)
}

// Info is what a planner says of itself, as the protocol's hello does.
type Info struct {
	Name, Version string
	Features      []Feature // requests that need another are held back
	AnyHolder     bool      // picks holders by its own rule; judged as under the policy any
}

// A Feature names an optional part of a request: a form of Selector, or a budget.
type Feature string

// The features of the planner protocol, version 1.
const (
	FeaturePrefer   Feature = "prefer"
	FeatureHighest  Feature = "highest"
	FeatureLocal    Feature = "local"
	FeatureBalanced Feature = "balanced"
	FeatureCost     Feature = "cost"
	FeatureReturns  Feature = "returns"
	FeatureBudget   Feature = "budget"
)

// AllFeatures lists every feature, in the order of the protocol.
func AllFeatures() []Feature {
	return []Feature{
		FeaturePrefer, FeatureHighest, FeatureLocal, FeatureBalanced, FeatureCost, FeatureReturns, FeatureBudget,
	}
}

// A Selector says which holder a replicated region is read from. At most one of its forms is set; the zero
// Selector reads from the lowest rank. The candidates are the holders of a region, ascending; the choice is
// made for each target intersection that has more than one.
type Selector struct {
	// Prefer lists source ranks for a target rank: the first that is a candidate is read, else the lowest.
	Prefer map[int][]int
	Policy Policy
	// Cost prices a pair of ranks: the cheapest candidate is read, ties to the lowest rank.
	Cost []Cost
	// Returns is a raw JSON value that the selector answers, whatever it is. Unless it is an integer that is
	// a candidate, the planner must refuse wherever some region has more than one candidate.
	Returns json.RawMessage
}

// A Policy is a named rule for the holder that is read.
type Policy string

const (
	PolicyHighest  Policy = "highest"  // the highest rank
	PolicyLocal    Policy = "local"    // the target's own rank number where it is a candidate, else the lowest
	PolicyBalanced Policy = "balanced" // any candidate, the elements read being spread over the holders
	PolicyAny      Policy = "any"      // any candidate, at the planner's own choice; never sent to a planner
)

// A Cost is the price, at least 0, of reading for a target rank from a source rank; 0 where none is listed.
type Cost struct {
	Source, Target int
	Cost           int64
}

// Feature names the protocol's feature that the selector needs: none for the zero Selector and the policy any.
func (s Selector) Feature() (Feature, bool) {
	switch {
	case s.Prefer != nil:
		return FeaturePrefer, true
	case s.Cost != nil:
		return FeatureCost, true
	case s.Returns != nil:
		return FeatureReturns, true
	case s.Policy == "" || s.Policy == PolicyAny:
		return "", false
	}
	return Feature(s.Policy), true
}

// A Budget bounds a plan and the work of making it; a nil limit does not bound. Past a limit the request is
// refused whole with kind budget (MaxNdim: unsupported), never cut short.
type Budget struct {
	MaxNdim         *int64 // axes of the logical tensor
	MaxPiecesPerMap *int64 // pieces of one map, empty ones counted
	MaxSegments     *int64 // segments of the plan answered, after folding
	MaxPlanBytes    *int64 // bytes of the plan in its compact form

	// The planner's own work, as it counts it.
	MaxPairChecks, MaxMergeChecks, MaxMergePasses *int64
}

// Set reports whether any limit is given.
func (b Budget) Set() bool { return b != Budget{} }

// A RawPlanner is a planner that also takes requests whose maps are JSON values but no maps, as a process does.
type RawPlanner interface {
	PlanRaw(context.Context, Raw) (Answer, error)
}
