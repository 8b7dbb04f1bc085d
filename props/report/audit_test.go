package report_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/shardproof/shardproof/corpus"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/mutant"
	"github.com/shardproof/shardproof/plan/reference"
	"github.com/shardproof/shardproof/plan/schema"
	"github.com/shardproof/shardproof/props"
	"github.com/shardproof/shardproof/props/audit"
	"github.com/shardproof/shardproof/props/report"
)

// seedCases are the four cases of the corpus with the published numbers.
func seedCases() []corpus.File {
	return slices.DeleteFunc(corpus.All(), func(file corpus.File) bool { return !strings.Contains(file.Path, "seed/") })
}

// broken is an audit of a planner that addresses source shards like the whole tensor. One failure is known, by a
// reason that every format has to escape, and one entry is stale.
func broken(t *testing.T) audit.Report {
	t.Helper()
	row, ok := mutant.Lookup("address-logical-offset")
	if !ok {
		t.Fatal("the mutant is gone")
	}
	known, err := audit.ParseKnown("bigcode-2-to-4-lowest a <b>\"known\"</b> & | failure\ngone for ever\n")
	if err != nil {
		t.Fatal(err)
	}
	found := audit.Audit(t.Context(), audit.Options{
		Planner: row.New(), Name: "broken <planner>", Cases: seedCases(), Draws: 1, Seed: 1, Checks: 100,
		Known: known, Out: t.TempDir(), Workers: 2,
	})
	found.Kills = []audit.Kill{{Mutant: "some-mutant", Killed: true, Broken: []string{"values"}, Cases: 7}}
	return found
}

func written(t *testing.T, name string, found audit.Report) string {
	t.Helper()
	format, ok := report.AuditFormatOf(name)
	if !ok {
		t.Fatalf("no format %s", name)
	}
	var text strings.Builder
	if err := format.Write(&text, found); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func TestEveryAuditFormatTellsWhatMatters(t *testing.T) {
	found := broken(t)
	if report.AuditStatus(found) != report.StatusBroken {
		t.Errorf("status %d", report.AuditStatus(found))
	}
	var names []string
	for _, format := range report.AuditFormats() {
		names = append(names, format.Name)
		text := written(t, format.Name, found)
		for _, want := range []string{"plan.read", "values", "broken", found.Findings[0].Case.Name} {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not tell %q:\n%.2000s", format.Name, want, text)
			}
		}
		// SARIF has results alone, and a stale entry is none.
		if format.Name != "sarif" && !strings.Contains(text, "gone") {
			t.Errorf("%s does not tell of the stale entry", format.Name)
		}
	}
	if !slices.IsSorted(names) || len(names) != 6 {
		t.Errorf("the formats are %v", names)
	}
}

// Each line is of the published schema, which requires what the formats' description names.
func TestAuditRecordsAreOneACase(t *testing.T) {
	found := broken(t)
	lines := strings.Split(strings.TrimSpace(written(t, "json", found)), "\n")
	records := recordSchema(t)
	for _, line := range lines {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		if err == nil {
			err = records.Validate(value)
		}
		if err != nil {
			t.Errorf("%v: %s", err, line)
		}
	}
	campaign := 0
	for _, finding := range found.Findings {
		if finding.Phase == audit.Campaign {
			campaign++
		}
	}
	if len(lines) != len(found.Cases)+campaign+1 {
		t.Errorf("%d lines for %d cases and %d findings", len(lines), len(found.Cases), campaign)
	}
	verdicts := map[string]int64{}
	for _, line := range lines[:len(found.Cases)] {
		var record struct{ Case, Verdict, Phase, Known string }
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		verdicts[record.Verdict]++
		if (record.Case == "bigcode-2-to-4-lowest") != strings.Contains(record.Known, "failure") {
			t.Errorf("%s is known because of %q", record.Case, record.Known)
		}
	}
	var last struct {
		Summary struct {
			Cases, Broken, Known int64
			Rules                []struct{ Rule, Status, Case string }
		}
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		t.Fatal(err)
	}
	if s := last.Summary; s.Cases != found.Tally.Cases || s.Broken < verdicts["broken"] || s.Known != 1 || len(s.Rules) != len(found.Rules) {
		t.Errorf("summary %+v", s)
	}
}

func recordSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, _ := schema.Of("record")
	parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("mem:record", parsed); err != nil {
		t.Fatal(err)
	}
	return compiler.MustCompile("mem:record")
}

// A failure of a rule or a case is a failure of the report, and a known one is skipped.
func TestAuditJUnitParses(t *testing.T) {
	var suites struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Suites   []struct {
			Tests int `xml:"tests,attr"`
			Cases []struct {
				Name    string    `xml:"name,attr"`
				Failure *struct{} `xml:"failure"`
				Skipped *struct {
					Message string `xml:"message,attr"`
				} `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	text := written(t, "junit", broken(t))
	if err := xml.Unmarshal([]byte(text), &suites); err != nil {
		t.Fatal(err)
	}
	tests, failures := 0, map[string]bool{}
	for _, suite := range suites.Suites {
		tests += suite.Tests
		for _, c := range suite.Cases {
			if c.Failure != nil {
				failures[c.Name] = true
			}
			if c.Name == "bigcode-2-to-4-lowest" && (c.Skipped == nil || c.Skipped.Message != `known: a <b>"known"</b> & | failure`) {
				t.Errorf("the known failure is not skipped: %+v", c)
			}
		}
	}
	if tests != suites.Tests || len(failures) != suites.Failures {
		t.Errorf("%d tests in all of %d, %d failures of %d", tests, suites.Tests, len(failures), suites.Failures)
	}
	for name, want := range map[string]bool{"plan.read": true, "valid": false, "gone": true, "bigcode-2-to-4-highest": true, "ordered": false} {
		if failures[name] != want {
			t.Errorf("%s fails: %t, want %t", name, failures[name], want)
		}
	}
}

// What the SARIF 2.1.0 schema requires of a log, a run, a rule and a result, and that each result points to its rule.
func TestAuditSARIFHasWhatItsSchemaRequires(t *testing.T) {
	var log struct {
		Schema  string `json:"$schema"`
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name  string
					Rules []struct{ ID string }
				}
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation *struct{ ArtifactLocation struct{ URI string } }
				}
				Suppressions []struct{ Kind string }
			}
		}
	}
	if err := json.Unmarshal([]byte(written(t, "sarif", broken(t))), &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || !strings.Contains(log.Schema, "sarif-2.1.0") || len(log.Runs) != 1 {
		t.Fatalf("version %q, schema %q, %d runs", log.Version, log.Schema, len(log.Runs))
	}
	run := log.Runs[0]
	if run.Tool.Driver.Name == "" || len(run.Results) == 0 {
		t.Errorf("tool %q, %d results", run.Tool.Driver.Name, len(run.Results))
	}
	for _, result := range run.Results {
		if result.Message.Text == "" || run.Tool.Driver.Rules[result.RuleIndex].ID != result.RuleID ||
			!slices.Contains([]string{"error", "warning"}, result.Level) || len(result.Locations) != 1 {
			t.Errorf("result %+v", result)
		}
	}
}

// The page stands alone: it names no address but the language's own, and each tag that it opens it closes.
func TestAuditPageNeedsNothingElse(t *testing.T) {
	page := written(t, "html", broken(t))
	outside := regexp.MustCompile(`(?i)https?://|//[a-z]|<script|<link|<img|<iframe|@import|url\(|ZgotmplZ`)
	if found := outside.FindString(page); found != "" {
		t.Errorf("the page has %q", found)
	}
	for _, want := range []string{"<svg", `class="wrong"`, "some-mutant", "broken &lt;planner&gt;", "Traits", "known: a &lt;b&gt;"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	decoder := xml.NewDecoder(strings.NewReader(page))
	decoder.Strict, decoder.AutoClose, decoder.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func TestAuditStatus(t *testing.T) {
	rules := func(status audit.Status, level props.Level) []audit.RuleReport {
		return []audit.RuleReport{{Rule: audit.Rule{Level: level}, Status: status, Finding: -1}}
	}
	good := audit.Tally{Cases: 2, Exact: 1, Refused: 1}
	for _, test := range []struct {
		name   string
		report audit.Report
		want   int
	}{
		{"all right", audit.Report{Tally: good, Rules: rules(audit.Kept, props.Must)}, report.StatusPassed},
		{"broken", audit.Report{Tally: audit.Tally{Cases: 2, Exact: 1, Broken: 1}}, report.StatusBroken},
		{"known", audit.Report{Tally: audit.Tally{Cases: 2, Exact: 1, Broken: 1, Known: 1}}, report.StatusPassed},
		{"stale", audit.Report{Tally: good, Stale: []string{"x"}}, report.StatusBroken},
		{"should", audit.Report{Tally: good, Rules: rules(audit.Broken, props.Should)}, report.StatusPassed},
		{"should, strict", audit.Report{Tally: good, Strict: true, Rules: rules(audit.Broken, props.Should)}, report.StatusBroken},
		{"all unsupported", audit.Report{Tally: audit.Tally{Cases: 2, Unsupported: 2}}, report.StatusInconclusive},
		{"one unknown", audit.Report{Tally: audit.Tally{Cases: 2, Exact: 1, Unknown: 1}}, report.StatusInconclusive},
		{"interrupted", audit.Report{Tally: good, Interrupted: true}, report.StatusInterrupted},
		{"cannot run", audit.Report{CannotRun: fmt.Errorf("gone")}, report.StatusCannotRun},
	} {
		if got := report.AuditStatus(test.report); got != test.want {
			t.Errorf("%s: status %d, want %d", test.name, got, test.want)
		}
	}
}

// Maps are audited alone: here one in which a rank claims what it does not hold, and one cut more than it needs.
func TestAuditOfMaps(t *testing.T) {
	document, err := plan.DecodeDocument([]byte(`{"version": 1, "params": {
		"right": {"logical_shape": [4], "ranks": {"0": {"shard_shape": [4], "pieces": [
			{"shape": [4], "source": [0, [1]], "dest": [0, [1]], "locations": [0]}]}}},
		"cut": {"logical_shape": [4], "ranks": {"0": {"shard_shape": [4], "pieces": [
			{"shape": [1], "source": [0, [1]], "dest": [0, [1]], "locations": [0]},
			{"shape": [3], "source": [1, [1]], "dest": [1, [1]], "locations": [0]}]}}},
		"claims": {"logical_shape": [4], "ranks": {"0": {"shard_shape": [4], "pieces": [
			{"shape": [4], "source": [0, [1]], "dest": [0, [1]], "locations": [0, 1]}]}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	found := audit.Maps(document, "maps.json", nil)
	status := map[string]audit.Status{}
	for _, rule := range found.Rules {
		status[rule.ID] = rule.Status
	}
	if status["map.holder"] != audit.Broken || status["map.canonical"] != audit.Broken || status["map.bounds"] != audit.Kept {
		t.Errorf("rules: %v", status)
	}
	if found.Tally.Broken != 1 || found.Tally.Should != 1 || found.Tally.Exact != 2 || report.AuditStatus(found) != report.StatusBroken {
		t.Errorf("tally %+v, status %d", found.Tally, report.AuditStatus(found))
	}
	for _, name := range []string{"html", "text"} {
		if text := written(t, name, found); !strings.Contains(text, "claims") || !strings.Contains(text, "could be one piece") {
			t.Errorf("%s of maps:\n%s", name, text)
		}
	}
}

func TestAnAuditOfARightPlannerPasses(t *testing.T) {
	found := audit.Audit(t.Context(), audit.Options{
		Planner: reference.Planner{Folding: reference.Addresses}, Name: "right", Cases: seedCases(), Draws: 1, Seed: 1, Checks: 50, Workers: 2,
	})
	if report.AuditStatus(found) != report.StatusPassed {
		t.Errorf("status %d, tally %+v", report.AuditStatus(found), found.Tally)
	}
}
