package props

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// simplerSelectors drops the selector, and then entries of its lists.
func simplerSelectors(request plan.Request, _ bool) iter.Seq[plan.Request] {
	return func(yield func(plan.Request) bool) {
		s := request.Selector
		with := func(s plan.Selector) bool {
			next := request
			next.Selector = s
			return yield(next)
		}
		if _, named := s.Feature(); named && !with(plan.Selector{}) {
			return
		}
		for _, rank := range slices.Sorted(maps.Keys(s.Prefer)) {
			fewer := maps.Clone(s.Prefer)
			delete(fewer, rank)
			if len(fewer) > 0 && !with(plan.Selector{Prefer: fewer}) {
				return
			}
			shorter := maps.Clone(s.Prefer)
			for i := range s.Prefer[rank] {
				shorter[rank] = slices.Delete(slices.Clone(s.Prefer[rank]), i, i+1)
				if len(shorter[rank]) > 0 && !with(plan.Selector{Prefer: shorter}) {
					return
				}
				shorter = maps.Clone(shorter)
			}
		}
		for i := range s.Cost {
			if len(s.Cost) > 1 && !with(plan.Selector{Cost: slices.Delete(slices.Clone(s.Cost), i, i+1)}) {
				return
			}
		}
	}
}

// fewerLimits drops all limits, and then each.
func fewerLimits(request plan.Request, _ bool) iter.Seq[plan.Request] {
	return func(yield func(plan.Request) bool) {
		if !request.Budget.Set() {
			return
		}
		next := request
		next.Budget = plan.Budget{}
		if !yield(next) {
			return
		}
		for _, limit := range limits {
			next := request
			if *limit(&next.Budget) == nil {
				continue
			}
			*limit(&next.Budget) = nil
			if !yield(next) {
				return
			}
		}
	}
}

var limits = [...]func(*plan.Budget) **int64{
	func(b *plan.Budget) **int64 { return &b.MaxNdim },
	func(b *plan.Budget) **int64 { return &b.MaxPiecesPerMap },
	func(b *plan.Budget) **int64 { return &b.MaxSegments },
	func(b *plan.Budget) **int64 { return &b.MaxPlanBytes },
	func(b *plan.Budget) **int64 { return &b.MaxPairChecks },
	func(b *plan.Budget) **int64 { return &b.MaxMergeChecks },
	func(b *plan.Budget) **int64 { return &b.MaxMergePasses },
}

// plainer makes a request plainer without making it smaller: all ways at once, then each.
func plainer(request plan.Request, _ bool) iter.Seq[plan.Request] {
	ways := [...]func(plan.Request) plan.Request{usualPlacement, usualStrides, usualOrder, usualRanks}
	return func(yield func(plan.Request) bool) {
		all := request
		for _, way := range ways {
			all = way(all)
		}
		if !yield(all) {
			return
		}
		for _, way := range ways {
			if !yield(way(request)) {
				return
			}
		}
	}
}

// usualPlacement lays a shard of one block out row-major, with the axes of the tensor.
func usualPlacement(request plan.Request) plan.Request {
	for _, side := range sides {
		m := side(&request)
		m.Shards = slices.Clone(m.Shards)
		for i, shard := range m.Shards {
			placed := placeShard(m.LogicalShape, shard)
			if placed.placement == opaque || len(shard.Pieces) != 1 || placed.blocks[0] == nil || !filled(shard) {
				continue
			}
			piece := placed.Pieces[0]
			strides, _ := plan.RowMajor(piece.Shape)
			piece.Dest = plan.View{Strides: strides}
			m.Shards[i].Shape = piece.Shape
			m.Shards[i].Pieces = []plan.Piece{piece}
		}
	}
	return request
}

// usualStrides lists the axes of each piece in the tensor's order, and gives those of extent 1 the strides that a
// longer axis would have.
func usualStrides(request plan.Request) plan.Request {
	for _, side := range sides {
		m := side(&request)
		m.Shards = slices.Clone(m.Shards)
		for i, shard := range m.Shards {
			placed := placeShard(m.LogicalShape, shard)
			if placed.placement == opaque {
				continue
			}
			own, _ := plan.RowMajor(shard.Shape)
			m.Shards[i].Pieces = placed.Pieces
			for j, b := range placed.blocks {
				if b == nil {
					continue
				}
				piece := &m.Shards[i].Pieces[j]
				piece.Source.Strides = placed.strides
				piece.Dest.Strides = slices.Clone(piece.Dest.Strides)
				for axis, extent := range piece.Shape {
					if extent == 1 && len(own) == len(piece.Shape) {
						piece.Dest.Strides[axis] = own[axis]
					}
				}
			}
		}
	}
	return request
}

// usualOrder lists shards by rank, pieces by where they begin in the shard, and locations ascending.
func usualOrder(request plan.Request) plan.Request {
	for _, side := range sides {
		m := side(&request)
		m.Shards = slices.Clone(m.Shards)
		slices.SortStableFunc(m.Shards, func(a, b plan.Shard) int { return cmp.Compare(a.Rank, b.Rank) })
		for i, shard := range m.Shards {
			pieces := slices.Clone(shard.Pieces)
			for j := range pieces {
				pieces[j].Locations = slices.Clone(pieces[j].Locations)
				slices.Sort(pieces[j].Locations)
			}
			slices.SortStableFunc(pieces, comparePieces)
			m.Shards[i].Pieces = pieces
		}
	}
	return request
}

// comparePieces orders pieces by where they begin in the shard. Those that place nothing may begin anywhere, so
// equals are told apart by all else that decides where a piece stands.
func comparePieces(a, b plan.Piece) int {
	return cmp.Or(
		cmp.Compare(a.Dest.Offset, b.Dest.Offset), cmp.Compare(a.Source.Offset, b.Source.Offset),
		slices.Compare(a.Shape, b.Shape), slices.Compare(a.Source.Strides, b.Source.Strides),
		slices.Compare(a.Dest.Strides, b.Dest.Strides), slices.Compare(a.Locations, b.Locations),
	)
}

// usualRanks numbers ranks from 0 in their order: those of each side on its own, or of both together where the
// selector compares a source rank with a target rank.
func usualRanks(request plan.Request) plan.Request {
	source, target := ranksOf(request.Source), ranksOf(request.Target)
	if request.Selector.Policy == plan.PolicyLocal {
		source = slices.Concat(source, target)
		slices.Sort(source)
		source = slices.Compact(source)
		target = source
	}
	return renamed(request, numbering(source), numbering(target))
}

// ranksOf lists the ranks that a map names, ascending.
func ranksOf(m plan.Map) []int {
	var ranks []int
	for _, shard := range m.Shards {
		ranks = append(ranks, shard.Rank)
		for _, piece := range shard.Pieces {
			ranks = append(ranks, piece.Locations...)
		}
	}
	slices.Sort(ranks)
	return slices.Compact(ranks)
}

// numbering names each listed rank by its place. Another, which only a selector may name, keeps its number, or
// moves past the others where it would become one of them.
func numbering(ranks []int) func(int) int {
	return func(rank int) int {
		at, listed := slices.BinarySearch(ranks, rank)
		switch {
		case listed:
			return at
		case rank >= 0 && rank < len(ranks):
			return rank + len(ranks)
		}
		return rank
	}
}
