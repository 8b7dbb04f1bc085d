package gen

import "slices"

// rankIDs draws n distinct rank ids: mostly ascending from 0, else from elsewhere, sparse or large.
//
// The largest is just under 2^53, the last integer that a planner which reads JSON numbers as doubles gets
// right.
func (d *draw) rankIDs(n int) []int {
	ids := d.takeRanks(n)
	step, first := 1, 0
	switch d.upTo("rank ids", 9) {
	case 6:
		first = 1 + d.upTo("first rank", 8)
	case 7:
		step = 2 + d.upTo("rank step", 5)
	case 8:
		first, step = 90+d.upTo("first rank", 20), 7
	case 9:
		first = 1<<31 - 2
		if d.oneIn("beyond 2^31", 2) {
			first = 1<<53 - 8*64
		}
		step = 1 + d.upTo("rank step", 6)
	}
	for i := range ids {
		ids[i] = first + i*step
	}
	if d.oneIn("ranks in any order", 4) {
		d.shuffle("rank", n, func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	}
	return ids
}

// locations lists the ranks of a set of rank indices, given as a mask.
func (d *draw) locations(mask uint64, ids []int) []int {
	listed := d.takeRanks(popcount(mask))[:0]
	for index, id := range ids {
		if mask>>index&1 == 1 {
			listed = append(listed, id)
		}
	}
	return listed
}

// without returns the ranks that are not in a list of others.
func (d *draw) without(ranks, others []int) []int {
	kept := d.takeRanks(len(ranks))[:0]
	for _, rank := range ranks {
		if !slices.Contains(others, rank) {
			kept = append(kept, rank)
		}
	}
	return kept
}
