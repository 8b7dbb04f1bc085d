package mutant

import (
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// foldings are the planners that join segments that do not join, or leave apart what does.
func foldings() []Mutant {
	return []Mutant{
		{
			Name:    "fold-across-source-ranks",
			Doc:     "Segments of different source ranks are joined, so half of a copy reads past its shard or from the wrong one.",
			Clauses: []string{"values", "bounds"},
			Small:   true,
			New: joiningBy(func(a, b plan.Segment, axis int) bool {
				b.Source.Rank = a.Source.Rank
				return joins(a, b, axis)
			}),
		},
		{
			Name:    "fold-across-target-ranks",
			Doc:     "Segments of different target ranks are joined, so one rank is written past its end and another not at all.",
			Clauses: []string{"cover", "bounds", "values"},
			Small:   true,
			New: joiningBy(func(a, b plan.Segment, axis int) bool {
				b.Target.Rank = a.Target.Rank
				return joins(a, b, axis)
			}),
		},
		{
			Name:    "fold-not-repeated",
			Doc:     "The axes are folded once and not again, so a fold that a later axis makes possible is missed and plans are longer than need be.",
			Clauses: []string{"folded"},
			Strict:  true,
			New: folding(func(segments []plan.Segment, joins joining) []plan.Segment {
				for axis := 0; len(segments) > 0 && axis < len(segments[0].Shape); axis++ {
					segments = foldAlong(segments, axis, joins)
				}
				return segments
			}),
		},
		{
			Name:    "fold-contiguous-only",
			Doc:     "Only copies that are contiguous on both sides are joined, so column splits give more segments than need be.",
			Clauses: []string{"folded"},
			Strict:  true,
			Small:   true,
			New: joiningBy(func(a, b plan.Segment, axis int) bool {
				return joins(a, b, axis) && contiguous(a.Shape, a.Source) && contiguous(a.Shape, a.Target)
			}),
		},
		{
			Name:    "fold-first-axis-only",
			Doc:     "Segments are joined along the first axis only, so blocks that continue in their columns stay apart.",
			Clauses: []string{"folded"},
			Strict:  true,
			Small:   true,
			New: joiningBy(func(a, b plan.Segment, axis int) bool {
				return axis == 0 && joins(a, b, axis)
			}),
		},
		{
			Name:    "fold-ignores-fourth-extent",
			Doc:     "The extents of the fourth axis and later ones are not compared, so a join of unlike blocks copies too much or too little of each.",
			Clauses: []string{"values", "cover", "once", "bounds"},
			New: joiningBy(func(a, b plan.Segment, axis int) bool {
				if len(a.Shape) > 3 {
					b.Shape = slices.Concat(b.Shape[:3], a.Shape[3:])
				}
				return joins(a, b, axis)
			}),
		},
		{
			Name:    "fold-ignores-shape",
			Doc:     "The extents across a join are not compared, so a join of unlike blocks copies too much or too little of each.",
			Clauses: []string{"values", "cover", "once", "bounds"},
			Small:   true,
			New: joiningBy(func(a, b plan.Segment, axis int) bool {
				b.Shape = a.Shape
				return joins(a, b, axis)
			}),
		},
		{
			Name:    "fold-ignores-source",
			Doc:     "A join looks at the target addresses alone, so blocks that stand apart in the source are read as one.",
			Clauses: []string{"values", "bounds"},
			Small:   true,
			New: joiningBy(func(a, b plan.Segment, axis int) bool {
				return sameRanks(a, b) && sameStrides(a, b) && sameShapes(a, b, axis) && continues(a, a.Target, b.Target, axis)
			}),
		},
		{
			Name:    "fold-ignores-target",
			Doc:     "A join looks at the source addresses alone, so blocks that stand apart in the target are written as one.",
			Clauses: []string{"values", "cover", "once", "bounds"},
			Small:   true,
			New: joiningBy(func(a, b plan.Segment, axis int) bool {
				return sameRanks(a, b) && sameStrides(a, b) && sameShapes(a, b, axis) && continues(a, a.Source, b.Source, axis)
			}),
		},
		{
			Name:    "fold-joins-over-gap",
			Doc:     "A block that starts anywhere after another in the source is taken to continue it, so what lies between is copied in its place.",
			Clauses: []string{"values", "bounds"},
			Small:   true,
			New: joiningBy(func(a, b plan.Segment, axis int) bool {
				b.Source.Offset = min(b.Source.Offset, a.Source.Offset+a.Shape[axis]*a.Source.Strides[axis])
				return joins(a, b, axis)
			}),
		},
		{
			Name:    "fold-keeps-later-address",
			Doc:     "A joined segment starts where the later of the two did, so it runs past the end and leaves the start out.",
			Clauses: []string{"cover", "bounds", "once", "values"},
			Small:   true,
			New: joined(func(a *plan.Segment, b plan.Segment, axis int) {
				a.Shape[axis] += b.Shape[axis]
				a.Source, a.Target = b.Source, b.Target
			}),
		},
		{
			Name:    "fold-keeps-parts",
			Doc:     "A segment that was joined to another stays in the plan, so the same elements are moved twice.",
			Clauses: []string{"once"},
			Small:   true,
			New: folding(func(segments []plan.Segment, joins joining) []plan.Segment {
				whole := fold(cloned(segments), joins)
				for _, part := range segments {
					if len(whole) < len(segments) && !slices.ContainsFunc(whole, startsAt(part)) {
						whole = append(whole, part)
					}
				}
				return whole
			}),
		},
		{
			Name:    "fold-loses-third",
			Doc:     "A run of three segments or more is joined to the length of two, so long runs lose their end.",
			Clauses: []string{"cover"},
			Small:   true,
			New:     folding(losingThird),
		},
		{
			Name:    "fold-none",
			Doc:     "Nothing is joined, so plans have as many segments as intersections.",
			Clauses: []string{"folded"},
			Strict:  true,
			Small:   true,
			New:     joiningBy(func(plan.Segment, plan.Segment, int) bool { return false }),
		},
		{
			Name:    "fold-one-too-long",
			Doc:     "A joined segment is one element too long, so it writes over its neighbour.",
			Clauses: []string{"bounds", "once", "values"},
			Small:   true,
			New: joined(func(a *plan.Segment, b plan.Segment, axis int) {
				a.Shape[axis] += b.Shape[axis] + 1
			}),
		},
		{
			Name:    "fold-unit-extents",
			Doc:     "A join counts blocks in place of their extents, so two blocks of four rows become one of two.",
			Clauses: []string{"cover"},
			Small:   true,
			New: joined(func(a *plan.Segment, _ plan.Segment, axis int) {
				a.Shape[axis]++
			}),
		},
		{
			Name:    "fold-wrong-axis",
			Doc:     "The extent of a join is added to the next axis, so the joined block has the wrong form.",
			Clauses: []string{"cover", "bounds", "once", "values"},
			Small:   true,
			New: joined(func(a *plan.Segment, b plan.Segment, axis int) {
				a.Shape[(axis+1)%len(a.Shape)] += b.Shape[axis]
			}),
		},
	}
}

func joiningBy(joins joining) func() plan.Planner {
	return changed(func(s *steps) { s.joins = joins })
}

func folding(fold func([]plan.Segment, joining) []plan.Segment) func() plan.Planner {
	return changed(func(s *steps) { s.fold = fold })
}

// joined extends a by b in another way, once for each pair that joins, and folds no further.
func joined(extend func(a *plan.Segment, b plan.Segment, axis int)) func() plan.Planner {
	return folding(func(segments []plan.Segment, joins joining) []plan.Segment {
		for axis := 0; len(segments) > 0 && axis < len(segments[0].Shape); axis++ {
			for i := 0; i < len(segments); i++ {
				next := func(b plan.Segment) bool { return joins(segments[i], b, axis) }
				if j := slices.IndexFunc(segments, next); j > i {
					extend(&segments[i], segments[j], axis)
					segments = slices.Delete(segments, j, j+1)
				}
			}
		}
		return segments
	})
}

// losingThird folds, and drops what is joined to a segment after the first along each axis.
func losingThird(segments []plan.Segment, joins joining) []plan.Segment {
	for axis := 0; len(segments) > 0 && axis < len(segments[0].Shape); axis++ {
		for i := 0; i < len(segments); i++ {
			whole := segments[i]
			whole.Shape = slices.Clone(whole.Shape)
			for parts := 1; ; parts++ {
				j := slices.IndexFunc(segments, func(b plan.Segment) bool { return joins(whole, b, axis) })
				if j <= i {
					break
				}
				whole.Shape[axis] += segments[j].Shape[axis]
				if parts == 1 {
					segments[i].Shape[axis] = whole.Shape[axis]
				}
				segments = slices.Delete(segments, j, j+1)
			}
		}
	}
	return segments
}

func contiguous(shape []int64, at plan.Endpoint) bool {
	return sameSteps(shape, at.Strides, rowMajor(shape))
}

func cloned(segments []plan.Segment) []plan.Segment {
	segments = slices.Clone(segments)
	for i := range segments {
		segments[i].Shape = slices.Clone(segments[i].Shape)
	}
	return segments
}

func startsAt(part plan.Segment) func(plan.Segment) bool {
	return func(whole plan.Segment) bool {
		return whole.Target.Rank == part.Target.Rank && whole.Target.Offset == part.Target.Offset
	}
}
