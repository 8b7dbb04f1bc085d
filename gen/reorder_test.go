package gen

import (
	"cmp"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/plan"
)

// A reordered request is the same request in another order, and the first one is left as it was.
func TestReorder(t *testing.T) {
	otherShards, otherPieces, otherLocations := 0, 0, 0
	for n := range uint64(300) {
		choose := Seeded(CaseSeed(21, n))
		request, untouched := Case(choose).Request, Case(Seeded(CaseSeed(21, n))).Request
		reordered := Reorder(choose, request)
		if diff := gocmp.Diff(untouched, request); diff != "" {
			t.Fatalf("case %d was changed: %s", n, diff)
		}
		if diff := gocmp.Diff(sorted(request), sorted(reordered)); diff != "" {
			t.Fatalf("case %d reordered is another request: %s", n, diff)
		}
		for s, shard := range reordered.Source.Shards {
			was := request.Source.Shards[s]
			if shard.Rank != was.Rank {
				otherShards++
				continue
			}
			for p, piece := range shard.Pieces {
				switch {
				case piece.Source.Offset != was.Pieces[p].Source.Offset:
					otherPieces++
				case !slices.Equal(piece.Locations, was.Pieces[p].Locations):
					otherLocations++
				}
			}
		}
	}
	if otherShards == 0 || otherPieces == 0 || otherLocations == 0 {
		t.Errorf("%d shards, %d pieces and %d locations were put in another order; want some of each", otherShards, otherPieces, otherLocations)
	}
}

// sorted is a request in an order that depends on nothing but what it says.
func sorted(request plan.Request) plan.Request {
	request.Source, request.Target = sortedMap(request.Source), sortedMap(request.Target)
	return request
}

func sortedMap(m plan.Map) plan.Map {
	m.Shards = slices.SortedFunc(slices.Values(m.Shards), func(a, b plan.Shard) int { return cmp.Compare(a.Rank, b.Rank) })
	for s := range m.Shards {
		pieces := slices.Clone(m.Shards[s].Pieces)
		for p := range pieces {
			pieces[p].Locations = slices.Sorted(slices.Values(pieces[p].Locations))
		}
		slices.SortFunc(pieces, func(a, b plan.Piece) int {
			return cmp.Or(
				cmp.Compare(a.Source.Offset, b.Source.Offset), cmp.Compare(a.Dest.Offset, b.Dest.Offset), slices.Compare(a.Shape, b.Shape),
				slices.Compare(a.Source.Strides, b.Source.Strides), slices.Compare(a.Dest.Strides, b.Dest.Strides), slices.Compare(a.Locations, b.Locations),
			)
		})
		m.Shards[s].Pieces = pieces
	}
	return m
}
