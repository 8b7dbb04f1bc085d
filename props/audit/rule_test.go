package audit

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/props/campaign"
)

// A rule has the status of its worst cases: what is broken before what is not known, and that before what is kept.
func TestTheStatusOfARule(t *testing.T) {
	for _, test := range []struct {
		counted []Status
		want    Status
	}{
		{nil, NotExercised},
		{[]Status{""}, NotExercised},
		{[]Status{NotExercised, Unsupported}, Unsupported},
		{[]Status{Unsupported, Refused}, Refused},
		{[]Status{Refused, Kept, ""}, Kept},
		{[]Status{Kept, Unknown, Kept}, Unknown},
		{[]Status{Excused, Unknown}, Excused},
		{[]Status{Broken, Excused, Kept}, Broken},
	} {
		report := ruleReports(make([]Rule, 1))[0]
		for _, status := range test.counted {
			report.count(status, 1, "")
		}
		if report.Status != test.want {
			t.Errorf("a rule whose cases are %q is %s, want %s", test.counted, report.Status, test.want)
		}
	}
}

// Cases are counted by status, those not exercised by their reason too, and a status without a case not at all.
func TestTheCountsOfARule(t *testing.T) {
	report := ruleReports(make([]Rule, 1))[0]
	report.count(Kept, 3, "")
	report.count(Kept, 4, "")
	report.count(Broken, 0, "")
	report.count("", 5, "")
	report.count(NotExercised, 1, "needs returns")
	report.count(NotExercised, 2, "needs budget")
	report.count(NotExercised, 6, "needs returns")
	want := RuleReport{
		Status: Kept, Counts: map[Status]int64{Kept: 7, NotExercised: 9},
		Why: []campaign.HeldOff{{Reason: "needs budget", Cases: 2}, {Reason: "needs returns", Cases: 7}}, Finding: -1,
	}
	if diff := cmp.Diff(want, report, cmp.AllowUnexported(Rule{})); diff != "" {
		t.Errorf("want, got:\n%s", diff)
	}
	if got := report.Total(); got != 16 {
		t.Errorf("%d cases are about the rule, want 16", got)
	}
}
