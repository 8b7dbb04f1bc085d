package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shardproof/shardproof/props/report"
)

// commandVariable makes this test program the command itself, so that it can be a planner process.
const commandVariable = "SHARDPROOF_TEST_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(commandVariable) != "" {
		os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// shardproof runs a command line in a folder of its own.
func shardproof(t *testing.T, arguments ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err strings.Builder
	status = run(t.Context(), arguments, strings.NewReader(""), &out, &err)
	return status, out.String(), err.String()
}

func TestTheSeedsTable(t *testing.T) {
	status, out, _ := shardproof(t, "table", "--json")
	// The published numbers: 8 segments inside pieces, then 7, 6 and 7 by addresses, 768 elements each.
	want := `{"folding":"pieces","holder":"lowest","segments":8,"moved_elements":768,"exact":true,"guards":"intact"}
{"folding":"addresses","holder":"lowest","segments":7,"moved_elements":768,"exact":true,"guards":"intact"}
{"folding":"addresses","holder":"private-q","segments":6,"moved_elements":768,"exact":true,"guards":"intact"}
{"folding":"addresses","holder":"highest","segments":7,"moved_elements":768,"exact":true,"guards":"intact"}
{"summary":{"exact":true}}
`
	if status != 0 || out != want {
		t.Errorf("table --json: status %d, printed\n%s\nwant\n%s", status, out, want)
	}
}

func TestEveryCommandHasHelpWithItsExample(t *testing.T) {
	status, all, _ := shardproof(t, "-h")
	for _, command := range commands() {
		helpStatus, out, _ := shardproof(t, command.name, "-h")
		if status != 0 || helpStatus != 0 || !strings.Contains(out, command.example) || !strings.Contains(out, "--json") {
			t.Errorf("%s -h: status %d, printed\n%s", command.name, helpStatus, out)
		}
		if !strings.Contains(all, command.summary) {
			t.Errorf("shardproof -h does not tell of %s", command.name)
		}
	}
}

