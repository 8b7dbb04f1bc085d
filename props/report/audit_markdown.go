package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/shardproof/shardproof/props"
	"github.com/shardproof/shardproof/props/audit"
)

// writeAuditMarkdown writes what a reader of a CI run wants to see first: the conclusion, what is broken and where
// it was saved; the rules that are kept are folded away.
func writeAuditMarkdown(w io.Writer, r audit.Report) error {
	var text strings.Builder
	fmt.Fprintf(&text, "## shardproof audit of %s: %s\n\n%s\n", cell(r.Subject), auditConclusion(r), cell(auditTally(r)))
	for _, level := range []props.Level{props.Must, props.Should} {
		markdownBroken(&text, r, level)
	}
	for _, name := range r.Stale {
		fmt.Fprintf(&text, "\n- stale: %s is listed as a known failure, and nothing fails there", code(name))
	}
	for _, held := range r.HeldOff {
		fmt.Fprintf(&text, "\n- not exercised: %s, %s", counted(held.Cases, "case"), cell(held.Reason))
	}
	if len(r.Stale)+len(r.HeldOff) > 0 {
		fmt.Fprintln(&text)
	}
	for _, level := range []props.Level{props.Must, props.Should} {
		fmt.Fprintf(&text, "\n<details><summary>Every rule of %s level</summary>\n\n| rule | status | cases |\n| --- | --- | --- |\n", level)
		for _, rule := range rulesAt(r, level) {
			fmt.Fprintf(&text, "| %s | %s | %s |\n", code(rule.ID), rule.Status, cell(countsText(rule)))
		}
		fmt.Fprint(&text, "\n</details>\n")
	}
	_, err := io.WriteString(w, text.String())
	return err
}

func markdownBroken(text *strings.Builder, r audit.Report, level props.Level) {
	head := false
	for _, rule := range rulesAt(r, level) {
		if rule.Status != audit.Broken && rule.Status != audit.Excused {
			continue
		}
		if !head {
			head = true
			fmt.Fprintf(text, "\n### Broken, %s level\n\n| rule | status | smallest case | what is wrong |\n| --- | --- | --- | --- |\n", level)
		}
		name, detail := "", ""
		if f := findingOf(r, rule); f != nil {
			name, detail = f.Path, f.Verdict.Detail
			if name == "" {
				name = f.Case.Name
			}
			if f.Known != "" {
				detail += " (known: " + f.Known + ")"
			}
		}
		fmt.Fprintf(text, "| %s | %s | %s | %s |\n", code(rule.ID), rule.Status, code(name), cell(detail))
	}
}

// cell is a text as the content of a table's cell.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "\r", " ", "<", "&lt;", ">", "&gt;", "*", `\*`, "_", `\_`, "`", "\\`").Replace(text)
}

// code is a name as code within a table's cell.
func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + strings.NewReplacer("`", "'", "|", `\|`, "\n", " ", "\r", " ").Replace(text) + "`"
}
