package reference

import (
	"cmp"
	"slices"
)

// A stride is the distance between two moves in both shards, and the pairs that have it. Both distances are
// positive: a view with negative strides is none that torch.as_strided has.
type stride struct {
	target, source int64
	pairs          []pair
}

// A pair is two moves, by index: the second lies a stride past the first.
type pair struct{ first, second int }

// neighbours is how many moves after each are looked at for strides. Those of an inner axis are found among
// near moves, and once it is stacked those of the next axis are near too.
const neighbours = 32

// stridesOf finds the strides between moves of one form, ascending by target: the one with most pairs comes
// first, and the least of several.
func stridesOf(moves []move, work *meter) ([]stride, error) {
	var singly []stride
	for i := range moves {
		for j := i + 1; j < len(moves) && j <= i+neighbours; j++ {
			if err := work.spend(&work.mergeChecks); err != nil {
				return nil, err
			}
			if source := moves[j].source - moves[i].source; source > 0 {
				singly = append(singly, stride{moves[j].target - moves[i].target, source, []pair{{i, j}}})
			}
		}
	}
	slices.SortStableFunc(singly, func(a, b stride) int { return compareDistances(&a, &b) })
	all := singly[:0]
	for _, s := range singly {
		if last := len(all) - 1; last >= 0 && compareDistances(&all[last], &s) == 0 {
			all[last].pairs = append(all[last].pairs, s.pairs...)
		} else {
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b stride) int { return cmp.Compare(len(b.pairs), len(a.pairs)) })
	return all, nil
}

func compareDistances(a, b *stride) int {
	return cmp.Or(cmp.Compare(a.target, b.target), cmp.Compare(a.source, b.source))
}

// runsOf turns runs of moves that follow each other by one stride into moves with one axis more, stride by
// stride, and returns them and the moves that are in none. Both are ascending by target.
func runsOf(moves []move, all []stride) (runs, single []move) {
	length := make([]int64, len(moves)) // of the run that begins at a move; 0: a run holds it further on
	by := make([]*stride, len(moves))   // of the run that holds a move
	for i := range length {
		length[i] = 1
	}
	for i := range all {
		takeRuns(&all[i], by, length)
	}
	for i, m := range moves {
		switch {
		case by[i] == nil:
			single = append(single, m)
		case length[i] > 0:
			m.shape = prepend(length[i], m.shape)
			m.sourceStrides = prepend(by[i].source, m.sourceStrides)
			m.targetStrides = prepend(by[i].target, m.targetStrides)
			runs = append(runs, m)
		}
	}
	return runs, single
}

// takeRuns makes runs by a stride of moves that no run holds yet. Pairs ascend by their first, so from the
// last pair back each finds the run that it lengthens.
func takeRuns(s *stride, by []*stride, length []int64) {
	for k := len(s.pairs) - 1; k >= 0; k-- {
		p := s.pairs[k]
		if by[p.first] == nil && (by[p.second] == nil || by[p.second] == s && length[p.second] > 0) {
			by[p.first], by[p.second] = s, s
			length[p.first] += length[p.second]
			length[p.second] = 0
		}
	}
}

func prepend(first int64, rest []int64) []int64 {
	return append([]int64{first}, rest...)
}
