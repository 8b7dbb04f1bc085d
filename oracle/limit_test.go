package oracle

import (
	"fmt"
	"slices"
	"testing"

	"github.com/shardproof/shardproof/plan"
)

// A proof that runs out of its budget says unknown of what it has not proven, and still that too many writes
// write something twice: segment 0 moves 30 elements, to a shard of 60.
func TestProofOutOfBudget(t *testing.T) {
	request, answer := small()
	for budget := 0; ; budget += 50 {
		evidence := proveWithin(budget, request, answer)
		if broken := evidence.Broken(); broken != nil {
			t.Fatalf("budget %d: broken %v of a right plan", budget, broken)
		}
		unknown := evidence.Unknown()
		if unknown == nil {
			if budget < 1000 {
				t.Errorf("a budget of %d was enough", budget)
			}
			break
		}
		if want := []ClauseID{Bounds, Cover, Once, Values, Holder}; !slices.Equal(unknown, want) && !slices.Equal(unknown, want[1:]) {
			t.Fatalf("budget %d: unknown %v", budget, unknown)
		}
		if budget > 1<<20 {
			t.Fatal("no budget is enough")
		}
	}
	answer.Plan.Segments = append(answer.Plan.Segments, answer.Plan.Segments[0])
	seen := map[Status]bool{}
	for budget := 0; budget < 30000; budget += 50 {
		finding := proveWithin(budget, request, answer).Of(Once)
		if finding.Status == Kept {
			t.Fatalf("budget %d: a segment written twice is kept", budget)
		}
		seen[finding.Status] = true
		if finding.Status == Broken && finding.Element == nil && finding.Detail != "target rank 0: the segments write 90 elements, the shard holds 60" {
			t.Fatalf("budget %d: %s", budget, finding.Detail)
		}
	}
	if !seen[Unknown] || !seen[Broken] {
		t.Errorf("seen %v", seen)
	}
}

// A budget is spent to its end: as much as some work takes is enough for it, and one less is not.
func TestBudgetsAreSpentToTheirEnd(t *testing.T) {
	const plenty = 1 << 20
	right, answer := small()
	placed := func(budget int, request plan.Request, answer plan.Answer) (p proof, known bool) {
		p.budget = budget
		p.inspect(request, answer)
		return p, p.place() == ""
	}
	for name, work := range map[string]func(budget int) (left int, known bool){
		"a map of one side": func(budget int) (int, bool) {
			p, known := placed(budget, plan.Request{Source: plan.Map{LogicalShape: []int64{20, 12}}, Target: right.Target}, plan.Answer{})
			return p.budget, known
		},
		"both maps": func(budget int) (int, bool) {
			p, known := placed(budget, right, answer)
			return p.budget, known
		},
		"a proof": func(budget int) (int, bool) {
			p, known := placed(budget, right, answer)
			if known && p.boundable() {
				p.prove()
			}
			left := p.budget
			return left, p.judge() == Evidence{}
		},
		"a probe": func(budget int) (int, bool) {
			p, _ := placed(plenty, right, answer)
			p.boundable()
			p.budget = budget
			p.probeElement(0, 0, 3, 11) // segment 0 reads from 12 what it writes to 3
			return p.budget, p.wrong[isValues].detail != ""
		},
	} {
		left, known := work(plenty)
		if taken := plenty - left; !known || taken <= 0 {
			t.Errorf("%s: takes %d, known %v", name, taken, known)
		} else if _, known := work(taken); !known {
			t.Errorf("%s takes %d, which is not enough", name, taken)
		} else if _, known := work(taken - 1); known {
			t.Errorf("%s takes %d, and one less is enough", name, taken)
		}
	}
}

// A budget that runs out anywhere leaves no wrong claim, of plans right or spoiled.
func TestNoBudgetMakesAProofWrong(t *testing.T) {
	eachRandom(t, 300, func(seed uint64, _ bool, request plan.Request, answer plan.Answer) {
		executed := Execute(request, answer)
		for budget := 0; budget < 20000; budget += 307 {
			proved := proveWithin(budget, request, answer)
			for i, id := range Clauses() {
				if !agrees(proved[i], executed[i]) {
					t.Errorf("budget %d: %s: proved %+v, executed %+v", budget, id, proved[i], executed[i])
				}
			}
		}
	})
}

