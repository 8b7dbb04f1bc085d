package props

import (
	"iter"
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// maxCells is the most cells of an axis that are taken apart one by one: more are only removed in larger runs.
const maxCells = 256

// stretchBoth stretches an axis of both maps.
func stretchBoth(request plan.Request, s stretch, lenient bool) (plan.Request, bool) {
	var source, target bool
	request.Source, source = stretched(request.Source, s, lenient)
	request.Target, target = stretched(request.Target, s, lenient)
	return request, source && target
}

// axes is the number of axes of the longer of the two logical shapes, which differ only where the maps are broken.
func axes(request plan.Request) int {
	return max(len(request.Source.LogicalShape), len(request.Target.LogicalShape))
}

// cells are the runs of coordinates of one axis that no piece of either map cuts, ascending. There are none
// where the axis has no coordinates.
func cells(request plan.Request, axis int) []span {
	var cuts []int64
	for _, m := range [2]plan.Map{request.Source, request.Target} {
		if axis >= len(m.LogicalShape) {
			continue
		}
		cuts = append(cuts, 0, m.LogicalShape[axis])
		for _, shard := range m.Shards {
			placed := placeShard(m.LogicalShape, shard)
			for i, b := range placed.blocks {
				if b != nil {
					cuts = append(cuts, b.lo[axis], placed.hi(i, axis))
				}
			}
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var out []span
	for i := 1; i < len(cuts); i++ {
		out = append(out, span{cuts[i-1], cuts[i]})
	}
	return out
}

// tails are the spans without the first n coordinates of each.
func tails(spans []span, n int64) []span {
	var out []span
	for _, s := range spans {
		if s.hi-s.lo > n {
			out = append(out, span{s.lo + n, s.hi})
		}
	}
	return out
}

// unitCells shortens every cell to one coordinate, of all axes at once and then of each, and then to two.
func unitCells(request plan.Request, lenient bool) iter.Seq[plan.Request] {
	return func(yield func(plan.Request) bool) {
		for _, width := range [2]int64{1, 2} {
			if next, ok := shorten(request, width, lenient); ok && !yield(next) {
				return
			}
			for axis := range axes(request) {
				if next, ok := without(request, axis, tails(cells(request, axis), width), lenient); ok && !yield(next) {
					return
				}
			}
		}
	}
}

// shorten shortens the cells of every axis. It is false where none is longer.
func shorten(request plan.Request, width int64, lenient bool) (plan.Request, bool) {
	changed := false
	for axis := range axes(request) {
		if next, ok := without(request, axis, tails(cells(request, axis), width), lenient); ok {
			request, changed = next, true
		}
	}
	return request, changed
}

// without removes coordinates of an axis. It is false where there are none to remove, or where that cannot be done.
func without(request plan.Request, axis int, gone []span, lenient bool) (plan.Request, bool) {
	if len(gone) == 0 {
		return request, false
	}
	return stretchBoth(request, stretch{axis: axis, gone: gone, by: 1}, lenient)
}

// fewerCells removes runs of cells from an axis.
func fewerCells(request plan.Request, lenient bool) iter.Seq[plan.Request] {
	return func(yield func(plan.Request) bool) {
		for axis := range axes(request) {
			for _, run := range runsOf(cells(request, axis)) {
				if next, ok := without(request, axis, []span{run}, lenient); ok && !yield(next) {
					return
				}
			}
		}
	}
}

// runsOf are the halves of an axis by its cells, then quarters, down to single cells where they are not too many.
func runsOf(cells []span) []span {
	var runs []span
	for size := len(cells); size > 1; {
		if size = (size + 1) / 2; len(cells)/size > maxCells {
			break
		}
		for lo := 0; lo < len(cells); lo += size {
			runs = append(runs, span{cells[lo].lo, cells[min(lo+size, len(cells))-1].hi})
		}
	}
	return runs
}

// narrowerCells shortens cells: all of an axis by half, and then each by half, by a quarter, down to one
// coordinate. So the shortest length that fails is found in about as many tries as it has binary digits.
func narrowerCells(request plan.Request, lenient bool) iter.Seq[plan.Request] {
	return func(yield func(plan.Request) bool) {
		for axis := range axes(request) {
			all := cells(request, axis)
			if next, ok := without(request, axis, halved(all), lenient); ok && !yield(next) {
				return
			}
			for _, cell := range all[:min(len(all), maxCells)] {
				for less := (cell.hi - cell.lo) / 2; less > 0; less /= 2 {
					gone := []span{{cell.hi - less, cell.hi}}
					if next, ok := without(request, axis, gone, lenient); ok && !yield(next) {
						return
					}
				}
			}
		}
	}
}

// halved are the second halves of spans.
func halved(spans []span) []span {
	var out []span
	for _, s := range spans {
		if less := (s.hi - s.lo) / 2; less > 0 {
			out = append(out, span{s.hi - less, s.hi})
		}
	}
	return out
}

// fewerAxes drops axes of extent 1: all of them, then each.
func fewerAxes(request plan.Request, lenient bool) iter.Seq[plan.Request] {
	return func(yield func(plan.Request) bool) {
		all, changed := request, false
		for axis := axes(request) - 1; axis >= 0; axis-- {
			if next, ok := dropAxis(all, axis, lenient); ok {
				all, changed = next, true
			}
		}
		if changed && !yield(all) {
			return
		}
		for axis := range axes(request) {
			if next, ok := dropAxis(request, axis, lenient); ok && !yield(next) {
				return
			}
		}
	}
}

func dropAxis(request plan.Request, axis int, lenient bool) (plan.Request, bool) {
	var source, target bool
	request.Source, source = withoutAxis(request.Source, axis, lenient)
	request.Target, target = withoutAxis(request.Target, axis, lenient)
	return request, source && target
}

// withoutAxis is the map without an axis of extent 1. A shard of as many axes loses one of its own. It is false
// where the axis is longer, or where a shard has none to lose.
func withoutAxis(m plan.Map, axis int, lenient bool) (plan.Map, bool) {
	if axis >= len(m.LogicalShape) {
		return m, lenient
	}
	if m.LogicalShape[axis] != 1 {
		return m, false
	}
	out := plan.Map{LogicalShape: slices.Delete(slices.Clone(m.LogicalShape), axis, axis+1)}
	for _, shard := range m.Shards {
		if len(shard.Shape) == len(m.LogicalShape) {
			own := axisToLose(shard.Shape, axis)
			if own < 0 {
				return m, false
			}
			shard.Shape = slices.Delete(slices.Clone(shard.Shape), own, own+1)
		}
		turns := placeShard(m.LogicalShape, shard).turns
		kept := shard.Pieces[:0:0]
		for i, piece := range shard.Pieces {
			own := axis
			if turns[i] != nil {
				own = turns[i][axis]
			}
			if next, ok := pieceWithoutAxis(piece, own); ok {
				kept = append(kept, next)
			}
		}
		shard.Pieces = kept
		out.Shards = append(out.Shards, shard)
	}
	return out, true
}

// axisToLose is an axis that a shard can do without and hold as much: one of extent 1, best the same as the
// tensor's. A shard without elements keeps an axis of extent 0. It is -1 where there is none.
func axisToLose(shape []int64, axis int) int {
	if shape[axis] == 1 {
		return axis
	}
	if own := slices.Index(shape, 1); own >= 0 {
		return own
	}
	zero := slices.Index(shape, 0)
	if zero < 0 || len(shape) == 1 {
		return -1
	}
	if zero != axis {
		return axis
	}
	return (axis + 1) % len(shape)
}

// pieceWithoutAxis drops an axis of a piece. It is false for a piece that only that axis empties: the piece would place something.
func pieceWithoutAxis(piece plan.Piece, axis int) (plan.Piece, bool) {
	empty := piece.Empty()
	piece.Shape = withoutEntry(piece.Shape, axis)
	piece.Source.Strides = withoutEntry(piece.Source.Strides, axis)
	piece.Dest.Strides = withoutEntry(piece.Dest.Strides, axis)
	return piece, piece.Empty() == empty
}

// withoutEntry is a list without an entry, where it is long enough to have it.
func withoutEntry(values []int64, at int) []int64 {
	if at >= len(values) {
		return values
	}
	return slices.Delete(slices.Clone(values), at, at+1)
}

// simplerSides replaces a side by one of the simplest layouts: all of the tensor on its lowest rank, or on its two
// lowest, or half of it on each of those.
func simplerSides(request plan.Request, _ bool) iter.Seq[plan.Request] {
	return func(yield func(plan.Request) bool) {
		for _, layout := range [...]func(shape []int64, first, second int) plan.Map{whole, twice, halves} {
			for _, side := range sides {
				next := request
				m := side(&next)
				ranks := append(ranksOf(*m), 0, 0)
				if len(m.Shards) < 2 || !countable(m.LogicalShape) {
					continue
				}
				if *m = layout(m.LogicalShape, ranks[0], ranks[1]); !yield(next) {
					return
				}
			}
		}
	}
}

// sides pick one map of a request.
var sides = [2]func(*plan.Request) *plan.Map{
	func(r *plan.Request) *plan.Map { return &r.Source },
	func(r *plan.Request) *plan.Map { return &r.Target },
}

// countable reports whether a tensor's elements and strides fit an int64.
func countable(shape []int64) bool {
	_, elements := plan.Elements(shape)
	_, strides := plan.RowMajor(shape)
	return elements && strides
}

// whole is the layout with all of the tensor on one rank.
func whole(shape []int64, only, _ int) plan.Map {
	lo := make([]int64, len(shape))
	return plan.Map{LogicalShape: shape, Shards: []plan.Shard{blockShard(only, shape, lo, shape)}}
}

// twice is the layout with all of the tensor on two ranks.
func twice(shape []int64, first, second int) plan.Map {
	lo := make([]int64, len(shape))
	return plan.Map{LogicalShape: shape, Shards: []plan.Shard{
		blockShard(first, shape, lo, shape, second), blockShard(second, shape, lo, shape, first),
	}}
}
