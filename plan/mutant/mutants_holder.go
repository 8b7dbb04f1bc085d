package mutant

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/shardproof/shardproof/plan"
)

// holders are the planners that read a replicated region from the wrong rank, whatever the selector.
func holders() []Mutant {
	return []Mutant{
		{
			Name:    "holder-asked-for-rank-0",
			Doc:     "The selector is asked as if target rank 0 were reading, so every other rank reads from far away.",
			Clauses: []string{"holder"},
			Small:   true,
			New: choosing(func(q question) (int, *plan.Refusal) {
				q.target = 0
				return choose(q)
			}),
		},
		{
			Name:    "holder-candidates-as-listed",
			Doc:     "The lowest candidate is taken to be the first that a piece lists, so the plan hangs on the order of a list that has none.",
			Clauses: []string{"holder", "stable"},
			New: choosing(func(q question) (int, *plan.Refusal) {
				q.candidates = q.from.blocks[0].piece.Locations
				return choose(q)
			}),
		},
		{
			Name:    "holder-candidates-descending",
			Doc:     "Candidates are offered highest first, so every default and every tie reads from the highest rank.",
			Clauses: []string{"holder"},
			Small:   true,
			New: choosing(func(q question) (int, *plan.Refusal) {
				q.candidates = slices.Clone(q.candidates)
				slices.Reverse(q.candidates)
				return choose(q)
			}),
		},
		{
			Name:    "holder-cut-as-other-replica",
			Doc:     "A replica is read as if it were cut like another one, so of a block that the two store in other parts only the start is right.",
			Clauses: []string{"values", "bounds"},
			New:     changed(func(s *steps) { s.held = cutAsOther }),
		},
		{
			Name:    "holder-first-declared",
			Doc:     "The default holder is the one that the map lists first, so the plan changes with the order of ranks in a file.",
			Clauses: []string{"stable", "holder"},
			Small:   true,
			New: choosing(func(q question) (int, *plan.Refusal) {
				for _, shard := range q.from.blocks[0].layout.Shards {
					if isDefault(q.selector) && slices.Contains(q.candidates, shard.Rank) {
						return shard.Rank, nil
					}
				}
				return choose(q)
			}),
		},
		{
			Name:    "holder-most-elements",
			Doc:     "The default holder is the one with the largest shard, so an uneven split is read from another rank than the lowest.",
			Clauses: []string{"holder"},
			Small:   true,
			New:     choosing(largest),
		},
		{
			Name:    "holder-second-replica-named",
			Doc:     "The lowest holder's address goes with the next holder's rank, so replicas at other offsets give other data.",
			Clauses: []string{"holder", "values", "bounds"},
			Small:   true,
			New: changed(func(s *steps) {
				s.held = func(from region, holder int) []block {
					next := (slices.Index(from.locations, holder) + 1) % len(from.locations)
					return renamed(held(from, holder), from.locations[next])
				}
			}),
		},
	}
}

