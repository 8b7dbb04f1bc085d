package props_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

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

// A planner that takes 2 ms, wrong on three axes, is reduced within 20 s on two workers.
func TestReduceSlowPlanner(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	slow := plannerOf(func(request plan.Request) (plan.Answer, error) {
		time.Sleep(2 * time.Millisecond)
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
	c := firstFailing(t, 9, gen.Case, fails)
	start := time.Now()
	got, stats := props.Reduce(t.Context(), c, fails, props.ReduceOptions{Workers: 2})
	if elapsed := time.Since(start); elapsed > 20*time.Second || stats.Stopped {
		t.Errorf("took %v: %+v", elapsed, stats)
	}
	if elements, _ := plan.Elements(got.Source.LogicalShape); elements != 8 {
		t.Errorf("reduced to %d elements, want 2x2x2\n%s", elements, plan.EncodeCase(got))
	}
}
