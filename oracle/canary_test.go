package oracle

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/plan"
)

// A canary is a plan broken on purpose: the clauses named, and no other, must say so.
type canary struct {
	name   string
	spoil  func(*plan.Request, *plan.Answer)
	broken []ClauseID
	detail string // of the first clause that breaks
}

// The canaries spoil rowsToColumns(20, 12): source ranks 0 and 1 hold 10x12, target ranks 0 to 3 hold 20x3, and
// segment 2t+s copies 10x3 from source s offset 3t, strides (12, 1), to target t offset 30s, strides (3, 1).
var canaries = []canary{
	{"no such source rank", func(_ *plan.Request, a *plan.Answer) { a.Plan.Segments[1].Source.Rank = 2 },
		[]ClauseID{Valid}, "segment 1: source rank 2 has no shard"},
	{"an extra segment to no such target rank", func(_ *plan.Request, a *plan.Answer) {
		a.Plan.Segments = append(a.Plan.Segments, segment([]int64{1}, 0, 0, []int64{1}, 9, 0, []int64{1}))
		*a.MovedElements++
	}, []ClauseID{Valid}, "segment 8: target rank 9 has no shard"},
	{"an extra segment of nothing", func(_ *plan.Request, a *plan.Answer) {
		a.Plan.Segments = append(a.Plan.Segments, segment([]int64{5, 0}, 0, 0, []int64{1, 1}, 3, 59, []int64{1, 1}))
	}, []ClauseID{Valid}, "segment 8: extent 0 on axis 1"},
	{"an extra segment of a negative extent", func(_ *plan.Request, a *plan.Answer) {
		a.Plan.Segments = append(a.Plan.Segments, segment([]int64{-2, -2}, 0, 0, []int64{1, 1}, 3, 59, []int64{1, 1}))
	}, []ClauseID{Valid}, "segment 8: extent -2 on axis 0"},
	{"short source strides", func(_ *plan.Request, a *plan.Answer) {
		a.Plan.Segments[0].Source.Strides = []int64{1}
	}, []ClauseID{Valid}, "segment 0: 1 source strides for 2 extents"},
	{"short target strides", func(_ *plan.Request, a *plan.Answer) {
		a.Plan.Segments[0].Target.Strides = []int64{1}
	}, []ClauseID{Valid, Cover}, "segment 0: 1 target strides for 2 extents"},
	{"another logical shape", func(_ *plan.Request, a *plan.Answer) { a.Plan.LogicalShape = []int64{12, 20} },
		[]ClauseID{Valid}, "states logical shape [12 20], the request's is [20 12]"},

	{"reads past the end", func(_ *plan.Request, a *plan.Answer) { a.Plan.Segments[7].Source.Offset += 2 },
		[]ClauseID{Bounds, Values}, "target rank 3 [19 1] (address 58): wants logical [19 10], read from source rank 1 address 120, outside its 120 elements"},
	{"reads one before the start", func(_ *plan.Request, a *plan.Answer) {
		a.Plan.Segments[0] = segment([]int64{10}, 0, -1, []int64{12}, 0, 0, []int64{3})
		a.Plan.Segments = append(a.Plan.Segments, segment([]int64{10, 2}, 0, 1, []int64{12, 1}, 0, 1, []int64{3, 1}))
	}, []ClauseID{Bounds, Values, Ordered}, "target rank 0 [0 0] (address 0): wants logical [0 0], read from source rank 0 address -1, outside its 120 elements"},
	{"read from the start of the buffer that the shard is a view into", func(_ *plan.Request, a *plan.Answer) {
		a.Plan.Segments[0].Source.Offset -= guardElements
	}, []ClauseID{Bounds, Values}, "target rank 0 [0 0] (address 0): wants logical [0 0], read from source rank 0 address -4, outside its 120 elements"},
	{"writes one after the end", func(_ *plan.Request, a *plan.Answer) {
		a.Plan.Segments = append(a.Plan.Segments, segment([]int64{1}, 1, 0, []int64{1}, 3, 60, []int64{1}))
		*a.MovedElements++
	}, []ClauseID{Bounds}, "target rank 3 (address 60), outside its 60 elements: written, read from source rank 1 address 0"},
	{"writes one before the start", func(_ *plan.Request, a *plan.Answer) {
		a.Plan.Segments = slices.Insert(a.Plan.Segments, 0, segment([]int64{1}, 1, 0, []int64{1}, 0, -1, []int64{1}))
		*a.MovedElements++
	}, []ClauseID{Bounds}, "target rank 0 (address -1), outside its 60 elements: written, read from source rank 1 address 0"},
	{"several writes outside: the lowest is told, and of two there the first", func(_ *plan.Request, a *plan.Answer) {
		one := []int64{1}
		a.Plan.Segments = append(a.Plan.Segments, segment(one, 1, 7, one, 3, 61, one), segment(one, 1, 0, one, 3, 60, one), segment(one, 0, 5, one, 3, 60, one))
		*a.MovedElements += 3
	}, []ClauseID{Bounds, Ordered}, "target rank 3 (address 60), outside its 60 elements: written, read from source rank 1 address 0"},
	{"writes far outside, where addresses come round to 0", func(_ *plan.Request, a *plan.Answer) {
		a.Plan.Segments[0].Shape = []int64{4, 10, 3}
		a.Plan.Segments[0].Source.Strides = []int64{0, 12, 1}
		a.Plan.Segments[0].Target.Strides = []int64{1 << 62, 3, 1}
		*a.MovedElements += 90
	}, []ClauseID{Bounds}, "target rank 0 (address 4611686018427387904), outside its 60 elements: written, read from source rank 0 address 0"},

	{"a segment left out", func(_ *plan.Request, a *plan.Answer) {
		a.Plan.Segments = slices.Delete(a.Plan.Segments, 5, 6)
		*a.MovedElements -= 30
	}, []ClauseID{Cover}, "target rank 2 [10 0] (address 30): wants logical [10 6], never written"},
	{"cut short, and accepted as whole", func(_ *plan.Request, a *plan.Answer) { *a = plan.Answer{} },
		[]ClauseID{Cover}, "target rank 0 [0 0] (address 0): wants logical [0 0], never written"},
	{"a gap and an equal overlap", func(_ *plan.Request, a *plan.Answer) {
		a.Plan.Segments[0].Target.Offset = 3
		a.Plan.Segments[0].Source.Offset = 12
		a.Plan.Segments[0].Shape[0] = 9
		a.Plan.Segments = slices.Insert(a.Plan.Segments, 1, segment([]int64{1, 3}, 0, 12, []int64{12, 1}, 0, 3, []int64{3, 1}))
		a.Plan.Segments[0], a.Plan.Segments[1] = a.Plan.Segments[1], a.Plan.Segments[0]
	}, []ClauseID{Cover, Once}, "target rank 0 [0 0] (address 0): wants logical [0 0], never written"},

	{"the right value written twice", func(_ *plan.Request, a *plan.Answer) {
		a.Plan.Segments = slices.Insert(a.Plan.Segments, 4, segment([]int64{1}, 1, 5, []int64{1}, 1, 32, []int64{1}))
		*a.MovedElements++
	}, []ClauseID{Once}, "target rank 1 [10 2] (address 32): wants logical [10 5], written 2 times"},

	{"one stride of the source", func(_ *plan.Request, a *plan.Answer) { a.Plan.Segments[2].Source.Strides = []int64{11, 1} },
		[]ClauseID{Values}, "target rank 1 [1 0] (address 3): wants logical [1 3], holds logical [1 2], read from source rank 0 address 14"},
	{"read at the piece's offset in the tensor", func(r *plan.Request, a *plan.Answer) {
		*r, *a = rowsToColumns(8, 8)
		a.Plan.Segments[5].Shape[0] = 1
		a.Plan.Segments[5].Source.Offset = 8 + 4
		a.Plan.Segments = slices.Insert(a.Plan.Segments, 6, segment([]int64{3, 2}, 1, 12, []int64{8, 1}, 2, 10, []int64{2, 1}))
	}, []ClauseID{Values}, "target rank 2 [4 0] (address 8): wants logical [4 4], holds logical [5 4], read from source rank 1 address 12"},
	{"a wrong column that looks right modulo 256", func(r *plan.Request, a *plan.Answer) {
		*r, *a = rowsToColumns(2, 3072)
		a.Plan.Segments[2].Source.Offset -= 256
	}, []ClauseID{Values}, "target rank 1 [0 0] (address 0): wants logical [0 768], holds logical [0 512], read from source rank 0 address 512"},

	{"another holder than the lowest", func(r *plan.Request, a *plan.Answer) {
		*r, *a = bigCodeTwoToFour()
		a.Plan.Segments[1].Source.Rank = 1
	}, []ClauseID{Holder}, "target rank 0 [8 0] (address 64): wants logical [32 0], read from source rank 1 address 128, must be read from source rank 0"},
	{"the lowest holder's address with another's rank", func(r *plan.Request, a *plan.Answer) {
		*r, *a = uneven()
		a.Plan.Segments[0].Source.Rank = 1
	}, []ClauseID{Bounds, Values}, "target rank 0 [2 0] (address 2): wants logical [2 0], read from source rank 1 address 3, outside its 3 elements"},
	{"a selector that names no candidate", func(r *plan.Request, a *plan.Answer) {
		*r, *a = bigCodeTwoToFour()
		r.Selector.Returns = []byte("true")
	}, []ClauseID{Holder}, "target rank 0 [8 0] (address 64): wants logical [32 0], read from source rank 0 address 128, where the selector names no candidate"},

	{"a count of tensors and not of elements", func(_ *plan.Request, a *plan.Answer) { *a.MovedElements = 1 },
		[]ClauseID{Moved}, "states 1 elements, the segments move 240"},

	{"a segment more than the limit", func(r *plan.Request, _ *plan.Answer) { r.Budget.MaxSegments = number(7) },
		[]ClauseID{BudgetClause}, "8 segments, max_segments is 7"},
	{"a byte more than the limit", func(r *plan.Request, a *plan.Answer) { r.Budget.MaxPlanBytes = number(planBytes(&a.Plan) - 1) },
		[]ClauseID{BudgetClause}, ""},

	{"two segments where one would do", func(_ *plan.Request, a *plan.Answer) {
		a.Plan.Segments[7].Shape = []int64{4, 3}
		a.Plan.Segments = append(a.Plan.Segments, segment([]int64{6, 3}, 1, 9+48, []int64{12, 1}, 3, 30+12, []int64{3, 1}))
	}, []ClauseID{Folded}, "segments 7 and 8 join along axis 0"},

	{"two segments the other way round", func(_ *plan.Request, a *plan.Answer) {
		a.Plan.Segments[4], a.Plan.Segments[5] = a.Plan.Segments[5], a.Plan.Segments[4]
	}, []ClauseID{Ordered}, "segment 5 belongs before segment 4"},
}

