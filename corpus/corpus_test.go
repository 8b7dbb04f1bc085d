package corpus_test

import (
	"fmt"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/shardproof/shardproof/corpus"
	"github.com/shardproof/shardproof/plan"
)

// Every file is in the form that it would be written in, is named after its case, and says in one line where
// it comes from.
func TestFilesAreCanonical(t *testing.T) {
	seen := map[string]string{}
	for _, file := range corpus.All() {
		text, err := os.ReadFile(file.Path)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(plan.EncodeCase(file.Case)); got != string(text) {
			t.Errorf("%s: not in canonical form, which is:\n%s", file.Path, got)
		}
		name := file.Case.Name
		if want := strings.TrimSuffix(path.Base(file.Path), ".json"); name != want {
			t.Errorf("%s: holds a case named %q", file.Path, name)
		}
		if other, repeated := seen[name]; repeated {
			t.Errorf("%s and %s have one name", file.Path, other)
		}
		seen[name] = file.Path
		if file.Case.Origin == "" {
			t.Errorf("%s: no origin", file.Path)
		}
	}
}

// Every row of the table of refusals has a case that is due it and a nearest legal neighbour that is planned;
// every known fault has a case.
func TestEveryRowAndFaultHasACase(t *testing.T) {
	files := corpus.All()
	for row := 1; row <= 23; row++ {
		prefix := fmt.Sprintf("row-%02d-", row)
		due, legal := 0, 0
		for _, file := range files {
			switch name := file.Case.Name; {
			case !strings.HasPrefix(name, prefix):
			case strings.HasPrefix(name, prefix+"legal"):
				legal++
				if file.Case.Expect.Outcome != plan.Exact {
					t.Errorf("%s: legal, and expects %s", file.Path, file.Case.Expect.Outcome)
				}
			default:
				due++
				checkKindOfRow(t, row, file)
			}
		}
		if due == 0 || legal == 0 {
			t.Errorf("row %d: %d cases due the refusal, %d legal neighbours, want some of each", row, due, legal)
		}
	}
	for fault := 1; fault <= 19; fault++ {
		prefix := fmt.Sprintf("fault-%02d-", fault)
		if !anyHas(files, prefix) {
			t.Errorf("fault %d: no case named %s*", fault, prefix)
		}
	}
}

func anyHas(files []corpus.File, prefix string) bool {
	for _, file := range files {
		if strings.HasPrefix(file.Case.Name, prefix) {
			return true
		}
	}
	return false
}

// kindOfRow is the table of refusals. Rows 11 and 12 have exceptions of their own, beside their kind.
var kindOfRow = map[int]plan.Kind{
	1: plan.Invalid, 2: plan.Unsupported, 3: plan.Unsupported, 4: plan.OverBudget, 5: plan.Invalid, 6: plan.Invalid,
	7: plan.Invalid, 8: plan.Invalid, 9: plan.Invalid, 10: plan.Invalid, 11: plan.Unsupported, 12: plan.Unsupported,
	13: plan.Invalid, 14: plan.Invalid, 15: plan.Invalid, 16: plan.Invalid, 17: plan.Invalid, 18: plan.Unsupported,
	19: plan.Invalid, 20: plan.Invalid, 21: plan.BadSelection, 22: plan.OverBudget, 23: plan.Unsupported,
}

func checkKindOfRow(t *testing.T, row int, file corpus.File) {
	t.Helper()
	expect := file.Case.Expect
	if expect.Outcome == plan.ExactOrUnsupported && kindOfRow[row] == plan.Unsupported {
		return
	}
	zeroScale := strings.HasSuffix(file.Case.Name, "zero")
	if row == 11 && zeroScale && len(expect.Kinds) == 1 && expect.Kinds[0] == plan.Invalid {
		return
	}
	for _, kind := range expect.Kinds {
		if kind == kindOfRow[row] {
			return
		}
	}
	t.Errorf("%s: expects %s %v, want kind %s", file.Path, expect.Outcome, expect.Kinds, kindOfRow[row])
}

