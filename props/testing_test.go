package props_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/shardproof/shardproof/corpus"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/reference"
	"github.com/shardproof/shardproof/props"
)

func TestPlanner(t *testing.T) {
	props.Test(t, underTest())
}

func FuzzPlanner(f *testing.F) {
	props.Fuzz(f, underTest())
}

// underTest is the reference planner, or in a process of TestFailing one that is wrong.
func underTest() plan.Planner {
	switch os.Getenv(wrongPlanner) {
	case "wrong":
		return plannerOf(func(request plan.Request) (plan.Answer, error) {
			answer, err := reference.Planner{}.Plan(context.Background(), request)
			if len(answer.Plan.Segments) > 1 && len(request.Source.LogicalShape) == 2 {
				answer.Plan.Segments = slices.Clone(answer.Plan.Segments[:1])
				answer.MovedElements = nil
			}
			return answer, err
		})
	case "panics":
		return plannerOf(func(plan.Request) (plan.Answer, error) { panic("no") })
	}
	return reference.Planner{}
}

const wrongPlanner = "SHARDPROOF_TEST_PLANNER"

// A failing test shrinks, saves the case, and prints a command that fails again at once; a repaired planner passes it.
func TestFailing(t *testing.T) {
	dir := t.TempDir()
	run := func(planner string, arguments ...string) (string, bool) {
		command := exec.Command(os.Args[0], append(arguments, "-test.v", "-rapid.nofailfile")...)
		command.Dir = dir
		command.Env = append(os.Environ(), wrongPlanner+"="+planner)
		text, err := command.CombinedOutput()
		return string(text), err == nil
	}
	text, passed := run("wrong", "-test.run=^TestPlanner$")
	if passed || !strings.Contains(text, "cover: ") {
		t.Fatalf("a wrong planner passed, or for another reason than the right one failed:\n%s", text)
	}
	saved := regexp.MustCompile(`saved as (\S+);`).FindStringSubmatch(text)
	again := regexp.MustCompile(`go test -run '(\S+)'`).FindStringSubmatch(text)
	if saved == nil || again == nil {
		t.Fatalf("no saved case or no command:\n%s", text)
	}
	c, err := corpus.Load(filepath.Join(dir, saved[1]))
	if err != nil {
		t.Fatal(err)
	}
	if elements, _ := plan.Elements(c.Target.LogicalShape); elements > 12 {
		t.Errorf("the saved case has %d elements:\n%s", elements, plan.EncodeCase(c))
	}
	text, passed = run("wrong", "-test.run="+again[1])
	if passed || strings.Count(text, "=== RUN") != 2 || !strings.Contains(text, "--- FAIL: TestPlanner/"+c.Name) || !strings.Contains(text, "cover: ") {
		t.Errorf("%s passed the saved case or ran more than that:\n%s", again[1], text)
	}
	if text, passed = run("right", "-test.run="+again[1]); !passed || !strings.Contains(text, "--- PASS: TestPlanner/"+c.Name) {
		t.Errorf("a right planner fails the saved case, or did not try it:\n%s", text)
	}
	if text, passed = run("wrong", "-test.run=^FuzzPlanner$"); passed || !strings.Contains(text, "cover: ") {
		t.Errorf("the fuzz test's first inputs miss a wrong planner, or the saved case:\n%s", text)
	}
	if text, passed = run("panics", "-test.run=^FuzzPlanner$"); passed || !strings.Contains(text, "fault: panic: no") {
		t.Errorf("the fuzz test misses a panic:\n%s", text)
	}
	// A planner that always panics does so on the smallest request there is, too.
	all := regexp.MustCompile(`saved as (\S+); to see it again:\s+go test -run '\^FuzzPlanner\$'`).FindAllStringSubmatch(text, -1)
	if len(all) < 2 || len(all) != strings.Count(text, "fault: panic: no") {
		t.Fatalf("the fuzz test does not save each failing case:\n%s", text)
	}
	for _, saved := range all {
		if c, err = corpus.Load(filepath.Join(dir, saved[1])); err != nil {
			t.Fatal(err)
		}
		if elements, ok := plan.Elements(c.Target.LogicalShape); !ok || elements > 1 {
			t.Errorf("the fuzz test saved a case of %d elements:\n%s", elements, plan.EncodeCase(c))
		}
	}
}
