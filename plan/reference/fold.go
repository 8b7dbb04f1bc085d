package reference

// fold joins moves as plan.fold has it: along the lowest axis until nothing joins, then the next, and again
// until nothing does. The moves are in plan.order, and stay so. With samePiece, only moves that read one
// source piece join.
func fold(moves []move, samePiece bool, work *meter) ([]move, error) {
	return foldFrom(0, +1, moves, samePiece, work)
}

// foldDown joins moves as fold does, but along the highest axis first and then down: which moves are left
// depends on the order, and neither leaves the fewest of every set.
func foldDown(moves []move, work *meter) ([]move, error) {
	return foldFrom(mostAxes(moves)-1, -1, moves, false, work)
}

// foldFrom joins along one axis after another, beginning with first, a step of 1 or -1 apart.
func foldFrom(first, step int, moves []move, samePiece bool, work *meter) ([]move, error) {
	axes := mostAxes(moves)
	settled := 0 // axes in a row, up to the last one folded, along which nothing joins any more
	for axis := first; settled < axes; axis = (axis + step + axes) % axes {
		if err := work.spend(&work.mergePasses); err != nil {
			return nil, err
		}
		left, err := foldAxis(moves, axis, samePiece, work)
		if err != nil {
			return nil, err
		}
		if len(left) < len(moves) {
			settled = 0
		}
		moves = left
		settled++
	}
	return moves, nil
}

func mostAxes(moves []move) int {
	axes := 0
	for i := range moves {
		axes = max(axes, len(moves[i].shape))
	}
	return axes
}

// foldAxis joins along one axis until nothing joins.
//
// A target address is written once, so at most one move starts where another ends, and at most one ends
// where it starts: whatever the order, the same chains of moves join.
func foldAxis(moves []move, axis int, samePiece bool, work *meter) ([]move, error) {
	joined := false
	for lo, hi := 0, 0; lo < len(moves); lo = hi {
		hi = endOfRank(moves, lo)
		for i := lo; i < hi; i++ {
			for !moves[i].absorbed {
				if err := work.spend(&work.mergeChecks); err != nil {
					return nil, err
				}
				next := continuation(moves[lo:hi], &moves[i], axis)
				if next == nil || samePiece && next.piece != moves[i].piece {
					break
				}
				moves[i].shape[axis] += next.shape[axis]
				next.absorbed, joined = true, true
			}
		}
	}
	if !joined {
		return moves, nil
	}
	return unabsorbed(moves), nil
}

// endOfRank is the index past the moves that write to the same target rank as the one at lo.
func endOfRank(moves []move, lo int) int {
	hi := lo + 1
	for hi < len(moves) && moves[hi].targetRank == moves[lo].targetRank {
		hi++
	}
	return hi
}

// continuation finds, among the moves to one target rank, the one that carries on along an axis where a
// move ends, in both shards. It is nil where there is none.
func continuation(moves []move, m *move, axis int) *move {
	if axis >= len(m.shape) {
		return nil
	}
	target, ok := advance(m.target, m.shape[axis], m.targetStrides[axis])
	if !ok {
		return nil
	}
	next := moveAt(moves, target)
	if next == nil || next == m { // m itself, where an axis of extent 1 has stride 0
		return nil
	}
	if next.sourceRank != m.sourceRank || !sameStrides(m, next) || !sameBut(axis, m.shape, next.shape) {
		return nil
	}
	source, ok := advance(m.source, m.shape[axis], m.sourceStrides[axis])
	if !ok || next.source != source {
		return nil
	}
	return next
}

// moveAt finds the move whose first element has a target address, among moves in order to one rank.
func moveAt(moves []move, target int64) *move {
	lo, hi := 0, len(moves)
	for lo < hi {
		middle := int(uint(lo+hi) / 2)
		if moves[middle].target < target {
			lo = middle + 1
		} else {
			hi = middle
		}
	}
	if lo == len(moves) || moves[lo].target != target {
		return nil
	}
	return &moves[lo]
}

// sameBut reports whether two shapes of equal length differ on no other axis.
func sameBut(axis int, a, b []int64) bool {
	for i := range a {
		if i != axis && a[i] != b[i] {
			return false
		}
	}
	return true
}

// unabsorbed drops, in place, the moves that others took in.
func unabsorbed(moves []move) []move {
	left := moves[:0]
	for i := range moves {
		if !moves[i].absorbed {
			left = append(left, moves[i])
		}
	}
	return left
}
