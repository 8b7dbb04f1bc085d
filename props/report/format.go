// Package report writes verdicts: as text for a person, as one JSON record a line for a program, and as
// pictures of layouts and copies.
package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/shardproof/shardproof/props"
)

// A Format is a form in which the verdicts of a run are written.
type Format struct {
	Name string
	Doc  string // what it is for, in a few words
	New  func(io.Writer) Writer
}

// A Writer writes one run: each case as it is judged, and then the summary, once.
type Writer struct {
	Case    func(name string, v props.Verdict) error
	Summary func(Tally) error
}

// Formats lists the formats, sorted by name.
func Formats() []Format { return append([]Format(nil), formats...) }

// FormatOf finds a format by its name.
func FormatOf(name string) (Format, bool) {
	for _, format := range formats {
		if format.Name == name {
			return format, true
		}
	}
	return Format{}, false
}

var formats = []Format{
	{"json", "one record a line, for programs", newJSON},
	{"text", "one line a case, for people", newText},
}

func newJSON(w io.Writer) Writer {
	return Writer{
		Case:    func(name string, v props.Verdict) error { return WriteRecord(w, RecordOf(name, v)) },
		Summary: func(t Tally) error { return WriteSummary(w, t.Summary) },
	}
}

func newText(w io.Writer) Writer {
	return Writer{
		Case: func(name string, v props.Verdict) error {
			_, err := fmt.Fprintln(w, Line(name, v))
			return err
		},
		Summary: func(t Tally) error {
			_, err := fmt.Fprintln(w, SummaryLine(t))
			return err
		},
	}
}

// Line is a verdict in one line: the outcome, the case, what is broken and the first reason.
func Line(name string, v props.Verdict) string {
	line := fmt.Sprintf("%-13s %s", outcomeWord(v.Outcome), name)
	if v.Answered {
		line += fmt.Sprintf("  %s, %s moved", counted(int64(v.Segments), "segment"), counted(v.MovedElements, "element"))
	}
	if len(v.Broken) > 0 {
		line += "  broken: " + strings.Join(v.Broken, ", ")
	}
	if len(v.Should) > 0 {
		line += "  should: " + strings.Join(v.Should, ", ")
	}
	if v.Detail != "" {
		line += "\n              " + v.Detail
	}
	return line
}

// SummaryLine is the tally in one line: the outcomes that occurred.
func SummaryLine(t Tally) string {
	line := counted(t.Cases, "case") + ":"
	for _, part := range []struct {
		n    int64
		name string
	}{
		{t.Exact, "exact"}, {t.Refused, "refused as due"}, {t.Unsupported, "unsupported"},
		{t.Broken, "broken"}, {t.Unknown, "unknown"}, {t.NotExercised, "not exercised"},
	} {
		if part.n > 0 {
			line += fmt.Sprintf(" %d %s,", part.n, part.name)
		}
	}
	return strings.TrimRight(line, ",:")
}

func outcomeWord(outcome props.Outcome) string { return strings.ReplaceAll(string(outcome), "_", " ") }

func counted(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
