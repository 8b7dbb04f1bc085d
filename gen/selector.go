package gen

import (
	"encoding/json"
	"strconv"

	"github.com/shardproof/shardproof/plan"
)

// selector draws which holder is read: mostly the lowest, else any form that a request can ask for.
func (d *draw) selector(source, target *plan.Map) plan.Selector {
	switch d.upTo("selector", 31) {
	case 18, 19:
		return plan.Selector{Policy: plan.PolicyAny}
	case 20, 21:
		return plan.Selector{Policy: plan.PolicyBalanced}
	case 22, 23:
		return plan.Selector{Policy: plan.PolicyHighest}
	case 24, 25:
		return plan.Selector{Policy: plan.PolicyLocal}
	case 26, 27:
		return plan.Selector{Prefer: d.prefer(source, target)}
	case 28, 29:
		return plan.Selector{Cost: d.cost(source, target)}
	case 30:
		rank := d.rankOf("selected rank", source)
		return plan.Selector{Returns: strconv.AppendInt(nil, int64(rank), 10)}
	case 31:
		return plan.Selector{Returns: noSelections[d.upTo("selection", len(noSelections)-1)]}
	}
	return plan.Selector{}
}

// noSelections are values that are no integer, or no rank that a case has.
var noSelections = []json.RawMessage{
	json.RawMessage(`null`), json.RawMessage(`true`), json.RawMessage(`1.5`), json.RawMessage(`0.0`),
	json.RawMessage(`"0"`), json.RawMessage(`-1`), json.RawMessage(`9007199254740993`), json.RawMessage(`[0]`),
	json.RawMessage(`{"rank":0}`), json.RawMessage(`0e0`), json.RawMessage(`99999999999999999999`), json.RawMessage(`false`),
}

// prefer lists source ranks for some target ranks, now and then one that does not exist.
func (d *draw) prefer(source, target *plan.Map) map[int][]int {
	preferred := make(map[int][]int, 2)
	for range 1 + d.upTo("more targets with a preference", 1) {
		ranks := d.takeRanks(1 + d.upTo("more preferred ranks", 2))
		for i := range ranks {
			ranks[i] = d.rankOf("preferred rank", source)
		}
		if d.oneIn("prefer a rank that is not there", 8) {
			ranks[0]++
		}
		preferred[d.rankOf("target", target)] = distinct(ranks)
	}
	return preferred
}

// distinct drops the repetitions in a short list, in place.
func distinct(ranks []int) []int {
	kept := ranks[:0]
next:
	for _, rank := range ranks {
		for _, earlier := range kept {
			if earlier == rank {
				continue next
			}
		}
		kept = append(kept, rank)
	}
	return kept
}

// cost prices pairs of ranks, each at most once, at few different costs, so that there are ties.
func (d *draw) cost(source, target *plan.Map) []plan.Cost {
	var prices []plan.Cost
next:
	for range 1 + d.upTo("more prices", 3) {
		price := plan.Cost{
			Source: d.rankOf("source", source),
			Target: d.rankOf("target", target),
			Cost:   d.choose("cost", 0, 2),
		}
		for _, earlier := range prices {
			if earlier.Source == price.Source && earlier.Target == price.Target {
				continue next
			}
		}
		prices = append(prices, price)
	}
	return prices
}

// rankOf chooses one of a map's ranks.
func (d *draw) rankOf(label string, m *plan.Map) int {
	return m.Shards[d.upTo(label, len(m.Shards)-1)].Rank
}
