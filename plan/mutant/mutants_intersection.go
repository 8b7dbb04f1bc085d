package mutant

import (
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// intersections are the planners that cut the common part of two blocks wrongly.
func intersections() []Mutant {
	return []Mutant{
		{
			Name:    "clip-drops-last",
			Doc:     "The last copy of a plan is lost, so the end of the last shard keeps what it had.",
			Clauses: []string{"cover"},
			Small:   true,
			New: changed(func(s *steps) {
				s.fold = func(segments []plan.Segment, joins joining) []plan.Segment {
					return fold(segments[:max(0, len(segments)-1)], joins)
				}
			}),
		},
		{
			Name:    "clip-drops-single-elements",
			Doc:     "An intersection of one element counts as none, so corners of shards are never written.",
			Clauses: []string{"cover", "outcome"},
			Small:   true,
			New: clipping(func(target, source box) (box, bool) {
				common, ok := overlap(target, source)
				return common, ok && common.elements() != 1
			}),
		},
		{
			Name:    "clip-end-of-source",
			Doc:     "A copy ends where the source block ends, even past the target block, so neighbours are written twice.",
			Clauses: []string{"bounds", "once", "values"},
			Small:   true,
			New: clippingAxis(func(axis int, common, _, source box) {
				common.shape[axis] = source.lo[axis] + source.shape[axis] - common.lo[axis]
			}),
		},
		{
			Name:    "clip-extent-long",
			Doc:     "The last axis of each copy is one element too long, so each shard is written past its end or over its neighbour.",
			Clauses: []string{"bounds", "once", "values"},
			Small:   true,
			New: clippingAxis(func(axis int, common, _, _ box) {
				if axis == len(common.shape)-1 {
					common.shape[axis]++
				}
			}),
		},
		{
			Name:    "clip-extent-short",
			Doc:     "The first axis of each copy is one element too short, so the last row of every block is lost.",
			Clauses: []string{"cover"},
			Small:   true,
			New: clippingAxis(func(axis int, common, _, _ box) {
				if axis == 0 && common.shape[axis] > 1 {
					common.shape[axis]--
				}
			}),
		},
		{
			Name:    "clip-fifth-axis-whole",
			Doc:     "The fifth axis and later ones are not cut, so only tensors of five axes and more are copied past their blocks.",
			Clauses: []string{"bounds", "once", "values"},
			New:     clippingAxis(wholeFrom(4)),
		},
		{
			Name:    "clip-prime-extent-rounded",
			Doc:     "An extent that is a prime of 5 or more is rounded down to an even one, so odd vocabularies lose rows.",
			Clauses: []string{"cover"},
			New: clippingAxis(func(axis int, common, _, _ box) {
				if extent := common.shape[axis]; extent >= 5 && extent < 1<<20 && prime(extent) {
					common.shape[axis]--
				}
			}),
		},
		{
			Name:    "clip-start-of-target",
			Doc:     "A copy begins where the target block begins, even before the source block, so it reads what is not there.",
			Clauses: []string{"bounds", "once", "values"},
			Small:   true,
			New: clippingAxis(func(axis int, common, target, _ box) {
				common.shape[axis] += common.lo[axis] - target.lo[axis]
				common.lo[axis] = target.lo[axis]
			}),
		},
		{
			Name:    "clip-third-axis-whole",
			Doc:     "The third axis and later ones are not cut, so stacked weights are copied past their blocks where matrices are right.",
			Clauses: []string{"bounds", "once", "values"},
			New:     clippingAxis(wholeFrom(2)),
		},
		{
			Name:    "clip-touching",
			Doc:     "Blocks that only touch count as meeting, so plans hold copies of nothing.",
			Clauses: []string{"valid"},
			Small:   true,
			New:     clipping(touching),
		},
		{
			Name:    "clip-unit-axis-from-start",
			Doc:     "A target block of extent 1 on an axis takes the source block's first element there, so single rows, heads and experts are the wrong one.",
			Clauses: []string{"values"},
			Small:   true,
			New: reading(func(from, to block, common box) plan.View {
				var single []int
				for axis, extent := range to.shape {
					if extent == 1 {
						single = append(single, axis)
					}
				}
				return advancedBut(from, common, single...)
			}),
		},
	}
}

func clipping(overlap func(target, source box) (box, bool)) func() plan.Planner {
	return changed(func(s *steps) { s.overlap = overlap })
}

// clippingAxis changes one axis after another of what two blocks have in common.
func clippingAxis(change func(axis int, common, target, source box)) func() plan.Planner {
	return clipping(func(target, source box) (box, bool) {
		common, ok := overlap(target, source)
		if !ok {
			return box{}, false
		}
		for axis := range common.shape {
			change(axis, common, target, source)
		}
		return common, true
	})
}

// wholeFrom leaves the target's extent uncut from an axis on.
func wholeFrom(first int) func(axis int, common, target, source box) {
	return func(axis int, common, target, _ box) {
		if axis >= first {
			common.lo[axis], common.shape[axis] = target.lo[axis], target.shape[axis]
		}
	}
}

func prime(n int64) bool {
	for divisor := int64(2); divisor*divisor <= n; divisor++ {
		if n%divisor == 0 {
			return false
		}
	}
	return n > 1
}

func touching(target, source box) (box, bool) {
	common := box{slices.Clone(target.lo), slices.Clone(target.shape)}
	for axis := range common.lo {
		lo := max(target.lo[axis], source.lo[axis])
		hi := min(target.lo[axis]+target.shape[axis], source.lo[axis]+source.shape[axis])
		if hi < lo {
			return box{}, false
		}
		common.lo[axis], common.shape[axis] = lo, hi-lo
	}
	return common, true
}
