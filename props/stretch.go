package props

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// A span is a run of coordinates on one axis: lo is in it and hi is not.
type span struct{ lo, hi int64 }

// A stretch maps the coordinates of one axis to fewer or to more. It never changes their order, so boxes stay
// boxes and neighbours stay neighbours.
type stretch struct {
	axis int
	gone []span // removed coordinates, ascending and apart
	by   int64  // factor of what is left
}

// to is where a coordinate goes: past what is removed below it, times the factor.
func (s stretch) to(x int64) int64 {
	kept := x
	for _, g := range s.gone {
		kept -= max(0, min(x, g.hi)-g.lo)
	}
	return kept * s.by
}

// stretched is the map with one logical axis stretched, every piece and shard following. It is false where a
// shard would not be filled by its pieces any more.
//
// A lenient stretch is for maps that are broken anyway: a shard that it cannot read stays as it is, and none has
// to be filled. The caller then looks whether the map is still broken in the same way.
func stretched(m plan.Map, s stretch, lenient bool) (plan.Map, bool) {
	if s.axis >= len(m.LogicalShape) {
		return m, lenient
	}
	out := plan.Map{LogicalShape: slices.Clone(m.LogicalShape), Shards: slices.Clone(m.Shards)}
	out.LogicalShape[s.axis] = s.to(m.LogicalShape[s.axis])
	if _, ok := plan.Elements(out.LogicalShape); !ok || !factorFits(m, s) {
		return m, false
	}
	for i, shard := range m.Shards {
		placed := placeShard(m.LogicalShape, shard)
		next, ok := placed.stretched(out.LogicalShape, s, lenient)
		if ok {
			out.Shards[i] = next
		} else if !lenient {
			return m, false
		}
	}
	return out, true
}

// factorFits reports whether the stretched tensor and shards still count their elements in an int64, those that do so
// before.
func factorFits(m plan.Map, s stretch) bool {
	for _, shape := range append(shapes(m), m.LogicalShape) {
		elements, _ := plan.Elements(shape)
		if hi, lo := bits.Mul64(uint64(elements), uint64(s.by)); hi != 0 || lo > math.MaxInt64 {
			return false
		}
	}
	return true
}

func shapes(m plan.Map) [][]int64 {
	out := make([][]int64, len(m.Shards))
	for i, shard := range m.Shards {
		out[i] = shard.Shape
	}
	return out
}

// stretched is the shard after the stretch, in a tensor of the given new shape.
func (s *placedShard) stretched(logical []int64, by stretch, lenient bool) (plan.Shard, bool) {
	if s.placement == opaque {
		return s.Shard, false
	}
	return s.followed(s.moveSources(logical, by), by, lenient)
}

// followed is the shard closed up, or drawn apart, so that it follows its pieces.
func (s *placedShard) followed(moved []plan.Piece, by stretch, lenient bool) (plan.Shard, bool) {
	if s.placement == packed {
		return s.repacked(moved), true
	}
	for along := range s.Shape {
		if shard, ok := s.regrid(moved, by, along, lenient); ok {
			return shard, true
		}
	}
	return s.Shard, false
}

// moveSources gives the pieces their boxes in the new tensor. A piece that is removed whole has a nil shape.
func (s *placedShard) moveSources(logical []int64, by stretch) []plan.Piece {
	strides, _ := plan.RowMajor(logical)
	moved := slices.Clone(s.Pieces)
	for i, b := range s.blocks {
		if b == nil {
			continue
		}
		lo, hi := by.to(b.lo[by.axis]), by.to(s.hi(i, by.axis))
		if lo == hi {
			moved[i].Shape = nil
			continue
		}
		piece := &moved[i]
		piece.Shape = slices.Clone(piece.Shape)
		piece.Shape[by.axis] = hi - lo
		at := slices.Clone(b.lo)
		at[by.axis] = lo
		piece.Source = viewAt(at, strides, piece.Source, s.Pieces[i].Shape)
	}
	return moved
}

// viewAt is the view of a block that begins at a coordinate of a row-major tensor. On an axis of extent 1 the
// old stride stays, whatever it is: it may be what a planner trips over.
func viewAt(at, strides []int64, old plan.View, shape []int64) plan.View {
	view := plan.View{Strides: slices.Clone(strides)}
	for axis, x := range at {
		view.Offset += x * strides[axis]
		if shape[axis] == 1 {
			view.Strides[axis] = old.Strides[axis]
		}
	}
	return view
}

// repacked lays the pieces one after another along the shard's last axis.
func (s *placedShard) repacked(moved []plan.Piece) plan.Shard {
	next := int64(0)
	for _, i := range s.byDest() {
		piece := &moved[i]
		if piece.Shape == nil {
			continue
		}
		piece.Dest.Offset = next
		piece.Dest.Strides = slices.Clone(piece.Dest.Strides)
		step := int64(1)
		for n := len(s.blocks[i].order) - 1; n >= 0; n-- {
			axis := s.blocks[i].order[n]
			piece.Dest.Strides[axis] = step
			step *= piece.Shape[axis]
		}
		next += step
	}
	return s.withPieces(packedShape(s.Shape, next), moved)
}

