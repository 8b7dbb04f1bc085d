package report

import (
	"io"
	"strconv"

	"github.com/shardproof/shardproof/props/audit"
)

// An AuditRecord is what is told about one case of an audit: of the campaign those with a finding alone.
type AuditRecord struct {
	Record
	Phase string   `json:"phase"`           // corpus, corruption, campaign or map
	Rules []string `json:"rules"`           // every rule that the case breaks
	Known string   `json:"known,omitempty"` // why a failure is expected
}

// An AuditSummary is what is told at the end of an audit. Known counts those of the broken cases that are expected.
type AuditSummary struct {
	Summary
	Known   int64        `json:"known"`
	Subject string       `json:"subject"`
	Seed    string       `json:"seed"` // unsigned decimal
	Seconds float64      `json:"seconds"`
	Stale   []string     `json:"stale"`
	Rules   []RuleRecord `json:"rules"`
}

// A RuleRecord is what is told about one rule.
type RuleRecord struct {
	Rule   string                 `json:"rule"`
	Level  string                 `json:"level"`
	Group  string                 `json:"group"`
	Status string                 `json:"status"`
	Counts map[audit.Status]int64 `json:"counts"`         // cases by status
	Why    map[string]int64       `json:"why"`            // cases not exercised, by the reason
	Case   string                 `json:"case,omitempty"` // the smallest that breaks the rule
	File   string                 `json:"file,omitempty"` // where it was saved
}

func writeAuditJSON(w io.Writer, r audit.Report) error {
	for i := range r.Cases {
		if err := writeLine(w, auditRecord(&r.Cases[i])); err != nil {
			return err
		}
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Phase == audit.Campaign {
			record := auditRecord(&f.Judged)
			record.File, record.Seed = f.Path, seedText(r)
			if err := writeLine(w, record); err != nil {
				return err
			}
		}
	}
	return WriteSummary(w, auditSummary(r))
}

func auditRecord(j *audit.Judged) AuditRecord {
	return AuditRecord{RecordOf(j.Case.Name, j.Verdict), string(j.Phase), list(j.Broken), j.Known}
}

func auditSummary(r audit.Report) AuditSummary {
	summary := AuditSummary{
		Summary: summaryOf(r.Tally), Known: r.Tally.Known, Subject: r.Subject, Seed: seedText(r),
		Seconds: r.Elapsed.Seconds(), Stale: list(r.Stale), Rules: []RuleRecord{},
	}
	for _, rule := range r.Rules {
		record := RuleRecord{
			Rule: rule.ID, Level: string(rule.Level), Group: string(rule.Group), Status: string(rule.Status),
			Counts: rule.Counts, Why: map[string]int64{},
		}
		for _, held := range rule.Why {
			record.Why[held.Reason] = held.Cases
		}
		if f := findingOf(r, rule); f != nil {
			record.Case, record.File = f.Case.Name, f.Path
		}
		summary.Rules = append(summary.Rules, record)
	}
	return summary
}

func seedText(r audit.Report) string { return strconv.FormatUint(r.Seed, 10) }
