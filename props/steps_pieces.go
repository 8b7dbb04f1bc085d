package props

import (
	"iter"
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// fewerPieces joins pieces and drops those that place nothing: everywhere, then on a side, then in a shard.
func fewerPieces(request plan.Request, lenient bool) iter.Seq[plan.Request] {
	return func(yield func(plan.Request) bool) {
		everywhere, changed := request, false
		for _, side := range sides {
			if m, ok := joined(*side(&request), -1); ok {
				*side(&everywhere), changed = m, true
			}
		}
		if !changed || !yield(everywhere) {
			return
		}
		for _, side := range sides {
			for i := range len(side(&request).Shards) + 1 {
				if m, ok := joined(*side(&request), i-1); ok {
					next := request
					*side(&next) = m
					if !yield(next) {
						return
					}
				}
			}
		}
	}
}

// joined is the map with the pieces of one shard, or of all (-1), joined. It is false where nothing changes.
func joined(m plan.Map, only int) (plan.Map, bool) {
	logical := m.LogicalShape
	m.Shards = slices.Clone(m.Shards)
	changed := false
	for i, shard := range m.Shards {
		if only >= 0 && only != i {
			continue
		}
		next := shard
		next.Pieces = slices.DeleteFunc(slices.Clone(shard.Pieces), plan.Piece.Empty)
		for len(next.Pieces) <= maxJoined && joinOnce(logical, &next) {
		}
		if len(next.Pieces) < len(shard.Pieces) {
			m.Shards[i], changed = next, true
		}
	}
	return m, changed
}

// maxJoined is the most pieces of a shard that are looked at pair by pair.
const maxJoined = 256

// joinOnce joins the first two pieces that are one block together. It is false where there are none.
func joinOnce(logical []int64, shard *plan.Shard) bool {
	placed := placeShard(logical, *shard)
	if placed.placement == opaque {
		return false
	}
	for i := range placed.blocks {
		for j := range placed.blocks {
			both, ok := placed.join(i, j)
			if !ok {
				continue
			}
			next := *shard
			next.Pieces = slices.Clone(shard.Pieces)
			next.Pieces[i] = both
			next.Pieces = slices.Delete(next.Pieces, j, j+1)
			if placeShard(logical, next).placement != opaque {
				*shard = next
				return true
			}
		}
	}
	return false
}

// join is the one piece that two are together, the second going on where the first ends along one axis, in the
// tensor and in the shard.
func (s *placedShard) join(i, j int) (plan.Piece, bool) {
	first, second := s.Pieces[i], s.Pieces[j]
	if i == j || first.Scale != nil || second.Scale != nil || !sameRanks(first.Locations, second.Locations) {
		return first, false
	}
	axis := s.nextAlong(i, j)
	if axis < 0 {
		return first, false
	}
	distance := second.Dest.Offset - first.Dest.Offset
	step := distance / first.Shape[axis]
	if step*first.Shape[axis] != distance || !sameSteps(first, second, axis, step) {
		return first, false
	}
	both := first
	both.Shape = slices.Clone(first.Shape)
	both.Shape[axis] += second.Shape[axis]
	both.Source.Strides = slices.Clone(s.strides)
	both.Dest.Strides = slices.Clone(first.Dest.Strides)
	both.Dest.Strides[axis] = step
	return both, true
}

// nextAlong is the axis along which one block follows another of the same extents on every other axis, or -1.
func (s *placedShard) nextAlong(i, j int) int {
	along := -1
	for axis, lo := range s.blocks[i].lo {
		other := s.blocks[j].lo[axis]
		switch {
		case lo == other && s.Pieces[i].Shape[axis] == s.Pieces[j].Shape[axis]:
		case along < 0 && s.hi(i, axis) == other:
			along = axis
		default:
			return -1
		}
	}
	return along
}

// sameSteps reports whether two blocks step alike through their shard on every axis that is longer than 1, and
// by the given step on one.
func sameSteps(first, second plan.Piece, axis int, step int64) bool {
	for k := range first.Shape {
		want := first.Dest.Strides[k]
		if k == axis {
			want = step
		}
		if first.Shape[k] > 1 && first.Dest.Strides[k] != want || second.Shape[k] > 1 && second.Dest.Strides[k] != want {
			return false
		}
	}
	return true
}

// sameRanks reports whether two lists name the same ranks.
func sameRanks(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for _, rank := range a {
		if !slices.Contains(b, rank) {
			return false
		}
	}
	return true
}
