package reference

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/shardproof/shardproof/plan"
)

// kindOf is the kind of a planner's refusal; none for a plan.
func kindOf(t testing.TB, folding Folding, request plan.Request) plan.Kind {
	t.Helper()
	_, err := Planner{Folding: folding}.Plan(context.Background(), request)
	var refusal *plan.Refusal
	switch {
	case err == nil:
		return ""
	case errors.As(err, &refusal):
		return refusal.Kind
	}
	t.Fatalf("error %v, want a plan or a refusal", err)
	return ""
}

func limit(n int64) *int64 { return &n }

// What a selector returns is refused unless it is an integer that is a candidate, and asked for only where
// there is more than one: formats.md, "Selector".
func TestReturns(t *testing.T) {
	tests := []struct {
		value string
		want  plan.Kind
	}{
		{`0`, ""}, {`1`, ""}, {` 1 `, ""}, {`-0`, ""},
		{`2`, plan.BadSelection}, {`-1`, plan.BadSelection}, {`999`, plan.BadSelection},
		{`1.0`, plan.BadSelection}, {`1.5`, plan.BadSelection}, {`1e0`, plan.BadSelection},
		{`01`, plan.BadSelection}, {`+1`, plan.BadSelection}, {``, plan.BadSelection}, {`-`, plan.BadSelection},
		{`true`, plan.BadSelection}, {`null`, plan.BadSelection}, {`"1"`, plan.BadSelection}, {`[1]`, plan.BadSelection},
		{`18446744073709551617`, plan.BadSelection}, // 1, modulo 2^64
	}
	for _, test := range tests {
		request := plan.Request{
			Source: replicated(5, 6)(t, 2), Target: rows(5, 6)(t, 2),
			Selector: plan.Selector{Returns: json.RawMessage(test.value)},
		}
		if got := kindOf(t, Addresses, request); got != test.want {
			t.Errorf("replicated, returns %s: refused as %q, want %q", test.value, got, test.want)
		}
		request.Source = rows(5, 6)(t, 3)
		if got := kindOf(t, Addresses, request); got != "" {
			t.Errorf("one candidate, returns %s: refused as %q, want a plan", test.value, got)
		}
	}
}

func TestReturnsOfAnEmptyTensor(t *testing.T) {
	request := plan.Request{
		Source: replicated(0, 6)(t, 2), Target: replicated(0, 6)(t, 2),
		Selector: plan.Selector{Returns: json.RawMessage(`999`)},
	}
	answer := planned(t, Addresses, request)
	if len(answer.Plan.Segments) != 0 || *answer.MovedElements != 0 {
		t.Errorf("plan %+v, want an empty one", answer.Plan)
	}
}

func TestUnknownPolicy(t *testing.T) {
	request := plan.Request{
		Source: rows(4, 4)(t, 1), Target: rows(4, 4)(t, 2), Selector: plan.Selector{Policy: "nearest"},
	}
	if got := kindOf(t, Addresses, request); got != plan.BadSelection {
		t.Errorf("refused as %q, want %q", got, plan.BadSelection)
	}
}

