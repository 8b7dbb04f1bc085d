package mutant

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/shardproof/shardproof/plan"
)

// orders are the planners whose segments stand in another order, or in one that hangs on the request's.
func orders() []Mutant {
	return []Mutant{
		{
			Name:    "order-balanced-as-requested",
			Doc:     "Balanced reading counts in the order of the request's pieces, so the same layout written differently gives another plan.",
			Clauses: []string{"stable"},
			Small:   true,
			New:     changed(func(s *steps) { s.arrange = func([]block) {} }),
		},
		{
			Name:    "order-by-source",
			Doc:     "Segments are sorted by their source, so a reader that fills one target after another must hold them all.",
			Clauses: []string{"ordered"},
			Strict:  true,
			Small:   true,
			New: ordering(func(a, b plan.Segment) int {
				return less(plan.Segment{Source: a.Target, Target: a.Source}, plan.Segment{Source: b.Target, Target: b.Source})
			}),
		},
		{
			Name:    "order-of-offsets-descending",
			Doc:     "Each target rank's segments descend by offset.",
			Clauses: []string{"ordered"},
			Strict:  true,
			Small:   true,
			New: ordering(func(a, b plan.Segment) int {
				return cmp.Or(cmp.Compare(a.Target.Rank, b.Target.Rank), less(b, a))
			}),
		},
		{
			Name:    "order-of-request",
			Doc:     "Segments stand in the order of the request's pieces, so equal layouts give plans that differ byte for byte.",
			Clauses: []string{"stable"},
			Small:   true,
			New: changed(func(s *steps) {
				s.arrange = func([]block) {}
				s.less = func(plan.Segment, plan.Segment) int { return 0 }
			}),
		},
		{
			Name:    "order-ranks-as-text",
			Doc:     "Ranks are sorted as text, so rank 10 comes before rank 2.",
			Clauses: []string{"ordered"},
			Strict:  true,
			New: ordering(func(a, b plan.Segment) int {
				return cmp.Or(
					strings.Compare(strconv.Itoa(a.Target.Rank), strconv.Itoa(b.Target.Rank)),
					less(a, b),
				)
			}),
		},
	}
}

func ordering(less func(a, b plan.Segment) int) func() plan.Planner {
	return changed(func(s *steps) { s.less = less })
}
