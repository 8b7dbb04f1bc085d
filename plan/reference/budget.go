package reference

import (
	"context"
	"math"

	"github.com/shardproof/shardproof/plan"
)

// maxPairChecks bounds the pairs of one request, sent a limit or not: a plan of 2^22 segments would no longer
// fit the 256 MiB line that the planner protocol allows an answer.
const maxPairChecks = 1 << 22

// cancelEvery is how many units of work pass between two looks at the context.
const cancelEvery = 1 << 12

// A meter counts the planner's own work against the request's budget, and notices when nobody waits for the
// answer any more.
type meter struct {
	ctx context.Context

	pairChecks  counter // pairs of a source region and a target block that meet
	mergeChecks counter // times that a segment's continuation is looked for
	mergePasses counter // passes over all segments along one axis
}

// A counter is one kind of work: how much is done and how much may be.
type counter struct {
	name        string
	used, limit int64
}

func newMeter(ctx context.Context, budget plan.Budget) *meter {
	return &meter{
		ctx:         ctx,
		pairChecks:  counter{name: "max_pair_checks", limit: atMost(maxPairChecks, budget.MaxPairChecks)},
		mergeChecks: counter{name: "max_merge_checks", limit: atMost(math.MaxInt64, budget.MaxMergeChecks)},
		mergePasses: counter{name: "max_merge_passes", limit: atMost(math.MaxInt64, budget.MaxMergePasses)},
	}
}

// atMost is a limit that a request may lower.
func atMost(limit int64, sent *int64) int64 {
	if sent == nil {
		return limit
	}
	return min(limit, *sent)
}

// spend is called before each unit of work. It is a refusal where the limit is reached, and the context's
// error where that is done.
func (m *meter) spend(c *counter) error {
	if c.used >= c.limit {
		return plan.Refuse(plan.OverBudget, "%s: more than %d needed", c.name, c.limit)
	}
	c.used++
	if c.used%cancelEvery == 0 {
		return m.ctx.Err()
	}
	return nil
}

// withinPieces checks max_pieces_per_map, which bounds everything that comes after.
func withinPieces(request plan.Request) *plan.Refusal {
	limit := request.Budget.MaxPiecesPerMap
	if limit == nil {
		return nil
	}
	for _, side := range []struct {
		name string
		m    plan.Map
	}{{"source", request.Source}, {"target", request.Target}} {
		if n := pieces(side.m); n > *limit {
			return plan.Refuse(plan.OverBudget, "max_pieces_per_map: %s has %d pieces, limit %d", side.name, n, *limit)
		}
	}
	return nil
}

func pieces(m plan.Map) int64 {
	n := 0
	for i := range m.Shards {
		n += len(m.Shards[i].Pieces)
	}
	return int64(n)
}

// withinAxes checks max_ndim: the request's limit, or the project's own.
func withinAxes(request plan.Request) *plan.Refusal {
	limit := atMost(plan.MaxAxes, request.Budget.MaxNdim)
	if axes := int64(len(request.Source.LogicalShape)); axes > limit {
		return plan.Refuse(plan.Unsupported, "max_ndim: logical shape has %d axes, limit %d", axes, limit)
	}
	return nil
}

// withinPlan checks the limits that bound the finished plan.
func withinPlan(budget plan.Budget, p plan.Plan) *plan.Refusal {
	if limit := budget.MaxSegments; limit != nil && int64(len(p.Segments)) > *limit {
		return plan.Refuse(plan.OverBudget, "max_segments: plan has %d segments, limit %d", len(p.Segments), *limit)
	}
	if limit := budget.MaxPlanBytes; limit != nil {
		if n := compactBytes(p); n > *limit {
			return plan.Refuse(plan.OverBudget, "max_plan_bytes: plan takes %d bytes, limit %d", n, *limit)
		}
	}
	return nil
}
