package props

import (
	"fmt"
	"slices"

	"github.com/shardproof/shardproof/oracle"
	"github.com/shardproof/shardproof/plan"
)

// flatSize doubles every extent. Extents of 1 are left out: on such an axis copies join that do not join when
// it is longer.
func flatSize(r *relating) string {
	doubled := r.request
	if hasOnes(r.request) || segmentOnes(r.answer.Plan) {
		return ""
	}
	for axis := range r.request.Source.LogicalShape {
		var ok bool
		by := stretch{axis: axis, by: 2}
		if doubled.Source, ok = stretched(doubled.Source, by, false); !ok {
			return ""
		}
		if doubled.Target, ok = stretched(doubled.Target, by, false); !ok {
			return ""
		}
	}
	answer, ok := r.ask(doubled)
	r.held = r.held || ok && segmentOnes(answer.Plan)
	if !ok || r.ownChoice() || r.held {
		return ""
	}
	return countsDiffer(len(answer.Plan.Segments), len(r.answer.Plan.Segments), "with every extent doubled")
}

func countsDiffer(got, want int, how string) string {
	if got == want {
		return ""
	}
	return fmt.Sprintf("%d segments %s, not %d", got, how, want)
}

// hasOnes reports whether a tensor, a shard or a piece that places something has an extent of 1.
func hasOnes(request plan.Request) bool {
	for _, m := range [2]plan.Map{request.Source, request.Target} {
		if slices.Contains(m.LogicalShape, 1) {
			return true
		}
		for _, shard := range m.Shards {
			one := func(p plan.Piece) bool { return !p.Empty() && slices.Contains(p.Shape, 1) }
			if slices.Contains(shard.Shape, 1) || slices.ContainsFunc(shard.Pieces, one) {
				return true
			}
		}
	}
	return false
}

func segmentOnes(p plan.Plan) bool {
	return slices.ContainsFunc(p.Segments, func(s plan.Segment) bool { return slices.Contains(s.Shape, 1) })
}

// insertAxis puts an axis of extent 1 into the middle of the tensor and of each shard, where all blocks are
// row-major: the strides of other blocks on such an axis are anyone's, and decide what joins.
func insertAxis(r *relating) string {
	axes := len(r.request.Source.LogicalShape)
	if axes == plan.MaxAxes || !rowMajorBlocks(r.request.Source) || !rowMajorBlocks(r.request.Target) {
		return ""
	}
	wider := r.request
	wider.Source, wider.Target = withAxis(wider.Source, axes/2, 1), withAxis(wider.Target, axes/2, 1)
	answer, ok := r.ask(wider)
	if !ok || r.ownChoice() {
		return ""
	}
	return copiesDiffer(answer.Plan, r.answer.Plan, "with an axis of extent 1")
}

// rowMajorBlocks reports whether every piece lists its axes in the tensor's order, and runs along those of its
// shard likewise.
func rowMajorBlocks(m plan.Map) bool {
	for _, shard := range placeMap(m) {
		if shard.placement != grid || len(shard.Shape) != len(m.LogicalShape) {
			return false
		}
		for i, b := range shard.blocks {
			if b == nil {
				continue
			}
			if shard.turns[i] != nil {
				return false
			}
			for axis, along := range b.along {
				if along >= 0 && along != axis {
					return false
				}
			}
		}
	}
	return true
}

// appendAxis adds an axis of extent 3 after the last, where all blocks are row-major as for insertAxis.
func appendAxis(r *relating) string {
	const extent = 3
	axes := len(r.request.Source.LogicalShape)
	if axes == plan.MaxAxes || !rowMajorBlocks(r.request.Source) || !rowMajorBlocks(r.request.Target) ||
		!factorFits(r.request.Source, stretch{by: extent}) || !factorFits(r.request.Target, stretch{by: extent}) {
		return ""
	}
	wider := r.request
	wider.Source, wider.Target = withAxis(wider.Source, axes, extent), withAxis(wider.Target, axes, extent)
	answer, ok := r.ask(wider)
	if !ok || r.ownChoice() {
		return ""
	}
	want := plan.Plan{Segments: slices.Clone(r.answer.Plan.Segments)}
	for i := range want.Segments {
		segment := &want.Segments[i]
		segment.Shape = append(slices.Clone(segment.Shape), extent)
		segment.Source.View = longer(segment.Source.View, extent)
		segment.Target.View = longer(segment.Target.View, extent)
	}
	return copiesDiffer(answer.Plan, want, "with an axis added")
}

