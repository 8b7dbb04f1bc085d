package props_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/gen"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/reference"
	"github.com/shardproof/shardproof/props"
)

// firstFailing is the first generated case that fails, drawn from a seed.
func firstFailing(t *testing.T, seed uint64, draw func(gen.Choose) plan.Case, fails func(plan.Case) bool) plan.Case {
	t.Helper()
	for n := range uint64(20000) {
		if c := draw(gen.Seeded(gen.CaseSeed(seed, n))); fails(c) {
			return c
		}
	}
	t.Fatal("no generated case fails")
	return plan.Case{}
}

// needs is true for requests of three axes of at least 2, a replicated piece and two target ranks: what is
// smallest of those has 8 elements.
func needs(c plan.Case) bool {
	replicated := false
	for _, shard := range c.Source.Shards {
		for _, piece := range shard.Pieces {
			replicated = replicated || len(piece.Locations) > 1 && !piece.Empty()
		}
	}
	long := 0
	for _, extent := range c.Source.LogicalShape {
		if extent > 1 {
			long++
		}
	}
	return replicated && long >= 3 && len(c.Target.Shards) > 1 && !slices.Contains(c.Source.LogicalShape, 0)
}

func TestReduceFindsTheSmallest(t *testing.T) {
	for seed := range uint64(20) {
		c := firstFailing(t, seed, gen.Case, needs)
		got, stats := props.Reduce(t.Context(), c, needs, props.ReduceOptions{})
		elements, _ := plan.Elements(got.Source.LogicalShape)
		if !needs(got) || elements != 8 || len(got.Source.LogicalShape) != 3 || len(got.Source.Shards) != 2 || len(got.Target.Shards) != 2 {
			t.Errorf("seed %d: %v over %d and %d ranks, want 2x2x2 over 2 and 2 (%+v)\n%s", seed,
				got.Source.LogicalShape, len(got.Source.Shards), len(got.Target.Shards), stats, plan.EncodeCase(got))
		}
		if stats.Stopped || stats.Taken == 0 || stats.Tried > 1500 {
			t.Errorf("seed %d: %+v", seed, stats)
		}
		if got.Expect.Outcome == plan.Exact && *got.Expect.MovedElements != targetElements(got) {
			t.Errorf("seed %d: expects %d elements, the target has %d", seed, *got.Expect.MovedElements, targetElements(got))
		}
	}
}

func targetElements(c plan.Case) int64 {
	total := int64(0)
	for _, shard := range c.Target.Shards {
		elements, _ := plan.Elements(shard.Shape)
		total += elements
	}
	return total
}

// No case is evaluated twice, and the result is the same for any number of workers.
func TestReduceRepeatsNothing(t *testing.T) {
	c := firstFailing(t, 1, gen.Case, needs)
	var want plan.Case
	for _, workers := range []int{1, 2, 7} {
		var mutex sync.Mutex
		seen := map[string]bool{textOf(c): true}
		fails := func(c plan.Case) bool {
			mutex.Lock()
			defer mutex.Unlock()
			text := textOf(c)
			if seen[text] {
				t.Errorf("evaluated twice:\n%s", text)
			}
			seen[text] = true
			return needs(c)
		}
		got, stats := props.Reduce(t.Context(), c, fails, props.ReduceOptions{Workers: workers})
		if stats.Tried != len(seen)-1 {
			t.Errorf("%d workers: says %d tried, was asked %d", workers, stats.Tried, len(seen)-1)
		}
		if workers == 1 {
			want = got
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d workers reduce to another case:\n%s", workers, diff)
		}
	}
}

// textOf is the request as a case file, with the order of its shards, which the file does not keep.
func textOf(c plan.Case) string {
	text := string(plan.EncodeCase(plan.Case{Request: c.Request}))
	for _, m := range []plan.Map{c.Source, c.Target} {
		for _, shard := range m.Shards {
			text += fmt.Sprint(shard.Rank, " ")
		}
	}
	return text
}

