package mutant

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// shards are the planners that lose or confuse whole pieces and ranks. Those that pass a target block over
// never ask the selector about it either, which is another way to catch them: outcome.
func shards() []Mutant {
	return []Mutant{
		{
			Name:    "shard-after-empty-skipped",
			Doc:     "Target ranks after one without elements are left out, so an uneven split with an empty rank in the middle stops there.",
			Clauses: []string{"cover", "outcome"},
			New:     changed(func(s *steps) { s.targets = beforeEmptyShard }),
		},
		{
			Name:    "shard-copied-to-lowest-replica",
			Doc:     "Only the lowest rank of each target replica is written, so data-parallel copies start from garbage.",
			Clauses: []string{"cover", "outcome"},
			Small:   true,
			New: targeting(func(to block) bool {
				return to.rank == to.locations[0]
			}),
		},
		{
			Name:    "shard-copied-to-two-replicas",
			Doc:     "Only the two lowest ranks of each target replica are written, so the third copy and later ones are lost.",
			Clauses: []string{"cover", "outcome"},
			Small:   true,
			New: targeting(func(to block) bool {
				return slices.Index(to.locations, to.rank) < 2
			}),
		},
		{
			Name:    "shard-empty-renumbered",
			Doc:     "Target ranks without elements are dropped and later ones renumbered, so shards go to the wrong rank.",
			Clauses: []string{"valid", "bounds", "cover", "once", "values"},
			New: answering(func(request plan.Request, answer *plan.Answer) {
				renumber(answer, filledRanks(request.Target))
			}),
		},
		{
			Name:    "shard-even-division",
			Doc:     "Rows are taken to be divided evenly over the source ranks, so an uneven split is read some rows off.",
			Clauses: []string{"values", "bounds"},
			Small:   true,
			New:     reading(evenly),
		},
		{
			Name:    "shard-first-piece-read",
			Doc:     "Only the first piece of a source rank is read, so fused weights arrive without their later parts.",
			Clauses: []string{"cover", "outcome"},
			Small:   true,
			New:     changed(func(s *steps) { s.sources = firstPieces }),
		},
		{
			Name:    "shard-first-piece-written",
			Doc:     "Only the first piece of a target rank is written, so fused weights keep garbage in their later parts.",
			Clauses: []string{"cover", "outcome"},
			Small:   true,
			New:     changed(func(s *steps) { s.targets = firstPieces }),
		},
		{
			Name:    "shard-flat-not-written",
			Doc:     "Flat target shards are taken for optimiser state and left out, so ZeRO fragments keep what they had.",
			Clauses: []string{"cover", "outcome"},
			New: targeting(func(to block) bool {
				return len(to.shard.Shape) == len(to.layout.LogicalShape)
			}),
		},
		{
			Name:    "shard-piece-after-empty-skipped",
			Doc:     "The pieces of a target rank after an empty one are left out, so a zero-width sub-parameter cuts the rest off.",
			Clauses: []string{"cover", "stable", "outcome"},
			New: targeting(func(to block) bool {
				for i := range to.shard.Pieces {
					piece := &to.shard.Pieces[i]
					if piece == to.piece {
						return true
					}
					if piece.Empty() {
						return false
					}
				}
				return true
			}),
		},
		{
			Name:    "shard-pieces-past-eighth-skipped",
			Doc:     "A target rank has room for eight pieces and the rest is lost, so interleaved weights such as CodeGen's are cut short.",
			Clauses: []string{"cover", "outcome"},
			New:     changed(func(s *steps) { s.targets = func(blocks []block) []block { return firstOfRank(blocks, 8) } }),
		},
		{
			Name:    "shard-rank-int32",
			Doc:     "Target ranks are 32-bit integers, so a rank of 2^31 or more is written to a rank that does not exist.",
			Clauses: []string{"valid"},
			New: answering(func(_ plan.Request, answer *plan.Answer) {
				for i := range answer.Plan.Segments {
					target := &answer.Plan.Segments[i].Target
					target.Rank = int(int32(target.Rank))
				}
			}),
		},
		{
			Name:    "shard-ranks-past-fourth-skipped",
			Doc:     "Only the first four target ranks are written, so degrees up to 4 are right and 8 is not.",
			Clauses: []string{"cover", "outcome"},
			New:     changed(func(s *steps) { s.targets = fourRanks }),
		},
		{
			Name:    "shard-same-layout-no-op",
			Doc:     "Equal source and target maps give an empty plan, so a fresh set of target shards is never filled.",
			Clauses: []string{"cover"},
			Small:   true,
			New: answering(func(request plan.Request, answer *plan.Answer) {
				if reflect.DeepEqual(request.Source, request.Target) {
					answer.Plan.Segments, answer.MovedElements = nil, nil
				}
			}),
		},
		{
			Name:    "shard-same-rank-kept",
			Doc:     "A copy between equal rank numbers at equal addresses is left out as in place already, though source and target rank are two processes.",
			Clauses: []string{"cover"},
			Small:   true,
			New: dropping(func(segment plan.Segment) bool {
				return reflect.DeepEqual(segment.Source, segment.Target)
			}),
		},
		{
			Name:    "shard-source-rank-as-index",
			Doc:     "Source ranks are numbered by their place in the map, so sparse rank ids are read from ranks that do not exist.",
			Clauses: []string{"valid", "bounds", "values"},
			New: answering(func(request plan.Request, answer *plan.Answer) {
				ranks := sortedRanks(request.Source)
				for i := range answer.Plan.Segments {
					source := &answer.Plan.Segments[i].Source
					source.Rank = slices.Index(ranks, source.Rank)
				}
			}),
		},
		{
			Name:    "shard-target-rank-as-index",
			Doc:     "Target ranks are numbered by their place in the map, so sparse rank ids are written to ranks that do not exist.",
			Clauses: []string{"valid", "bounds", "cover", "once", "values"},
			New: answering(func(request plan.Request, answer *plan.Answer) {
				renumber(answer, sortedRanks(request.Target))
			}),
		},
	}
}

