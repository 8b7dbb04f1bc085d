package gpucheck

import (
	"fmt"
	"time"

	"github.com/shardproof/shardproof/oracle"
)

// A Result is what a replay found out.
type Result struct {
	Subjects int       `json:"subjects"` // plans that were replayed
	Exact    int       `json:"exact"`    // of them, exact on every run
	Sampled  int       `json:"sampled"`  // of them, too large, and right in every window
	Skipped  []Skip    `json:"skipped,omitempty"`
	Findings []Finding `json:"findings,omitempty"` // one a subject at most

	Runs     int           `json:"runs"`      // launches that were judged: of a batch, one width, digit and way
	Segments int64         `json:"segments"`  // that they carried out
	Elements int64         `json:"elements"`  // of shards that they compared, guards apart
	Carried  int64         `json:"carried"`   // plans carried out, one a run
	Device   time.Duration `json:"device_ns"` // in the launches that did so
}

// A Skip is a subject that was not replayed, and why.
type Skip struct {
	Case string `json:"case"`
	Why  string `json:"why"`
}

// A Finding is what a plan did wrong on a device: the first run that showed it, and there the first wrong element.
type Finding struct {
	Case   string          `json:"case"`
	Clause oracle.ClauseID `json:"clause"` // that the element breaks: bounds, cover, once or values; Source; Fault
	Detail string          `json:"detail"` // one line

	// What was launched; zero where the plan was not.
	Way     string `json:"way,omitempty"`
	Width   int    `json:"width,omitempty"` // bytes an element
	Digit   int    `json:"digit,omitempty"` // of the labels
	Rank    int    `json:"rank"`            // of the target; of the source for Source
	Address int64  `json:"address"`         // in the shard; outside it in a guard
}

// Source and Fault are a Finding's clauses beside those of package oracle: a source shard has changed, and a device
// failed or hung for good while it replayed the case.
const (
	Source oracle.ClauseID = "source"
	Fault  oracle.ClauseID = "fault"
)

// String is one line.
func (f Finding) String() string {
	text := fmt.Sprintf("%s: %s: ", f.Case, f.Clause)
	if f.Width > 0 {
		text += fmt.Sprintf("%s, %d bytes, digit %d: ", f.Way, f.Width, f.Digit)
	}
	return text + f.Detail
}

// Add adds another replay's result.
func (r *Result) Add(other Result) {
	r.Subjects += other.Subjects
	r.Exact += other.Exact
	r.Sampled += other.Sampled
	r.Skipped = append(r.Skipped, other.Skipped...)
	r.Findings = append(r.Findings, other.Findings...)
	r.Runs += other.Runs
	r.Segments += other.Segments
	r.Elements += other.Elements
	r.Carried += other.Carried
	r.Device += other.Device
}
