package props

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/shardproof/shardproof/plan"
)

// renameRanks gives every rank, on both sides, another number in the same order.
//
// Both sides are renamed alike, so that the policy local still finds its own number.
func renameRanks(r *relating) string {
	name := func(rank int) int { return 2*rank + 1 }
	// A planner may keep ranks in 32 bits.
	if r.ownChoice() || largestRank(r.request) >= 1<<30 {
		return ""
	}
	answer, ok := r.ask(renamed(r.request, name, name))
	if !ok {
		return ""
	}
	want := plan.Plan{Segments: slices.Clone(r.answer.Plan.Segments)}
	for i := range want.Segments {
		want.Segments[i].Source.Rank = name(want.Segments[i].Source.Rank)
		want.Segments[i].Target.Rank = name(want.Segments[i].Target.Rank)
	}
	return copiesDiffer(answer.Plan, want, "with ranks renamed")
}

func largestRank(request plan.Request) int {
	largest := 0
	for _, m := range [2]plan.Map{request.Source, request.Target} {
		for _, shard := range m.Shards {
			largest = max(largest, shard.Rank)
			for _, piece := range shard.Pieces {
				for _, rank := range piece.Locations {
					largest = max(largest, rank)
				}
			}
		}
	}
	return largest
}

// renamed is the request with other rank numbers on both sides, the selector's included.
func renamed(request plan.Request, source, target func(int) int) plan.Request {
	request.Source = renamedMap(request.Source, source)
	request.Target = renamedMap(request.Target, target)
	request.Selector = renamedSelector(request.Selector, source, target)
	return request
}

func renamedMap(m plan.Map, name func(int) int) plan.Map {
	m.Shards = slices.Clone(m.Shards)
	for i := range m.Shards {
		shard := &m.Shards[i]
		shard.Rank = name(shard.Rank)
		shard.Pieces = slices.Clone(shard.Pieces)
		for j := range shard.Pieces {
			shard.Pieces[j].Locations = renamedRanks(shard.Pieces[j].Locations, name)
		}
	}
	return m
}

func renamedRanks(ranks []int, name func(int) int) []int {
	out := slices.Clone(ranks)
	for i := range out {
		out[i] = name(out[i])
	}
	return out
}

func renamedSelector(s plan.Selector, source, target func(int) int) plan.Selector {
	if s.Prefer != nil {
		prefer := make(map[int][]int, len(s.Prefer))
		for _, rank := range slices.Sorted(maps.Keys(s.Prefer)) {
			prefer[target(rank)] = renamedRanks(s.Prefer[rank], source)
		}
		s.Prefer = prefer
	}
	s.Cost = slices.Clone(s.Cost)
	for i := range s.Cost {
		s.Cost[i].Source, s.Cost[i].Target = source(s.Cost[i].Source), target(s.Cost[i].Target)
	}
	if rank, ok := returnedRank(s); ok {
		s.Returns = json.RawMessage(strconv.Itoa(source(rank)))
	}
	return s
}

// returnedRank is the integer that the selector returns, where it returns one.
func returnedRank(s plan.Selector) (int, bool) {
	rank, err := strconv.Atoi(string(s.Returns))
	return rank, err == nil
}

var renameRanksCanaries = []PlannerCanary{{
	"cuts a copy to a rank above 2", rowsToColumns,
	spoilWhere(func(r plan.Request) bool { return largestRank(r) > 2 }, cutFirst),
}}