func targeting(keep func(block) bool) func() plan.Planner {
	return changed(func(s *steps) {
		s.targets = func(blocks []block) []block {
			return slices.DeleteFunc(slices.Clone(blocks), func(b block) bool { return !keep(b) })
		}
	})
}

func dropping(drop func(plan.Segment) bool) func() plan.Planner {
	return changed(func(s *steps) {
		s.fold = func(segments []plan.Segment, joins joining) []plan.Segment {
			return fold(slices.DeleteFunc(segments, drop), joins)
		}
	})
}

// answering changes the finished answer.
func answering(change func(plan.Request, *plan.Answer)) func() plan.Planner {
	return changed(func(s *steps) {
		s.answer = func(request plan.Request, answered plan.Plan) plan.Answer {
			right := answer(request, answered)
			change(request, &right)
			return right
		}
	})
}

func beforeEmptyShard(blocks []block) []block {
	if len(blocks) == 0 {
		return nil
	}
	for _, rank := range sortedRanks(*blocks[0].layout) {
		if shard, _ := blocks[0].layout.Shard(rank); volume(shard.Shape) == 0 {
			return slices.DeleteFunc(slices.Clone(blocks), func(b block) bool { return b.rank > rank })
		}
	}
	return blocks
}

// firstPieces keeps the block of each rank that stands first in its shard.
func firstPieces(blocks []block) []block {
	byAddress := slices.Clone(blocks)
	slices.SortFunc(byAddress, func(a, b block) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.address, b.address))
	})
	return firstOfRank(byAddress, 1)
}

// firstOfRank keeps the first so many blocks of each rank.
func firstOfRank(blocks []block, most int) []block {
	var kept []block
	count := map[int]int{}
	for _, b := range blocks {
		if count[b.rank]++; count[b.rank] <= most {
			kept = append(kept, b)
		}
	}
	return kept
}

func fourRanks(blocks []block) []block {
	var kept []block
	seen := map[int]bool{}
	for _, b := range blocks {
		if seen[b.rank] = true; len(seen) <= 4 {
			kept = append(kept, b)
		}
	}
	return kept
}

func sortedRanks(m plan.Map) []int {
	var ranks []int
	for _, shard := range m.Shards {
		ranks = append(ranks, shard.Rank)
	}
	slices.Sort(ranks)
	return ranks
}

// filledRanks lists the ranks that hold elements.
func filledRanks(m plan.Map) []int {
	return slices.DeleteFunc(sortedRanks(m), func(rank int) bool {
		shard, _ := m.Shard(rank)
		return volume(shard.Shape) == 0
	})
}

// renumber names each target rank by its place in a list.
func renumber(answer *plan.Answer, ranks []int) {
	for i := range answer.Plan.Segments {
		target := &answer.Plan.Segments[i].Target
		target.Rank = slices.Index(ranks, target.Rank)
	}
}

// evenly reads as if the source ranks had equal numbers of rows, where each rank holds one block of whole rows.
func evenly(from, _ block, common box) plan.View {
	logical := from.layout.LogicalShape
	if len(logical) == 0 || len(from.shard.Pieces) != 1 || !slices.Equal(from.shape[1:], logical[1:]) {
		return advanced(from, common)
	}
	ranks := sortedRanks(*from.layout)
	from.lo = slices.Clone(from.lo)
	from.lo[0] = int64(slices.Index(ranks, from.rank)) * (logical[0] / int64(len(ranks)))
	return advanced(from, common)
}
