package gen

import (
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// Rows 17 to 22: who holds what, which holder is read, and what a plan may take.

func absentLocation(d *draw, s *subject) {
	piece := d.anyPlaced(s).in(s.side)
	piece.Locations = append(slices.Clone(piece.Locations), freshRank(s.side)+d.upTo("further", 3))
}

// wrongLocation names a rank for a block that it does not hold; where all ranks hold it, one that holds
// nothing is added first.
func wrongLocation(d *draw, s *subject) {
	at := d.anyPlaced(s)
	others := make([]int, 0, len(s.side.Shards))
	for i := range s.side.Shards {
		others = append(others, s.side.Shards[i].Rank)
	}
	others = d.without(others, at.in(s.side).Locations)
	if len(others) == 0 {
		withRoom(s.side)
		others = []int{freshRank(s.side)}
		s.side.Shards = append(s.side.Shards, d.emptyShard(s.tensor, others[0]))
	}
	piece := at.in(s.side)
	wrong := others[d.upTo("other rank", len(others)-1)]
	if d.oneIn("instead of a holder", 2) {
		piece.Locations = append(slices.Clone(piece.Locations[1:]), wrong)
	} else {
		piece.Locations = append(slices.Clone(piece.Locations), wrong)
	}
}

// partialHolder adds a rank that holds the lower part of a block and is named for all of it.
func partialHolder(d *draw, s *subject) {
	piece := *d.divisible(s).in(s.side)
	lower, _ := d.cutPiece(&piece, d.longAxis(&piece))
	rank := freshRank(s.side)
	named := append(slices.Clone(piece.Locations), rank)
	for i := range s.side.Shards {
		ownPieces(&s.side.Shards[i])
		if same := sameBlock(&piece, &s.side.Shards[i]); same >= 0 {
			s.side.Shards[i].Pieces[same].Locations = named
		}
	}
	lower.Locations = named
	lower.Dest = plan.View{Strides: d.rowMajor(lower.Shape)}
	withRoom(s.side)
	s.side.Shards = append(s.side.Shards, plan.Shard{Rank: rank, Shape: lower.Shape, Pieces: []plan.Piece{lower}})
}

// unnamedHolder drops a holder from one piece of a block that two hold.
func unnamedHolder(d *draw, s *subject) {
	at := d.anyPlaced(s)
	d.addReplicaOf(s, at)
	piece := at.in(s.side)
	i := d.upTo("holder to drop", len(piece.Locations)-1)
	piece.Locations = slices.Delete(slices.Clone(piece.Locations), i, i+1)
}

func replicaClaimsOther(d *draw, s *subject) {
	at := d.anyPlaced(s)
	was := s.side.Shards[at.shard]
	ownPieces(&was)
	replica := d.addReplicaOf(s, at)
	s.side.Shards[at.shard] = was
	for p := range s.side.Shards[replica].Pieces {
		s.side.Shards[replica].Pieces[p].Locations = []int{was.Rank}
	}
	for p := range was.Pieces {
		was.Pieces[p].Locations = []int{was.Rank}
	}
}

// hiddenReplica adds a rank that holds what another holds, and that nobody else names.
func hiddenReplica(d *draw, s *subject) { d.hide(s, d.anyPlaced(s)) }

func hiddenReplicaCut(d *draw, s *subject) {
	at := d.divisible(s)
	hidden := d.hide(s, at)
	d.cutSome(hidden)
}

func (d *draw) hide(s *subject, at place) *plan.Shard {
	hidden := s.side.Shards[at.shard]
	hidden.Rank = freshRank(s.side)
	ownPieces(&hidden)
	for p := range hidden.Pieces {
		hidden.Pieces[p].Locations = []int{hidden.Rank}
	}
	withRoom(s.side)
	s.side.Shards = append(s.side.Shards, hidden)
	return &s.side.Shards[len(s.side.Shards)-1]
}

// cutSome cuts the first piece of a shard that can be cut.
func (d *draw) cutSome(shard *plan.Shard) {
	for p := range shard.Pieces {
		if axis, ok := d.axisToCut(&shard.Pieces[p]); ok {
			lower, upper := d.cutPiece(&shard.Pieces[p], axis)
			shard.Pieces = append(slices.Clip(shard.Pieces), upper)
			shard.Pieces[p] = lower
			return
		}
	}
}

// replicaCut adds a source replica and cuts it where the other is not cut.
func replicaCut(d *draw, s *subject) {
	s.side = &s.Source
	at := d.divisible(s)
	replica := d.addReplicaOf(s, at)
	d.cutSome(&s.side.Shards[replica])
}

// coverageGap takes away every rank that holds some block, and all mention of them.
func coverageGap(d *draw, s *subject) {
	gone := d.anyPlaced(s).in(s.side).Locations
	left := make([]plan.Shard, 0, len(s.side.Shards))
	for _, shard := range s.side.Shards {
		if slices.Contains(gone, shard.Rank) {
			continue
		}
		ownPieces(&shard)
		for p := range shard.Pieces {
			if kept := d.without(shard.Pieces[p].Locations, gone); len(kept) > 0 {
				shard.Pieces[p].Locations = kept
			}
		}
		left = append(left, shard)
	}
	s.side.Shards = left
}

func noShards(_ *draw, s *subject) { s.side.Shards = []plan.Shard{} }

// wrongSelection has two source ranks hold a block, and the selector answer neither.
func wrongSelection(d *draw, s *subject) {
	s.side = &s.Source
	d.addReplicaOf(s, d.anyPlaced(s))
	s.Selector.Returns = noSelections[d.upTo("selection", len(noSelections)-1)]
}

func segmentsOverLimit(d *draw, s *subject) {
	s.Budget.MaxSegments = d.number(d.choose("limit", 0, shardsToFill(&s.Target)-1))
}

func bytesOverLimit(d *draw, s *subject) {
	s.Budget.MaxPlanBytes = d.number(d.choose("limit", 0, leastPlanBytes(shardsToFill(&s.Target))-1))
}