// The numbers that were published are the numbers that the cases expect: segments, and elements moved where
// they were published too.
func TestPublishedNumbers(t *testing.T) {
	type number struct {
		name            string
		segments, moved int64
	}
	numbers := []number{
		{"bigcode-2-to-4-lowest", 7, 768}, {"bigcode-2-to-4-private-q", 6, 768}, {"bigcode-2-to-4-highest", 7, 768},
		{"bigcode-4-to-2-lowest", 6, 768 - 256}, // two ranks less to hold the 16x8 kv rows
		{"rows-2-to-columns-4-8x8", 8, 64},
		{"rows-2-to-columns-4-10-rows", 8, 80}, {"rows-2-to-columns-4-billion-rows", 8, 8e9},
		{"codegen-2-to-4", 44, 768}, {"codegen-4-to-2", 44, 768}, {"codegen-2-to-8", 96, 768}, {"codegen-8-to-2", 96, 768},
		{"codegen-4-to-8", 88, 768}, {"codegen-8-to-4", 88, 768},
		{"yuan-value-2-to-4", 8, 128}, {"yuan-value-4-to-2", 8, 128}, {"yuan-output-2-to-4", 8, 128}, {"yuan-output-4-to-2", 8, 128},
		{"stripes-128", 16384, 16384}, {"fault-18-replicated-lowest", 4, 4 * 384},
	}
	changes := []string{"1-to-1", "2-to-2", "4-to-4", "1-to-2", "1-to-4", "2-to-1", "2-to-4", "4-to-1", "4-to-2"}
	for layout, row := range map[string][9]int64{
		"rows-8x8":       {1, 2, 4, 2, 4, 2, 4, 4, 4},
		"columns-8x24":   {1, 2, 4, 2, 4, 2, 4, 4, 4},
		"rows-11x8":      {1, 2, 4, 2, 4, 2, 4, 4, 4},
		"replicated-5x6": {1, 2, 4, 2, 4, 1, 4, 1, 2},
		"fused-12x8":     {1, 2, 4, 4, 8, 4, 8, 8, 8},
		"bigcode-48x8":   {1, 3, 7, 3, 7, 3, 7, 5, 6},
		"headmod-8x64":   {1, 2, 4, 8, 8, 8, 8, 8, 8},
	} {
		for i, change := range changes {
			numbers = append(numbers, number{layout + "-" + change, row[i], -1})
		}
	}
	cases := map[string]plan.Case{}
	for _, file := range corpus.All() {
		cases[file.Case.Name] = file.Case
	}
	for _, want := range numbers {
		c, ok := cases[want.name]
		if !ok {
			t.Errorf("no case %s", want.name)
			continue
		}
		if got := c.Expect.Segments; got == nil || *got != want.segments {
			t.Errorf("%s: expects segments %v, want %d", want.name, show(got), want.segments)
		}
		if got := c.Expect.MovedElements; want.moved >= 0 && (got == nil || *got != want.moved) {
			t.Errorf("%s: expects moved elements %v, want %d", want.name, show(got), want.moved)
		}
	}
	for name, bytes := range map[string]int64{
		"plan-bytes-rows-2-to-4": 275, "plan-bytes-rows-4-to-2": 275, "plan-bytes-rows-2-to-columns-4": 513,
		"plan-bytes-replicated-4-to-rows-4": 278, "plan-bytes-bigcode-2-to-4": 458, "plan-bytes-bigcode-4-to-2": 395,
	} {
		if got := cases[name].Budget.MaxPlanBytes; got == nil || *got != bytes {
			t.Errorf("%s: limits a plan to %v bytes, want %d", name, show(got), bytes)
		}
	}
}

func show(value *int64) string {
	if value == nil {
		return "none"
	}
	return fmt.Sprint(*value)
}

// The elements that a right plan moves are those of the target shards.
func TestMovedElements(t *testing.T) {
	for _, file := range corpus.All() {
		want := file.Case.Expect.MovedElements
		if want == nil {
			continue
		}
		got := int64(0)
		for _, shard := range file.Case.Target.Shards {
			elements, ok := plan.Elements(shard.Shape)
			if !ok {
				t.Errorf("%s: target rank %d has no number of elements", file.Path, shard.Rank)
			}
			got += elements
		}
		if got != *want {
			t.Errorf("%s: the target shards have %d elements, the case says %d", file.Path, got, *want)
		}
	}
}

// Every form of selector and every kind of limit is asked for somewhere, and raw values too.
func TestEveryFeatureHasACase(t *testing.T) {
	features := map[plan.Feature]int{}
	kinds := map[plan.Kind]int{}
	raw, anyHolder := 0, 0
	for _, file := range corpus.All() {
		if feature, ok := file.Case.Selector.Feature(); ok {
			features[feature]++
		}
		if file.Case.Selector.Policy == plan.PolicyAny {
			anyHolder++
		}
		if file.Case.Budget.Set() {
			features[plan.FeatureBudget]++
		}
		if file.Case.Raw != nil {
			raw++
		}
		for _, kind := range file.Case.Expect.Kinds {
			kinds[kind]++
		}
	}
	for _, feature := range plan.AllFeatures() {
		if features[feature] == 0 {
			t.Errorf("no case needs the feature %s", feature)
		}
	}
	for _, kind := range []plan.Kind{plan.Invalid, plan.Unsupported, plan.BadSelection, plan.OverBudget} {
		if kinds[kind] == 0 {
			t.Errorf("no case is due a refusal of kind %s", kind)
		}
	}
	if raw == 0 || anyHolder == 0 {
		t.Errorf("got %d raw cases and %d with the policy any, want some of each", raw, anyHolder)
	}
}
