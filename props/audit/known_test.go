package audit

import (
	"slices"
	"testing"

	"github.com/shardproof/shardproof/props"
)

func parsed(t *testing.T, text string) *Known {
	t.Helper()
	known, err := ParseKnown(text)
	if err != nil {
		t.Fatal(err)
	}
	return known
}

func TestAListOfKnownFailuresIsRead(t *testing.T) {
	known := parsed(t, "# found in review\n\n  values  it swaps two rows \ncase-7 it is a scalar\n")
	want := []knownEntry{{line: 2, name: "values", reason: "it swaps two rows"}, {line: 3, name: "case-7", reason: "it is a scalar"}}
	if !slices.Equal(known.entries, want) {
		t.Errorf("entries %+v, want %+v", known.entries, want)
	}
}

func TestAListOfKnownFailuresThatIsWrong(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"values\n", `line 1: "values" has no reason after it`},
		{"# one\n\nvalues  \n", `line 3: "values" has no reason after it`},
		{"values a\ncover b\nvalues c\n", `line 3: "values" is listed already`},
	} {
		if _, err := ParseKnown(test.text); err == nil || err.Error() != test.want {
			t.Errorf("%q is refused with %v, want %s", test.text, err, test.want)
		}
	}
}

// An entry of a case excuses whatever is broken there, one of a rule what breaks that rule. Where a verdict names
// several, each has to be excused; what is of should level has to be only where it would fail the run.
func TestWhatIsExcused(t *testing.T) {
	for _, test := range []struct {
		what           string
		known          string
		rules          []string // that the case breaks
		broken, should []string // that its verdict names
		strict         bool
		want           string
	}{
		{"nothing is listed", "", []string{"values"}, []string{"values"}, nil, false, ""},
		{"nothing is broken", "case reason", nil, nil, nil, false, ""},
		{"another case and rule are listed", "case-2 one\ncover two", []string{"values"}, []string{"values"}, nil, false, ""},
		{"the case is listed", "case reason", []string{"values", "plan.read"}, []string{"values", "cover"}, nil, false, "reason"},
		{"the rule is listed", "values reason", []string{"values"}, []string{"values"}, nil, false, "reason"},
		{"one of two is listed", "values reason", []string{"values", "cover"}, []string{"values", "cover"}, nil, false, ""},
		{"the other of two is listed", "cover reason", []string{"values", "cover"}, []string{"values", "cover"}, nil, false, ""},
		{"both are listed", "cover two\nvalues one", []string{"values", "cover"}, []string{"values", "cover"}, nil, false, "one"},
		{"what they amount to is listed", "plan.read reason", []string{"values", "plan.read"}, []string{"values", "cover"}, nil, false, "reason"},
		{"two that they amount to are listed", "row.2 two\nrow.1 one", []string{"row.1", "row.2", "outcome"}, []string{"outcome"}, nil, false, "one"},
		{"the case comes before its rules", "row.1 rule\ncase case", []string{"row.1", "outcome"}, []string{"outcome"}, nil, false, "case"},
		{"should besides", "values reason", []string{"values", "folded"}, []string{"values"}, []string{"folded"}, false, "reason"},
		{"should besides, strict", "values reason", []string{"values", "folded"}, []string{"values"}, []string{"folded"}, true, ""},
		{"should besides, strict and listed", "values one\nfolded two", []string{"values", "folded"}, []string{"values"}, []string{"folded"}, true, "one"},
		{"should alone", "folded reason", []string{"folded"}, nil, []string{"folded"}, false, "reason"},
		{"should alone, not listed", "values reason", []string{"folded"}, nil, []string{"folded"}, false, ""},
	} {
		j := Judged{Broken: test.rules, Verdict: props.Verdict{Broken: test.broken, Should: test.should}}
		j.Case.Name = "case"
		if got := parsed(t, test.known).excuse(&j, test.strict); got != test.want {
			t.Errorf("%s: excused by %q, want %q", test.what, got, test.want)
		}
	}
}

// A rule that is broken counts as known where its entry, or that of the case, says so. A case that is excused by
// another rule counts so for every must rule, but for no should rule.
func TestForWhichRulesABreakIsKnown(t *testing.T) {
	j := Judged{Verdict: props.Verdict{Broken: []string{"values"}, Should: []string{"folded"}}}
	j.Case.Name = "case"
	excused := j
	excused.Known = "reason"
	for _, test := range []struct {
		known    string
		j        Judged
		id       string
		expected bool
	}{
		{"", j, "values", false},
		{"values reason", j, "values", true},
		{"values reason", j, "folded", false},
		{"case reason", j, "folded", true},
		{"values reason", excused, "plan.read", true},
		{"values reason", excused, "folded", false},
		{"folded reason", excused, "folded", true},
	} {
		known := parsed(t, test.known)
		if got := known.excuses(&test.j, test.id); got != test.expected {
			t.Errorf("with %q, and the case excused by %q: %s is known to be broken: %t", test.known, test.j.Known, test.id, got)
		}
		if test.id == "folded" && known.excusesShould(&test.j) != test.expected {
			t.Errorf("with %q: what the case breaks of should level is known: %t", test.known, !test.expected)
		}
	}
}

// An entry is stale where nothing failed that it names, also where something else excused the failure.
func TestStaleEntries(t *testing.T) {
	known := parsed(t, "values it is\nrow.1 was mended\ncase it is\nplan.read it is\ncase-2 was mended\n")
	j := Judged{Broken: []string{"values", "plan.read"}, Verdict: props.Verdict{Broken: []string{"values"}}}
	j.Case.Name = "case"
	known.excuse(&j, false)
	if got, want := known.stale(), []string{"row.1", "case-2"}; !slices.Equal(got, want) {
		t.Errorf("stale: %q, want %q", got, want)
	}
}

// An updated list lacks the stale entries, and has one more for each case that fails and is not expected to. The
// rest of its lines stay as they are.
func TestAListIsBroughtUpToDate(t *testing.T) {
	judged := func(phase Phase, name, known string, broken, should []string) Judged {
		j := Judged{Phase: phase, Known: known, Verdict: props.Verdict{Broken: broken, Should: should}}
		j.Case.Name = name
		return j
	}
	values, folded := []string{"values"}, []string{"folded"}
	report := Report{
		Stale: []string{"gone"},
		Cases: []Judged{
			judged(Saved, "kept", "", nil, nil), judged(Saved, "new", "", values, nil), judged(Saved, "old", "known", values, nil),
			judged(Corrupted, "new", "", values, nil), judged(Corrupted, "untidy", "", nil, folded),
		},
		Findings: []Finding{
			{Judged: judged(Saved, "reduced", "", values, nil)}, {Judged: judged(Campaign, "found", "", values, nil)},
			{Judged: judged(Campaign, "old-too", "known", values, nil)},
		},
	}
	const text = "\n# a comment\nold known\n\ngone it was\nold-too known"
	const added = "new not looked at yet\nfound not looked at yet\n"
	if got, want := parsed(t, text).Updated(report), "\n# a comment\nold known\n\nold-too known\n"+added; got != want {
		t.Errorf("updated:\n%swant\n%s", got, want)
	}
	report.Strict = true
	if got, want := parsed(t, "").Updated(report), "new not looked at yet\nuntidy not looked at yet\nfound not looked at yet\n"; got != want {
		t.Errorf("a list from nothing, strict:\n%swant\n%s", got, want)
	}
	if got := parsed(t, "gone it was\n").Updated(Report{Stale: []string{"gone"}}); got != "" {
		t.Errorf("a list of stale entries alone becomes %q", got)
	}
}
