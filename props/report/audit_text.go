package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/shardproof/shardproof/props"
	"github.com/shardproof/shardproof/props/audit"
)

// writeAuditText writes the rules, must and should apart, and each finding in full.
func writeAuditText(w io.Writer, r audit.Report) error {
	var text strings.Builder
	fmt.Fprintf(&text, "audit of %s: %s\n%s\n", r.Subject, auditConclusion(r), auditTally(r))
	for _, level := range []props.Level{props.Must, props.Should} {
		fmt.Fprintf(&text, "\nrules of %s level\n", level)
		textRules(&text, r, rulesAt(r, level))
	}
	for _, held := range r.HeldOff {
		fmt.Fprintf(&text, "\nnot exercised: %s, %s", counted(held.Cases, "case"), held.Reason)
	}
	for _, name := range r.Stale {
		fmt.Fprintf(&text, "\nstale: %s is listed as a known failure, and nothing fails there", name)
	}
	if len(r.HeldOff)+len(r.Stale) > 0 {
		fmt.Fprintln(&text)
	}
	for i := range r.Findings {
		textFinding(&text, r, &r.Findings[i])
	}
	_, err := io.WriteString(w, text.String())
	return err
}

func textRules(text *strings.Builder, r audit.Report, rules []audit.RuleReport) {
	group := audit.Group("")
	for _, rule := range rules {
		if rule.Group != group {
			group = rule.Group
			fmt.Fprintf(text, "  %s\n", group)
		}
		fmt.Fprintf(text, "    %-14s %-20s %s\n", rule.Status, rule.ID, countsText(rule))
		if rule.Status == audit.Broken || rule.Status == audit.Excused {
			fmt.Fprintf(text, "    %-14s %s\n", "", rule.Text)
			if f := findingOf(r, rule); f != nil {
				fmt.Fprintf(text, "    %-14s smallest case: %s\n", "", f.Case.Name)
			}
		}
		if rule.Status == audit.NotExercised && len(rule.Why) > 0 {
			fmt.Fprintf(text, "    %-14s %s\n", "", whyText(rule))
		}
	}
}

func textFinding(text *strings.Builder, r audit.Report, f *audit.Finding) {
	fmt.Fprintf(text, "\n%s: %s", strings.Join(f.Broken, ", "), f.Case.Name)
	if f.From != "" && f.From != f.Case.Name {
		fmt.Fprintf(text, ", reduced from %s", f.From)
	}
	fmt.Fprintln(text)
	if f.Known != "" {
		fmt.Fprintf(text, "known: %s\n", f.Known)
	}
	if f.Phase == audit.Parameters {
		DrawLayout(text, f.Case.Name, f.Case.Source)
		fmt.Fprintln(text, f.Verdict.Detail)
		return
	}
	Show(text, f.Case, f.Verdict)
	switch {
	case f.Problem != nil:
		fmt.Fprintf(text, "not saved: %v\n", f.Problem)
	case f.Path != "":
		fmt.Fprintf(text, "in %s; to see it again:\n  %s\n", f.Path, showCommand(r, f))
	}
}
