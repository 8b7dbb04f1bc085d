package props

import "github.com/shardproof/shardproof/plan"

// reordered is the same request with shards, pieces and locations in another order. Every one of them changes
// its place where there are two or more; which order comes out is drawn from the seed.
//
// The order is all that is copied: extents, offsets and strides are shared with the request.
func reordered(request plan.Request, seed uint64) plan.Request {
	order := shuffle(seed)
	request.Source = order.mapOf(request.Source)
	request.Target = order.mapOf(request.Target)
	return request
}

// A shuffle draws orders.
type shuffle uint64

// below draws a number from 0 to n-1.
func (s *shuffle) below(n int) int {
	*s = *s*6364136223846793005 + 1442695040888963407
	return int(uint64(*s) >> 33 % uint64(n))
}

func (s *shuffle) mapOf(m plan.Map) plan.Map {
	shards := append([]plan.Shard(nil), m.Shards...)
	cycle(s, shards)
	pieces, locations := 0, 0
	for i := range shards {
		pieces += len(shards[i].Pieces)
		for j := range shards[i].Pieces {
			locations += len(shards[i].Pieces[j].Locations)
		}
	}
	allPieces := make([]plan.Piece, 0, pieces)
	allLocations := make([]int, 0, locations)
	for i := range shards {
		if shards[i].Pieces == nil {
			continue
		}
		first := len(allPieces)
		allPieces = append(allPieces, shards[i].Pieces...)
		own := allPieces[first:len(allPieces):len(allPieces)]
		cycle(s, own)
		for j := range own {
			if own[j].Locations == nil {
				continue
			}
			first := len(allLocations)
			allLocations = append(allLocations, own[j].Locations...)
			own[j].Locations = allLocations[first:len(allLocations):len(allLocations)]
			cycle(s, own[j].Locations)
		}
		shards[i].Pieces = own
	}
	m.Shards = shards
	return m
}

// cycle draws one of the orders in which the items form a single cycle (Sattolo's algorithm), so that none stays.
func cycle[T any](s *shuffle, items []T) {
	for i := len(items) - 1; i > 0; i-- {
		j := s.below(i)
		items[i], items[j] = items[j], items[i]
	}
}
