package props

import (
	"slices"
	"testing"

	"github.com/shardproof/shardproof/gen"
	"github.com/shardproof/shardproof/plan"
)

// The refusals that limits and selectors call for, around what each bounds: 5x4 with two pieces a source shard,
// row 2 on both source ranks, and two target shards.
func TestLimitKinds(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*plan.Request)
		want   []plan.Kind
	}{
		{"nothing", func(*plan.Request) {}, nil},
		{"as many axes", func(r *plan.Request) { r.Budget.MaxNdim = number(2) }, nil},
		{"fewer axes", func(r *plan.Request) { r.Budget.MaxNdim = number(1) }, []plan.Kind{plan.Unsupported}},
		{"as many pieces", func(r *plan.Request) { r.Budget.MaxPiecesPerMap = number(4) }, nil},
		{"fewer pieces", func(r *plan.Request) { r.Budget.MaxPiecesPerMap = number(3) }, []plan.Kind{plan.OverBudget}},
		{"a segment for each shard", func(r *plan.Request) { r.Budget.MaxSegments = number(2) }, nil},
		{"one less", func(r *plan.Request) { r.Budget.MaxSegments = number(1) }, []plan.Kind{plan.OverBudget}},
		{"bytes for two segments", func(r *plan.Request) { r.Budget.MaxPlanBytes = number(200) }, nil},
		{"bytes for none", func(r *plan.Request) { r.Budget.MaxPlanBytes = number(60) }, []plan.Kind{plan.OverBudget}},
		{"a candidate", func(r *plan.Request) { r.Selector.Returns = []byte("1") }, nil},
		{"no candidate", func(r *plan.Request) { r.Selector.Returns = []byte("2") }, []plan.Kind{plan.BadSelection}},
		{"no rank", func(r *plan.Request) { r.Selector.Returns = []byte("true") }, []plan.Kind{plan.BadSelection}},
		{"two at once", func(r *plan.Request) {
			r.Selector.Returns, r.Budget.MaxNdim = []byte("true"), number(1)
		}, []plan.Kind{plan.Unsupported, plan.BadSelection}},
	} {
		c, _ := rightAnswer()
		test.change(&c.Request)
		if got := limitKinds(c.Request); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

// What is worked out for a generated case is what the generator says, which knows it by construction.
func TestDueAgreesWithTheGenerator(t *testing.T) {
	refused := 0
	for n := range uint64(4000) {
		c := gen.Case(gen.Seeded(gen.CaseSeed(8, n)))
		due, ok := dueBy(c)
		if !ok {
			continue
		}
		got, ok := due.ask(c, c.Request)
		if !ok {
			t.Fatalf("case %d is no candidate for itself:\n%s", n, plan.EncodeCase(c))
		}
		slices.Sort(got.Expect.Kinds)
		slices.Sort(c.Expect.Kinds)
		if got.Expect.Outcome != c.Expect.Outcome || !slices.Equal(got.Expect.Kinds, c.Expect.Kinds) {
			t.Fatalf("case %d: got %s %v, want %s %v\n%s", n, got.Expect.Outcome, got.Expect.Kinds, c.Expect.Outcome, c.Expect.Kinds, plan.EncodeCase(c))
		}
		if c.Expect.Outcome == plan.Refused {
			refused++
		} else if *got.Expect.MovedElements != *c.Expect.MovedElements {
			t.Fatalf("case %d: got %d elements, want %d", n, *got.Expect.MovedElements, *c.Expect.MovedElements)
		}
	}
	if refused < 50 {
		t.Errorf("only %d of the cases are due a refusal", refused)
	}
}

// A refusal that goes with a limit is due no more without it: the plan is.
func TestDueWithoutTheLimit(t *testing.T) {
	c, _ := rightAnswer()
	c.Budget.MaxNdim = number(1)
	c.Expect = plan.Expect{Outcome: plan.Refused, Kinds: []plan.Kind{plan.Unsupported}}
	due, _ := dueBy(c)
	free := c.Request
	free.Budget = plan.Budget{}
	if got, ok := due.ask(c, free); !ok || got.Expect.Outcome != plan.ExactOrUnsupported || *got.Expect.MovedElements != 20 {
		t.Errorf("got %+v", got.Expect)
	}
}

// Of broken maps only those are candidates that are broken in the same way.
func TestDueKeepsFaults(t *testing.T) {
	c, _ := rightAnswer()
	c.Source.Shards = slices.Clone(c.Source.Shards)
	c.Source.Shards[0].Pieces = slices.Clone(c.Source.Shards[0].Pieces)
	c.Source.Shards[0].Pieces[1].Locations = []int{0}
	c.Expect = plan.Expect{Outcome: plan.Refused, Kinds: []plan.Kind{plan.Invalid}}
	due, ok := dueBy(c)
	if !ok || !due.lenient() {
		t.Fatalf("lenient %t, %t", due.lenient(), ok)
	}
	if _, ok := due.ask(c, c.Request); !ok {
		t.Error("the case is no candidate for itself")
	}
	right, _ := rightAnswer()
	if _, ok := due.ask(c, right.Request); ok {
		t.Error("a right request is a candidate")
	}
	exact, _ := dueBy(right)
	if _, ok := exact.ask(right, c.Request); ok {
		t.Error("a request that is broken is a candidate for a right one")
	}
	other := c.Request
	other.Target.LogicalShape = []int64{4, 5}
	if _, ok := due.ask(c, other); ok {
		t.Error("a request that is broken otherwise is a candidate")
	}
}

// A refusal because of geometry is due as long as the geometry is there.
func TestDueKeepsGeometry(t *testing.T) {
	c, _ := rightAnswer()
	two := 2.0
	c.Source.Shards = slices.Clone(c.Source.Shards)
	c.Source.Shards[0].Pieces = slices.Clone(c.Source.Shards[0].Pieces)
	c.Source.Shards[0].Pieces[0].Scale = &two
	c.Expect = plan.Expect{Outcome: plan.Refused, Kinds: []plan.Kind{plan.Unsupported}}
	due, ok := dueBy(c)
	if !ok || due.lenient() {
		t.Fatalf("lenient %t, %t", due.lenient(), ok)
	}
	if got, ok := due.ask(c, c.Request); !ok || got.Expect.Outcome != plan.Refused {
		t.Errorf("got %+v, %t", got.Expect, ok)
	}
	right, _ := rightAnswer()
	if _, ok := due.ask(c, right.Request); ok {
		t.Error("a request without a scale is a candidate")
	}
}

// A map is checked element by element where the tensor and its shards have at most 2^14 elements together. An
// extent that makes no sense counts as nothing.
func TestEnumerable(t *testing.T) {
	const most = 1 << 14
	small := plan.Map{LogicalShape: []int64{1}}
	for _, test := range []struct {
		logical int64
		shards  []int64
		want    bool
	}{
		{most / 2, []int64{most / 2}, true},
		{most / 2, []int64{most/2 + 1}, false},
		{most/2 + 1, []int64{most / 2}, false},
		{most / 2, []int64{most / 4, most / 4}, true},
		{1, []int64{1 << 62, 1 << 62, 1 << 62, 1 << 62}, false},
		{1, []int64{-1}, true},
	} {
		m := plan.Map{LogicalShape: []int64{test.logical}}
		for rank, extent := range test.shards {
			m.Shards = append(m.Shards, plan.Shard{Rank: rank, Shape: []int64{extent}})
		}
		for _, request := range []plan.Request{{Source: m, Target: small}, {Source: small, Target: m}} {
			if got := enumerable(request); got != test.want {
				t.Errorf("%d elements in shards of %v: got %t", test.logical, test.shards, got)
			}
		}
	}
}

func TestFollowingLimits(t *testing.T) {
	first, _ := rightAnswer()
	simpler := first.Request
	simpler.Source = whole([]int64{4}, 0, 0)
	simpler.Target = whole([]int64{4}, 0, 0)
	for _, test := range []struct {
		name      string
		limit     func(*plan.Budget) **int64
		was, want int64
	}{
		{"axes at the limit", func(b *plan.Budget) **int64 { return &b.MaxNdim }, 2, 1},
		{"axes over it", func(b *plan.Budget) **int64 { return &b.MaxNdim }, 1, 0},
		{"axes far from it", func(b *plan.Budget) **int64 { return &b.MaxNdim }, 8, 8},
		{"pieces at the limit", func(b *plan.Budget) **int64 { return &b.MaxPiecesPerMap }, 4, 1},
		{"pieces under it", func(b *plan.Budget) **int64 { return &b.MaxPiecesPerMap }, 5, 2},
		{"segments over it", func(b *plan.Budget) **int64 { return &b.MaxSegments }, 1, 0},
		{"pair checks", func(b *plan.Budget) **int64 { return &b.MaxPairChecks }, 2, 2},
	} {
		var limits plan.Budget
		*test.limit(&limits) = number(test.was)
		simpler.Budget = limits
		got := followingLimits(first.Request, simpler)
		if n := *test.limit(&got); n == nil || *n != test.want {
			t.Errorf("%s: %d becomes %v, want %d", test.name, test.was, n, test.want)
		}
	}
	// A scalar has no axes, and no limit is below none.
	simpler.Source, simpler.Target = whole([]int64{}, 0, 0), whole([]int64{}, 0, 0)
	for was, want := range map[int64]int64{1: 1, 2: 0, 3: 1, 4: 4} {
		simpler.Budget = plan.Budget{MaxNdim: number(was)}
		if got := followingLimits(first.Request, simpler); *got.MaxNdim != want {
			t.Errorf("%d axes become %d for a scalar, want %d", was, *got.MaxNdim, want)
		}
	}
	simpler.Budget = plan.Budget{}
	if got := followingLimits(first.Request, simpler); got.Set() {
		t.Errorf("without limits: got %+v", got)
	}
}
