package props

import (
	"testing"
	"time"

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

// One drawn case in six has a fault, and a fault is due a refusal, as is an exceeded limit of a few of the others.
func TestDrawnCasesWithFaults(t *testing.T) {
	const drawn = 600
	refused := 0
	for seed := range uint64(drawn) {
		if drawCase(gen.Seeded(seed)).Expect.Outcome == plan.Refused {
			refused++
		}
	}
	if refused < drawn/8 || refused > drawn/4 {
		t.Errorf("%d of %d cases are due a refusal", refused, drawn)
	}
}

// Test and Fuzz wait for an answer as long as for a planner process where they are not told how long: 10 s.
func TestTimeLimit(t *testing.T) {
	for stated, want := range map[time.Duration]time.Duration{0: 10 * time.Second, time.Minute: time.Minute} {
		if got := (Options{TimeLimit: stated}).withTimeLimit().TimeLimit; got != want {
			t.Errorf("of %v: got %v, want %v", stated, got, want)
		}
	}
}
