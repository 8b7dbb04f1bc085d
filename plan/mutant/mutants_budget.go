package mutant

import (
	"context"
	"errors"

	"github.com/shardproof/shardproof/plan"
)

// budgets are the planners that keep the request's limits wrongly.
func budgets() []Mutant {
	return []Mutant{
		{
			Name:    "budget-axes-kind",
			Doc:     "Too many axes are refused as over budget, so a caller that could rebuild raises a limit in vain.",
			Clauses: []string{"outcome"},
			New: tampering(func(ctx context.Context, request plan.Request, next plan.Planner) (plan.Answer, error) {
				answer, err := next.Plan(ctx, request)
				limit := request.Budget.MaxNdim
				refusal := (*plan.Refusal)(nil)
				if past(int64(len(request.Source.LogicalShape)), limit) && errors.As(err, &refusal) && refusal.Kind == plan.Unsupported {
					return answer, plan.Refuse(plan.OverBudget, "%s", refusal.Message)
				}
				return answer, err
			}),
		},
		{
			Name:    "budget-axes-unlimited",
			Doc:     "The limit on axes is not looked at, so an executor is handed copies of more axes than it has loops.",
			Clauses: []string{"outcome"},
			New:     budgeting(func(budget *plan.Budget) { budget.MaxNdim = nil }),
		},
		{
			Name:    "budget-bytes-of-segments-only",
			Doc:     "The bytes of a plan are counted without its shape and brackets, so a message that is allowed does not fit its buffer.",
			Clauses: []string{"budget", "outcome"},
			New: budgeting(func(budget *plan.Budget) {
				if budget.MaxPlanBytes != nil {
					*budget.MaxPlanBytes += int64(len(`{"logical_shape":[],"segments":[]}`))
				}
			}),
		},
		{
			Name:    "budget-bytes-unlimited",
			Doc:     "The limit on a plan's bytes is not looked at, so a plan overruns the message that it must fit.",
			Clauses: []string{"budget", "outcome"},
			New:     budgeting(func(budget *plan.Budget) { budget.MaxPlanBytes = nil }),
		},
		{
			Name:    "budget-cut-to-limit",
			Doc:     "A plan of too many segments is cut to the limit, so the end of the tensor is lost without a word.",
			Clauses: []string{"cover", "outcome"},
			New: changed(func(s *steps) {
				s.limit = func(budget plan.Budget, answered plan.Plan) (plan.Plan, *plan.Refusal) {
					if most := budget.MaxSegments; most != nil && int64(len(answered.Segments)) > max(*most, 0) {
						answered.Segments = answered.Segments[:max(*most, 0)]
					}
					return limit(budget, answered)
				}
			}),
		},
		{
			Name:    "budget-pieces-at-limit",
			Doc:     "A map with exactly as many pieces as allowed is refused.",
			Clauses: []string{"outcome"},
			New: budgeting(func(budget *plan.Budget) {
				if budget.MaxPiecesPerMap != nil {
					*budget.MaxPiecesPerMap--
				}
			}),
		},
		{
			Name:    "budget-pieces-of-both-maps",
			Doc:     "The limit on the pieces of one map is held against both together, so requests within it are refused.",
			Clauses: []string{"outcome"},
			New: changed(func(s *steps) {
				s.checks = replaced(s.checks, "pieces", func(source, target side) *plan.Refusal {
					source.Map = &plan.Map{Shards: append(append([]plan.Shard{}, source.Shards...), target.Shards...)}
					return pieces(source)
				})
			}),
		},
		{
			Name:    "budget-pieces-placing-only",
			Doc:     "Empty pieces are not counted against the limit, so a map that is nothing but empty pieces is never refused.",
			Clauses: []string{"outcome"},
			New: changed(func(s *steps) {
				s.checks = replaced(s.checks, "pieces", both(placingPieces))
			}),
		},
		{
			Name:    "budget-pieces-unlimited",
			Doc:     "The limit on pieces is not looked at, so a hostile map keeps the planner busy for as long as it likes.",
			Clauses: []string{"outcome"},
			New:     budgeting(func(budget *plan.Budget) { budget.MaxPiecesPerMap = nil }),
		},
		{
			Name:    "budget-segments-one-over",
			Doc:     "One segment more than allowed is answered, so a table of fixed size is overrun.",
			Clauses: []string{"budget", "outcome"},
			New: budgeting(func(budget *plan.Budget) {
				if budget.MaxSegments != nil {
					*budget.MaxSegments++
				}
			}),
		},
		{
			Name:    "budget-segments-unlimited",
			Doc:     "The limit on segments is not looked at, so a plan of any length is answered.",
			Clauses: []string{"budget", "outcome"},
			New:     budgeting(func(budget *plan.Budget) { budget.MaxSegments = nil }),
		},
		{
			Name:    "budget-zero-unlimited",
			Doc:     "A limit of 0 counts as none, so the strictest limit allows everything.",
			Clauses: []string{"budget", "outcome"},
			New: budgeting(func(budget *plan.Budget) {
				for _, limit := range []**int64{
					&budget.MaxNdim, &budget.MaxPiecesPerMap, &budget.MaxSegments, &budget.MaxPlanBytes,
				} {
					if *limit != nil && **limit == 0 {
						*limit = nil
					}
				}
			}),
		},
	}
}

// budgeting plans within other limits. Those it is given are its own to change.
func budgeting(change func(*plan.Budget)) func() plan.Planner {
	return tampering(func(ctx context.Context, request plan.Request, next plan.Planner) (plan.Answer, error) {
		for _, limit := range []**int64{
			&request.Budget.MaxNdim, &request.Budget.MaxPiecesPerMap,
			&request.Budget.MaxSegments, &request.Budget.MaxPlanBytes,
		} {
			if *limit != nil {
				own := **limit
				*limit = &own
			}
		}
		change(&request.Budget)
		return next.Plan(ctx, request)
	})
}

func placingPieces(s side) *plan.Refusal {
	var count int64
	for _, shard := range s.Shards {
		for _, piece := range shard.Pieces {
			if !piece.Empty() {
				count++
			}
		}
	}
	if past(count, s.request.Budget.MaxPiecesPerMap) {
		return plan.Refuse(plan.OverBudget, "%s has %d pieces that place something", s.name, count)
	}
	return nil
}
