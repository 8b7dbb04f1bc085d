package campaign

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/gen"
	"github.com/shardproof/shardproof/props"
)

// counted counts verdicts one by one.
func counted(verdicts ...props.Verdict) Counts {
	var counts Counts
	for i := range verdicts {
		counts.count(&verdicts[i])
	}
	return counts
}

var shares = cmp.AllowUnexported(gen.Shares{})

func TestVerdictsAreCounted(t *testing.T) {
	for _, test := range []struct {
		what string
		got  Counts
		want Counts
	}{
		{"a due refusal", counted(props.Verdict{Outcome: props.Refused}), Counts{Cases: 1, Refused: 1}},
		{"unsupported", counted(props.Verdict{Outcome: props.Unsupported}), Counts{Cases: 1, Unsupported: 1}},
		{"a fault", counted(props.Verdict{Outcome: props.Broken}), Counts{Cases: 1, Broken: 1}},
		{"no verdict", counted(props.Verdict{Outcome: props.Unknown}), Counts{Cases: 1, Unknown: 1}},
		{
			"requests held back", counted(
				props.Verdict{Outcome: props.NotExercised, Detail: "needs cost"}, props.Verdict{Outcome: props.NotExercised, Detail: "needs budget"},
				props.Verdict{Outcome: props.NotExercised, Detail: "needs cost"},
			),
			Counts{Cases: 3, NotExercised: 3, HeldOff: []HeldOff{{"needs budget", 1}, {"needs cost", 2}}},
		},
		{
			// One plan past the limit of the mean counts for all but the mean of elements.
			"plans", counted(
				props.Verdict{Outcome: props.Exact, Answered: true, Segments: 3, MovedElements: 1 << 16},
				props.Verdict{Outcome: props.Exact, Answered: true, Segments: 4, MovedElements: 1<<16 + 1},
			),
			Counts{Cases: 2, Exact: 2, Plans: 2, Segments: 7, Elements: 1 << 16, Counted: 1},
		},
		{
			"a plan that falls short", counted(props.Verdict{Outcome: props.Exact, Should: []string{"folded", "ordered"}}),
			Counts{Cases: 1, Exact: 1, Should: 1},
		},
		{
			"a relation kept twice and one broken", counted(
				props.Verdict{Outcome: props.Exact, Related: []string{"compose"}},
				props.Verdict{Outcome: props.Broken, Broken: []string{"round-trip"}, Related: []string{"round-trip", "compose"}},
			),
			Counts{Cases: 2, Exact: 1, Broken: 1, Related: map[string]int64{"compose": 2}},
		},
	} {
		if diff := cmp.Diff(test.want, test.got, shares); diff != "" {
			t.Errorf("%s, want, got:\n%s", test.what, diff)
		}
	}
}

// What several workers counted adds up, field by field.
func TestCountsAddUp(t *testing.T) {
	one := Counts{
		Cases: 1, Exact: 2, Refused: 3, Unsupported: 4, Broken: 5, Unknown: 6, NotExercised: 7, Should: 8, Plans: 9, Segments: 10,
		Elements: 11, Counted: 12, Related: map[string]int64{"compose": 1, "cut-piece": 2}, HeldOff: []HeldOff{{"needs cost", 3}},
	}
	other := Counts{
		Cases: 100, Exact: 100, Refused: 100, Unsupported: 100, Broken: 100, Unknown: 100, NotExercised: 100, Should: 100, Plans: 100,
		Segments: 100, Elements: 100, Counted: 100, Related: map[string]int64{"compose": 100}, HeldOff: []HeldOff{{"needs budget", 100}, {"needs cost", 100}},
	}
	want := Counts{
		Cases: 101, Exact: 102, Refused: 103, Unsupported: 104, Broken: 105, Unknown: 106, NotExercised: 107, Should: 108, Plans: 109,
		Segments: 110, Elements: 111, Counted: 112, Related: map[string]int64{"compose": 101, "cut-piece": 2},
		HeldOff: []HeldOff{{"needs budget", 100}, {"needs cost", 103}},
	}
	var sum Counts
	sum.add(&one)
	sum.add(&other)
	if diff := cmp.Diff(want, sum, shares); diff != "" {
		t.Errorf("want, got:\n%s", diff)
	}
	if one.Related["compose"] != 1 {
		t.Error("adding changes what is added")
	}
}

func TestTheMeansOfPlans(t *testing.T) {
	counts := Counts{Plans: 4, Segments: 10, Elements: 9, Counted: 2}
	if segments, elements := counts.MeanSegments(), counts.MeanElements(); segments != 2.5 || elements != 4.5 {
		t.Errorf("means of %g segments and %g elements, want 2.5 and 4.5", segments, elements)
	}
	if none := (&Counts{}).MeanSegments(); none != 0 {
		t.Errorf("the mean of no plan is %g", none)
	}
}

// Whatever the order in which workers are added, the first case that could not be judged is told.
func TestTheFirstUnknownIsTold(t *testing.T) {
	workers := []Counts{{}, {Untold: &Untold{9, "later"}}, {Untold: &Untold{4, "first"}}, {Untold: &Untold{7, "later"}}}
	var forth, back Counts
	for i := range workers {
		forth.add(&workers[i])
		back.add(&workers[len(workers)-1-i])
	}
	for _, all := range []Counts{forth, back} {
		if all.Untold == nil || *all.Untold != (Untold{4, "first"}) {
			t.Errorf("told: %+v, want case 4", all.Untold)
		}
	}
}
