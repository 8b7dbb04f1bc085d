package reference

import (
	"cmp"
	"slices"
)

// stack folds moves as fold does and into new axes: moves of equal shape and strides whose addresses on both
// sides step by constant distances become one move with one axis more, in front.
//
// Where pieces are interleaved, joining along the axes of F first can spoil such a progression, and where
// they are not it shortens it. So the moves between two ranks are stacked as they came, as they fold and as
// they fold from the highest axis down, and the way with the fewest segments is taken.
func stack(moves []move, work *meter) ([]move, error) {
	up, err := fold(withOwnShapes(moves), false, work)
	if err != nil {
		return nil, err
	}
	down, err := foldDown(withOwnShapes(moves), work)
	if err != nil {
		return nil, err
	}
	ways := [][][]move{byRanks(up), byRanks(down), byRanks(moves)}
	var stacked []move
	for i := range ways[0] {
		best, err := fewest(ways, i, work)
		if err != nil {
			return nil, err
		}
		stacked = append(stacked, best...)
	}
	putInOrder(stacked)
	return fold(withOwnShapes(stacked), false, work)
}

// fewest stacks the moves between the i-th two ranks each way, and is the first result that is shortest.
func fewest(ways [][][]move, i int, work *meter) (best []move, err error) {
	for _, way := range ways {
		stacked, err := stackEqual(way[i], work)
		if err != nil {
			return nil, err
		}
		if best == nil || len(stacked) < len(best) {
			best = stacked
		}
		if len(best) == 1 {
			break
		}
	}
	return best, nil
}

// withOwnShapes copies moves and their shapes, which folding changes.
func withOwnShapes(moves []move) []move {
	moves = slices.Clone(moves)
	slab := make(slab, 0, len(moves)*mostAxes(moves))
	for i := range moves {
		moves[i].shape = slab.copyOf(moves[i].shape)
	}
	return moves
}

// byRanks splits moves by target rank and source rank, ascending; each part keeps its order.
func byRanks(moves []move) [][]move {
	return cutWhere(moves, func(a, b *move) int {
		if a.targetRank != b.targetRank {
			return cmp.Compare(a.targetRank, b.targetRank)
		}
		return cmp.Compare(a.sourceRank, b.sourceRank)
	})
}

// cutWhere sorts a copy of the moves, keeping the order of equal ones, and cuts it where they differ.
func cutWhere(moves []move, compare func(a, b *move) int) [][]move {
	sorted := slices.Clone(moves)
	slices.SortStableFunc(sorted, func(a, b move) int { return compare(&a, &b) })
	var parts [][]move
	for lo, hi := 0, 0; lo < len(sorted); lo = hi {
		for hi = lo + 1; hi < len(sorted) && compare(&sorted[lo], &sorted[hi]) == 0; hi++ {
		}
		parts = append(parts, sorted[lo:hi:hi])
	}
	return parts
}

// stackEqual stacks, among moves between two ranks, those of equal shape and strides.
func stackEqual(moves []move, work *meter) ([]move, error) {
	var stacked []move
	for _, equal := range cutWhere(moves, compareForms) {
		done, err := stackRuns(equal, work)
		if err != nil {
			return nil, err
		}
		stacked = append(stacked, done...)
	}
	return stacked, nil
}

// compareForms orders moves by shape and strides.
func compareForms(a, b *move) int {
	return cmp.Or(
		slices.Compare(a.shape, b.shape),
		slices.Compare(a.sourceStrides, b.sourceStrides),
		slices.Compare(a.targetStrides, b.targetStrides),
	)
}

// stackRuns stacks moves of one form, ascending by target, and what that makes again. Each time at most half
// as many are left to stack.
func stackRuns(moves []move, work *meter) ([]move, error) {
	if len(moves) < 2 || !hasRoom(moves[0].shape) {
		return moves, nil
	}
	if err := work.spend(&work.mergePasses); err != nil {
		return nil, err
	}
	pairs, err := pairsOf(moves, work)
	if err != nil {
		return nil, err
	}
	stacked, single := runsOf(moves, pairs)
	if stacked, err = stackEqual(stacked, work); err != nil {
		return nil, err
	}
	return append(stacked, single...), nil
}
