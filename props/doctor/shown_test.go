package doctor

import (
	"strings"
	"testing"
)

// A line is shown on one line, as text and not too long.
func TestShown(t *testing.T) {
	long := strings.Repeat("a", 400)
	for _, test := range []struct{ line, want string }{
		{"", ""},
		{`{"id": 1}`, `{"id": 1}`},
		{"a\tb\x1bc\x7fd", "a b c d"},
		{"\xffé", "\uFFFDé"},
		{long, long},
		{long + "b", long + " ... (401 bytes)"},
	} {
		if got := shown([]byte(test.line)); got != test.want {
			t.Errorf("%q is shown as %q, want %q", test.line, got, test.want)
		}
	}
}

// Advice follows from the kind of a problem, and from what was written where that is no answer at all.
func TestAdviceFor(t *testing.T) {
	for _, test := range []struct{ kind, received, want string }{
		{"start", "", "Check that it is found"},
		{"answer", ` {"id": 1}`, "An answer is one line"},
		{"answer", "loading", "belongs to the protocol alone"},
		{"hello", "loading", "belongs to the protocol alone"},
		{"hello", `{"hello"`, "with one line such as"},
		{"exit", "loading", "before it answered"},
		{"cover", "", "written by no segment"},
	} {
		if got := adviceFor(test.kind, test.received); !strings.Contains(got, test.want) {
			t.Errorf("%s after %q: advice %q, want %q", test.kind, test.received, got, test.want)
		}
	}
	if got := adviceFor("stable", ""); got != "" {
		t.Errorf("a kind without advice has %q", got)
	}
}
