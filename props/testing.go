package props

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/shardproof/shardproof/corpus"
	"github.com/shardproof/shardproof/gen"
	"github.com/shardproof/shardproof/oracle"
	"github.com/shardproof/shardproof/plan"
)

// Test checks a planner on cases saved by earlier failures, and then on generated ones. It is all of a test:
//
//	func TestPlanner(t *testing.T) {
//		props.Test(t, planner{})
//	}
//
// A failing case is shrunk and saved under testdata/shardproof, and is the first that the next run tries. The
// log says what is broken and gives the command that shows it again. There are 20 rounds of rapid's checks (2,000
// cases, unless -rapid.checks says otherwise), and one with -short.
func Test(t *testing.T, planner plan.Planner) {
	t.Helper()
	Options{}.Test(t, planner)
}

// Test is the function Test with options.
func (o Options) Test(t *testing.T, planner plan.Planner) {
	t.Helper()
	o = o.withTimeLimit()
	o.testSaved(t, planner)
	if t.Failed() {
		return
	}
	var failing *plan.Case
	defer func() {
		// Rapid has run the smallest failing case last, and ends the test's goroutine.
		if failing != nil {
			save(t, *failing, func(name string) string { return t.Name() + "/" + name })
		}
	}()
	for range rounds() {
		rapid.Check(t, func(r *rapid.T) {
			c := cases.Draw(r, "case").Case
			v := Check(context.Background(), planner, c, o)
			if v.Cause(o.Strict) != "" {
				failing = &c
			}
			fail(r, v, o.Strict)
		})
	}
}

// savedDir is where failing cases are saved, from the directory of the package under test.
var savedDir = filepath.Join("testdata", "shardproof")

// DefaultTimeLimit is how long Test and Fuzz wait for one answer, as long as for a planner process.
const DefaultTimeLimit = 10 * time.Second

func (o Options) withTimeLimit() Options {
	if o.TimeLimit == 0 {
		o.TimeLimit = DefaultTimeLimit
	}
	return o
}

func rounds() int {
	if testing.Short() {
		return 1
	}
	return 20
}

// testSaved checks each saved case as a test of its own, which its name runs alone.
func (o Options) testSaved(t *testing.T, planner plan.Planner) {
	t.Helper()
	files, err := savedCases()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(caseName(file.Path), func(t *testing.T) {
			v := Check(t.Context(), planner, file.Case, o)
			fail(t, v, o.Strict)
		})
	}
}

func savedCases() ([]corpus.File, error) {
	files, err := corpus.LoadDir(savedDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return files, err
}

func caseName(path string) string { return strings.TrimSuffix(filepath.Base(path), ".json") }

// save saves a failing case and logs the command that runs it again, by the test that does so for a saved case.
func save(t *testing.T, c plan.Case, testOf func(name string) string) {
	t.Helper()
	c.Origin = "found by " + t.Name()
	path, err := corpus.Save(savedDir, c)
	if err != nil {
		t.Logf("the failing case could not be saved: %v", err)
		return
	}
	t.Logf("saved as %s; to see it again:\n\tgo test -run '%s'", path, runPattern(testOf(caseName(path))))
}

// runPattern is the pattern that runs one test, which may stand below others, and nothing else.
func runPattern(test string) string {
	names := strings.Split(test, "/")
	for i, name := range names {
		names[i] = "^" + regexp.QuoteMeta(name) + "$"
	}
	return strings.Join(names, "/")
}

// cases draws what a campaign does: right requests, and one in six with a fault.
var cases = rapid.Custom(func(t *rapid.T) shown { return shown{drawCase(gen.FromRapid(t))} })

func drawCase(choose gen.Choose) plan.Case {
	const corrupted = 6
	if choose("corrupted", 1, corrupted) == corrupted {
		return gen.Corrupted(choose)
	}
	return gen.Case(choose)
}

// shown is a case that rapid shows as a case file.
type shown struct{ plan.Case }

// GoString is the text of the case's file.
func (s shown) GoString() string { return "\n" + string(plan.EncodeCase(s.Case)) }

// failer is what a test and rapid's test have in common.
type failer interface {
	Helper()
	Fatalf(format string, arguments ...any)
}

// fail fails a test where something is broken, and where the planner cannot be run.
//
// Each rule has its own line: rapid shrinks towards a failure from the same line, and would slide from one bug
// to another if they shared it.
func fail(t failer, v Verdict, strict bool) {
	if v.CannotRun != nil {
		t.Fatalf("the planner cannot be run: %v", v.CannotRun)
	}
	const text = "%s"
	switch v.Cause(strict) {
	case "":
	case string(oracle.Valid):
		t.Fatalf(text, v.Detail)
	case string(oracle.Bounds):
		t.Fatalf(text, v.Detail)
	case string(oracle.Cover):
		t.Fatalf(text, v.Detail)
	case string(oracle.Once):
		t.Fatalf(text, v.Detail)
	case string(oracle.Values):
		t.Fatalf(text, v.Detail)
	case string(oracle.Holder):
		t.Fatalf(text, v.Detail)
	case string(oracle.Moved):
		t.Fatalf(text, v.Detail)
	case string(oracle.BudgetClause):
		t.Fatalf(text, v.Detail)
	case string(oracle.Folded):
		t.Fatalf(text, v.Detail)
	case string(oracle.Ordered):
		t.Fatalf(text, v.Detail)
	case StableID:
		t.Fatalf(text, v.Detail)
	case OutcomeID:
		t.Fatalf(text, v.Detail)
	case FaultID:
		t.Fatalf("%s\n%s", v.Detail, v.Fault.Log)
	default: // the relations that are asked for one by one
		t.Fatalf("%s: %s", v.Cause(strict), v.Detail)
	}
}