// selections are the planners that misread the selector.
func selections() []Mutant {
	return []Mutant{
		{
			Name:    "select-balanced-round-all",
			Doc:     "Balanced reading goes round every source rank, holder or not, so blocks are read from ranks that lack them.",
			Clauses: []string{"values", "bounds", "valid"},
			Small:   true,
			New:     changed(roundAll),
		},
		{
			Name:    "select-cost-dearest",
			Doc:     "The candidate of the greatest cost is read, so copies cross the slowest links.",
			Clauses: []string{"holder"},
			New: costing(func(q question, rank int) int64 {
				return -price(q, rank)
			}),
		},
		{
			Name:    "select-cost-swapped",
			Doc:     "Costs are looked up with source and target exchanged, so asymmetric links are priced backwards.",
			Clauses: []string{"holder"},
			New: costing(func(q question, rank int) int64 {
				return price(question{selector: q.selector, target: rank}, q.target)
			}),
		},
		{
			Name:    "select-cost-ties-highest",
			Doc:     "Among equal costs the highest rank is read, so plans differ from every other planner's.",
			Clauses: []string{"holder"},
			New: choosing(func(q question) (int, *plan.Refusal) {
				if q.selector.Cost != nil {
					q.candidates = slices.Clone(q.candidates)
					slices.Reverse(q.candidates)
				}
				return choose(q)
			}),
		},
		{
			Name:    "select-cost-unlisted-dear",
			Doc:     "A pair of ranks without a cost counts as unreachable in place of free, so the listed links carry everything.",
			Clauses: []string{"holder"},
			New: costing(func(q question, rank int) int64 {
				if slices.ContainsFunc(q.selector.Cost, func(c plan.Cost) bool { return c.Source == rank && c.Target == q.target }) {
					return price(q, rank)
				}
				return math.MaxInt64
			}),
		},
		{
			Name:    "select-highest-second",
			Doc:     "The highest policy reads the second candidate, so two replicas are right and three are not.",
			Clauses: []string{"holder"},
			Small:   true,
			New: choosing(func(q question) (int, *plan.Refusal) {
				if q.selector.Policy == plan.PolicyHighest {
					return q.candidates[1], nil
				}
				return choose(q)
			}),
		},
		{
			Name:    "select-ignored",
			Doc:     "The selector is ignored and the lowest rank read, so one rank serves all traffic.",
			Clauses: []string{"holder", "outcome"},
			Small:   true,
			New: choosing(func(q question) (int, *plan.Refusal) {
				return q.candidates[0], nil
			}),
		},
		{
			Name:    "select-local-by-place",
			Doc:     "The local policy reads the candidate whose place in the list is the target's number, so sparse holders are missed.",
			Clauses: []string{"holder"},
			Small:   true,
			New: choosing(func(q question) (int, *plan.Refusal) {
				if q.selector.Policy == plan.PolicyLocal && q.target < len(q.candidates) {
					return q.candidates[q.target], nil
				}
				return choose(q)
			}),
		},
		{
			Name:    "select-local-else-highest",
			Doc:     "The local policy falls back to the highest rank in place of the lowest.",
			Clauses: []string{"holder"},
			Small:   true,
			New: choosing(func(q question) (int, *plan.Refusal) {
				if q.selector.Policy == plan.PolicyLocal && !slices.Contains(q.candidates, q.target) {
					return q.candidates[len(q.candidates)-1], nil
				}
				return choose(q)
			}),
		},
		{
			Name:    "select-prefer-by-source",
			Doc:     "The list of preferred ranks is looked up under the lowest holder in place of the target, so each target gets another's list.",
			Clauses: []string{"holder"},
			New: choosing(func(q question) (int, *plan.Refusal) {
				if q.selector.Prefer != nil {
					return preferred(q.selector.Prefer[q.candidates[0]], q.candidates), nil
				}
				return choose(q)
			}),
		},
		{
			Name:    "select-prefer-first-only",
			Doc:     "Only the first preferred rank is looked at, so the second choice is never taken.",
			Clauses: []string{"holder"},
			New: choosing(func(q question) (int, *plan.Refusal) {
				if list := q.selector.Prefer[q.target]; len(list) > 1 {
					return preferred(list[:1], q.candidates), nil
				}
				return choose(q)
			}),
		},
		{
			Name:    "select-prefer-last",
			Doc:     "The list of preferred ranks is read from its end, so the worst choice wins.",
			Clauses: []string{"holder"},
			New: choosing(func(q question) (int, *plan.Refusal) {
				if list := slices.Clone(q.selector.Prefer[q.target]); len(list) > 0 {
					slices.Reverse(list)
					return preferred(list, q.candidates), nil
				}
				return choose(q)
			}),
		},
		{
			Name:    "select-prefer-unchecked",
			Doc:     "The first preferred rank is read whether it holds the block or not, so data comes from a rank that lacks it.",
			Clauses: []string{"values", "bounds", "valid"},
			New: changed(func(s *steps) {
				s.choose = func(q question) (int, *plan.Refusal) {
					if list := q.selector.Prefer[q.target]; len(list) > 0 {
						return list[0], nil
					}
					return choose(q)
				}
				s.held = heldOrNot
			}),
		},
		{
			Name:    "select-returns-asked-alone",
			Doc:     "A selector is asked where there is nothing to choose, so a request that needs no choice is refused.",
			Clauses: []string{"outcome"},
			New: changed(func(s *steps) {
				s.checks = append(s.checks, check{"selector", true, askedAlone})
			}),
		},
		{
			Name:    "select-returns-fraction",
			Doc:     "A selection of 1.5 is rounded up to the next candidate, so a selector that computes with floats picks a rank by accident.",
			Clauses: []string{"outcome"},
			New: returning(func(value any, candidates []int) (int, bool) {
				number, ok := value.(float64)
				next := slices.IndexFunc(candidates, func(rank int) bool { return float64(rank) >= number })
				return candidates[max(next, 0)], ok && number != math.Trunc(number)
			}),
		},
		{
			Name:    "select-returns-null-as-lowest",
			Doc:     "A selection of null is taken as no preference, so a selector that fails to answer goes unnoticed.",
			Clauses: []string{"outcome"},
			New: returning(func(value any, candidates []int) (int, bool) {
				return candidates[0], value == nil
			}),
		},
		{
			Name:    "select-returns-outsider-as-lowest",
			Doc:     "A selected rank that is no candidate falls back to the lowest, so a stale placement table goes unnoticed.",
			Clauses: []string{"outcome"},
			New: returning(func(value any, candidates []int) (int, bool) {
				number, ok := value.(float64)
				return candidates[0], ok && number == math.Trunc(number)
			}),
		},
		{
			Name:    "select-returns-place",
			Doc:     "The selected integer is a place in the list of candidates in place of a rank, so another rank is read or a right choice refused.",
			Clauses: []string{"holder", "outcome"},
			New: choosing(func(q question) (int, *plan.Refusal) {
				place, err := strconv.Atoi(string(q.selector.Returns))
				if err == nil && place >= 0 && place < len(q.candidates) {
					return q.candidates[place], nil
				}
				return choose(q)
			}),
		},
		{
			Name:    "select-returns-text-as-lowest",
			Doc:     "A selection of \"0\" is text and taken as no preference, so a selector of the wrong type goes unnoticed.",
			Clauses: []string{"outcome"},
			New: returning(func(value any, candidates []int) (int, bool) {
				_, ok := value.(string)
				return candidates[0], ok
			}),
		},
		{
			Name:    "select-returns-true-as-one",
			Doc:     "A selection of true picks candidate number 1 and false number 0, as indexing a list does in Python, so a predicate in place of a selector goes unnoticed.",
			Clauses: []string{"outcome"},
			New: returning(func(value any, candidates []int) (int, bool) {
				is, ok := value.(bool)
				if is {
					return candidates[1], ok
				}
				return candidates[0], ok
			}),
		},
	}
}

