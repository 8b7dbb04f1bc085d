package adapters

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shardproof/shardproof/corpus"
	"github.com/shardproof/shardproof/gen"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/external"
	"github.com/shardproof/shardproof/plan/reference"
	"github.com/shardproof/shardproof/props"
)

// Every finding is one: the reference planner answers the case rightly, and what the other planner was found to
// answer is broken in the way the case says. Needs none of the planners.
func TestFindings(t *testing.T) {
	for _, a := range adapters {
		for _, c := range findings(t, a) {
			t.Run(a.folder+"/"+c.Name, func(t *testing.T) {
				if c.Found == nil || len(c.Found.Broken) == 0 || c.Origin == "" {
					t.Fatal("the case does not say what was found, or what it means for a user")
				}
				answer, err := reference.Planner{}.Plan(context.Background(), c.Request)
				if verdict := props.Judge(c, answer, err); verdict.Outcome == props.Broken {
					t.Errorf("the reference planner: %s", verdict.Detail)
				}
				if c.Found.Plan == nil {
					return
				}
				verdict := props.Judge(c, plan.Answer{Plan: *c.Found.Plan}, nil)
				if !slices.Equal(verdict.Broken, c.Found.Broken) {
					t.Errorf("the plan found breaks %v, want %v: %s", verdict.Broken, c.Found.Broken, verdict.Detail)
				}
			})
		}
	}
}

// The planners that are installed still fail on what they were found to: otherwise the entry is stale.
func TestFindingsAgain(t *testing.T) {
	for _, a := range adapters {
		t.Run(a.folder, func(t *testing.T) {
			cases := findings(t, a)
			if len(cases) == 0 {
				t.Skip("nothing was found")
			}
			// One that imports torch may take long to, where much else runs.
			patient := external.Limits{Hello: time.Minute, Answer: time.Minute}
			command := []string{pythonWith(t, a), filepath.Join(a.folder, "planner.py")}
			planner, err := external.Open(t.Context(), external.Options{Command: command, Limits: patient})
			if err != nil {
				t.Fatal(err)
			}
			defer planner.Close()
			info := planner.Info()
			for _, c := range cases {
				verdict := props.Check(t.Context(), planner, c, props.Options{Info: &info})
				if !slices.Equal(verdict.Broken, c.Found.Broken) {
					t.Errorf("%s: breaks %v, recorded is %v: %s", c.Name, verdict.Broken, c.Found.Broken, verdict.Detail)
				}
			}
		})
	}
}

// corruptionsOfAudit is how many cases the audit draws of each corruption, under its name and a number.
const corruptionsOfAudit = 8

// A known-failures file names each finding, the cases of the corpus and of the audit's corruptions that fail
// likewise, and nothing else, with a reason.
func TestKnownFailures(t *testing.T) {
	inCorpus := map[string]bool{}
	for _, file := range corpus.All() {
		inCorpus[file.Case.Name] = true
	}
	for _, corruption := range gen.CorruptionTable() {
		for n := range corruptionsOfAudit {
			inCorpus[corruption.Name+"-"+strconv.Itoa(n)] = true
		}
	}
	for _, a := range adapters {
		t.Run(a.folder, func(t *testing.T) {
			left := map[string]bool{}
			for _, c := range findings(t, a) {
				left[c.Name] = true
			}
			for _, line := range knownFailures(t, a) {
				name, reason, _ := strings.Cut(line, " ")
				if strings.TrimSpace(reason) == "" {
					t.Errorf("%s has no reason", name)
				}
				if !left[name] && !inCorpus[name] {
					t.Errorf("%s is neither a finding nor a case of the corpus or of the audit", name)
				}
				delete(left, name)
			}
			for _, name := range slices.Sorted(maps.Keys(left)) {
				t.Errorf("finding %s is not listed", name)
			}
		})
	}
}

// findings are the cases that a planner was found to fail, in the order of their files.
func findings(t *testing.T, a adapter) []plan.Case {
	t.Helper()
	folder := filepath.Join(a.folder, "findings")
	if _, err := os.Stat(folder); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	files, err := corpus.LoadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var cases []plan.Case
	for _, file := range files {
		if want := file.Case.Name + ".json"; filepath.Base(file.Path) != want {
			t.Errorf("%s holds the case %s", file.Path, file.Case.Name)
		}
		cases = append(cases, file.Case)
	}
	return cases
}

// knownFailures are the lines of a planner's file of that name, comments and empty ones left out.
func knownFailures(t *testing.T, a adapter) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(a.folder, "known-failures"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}
