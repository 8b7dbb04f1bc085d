package audit

import (
	"fmt"
	"strings"
	"time"

	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/props"
)

// Maps audits the maps of a document, each by the rules of maps. A parameter is a case whose source is its map.
// Its outcome is exact where it keeps every must rule, and unsupported where the judge cannot tell more of it.
func Maps(document plan.Document, name string, known *Known) Report {
	a := &auditing{Options: Options{Known: known}, started: time.Now()}
	if known == nil {
		a.Options.Known = &Known{}
	}
	a.Report = Report{Subject: name, Maps: true, Rules: ruleReports(mapRules())}
	for _, param := range document.Params {
		j := Judged{Phase: Parameters, Case: plan.Case{Name: param.Name}}
		j.Case.Source = param.Map
		j.Verdict = judgeMap(param.Map)
		a.take(&j)
		a.Report.Cases = append(a.Report.Cases, j)
		if len(j.Broken) > 0 {
			a.Findings = append(a.Findings, Finding{Judged: j, Cause: j.Broken[0], From: param.Name})
		}
	}
	a.link()
	a.Stale = a.Options.Known.stale()
	a.Elapsed = time.Since(a.started)
	return a.Report
}

// mapRules are the rules that one map can break.
func mapRules() []Rule {
	var rules []Rule
	for _, row := range mapRuleTexts {
		if row.id == plan.RuleShape {
			continue // about two maps
		}
		level := props.Must
		if row.id == plan.RuleCanonical {
			level = props.Should
		}
		rules = append(rules, Rule{
			ID: string(row.id), Level: level, Group: MapRules, Text: row.text, concerns: always, reads: byMap(string(row.id)),
		})
	}
	return rules
}

// byMap reads a rule of one map. Where some must rule is broken, the later ones were not judged.
func byMap(id string) func(*Judged) Status {
	return func(j *Judged) Status {
		switch v := &j.Verdict; {
		case v.Names(id):
			return Broken
		case v.Outcome == props.Broken:
			return ""
		case v.Outcome == props.Unsupported:
			return Unknown
		}
		return Kept
	}
}

func judgeMap(m plan.Map) props.Verdict {
	v := props.Verdict{Outcome: props.Exact}
	var details []string
	for _, violation := range m.Validate() {
		details = append(details, strings.TrimPrefix(string(violation.Rule)+": ", ": ")+violation.Error())
		if violation.Kind == plan.Unsupported {
			v.Outcome = props.Unsupported
			continue
		}
		v.Outcome = props.Broken
		if id := string(violation.Rule); !v.Names(id) {
			v.Broken = append(v.Broken, id)
		}
	}
	if len(details) == 0 {
		for _, violation := range m.Canonical() {
			v.Should = []string{string(plan.RuleCanonical)}
			details = append(details, string(violation.Rule)+": "+violation.Error())
		}
	}
	v.Detail = joined(details)
	return v
}

// toldViolations is how many ways in which a map is broken are told: a map of thousands of pieces may have one each.
const toldViolations = 8

func joined(details []string) string {
	if more := len(details) - toldViolations; more > 0 {
		details = append(details[:toldViolations:toldViolations], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(details, "; ")
}
