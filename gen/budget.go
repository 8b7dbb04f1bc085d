package gen

import "github.com/shardproof/shardproof/plan"

// budget draws limits whose outcome is clear: at what any plan needs, or just under what every plan needs.
func (d *draw) budget(request *plan.Request) plan.Budget {
	var budget plan.Budget
	switch d.upTo("budget", 31) {
	case 26:
		budget.MaxNdim = d.number(int64(len(request.Target.LogicalShape)))
	case 27:
		budget.MaxPiecesPerMap = d.number(max(pieceCount(&request.Source), pieceCount(&request.Target)))
	case 28:
		budget.MaxSegments = d.number(moved(request))
	case 29:
		budget.MaxPlanBytes = d.number(planBytesBound(request))
	case 30:
		budget = d.everyLimit(request)
	case 31:
		d.tighten(request, &budget)
	}
	return budget
}

// everyLimit sets all limits, and those on a planner's own work to what no planner comes near.
func (d *draw) everyLimit(request *plan.Request) plan.Budget {
	const work = 1 << 40
	return plan.Budget{
		MaxNdim:         d.number(plan.MaxAxes),
		MaxPiecesPerMap: d.number(4096),
		MaxSegments:     d.number(moved(request)),
		MaxPlanBytes:    d.number(planBytesBound(request)),
		MaxPairChecks:   d.number(work),
		MaxMergeChecks:  d.number(work),
		MaxMergePasses:  d.number(work),
	}
}

// planBytesBound bounds the bytes of any exact plan: no plan has more segments than elements to write.
func planBytesBound(request *plan.Request) int64 {
	return mostPlanBytes(min(moved(request), 1<<40))
}

// tighten sets one limit to just under what every exact plan needs, where something is needed at all.
func (d *draw) tighten(request *plan.Request, budget *plan.Budget) {
	segments := shardsToFill(&request.Target)
	axes := int64(len(request.Target.LogicalShape))
	pieces := max(pieceCount(&request.Source), pieceCount(&request.Target))
	switch which := d.upTo("limit too low", 3); {
	case which == 0 && axes > 0:
		budget.MaxNdim = d.number(axes - 1)
	case which == 1 && pieces > 0:
		budget.MaxPiecesPerMap = d.number(pieces - 1)
	case which == 2 && segments > 0:
		budget.MaxSegments = d.number(segments - 1)
	default:
		budget.MaxPlanBytes = d.number(leastPlanBytes(segments) - 1)
	}
}

// moved is how many elements a plan writes, which no exact plan has more segments than.
func moved(request *plan.Request) int64 {
	elements, ok := elementsOf(&request.Target)
	if !ok {
		return 1<<63 - 1
	}
	return elements
}
