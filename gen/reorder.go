package gen

import "github.com/shardproof/shardproof/plan"

// Reorder returns the same request with shards, pieces and locations in another order. It shares the numbers
// of the request, and changes none of them. A plan may not depend on the order.
func Reorder(choose Choose, request plan.Request) plan.Request {
	shards, pieces, ranks := sizes(&request.Source, &request.Target)
	d := &draw{choose: choose}
	d.shards.left, d.pieces.left, d.ranks.left = make([]plan.Shard, shards), make([]plan.Piece, pieces), make([]int, ranks)
	request.Source = d.reordered(&request.Source)
	request.Target = d.reordered(&request.Target)
	return request
}

// sizes counts the shards and the pieces of some maps, and the locations that can be in more than one order.
func sizes(maps ...*plan.Map) (shards, pieces, ranks int) {
	for _, m := range maps {
		shards += len(m.Shards)
		for s := range m.Shards {
			pieces += len(m.Shards[s].Pieces)
			for p := range m.Shards[s].Pieces {
				if n := len(m.Shards[s].Pieces[p].Locations); n > 1 {
					ranks += n
				}
			}
		}
	}
	return shards, pieces, ranks
}

func (d *draw) reordered(m *plan.Map) plan.Map {
	shards := d.takeShards(len(m.Shards))
	copy(shards, m.Shards)
	for s := range shards {
		if shards[s].Pieces == nil {
			continue // no pieces at all, which is not an empty list of them
		}
		pieces := d.takePieces(len(shards[s].Pieces))
		copy(pieces, shards[s].Pieces)
		for p := range pieces {
			d.reorderLocations(&pieces[p])
		}
		shards[s].Pieces = pieces
	}
	reordered := plan.Map{LogicalShape: m.LogicalShape, Shards: shards}
	d.reorder(&reordered)
	return reordered
}

// reorderLocations turns a list around from some place on: any rank can come first.
func (d *draw) reorderLocations(piece *plan.Piece) {
	n := len(piece.Locations)
	if n < 2 {
		return
	}
	first := d.upTo("first location", n-1)
	locations := d.takeRanks(n)
	for i := range locations {
		locations[i] = piece.Locations[(first+n-i)%n]
	}
	piece.Locations = locations
}
