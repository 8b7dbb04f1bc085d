package report

import (
	"encoding/json"
	"io"
	"net/url"

	"github.com/shardproof/shardproof/props"
	"github.com/shardproof/shardproof/props/audit"
)

// sarifSchema names the form of the file, as every SARIF 2.1.0 log does. Nothing is fetched from it.
const sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"

// The objects of SARIF 2.1.0 that code scanning reads.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID            string         `json:"id"`
		Text          sarifText      `json:"shortDescription"`
		Configuration sarifLevel     `json:"defaultConfiguration"`
		Properties    map[string]any `json:"properties"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifLogical struct {
		Name string `json:"name"`
		Kind string `json:"kind"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
)

// writeAuditSARIF writes every rule, and a result for each that is broken: its smallest case.
func writeAuditSARIF(w io.Writer, r audit.Report) error {
	run := sarifRun{Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "shardproof", InformationURI: "https://github.com/shardproof/shardproof", Rules: []sarifRule{}}
	for i, rule := range r.Rules {
		level := sarifLevelOf(r, rule.Level)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			ID: rule.ID, Text: sarifText{rule.Text}, Configuration: sarifLevel{level},
			Properties: map[string]any{"level": rule.Level, "group": rule.Group, "status": rule.Status, "cases": rule.Counts},
		})
		if f := findingOf(r, rule); f != nil {
			run.Results = append(run.Results, sarifResultOf(rule.ID, i, level, r.Subject, f))
		}
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", " ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(sarifLog{sarifSchema, "2.1.0", []sarifRun{run}})
}

func sarifLevelOf(r audit.Report, level props.Level) string {
	if level == props.Must || r.Strict {
		return "error"
	}
	return "warning"
}

func sarifResultOf(id string, index int, level, subject string, f *audit.Finding) sarifResult {
	detail := f.Verdict.Detail
	if detail == "" {
		detail = "broken by case " + f.Case.Name
	}
	result := sarifResult{
		RuleID: id, RuleIndex: index, Level: level, Message: sarifText{subject + ": " + detail},
		Locations:    []sarifLocation{{Logical: []sarifLogical{{f.Case.Name, "object"}}}},
		Fingerprints: map[string]string{"case/v1": f.Case.Name},
	}
	if f.Path != "" {
		uri := url.URL{Path: f.Path}
		result.Locations[0].Physical = &sarifPhysical{sarifArtifact{uri.String()}}
	}
	if f.Known != "" {
		result.Suppressions = []sarifSuppression{{"external", f.Known}}
	}
	return result
}
