package oracle

import (
	"slices"
	"strconv"
	"strings"

	"github.com/shardproof/shardproof/plan"
)

// A choice is which holder an element must be read from: one rank, any candidate, or none, where the selector
// names no candidate and the request was to be refused.
type choice struct {
	rank      int
	any, none bool
}

// choose is the choice among the candidates, which are the ranks that hold an element, ascending. Where there
// is one, it is read whatever the selector says.
func choose(s *plan.Selector, target int, candidates []int) choice {
	lowest := choice{rank: candidates[0]}
	switch {
	case len(candidates) == 1:
		return lowest
	case s.Prefer != nil:
		for _, rank := range s.Prefer[target] {
			if slices.Contains(candidates, rank) {
				return choice{rank: rank}
			}
		}
	case s.Cost != nil:
		return choice{rank: cheapest(s.Cost, target, candidates)}
	case s.Returns != nil:
		rank, err := strconv.Atoi(strings.TrimSpace(string(s.Returns)))
		if err != nil || !slices.Contains(candidates, rank) {
			return choice{none: true}
		}
		return choice{rank: rank}
	case s.Policy == plan.PolicyHighest:
		return choice{rank: candidates[len(candidates)-1]}
	case s.Policy == plan.PolicyLocal && slices.Contains(candidates, target):
		return choice{rank: target}
	case s.Policy == plan.PolicyBalanced || s.Policy == plan.PolicyAny:
		return choice{any: true}
	}
	return lowest
}

// byTarget reports whether the choice differs from one target rank to another.
func byTarget(s *plan.Selector) bool {
	return s.Prefer != nil || s.Cost != nil || s.Policy == plan.PolicyLocal
}

func cheapest(costs []plan.Cost, target int, candidates []int) int {
	best, least := candidates[0], price(costs, candidates[0], target)
	for _, rank := range candidates[1:] {
		if cost := price(costs, rank, target); cost < least {
			best, least = rank, cost
		}
	}
	return best
}

// price is 0 for a pair that is not listed.
func price(costs []plan.Cost, source, target int) int64 {
	for _, c := range costs {
		if c.Source == source && c.Target == target {
			return c.Cost
		}
	}
	return 0
}
