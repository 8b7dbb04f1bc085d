package reference

import "slices"

// An errand is an intersection that has to be read from one of a group's candidates.
type errand struct {
	size  int64 // elements, at least 1
	group int
}

// balanceReaders gives each crossing the rank that it reads from under the policy balanced.
func balanceReaders(found []crossing, candidates [][]int) {
	if len(found) == 0 {
		return // and there may be no rank to share nothing between
	}
	errands := make([]errand, len(found))
	for i := range found {
		errands[i] = errand{size: found[i].size(), group: found[i].source.group}
	}
	for i, rank := range balance(errands, candidates) {
		found[i].reader = rank
	}
}

// balance picks a rank for each errand, so that the busiest rank reads at most one errand more than the
// fractional lower bound: the largest, over all sets of ranks, of what only these can read, divided by their
// number. Candidates, by group, are ascending.
//
// A flow of least limit says how many elements of each group a rank reads; limit less one is below the bound.
// The edges that carry some are made a forest and its trees rooted at ranks. A group's errands are laid end
// to end along its ranks' quotas, and one that straddles goes to the rank in which it ends. So a rank reads
// beyond its quota only in a group where another rank comes first. The parent comes first, so that is one
// group for each rank, and one errand.
func balance(errands []errand, candidates [][]int) []int {
	ranks := slices.Concat(candidates...)
	slices.Sort(ranks)
	ranks = slices.Compact(ranks)

	n := newNetwork(supplies(errands, len(candidates)), indices(candidates, ranks), len(ranks))
	n.settle()
	n.cancelCycles()

	members := make([][]int, len(candidates))
	for i, e := range errands {
		members[e.group] = append(members[e.group], i)
	}
	chosen := make([]int, len(errands))
	n.walk(func(group int, quotas []edge) {
		last, bound := 0, quotas[0].flow
		var end wide
		for _, i := range members[group] {
			end = end.plus(wideOf(errands[i].size))
			for bound.less(end) {
				last++
				bound = bound.plus(quotas[last].flow)
			}
			chosen[i] = ranks[quotas[last].rank]
		}
	})
	return chosen
}

func supplies(errands []errand, groups int) []wide {
	supply := make([]wide, groups)
	for _, e := range errands {
		supply[e.group] = supply[e.group].plus(wideOf(e.size))
	}
	return supply
}

// indices gives each candidate as its place among the ranks.
func indices(candidates [][]int, ranks []int) [][]int {
	all := make([][]int, len(candidates))
	for group, holders := range candidates {
		all[group] = make([]int, len(holders))
		for i, rank := range holders {
			all[group][i], _ = slices.BinarySearch(ranks, rank)
		}
	}
	return all
}

// walk visits every group of the forest that cancelCycles left, with its edges: the parent's first. Each tree is rooted at its lowest rank.
func (n *network) walk(visit func(group int, quotas []edge)) {
	seen := make([]bool, len(n.at))
	for root := range n.load {
		queue := []int{root}
		for len(queue) > 0 {
			rank := queue[0]
			queue = queue[1:]
			for _, id := range n.at[n.node(rank)] {
				if group := n.edges[id].group; !seen[group] {
					seen[group] = true
					quotas := n.quotas(group, rank)
					for _, child := range quotas[1:] {
						queue = append(queue, child.rank)
					}
					visit(group, quotas)
				}
			}
		}
	}
}

// quotas is a group's edges, the parent's first.
func (n *network) quotas(group, parent int) []edge {
	quotas := make([]edge, 0, len(n.at[group]))
	for _, id := range n.at[group] {
		quotas = append(quotas, n.edges[id])
		if last := len(quotas) - 1; quotas[last].rank == parent {
			quotas[0], quotas[last] = quotas[last], quotas[0]
		}
	}
	return quotas
}