// withAxis is the map with an axis put before the given one: all of the new axis wherever anything is. The blocks
// are row-major.
func withAxis(m plan.Map, axis int, extent int64) plan.Map {
	out := plan.Map{LogicalShape: slices.Insert(slices.Clone(m.LogicalShape), axis, extent)}
	for _, shard := range m.Shards {
		shard.Pieces = slices.Clone(shard.Pieces)
		for i := range shard.Pieces {
			piece := &shard.Pieces[i]
			piece.Shape = slices.Insert(slices.Clone(piece.Shape), axis, extent)
			piece.Source = widened(piece.Source, m.LogicalShape, axis, extent)
			piece.Dest = widened(piece.Dest, shard.Shape, axis, extent)
		}
		shard.Shape = slices.Insert(slices.Clone(shard.Shape), axis, extent)
		out.Shards = append(out.Shards, shard)
	}
	return out
}

// widened is a view of a tensor or shard with an axis put in. One of extent 1 steps as far as all that comes after
// it; a longer one is the last and steps by 1, all else stepping over it.
func widened(view plan.View, shape []int64, axis int, extent int64) plan.View {
	if extent > 1 {
		return longer(view, extent)
	}
	step, _ := plan.Elements(shape[axis:])
	return plan.View{Offset: view.Offset, Strides: slices.Insert(slices.Clone(view.Strides), axis, step)}
}

// longer is a view with another axis after its last, of stride 1.
func longer(view plan.View, extent int64) plan.View {
	out := plan.View{Offset: view.Offset * extent, Strides: slices.Clone(view.Strides)}
	for axis := range out.Strides {
		out.Strides[axis] *= extent
	}
	out.Strides = append(out.Strides, 1)
	return out
}

// copiesDiffer says how two plans differ in what they copy, axes of extent 1 aside; "" where they do not.
func copiesDiffer(got, want plan.Plan, how string) string {
	if detail := countsDiffer(len(got.Segments), len(want.Segments), how); detail != "" {
		return detail
	}
	for i := range got.Segments {
		one, other := squeezed(got.Segments[i]), squeezed(want.Segments[i])
		if !equalSegments(&one, &other) {
			return fmt.Sprintf("segment %d %s is %s, not %s", i, how, segmentText(&one), segmentText(&other))
		}
	}
	return ""
}

// squeezed is a segment without its axes of extent 1.
func squeezed(s plan.Segment) plan.Segment {
	out := s
	out.Shape, out.Source.Strides, out.Target.Strides = nil, nil, nil
	for axis, extent := range s.Shape {
		if extent != 1 {
			out.Shape = append(out.Shape, extent)
			out.Source.Strides = append(out.Source.Strides, s.Source.Strides[axis])
			out.Target.Strides = append(out.Target.Strides, s.Target.Strides[axis])
		}
	}
	return out
}

// permuteAxes turns the axes of the tensor round, and those of each shard that has the tensor's axes.
func permuteAxes(r *relating) string {
	turned := r.request
	var ok bool
	if turned.Source, ok = reversed(r.request.Source); !ok {
		return ""
	}
	if turned.Target, ok = reversed(r.request.Target); !ok {
		return ""
	}
	return r.sameMoves(turned, "with axes reversed")
}

// sameMoves asks for a request that should have as much move between each two ranks, and to the right end. How
// that is cut into segments is the planner's own.
func (r *relating) sameMoves(request plan.Request, how string) string {
	answer, ok := r.ask(request)
	if !ok {
		return ""
	}
	if detail := wrongEnd(request, answer); detail != "" {
		return how + ": " + detail
	}
	if r.ownChoice() {
		return ""
	}
	got, want := movedBetween(answer.Plan), movedBetween(r.answer.Plan)
	if !slices.Equal(got, want) {
		return fmt.Sprintf("%s moves %v, not %v, as source rank, target rank and elements", how, got, want)
	}
	return ""
}

// wrongEnd says where a plan for a request leaves something else than the target map wants; "" where it does
// not, or where there is too much to run.
func wrongEnd(request plan.Request, answer plan.Answer) string {
	start, ok := labelled(request.Source)
	want, fits := labelled(request.Target)
	if !ok || !fits {
		return ""
	}
	end, err := oracle.Apply(request, answer, start)
	if err != nil {
		return err.Error()
	}
	return shardsDiffer(request.Target, end, want)
}