// What cannot be labelled, cut, put together or applied is an error.
func TestErrors(t *testing.T) {
	huge, _ := rowsToColumns(1e9, 8)
	request, answer := small()
	full, err := Labels(request.Source)
	if err != nil {
		t.Fatal(err)
	}
	shards, err := Extract(request.Source, full)
	if err != nil {
		t.Fatal(err)
	}
	undeclared := split(4, 4, 0, 2)
	undeclared.Shards[1].Undeclared = true
	strays := split(20, 12, 0, 2)
	strays.Shards[1].Pieces[0].Dest.Offset++
	twice := split(20, 12, 0, 2)
	twice.Shards[1].Rank = 0
	broken := answer
	broken.Plan.Segments = append(slices.Clone(answer.Plan.Segments), plan.Segment{Shape: []int64{0}})
	long := answer
	long.Plan.Segments = []plan.Segment{segment([]int64{MaxElements + 1}, 0, 0, []int64{0}, 0, 0, []int64{0})}
	longest := answer
	longest.Plan.Segments = []plan.Segment{segment([]int64{MaxElements}, 0, 0, []int64{0}, 0, 0, []int64{0})}
	for _, test := range []struct {
		name, want string
		err        func() error
	}{
		{"labels of too many elements", "logical shape [1000000000 8] has more than 16777216 elements", func() error { _, err := Labels(huge.Source); return err }},
		{"a tensor of another size", "a tensor of 239 elements is not of logical shape [20 12]", func() error { _, err := Extract(request.Source, full[1:]); return err }},
		{"a shard not declared", "this map: rank 1 has no shard shape that can be counted", func() error { _, err := Extract(undeclared, full[:16]); return err }},
		{"a shard not declared, rebuilt", "this map: rank 1 has no shard shape that can be counted", func() error { _, err := Rebuild(undeclared, nil); return err }},
		{"a shard left out", "1 shards for a map of 2", func() error { _, err := Rebuild(request.Source, shards[:1]); return err }},
		{"a shard cut short", "rank 1: 119 values for a shard [10 12]", func() error { _, err := Rebuild(request.Source, [][]int64{shards[0], shards[1][1:]}); return err }},
		{"a piece past the end of its shard, rebuilt", "this map: rank 1 piece 0: leaves the shard", func() error { _, err := Rebuild(strays, shards); return err }},
		{"applied to too few shards", "source rank 0: the values are not those of a shard [10 12]", func() error { _, err := Apply(request, answer, shards[:1]); return err }},
		{"applied to a target too large", "target map: more than 16777216 elements in logical shape [1000000000 8]", func() error {
			_, err := Apply(plan.Request{Source: request.Source, Target: huge.Target}, answer, shards)
			return err
		}},
		{"applied to a rank's shard twice", "source map: rank 0 stands twice", func() error {
			_, err := Apply(plan.Request{Source: twice, Target: request.Target}, answer, shards)
			return err
		}},
		{"applied though not valid", "segment 8: 0 source strides for 1 extents", func() error { _, err := Apply(request, broken, shards); return err }},
		{"applied though as long as can be", "<nil>", func() error { _, err := Apply(request, longest, shards); return err }},
		{"applied though too long", "the segments move more than 16777216 elements", func() error { _, err := Apply(request, long, shards); return err }},
	} {
		if got := fmt.Sprint(test.err()); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
	}
	_, err = Rebuild(replicated(2, 2, 2), [][]int64{{5, 6, 7, 8}, {5, 6, 0, 8}})
	if got, want := fmt.Sprint(err), "logical [1 0] is 7 on rank 0 and 0 on rank 1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Every clause has an ID, a level and a rule, in the order of the specification.
func TestClauses(t *testing.T) {
	want := []ClauseID{"valid", "bounds", "cover", "once", "values", "holder", "moved", "budget", "folded", "ordered"}
	if got := Clauses(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for i, clause := range Rules() {
		if clause.ID != want[i] || clause.Rule == "" || clause.Must != (i < 8) {
			t.Errorf("%d: got %+v", i, clause)
		}
	}
	for status, want := range []string{"kept", "broken", "unknown"} {
		if got := Status(status).String(); got != want {
			t.Errorf("status %d is %s, want %s", status, got, want)
		}
	}
	defer func() {
		if got := fmt.Sprint(recover()); got != "oracle: no clause stable" {
			t.Errorf("of a clause that is none: %s", got)
		}
	}()
	Evidence{}.Of("stable")
}

// A right plan of a tensor near 2^63 elements is no plan that writes too much: the bound on what is run is
// itself a product of sizes.
func TestARightPlanNearTheEndOfInt64IsKept(t *testing.T) {
	for _, extent := range []int64{1 << 61, 1<<62 + 1, 1<<63 - 1} {
		whole := plan.View{Strides: []int64{1}}
		m := plan.Map{LogicalShape: []int64{extent}, Shards: []plan.Shard{{Shape: []int64{extent}, Pieces: []plan.Piece{
			{Shape: []int64{extent}, Source: whole, Dest: whole, Locations: []int{0}},
		}}}}
		answer := plan.Answer{Plan: plan.Plan{Segments: []plan.Segment{
			{Shape: []int64{extent}, Source: plan.Endpoint{View: whole}, Target: plan.Endpoint{View: whole}},
		}}}
		evidence := Prove(plan.Request{Source: m, Target: m}, answer)
		for _, clause := range Clauses() {
			if finding := evidence.Of(clause); finding.Status != Kept {
				t.Errorf("%d elements: %s is %v: %s", extent, clause, finding.Status, finding.Detail)
			}
		}
	}
}

// A map may have as many elements as the limit, in the tensor and in all its shards, and no more.
func TestMapsAtTheLimit(t *testing.T) {
	for _, test := range []struct {
		logical int64
		shards  []int64
		want    problem
	}{
		{MaxElements, []int64{MaxElements - 1, 1}, ""},
		{MaxElements + 1, nil, "a map: more than 16777216 elements in logical shape [16777217]"},
		{1, []int64{MaxElements, 1}, "a map: more than 16777216 elements in all shards"},
	} {
		m := plan.Map{LogicalShape: []int64{test.logical}}
		total := int64(0)
		for at, n := range test.shards {
			m.Shards, total = append(m.Shards, plan.Shard{Rank: at, Shape: []int64{n}}), total+n
		}
		if got, p := sized("a", &m, rank(nil, m)); p != test.want || p == "" && got != total {
			t.Errorf("%d elements in shards of %v: got %d, %q, want %q", test.logical, test.shards, got, p, test.want)
		}
	}
}

// A plan is run while it moves no more than four times what the target holds and 4096 more: for 240 elements that
// is 5056. Past it every oracle judges it by its addresses and its volume.
func TestPlansThatAreNotRun(t *testing.T) {
	one := []int64{0}
	later := []ClauseID{Cover, Once, Values, Holder}
	for _, test := range []struct {
		name    string
		extra   []plan.Segment
		broken  ClauseID
		detail  string
		unknown []ClauseID
	}{
		{"as much as is run", []plan.Segment{segment([]int64{4816}, 0, 0, one, 0, 0, one)},
			Once, "target rank 0 [0 0] (address 0): wants logical [0 0], written 4817 times", nil},
		{"one more", []plan.Segment{segment([]int64{4817}, 0, 0, one, 0, 0, one)},
			Once, "the segments write 5057 elements or more, the target shards hold 240", []ClauseID{Cover, Values, Holder}},
		{"one more, and one that strays", []plan.Segment{segment([]int64{4816}, 0, 0, one, 0, 0, one), segment([]int64{1}, 0, 0, one, 3, 60, one)},
			Bounds, "segment 9 reaches outside its shards", later},
		{"one more, one that strays and one past it", []plan.Segment{
			segment([]int64{4816}, 0, 0, one, 0, 0, one), segment([]int64{1}, 0, 120, one, 3, 0, one), segment([]int64{1}, 0, 0, one, 3, 60, one),
		}, Bounds, "segment 9 reaches outside its shards", later},
		{"one more, and one that is not valid", []plan.Segment{segment([]int64{4817}, 0, 0, one, 0, 0, one), segment([]int64{1}, 7, 0, one, 0, 0, one)},
			Valid, "segment 9: source rank 7 has no shard", later},
	} {
		request, answer := small()
		answer.Plan.Segments, answer.MovedElements = append(answer.Plan.Segments, test.extra...), nil
		for _, oracle := range oracles {
			if test.unknown == nil && oracle.name == "Prove" {
				continue // it need not count so many writes of one address
			}
			evidence := oracle.judge(request, answer)
			if got := evidence.Of(test.broken); got.Status != Broken || got.Detail != test.detail {
				t.Errorf("%s: %s: got %+v, want %s", test.name, oracle.name, got, test.detail)
			}
			if got := evidence.Unknown(); !slices.Equal(got, test.unknown) {
				t.Errorf("%s: %s: unknown %v, want %v", test.name, oracle.name, got, test.unknown)
			}
		}
	}
}

// The algebra takes as many elements as it says, and no more.
func TestAlgebraLimit(t *testing.T) {
	request, answer := rowsToColumns(MaxAlgebraElements/4, 4)
	if evidence := Algebra(request, answer); evidence != (Evidence{}) {
		t.Errorf("at the limit: broken %v, unknown %v", evidence.Broken(), evidence.Unknown())
	}
	request, answer = rowsToColumns(MaxAlgebraElements/4+2, 4)
	if evidence := Algebra(request, answer); len(evidence.Unknown()) != 5 {
		t.Errorf("past the limit: broken %v, unknown %v", evidence.Broken(), evidence.Unknown())
	}
}
