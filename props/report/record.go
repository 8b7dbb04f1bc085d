package report

import (
	"encoding/json"
	"io"

	"github.com/shardproof/shardproof/props"
)

// A Record is what is told about one case: a line of every command's --json.
type Record struct {
	Case          string   `json:"case"`
	Verdict       string   `json:"verdict"`
	Broken        []string `json:"broken"`
	Should        []string `json:"should"`
	Segments      *int     `json:"segments"`       // null: no plan
	MovedElements *int64   `json:"moved_elements"` // likewise
	Detail        string   `json:"detail"`
	File          string   `json:"file,omitempty"` // where the reduced case of a campaign's finding was saved
	Seed          string   `json:"seed,omitempty"` // of the campaign
}

// RecordOf is the record of a verdict on a case.
func RecordOf(name string, v props.Verdict) Record {
	record := Record{
		Case:    name,
		Verdict: string(v.Outcome),
		Broken:  list(v.Broken),
		Should:  list(v.Should),
		Detail:  v.Detail,
	}
	if v.Answered {
		record.Segments, record.MovedElements = &v.Segments, &v.MovedElements
	}
	return record
}

// list is a list that is written as [] where it is empty.
func list(ids []string) []string {
	if ids == nil {
		return []string{}
	}
	return ids
}

// WriteRecord writes a record as one line of JSON.
func WriteRecord(w io.Writer, record Record) error { return writeLine(w, record) }

// A Summary is what is told at the end of a run. Its counts add up to its cases.
type Summary struct {
	Cases        int64 `json:"cases"`
	Exact        int64 `json:"exact"`
	Refused      int64 `json:"refused"`
	Unsupported  int64 `json:"unsupported"`
	Broken       int64 `json:"broken"`
	Unknown      int64 `json:"unknown"`
	NotExercised int64 `json:"not_exercised"`
}

// A CampaignSummary is what is told at the end of a campaign.
type CampaignSummary struct {
	Summary
	Seed           string             `json:"seed"` // unsigned decimal
	Seconds        float64            `json:"seconds"`
	CasesPerSecond float64            `json:"cases_per_second"`
	Traits         map[string]float64 `json:"traits"` // the share of cases that have each
}

// WriteSummary writes a summary, of any command, as the last line of its JSON.
func WriteSummary(w io.Writer, summary any) error {
	return writeLine(w, map[string]any{"summary": summary})
}

// writeLine writes a value as one line of JSON. Names of cases are text, so <, > and & stay as they are.
func writeLine(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}
