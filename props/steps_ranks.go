package props

import (
	"iter"
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// fewerRanks drops ranks: all those that hold nothing, and then each that holds nothing, or nothing alone.
func fewerRanks(request plan.Request, lenient bool) iter.Seq[plan.Request] {
	return func(yield func(plan.Request) bool) {
		for _, side := range sides {
			next := request
			m := side(&next)
			full := slices.DeleteFunc(slices.Clone(m.Shards), holdsNothing)
			if len(full) < len(m.Shards) {
				m.Shards = full
				if !yield(next) {
					return
				}
			}
		}
		for _, side := range sides {
			for i, shard := range side(&request).Shards {
				next := request
				m := side(&next)
				if !holdsNothing(shard) && !lenient && holdsAlone(shard) {
					continue
				}
				*m = withoutRank(*m, i)
				if !yield(next) {
					return
				}
			}
		}
	}
}

// holdsNothing reports whether the shard is declared, has no elements and no piece that says otherwise.
func holdsNothing(shard plan.Shard) bool {
	return !shard.Undeclared && slices.Contains(shard.Shape, 0) && !slices.ContainsFunc(shard.Pieces, placesSomething)
}

func placesSomething(p plan.Piece) bool { return !p.Empty() }

// holdsAlone reports whether some piece of the shard has no other holder.
func holdsAlone(shard plan.Shard) bool {
	return slices.ContainsFunc(shard.Pieces, func(p plan.Piece) bool { return placesSomething(p) && len(p.Locations) < 2 })
}

// withoutRank is the map without a shard, which the other pieces' locations name no more.
func withoutRank(m plan.Map, at int) plan.Map {
	rank := m.Shards[at].Rank
	m.Shards = slices.Delete(slices.Clone(m.Shards), at, at+1)
	for i := range m.Shards {
		shard := &m.Shards[i]
		shard.Pieces = slices.Clone(shard.Pieces)
		for j := range shard.Pieces {
			shard.Pieces[j].Locations = withoutLocation(shard.Pieces[j].Locations, rank)
		}
	}
	return m
}

// withoutLocation drops a rank from a list of two or more.
func withoutLocation(locations []int, rank int) []int {
	if len(locations) < 2 || !slices.Contains(locations, rank) {
		return locations
	}
	return slices.DeleteFunc(slices.Clone(locations), func(r int) bool { return r == rank })
}

// fewerHolders takes a replicated region from one of its holders, where the holder's shard can close up.
func fewerHolders(request plan.Request, lenient bool) iter.Seq[plan.Request] {
	return func(yield func(plan.Request) bool) {
		if lenient || len(request.Source.LogicalShape) == 0 {
			return
		}
		for _, side := range sides {
			placed := placeMap(*side(&request))
			for s := range placed {
				for p, piece := range placed[s].Pieces {
					if placed[s].blocks[p] == nil || len(piece.Locations) < 2 {
						continue
					}
					m, ok := withoutHolder(*side(&request), placed, s, p)
					if !ok {
						continue
					}
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

// withoutHolder takes a piece from its shard, and with it whatever else must go so that each piece that is
// left has the same holders everywhere: the pieces of the shard that share a piece of another rank with it.
func withoutHolder(m plan.Map, placed []placedShard, at, piece int) (plan.Map, bool) {
	if slices.ContainsFunc(placed, func(s placedShard) bool { return s.placement == opaque }) {
		return m, false
	}
	drop := make([]bool, len(placed[at].Pieces))
	drop[piece] = true
	losing := spread(placed, at, drop)
	shard, ok := placed[at].withoutPieces(drop)
	if !ok {
		return m, false
	}
	rank := m.Shards[at].Rank
	m.Shards = slices.Clone(m.Shards)
	m.Shards[at] = shard
	for s, lost := range losing {
		m.Shards[s].Pieces = slices.Clone(m.Shards[s].Pieces)
		for p := range lost {
			if lost[p] {
				m.Shards[s].Pieces[p].Locations = withoutLocation(m.Shards[s].Pieces[p].Locations, rank)
			}
		}
	}
	return m, true
}

// spread marks the pieces of other shards that share an element with a dropped piece, and drops the pieces of the shard that
// share one with a marked piece, until nothing is added.
func spread(placed []placedShard, at int, drop []bool) map[int][]bool {
	losing := map[int][]bool{}
	own := &placed[at]
	for grown := true; grown; {
		grown = false
		for s := range placed {
			other := &placed[s]
			if s == at {
				continue
			}
			if losing[s] == nil {
				losing[s] = make([]bool, len(other.Pieces))
			}
			for p := range other.Pieces {
				if other.blocks[p] == nil || losing[s][p] || !meets(own, drop, other, p) {
					continue
				}
				losing[s][p], grown = true, true
				for q := range own.Pieces {
					if own.blocks[q] != nil && overlap(own, q, other, p) {
						drop[q] = true
					}
				}
			}
		}
	}
	return losing
}

// meets reports whether a piece shares an element with one of the marked pieces of a shard.
func meets(shard *placedShard, marked []bool, other *placedShard, p int) bool {
	for q := range shard.Pieces {
		if marked[q] && overlap(shard, q, other, p) {
			return true
		}
	}
	return false
}

// withoutPieces is the shard without the marked pieces, closed up. It is false where what is left is no tensor.
func (s *placedShard) withoutPieces(drop []bool) (plan.Shard, bool) {
	left := slices.Clone(s.Pieces)
	for i := range left {
		if drop[i] {
			left[i].Shape = nil
		}
	}
	return s.followed(left, stretch{by: 1}, false)
}

// dropAnything drops shards, then single pieces, of maps that are broken anyway.
func dropAnything(request plan.Request, lenient bool) iter.Seq[plan.Request] {
	return func(yield func(plan.Request) bool) {
		if !lenient {
			return
		}
		for _, side := range sides {
			for i := range side(&request).Shards {
				next := request
				m := side(&next)
				m.Shards = slices.Delete(slices.Clone(m.Shards), i, i+1)
				if !yield(next) {
					return
				}
			}
			for i, shard := range side(&request).Shards {
				for j := range shard.Pieces {
					next := request
					m := side(&next)
					m.Shards = slices.Clone(m.Shards)
					m.Shards[i].Pieces = slices.Delete(slices.Clone(shard.Pieces), j, j+1)
					if !yield(next) {
						return
					}
				}
			}
		}
	}
}
