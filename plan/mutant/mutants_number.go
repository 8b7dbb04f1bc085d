package mutant

import (
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// numbers are the planners that state wrong counts and shapes about a right plan.
func numbers() []Mutant {
	return []Mutant{
		{
			Name:    "number-moved-float32",
			Doc:     "The moved elements are counted in single precision, so past 2^24 the count is rounded.",
			Clauses: []string{"moved"},
			New: counting(func(_ plan.Request, answered plan.Plan) int64 {
				return int64(float32(*answer(plan.Request{}, answered).MovedElements))
			}),
		},
		{
			Name:    "number-moved-int32",
			Doc:     "The moved elements are counted in 32 bits, so a large parameter is billed as a small or a negative one.",
			Clauses: []string{"moved"},
			New: counting(func(_ plan.Request, answered plan.Plan) int64 {
				return int64(int32(*answer(plan.Request{}, answered).MovedElements))
			}),
		},
		{
			Name:    "number-moved-logical",
			Doc:     "The moved elements are the full tensor's, so copies for target replicas are not counted.",
			Clauses: []string{"moved"},
			Small:   true,
			New: counting(func(request plan.Request, _ plan.Plan) int64 {
				return volume(request.Target.LogicalShape)
			}),
		},
		{
			Name:    "number-moved-segments",
			Doc:     "The moved elements are the number of segments, so progress is measured in copies of any size.",
			Clauses: []string{"moved"},
			Small:   true,
			New: counting(func(_ plan.Request, answered plan.Plan) int64 {
				return int64(len(answered.Segments))
			}),
		},
		{
			Name:    "number-moved-source",
			Doc:     "The moved elements are the source shards', so replicas that are never read are counted.",
			Clauses: []string{"moved"},
			Small:   true,
			New: counting(func(request plan.Request, _ plan.Plan) (elements int64) {
				for _, shard := range request.Source.Shards {
					elements += volume(shard.Shape)
				}
				return elements
			}),
		},
		{
			Name:    "number-scalar-gains-axis",
			Doc:     "A scalar is stated to have one axis, so the restored parameter has another shape.",
			Clauses: []string{"valid"},
			New: stating(func(request plan.Request) []int64 {
				if len(request.Source.LogicalShape) == 0 {
					return []int64{1}
				}
				return request.Source.LogicalShape
			}),
		},
		{
			Name:    "number-segment-of-nothing",
			Doc:     "A plan ends with a copy of no elements, which an executor may take for a fault or for the end.",
			Clauses: []string{"valid"},
			Small:   true,
			New: answering(func(_ plan.Request, answer *plan.Answer) {
				answer.Plan.Segments = append(answer.Plan.Segments, emptied(answer.Plan.Segments)...)
			}),
		},
		{
			Name:    "number-shape-of-shard",
			Doc:     "The stated logical shape is the first target shard's, so the restored parameter is too small.",
			Clauses: []string{"valid", "stable"},
			Small:   true,
			New: stating(func(request plan.Request) []int64 {
				for _, shard := range request.Target.Shards {
					return shard.Shape
				}
				return request.Target.LogicalShape
			}),
		},
		{
			Name:    "number-shape-reversed",
			Doc:     "The stated logical shape has its axes in reverse, so the restored parameter is transposed in name.",
			Clauses: []string{"valid"},
			Small:   true,
			New: stating(func(request plan.Request) []int64 {
				shape := slices.Clone(request.Source.LogicalShape)
				slices.Reverse(shape)
				return shape
			}),
		},
		{
			Name:    "number-strides-squeezed",
			Doc:     "Strides on axes of extent 1 are left out while the extents stay, so a segment has fewer strides than extents.",
			Clauses: []string{"valid"},
			Small:   true,
			New: answering(func(_ plan.Request, answer *plan.Answer) {
				for i := range answer.Plan.Segments {
					segment := &answer.Plan.Segments[i]
					segment.Source.Strides = squeezed(segment.Shape, segment.Source.Strides)
				}
			}),
		},
	}
}

func counting(count func(plan.Request, plan.Plan) int64) func() plan.Planner {
	return answering(func(request plan.Request, answer *plan.Answer) {
		moved := count(request, answer.Plan)
		answer.MovedElements = &moved
	})
}

func stating(shape func(plan.Request) []int64) func() plan.Planner {
	return answering(func(request plan.Request, answer *plan.Answer) {
		answer.Plan.LogicalShape = slices.Clone(shape(request))
	})
}

// emptied is the last segment with no rows, where it has rows.
func emptied(segments []plan.Segment) []plan.Segment {
	if len(segments) == 0 || len(segments[0].Shape) == 0 {
		return nil
	}
	last := segments[len(segments)-1]
	last.Shape = slices.Clone(last.Shape)
	last.Shape[0] = 0
	return []plan.Segment{last}
}

func squeezed(shape, strides []int64) []int64 {
	var kept []int64
	for axis, extent := range shape {
		if extent > 1 {
			kept = append(kept, strides[axis])
		}
	}
	return kept
}
