package oracle

import (
	"slices"
	"testing"

	"github.com/shardproof/shardproof/plan"
)

// probed is what a proof finds without its boxes: by its inspection, and then by probing alone.
func probed(t *testing.T, request plan.Request, answer plan.Answer) Evidence {
	t.Helper()
	p := proof{cutter: cutter{proofBudget}}
	p.inspect(request, answer)
	if why := p.place(); why != "" {
		t.Fatal(why)
	}
	if p.boundable() {
		p.giveUp()
	}
	return p.judge()
}

// Probing finds each canary but the one in which all counts and labels are right, and of each clause what execution
// finds or nothing.
func TestProbesOfCanaries(t *testing.T) {
	for _, c := range canaries {
		request, answer := small()
		c.spoil(&request, &answer)
		evidence, executed := probed(t, request, answer), Execute(request, answer)
		if evidence.Broken() == nil && c.name != "a gap and an equal overlap" {
			t.Errorf("%s: not found", c.name)
		}
		for i, id := range Clauses() {
			if !agrees(evidence[i], executed[i]) {
				t.Errorf("%s: %s: probed %+v, executed %+v", c.name, id, evidence[i], executed[i])
			}
		}
	}
}

// Of random plans probing claims nothing that execution does not find.
func TestProbesAgree(t *testing.T) {
	found, wrong := map[ClauseID]int{}, 0
	eachRandom(t, randomCases, func(seed uint64, _ bool, request plan.Request, answer plan.Answer) {
		executed := Execute(request, answer)
		if !slices.ContainsFunc(executed.Broken(), func(id ClauseID) bool { return slices.Index(Clauses(), id) < isShould }) {
			if evidence := probed(t, request, answer); mustBroken(evidence) {
				t.Errorf("a right plan: broken %v", evidence.Broken())
			}
			return
		}
		wrong++
		evidence := probed(t, request, answer)
		for i, id := range Clauses() {
			if !agrees(evidence[i], executed[i]) {
				t.Errorf("%s: probed %+v, executed %+v", id, evidence[i], executed[i])
			}
			if evidence[i].Status == Broken {
				found[id]++
			}
		}
	})
	for _, id := range []ClauseID{Cover, Once, Values, Holder} {
		if found[id] < 50 {
			t.Errorf("%s was found broken by probing in %d of %d wrong plans", id, found[id], wrong)
		}
	}
	t.Logf("of %d wrong plans: %v", wrong, found)
}

// Where the writes of an element are too many to count, it is not told by another clause: 2^60 elements in steps of
// 3 and of 4 write nearly every address many times.
func TestProbesWithinTheirBudget(t *testing.T) {
	const rows, size = 1 << 30, 1 << 61
	request := plan.Request{Source: replicated(size, 1, 1), Target: replicated(size, 1, 1)}
	answer := plan.Answer{Plan: plan.Plan{Segments: []plan.Segment{
		segment([]int64{rows, rows}, 0, 0, []int64{rows, 1}, 0, 0, []int64{4, 3}),
		segment([]int64{size - rows*rows}, 0, rows*rows, []int64{1}, 0, rows*rows, []int64{1}),
	}}}
	evidence := Prove(request, answer)
	if mustBroken(evidence) || !slices.Equal(evidence.Unknown(), []ClauseID{Cover, Once, Values, Holder}) {
		t.Errorf("broken %v, unknown %v: %+v", evidence.Broken(), evidence.Unknown(), evidence)
	}
}

// What is wrong in a shard that could be proven keeps its element, though a later shard was only probed.
func TestProbesLeaveWhatWasProven(t *testing.T) {
	request, answer := rowsToColumns(1e9, 8)
	for i := range answer.Plan.Segments {
		switch s := &answer.Plan.Segments[i]; s.Target.Rank {
		case 0:
			s.Source.Offset++
		case 3:
			s.Target.Strides = []int64{1, 1}
		}
	}
	if got := Prove(request, answer).Of(Values); got.Status != Broken || got.Element == nil || got.Element.TargetRank != 0 || got.Element.Address != 0 {
		t.Errorf("got %+v", got)
	}
}

// An axis is cut into as many elements as the limit says, and into no more.
func TestCutOneByOne(t *testing.T) {
	for _, extent := range []int64{cutOneByOne, cutOneByOne + 1} {
		c := cutter{proofBudget}
		boxes := c.cut(newBlock([]int64{extent}, plan.View{Strides: []int64{3}}), 0, radix{0, []int64{5, 1}})
		if within := extent <= cutOneByOne; within != (c.budget >= 0) || within != (int64(len(boxes)) == extent) {
			t.Errorf("%d elements: %d boxes, %d left of the budget", extent, len(boxes), c.budget)
		}
	}
}

// Of two axes that count the same digit the shorter is cut.
func TestCutTheShorterAxis(t *testing.T) {
	for _, shape := range [][]int64{{2, cutOneByOne + 1}, {cutOneByOne + 1, 2}} {
		c := cutter{proofBudget}
		if boxes := c.cut(newBlock(shape, plan.View{Strides: []int64{1, 1}}), 0, radix{0, []int64{1}}); len(boxes) != 2 {
			t.Errorf("%v: got %d boxes, want 2", shape, len(boxes))
		}
	}
}

// An axis longer than that is cut into rows of it where those count a digit.
func TestCutIntoRows(t *testing.T) {
	for stride, want := range map[int64]int{4: 15, 6: 10, 20: 3, 30: 2, 60: 1} {
		c := cutter{proofBudget}
		b := newBlock([]int64{1 << 40 / 60 * 60}, plan.View{Strides: []int64{stride}})
		boxes, total := c.cut(b, 0, radix{0, []int64{60, 1}}), int64(0)
		for _, box := range boxes {
			total += volume(box.shape)
		}
		if len(boxes) != want || total != b.shape[0] {
			t.Errorf("stride %d: %d boxes of %d elements, want %d of %d", stride, len(boxes), total, want, b.shape[0])
		}
	}
}
