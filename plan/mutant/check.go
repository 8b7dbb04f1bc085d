package mutant

import (
	"cmp"
	"math"
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// A side is one map of a request, with its blocks once the checks that need none have passed.
type side struct {
	name string
	*plan.Map
	request *plan.Request
	blocks  []block
}

// A check refuses a request for one reason. A placed check needs the blocks of both sides.
type check struct {
	name    string
	placed  bool
	refuses func(source, target side) *plan.Refusal
}

// checks are in the order in which they are asked. Each may rely on those before it: above all, no check that
// is placed sees a piece that is no box of the tensor.
func checks() []check {
	return []check{
		{"same-shape", false, sameShape},
		{"ranks", false, both(ranks)},
		{"declared", false, both(declared)},
		{"extents", false, both(extents)},
		{"arity", false, both(arity)},
		{"named", false, both(named)},
		{"scale-zero", false, both(scaleZero)},
		{"axes", false, both(axes)},
		{"pieces", false, both(pieces)},
		{"overflow", false, both(overflow)},
		{"vacant", false, both(vacant)},
		{"bounds", false, both(bounds)},
		{"scale", false, both(scale)},
		{"strides", false, both(strides)},

		{"tiled-once", true, both(tiledOnce)},
		{"tiled", true, both(tiled)},
		{"held-once", true, both(heldOnce)},
		{"holds-own", true, both(holdsOwn)},
		{"holder-shards", true, both(holderShards)},
		{"holders-full", true, both(holdersFull)},
		{"holders-hidden", true, both(holdersHidden)},
		{"source-covers", true, func(source, _ side) *plan.Refusal { return covers(source) }},
		{"target-covers", true, func(_, target side) *plan.Refusal { return covers(target) }},
	}
}

// both asks a check of one map about the source, then about the target.
func both(refuses func(side) *plan.Refusal) func(source, target side) *plan.Refusal {
	return func(source, target side) *plan.Refusal {
		return cmp.Or(refuses(source), refuses(target))
	}
}

func sameShape(source, target side) *plan.Refusal {
	if !slices.Equal(source.LogicalShape, target.LogicalShape) {
		return plan.Refuse(plan.Invalid, "source is %v and target %v", source.LogicalShape, target.LogicalShape)
	}
	return nil
}

func ranks(s side) *plan.Refusal {
	seen := map[int]bool{}
	for _, shard := range s.Shards {
		if shard.Rank < 0 || seen[shard.Rank] {
			return plan.Refuse(plan.Invalid, "%s rank %d is negative or stands twice", s.name, shard.Rank)
		}
		seen[shard.Rank] = true
	}
	return nil
}

func declared(s side) *plan.Refusal {
	for _, shard := range s.Shards {
		if shard.Undeclared {
			return plan.Refuse(plan.Invalid, "%s rank %d has no shard shape", s.name, shard.Rank)
		}
	}
	return nil
}

func extents(s side) *plan.Refusal {
	if negative(s.LogicalShape) {
		return plan.Refuse(plan.Invalid, "%s logical shape %v", s.name, s.LogicalShape)
	}
	for _, shard := range s.Shards {
		if negative(shard.Shape) {
			return plan.Refuse(plan.Invalid, "%s rank %d shard shape %v", s.name, shard.Rank, shard.Shape)
		}
	}
	return s.eachPiece("a negative extent", plan.Invalid, func(_ plan.Shard, piece plan.Piece) bool {
		return negative(piece.Shape)
	})
}

func negative(shape []int64) bool {
	return slices.ContainsFunc(shape, func(extent int64) bool { return extent < 0 })
}

func arity(s side) *plan.Refusal {
	axes := len(s.LogicalShape)
	return s.eachPiece("another number of axes", plan.Invalid, func(_ plan.Shard, piece plan.Piece) bool {
		return len(piece.Shape) != axes || len(piece.Source.Strides) != axes || len(piece.Dest.Strides) != axes
	})
}

func named(s side) *plan.Refusal {
	return s.eachPiece("no locations", plan.Invalid, func(_ plan.Shard, piece plan.Piece) bool {
		return len(piece.Locations) == 0
	})
}

func scaleZero(s side) *plan.Refusal {
	return s.eachPiece("a scale that is 0 or no number", plan.Invalid, func(_ plan.Shard, piece plan.Piece) bool {
		return piece.Scale != nil && (*piece.Scale == 0 || math.IsNaN(*piece.Scale) || math.IsInf(*piece.Scale, 0))
	})
}

// axes keeps the planner's own limit and the request's.
func axes(s side) *plan.Refusal {
	limit := int64(plan.MaxAxes)
	if s.request.Budget.MaxNdim != nil {
		limit = min(limit, *s.request.Budget.MaxNdim)
	}
	if int64(len(s.LogicalShape)) > limit {
		return plan.Refuse(plan.Unsupported, "%d axes, and the limit is %d", len(s.LogicalShape), limit)
	}
	return nil
}

func pieces(s side) *plan.Refusal {
	var count int64
	for _, shard := range s.Shards {
		count += int64(len(shard.Pieces))
	}
	if past(count, s.request.Budget.MaxPiecesPerMap) {
		return plan.Refuse(plan.OverBudget, "%s has %d pieces, and the limit is %d", s.name, count, *s.request.Budget.MaxPiecesPerMap)
	}
	return nil
}

func overflow(s side) *plan.Refusal {
	if _, ok := plan.RowMajor(s.LogicalShape); !ok {
		return plan.Refuse(plan.Unsupported, "%s logical shape %v is past int64", s.name, s.LogicalShape)
	}
	for _, shard := range s.Shards {
		if _, ok := plan.RowMajor(shard.Shape); !ok {
			return plan.Refuse(plan.Unsupported, "%s rank %d shard shape %v is past int64", s.name, shard.Rank, shard.Shape)
		}
	}
	return nil
}

// vacant refuses a piece that places something in a shard without elements.
func vacant(s side) *plan.Refusal {
	return s.eachPiece("elements in an empty shard", plan.Invalid, func(shard plan.Shard, piece plan.Piece) bool {
		return volume(shard.Shape) == 0 && !piece.Empty()
	})
}

// bounds refuses what leaves the tensor or the shard along an axis that it walks. Strides that walk along no
// axis are left to the next check.
func bounds(s side) *plan.Refusal {
	return s.eachPiece("outside", plan.Invalid, func(shard plan.Shard, piece plan.Piece) bool {
		return !piece.Empty() &&
			(!inside(piece.Shape, piece.Source, s.LogicalShape) || !insideShard(piece.Shape, piece.Dest, shard.Shape))
	})
}

func insideShard(shape []int64, view plan.View, shard []int64) bool {
	if flat(shard) {
		return insideFlat(shape, view, volume(shard))
	}
	return inside(shape, view, shard)
}

// flat reports whether a shard has one axis to speak of, along which a block may lie in any way.
func flat(shard []int64) bool {
	long := 0
	for _, extent := range shard {
		if extent > 1 {
			long++
		}
	}
	return long < 2
}

func inside(shape []int64, view plan.View, tensor []int64) bool {
	if view.Offset < 0 || view.Offset >= volume(tensor) {
		return false
	}
	// Where both a straight and a permuted reading of the strides are possible, one that fits will do.
	straight := sameSteps(shape, view.Strides, rowMajor(tensor))
	if straight && fits(shape, inOrder(len(shape)), view.Offset, tensor) {
		return true
	}
	axes, boxed := walked(shape, view.Strides, tensor)
	if !boxed {
		return !straight
	}
	return fits(shape, axes, view.Offset, tensor)
}

func inOrder(axes int) []int {
	order := make([]int, axes)
	for axis := range order {
		order[axis] = axis
	}
	return order
}

// fits reports whether extents along given axes of a tensor end inside it.
func fits(shape []int64, axes []int, offset int64, tensor []int64) bool {
	lo := coordinates(offset, tensor)
	for k, axis := range axes {
		if axis >= 0 && lo[axis] > tensor[axis]-shape[k] {
			return false
		}
	}
	return true
}

// insideFlat is for a flat shard, along which any forward stride walks.
func insideFlat(shape []int64, view plan.View, length int64) bool {
	if view.Offset < 0 || view.Offset >= length {
		return false
	}
	last := view.Offset
	for k, extent := range shape {
		if extent < 2 || view.Strides[k] <= 0 {
			continue
		}
		if view.Strides[k] > (length-1-last)/(extent-1) {
			return false
		}
		last += (extent - 1) * view.Strides[k]
	}
	return true
}

func scale(s side) *plan.Refusal {
	return s.eachPiece("a scale other than 1", plan.Unsupported, func(_ plan.Shard, piece plan.Piece) bool {
		return piece.Scale != nil && *piece.Scale != 1
	})
}

// strides refuses pieces that are no boxes of the tensor, placed in the shard as boxes or in a flat one.
func strides(s side) *plan.Refusal {
	return s.eachPiece("strides that are not row-major", plan.Unsupported, func(shard plan.Shard, piece plan.Piece) bool {
		if piece.Empty() {
			return false
		}
		_, source := walked(piece.Shape, piece.Source.Strides, s.LogicalShape)
		return !source || !placed(piece, shard.Shape)
	})
}

func placed(piece plan.Piece, shard []int64) (ok bool) {
	if flat(shard) {
		_, ok = stretches(piece.Shape, piece.Dest)
	} else {
		_, ok = walked(piece.Shape, piece.Dest.Strides, shard)
	}
	return ok
}

// eachPiece refuses the first piece that has a fault.
func (s side) eachPiece(fault string, kind plan.Kind, has func(plan.Shard, plan.Piece) bool) *plan.Refusal {
	for _, shard := range s.Shards {
		for i, piece := range shard.Pieces {
			if has(shard, piece) {
				return plan.Refuse(kind, "%s rank %d piece %d: %s", s.name, shard.Rank, i, fault)
			}
		}
	}
	return nil
}
