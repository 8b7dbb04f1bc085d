package props

import (
	"slices"
	"sync"

	"github.com/shardproof/shardproof/plan"
)

// A reordering is memory for requests in another order, to be used again.
type reordering struct {
	shards    []plan.Shard
	pieces    []plan.Piece
	locations []int
}

var reorderings = sync.Pool{New: func() any { return new(reordering) }}

// of is the same request with shards, pieces and locations in another order. Every one of them changes its
// place where there are two or more; which order comes out is drawn from the seed.
//
// The order is all that is copied: extents, offsets and strides are shared with the request. The copy lasts
// until the memory is used again.
func (r *reordering) of(request plan.Request, seed uint64) plan.Request {
	order := shuffle(seed)
	r.reserve(&request)
	request.Source = r.mapOf(request.Source, &order)
	request.Target = r.mapOf(request.Target, &order)
	return request
}

// reserve makes room for a request, so that nothing of it moves while more is added.
func (r *reordering) reserve(request *plan.Request) {
	shards, pieces, locations := 0, 0, 0
	for _, m := range [2]*plan.Map{&request.Source, &request.Target} {
		shards += len(m.Shards)
		for i := range m.Shards {
			pieces += len(m.Shards[i].Pieces)
			for j := range m.Shards[i].Pieces {
				locations += len(m.Shards[i].Pieces[j].Locations)
			}
		}
	}
	r.shards = slices.Grow(r.shards[:0], shards)
	r.pieces = slices.Grow(r.pieces[:0], pieces)
	r.locations = slices.Grow(r.locations[:0], locations)
}

func (r *reordering) mapOf(m plan.Map, order *shuffle) plan.Map {
	m.Shards = appended(&r.shards, m.Shards)
	cycle(order, m.Shards)
	for i := range m.Shards {
		shard := &m.Shards[i]
		shard.Pieces = appended(&r.pieces, shard.Pieces)
		cycle(order, shard.Pieces)
		for j := range shard.Pieces {
			piece := &shard.Pieces[j]
			piece.Locations = appended(&r.locations, piece.Locations)
			cycle(order, piece.Locations)
		}
	}
	return m
}

// appended copies items behind all others, and returns the copy. What is nil stays so: no pieces at all is
// something else than an empty list of them.
func appended[T any](all *[]T, items []T) []T {
	if items == nil {
		return nil
	}
	first := len(*all)
	*all = append(*all, items...)
	return (*all)[first:len(*all):len(*all)]
}

// A shuffle draws orders.
type shuffle uint64

// below draws a number from 0 to n-1.
func (s *shuffle) below(n int) int {
	*s = *s*6364136223846793005 + 1442695040888963407
	return int(uint64(*s) >> 33 % uint64(n))
}

// cycle draws one of the orders in which the items form a single cycle (Sattolo's algorithm), so that none stays.
func cycle[T any](s *shuffle, items []T) {
	for i := len(items) - 1; i > 0; i-- {
		j := s.below(i)
		items[i], items[j] = items[j], items[i]
	}
}
