package oracle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/plan"
)

// randomCases is how many random requests the oracles are compared on, each with a right and a spoiled plan.
const randomCases = 6000

// eachRandom calls a check with random requests and plans. Right plans may read from any holder. Pieces are cut
// further after the plan is made, so that replicas have cuts of their own, and segments run over them.
func eachRandom(t *testing.T, n uint64, check func(seed uint64, spoiled bool, request plan.Request, answer plan.Answer)) {
	t.Helper()
	for seed := range n {
		d := draw(seed)
		request := d.request()
		answer := d.answer(request)
		d.refine(&request.Source)
		d.refine(&request.Target)
		check(seed, false, request, answer)
		d.spoil(&answer)
		check(seed, true, request, answer)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// A right plan that may read from any holder breaks nothing. This is the oracles' answer to a planner that is
// written in the test, a piece at a time and without folding.
func TestRightPlansAreRight(t *testing.T) {
	eachRandom(t, randomCases, func(seed uint64, spoiled bool, request plan.Request, answer plan.Answer) {
		if spoiled {
			return
		}
		request.Selector = plan.Selector{Policy: plan.PolicyAny}
		evidence := Execute(request, answer)
		for _, id := range evidence.Broken() {
			if id != Folded && id != Ordered {
				t.Errorf("%s of a right plan: %s", id, evidence.Of(id).Detail)
			}
		}
		if unknown := evidence.Unknown(); unknown != nil {
			t.Errorf("unknown of a right plan: %v, %+v", unknown, evidence)
		}
	})
}

// Execution and algebra find the same, word for word. Where both know nothing, each may say why in its own
// words.
func TestAlgebraAgrees(t *testing.T) {
	broken := map[ClauseID]int{}
	eachRandom(t, randomCases, func(seed uint64, spoiled bool, request plan.Request, answer plan.Answer) {
		executed, computed := Execute(request, answer), Algebra(request, answer)
		for _, id := range executed.Broken() {
			broken[id]++
		}
		for i := range executed {
			if executed[i].Status == Unknown && computed[i].Status == Unknown {
				executed[i].Detail, computed[i].Detail = "", ""
			}
		}
		if diff := cmp.Diff(executed, computed); diff != "" {
			t.Errorf("Execute - Algebra +: %s\nrequest %+v\nanswer %+v", diff, request, answer)
		}
	})
	for _, id := range Clauses() {
		if id != BudgetClause && broken[id] < randomCases/100 {
			t.Errorf("%s was broken in %d cases only", id, broken[id])
		}
	}
	t.Logf("cases with each clause broken: %v", broken)
}