// packedShape is a shape of as many axes that counts so many elements, all of them on the last axis.
func packedShape(shape []int64, elements int64) []int64 {
	if before, _ := plan.Elements(shape); before == elements {
		return shape
	}
	out := make([]int64, max(len(shape), 1))
	for axis := range out {
		out[axis] = 1
	}
	out[len(out)-1] = elements
	return out
}

// withPieces is the shard with another shape and those of the pieces that were not removed. It takes the list.
func (s *placedShard) withPieces(shape []int64, pieces []plan.Piece) plan.Shard {
	shard := s.Shard
	shard.Shape = shape
	for i := range pieces {
		pieces[i] = s.asItCame(i, pieces[i])
	}
	shard.Pieces = slices.DeleteFunc(pieces, func(p plan.Piece) bool { return p.Shape == nil })
	return shard
}

// regrid cuts the shard along one of its axes so that it follows its pieces. It is false where the removed
// elements are not whole slices of the shard on that axis.
func (s *placedShard) regrid(moved []plan.Piece, by stretch, along int, lenient bool) (plan.Shard, bool) {
	moved = slices.Clone(moved)
	cut := stretch{axis: along, gone: s.goneAlong(moved, by, along), by: by.by}
	shape := slices.Clone(s.Shape)
	shape[along] = cut.to(shape[along])
	strides, ok := plan.RowMajor(shape)
	if !ok {
		return s.Shard, false
	}
	for i, b := range s.blocks {
		if b == nil || moved[i].Shape == nil {
			continue
		}
		if !s.follows(i, moved[i], by, cut) {
			return s.Shard, false
		}
		at := slices.Clone(b.at)
		at[along] = cut.to(at[along])
		moved[i].Dest = s.destAt(i, at, strides)
	}
	shard := s.withPieces(shape, moved)
	return shard, lenient || filled(shard)
}

// goneAlong is what a shard axis loses: the cut parts of the pieces that run along it, and all of the pieces removed whole.
func (s *placedShard) goneAlong(moved []plan.Piece, by stretch, along int) []span {
	var gone []span
	for i, b := range s.blocks {
		if b == nil {
			continue
		}
		if moved[i].Shape == nil {
			gone = append(gone, span{b.at[along], b.at[along] + s.extentAlong(i, along)})
			continue
		}
		if b.along[by.axis] != along {
			continue
		}
		start := b.at[along] - b.lo[by.axis]
		for _, g := range by.gone {
			lo := max(g.lo, b.lo[by.axis])
			hi := max(lo, min(g.hi, s.hi(i, by.axis))) // an empty span takes nothing
			gone = append(gone, span{start + lo, start + hi})
		}
	}
	return joinSpans(gone)
}

// extentAlong is how far a piece reaches on an axis of its shard.
func (s *placedShard) extentAlong(piece, along int) int64 {
	for axis, a := range s.blocks[piece].along {
		if a == along {
			return s.Pieces[piece].Shape[axis]
		}
	}
	return 1
}

// joinSpans sorts spans and joins those that touch or overlap.
func joinSpans(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
	var out []span
	for _, s := range spans {
		if n := len(out); n > 0 && s.lo <= out[n-1].hi {
			out[n-1].hi = max(out[n-1].hi, s.hi)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// follows reports whether a piece's place in the cut shard has the extents of its new box.
func (s *placedShard) follows(i int, moved plan.Piece, by, cut stretch) bool {
	b := s.blocks[i]
	reach := s.extentAlong(i, cut.axis)
	want := reach
	if b.along[by.axis] == cut.axis {
		want = moved.Shape[by.axis]
	} else if moved.Shape[by.axis] != s.Pieces[i].Shape[by.axis] {
		return false
	}
	return cut.to(b.at[cut.axis]+reach)-cut.to(b.at[cut.axis]) == want
}

// destAt is the view of a piece that begins at a coordinate of a shard of the given strides.
func (s *placedShard) destAt(i int, at, strides []int64) plan.View {
	old := s.Pieces[i].Dest
	view := plan.View{Strides: slices.Clone(old.Strides)}
	for axis, x := range at {
		view.Offset += x * strides[axis]
	}
	for axis, along := range s.blocks[i].along {
		if along >= 0 {
			view.Strides[axis] = strides[along]
		}
	}
	return view
}

// filled reports whether the pieces count as many elements as the shard. The pieces of a stretched shard stay
// apart, so the count decides.
func filled(shard plan.Shard) bool {
	left, ok := plan.Elements(shard.Shape)
	for _, piece := range shard.Pieces {
		elements, fits := plan.Elements(piece.Shape)
		ok = ok && fits
		left -= elements
	}
	return ok && left == 0
}