// uneven goes from ranks that keep a replica at different offsets, [0 1 2 3] and [1 2 0], to one rank [0 1 2 3].
func uneven() (plan.Request, plan.Answer) {
	row := func(lo, n, dest int64) part { return part{[]int64{lo, 0}, []int64{n, 1}, dest} }
	source := layout([]int64{4, 1}, [][]int64{{4, 1}, {3, 1}}, [][]part{
		{row(3, 1, 0), row(0, 1, 1), row(1, 2, 2)},
		{row(1, 2, 0), row(0, 1, 2)},
	})
	target := layout([]int64{4, 1}, [][]int64{{4, 1}}, [][]part{{row(0, 4, 0)}})
	ones := []int64{1, 1}
	return plan.Request{Source: source, Target: target}, plan.Answer{Plan: plan.Plan{Segments: []plan.Segment{
		segment([]int64{3, 1}, 0, 1, ones, 0, 0, ones),
		segment([]int64{1, 1}, 0, 0, ones, 0, 3, ones),
	}}}
}

func number(n int64) *int64 { return &n }

// Each canary breaks the clauses that it names, is told in the words due, and is seen alike by both oracles.
func TestCanaries(t *testing.T) {
	caught := map[ClauseID]bool{}
	for _, c := range canaries {
		request, answer := small()
		c.spoil(&request, &answer)
		evidence := Execute(request, answer)
		got := evidence.Broken()
		if !slices.Equal(got, c.broken) {
			t.Errorf("%s: broken %v, want %v\n%+v", c.name, got, c.broken, evidence)
			continue
		}
		if detail := evidence.Of(got[0]).Detail; c.detail != "" && detail != c.detail {
			t.Errorf("%s:\n got %s\nwant %s", c.name, detail, c.detail)
		}
		if computed := Algebra(request, answer); len(computed.Unknown()) == 0 {
			if diff := cmp.Diff(evidence, computed); diff != "" {
				t.Errorf("%s: Execute - Algebra +: %s", c.name, diff)
			}
		}
		if len(got) == 1 {
			caught[got[0]] = true
		}
	}
	for _, id := range Clauses() {
		if !caught[id] {
			t.Errorf("no canary breaks %s alone", id)
		}
	}
}

// The plans that canaries spoil break nothing.
func TestCanariesAreRightUnspoiled(t *testing.T) {
	for _, make := range []func() (plan.Request, plan.Answer){small, bigCodeTwoToFour, uneven} {
		request, answer := make()
		if evidence := Execute(request, answer); evidence != (Evidence{}) {
			t.Errorf("broken %v, unknown %v: %+v", evidence.Broken(), evidence.Unknown(), evidence)
		}
	}
}