// Each selector form on eight replicas, by the table of formats.md.
func TestChoices(t *testing.T) {
	tests := []struct {
		name     string
		selector plan.Selector
		want     [4]int // by target rank 0 to 3; candidates are 1, 3, 5
	}{
		{"absent", plan.Selector{}, [4]int{1, 1, 1, 1}},
		{"any", plan.Selector{Policy: plan.PolicyAny}, [4]int{1, 1, 1, 1}},
		{"highest", plan.Selector{Policy: plan.PolicyHighest}, [4]int{5, 5, 5, 5}},
		{"local", plan.Selector{Policy: plan.PolicyLocal}, [4]int{1, 1, 1, 3}},
		{"prefer", plan.Selector{Prefer: map[int][]int{0: {5}, 1: {0, 3, 5}, 2: {2, 4}}}, [4]int{5, 3, 1, 1}},
		{"prefer nothing", plan.Selector{Prefer: map[int][]int{}}, [4]int{1, 1, 1, 1}},
		{"cost", plan.Selector{Cost: []plan.Cost{
			{Source: 5, Target: 0, Cost: 1}, {Source: 1, Target: 0, Cost: 3}, {Source: 3, Target: 0, Cost: 2}, // the least
			{Source: 1, Target: 1, Cost: 1}, // 3 costs 0, before 5
			{Source: 3, Target: 2, Cost: 0}, {Source: 2, Target: 2, Cost: 0},
			{Source: 1, Target: 3, Cost: 2}, {Source: 3, Target: 3, Cost: 2}, {Source: 5, Target: 3, Cost: 2}, // a tie
		}}, [4]int{5, 3, 1, 1}},
		{"cost listed twice", plan.Selector{Cost: []plan.Cost{
			{Source: 1, Target: 0, Cost: 9}, {Source: 3, Target: 0, Cost: 4}, {Source: 5, Target: 0, Cost: 4}, {Source: 1, Target: 0, Cost: 3},
		}}, [4]int{1, 1, 1, 1}},
	}
	for _, test := range tests {
		choose, refusal := choiceOf(test.selector)
		if refusal != nil {
			t.Errorf("%s: %v", test.name, refusal)
			continue
		}
		for target, want := range test.want {
			if got, ok := choose([]int{1, 3, 5}, target); got != want || !ok {
				t.Errorf("%s: target rank %d reads from %d, want %d", test.name, target, got, want)
			}
		}
	}
}

// A corrupt map is refused as one before anything that is merely wide: the order of affine-ir.md, "Refusals".
func TestKinds(t *testing.T) {
	half := 0.5
	scaled := func(m plan.Map) plan.Map { m.Shards[0].Pieces[0].Scale = &half; return m }
	mislocated := func(m plan.Map) plan.Map { m.Shards[1].Pieces[0].Locations = []int{0}; return m }
	nine := func(degree int) plan.Map { return rows(4, 1, 1, 1, 1, 1, 1, 1, 1)(t, degree) }
	tests := []struct {
		name           string
		source, target plan.Map
		want           plan.Kind
	}{
		{"1: logical shapes differ", rows(4, 3)(t, 2), rows(6, 2)(t, 2), plan.Invalid},
		{"2: nine axes", nine(2), nine(4), plan.Unsupported},
		{"eight axes", rows(4, 1, 1, 1, 1, 1, 1, 1)(t, 2), rows(4, 1, 1, 1, 1, 1, 1, 1)(t, 4), ""},
		{"2 and 17: nine axes, wrong locations", nine(2), mislocated(nine(4)), plan.Invalid},
		{"11: scale", scaled(rows(4, 3)(t, 2)), rows(4, 3)(t, 1), plan.Unsupported},
		{"11 and 17: scale, wrong locations", scaled(rows(4, 3)(t, 2)), mislocated(rows(4, 3)(t, 2)), plan.Invalid},
	}
	for _, test := range tests {
		if got := kindOf(t, Addresses, plan.Request{Source: test.source, Target: test.target}); got != test.want {
			t.Errorf("%s: refused as %q, want %q", test.name, got, test.want)
		}
	}
}

