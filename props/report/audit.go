package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/shardproof/shardproof/props"
	"github.com/shardproof/shardproof/props/audit"
)

// An AuditFormat is a form in which an audit is written.
type AuditFormat struct {
	Name  string
	Doc   string // what it is for, in a few words
	Write func(io.Writer, audit.Report) error
}

// AuditFormats lists the formats of an audit, sorted by name.
func AuditFormats() []AuditFormat { return slices.Clone(auditFormats) }

// AuditFormatOf finds a format by its name.
func AuditFormatOf(name string) (AuditFormat, bool) {
	for _, format := range auditFormats {
		if format.Name == name {
			return format, true
		}
	}
	return AuditFormat{}, false
}

var auditFormats = []AuditFormat{
	{"html", "one page that needs no network, with layouts and copies drawn", writeAuditHTML},
	{"json", "one record a line, for programs", writeAuditJSON},
	{"junit", "JUnit XML, for test reports of CI services", writeAuditJUnit},
	{"markdown", "for the summary of a CI step", writeAuditMarkdown},
	{"sarif", "SARIF 2.1.0, for code scanning", writeAuditSARIF},
	{"text", "for people", writeAuditText},
}

// AuditStatus is the exit status of an audit. Known failures do not count as broken, but a stale one does.
func AuditStatus(r audit.Report) int {
	switch {
	case r.Interrupted:
		return StatusInterrupted
	case r.CannotRun != nil:
		return StatusCannotRun
	case auditBroken(r):
		return StatusBroken
	case r.Tally.Unknown > 0 || r.Tally.Exact+r.Tally.Refused == 0 && r.Tally.Known == 0:
		return StatusInconclusive
	}
	return StatusPassed
}

func auditBroken(r audit.Report) bool {
	failing := slices.ContainsFunc(r.Rules, func(rule audit.RuleReport) bool {
		return rule.Status == audit.Broken && (rule.Level == props.Must || r.Strict)
	})
	return failing || r.Tally.Broken > r.Tally.Known || r.Strict && r.Tally.Should > 0 || len(r.Stale) > 0
}

// auditConclusion says in a few words how an audit ended.
func auditConclusion(r audit.Report) string {
	switch AuditStatus(r) {
	case StatusInterrupted:
		return "interrupted"
	case StatusCannotRun:
		return "the planner could not be run"
	case StatusBroken:
		if r.Tally.Broken == r.Tally.Known && len(r.Stale) > 0 {
			return "known failures are stale"
		}
		return "broken"
	case StatusInconclusive:
		return "nothing can be concluded"
	}
	return "passed"
}

// rulesAt are the rules of one level, must or should.
func rulesAt(r audit.Report, level props.Level) []audit.RuleReport {
	var rules []audit.RuleReport
	for _, rule := range r.Rules {
		if rule.Level == level {
			rules = append(rules, rule)
		}
	}
	return rules
}

// countsText lists how many cases of each status there are.
func countsText(rule audit.RuleReport) string {
	var parts []string
	for _, status := range []audit.Status{
		audit.Kept, audit.Refused, audit.Broken, audit.Excused, audit.Unsupported, audit.Unknown, audit.NotExercised,
	} {
		if n := rule.Counts[status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, statusWord(status)))
		}
	}
	if len(parts) == 0 {
		return "no case"
	}
	return strings.Join(parts, ", ")
}

// statusWord names the status of one case, where that reads better than that of a rule.
func statusWord(status audit.Status) string {
	if status == audit.Excused {
		return "known to fail"
	}
	return string(status)
}

// whyText says why cases were not exercised.
func whyText(rule audit.RuleReport) string {
	var parts []string
	for _, held := range rule.Why {
		parts = append(parts, fmt.Sprintf("%s: %s", counted(held.Cases, "case"), held.Reason))
	}
	return strings.Join(parts, "; ")
}

// auditTally is the tally of an audit in one line.
func auditTally(r audit.Report) string {
	t := r.Tally
	if r.Maps {
		return mapsTally(t)
	}
	text := SummaryLine(Tally{Summary: summaryOf(t)})
	if t.Known > 0 {
		text += fmt.Sprintf("; %d of those broken are known", t.Known)
	}
	return text
}

func mapsTally(t audit.Tally) string {
	text := fmt.Sprintf("%s: %d right, %d broken", counted(t.Cases, "map"), t.Exact, t.Broken)
	if t.Known > 0 {
		text += fmt.Sprintf(" (%d known)", t.Known)
	}
	if t.Unsupported > 0 {
		text += fmt.Sprintf(", %d that cannot be judged", t.Unsupported)
	}
	if t.Should > 0 {
		text += fmt.Sprintf(", %d not canonical", t.Should)
	}
	return text
}

func summaryOf(t audit.Tally) Summary {
	return Summary{
		Cases: t.Cases, Exact: t.Exact, Refused: t.Refused, Unsupported: t.Unsupported,
		Broken: t.Broken, Unknown: t.Unknown, NotExercised: t.NotExercised,
	}
}

// findingOf is the finding of a broken rule; nil: none.
func findingOf(r audit.Report, rule audit.RuleReport) *audit.Finding {
	if rule.Finding < 0 {
		return nil
	}
	return &r.Findings[rule.Finding]
}
