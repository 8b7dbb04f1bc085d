package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/props"
	"github.com/shardproof/shardproof/props/report"
)

var verdicts = []struct {
	name    string
	verdict props.Verdict
}{
	{"a", props.Verdict{Outcome: props.Exact, Answered: true, Segments: 6, MovedElements: 768}},
	{"b <&>", props.Verdict{
		Outcome: props.Broken, Answered: true, Segments: 1, MovedElements: 1,
		Broken: []string{"values", "stable"}, Should: []string{"folded"}, Detail: "values: wrong",
	}},
	{"c", props.Verdict{Outcome: props.Refused, Refusal: plan.Refuse(plan.Invalid, "no"), Detail: "refused"}},
	{"d", props.Verdict{Outcome: props.Unsupported}},
	{"e", props.Verdict{Outcome: props.Unknown, Answered: true}},
	{"f", props.Verdict{Outcome: props.NotExercised, Detail: "needs cost"}},
}

// The lines are those of the formats' description, field for field.
var want = map[string]string{
	"json": `{"case":"a","verdict":"exact","broken":[],"should":[],"segments":6,"moved_elements":768,"detail":""}
{"case":"b <&>","verdict":"broken","broken":["values","stable"],"should":["folded"],"segments":1,"moved_elements":1,"detail":"values: wrong"}
{"case":"c","verdict":"refused","broken":[],"should":[],"segments":null,"moved_elements":null,"detail":"refused"}
{"case":"d","verdict":"unsupported","broken":[],"should":[],"segments":null,"moved_elements":null,"detail":""}
{"case":"e","verdict":"unknown","broken":[],"should":[],"segments":0,"moved_elements":0,"detail":""}
{"case":"f","verdict":"not_exercised","broken":[],"should":[],"segments":null,"moved_elements":null,"detail":"needs cost"}
{"summary":{"cases":6,"exact":1,"refused":1,"unsupported":1,"broken":1,"unknown":1,"not_exercised":1}}
`,
	"text": `exact         a  6 segments, 768 elements moved
broken        b <&>  1 segment, 1 element moved  broken: values, stable  should: folded
              values: wrong
refused       c
              refused
unsupported   d
unknown       e  0 segments, 0 elements moved
not exercised f
              needs cost
6 cases: 1 exact, 1 refused as due, 1 unsupported, 1 broken, 1 unknown, 1 not exercised
`,
}

func TestFormats(t *testing.T) {
	var names []string
	for _, format := range report.Formats() {
		names = append(names, format.Name)
		var text strings.Builder
		writer := format.New(&text)
		var tally report.Tally
		for _, row := range verdicts {
			tally.Add(row.verdict)
			if err := writer.Case(row.name, row.verdict); err != nil {
				t.Fatal(err)
			}
		}
		if err := writer.Summary(tally); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want[format.Name], text.String()); diff != "" {
			t.Errorf("%s: want, got:\n%s", format.Name, diff)
		}
		if found, ok := report.FormatOf(format.Name); !ok || found.Name != format.Name {
			t.Errorf("%s is not found by its name", format.Name)
		}
	}
	if !slices.IsSorted(names) || len(names) != len(want) {
		t.Errorf("the formats are %v", names)
	}
	if _, ok := report.FormatOf("stone"); ok {
		t.Error("an unknown format was found")
	}
}

func TestCampaignSummary(t *testing.T) {
	summary := report.CampaignSummary{
		Summary: report.Summary{Cases: 2, Exact: 2}, Seed: "7", Seconds: 0.5, CasesPerSecond: 4,
		Traits: map[string]float64{"scalar": 0.5, "axes": 1},
	}
	var text strings.Builder
	if err := report.WriteSummary(&text, summary); err != nil {
		t.Fatal(err)
	}
	want := `{"summary":{"cases":2,"exact":2,"refused":0,"unsupported":0,"broken":0,"unknown":0,"not_exercised":0,` +
		`"seed":"7","seconds":0.5,"cases_per_second":4,"traits":{"axes":1,"scalar":0.5}}}` + "\n"
	if got := text.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestExitStatus(t *testing.T) {
	for _, test := range []struct {
		outcomes []props.Outcome
		should   bool
		want     int
		strict   int
	}{
		{nil, false, 4, 4},
		{[]props.Outcome{props.Exact}, false, 0, 0},
		{[]props.Outcome{props.Exact}, true, 0, 1},
		{[]props.Outcome{props.Refused}, false, 0, 0},
		{[]props.Outcome{props.Unsupported}, false, 4, 4},
		{[]props.Outcome{props.NotExercised}, false, 4, 4},
		{[]props.Outcome{props.Exact, props.Unsupported, props.NotExercised}, false, 0, 0},
		{[]props.Outcome{props.Exact, props.Unknown}, false, 4, 4},
		{[]props.Outcome{props.Exact, props.Unknown, props.Broken}, false, 1, 1},
		{[]props.Outcome{props.Broken}, false, 1, 1},
	} {
		var tally report.Tally
		for _, outcome := range test.outcomes {
			v := props.Verdict{Outcome: outcome}
			if test.should {
				v.Should = []string{"folded"}
			}
			tally.Add(v)
		}
		if got := report.ExitStatus(tally, false); got != test.want {
			t.Errorf("%v, should %t: got %d, want %d", test.outcomes, test.should, got, test.want)
		}
		if got := report.ExitStatus(tally, true); got != test.strict {
			t.Errorf("%v, should %t, strict: got %d, want %d", test.outcomes, test.should, got, test.strict)
		}
	}
}
