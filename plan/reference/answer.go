package reference

import "github.com/shardproof/shardproof/plan"

// answerOf writes moves down as a plan. Every list of it is its own, cut from one allocation.
func answerOf(logicalShape []int64, moves []move) plan.Answer {
	n := len(logicalShape)
	for i := range moves {
		n += 3 * len(moves[i].shape)
	}
	slab := make(slab, 0, n)
	segments := make([]plan.Segment, len(moves))
	for i := range moves {
		m := &moves[i]
		segments[i].Shape = slab.copyOf(m.shape)
		segments[i].Source.Rank, segments[i].Source.Offset = m.sourceRank, m.source
		segments[i].Source.Strides = slab.copyOf(m.sourceStrides)
		segments[i].Target.Rank, segments[i].Target.Offset = m.targetRank, m.target
		segments[i].Target.Strides = slab.copyOf(m.targetStrides)
	}
	return plan.Answer{
		Plan:          plan.Plan{LogicalShape: slab.copyOf(logicalShape), Segments: segments},
		MovedElements: movedElements(moves),
	}
}

// A slab is an allocation that many short lists are cut from.
type slab []int64

func (s *slab) copyOf(values []int64) []int64 {
	start := len(*s)
	*s = append(*s, values...)
	return (*s)[start:len(*s):len(*s)]
}

// movedElements is how many elements the moves write; nil, not stated, where that leaves int64.
func movedElements(moves []move) *int64 {
	total := int64(0)
	for i := range moves {
		n, fits := plan.Elements(moves[i].shape)
		if total += n; !fits || total < 0 {
			return nil
		}
	}
	return &total
}
