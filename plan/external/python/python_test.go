// Package python_test installs the wheel into a fresh virtual environment and judges Python functions with it.
package python_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheWheelJudgesAPythonFunction(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a wheel and a virtual environment")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 here")
	}
	folder := t.TempDir()
	mustRun(t, ".", python, "build_wheel.py", folder)
	wheels, _ := filepath.Glob(filepath.Join(folder, "*.whl"))
	if len(wheels) != 1 {
		t.Fatalf("wheels built: %v, want one", wheels)
	}
	environment := filepath.Join(folder, "environment")
	if output, err := exec.Command(python, "-m", "venv", environment).CombinedOutput(); err != nil {
		t.Skipf("no virtual environment can be made here: %v\n%s", err, output)
	}
	python = filepath.Join(environment, "bin", "python")
	mustRun(t, folder, python, "-m", "pip", "install", "--quiet", "--no-index", wheels[0])

	example, err := os.ReadFile(filepath.Join("..", "..", "..", "corpus", "examples", "python", "planner.py"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, folder, "broken.py", string(example))
	const bug = "segment(held, held.lo, wanted"
	if !strings.Contains(string(example), bug) {
		t.Fatalf("the example no longer has its bug, %s", bug)
	}
	write(t, folder, "right.py", strings.Replace(string(example), bug, "segment(held, lo, wanted", 1))
	write(t, folder, "judge.py", `
import sys
import shardproof
planner = __import__(sys.argv[1])
try:
    shardproof.check(planner.plan, checks=1000, seed=5)
    print("passed")
except AssertionError as error:
    print(error)
`)

	first := mustRun(t, folder, python, "judge.py", "broken")
	for _, want := range []string{"breaks values", "saved as testdata/shardproof/", "to see it again", "--found"} {
		if !strings.Contains(first, want) {
			t.Errorf("the broken planner: %q is not in the report:\n%s", want, first)
		}
	}
	if second := mustRun(t, folder, python, "judge.py", "broken"); !strings.Contains(second, "check testdata/shardproof") {
		t.Errorf("the second run does not begin with the saved case:\n%s", second)
	}
	cases, _ := filepath.Glob(filepath.Join(folder, "testdata", "shardproof", "*.json"))
	if len(cases) == 0 {
		t.Fatal("no case was saved")
	}
	shown, err := command(folder, filepath.Join(environment, "bin", "shardproof"), "show", cases[0], "--found").CombinedOutput()
	if err == nil || !strings.Contains(string(shown), "broken: values") {
		t.Errorf("show --found: %v\n%s", err, shown)
	}
	os.RemoveAll(filepath.Join(folder, "testdata"))
	if got := mustRun(t, folder, python, "judge.py", "right"); strings.TrimSpace(got) != "passed" {
		t.Errorf("the planner without its bug: %s", got)
	}
}

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func command(folder, program string, arguments ...string) *exec.Cmd {
	c := exec.Command(program, arguments...)
	c.Dir = folder
	return c
}

func mustRun(t *testing.T, folder, program string, arguments ...string) string {
	t.Helper()
	output, err := command(folder, program, arguments...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", program, arguments, err, output)
	}
	return string(output)
}
