package mutant

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/reference"
)

// conducts are the planners that misbehave round their plan: they remember, change the request, give up.
func conducts() []Mutant {
	return []Mutant{
		{
			Name:    "conduct-cache-by-shape",
			Doc:     "Plans are remembered by the shape of the tensor alone, so another layout of a tensor of that shape gets an old plan.",
			Clauses: []string{"values", "holder", "bounds", "cover", "once", "valid", "moved", "budget", "outcome"},
			Small:   true,
			New:     func() plan.Planner { return new(cache) },
		},
		{
			Name:    "conduct-changes-locations",
			Doc:     "The request's locations are sorted in place, so a map that is shared or hashed changes under its owner.",
			Clauses: []string{"fault"},
			Small:   true,
			New: spoiling(func(_ *plan.Shard, piece *plan.Piece) {
				slices.Sort(piece.Locations)
			}),
		},
		{
			Name:    "conduct-changes-pieces",
			Doc:     "The request's pieces are sorted in place, so a map that is shared or hashed changes under its owner.",
			Clauses: []string{"fault"},
			Small:   true,
			New: spoiling(func(shard *plan.Shard, _ *plan.Piece) {
				slices.SortStableFunc(shard.Pieces, func(a, b plan.Piece) int { return int(min(1, max(-1, a.Source.Offset-b.Source.Offset))) })
			}),
		},
		{
			Name:    "conduct-changes-strides",
			Doc:     "The request's strides on axes of extent 1 are set to 0 in place, so a map that is saved afterwards is another one.",
			Clauses: []string{"fault"},
			Small:   true,
			New: spoiling(func(_ *plan.Shard, piece *plan.Piece) {
				for axis, extent := range piece.Shape {
					if extent == 1 {
						piece.Dest.Strides[axis] = 0
					}
				}
			}),
		},
		{
			Name:    "conduct-cut-at-sixteen",
			Doc:     "A plan has room for sixteen segments and the rest is lost, so only layouts that interleave are cut short.",
			Clauses: []string{"cover"},
			New: answering(func(_ plan.Request, answer *plan.Answer) {
				answer.Plan.Segments = answer.Plan.Segments[:min(16, len(answer.Plan.Segments))]
			}),
		},
		{
			Name:    "conduct-direction-swapped",
			Doc:     "Source and target are exchanged, so the new shards are copied over the old ones.",
			Clauses: []string{"valid", "bounds", "cover", "once", "values", "holder", "moved", "outcome"},
			Small:   true,
			New: tampering(func(ctx context.Context, request plan.Request, next plan.Planner) (plan.Answer, error) {
				request.Source, request.Target = request.Target, request.Source
				return next.Plan(ctx, request)
			}),
		},
		{
			Name:    "conduct-empty-plan",
			Doc:     "Every right request gets a plan of nothing, so no parameter is ever restored.",
			Clauses: []string{"cover"},
			Small:   true,
			New: tampering(func(ctx context.Context, request plan.Request, next plan.Planner) (plan.Answer, error) {
				_, err := next.Plan(ctx, request)
				return plan.Answer{}, err
			}),
		},
		{
			Name:    "conduct-folds-every-other-time",
			Doc:     "Every other plan is left unfolded, so ranks that plan for themselves disagree about the copies.",
			Clauses: []string{"stable"},
			Small:   true,
			New: everyOther(func(s *steps) {
				s.fold = func(segments []plan.Segment, _ joining) []plan.Segment { return segments }
			}),
		},
		{
			Name:    "conduct-fault-on-holder-choice",
			Doc:     "A region with more than one holder ends the planner, so replicated layouts bring a job down.",
			Clauses: []string{"fault"},
			Small:   true,
			New: choosing(func(q question) (int, *plan.Refusal) {
				panic(fmt.Sprintf("mutant: %d candidates", len(q.candidates)))
			}),
		},
		{
			Name:    "conduct-fault-on-scalar",
			Doc:     "A tensor without axes ends the planner, so step counters bring a job down.",
			Clauses: []string{"fault"},
			New: failing(func(request plan.Request) bool {
				return len(request.Source.LogicalShape) == 0
			}),
		},
		{
			Name:    "conduct-fault-on-zero-extent",
			Doc:     "A zero extent ends the planner, as a division by a zero stride does.",
			Clauses: []string{"fault"},
			New: failing(func(request plan.Request) bool {
				return slices.Contains(request.Source.LogicalShape, 0)
			}),
		},
		{
			Name:    "conduct-order-every-other-time",
			Doc:     "Every other plan stands in reverse, so plans that are compared by their bytes never agree.",
			Clauses: []string{"stable"},
			Small:   true,
			New: everyOther(func(s *steps) {
				s.less = func(a, b plan.Segment) int { return less(b, a) }
			}),
		},
	}
}

// spoiling changes the request itself once it is planned.
func spoiling(change func(*plan.Shard, *plan.Piece)) func() plan.Planner {
	return tampering(func(ctx context.Context, request plan.Request, next plan.Planner) (plan.Answer, error) {
		answer, err := next.Plan(ctx, request)
		if err == nil {
			eachPiece(func(_ *plan.Map, shard *plan.Shard, piece *plan.Piece) { change(shard, piece) })(&request)
		}
		return answer, err
	})
}

// failing panics on some requests.
func failing(on func(plan.Request) bool) func() plan.Planner {
	return tampering(func(ctx context.Context, request plan.Request, next plan.Planner) (plan.Answer, error) {
		if on(request) {
			panic("mutant: this request was not thought of")
		}
		return next.Plan(ctx, request)
	})
}

// everyOther is right on its first call, and on every second one after that.
func everyOther(change func(*steps)) func() plan.Planner {
	return func() plan.Planner {
		var calls atomic.Int64
		other := changed(change)()
		return plan.PlannerFunc(func(ctx context.Context, request plan.Request) (plan.Answer, error) {
			if calls.Add(1)%2 == 0 {
				return other.Plan(ctx, request)
			}
			return right().Plan(ctx, request)
		})
	}
}

// A cache answers what it answered to the first request about a tensor of the same shape, as long as it
// remembers.
type cache struct {
	mu      sync.Mutex
	answers map[string]plan.Answer
}

// maxAnswers bounds what a cache remembers.
const maxAnswers = 1 << 8

func (c *cache) Plan(ctx context.Context, request plan.Request) (plan.Answer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	shape := fmt.Sprint(request.Source.LogicalShape)
	if answer, ok := c.answers[shape]; ok {
		return answer, nil
	}
	answer, err := reference.Planner{}.Plan(ctx, request)
	if err != nil {
		return answer, err
	}
	if c.answers == nil || len(c.answers) == maxAnswers {
		c.answers = map[string]plan.Answer{}
	}
	c.answers[shape] = answer
	return answer, nil
}
