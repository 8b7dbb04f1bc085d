package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/shardproof/shardproof/oracle"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/props"
	"github.com/shardproof/shardproof/props/audit"
)

//go:embed audit.html
var auditPage string

var auditTemplate = template.Must(template.New("audit").Parse(auditPage))

// Limits of the page, so that it opens in a moment whatever was found.
const (
	maxPageFindings = 40
	maxPageCases    = 200
	maxPageText     = 600 // letters of one detail
)

// A pageData is what the template shows.
type pageData struct {
	Subject, Conclusion, Class, Tally string
	Seed, Checks                      uint64
	Maps                              bool
	Seconds                           string
	Findings                          []pageFinding
	MoreFindings                      int
	Levels                            []pageLevel
	Failing                           []pageCase
	MoreFailing                       int
	HeldOff                           []pageHeld
	Stale                             []string
	Traits                            []pageTrait
	Kills                             []audit.Kill
	Killed                            int
}

type (
	pageLevel struct {
		Level string
		Rules []pageRule
	}
	pageRule struct{ Head, ID, Text, Status, Class, Counts, Why, Finding string } // Head: a group begins
	pageCase struct{ Name, Verdict, Class, Detail, Known string }
	pageHeld struct{ Cases, Reason string }
	// A pageTrait is a bar: its width in percent of the longest.
	pageTrait struct {
		Name, Share string
		Width       float64
		Missed      bool
	}
	pageFinding struct {
		Anchor, Name, Rules, Class, Known, Detail, Due, Origin, From, File, Problem, Command, Log string
		Drawings                                                                                  []pageDrawing
		Copies                                                                                    []pageCopy
		MoreCopies                                                                                int
	}
	// A pageDrawing is a picture or, where there is none, a text.
	pageDrawing struct {
		Title string
		SVG   template.HTML
		Text  string
	}
	pageCopy struct {
		Letter, Shape, Source, Target string
		Colour                        template.CSS
	}
)

// writeAuditHTML writes one page that needs nothing else: no script, no font, no picture and no network.
func writeAuditHTML(w io.Writer, r audit.Report) error {
	return auditTemplate.Execute(w, pageOf(r))
}

func pageOf(r audit.Report) pageData {
	page := pageData{
		Subject: r.Subject, Conclusion: auditConclusion(r), Class: conclusionClass(r), Tally: auditTally(r),
		Seed: r.Seed, Checks: r.Checks, Maps: r.Maps, Seconds: fmt.Sprintf("%.1f", r.Elapsed.Seconds()),
		Stale: r.Stale, Kills: r.Kills,
	}
	for i := range r.Findings {
		if i == maxPageFindings {
			page.MoreFindings = len(r.Findings) - i
			break
		}
		page.Findings = append(page.Findings, pageFindingOf(r, i))
	}
	for _, level := range []props.Level{props.Must, props.Should} {
		page.Levels = append(page.Levels, pageLevel{string(level), pageRules(r, level)})
	}
	page.failing(r)
	for _, held := range r.HeldOff {
		page.HeldOff = append(page.HeldOff, pageHeld{counted(held.Cases, "case"), held.Reason})
	}
	page.traits(r)
	for _, kill := range r.Kills {
		if kill.Killed {
			page.Killed++
		}
	}
	return page
}

func conclusionClass(r audit.Report) string {
	switch AuditStatus(r) {
	case StatusPassed:
		return "good"
	case StatusBroken:
		return "bad"
	}
	return "open"
}

func statusClass(status audit.Status) string {
	switch status {
	case audit.Kept, audit.Refused:
		return "good"
	case audit.Broken:
		return "bad"
	}
	return "open"
}

func pageRules(r audit.Report, level props.Level) []pageRule {
	var rules []pageRule
	group := audit.Group("")
	for _, rule := range rulesAt(r, level) {
		row := pageRule{
			ID: rule.ID, Text: rule.Text, Status: string(rule.Status),
			Class: statusClass(rule.Status), Counts: countsText(rule), Why: whyText(rule),
		}
		if rule.Group != group {
			group = rule.Group
			row.Head = string(group)
		}
		if rule.Finding >= 0 && rule.Finding < maxPageFindings {
			row.Finding = anchorOf(rule.Finding)
		}
		rules = append(rules, row)
	}
	return rules
}

func anchorOf(finding int) string { return fmt.Sprintf("finding-%d", finding+1) }

// failing lists the cases that are not as due: what is broken first, then what was refused as unsupported.
func (page *pageData) failing(r audit.Report) {
	for _, broken := range []bool{true, false} {
		for i := range r.Cases {
			j := &r.Cases[i]
			if isFailing(&j.Verdict) && (j.Verdict.Outcome == props.Broken) == broken {
				page.addFailing(j)
			}
		}
	}
}

func isFailing(v *props.Verdict) bool {
	right := v.Outcome == props.Exact || v.Outcome == props.Refused
	return v.Outcome != props.NotExercised && (!right || len(v.Should) > 0)
}

