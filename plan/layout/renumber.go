package layout

import (
	"fmt"
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// Renumber is the map in which rank r has the id ids[r]. The map has ranks 0..len(ids)-1, as builders make
// them; ids are distinct and not negative, and need not be without gaps. The result shares the slices that
// stay as they are with the map that it is made from.
func Renumber(m plan.Map, ids []int) (plan.Map, error) {
	if err := checkIDs(ids, len(m.Shards)); err != nil {
		return plan.Map{}, err
	}
	renumbered := plan.Map{LogicalShape: m.LogicalShape, Shards: slices.Clone(m.Shards)}
	locations := 0
	for _, shard := range m.Shards {
		for _, piece := range shard.Pieces {
			locations += len(piece.Locations)
		}
	}
	fresh := store{ranks: make([]int, locations), pieces: make([]plan.Piece, countPieces(m))}
	for i := range renumbered.Shards {
		shard := &renumbered.Shards[i]
		own := fresh.pieces[:len(shard.Pieces):len(shard.Pieces)]
		fresh.pieces = fresh.pieces[len(own):]
		for p, piece := range shard.Pieces {
			piece.Locations = fresh.locations(piece.Locations)
			for l, holder := range piece.Locations {
				piece.Locations[l] = ids[holder]
			}
			slices.Sort(piece.Locations)
			own[p] = piece
		}
		shard.Rank, shard.Pieces = ids[shard.Rank], own
	}
	return renumbered, nil
}

func checkIDs(ids []int, degree int) error {
	if len(ids) != degree {
		return fmt.Errorf("%d rank ids for %d ranks", len(ids), degree)
	}
	sorted := slices.Sorted(slices.Values(ids))
	for i, id := range sorted {
		if id < 0 {
			return fmt.Errorf("rank id %d, want at least 0", id)
		}
		if i > 0 && id == sorted[i-1] {
			return fmt.Errorf("rank id %d twice", id)
		}
	}
	return nil
}