func TestTheExamplesRun(t *testing.T) {
	want := map[string]int{
		"fuzz": report.StatusBroken, "check": report.StatusBroken, "reduce": report.StatusBroken, "planner": report.StatusBroken,
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	t.Setenv(commandVariable, "1")
	for _, command := range commands() {
		// A quoted command within the example is one argument.
		words := strings.Split(command.example, `"`)
		arguments := strings.Fields(words[0])[1:]
		if len(words) > 1 {
			arguments = append(arguments, strings.Replace(words[1], "shardproof", program, 1))
		}
		status, out, errText := shardproof(t, arguments...)
		if status != want[command.name] {
			t.Errorf("%s: status %d, want %d\n%s%s", command.example, status, want[command.name], out, errText)
		}
	}
}

// Whatever the input, the answer is one line that names what is wrong, and status 2.
func TestBadInputIsOneLineAndStatus2(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	truncated := write("truncated.json", `{"version": 1, "name"`)
	unknown := write("unknown.json", `{"version": 1, "nom": "x"}`)
	notPlan := write("plan.json", `{"segments": [{"shape": [1.5]}]}`)
	for _, test := range []struct {
		want      string
		arguments []string
	}{
		{"no command", []string{"fuzzz"}},
		{"flag provided but not defined", []string{"fuzz", "--chekcs", "1"}},
		{"unexpected argument", []string{"fuzz", "now"}},
		{"no unsigned decimal number", []string{"fuzz", "--seed", "-1"}},
		{"rows-and-columns", []string{"fuzz", "--families", "rows-and-columns"}},
		{"no mutant", []string{"check", "--mutant", "none"}},
		{"no folding", []string{"check", "--folding", "none"}},
		{"is no file", []string{"check", filepath.Join(dir, "absent.json")}},
		{"no case file", []string{"check", t.TempDir()}},
		{"unknown.json", []string{"check", dir}},
		{"the text ends too early", []string{"check", truncated}},
		{"nom: unknown field", []string{"show", unknown}},
		{"segments[0].shape[0]", []string{"check", "--plan", notPlan, "bigcode-2-to-4-lowest"}},
		{"one case is due", []string{"show"}},
		{"no family", []string{"layout", "none"}},
		{"degree", []string{"layout", "replicated", "shape=4", "degree=x"}},
		{"exclude each other", []string{"fuzz", "--planner", "true", "--mutant", "none"}},
		{"--source and --target", []string{"plan", "--source", "x"}},
	} {
		status, out, errText := shardproof(t, test.arguments...)
		if status != report.StatusUsage || out != "" || strings.Count(errText, "\n") != 1 || !strings.Contains(errText, test.want) {
			t.Errorf("%q: status %d, printed %q and %q; want status 2 and one line that tells %q", test.arguments, status, out, errText, test.want)
		}
	}
}

func TestAPlannerThatCannotBeRunIsStatus3(t *testing.T) {
	for _, planner := range []string{"/no/such/planner", "exit 3", "echo loading", "true"} {
		status, _, errText := shardproof(t, "check", "--planner", planner)
		if status != report.StatusCannotRun || strings.Count(errText, "\n") != 1 {
			t.Errorf("--planner %q: status %d, printed %q; want status 3 and one line", planner, status, errText)
		}
	}
}

func TestTheReferencePlannerPassesItsOwnCorpus(t *testing.T) {
	for _, planner := range [][]string{{}, {"--folding", "stack"}} {
		status, out, errText := shardproof(t, append([]string{"check", "--complete"}, planner...)...)
		if status != 0 {
			t.Errorf("check %v: status %d\n%s%s", planner, status, out, errText)
		}
	}
}

// A wrong plan in a file is judged as a planner's would be: here one whose second copy reads a row too early.
func TestAWrongPlanIsExplained(t *testing.T) {
	_, text, _ := shardproof(t, "plan", "bigcode-2-to-4-lowest")
	path := filepath.Join(t.TempDir(), "plan.json")
	wrong := strings.Replace(text, `"source": [0, 64, [8, 1]]`, `"source": [0, 56, [8, 1]]`, 1)
	if wrong == text {
		t.Fatalf("the plan has no copy from source 0 offset 64:\n%s", text)
	}
	if err := os.WriteFile(path, []byte(wrong), 0o644); err != nil {
		t.Fatal(err)
	}
	status, out, _ := shardproof(t, "show", "bigcode-2-to-4-lowest", "--plan", path)
	for _, want := range []string{"broken: values", "wants", "rank 1", "!"} {
		if status != report.StatusBroken || !strings.Contains(out, want) {
			t.Errorf("show of a wrong plan: status %d, does not tell %q:\n%s", status, want, out)
		}
	}
}

// A finding is reduced, saved, and shown again by the command that is printed.
func TestAFindingCanBeSeenAgain(t *testing.T) {
	t.Chdir(t.TempDir())
	status, out, _ := shardproof(t, "fuzz", "--mutant", "fold-joins-over-gap", "--seed", "7")
	_, replay, ok := strings.Cut(out, "to see it again:\n")
	if status != report.StatusBroken || !ok {
		t.Fatalf("fuzz of a mutant: status %d\n%s", status, out)
	}
	_, words, _ := strings.Cut(strings.TrimSpace(replay), " show ")
	status, out, _ = shardproof(t, append([]string{"show"}, strings.Fields(words)...)...)
	if status != report.StatusBroken || !strings.Contains(out, "broken: ") {
		t.Errorf("show %s: status %d\n%s", words, status, out)
	}
}

func TestFuzzPrintsRecords(t *testing.T) {
	t.Chdir(t.TempDir())
	status, out, _ := shardproof(t, "fuzz", "--checks", "2000", "--seed", "3", "--json")
	var last struct {
		Summary struct {
			Cases  int64              `json:"cases"`
			Seed   string             `json:"seed"`
			Traits map[string]float64 `json:"traits"`
		} `json:"summary"`
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	err := json.Unmarshal([]byte(lines[len(lines)-1]), &last)
	if status != 0 || err != nil || last.Summary.Cases != 2000 || last.Summary.Seed != "3" || len(last.Summary.Traits) == 0 {
		t.Errorf("fuzz --json: status %d, error %v, printed\n%s", status, err, out)
	}
}

func TestOurPlannerBehindTheProtocolIsJudgedAsItself(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(commandVariable, "1")
	t.Chdir(t.TempDir())
	status, out, errText := shardproof(t, "fuzz", "--checks", "3000", "--complete", "--planner", program+" planner")
	if status != 0 {
		t.Errorf("the reference planner: status %d\n%s%s", status, out, errText)
	}
	status, out, _ = shardproof(t, "fuzz", "--planner", program+" planner --mutant fold-joins-over-gap")
	if status != report.StatusBroken {
		t.Errorf("a mutant: status %d\n%s", status, out)
	}
}
