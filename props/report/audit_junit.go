package report

import (
	"encoding/xml"
	"fmt"
	"io"

	"github.com/shardproof/shardproof/props"
	"github.com/shardproof/shardproof/props/audit"
)

// The elements of JUnit XML that test reports of CI services read.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Skipped  int          `xml:"skipped,attr"`
		Time     string       `xml:"time,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitMessage `xml:"failure"`
		Skipped *junitMessage `xml:"skipped"`
		Output  string        `xml:"system-out,omitempty"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// writeAuditJUnit writes a suite of the rules, a suite of the cases, and one of the known failures that are stale.
// A rule or case that says nothing about the planner is skipped, and so is a known failure.
func writeAuditJUnit(w io.Writer, r audit.Report) error {
	suites := junitSuites{Name: "shardproof audit of " + r.Subject, Time: fmt.Sprintf("%.3f", r.Elapsed.Seconds())}
	suites.add("rules", junitRules(r))
	suites.add("cases", junitCases(r))
	suites.add("known failures", junitStale(r))
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(suites); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *junitSuites) add(name string, cases []junitCase) {
	suite := junitSuite{Name: name, Tests: len(cases), Cases: cases}
	for _, c := range cases {
		if c.Failure != nil {
			suite.Failures++
		}
		if c.Skipped != nil {
			suite.Skipped++
		}
	}
	s.Tests += suite.Tests
	s.Failures += suite.Failures
	s.Skipped += suite.Skipped
	s.Suites = append(s.Suites, suite)
}

func junitRules(r audit.Report) []junitCase {
	var cases []junitCase
	for _, rule := range r.Rules {
		c := junitCase{Class: "shardproof." + string(rule.Level) + "." + string(rule.Group), Name: rule.ID, Output: countsText(rule)}
		switch {
		case rule.Status == audit.Broken && (rule.Level == props.Must || r.Strict):
			c.Failure = &junitMessage{Message: rule.Text, Text: findingText(findingOf(r, rule))}
		case rule.Status == audit.Broken:
			c.Output += "\nshould, and is not: " + findingText(findingOf(r, rule))
		case rule.Status == audit.Excused:
			c.Skipped = &junitMessage{Message: "known: " + findingKnown(findingOf(r, rule))}
		case rule.Status != audit.Kept && rule.Status != audit.Refused:
			c.Skipped = &junitMessage{Message: string(rule.Status) + ": " + countsText(rule)}
		}
		cases = append(cases, c)
	}
	return cases
}

func junitCases(r audit.Report) []junitCase {
	var cases []junitCase
	for i := range r.Cases {
		cases = append(cases, junitCaseOf(r, &r.Cases[i]))
	}
	for i := range r.Findings {
		if r.Findings[i].Phase == audit.Campaign {
			cases = append(cases, junitCaseOf(r, &r.Findings[i].Judged))
		}
	}
	return cases
}

func junitCaseOf(r audit.Report, j *audit.Judged) junitCase {
	c := junitCase{Class: "shardproof." + string(j.Phase), Name: j.Case.Name}
	switch {
	case j.Known != "":
		c.Skipped = &junitMessage{Message: "known: " + j.Known, Text: j.Verdict.Detail}
	case j.Verdict.Cause(r.Strict) != "":
		c.Failure = &junitMessage{Message: j.Verdict.Detail, Text: Line(j.Case.Name, j.Verdict)}
	case j.Verdict.Outcome != props.Exact && j.Verdict.Outcome != props.Refused:
		c.Skipped = &junitMessage{Message: outcomeWord(j.Verdict.Outcome) + ": " + j.Verdict.Detail}
	}
	return c
}

func junitStale(r audit.Report) []junitCase {
	var cases []junitCase
	for _, name := range r.Stale {
		failure := &junitMessage{Message: "listed as a known failure, and nothing fails there"}
		cases = append(cases, junitCase{Class: "shardproof.known", Name: name, Failure: failure})
	}
	return cases
}

func findingText(f *audit.Finding) string {
	if f == nil {
		return ""
	}
	text := Line(f.Case.Name, f.Verdict)
	if f.Path != "" {
		text += "\nsaved as " + f.Path
	}
	return text
}

func findingKnown(f *audit.Finding) string {
	if f == nil {
		return ""
	}
	return f.Known
}