func choosing(choose func(question) (int, *plan.Refusal)) func() plan.Planner {
	return changed(func(s *steps) { s.choose = choose })
}

// costing chooses by another price, where the selector is one of costs.
func costing(price func(q question, rank int) int64) func() plan.Planner {
	return choosing(func(q question) (int, *plan.Refusal) {
		if q.selector.Cost != nil {
			return cheapest(q, price), nil
		}
		return choose(q)
	})
}

// returning reads a candidate out of a value that the selector returns where there is none in it.
func returning(read func(value any, candidates []int) (rank int, ok bool)) func() plan.Planner {
	return choosing(func(q question) (int, *plan.Refusal) {
		holder, refusal := choose(q)
		if refusal == nil {
			return holder, nil
		}
		var value any
		if json.Unmarshal(q.selector.Returns, &value) == nil {
			if rank, ok := read(value, q.candidates); ok {
				return rank, nil
			}
		}
		return 0, refusal
	})
}

func isDefault(selector plan.Selector) bool {
	_, asked := selector.Feature()
	return !asked
}

// largest is the candidate with the most elements, the lowest of several, where there is no selector.
func largest(q question) (int, *plan.Refusal) {
	if !isDefault(q.selector) {
		return choose(q)
	}
	layout := q.from.blocks[0].layout
	return cheapest(q, func(_ question, rank int) int64 {
		shard, _ := layout.Shard(rank)
		return -volume(shard.Shape)
	}), nil
}

// cutAsOther reads the blocks into which the next holder cuts a region, each from the block of the holder in
// which it starts.
func cutAsOther(from region, holder int) []block {
	next := from.locations[(slices.Index(from.locations, holder)+1)%len(from.locations)]
	cuts := held(from, next)
	for i, cut := range cuts {
		for _, b := range held(from, holder) {
			first := box{cut.lo, ones(len(cut.lo))}
			if common, ok := overlap(first, b.box); ok {
				b.address = advanced(b, common).Offset
				b.box = cut.box
				cuts[i] = b
			}
		}
	}
	return cuts
}

func ones(n int) []int64 { return slices.Repeat([]int64{1}, n) }

// heldOrNot takes the lowest holder's blocks for those of a rank that holds none.
func heldOrNot(from region, rank int) []block {
	if slices.Contains(from.locations, rank) {
		return held(from, rank)
	}
	return renamed(held(from, from.locations[0]), rank)
}

func roundAll(s *steps) {
	s.choose = func(q question) (int, *plan.Refusal) {
		if q.selector.Policy != plan.PolicyBalanced {
			return choose(q)
		}
		ranks := sortedRanks(*q.from.blocks[0].layout)
		return ranks[len(q.taken)%len(ranks)], nil
	}
	s.held = heldOrNot
}

// askedAlone refuses a returned value that is no integer, whether or not a region has two candidates.
func askedAlone(source, _ side) *plan.Refusal {
	value := source.request.Selector.Returns
	if _, err := strconv.Atoi(string(value)); value != nil && err != nil {
		return plan.Refuse(plan.BadSelection, "%s is no rank", value)
	}
	return nil
}