// reversed is the map with the tensor's axes in the opposite order. It is false where a piece is no box.
func reversed(m plan.Map) (plan.Map, bool) {
	out := plan.Map{LogicalShape: turned(m.LogicalShape)}
	strides, ok := plan.RowMajor(out.LogicalShape)
	if !ok {
		return m, false
	}
	for _, shard := range m.Shards {
		placed := placeShard(m.LogicalShape, shard)
		if placed.placement == opaque {
			return m, false
		}
		turn := placed.placement == grid && len(shard.Shape) == len(m.LogicalShape)
		if turn {
			shard.Shape = turned(shard.Shape)
		}
		own, _ := plan.RowMajor(shard.Shape)
		shard.Pieces = placed.Pieces
		for i, b := range placed.blocks {
			piece := &shard.Pieces[i]
			piece.Shape = turned(piece.Shape)
			piece.Source.Strides, piece.Dest.Strides = turned(piece.Source.Strides), turned(piece.Dest.Strides)
			if b == nil {
				continue
			}
			piece.Source = viewAt(turned(b.lo), strides, piece.Source, piece.Shape)
			if turn {
				placed.turnDest(i, piece, own)
			}
		}
		out.Shards = append(out.Shards, shard)
	}
	return out, true
}

// turnDest places a piece in its shard turned round.
func (s *placedShard) turnDest(i int, piece *plan.Piece, own []int64) {
	b := s.blocks[i]
	piece.Dest.Offset = 0
	for axis, x := range turned(b.at) {
		piece.Dest.Offset += x * own[axis]
	}
	last := len(b.along) - 1
	for axis, along := range b.along {
		if along >= 0 {
			piece.Dest.Strides[last-axis] = own[last-along]
		}
	}
}

func turned(values []int64) []int64 {
	out := slices.Clone(values)
	slices.Reverse(out)
	return out
}

// cutPiece cuts the longest axis of the first target piece that has two elements on an axis.
func cutPiece(r *relating) string {
	cut := r.request
	var ok bool
	if cut.Target, ok = withCutPiece(r.request.Target); !ok {
		return ""
	}
	return r.sameMoves(cut, "with a target piece cut in two")
}

func withCutPiece(m plan.Map) (plan.Map, bool) {
	for s, shard := range m.Shards {
		for p, piece := range shard.Pieces {
			axis := longestAxis(piece.Shape)
			if axis < 0 || piece.Empty() || piece.Shape[axis] < 2 {
				continue
			}
			m.Shards = slices.Clone(m.Shards)
			m.Shards[s].Pieces = slices.Clone(shard.Pieces)
			first, second := cutInTwo(piece, axis)
			m.Shards[s].Pieces[p] = first
			m.Shards[s].Pieces = append(m.Shards[s].Pieces, second)
			return m, true
		}
	}
	return m, false
}

func cutInTwo(piece plan.Piece, axis int) (first, second plan.Piece) {
	first, second = piece, piece
	first.Shape, second.Shape = slices.Clone(piece.Shape), slices.Clone(piece.Shape)
	half := piece.Shape[axis] / 2
	first.Shape[axis] = half
	second.Shape[axis] -= half
	second.Source.Offset += half * piece.Source.Strides[axis]
	second.Dest.Offset += half * piece.Dest.Strides[axis]
	return first, second
}

var flatSizeCanaries = []PlannerCanary{{
	"cuts a copy where the tensor is large", rowsToColumns,
	spoilWhere(func(r plan.Request) bool { return r.Source.LogicalShape[0] > 4 }, cutFirst),
}}

var insertAxisCanaries = []PlannerCanary{{
	"cuts a copy of three axes", rowsToColumns,
	spoilWhere(func(r plan.Request) bool { return len(r.Source.LogicalShape) == 3 }, cutFirst),
}}

var appendAxisCanaries = []PlannerCanary{{
	"cuts a copy whose last axis is 3", rowsToColumns,
	spoilWhere(func(r plan.Request) bool { return r.Source.LogicalShape[len(r.Source.LogicalShape)-1] == 3 }, cutFirst),
}}

var permuteAxesCanaries = []PlannerCanary{{
	"reads a tensor with more rows than columns wrongly", rowsToColumns,
	spoilWhere(func(r plan.Request) bool { return r.Source.LogicalShape[0] > 4 }, readElsewhere),
}}

var cutPieceCanaries = []PlannerCanary{{
	"reads for a shard of two pieces wrongly", rowsToColumns,
	spoilWhere(func(r plan.Request) bool { return len(r.Target.Shards[0].Pieces) > 1 }, readElsewhere),
}}
