// Package reference is this project's own planner. It plans every right request, says the same each time,
// and looks at metadata alone: its time and memory depend on the number of intersections, never on sizes.
//
// A request is planned in the order of this package's files: both maps are validated and resolved to boxes
// of F (package plan); source blocks become regions, each with the ranks that hold it (regions.go); target
// blocks are intersected with them (intersect.go); each intersection gets the rank that it reads from
// (select.go, and balance.go with flow.go for the policy balanced); the copies are folded (fold.go,
// stack.go), and the answer held against the budget (budget.go, size.go).
package reference

import (
	"context"

	"github.com/shardproof/shardproof/plan"
)

// A Folding says which copies between two ranks become one segment.
type Folding uint8

const (
	// Addresses joins copies wherever both address mappings continue: plan.fold.
	Addresses Folding = iota
	// Pieces joins copies only inside one source piece, as DeepSpeed's planner first did.
	Pieces
	// Stack also joins equal copies at equal distances into a new axis. It never needs more segments than
	// Addresses does.
	Stack
)

// String is the folding's name: addresses, pieces or stack.
func (f Folding) String() string {
	return [...]string{Addresses: "addresses", Pieces: "pieces", Stack: "stack"}[f]
}

// A Planner is the reference planner. The zero Planner folds by addresses.
type Planner struct{ Folding Folding }

// Info is what the reference planner says of itself: it takes every form of a request.
func Info() plan.Info {
	return plan.Info{Name: "shardproof reference", Version: "1", Features: plan.AllFeatures()}
}

// Plan answers a request with an exact plan or a *plan.Refusal. Equal requests get equal answers, whatever
// the order of shards, pieces and locations. The request is left as it is and the answer shares no memory
// with it. Where the context is done first, its error is returned.
func (p Planner) Plan(ctx context.Context, request plan.Request) (plan.Answer, error) {
	if err := ctx.Err(); err != nil {
		return plan.Answer{}, err
	}
	if refusal := withinPieces(request); refusal != nil {
		return plan.Answer{}, refusal
	}
	source, target, refusal := plan.ValidateRequest(request)
	if refusal != nil {
		return plan.Answer{}, refusal
	}
	if refusal := withinAxes(request); refusal != nil {
		return plan.Answer{}, refusal
	}
	work := newMeter(ctx, request.Budget)
	desk := desks.Get().(*desk)
	defer desk.leave()
	moves, err := resolve(request, source, target, desk, work)
	if err != nil {
		return plan.Answer{}, err
	}
	if moves, err = p.Folding.fold(moves, work); err != nil {
		return plan.Answer{}, err
	}
	answer := answerOf(request.Source.LogicalShape, moves)
	if refusal := withinPlan(request.Budget, answer.Plan); refusal != nil {
		return plan.Answer{}, refusal
	}
	return answer, nil
}

// resolve turns the blocks of both sides into copies that are not folded yet, in plan.order.
func resolve(request plan.Request, source, target []plan.Block, desk *desk, work *meter) ([]move, error) {
	p := partitionOf(request.Source, source, desk)
	if isBalanced(request.Selector) {
		var err error
		if p, err = p.refine(work); err != nil {
			return nil, err
		}
	}
	found, err := crossingsOf(request.Target, target, p.regions, desk, work)
	if err != nil {
		return nil, err
	}
	if refusal := chooseReaders(found, request.Selector, p.candidates); refusal != nil {
		return nil, refusal
	}
	return movesOf(found, desk), nil
}

// fold joins moves in the way that the folding names.
func (f Folding) fold(moves []move, work *meter) ([]move, error) {
	if f == Stack {
		return stack(moves, work)
	}
	return fold(moves, f == Pieces, work)
}
