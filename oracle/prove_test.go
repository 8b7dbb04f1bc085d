package oracle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/plan"
)

// A proof finds what execution finds, or does not know. An element that it leaves out is no disagreement;
// one that it names is the same.
func agrees(proved, executed Finding) bool {
	switch {
	case proved.Status == Unknown:
		return true
	case proved.Element == nil:
		return proved.Status == executed.Status
	}
	return cmp.Equal(proved, executed)
}

func TestProofsAgree(t *testing.T) {
	known, total := map[ClauseID]int{}, 0
	eachRandom(t, randomCases, func(seed uint64, spoiled bool, request plan.Request, answer plan.Answer) {
		proved, executed := Prove(request, answer), Execute(request, answer)
		total++
		for i, id := range Clauses() {
			if proved[i].Status != Unknown {
				known[id]++
			}
			if !spoiled && proved[i].Status != executed[i].Status {
				t.Errorf("%s of a right plan: proved %v, executed %v", id, proved[i], executed[i])
			}
			if !agrees(proved[i], executed[i]) {
				t.Errorf("%s: proved %+v, executed %+v\n- + %s", id, proved[i], executed[i], cmp.Diff(proved[i].Element, executed[i].Element))
			}
		}
		if t.Failed() {
			t.Logf("request %+v\nanswer %+v", request, answer)
		}
	})
	// Half the plans are spoiled, and four in ten of those stray, which leaves the later clauses unknown.
	least := map[ClauseID]float64{Valid: 1, Bounds: 1, Cover: 0.7, Once: 0.7, Values: 0.7, Holder: 0.7, Moved: 1, BudgetClause: 1, Folded: 1, Ordered: 1}
	for _, id := range Clauses() {
		if share := float64(known[id]) / float64(total); share < least[id] {
			t.Errorf("%s was decided in %.3f of the cases, want %.2f or more", id, share, least[id])
		}
	}
	t.Logf("%d cases, known: %v", total, known)
}

// The canaries are seen by a proof as by execution; what it must know of each is that it is broken.
func TestProofsOfCanaries(t *testing.T) {
	for _, c := range canaries {
		request, answer := small()
		c.spoil(&request, &answer)
		proved, executed := Prove(request, answer), Execute(request, answer)
		for i, id := range Clauses() {
			if !agrees(proved[i], executed[i]) {
				t.Errorf("%s: %s: proved %+v, executed %+v", c.name, id, proved[i], executed[i])
			}
		}
		if len(proved.Broken()) == 0 {
			t.Errorf("%s: not known to be broken", c.name)
		}
	}
}

// 10^9 x 8, rows over two ranks to columns over four: proven right, and one wrong stride is found at its
// element, in the time of a small one.
func TestProofAtAnySize(t *testing.T) {
	request, answer := rowsToColumns(1e9, 8)
	if evidence := Prove(request, answer); evidence != (Evidence{}) {
		t.Errorf("broken %v, unknown %v: %+v", evidence.Broken(), evidence.Unknown(), evidence)
	}
	if evidence := Execute(request, answer); len(evidence.Unknown()) != 5 || evidence.Broken() != nil {
		t.Errorf("executed: broken %v, unknown %v", evidence.Broken(), evidence.Unknown())
	}
	answer.Plan.Segments[7].Source.Offset -= 8
	answer.Plan.Segments[7].Shape = []int64{5e8, 2}
	got := Prove(request, answer).Of(Bounds)
	if got.Status != Broken {
		t.Errorf("reads before the start: %+v", got)
	}
	answer.Plan.Segments[7].Source.Offset += 7
	answer.Plan.Segments[7].Shape = []int64{5e8, 1}
	answer.Plan.Segments = append(answer.Plan.Segments, segment([]int64{5e8, 1}, 1, 7, []int64{8, 1}, 3, 1e9+1, []int64{2, 1}))
	evidence := Prove(request, answer)
	want := "target rank 3 [500000000 0] (address 1000000000): wants logical [500000000 6], holds logical [500000000 5], read from source rank 1 address 5"
	if got := evidence.Of(Values); got.Detail != want {
		t.Errorf("one column off:\n got %s\nwant %s", got.Detail, want)
	}
}

// The elements of a short axis are compared one by one, so that the diagonal of a transposed copy is judged; those
// of a longer one are not.
func TestProofOfADiagonal(t *testing.T) {
	for n, want := range map[int64]Status{comparedOneByOne: Broken, comparedOneByOne + 1: Unknown} {
		request := plan.Request{Source: replicated(n, n, 2), Target: replicated(n, n, 1)}
		answer := plan.Answer{Plan: plan.Plan{Segments: []plan.Segment{segment([]int64{n, n}, 1, 0, []int64{1, n}, 0, 0, []int64{n, 1})}}}
		if got := Prove(request, answer).Of(Holder); got.Status != want {
			t.Errorf("%d elements, read from another holder than is due: got %+v, want %v", n, got, want)
		}
	}
}

// A transposed copy of 10^6 x 10^6 is wrong in its second element, and right along the diagonal.
func TestProofOfATransposedCopy(t *testing.T) {
	request := plan.Request{Source: split(1e6, 1e6, 0, 1), Target: split(1e6, 1e6, 0, 1)}
	answer := plan.Answer{Plan: plan.Plan{Segments: []plan.Segment{segment([]int64{1e6, 1e6}, 0, 0, []int64{1, 1e6}, 0, 0, []int64{1e6, 1})}}}
	evidence := Prove(request, answer)
	want := "target rank 0 [0 1] (address 1): wants logical [0 1], holds logical [1 0], read from source rank 0 address 1000000"
	if got := evidence.Of(Values).Detail; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if got := evidence.Of(Holder); got.Status != Unknown {
		t.Errorf("holders of the diagonal: %+v", got)
	}
}

// A run that would be right one element past its end, or one before its start, is not judged there.
func TestProofStaysWithinTheSegment(t *testing.T) {
	request := plan.Request{Source: replicated(8, 1, 2), Target: replicated(8, 1, 1)}
	one := []int64{1}
	for _, segments := range [][]plan.Segment{
		{segment([]int64{3}, 1, 6, []int64{-1}, 0, 0, one), segment([]int64{5}, 0, 3, one, 0, 3, one)},                                     // 6 5 4, and 3 would come after
		{segment([]int64{4}, 0, 0, one, 0, 0, one), segment([]int64{3}, 1, 2, []int64{-1}, 0, 4, one), segment(one, 0, 7, one, 0, 7, one)}, // 2 1 0, and 3 would come before
	} {
		for _, oracle := range oracles {
			if got := oracle.judge(request, plan.Answer{Plan: plan.Plan{Segments: segments}}).Broken(); len(got) != 1 || got[0] != Values {
				t.Errorf("%s: broken %v, want %v alone", oracle.name, got, Values)
			}
		}
	}
}
