package reference

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/shardproof/shardproof/plan"
)

// A choice picks the rank that a target rank reads from, out of two or more candidates in ascending order.
// It is false where what it picks is no candidate.
type choice func(candidates []int, target int) (int, bool)

// chooseReaders gives each crossing the rank that it reads from: the only one that holds the region, or the
// selector's choice among several.
func chooseReaders(found []crossing, selector plan.Selector, candidates [][]int) *plan.Refusal {
	if isBalanced(selector) {
		balanceReaders(found, candidates)
		return nil
	}
	choose, refusal := choiceOf(selector)
	if refusal != nil {
		return refusal
	}
	for i := range found {
		c := &found[i]
		holders := candidates[c.source.group]
		if c.reader = holders[0]; len(holders) == 1 {
			continue
		}
		var ok bool
		if c.reader, ok = choose(holders, c.rank); !ok {
			return plan.Refuse(plan.BadSelection, "selector answers %s for target rank %d, candidates %v", selector.Returns, c.rank, holders)
		}
	}
	return nil
}

// choiceOf turns a selector into its choice. The policy balanced is no choice of this form: it looks at all
// intersections at once.
func choiceOf(selector plan.Selector) (choice, *plan.Refusal) {
	switch feature, _ := selector.Feature(); feature {
	case plan.FeaturePrefer:
		return preferred(selector.Prefer), nil
	case plan.FeatureCost:
		return cheapest(selector.Cost), nil
	case plan.FeatureReturns:
		return returned(selector.Returns), nil
	case plan.FeatureHighest:
		return highest, nil
	case plan.FeatureLocal:
		return local, nil
	case "": // no selector, or the policy any
		return lowest, nil
	}
	return nil, plan.Refuse(plan.BadSelection, "unknown policy %q", selector.Policy)
}

// isBalanced reports whether the selector is the policy balanced.
func isBalanced(selector plan.Selector) bool {
	feature, _ := selector.Feature()
	return feature == plan.FeatureBalanced
}

func lowest(candidates []int, _ int) (int, bool) { return candidates[0], true }

func highest(candidates []int, _ int) (int, bool) { return candidates[len(candidates)-1], true }

// local picks the target's own rank number where it is a candidate, else the lowest.
func local(candidates []int, target int) (int, bool) {
	if isCandidate(candidates, target) {
		return target, true
	}
	return candidates[0], true
}

// preferred picks the first rank on the target's list that is a candidate, else the lowest.
func preferred(lists map[int][]int) choice {
	return func(candidates []int, target int) (int, bool) {
		for _, rank := range lists[target] {
			if isCandidate(candidates, rank) {
				return rank, true
			}
		}
		return candidates[0], true
	}
}

// cheapest picks the candidate of least cost, ties to the lowest. A pair that is listed twice costs the
// least that is listed, so that the order of the list never matters.
func cheapest(costs []plan.Cost) choice {
	sorted := slices.Clone(costs)
	slices.SortFunc(sorted, func(a, b plan.Cost) int {
		return cmp.Or(comparePair(a, b), cmp.Compare(a.Cost, b.Cost))
	})
	costOf := func(source, target int) int64 {
		pair := plan.Cost{Source: source, Target: target}
		if i, listed := slices.BinarySearchFunc(sorted, pair, comparePair); listed {
			return sorted[i].Cost
		}
		return 0
	}
	return func(candidates []int, target int) (int, bool) {
		best, least := candidates[0], costOf(candidates[0], target)
		for _, rank := range candidates[1:] {
			if cost := costOf(rank, target); cost < least {
				best, least = rank, cost
			}
		}
		return best, true
	}
}

func comparePair(a, b plan.Cost) int {
	return cmp.Or(cmp.Compare(a.Target, b.Target), cmp.Compare(a.Source, b.Source))
}

// returned picks a raw JSON value, which has to be an integer that is a candidate.
func returned(value json.RawMessage) choice {
	rank, isInteger := integer(string(value))
	return func(candidates []int, _ int) (int, bool) {
		return rank, isInteger && isCandidate(candidates, rank)
	}
}

// integer reads the text of a JSON integer: no fraction, no exponent, no plus sign, no leading zero. An
// integer outside int64 is false too, as no rank is that large.
func integer(text string) (int, bool) {
	text = strings.Trim(text, " \t\r\n")
	digits := strings.TrimPrefix(text, "-")
	if len(digits) > 1 && digits[0] == '0' || strings.HasPrefix(digits, "+") {
		return 0, false
	}
	rank, err := strconv.Atoi(text)
	return rank, err == nil
}

func isCandidate(candidates []int, rank int) bool {
	_, found := slices.BinarySearch(candidates, rank)
	return found
}
