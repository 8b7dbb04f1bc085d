package props

import (
	"context"
	"slices"

	"github.com/shardproof/shardproof/oracle"
	"github.com/shardproof/shardproof/plan"
)

// roundTrip runs the plan and one back, from the labelled source shards.
func roundTrip(r *relating) string {
	start, ok := labelled(r.request.Source)
	if !ok {
		return ""
	}
	way := plan.Request{Source: r.request.Target, Target: r.request.Source}
	back, ok := r.ask(way)
	if !ok {
		return ""
	}
	middle, err := oracle.Apply(r.request, r.answer, start)
	if err != nil {
		return "" // too much to run: the plan was found exact
	}
	end, err := oracle.Apply(way, back, middle)
	if err != nil {
		return "back: " + err.Error()
	}
	return shardsDiffer(way.Target, end, start)
}

// compose runs the plan and one on to a third layout, and compares with one straight to the third.
func compose(r *relating) string {
	start, ok := labelled(r.request.Source)
	if !ok || !countable(r.request.Source.LogicalShape) {
		return ""
	}
	third := halves(r.request.Source.LogicalShape, 0, 1)
	way, straight := plan.Request{Source: r.request.Target, Target: third}, plan.Request{Source: r.request.Source, Target: third}
	on, ok := r.ask(way)
	if !ok {
		return ""
	}
	at, ok := r.ask(straight)
	if !ok {
		return ""
	}
	middle, err := oracle.Apply(r.request, r.answer, start)
	if err != nil {
		return "" // too much to run: the plan was found exact
	}
	end, err := oracle.Apply(way, on, middle)
	if err != nil {
		return "on to the third layout: " + err.Error()
	}
	want, err := oracle.Apply(straight, at, start)
	if err != nil {
		return "straight to the third layout: " + err.Error()
	}
	return shardsDiffer(third, end, want)
}

// halves is a layout with the longest axis cut in two over two ranks, or all of the tensor on the first.
func halves(shape []int64, first, second int) plan.Map {
	m := plan.Map{LogicalShape: shape}
	lo := make([]int64, len(shape))
	axis := longestAxis(shape)
	if axis < 0 || shape[axis] < 2 {
		m.Shards = []plan.Shard{blockShard(first, shape, lo, shape)}
		return m
	}
	upper, lower, from := slices.Clone(shape), slices.Clone(shape), slices.Clone(lo)
	from[axis] = shape[axis] / 2
	upper[axis] = from[axis]
	lower[axis] -= from[axis]
	m.Shards = []plan.Shard{blockShard(first, shape, lo, upper), blockShard(second, shape, from, lower)}
	return m
}

// longestAxis is the first of the longest axes, -1 of a scalar.
func longestAxis(shape []int64) int {
	longest := -1
	for axis, extent := range shape {
		if longest < 0 || extent > shape[longest] {
			longest = axis
		}
	}
	return longest
}

// blockShard is the shard of a rank that holds one box of the tensor, which may be empty, along with others.
func blockShard(rank int, logical, lo, shape []int64, others ...int) plan.Shard {
	strides, _ := plan.RowMajor(logical)
	own, _ := plan.RowMajor(shape)
	shard := plan.Shard{Rank: rank, Shape: shape}
	if elements, _ := plan.Elements(shape); elements == 0 {
		return shard
	}
	source := plan.View{Strides: strides}
	for axis, x := range lo {
		source.Offset += x * strides[axis]
	}
	shard.Pieces = []plan.Piece{{
		Shape: shape, Source: source, Dest: plan.View{Strides: own}, Locations: append([]int{rank}, others...),
	}}
	return shard
}

// rowsToColumns is a case for the canaries: 4x6 in rows over 2 ranks, to columns over 2.
func rowsToColumns() plan.Case {
	shape := []int64{4, 6}
	source := plan.Map{LogicalShape: shape, Shards: []plan.Shard{
		blockShard(0, shape, []int64{0, 0}, []int64{2, 6}), blockShard(1, shape, []int64{2, 0}, []int64{2, 6}),
	}}
	target := plan.Map{LogicalShape: shape, Shards: []plan.Shard{
		blockShard(0, shape, []int64{0, 0}, []int64{4, 3}), blockShard(1, shape, []int64{0, 3}, []int64{4, 3}),
	}}
	return plan.Case{
		Name: "canary", Request: plan.Request{Source: source, Target: target}, Expect: plan.Expect{Outcome: plan.Exact},
	}
}

// spoilWhere is a canary planner: right but where a condition on the request holds, and there its plan is spoilt.
func spoilWhere(condition func(plan.Request) bool, spoil func(*plan.Plan)) func(plan.Planner) plan.Planner {
	return func(right plan.Planner) plan.Planner {
		return plan.PlannerFunc(func(ctx context.Context, request plan.Request) (plan.Answer, error) {
			answer, err := right.Plan(ctx, request)
			if err == nil && condition(request) {
				answer.Plan.Segments = slices.Clone(answer.Plan.Segments)
				spoil(&answer.Plan)
			}
			return answer, err
		})
	}
}

// readElsewhere lets the last segment read where the first does.
func readElsewhere(p *plan.Plan) { p.Segments[len(p.Segments)-1].Source = p.Segments[0].Source }

// cutFirst gives the first segment as two copies, cut in the middle of its last axis, where both sides step by 1.
func cutFirst(p *plan.Plan) {
	first := p.Segments[0]
	axis := len(first.Shape) - 1
	half := first.Shape[axis] / 2
	one, rest := first, first
	one.Shape, rest.Shape = slices.Clone(first.Shape), slices.Clone(first.Shape)
	one.Shape[axis] = half
	rest.Shape[axis] -= half
	rest.Source.Offset += half
	rest.Target.Offset += half
	p.Segments = append([]plan.Segment{one, rest}, p.Segments[1:]...)
}

var stableCanaries = []PlannerCanary{{
	"begins with the shard that stands first", rowsToColumns,
	spoilWhere(func(r plan.Request) bool { return r.Source.Shards[0].Rank == 1 }, cutFirst),
}}

var roundTripCanaries = []PlannerCanary{{
	"reads shards narrower than the tensor wrongly", rowsToColumns,
	spoilWhere(func(r plan.Request) bool { return narrow(r.Source) && !narrow(r.Target) }, readElsewhere),
}}

var composeCanaries = []PlannerCanary{{
	"reads shards narrower than the tensor wrongly where the target is as narrow", rowsToColumns,
	spoilWhere(func(r plan.Request) bool { return narrow(r.Source) && narrow(r.Target) }, readElsewhere),
}}

// narrow reports whether the first shard has a shorter last axis than the tensor.
func narrow(m plan.Map) bool {
	axis := len(m.LogicalShape) - 1
	return m.Shards[0].Shape[axis] < m.LogicalShape[axis]
}