// Every limit lets the request through that needs just as much, and refuses it one lower.
func TestBudgets(t *testing.T) {
	request := plan.Request{Source: codeGen(t, 2), Target: codeGen(t, 4)}
	free := planned(t, Addresses, request)
	work := spent(t, request)
	tests := []struct {
		name  string
		set   func(*plan.Budget, *int64)
		needs int64
		kind  plan.Kind
	}{
		{"max_ndim", func(b *plan.Budget, n *int64) { b.MaxNdim = n }, 2, plan.Unsupported},
		{"max_pieces_per_map", func(b *plan.Budget, n *int64) { b.MaxPiecesPerMap = n }, 48, plan.OverBudget}, // 12 a rank at 4
		{"max_segments", func(b *plan.Budget, n *int64) { b.MaxSegments = n }, 44, plan.OverBudget},
		{"max_plan_bytes", func(b *plan.Budget, n *int64) { b.MaxPlanBytes = n }, int64(len(plan.CompactPlan(free.Plan))), plan.OverBudget},
		{"max_pair_checks", func(b *plan.Budget, n *int64) { b.MaxPairChecks = n }, work.pairChecks.used, plan.OverBudget},
		{"max_merge_checks", func(b *plan.Budget, n *int64) { b.MaxMergeChecks = n }, work.mergeChecks.used, plan.OverBudget},
		{"max_merge_passes", func(b *plan.Budget, n *int64) { b.MaxMergePasses = n }, work.mergePasses.used, plan.OverBudget},
	}
	for _, test := range tests {
		test.set(&request.Budget, limit(test.needs))
		if diff := cmp.Diff(free, planned(t, Addresses, request)); diff != "" {
			t.Errorf("%s %d: another plan than without (-without +with):\n%s", test.name, test.needs, diff)
		}
		test.set(&request.Budget, limit(test.needs-1))
		if got := kindOf(t, Addresses, request); got != test.kind {
			t.Errorf("%s %d: refused as %q, want %q", test.name, test.needs-1, got, test.kind)
		}
		request.Budget = plan.Budget{}
	}
}

// spent is the work that a request takes.
func spent(t testing.TB, request plan.Request) *meter {
	source, target, refusal := plan.ValidateRequest(request)
	if refusal != nil {
		t.Fatal(refusal)
	}
	work := newMeter(context.Background(), plan.Budget{})
	moves, err := resolve(request, source, target, new(desk), work)
	if err == nil {
		_, err = fold(moves, false, work)
	}
	if err != nil {
		t.Fatal(err)
	}
	return work
}

// Stacking and balancing stop at the work limits too.
func TestBudgetsOfOtherWork(t *testing.T) {
	request := plan.Request{Source: codeGen(t, 2), Target: codeGen(t, 4)}
	request.Budget.MaxMergePasses = limit(spent(t, request).mergePasses.used)
	if got := kindOf(t, Stack, request); got != plan.OverBudget {
		t.Errorf("stacking within the passes of folding: refused as %q, want %q", got, plan.OverBudget)
	}
	request.Budget = plan.Budget{MaxMergeChecks: limit(spent(t, request).mergeChecks.used)}
	if got := kindOf(t, Stack, request); got != plan.OverBudget {
		t.Errorf("stacking within the checks of folding: refused as %q, want %q", got, plan.OverBudget)
	}
	uneven := plan.Request{
		Source: unevenReplicas(), Target: rows(6)(t, 1),
		Selector: plan.Selector{Policy: plan.PolicyBalanced}, Budget: plan.Budget{MaxPairChecks: limit(7)},
	}
	if got := kindOf(t, Addresses, uneven); got != "" { // cells [0,2) [2,3) [3,4) [4,6): 4 cuts, 4 intersections
		uneven.Budget.MaxPairChecks = limit(8)
		if got := kindOf(t, Addresses, uneven); got != "" {
			t.Errorf("4 cuts and 4 intersections: refused as %q, want a plan", got)
		}
	} else {
		t.Errorf("7 of 8 pair checks: planned, want %q", plan.OverBudget)
	}
}

// unevenReplicas is F of 6 held by two ranks, one of which cuts it at 3 and the other at 2 and 4.
func unevenReplicas() plan.Map {
	cut := func(rank int, bounds ...int64) plan.Shard {
		shard := plan.Shard{Rank: rank, Shape: []int64{6}}
		for i, lo := range bounds[:len(bounds)-1] {
			view := plan.View{Offset: lo, Strides: []int64{1}}
			shard.Pieces = append(shard.Pieces, plan.Piece{
				Shape: []int64{bounds[i+1] - lo}, Source: view, Dest: view, Locations: []int{0, 1},
			})
		}
		return shard
	}
	return plan.Map{LogicalShape: []int64{6}, Shards: []plan.Shard{cut(0, 0, 3, 6), cut(1, 0, 2, 4, 6)}}
}

