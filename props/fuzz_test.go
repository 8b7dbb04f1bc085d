package props

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/gen"
	"github.com/shardproof/shardproof/plan"
)

// An input that begins with { is a case file, and no case where it cannot be read or is for planner processes only.
// Any other is choices, of which nothing at all is some.
func TestCaseOf(t *testing.T) {
	file, _ := rightAnswer()
	raw := plan.Case{Name: "raw", Raw: &plan.Raw{Source: []byte("4.7"), Target: []byte("{}")}, Expect: plan.Expect{Outcome: plan.Refused}}
	for _, test := range []struct {
		name  string
		input []byte
		want  plan.Case
		ok    bool
	}{
		{"a case file", plan.EncodeCase(file), file, true},
		{"a raw case", plan.EncodeCase(raw), raw, false},
		{"half a file", []byte("{"), plan.Case{}, false},
		{"choices", []byte("choices"), drawCase(gen.FromBytes([]byte("choices"))), true},
		{"nothing", nil, drawCase(gen.FromBytes(nil)), true},
	} {
		got, ok := caseOf(test.input)
		if diff := cmp.Diff(test.want, got); ok != test.ok || ok && diff != "" {
			t.Errorf("%s: %t; want, got\n%s", test.name, ok, diff)
		}
	}
}