func (page *pageData) addFailing(j *audit.Judged) {
	if len(page.Failing) == maxPageCases {
		page.MoreFailing++
		return
	}
	class := "open"
	if j.Verdict.Outcome == props.Broken && j.Known == "" {
		class = "bad"
	}
	page.Failing = append(page.Failing, pageCase{
		j.Case.Name, outcomeWord(j.Verdict.Outcome), class, shorten(j.Verdict.Detail, maxPageText), j.Known,
	})
}

func (page *pageData) traits(r audit.Report) {
	longest := 1e-9
	for _, trait := range r.Traits {
		longest = max(longest, trait.Share)
	}
	for _, trait := range r.Traits {
		page.Traits = append(page.Traits, pageTrait{
			trait.Name, fmt.Sprintf("%.2g%%", 100*trait.Share), 100 * trait.Share / longest, trait.Missed,
		})
	}
}

func pageFindingOf(r audit.Report, i int) pageFinding {
	f := &r.Findings[i]
	page := pageFinding{
		Anchor: anchorOf(i), Name: f.Case.Name, Rules: strings.Join(f.Broken, ", "), Class: "bad", Known: f.Known,
		Detail: shorten(f.Verdict.Detail, maxPageText), Origin: shorten(f.Case.Origin, maxPageText), File: f.Path,
	}
	if f.Known != "" {
		page.Class = "open"
	}
	if f.From != f.Case.Name {
		page.From = f.From
	}
	if f.Problem != nil {
		page.Problem = f.Problem.Error()
	}
	switch {
	case f.Phase == audit.Parameters:
		page.Drawings = []pageDrawing{drawMap("Layout", f.Case.Source)}
	case f.Case.Raw != nil:
		page.Drawings = []pageDrawing{{Title: "Values that are no maps", Text: fmt.Sprintf("source %s\ntarget %s",
			shorten(string(f.Case.Raw.Source), maxPageText), shorten(string(f.Case.Raw.Target), maxPageText))}}
	default:
		page.request(f)
	}
	if f.Phase != audit.Parameters {
		page.Due = dueText(f.Case.Expect)
		page.Command = showCommand(r, f)
	}
	if f.Verdict.Fault != nil {
		page.Log = shorten(f.Verdict.Fault.Log, maxPageText)
	}
	return page
}

// showCommand is the command line that shows a finding again.
func showCommand(r audit.Report, f *audit.Finding) string {
	words := []string{"shardproof show", commandPath(f)}
	if r.Replay != "" {
		words = append(words, strings.TrimSpace(r.Replay))
	}
	if slices.ContainsFunc(props.Relations(), func(relation props.Relation) bool { return relation.ID == f.Cause }) {
		words = append(words, "--relations")
	}
	return strings.Join(words, " ")
}

// commandPath is what another command finds the case by.
func commandPath(f *audit.Finding) string {
	if f.Path != "" && f.Case.Name != f.From {
		return f.Path
	}
	return f.Case.Name
}

// request draws both layouts and, where there is a plan, its copies.
func (page *pageFinding) request(f *audit.Finding) {
	page.Drawings = []pageDrawing{drawMap("Source layout", f.Case.Source), drawMap("Target layout", f.Case.Target)}
	v := &f.Verdict
	if !v.Answered {
		return
	}
	if svg := copiesSVG(f.Case.Request, v.Answer, firstWrong(v.Evidence)); svg != "" {
		page.Drawings = append(page.Drawings, pageDrawing{Title: "Copies: source shards to target shards", SVG: svg})
	}
	for i, s := range v.Answer.Plan.Segments {
		if i == maxDrawnSegments {
			page.MoreCopies = len(v.Answer.Plan.Segments) - i
			break
		}
		page.Copies = append(page.Copies, pageCopy{
			letters(i), shapeText(s.Shape), fmt.Sprintf("%d at %s", s.Source.Rank, viewText(s.Source.View)),
			fmt.Sprintf("%d at %s", s.Target.Rank, viewText(s.Target.View)), template.CSS(colour(i)),
		})
	}
}

// firstWrong is the element of the first clause that is broken and names one.
func firstWrong(evidence oracle.Evidence) *oracle.Element {
	for _, finding := range evidence {
		if finding.Status == oracle.Broken && finding.Element != nil {
			return finding.Element
		}
	}
	return nil
}

// drawMap draws a map or, where that cannot be done, lists its pieces.
func drawMap(title string, m plan.Map) pageDrawing {
	d := pageDrawing{Title: fmt.Sprintf("%s: %s over %s", title, shapeText(m.LogicalShape), ranksText(ranksOf(m)))}
	if d.SVG = layoutSVG(title, m); d.SVG != "" {
		return d
	}
	var text strings.Builder
	listPieces(&text, m)
	d.Text = strings.TrimRight(text.String(), "\n")
	return d
}
