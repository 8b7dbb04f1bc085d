package reference

import (
	"cmp"
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// A stride is the distance between two moves in both shards. Both are positive: a view with negative strides
// is none that torch.as_strided has.
type stride struct{ target, source int64 }

// A pair is two moves, by index, of which the second lies a stride past the first.
type pair struct {
	stride
	first, second int32
}

// neighbours is how many moves after each are looked at for strides. Those of an inner axis are found among
// near moves, and once it is stacked those of the next axis are near too.
const neighbours = 16

// pairsOf finds the pairs among moves of one form, ascending by target, by their stride: the stride with most
// pairs comes first, and the least of several. The pairs of a stride ascend.
func pairsOf(moves []move, work *meter) ([][]pair, error) {
	pairs := make([]pair, 0, neighbours*len(moves))
	for i := range moves {
		for j := i + 1; j < len(moves) && j <= i+neighbours; j++ {
			if err := work.spend(&work.mergeChecks); err != nil {
				return nil, err
			}
			if source := moves[j].source - moves[i].source; source > 0 {
				pairs = append(pairs, pair{stride{moves[j].target - moves[i].target, source}, int32(i), int32(j)})
			}
		}
	}
	slices.SortFunc(pairs, comparePairs)
	var byStride [][]pair
	for lo, hi := 0, 0; lo < len(pairs); lo = hi {
		for hi = lo + 1; hi < len(pairs) && pairs[hi].stride == pairs[lo].stride; hi++ {
		}
		byStride = append(byStride, pairs[lo:hi])
	}
	slices.SortStableFunc(byStride, func(a, b []pair) int { return cmp.Compare(len(b), len(a)) })
	return byStride, nil
}

func comparePairs(a, b pair) int {
	switch {
	case a.target != b.target:
		return cmp.Compare(a.target, b.target)
	case a.source != b.source:
		return cmp.Compare(a.source, b.source)
	}
	return cmp.Compare(a.first, b.first)
}

// runsOf turns runs of moves that follow each other by one stride into moves with one axis more, stride by
// stride, and returns them and the moves that are in none. Both are ascending by target.
func runsOf(moves []move, byStride [][]pair) (stacked, single []move) {
	runs := make([]run, len(moves))
	for i := range runs {
		runs[i].length = 1
	}
	for _, pairs := range byStride {
		takeRuns(runs, pairs)
	}
	for i, m := range moves {
		switch r := &runs[i]; {
		case r.by == stride{}:
			single = append(single, m)
		case r.length > 0:
			stacked = append(stacked, inFront(m, r.length, r.by))
		}
	}
	return stacked, single
}

// A run is what a move stands in: the run's stride, zero for none, and the length of the run that begins
// there, 0 where the run began before.
type run struct {
	by     stride
	length int64
}

// takeRuns makes runs by one stride of moves that no run holds yet. The pairs ascend, so from the last one
// back each finds the run that it lengthens.
func takeRuns(runs []run, pairs []pair) {
	for _, p := range slices.Backward(pairs) {
		first, second := &runs[p.first], &runs[p.second]
		if first.by == (stride{}) && (second.by == stride{} || second.by == p.stride) {
			first.by, second.by = p.stride, p.stride
			first.length += second.length
			second.length = 0
		}
	}
}

// hasRoom reports whether a shape can take another axis. One of extent 1 can give way to it.
func hasRoom(shape []int64) bool {
	return len(shape) < plan.MaxAxes || slices.Contains(shape, 1)
}

// inFront is a move repeated by a stride, as its first axis. Where it has as many axes as it may, the first
// of extent 1 gives way.
func inFront(m move, length int64, by stride) move {
	axis := -1
	if len(m.shape) == plan.MaxAxes {
		axis = slices.Index(m.shape, 1)
	}
	m.shape = prepend(length, m.shape, axis)
	m.sourceStrides = prepend(by.source, m.sourceStrides, axis)
	m.targetStrides = prepend(by.target, m.targetStrides, axis)
	return m
}

// prepend is a list with a value in front, and without the one at an index, if any.
func prepend(first int64, rest []int64, without int) []int64 {
	list := append([]int64{first}, rest...)
	if without >= 0 {
		list = slices.Delete(list, without+1, without+2)
	}
	return list
}