func TestReduceStops(t *testing.T) {
	c := firstFailing(t, 1, gen.Case, needs)
	if _, stats := props.Reduce(t.Context(), c, needs, props.ReduceOptions{Evaluations: 3}); stats.Tried != 3 || !stats.Stopped {
		t.Errorf("with 3 evaluations: %+v", stats)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got, stats := props.Reduce(ctx, c, needs, props.ReduceOptions{})
	if stats.Tried != 0 || !stats.Stopped || !cmp.Equal(got, c) {
		t.Errorf("with an ended context: %+v", stats)
	}
}

// A reduction counts what it tries, what it meets again and what it goes on from, here by hand.
//
// From 2 elements over ranks 0, 1 and one that holds nothing, the side may become whole (passes), twice or halves (which both
// fail). Twice is gone on from; halves, known where it was tried along with it, is then taken in its place. Of halves
// each half may go (which passes), and usual forms change nothing: 3 sides, 2 halves and 5 usual forms are met again.
func TestReduceCounts(t *testing.T) {
	overThree := plan.Case{
		Request: plan.Request{Source: runs(2, [2]int64{0, 1}, [2]int64{1, 2}, [2]int64{2, 2}), Target: runs(2, [2]int64{0, 2})},
		Expect:  plan.Expect{Outcome: plan.Exact},
	}
	overTwo := func(c plan.Case) bool { return len(c.Source.Shards) == 2 && c.Source.LogicalShape[0] == 2 }
	// 2 elements on one rank: 1, then a scalar. Cells, axes and usual forms are all that these have steps for.
	two := plan.Case{Request: plan.Request{Source: runs(2, [2]int64{0, 2}), Target: runs(2, [2]int64{0, 2})}, Expect: overThree.Expect}
	always := func(fails bool) func(plan.Case) bool { return func(plan.Case) bool { return fails } }
	// A selector of three preferences goes whole, or each of them does.
	prefers := two
	prefers.Selector = plan.Selector{Prefer: map[int][]int{0: {0}, 1: {0}, 2: {0}}}
	noneOfTwo := func(c plan.Case) bool { return c.Selector.Prefer == nil && c.Source.LogicalShape[0] == 2 }
	for _, test := range []struct {
		name    string
		c       plan.Case
		fails   func(plan.Case) bool
		workers int
		want    props.ReduceStats
	}{
		{"one at a time", overThree, overTwo, 1, props.ReduceStats{Tried: 5, Repeated: 2 + 3 + 5 + 10, Taken: 2}},
		{"three at a time", overThree, overTwo, 3, props.ReduceStats{Tried: 5, Repeated: 3 + 3 + 5 + 10, Taken: 2}},
		{"nothing fails", two, always(false), 1, props.ReduceStats{Tried: 1, Repeated: 1 + 2 + 5}},
		{"all fail", two, always(true), 1, props.ReduceStats{Tried: 2, Repeated: 5 + 5, Taken: 2}},
		{"one worker tries none after the first that fails", prefers, noneOfTwo, 1, props.ReduceStats{Tried: 1 + 1, Repeated: 8 + 9, Taken: 1}},
		{"two workers try two", prefers, noneOfTwo, 2, props.ReduceStats{Tried: 2 + 1, Repeated: 8 + 9, Taken: 1}},
		{"three workers try three", prefers, noneOfTwo, 3, props.ReduceStats{Tried: 3 + 1, Repeated: 8 + 9, Taken: 1}},
	} {
		if _, got := props.Reduce(t.Context(), test.c, test.fails, props.ReduceOptions{Workers: test.workers}); got != test.want {
			t.Errorf("%s: got %+v, want %+v", test.name, got, test.want)
		}
	}
}

// runs is a tensor of one axis with a run of it on each rank.
func runs(extent int64, each ...[2]int64) plan.Map {
	m := plan.Map{LogicalShape: []int64{extent}}
	for rank, run := range each {
		shard := plan.Shard{Rank: rank, Shape: []int64{run[1] - run[0]}}
		if run[0] < run[1] {
			shard.Pieces = []plan.Piece{{
				Shape: shard.Shape, Locations: []int{rank},
				Source: plan.View{Offset: run[0], Strides: []int64{1}}, Dest: plan.View{Strides: []int64{1}},
			}}
		}
		m.Shards = append(m.Shards, shard)
	}
	return m
}

// Values that are no maps are left as they are.
func TestReduceLeavesRaw(t *testing.T) {
	c := plan.Case{Raw: &plan.Raw{Source: []byte("1"), Target: []byte("2")}, Expect: plan.Expect{Outcome: plan.Refused}}
	asked := func(plan.Case) bool { t.Error("was asked"); return true }
	if got, stats := props.Reduce(t.Context(), c, asked, props.ReduceOptions{}); !cmp.Equal(got, c) || stats != (props.ReduceStats{Stopped: true}) {
		t.Errorf("got %+v, %+v", got, stats)
	}
}

// Broken maps stay broken in the same way: a planner that plans them all is reduced to a refusal that is still due.
func TestReduceKeepsTheFault(t *testing.T) {
	anything := plannerOf(func(plan.Request) (plan.Answer, error) { return plan.Answer{}, nil })
	small, all := 0, 0
	for n := range uint64(80) {
		c := gen.Corrupted(gen.Seeded(gen.CaseSeed(2, n)))
		if c.Expect.Outcome != plan.Refused {
			continue
		}
		all++
		fails := func(c plan.Case) bool {
			return props.Check(t.Context(), anything, c, props.Options{}).Cause(false) == props.OutcomeID
		}
		got, _ := props.Reduce(t.Context(), c, fails, props.ReduceOptions{})
		v := props.Check(t.Context(), reference.Planner{}, got, props.Options{Complete: true})
		if v.Outcome != props.Refused {
			t.Errorf("case %d (%s): the reference planner's verdict on the reduced case is %s: %s\n%s", n, c.Origin, v.Outcome, v.Detail, plan.EncodeCase(got))
		}
		if elements, ok := plan.Elements(got.Source.LogicalShape); !ok || elements <= 12 {
			small++
		}
	}
	if small < all*9/10 {
		t.Errorf("%d of %d reduced cases have at most 12 elements", small, all)
	}
}

// A planner that takes 2 ms, wrong on three axes, is reduced within 20 s: by 10,000 plans, one at
// a time. The reducer asks for far fewer.
func TestReduceAsksASlowPlannerFewTimes(t *testing.T) {
	asked := 0
	slow := plannerOf(func(request plan.Request) (plan.Answer, error) {
		asked++
		answer, err := reference.Planner{}.Plan(context.Background(), request)
		for i := range answer.Plan.Segments {
			if shape := answer.Plan.Segments[i].Shape; len(shape) >= 3 && shape[0] > 1 && shape[1] > 1 && shape[2] > 1 {
				answer.Plan.Segments[i].Source.Strides[0]++
			}
		}
		return answer, err
	})
	fails := func(c plan.Case) bool {
		cause := props.Check(t.Context(), slow, c, props.Options{}).Cause(false)
		return cause == "values" || cause == "bounds"
	}
	for seed := range uint64(20) {
		c := firstFailing(t, seed, gen.Case, fails)
		asked = 0
		got, stats := props.Reduce(t.Context(), c, fails, props.ReduceOptions{})
		if asked > 200 || stats.Stopped {
			t.Errorf("seed %d: asked %d times: %+v", seed, asked, stats)
		}
		if elements, _ := plan.Elements(got.Source.LogicalShape); elements != 8 {
			t.Errorf("seed %d: reduced to %d elements, want 2x2x2\n%s", seed, elements, plan.EncodeCase(got))
		}
	}
}
