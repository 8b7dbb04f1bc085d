package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Known is a list of failures that are expected: a text file with a line for each, which is the ID of a rule or
// the name of a case, a space, and the reason. Empty lines, and lines that begin with #, are comments.
//
// An entry that names a case excuses whatever is broken there. One that names a rule excuses what breaks that
// rule, and no other besides it that is not excused too.
type Known struct {
	lines   []string
	entries []knownEntry
}

type knownEntry struct {
	line   int
	name   string
	reason string
	used   bool
}

// NewReason is written as the reason of an entry that --update-known adds. It is for a person to replace.
const NewReason = "not looked at yet"

// ParseKnown reads a list of known failures. The error names the line.
func ParseKnown(text string) (*Known, error) {
	k := &Known{}
	if text = strings.TrimRight(text, "\n"); text != "" {
		k.lines = strings.Split(text, "\n")
	}
	for i, line := range k.lines {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, reason, _ := strings.Cut(line, " ")
		if reason = strings.TrimSpace(reason); reason == "" {
			return nil, fmt.Errorf("line %d: %q has no reason after it", i+1, name)
		}
		if slices.ContainsFunc(k.entries, func(e knownEntry) bool { return e.name == name }) {
			return nil, fmt.Errorf("line %d: %q is listed already", i+1, name)
		}
		k.entries = append(k.entries, knownEntry{line: i, name: name, reason: reason})
	}
	return k, nil
}

// find marks an entry as one that something fails for, and returns its reason.
func (k *Known) find(name string) string {
	for i := range k.entries {
		if k.entries[i].name == name {
			k.entries[i].used = true
			return k.entries[i].reason
		}
	}
	return ""
}

func (k *Known) has(name string) bool {
	return slices.ContainsFunc(k.entries, func(e knownEntry) bool { return e.name == name })
}

// excuse says why a failure is expected, "" where it is not or where nothing fails. Each thing that the verdict
// names has to be excused: by its own entry, by one of the case, or by one of a rule that it breaks by that.
func (k *Known) excuse(j *Judged, strict bool) string {
	if len(j.Broken) == 0 {
		return ""
	}
	reason := k.find(j.Case.Name)
	for _, id := range j.Broken {
		if found := k.find(id); !j.Verdict.Names(id) {
			reason = cmp.Or(reason, found)
		}
	}
	if reason != "" {
		return reason
	}
	ids := j.Verdict.Broken
	if strict || len(ids) == 0 {
		ids = slices.Concat(ids, j.Verdict.Should)
	}
	for _, id := range ids {
		found := k.find(id)
		if found == "" {
			return ""
		}
		reason = cmp.Or(reason, found)
	}
	return reason
}

// excuses reports whether it is expected that a case breaks a rule. A must rule that is expected to be broken
// excuses no should rule that is broken besides.
func (k *Known) excuses(j *Judged, id string) bool {
	return k.has(id) || k.has(j.Case.Name) || j.Known != "" && !slices.Contains(j.Verdict.Should, id)
}

// excusesShould reports whether all that a case breaks of should level is expected.
func (k *Known) excusesShould(j *Judged) bool {
	return !slices.ContainsFunc(j.Verdict.Should, func(id string) bool { return !k.excuses(j, id) })
}

// stale lists the entries for which nothing failed.
func (k *Known) stale() []string {
	var names []string
	for _, entry := range k.entries {
		if !entry.used {
			names = append(names, entry.name)
		}
	}
	return names
}

// Updated is the list as it should be after an audit: without the stale entries, with their lines, and with an
// entry more for each failure of the report that is not expected. Reasons and comments stay.
func (k *Known) Updated(report Report) string {
	dropped := map[int]bool{}
	for _, entry := range k.entries {
		dropped[entry.line] = slices.Contains(report.Stale, entry.name)
	}
	var text strings.Builder
	for i, line := range k.lines {
		if !dropped[i] {
			fmt.Fprintln(&text, line)
		}
	}
	for _, name := range report.unexpected() {
		fmt.Fprintln(&text, name, NewReason)
	}
	return text.String()
}

// unexpected are the names of the cases that fail and are not expected to, each once.
func (r *Report) unexpected() []string {
	var names []string
	for i := range r.Cases {
		names = appendFailing(names, &r.Cases[i], r.Strict)
	}
	for i := range r.Findings {
		if r.Findings[i].Phase == Campaign {
			names = appendFailing(names, &r.Findings[i].Judged, r.Strict)
		}
	}
	return names
}

func appendFailing(names []string, j *Judged, strict bool) []string {
	if j.Verdict.Cause(strict) == "" || j.Known != "" || slices.Contains(names, j.Case.Name) {
		return names
	}
	return append(names, j.Case.Name)
}
