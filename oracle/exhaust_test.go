package oracle

import (
	"context"
	"errors"
	"flag"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/gen"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/reference"
)

var exhaust = flag.Bool("exhaust", false, "compare the oracles on every small case, and not on one in 211 of them")

// On every small case the three oracles find the same: of the reference planner's plan, and of that plan
// spoiled in a way that the case's number draws.
func TestOraclesAgreeOnSmallCases(t *testing.T) {
	seed, compared, broken := uint64(0), 0, 0
	gen.EachSmall(gen.SmallGrids(), func(c plan.Case) bool {
		if seed++; !*exhaust && seed%211 != 0 {
			return true
		}
		answer, err := reference.Planner{}.Plan(context.Background(), c.Request)
		if err != nil {
			t.Fatalf("case %d: %v", seed, err)
		}
		allAgree(t, c.Request, answer, true)
		d := draw(seed)
		spoiled := plan.Answer{Plan: plan.Plan{LogicalShape: answer.Plan.LogicalShape}, MovedElements: answer.MovedElements}
		spoiled.Plan.Segments = append(spoiled.Plan.Segments, answer.Plan.Segments...)
		d.spoil(&spoiled)
		if allAgree(t, c.Request, spoiled, false).Broken() != nil {
			broken++
		}
		compared++
		if t.Failed() {
			t.Fatalf("case %d", seed)
		}
		return true
	})
	t.Logf("%d of %d small cases compared, right and spoiled; %d spoiled plans broken", compared, seed, broken)
	if compared == 0 || broken < compared/2 {
		t.Errorf("%d compared, %d broken", compared, broken)
	}
}

// allAgree compares the oracles. A right plan is known to all of them.
func allAgree(t *testing.T, request plan.Request, answer plan.Answer, right bool) Evidence {
	t.Helper()
	executed, computed, proved := Execute(request, answer), Algebra(request, answer), Prove(request, answer)
	for i, id := range Clauses() {
		if executed[i].Status == Unknown && computed[i].Status == Unknown {
			computed[i].Detail = executed[i].Detail
		}
		if !cmp.Equal(executed[i], computed[i]) {
			t.Errorf("%s: executed %+v, computed %+v", id, executed[i], computed[i])
		}
		if !agrees(proved[i], executed[i]) {
			t.Errorf("%s: executed %+v, proved %+v", id, executed[i], proved[i])
		}
		if right && (proved[i].Status != Kept || executed[i].Status != Kept) {
			t.Errorf("%s of the reference planner: executed %+v, proved %+v", id, executed[i], proved[i])
		}
	}
	if t.Failed() {
		t.Logf("request %+v\nanswer %+v", request, answer)
	}
	return executed
}

// On generated cases, which are larger and of every family, execution and proof find the same, and a proof knows
// of every right plan that it is right.
func TestProofsOfGeneratedCases(t *testing.T) {
	executed := 0
	for n := range uint64(3000) {
		c := gen.Case(gen.Seeded(gen.CaseSeed(1, n)))
		answer, err := reference.Planner{Folding: reference.Folding(n % 3)}.Plan(context.Background(), c.Request)
		if refusal := (*plan.Refusal)(nil); errors.As(err, &refusal) {
			continue
		} else if err != nil {
			t.Fatalf("case %d: %v", n, err)
		}
		execution, proof := Execute(c.Request, answer), Prove(c.Request, answer)
		if execution.Unknown() == nil {
			executed++
		}
		for i, id := range Clauses() {
			if execution[i].Status != Unknown && !agrees(proof[i], execution[i]) {
				t.Errorf("case %d (%s): %s: executed %+v, proved %+v", n, c.Name, id, execution[i], proof[i])
			}
			if i < isShould && (proof[i].Status == Broken || execution[i].Status == Broken) {
				t.Errorf("case %d (%s): %s of the reference planner: executed %+v, proved %+v", n, c.Name, id, execution[i], proof[i])
			}
		}
		if unknown := proof.Unknown(); unknown != nil {
			t.Errorf("case %d (%s): not proven: %v", n, c.Name, unknown)
		}
	}
	if executed < 2500 {
		t.Errorf("%d executed whole", executed)
	}
}

// isShould is where the should clauses begin.
const isShould = 8
