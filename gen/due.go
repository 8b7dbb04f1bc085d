package gen

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/shardproof/shardproof/plan"
)

// due fills in what a right answer to a request of two valid maps is: the refusals that its selector and its
// budget call for, else a plan, which a planner of less geometry may refuse as unsupported.
//
// A limit between what every exact plan fits and what none fits is not judged: the plan is due, and a
// refusal by a limit that was sent is no fault.
func (d *draw) due(request *plan.Request) plan.Expect {
	var kinds [3]plan.Kind
	refusals := kinds[:0]
	if refusedByBudget(request) {
		refusals = append(refusals, plan.OverBudget)
	}
	if refusedBySelector(request) {
		refusals = append(refusals, plan.BadSelection)
	}
	tooManyAxes := over(int64(len(request.Target.LogicalShape)), request.Budget.MaxNdim)
	wide := wide(request)
	switch {
	case tooManyAxes || len(refusals) > 0 && wide:
		refusals = append(refusals, plan.Unsupported)
		fallthrough
	case len(refusals) > 0:
		return plan.Expect{Outcome: plan.Refused, Kinds: slices.Clone(refusals)}
	}
	expect := plan.Expect{Outcome: plan.Exact}
	if elements, ok := elementsOf(&request.Target); ok {
		expect.MovedElements = d.number(elements)
	}
	if wide {
		expect.Outcome = plan.ExactOrUnsupported
	}
	return expect
}

func over(count int64, limit *int64) bool { return limit != nil && count > *limit }

// refusedByBudget reports whether no exact plan fits the budget. Every target shard with elements takes a
// segment at least.
func refusedByBudget(request *plan.Request) bool {
	if !request.Budget.Set() {
		return false
	}
	segments := shardsToFill(&request.Target)
	return over(pieceCount(&request.Source), request.Budget.MaxPiecesPerMap) ||
		over(pieceCount(&request.Target), request.Budget.MaxPiecesPerMap) ||
		over(segments, request.Budget.MaxSegments) ||
		over(leastPlanBytes(segments), request.Budget.MaxPlanBytes)
}

func pieceCount(m *plan.Map) int64 {
	n := 0
	for s := range m.Shards {
		n += len(m.Shards[s].Pieces)
	}
	return int64(n)
}

func shardsToFill(m *plan.Map) int64 {
	n := int64(0)
	for s := range m.Shards {
		if !slices.Contains(m.Shards[s].Shape, 0) {
			n++
		}
	}
	return n
}

// leastPlanBytes is less than the compact form of any plan of so many segments.
func leastPlanBytes(segments int64) int64 {
	return int64(len(`{"segments":[]}`)) + segments*int64(len(`{"shape":[],"source":[0,0,[]],"target":[0,0,[]]}`))
}

// mostPlanBytes is more than the compact form of any plan of so many segments, whatever its numbers.
func mostPlanBytes(segments int64) int64 {
	const numbers = 4 + 3*plan.MaxAxes
	return 1000 + segments*(60+numbers*21)
}

// elementsOf counts the elements of all shards. It is false where they are more than int64 holds.
func elementsOf(m *plan.Map) (int64, bool) {
	total := int64(0)
	for s := range m.Shards {
		elements, ok := plan.Elements(m.Shards[s].Shape)
		if !ok || total+elements < 0 {
			return 0, false
		}
		total += elements
	}
	return total, true
}

// refusedBySelector reports whether the selector answers something that is no candidate where it is asked:
// for a region that several source ranks hold.
func refusedBySelector(request *plan.Request) bool {
	if request.Selector.Returns == nil {
		return false
	}
	rank, isInteger := integer(request.Selector.Returns)
	for s := range request.Source.Shards {
		pieces := request.Source.Shards[s].Pieces
		for p := range pieces {
			asked := len(pieces[p].Locations) > 1 && !pieces[p].Empty()
			if asked && !(isInteger && slices.Contains(pieces[p].Locations, rank)) {
				return true
			}
		}
	}
	return false
}

// integer reads a JSON value that is written as an integer: 1.0 is none.
func integer(value json.RawMessage) (int, bool) {
	n, err := strconv.Atoi(string(value))
	return n, err == nil
}

// wide reports whether a right request has geometry that a planner may leave out: more axes than 8 or more
// elements than int64 holds, a shard of another number of axes, a block that is not row-major in the tensor or
// its shard, or source replicas cut differently.
func wide(request *plan.Request) bool {
	_, countable := plan.Elements(request.Source.LogicalShape)
	return !countable || len(request.Source.LogicalShape) > plan.MaxAxes ||
		unusualBlocks(&request.Source) || unusualBlocks(&request.Target) || cutsDiffer(&request.Source)
}

func unusualBlocks(m *plan.Map) bool {
	for s := range m.Shards {
		shard := &m.Shards[s]
		if len(shard.Shape) != len(m.LogicalShape) {
			return true
		}
		for p := range shard.Pieces {
			piece := &shard.Pieces[p]
			if piece.Empty() {
				continue
			}
			if !isRowMajor(piece.Shape, piece.Source.Strides, m.LogicalShape) ||
				!isRowMajor(piece.Shape, piece.Dest.Strides, shard.Shape) {
				return true
			}
		}
	}
	return false
}

// isRowMajor reports whether a block steps through a tensor as the tensor's row-major strides do, wherever
// it steps at all.
func isRowMajor(block, strides, tensor []int64) bool {
	step := int64(1)
	for axis := len(tensor) - 1; axis >= 0; axis-- {
		if block[axis] > 1 && strides[axis] != step {
			return false
		}
		step *= max(tensor[axis], 1)
	}
	return true
}

// cutsDiffer reports whether some block that a shard holds in one piece is cut otherwise in a shard that is
// said to hold it too.
func cutsDiffer(m *plan.Map) bool {
	for s := range m.Shards {
		for p := range m.Shards[s].Pieces {
			piece := &m.Shards[s].Pieces[p]
			if len(piece.Locations) < 2 || piece.Empty() {
				continue
			}
			for t := range m.Shards {
				if t != s && slices.Contains(piece.Locations, m.Shards[t].Rank) && sameBlock(piece, &m.Shards[t]) < 0 {
					return true
				}
			}
		}
	}
	return false
}

// sameBlock finds the piece of a shard that is the same block of the tensor; -1 where it has none.
func sameBlock(piece *plan.Piece, in *plan.Shard) int {
	for p := range in.Pieces {
		other := &in.Pieces[p]
		if other.Source.Offset == piece.Source.Offset && slices.Equal(other.Shape, piece.Shape) {
			return p
		}
	}
	return -1
}
