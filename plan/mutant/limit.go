package mutant

import "github.com/shardproof/shardproof/plan"

// limit refuses a plan past one of the two limits on a finished plan. This planner does the same work for
// every request of a size, so it counts none of its own.
func limit(budget plan.Budget, answered plan.Plan) (plan.Plan, *plan.Refusal) {
	if past(int64(len(answered.Segments)), budget.MaxSegments) {
		return plan.Plan{}, plan.Refuse(plan.OverBudget, "%d segments, and the limit is %d", len(answered.Segments), *budget.MaxSegments)
	}
	if budget.MaxPlanBytes != nil && past(planBytes(answered), budget.MaxPlanBytes) {
		return plan.Plan{}, plan.Refuse(plan.OverBudget, "%d bytes, and the limit is %d", planBytes(answered), *budget.MaxPlanBytes)
	}
	return answered, nil
}

func planBytes(answered plan.Plan) int64 { return int64(len(plan.CompactPlan(answered))) }

func past(count int64, limit *int64) bool { return limit != nil && count > *limit }
