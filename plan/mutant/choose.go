package mutant

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/shardproof/shardproof/plan"
)

// A question asks which of several candidates a target rank reads a region from.
type question struct {
	selector   plan.Selector
	target     int
	candidates []int         // ascending, two or more
	from       region        // what they hold
	taken      map[int]int64 // elements read from each source rank so far
}

// choose answers by the selector.
func choose(q question) (int, *plan.Refusal) {
	switch {
	case q.selector.Prefer != nil:
		return preferred(q.selector.Prefer[q.target], q.candidates), nil
	case q.selector.Cost != nil:
		return cheapest(q, price), nil
	case q.selector.Returns != nil:
		return returned(q)
	case q.selector.Policy == plan.PolicyHighest:
		return q.candidates[len(q.candidates)-1], nil
	case q.selector.Policy == plan.PolicyLocal:
		return preferred([]int{q.target}, q.candidates), nil
	case q.selector.Policy == plan.PolicyBalanced:
		return leastTaken(q), nil
	}
	return q.candidates[0], nil
}

// preferred is the first listed rank that is a candidate, else the lowest candidate.
func preferred(list, candidates []int) int {
	for _, rank := range list {
		if slices.Contains(candidates, rank) {
			return rank
		}
	}
	return candidates[0]
}

// cheapest is the candidate of the least price, the lowest of several.
func cheapest(q question, price func(question, int) int64) int {
	best := q.candidates[0]
	for _, rank := range q.candidates[1:] {
		if price(q, rank) < price(q, best) {
			best = rank
		}
	}
	return best
}

// price is 0 for a pair of ranks that is not listed.
func price(q question, source int) int64 {
	for _, cost := range q.selector.Cost {
		if cost.Source == source && cost.Target == q.target {
			return cost.Cost
		}
	}
	return 0
}

// returned is what the selector answers, if it is an integer and a candidate. Text with a fraction or an
// exponent is no integer, and neither is true.
func returned(q question) (int, *plan.Refusal) {
	text := string(bytes.TrimSpace(q.selector.Returns))
	rank, err := strconv.Atoi(text)
	if err != nil || text[0] == '+' || !slices.Contains(q.candidates, rank) {
		return 0, plan.Refuse(plan.BadSelection, "target rank %d: %s is none of %v", q.target, text, q.candidates)
	}
	return rank, nil
}

// leastTaken is the candidate that the fewest elements were read from so far, the lowest of several.
func leastTaken(q question) int {
	return cheapest(q, func(q question, rank int) int64 { return q.taken[rank] })
}
