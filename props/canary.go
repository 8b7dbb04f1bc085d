package props

import (
	"slices"

	"github.com/shardproof/shardproof/oracle"
	"github.com/shardproof/shardproof/plan"
)

// A Canary is a plan broken on purpose that one clause must catch, so that a clause that has gone blind is noticed.
type Canary struct {
	Name    string // what is wrong with the plan
	Catches string // the ID of the clause that must be broken

	spoil func(*plan.Case, *plan.Answer)
}

// Example is the case and the broken answer to it.
func (c Canary) Example() (plan.Case, plan.Answer) {
	example, answer := rightAnswer()
	c.spoil(&example, &answer)
	return example, answer
}

// canaries is the table, in the judging order of the clauses.
var canaries = []Canary{
	{"a segment for a target rank that does not exist", string(oracle.Valid), func(_ *plan.Case, a *plan.Answer) {
		a.Plan.Segments[3].Target.Rank = 7
	}},
	{"a segment with an extent of 0", string(oracle.Valid), func(_ *plan.Case, a *plan.Answer) {
		a.Plan.Segments = append(a.Plan.Segments, a.Plan.Segments[3])
		a.Plan.Segments[4].Shape = []int64{2, 0}
	}},
	{"another logical shape of as many elements", string(oracle.Valid), func(_ *plan.Case, a *plan.Answer) {
		a.Plan.LogicalShape = []int64{2, 8}
	}},
	{"a read that begins one element further and leaves the shard", string(oracle.Bounds), func(_ *plan.Case, a *plan.Answer) {
		a.Plan.Segments[3].Source.Offset++
	}},
	{"a write past the end of the shard", string(oracle.Bounds), func(_ *plan.Case, a *plan.Answer) {
		a.Plan.Segments[1].Target.Strides = []int64{4, 1}
	}},
	{"the last segment left out", string(oracle.Cover), func(_ *plan.Case, a *plan.Answer) {
		a.Plan.Segments = a.Plan.Segments[:3]
	}},
	{"an empty plan", string(oracle.Cover), func(_ *plan.Case, a *plan.Answer) {
		a.Plan.Segments = nil
	}},
	{"a segment given twice, so that right values are written again", string(oracle.Once), func(_ *plan.Case, a *plan.Answer) {
		a.Plan.Segments = append(a.Plan.Segments, a.Plan.Segments[3])
	}},
	{"a read of the other column block", string(oracle.Values), func(_ *plan.Case, a *plan.Answer) {
		a.Plan.Segments[0].Source.Offset = 2
	}},
	{"rows and columns of one copy exchanged", string(oracle.Values), func(_ *plan.Case, a *plan.Answer) {
		a.Plan.Segments[0].Source.Strides = []int64{1, 4}
	}},
	{"a replicated row read from the higher of its holders", string(oracle.Holder), func(_ *plan.Case, a *plan.Answer) {
		a.Plan.Segments = rightSegments(2)
	}},
	{"a stated count one too high", string(oracle.Moved), func(_ *plan.Case, a *plan.Answer) {
		*a.MovedElements++
	}},
	{"four segments where three are allowed", string(oracle.BudgetClause), func(c *plan.Case, _ *plan.Answer) {
		c.Budget.MaxSegments = number(3)
	}},
	{"more bytes than are allowed", string(oracle.BudgetClause), func(c *plan.Case, _ *plan.Answer) {
		c.Budget.MaxPlanBytes = number(100)
	}},
	{"a copy of two rows given as two copies of one", string(oracle.Folded), func(_ *plan.Case, a *plan.Answer) {
		last := &a.Plan.Segments[3]
		last.Shape = []int64{1, 2}
		next := *last
		next.Source.Offset += 4
		next.Target.Offset += 2
		a.Plan.Segments = append(a.Plan.Segments, next)
	}},
	{"two segments in the other order", string(oracle.Ordered), func(_ *plan.Case, a *plan.Answer) {
		slices.Reverse(a.Plan.Segments[:2])
	}},
}

// rightAnswer is a case and a plan that is right for it: 5x4, rows 0 to 3 on source rank 0 and 2 to 5 on
// rank 1, to columns over 2 ranks. Row 2 is on both source ranks.
func rightAnswer() (plan.Case, plan.Answer) {
	shape := []int64{5, 4}
	source := plan.Map{LogicalShape: shape, Shards: []plan.Shard{
		{Rank: 0, Shape: []int64{3, 4}, Pieces: []plan.Piece{
			rows(shape, 0, 2, 0, 0), rows(shape, 2, 3, 2, 0, 1),
		}},
		{Rank: 1, Shape: []int64{3, 4}, Pieces: []plan.Piece{
			rows(shape, 2, 3, 0, 0, 1), rows(shape, 3, 5, 1, 1),
		}},
	}}
	target := plan.Map{LogicalShape: shape, Shards: []plan.Shard{column(shape, 0), column(shape, 1)}}
	request := plan.Request{Source: source, Target: target}
	answer := plan.Answer{Plan: plan.Plan{LogicalShape: shape, Segments: rightSegments(3)}, MovedElements: number(20)}
	return plan.Case{Name: "canary", Request: request, Expect: plan.Expect{Outcome: plan.Exact}}, answer
}

// rightSegments reads the rows below a boundary from source rank 0 and the others from rank 1. Row 2 being on
// both, 3 is right, as rank 0 is the lower, and 2 reads that row from the wrong holder.
func rightSegments(boundary int64) []plan.Segment {
	var segments []plan.Segment
	for target := range 2 {
		for source, run := range [2]span{{0, boundary}, {boundary, 5}} {
			read := plan.View{Offset: 2*int64(target) + (run.lo-2*int64(source))*4, Strides: []int64{4, 1}}
			write := plan.View{Offset: run.lo * 2, Strides: []int64{2, 1}}
			segments = append(segments, plan.Segment{
				Shape:  []int64{run.hi - run.lo, 2},
				Source: plan.Endpoint{Rank: source, View: read},
				Target: plan.Endpoint{Rank: target, View: write},
			})
		}
	}
	return segments
}

// rows is the piece of rows lo to hi, standing at a row of a shard of as many columns.
func rows(shape []int64, lo, hi, at int64, locations ...int) plan.Piece {
	strides := []int64{shape[1], 1}
	return plan.Piece{
		Shape:     []int64{hi - lo, shape[1]},
		Source:    plan.View{Offset: lo * shape[1], Strides: strides},
		Dest:      plan.View{Offset: at * shape[1], Strides: strides},
		Locations: locations,
	}
}

// column is the shard of two columns from column 2*rank.
func column(shape []int64, rank int) plan.Shard {
	return plan.Shard{Rank: rank, Shape: []int64{shape[0], 2}, Pieces: []plan.Piece{{
		Shape:     []int64{shape[0], 2},
		Source:    plan.View{Offset: 2 * int64(rank), Strides: []int64{shape[1], 1}},
		Dest:      plan.View{Strides: []int64{2, 1}},
		Locations: []int{rank},
	}}}
}

func number(n int64) *int64 { return &n }