// A replica's own cuts cost nothing where the other replica is read: refusal row 18 is planned.
func TestUnevenReplicas(t *testing.T) {
	for _, test := range []struct {
		selector plan.Selector
		rank     int
		segments int
	}{
		{plan.Selector{}, 0, 2}, {plan.Selector{Policy: plan.PolicyHighest}, 1, 3},
	} {
		request := plan.Request{Source: unevenReplicas(), Target: rows(6)(t, 1), Selector: test.selector}
		answer := planned(t, Pieces, request)
		if diff := cmp.Diff(map[int]int64{test.rank: 6}, reads(answer.Plan)); diff != "" {
			t.Errorf("%+v: reads (-want +got):\n%s", test.selector, diff)
		}
		if got := len(answer.Plan.Segments); got != test.segments {
			t.Errorf("%+v: %d segments, want %d, one a piece of rank %d", test.selector, got, test.segments, test.rank)
		}
	}
}

// A count past int64 is not stated rather than wrong.
func TestMovedElementsPastInt64(t *testing.T) {
	shape := int64(1) << 62
	answer := planned(t, Addresses, plan.Request{Source: rows(shape)(t, 2), Target: replicated(shape)(t, 2)})
	if got := answer.MovedElements; got != nil {
		t.Errorf("%d moved elements, want none stated: they are 2^63", *got)
	}
	answer = planned(t, Addresses, plan.Request{Source: rows(shape)(t, 2), Target: replicated(shape)(t, 1)})
	if got := answer.MovedElements; got == nil || *got != shape {
		t.Errorf("moved elements %v, want 2^62", got)
	}
}

func TestCompactBytesOfAnyPlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		integers := rapid.OneOf(rapid.Int64Range(-11, 11), rapid.Int64(), rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64, 99, 100}))
		list := rapid.SliceOfN(integers, 0, 4)
		endpoint := rapid.Custom(func(t *rapid.T) plan.Endpoint {
			return plan.Endpoint{Rank: rapid.IntRange(0, 2000).Draw(t, "rank"), View: plan.View{
				Offset: integers.Draw(t, "offset"), Strides: list.Draw(t, "strides"),
			}}
		})
		p := plan.Plan{LogicalShape: list.Draw(t, "shape"), Segments: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) plan.Segment {
			return plan.Segment{Shape: list.Draw(t, "shape"), Source: endpoint.Draw(t, "source"), Target: endpoint.Draw(t, "target")}
		}), 0, 4).Draw(t, "segments")}
		if got, want := compactBytes(p), int64(len(plan.CompactPlan(p))); got != want {
			t.Fatalf("%d bytes, want %d: %s", got, want, plan.CompactPlan(p))
		}
	})
}

// A context that is done stops the planner, before it begins or in the middle.
func TestCancellation(t *testing.T) {
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (Planner{}).Plan(done, rowsToColumns(t, 10)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	work := newMeter(done, plan.Budget{})
	var err error
	units := 0
	for ; err == nil && units < 2*cancelEvery; units++ {
		err = work.spend(&work.pairChecks)
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after %d units of work, want %v", err, units, context.Canceled)
	}
}

func TestConcurrentUse(t *testing.T) {
	request := plan.Request{
		Source: bigCode(t, 2), Target: bigCode(t, 4), Selector: plan.Selector{Policy: plan.PolicyBalanced},
	}
	want := planned(t, Stack, request)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				if got, err := (Planner{Folding: Stack}).Plan(context.Background(), request); err != nil || !cmp.Equal(want, got) {
					t.Errorf("plan %+v, %v, want %+v", got, err, want)
				}
			}
		})
	}
	group.Wait()
}
