package plan

import (
	"strconv"
	"strings"
)

// A FormatError says where a text is not of the form that it should have.
type FormatError struct {
	Path    string // of the field, as in `source.ranks["0"].pieces[1].source[0]`; empty for the whole text
	Problem string
}

// Error is one line: the path, where there is one, and the problem.
func (e *FormatError) Error() string {
	if e.Path == "" {
		return e.Problem
	}
	return e.Path + ": " + e.Problem
}

// A pathStep is one step from a JSON value to a value inside it: a field's name, an entry's index, or the
// key of an object whose keys are data.
type pathStep struct {
	name  string
	index int
	kind  stepKind
}

type stepKind uint8

const (
	fieldStep stepKind = iota
	indexStep
	keyStep
)

func pathText(steps []pathStep) string {
	var text strings.Builder
	for _, step := range steps {
		switch {
		case step.kind == indexStep:
			text.WriteString("[" + strconv.Itoa(step.index) + "]")
		case step.kind == keyStep || !isWord(step.name):
			text.WriteString("[" + strconv.Quote(shortened(step.name)) + "]")
		case text.Len() > 0:
			text.WriteString("." + step.name)
		default:
			text.WriteString(step.name)
		}
	}
	return text.String()
}

// A name that came from the text may hold anything, so that only a plain word is shown as it is.
func isWord(name string) bool {
	for _, char := range []byte(name) {
		if char != '_' && (char < 'a' || char > 'z') && (char < '0' || char > '9') {
			return false
		}
	}
	return name != "" && len(name) <= maxShownBytes
}

// maxShownBytes is the most of a text that an error repeats, so that an error stays one line.
const maxShownBytes = 60

func shortened(text string) string {
	if len(text) <= maxShownBytes {
		return text
	}
	return text[:maxShownBytes] + "..."
}
