package doctor_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/external"
	"github.com/shardproof/shardproof/plan/reference"
	"github.com/shardproof/shardproof/props/doctor"
)

// servingVariable makes this test program the reference planner behind the protocol.
const servingVariable = "SHARDPROOF_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(servingVariable) != "" {
		hello := plan.Hello{Info: reference.Info(), MaxInflight: 1}
		if external.Serve(context.Background(), os.Stdin, os.Stdout, reference.Planner{Folding: reference.Addresses}, hello) != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func examine(t *testing.T, options external.Options) (healthy bool, steps []doctor.Step) {
	t.Helper()
	healthy = doctor.Examine(t.Context(), options, func(step doctor.Step) { steps = append(steps, step) })
	return healthy, steps
}

func TestARightPlannerIsWell(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	options := external.Options{Command: []string{program}, Env: append(os.Environ(), servingVariable+"=1")}
	healthy, steps := examine(t, options)
	for _, step := range steps {
		if !step.OK() {
			t.Errorf("%s: %s", step.Title, step.Problem)
		}
	}
	if !healthy || len(steps) != 10 {
		t.Errorf("healthy %t after %d steps", healthy, len(steps))
	}
}

const hello = `read line; echo '{"hello":{"protocol":1,"planner":"p","version":"1"}}'; `

// Each script is wrong in one way, seen in the step beside it and answered with advice that tells what follows.
func TestWhatIsWrongIsToldWithAdvice(t *testing.T) {
	for _, test := range []struct{ script, step, problem, advice string }{
		{"echo loading; cat", "hello", "", "standard error"},
		{"echo no module >&2; exit 3", "hello", "exit", "last words"},
		{"sleep 60", "hello", "hang", "flush"},
		{`echo '{"hello":{"protocol":2}}'`, "hello", "protocol", "one line"},
		{hello + "while read line; do echo '{\"id\":99,\"segments\":[]}'; done", "a plain case", "99", "id of its request"},
		{hello + "while read line; do echo '{\"id\":1,\"segments\":[8.5]}'; done", "a plain case", "segments[0]", "integers"},
		{hello + "while read line; do echo '{\"id\":1,\"segments\":[]}'; done", "a plain case", "cover", "written by no segment"},
		{hello + "while read line; do echo '{\"id\":1,\"error\":\"oops\"}'; done", "a plain case", "oops", "refused"},
		{hello + "while read line; do echo step 1 of 3; done", "a plain case", "", "standard error"},
		{hello + "cat >/dev/null; exit 5", "the end of the input", "5", "status 0"},
	} {
		t.Run(test.script, func(t *testing.T) {
			t.Parallel() // they mostly wait
			options := external.Options{Command: []string{"/bin/sh", "-c", test.script}}
			options.Limits = external.Limits{Hello: 3 * time.Second, Answer: 3 * time.Second}
			if strings.Contains(test.script, "exit 5") {
				options.Limits.Answer = time.Second
			}
			healthy, steps := examine(t, options)
			at := slices.IndexFunc(steps, func(step doctor.Step) bool { return step.Title == test.step })
			if healthy || at < 0 {
				t.Fatalf("healthy %t, steps %+v", healthy, steps)
			}
			step := steps[at]
			if step.OK() || !strings.Contains(step.Problem, test.problem) || !strings.Contains(step.Advice, test.advice) {
				t.Errorf("%s: problem %q with advice %q; want %q and %q", step.Title, step.Problem, step.Advice, test.problem, test.advice)
			}
		})
	}
}

func TestAProgramThatAnswersOnceIsWell(t *testing.T) {
	refuse := `read line; id=${line#*\"id\":}; printf '{"id":%s,"refused":{"kind":"unsupported","message":"m"}}' "${id%%,*}"`
	options := external.Options{Command: []string{"/bin/sh", "-c", refuse}, Once: true}
	_, steps := examine(t, options)
	for _, step := range steps {
		// Only the corrupt map is refused wrongly: as unsupported, where invalid is due.
		if want := step.Title != "a corrupt map"; step.OK() != want {
			t.Errorf("%s: ok %t, want %t: %s", step.Title, step.OK(), want, step.Problem)
		}
	}
}
