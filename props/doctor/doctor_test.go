package doctor_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
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

// servingVariable makes this test program the planner of that name behind the protocol.
const servingVariable = "SHARDPROOF_SERVE"

// A served planner says hello and plans, and says the same to every line that is no JSON.
type served struct {
	plan.Planner
	hello     plan.Hello
	malformed string // "": it refuses; "exit", "hang": it does that
}

var right = reference.Planner{Folding: reference.Addresses}

// highest reads from the highest holder, whatever is asked.
var highest = plan.PlannerFunc(func(ctx context.Context, request plan.Request) (plan.Answer, error) {
	request.Selector = plan.Selector{Policy: plan.PolicyHighest}
	return right.Plan(ctx, request)
})

var planners = map[string]served{
	"right":                {Planner: right, hello: plan.Hello{Info: plan.Info{Name: "right", Version: "1.2", Features: plan.AllFeatures()[:2]}, MaxInflight: 3}},
	"unfolded":             {Planner: reference.Planner{Folding: reference.Pieces}, hello: plan.Hello{MaxInflight: 1}},
	"highest":              {Planner: highest, hello: plan.Hello{MaxInflight: 1}},
	"any holder":           {Planner: highest, hello: plan.Hello{Info: plan.Info{AnyHolder: true}, MaxInflight: 1}},
	"plans anything":       {Planner: right, hello: plan.Hello{MaxInflight: 1}, malformed: `{"id":1,"segments":[]}`},
	"mumbles at malformed": {Planner: right, hello: plan.Hello{MaxInflight: 1}, malformed: "pardon?"},
	"exits at malformed":   {Planner: right, hello: plan.Hello{MaxInflight: 1}, malformed: "exit"},
	"fails malformed":      {Planner: right, hello: plan.Hello{MaxInflight: 1}, malformed: `{"id":1,"error":"m"}`},
	"hangs malformed":      {Planner: right, hello: plan.Hello{MaxInflight: 1}, malformed: "hang"},
}

func TestMain(m *testing.M) {
	if name := os.Getenv(servingVariable); name != "" {
		if err := planners[name].serve(); err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func (s served) serve() error {
	input := bufio.NewReader(os.Stdin)
	for {
		line, err := input.ReadBytes('\n')
		switch {
		case err != nil:
			return nil
		case s.malformed == "" || json.Valid(line):
			if err := external.Serve(context.Background(), bytes.NewReader(line), os.Stdout, s.Planner, s.hello); err != nil {
				return err
			}
		case s.malformed == "exit":
			return errors.New("malformed")
		case s.malformed == "hang":
			time.Sleep(time.Minute)
		default:
			os.Stdout.WriteString(s.malformed + "\n")
		}
	}
}

func examine(t *testing.T, options external.Options) (healthy bool, steps []doctor.Step) {
	t.Helper()
	healthy = doctor.Examine(t.Context(), options, func(step doctor.Step) { steps = append(steps, step) })
	return healthy, steps
}

// examineServed examines one of the planners.
func examineServed(t *testing.T, name string) (healthy bool, steps []doctor.Step) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	options := external.Options{Command: []string{program}, Env: append(os.Environ(), servingVariable+"="+name)}
	if planners[name].malformed == "hang" {
		options.Limits.Answer = 2 * time.Second
	}
	return examine(t, options)
}

// stepOf is the first step of a title.
func stepOf(t *testing.T, steps []doctor.Step, title string) doctor.Step {
	t.Helper()
	at := slices.IndexFunc(steps, func(step doctor.Step) bool { return step.Title == title })
	if at < 0 {
		t.Fatalf("no step %q among %+v", title, steps)
	}
	return steps[at]
}

// Rows over two ranks become columns over four by eight copies, which move the 64 elements of an 8x8 tensor.
func TestARightPlannerIsWell(t *testing.T) {
	healthy, steps := examineServed(t, "right")
	if !healthy {
		t.Error("it is not well")
	}
	want := []struct{ title, sent, begins, ends string }{
		{"hello", `{"hello":{"protocol":1`, "it is right 1.2, takes prefer, highest, reads from the lowest holder and holds 3 requests at a time", ""},
		{"a plain case", `{"plan":{"id":1,`, "an exact plan: 8 segments, 64 elements", ""},
		{"a replicated case", `{"plan":{"id":2,`, "an exact plan: ", " elements"},
		{"a corrupt map", `{"plan":{"id":3,`, "refused as invalid: ", ", as is due"},
		{"huge sizes", `{"plan":{"id":4,`, "an exact plan: ", " elements"},
		{"many pieces", `{"plan":{"id":5,`, "an exact plan: 16384 segments", " elements"},
		{"values that are no map", `{"plan":{"id":6,`, "refused as invalid: ", ", as is due"},
		{"a plain case again", `{"plan":{"id":7,`, "an exact plan: 8 segments, 64 elements", ""},
		{"the end of the input", "", "it exited with status 0", ""},
		{"a malformed line", `{"plan":{"id":1,`, "it said what is wrong", ""},
	}
	if len(steps) != len(want) {
		t.Fatalf("%d steps, want %d: %+v", len(steps), len(want), steps)
	}
	for i, step := range steps {
		if w := want[i]; step.Title != w.title || !strings.HasPrefix(step.Sent, w.sent) || !strings.HasPrefix(step.Result, w.begins) || !strings.HasSuffix(step.Result, w.ends) {
			t.Errorf("%s: sent %.40q, result %q; want %+v", step.Title, step.Sent, step.Result, w)
		}
		if step.Problem != "" || step.Advice != "" || step.Log != "" || step.Why == "" {
			t.Errorf("%s: problem %q with advice %q, because %q", step.Title, step.Problem, step.Advice, step.Why)
		}
	}
}

// What else is well, or not, and how it is told. An empty problem is that of a step that is well.
func TestHowAPlannerIsTold(t *testing.T) {
	for _, test := range []struct{ planner, step, result, problem, advice string }{
		{"unfolded", "hello", "takes no selector and no budget", "", ""},
		{"unfolded", "a replicated case", "; it should also be folded: ", "", ""},
		{"any holder", "hello", "reads from a holder of its own choice", "", ""},
		{"any holder", "a replicated case", "an exact plan", "", ""},
		{"highest", "a replicated case", "", "holder: ", `"holder": "any"`},
		{"plans anything", "a malformed line", "", "it answered with a plan", "has no plan"},
		{"exits at malformed", "a malformed line", "it ended: ", "", ""},
		{"mumbles at malformed", "a malformed line", "it said what is wrong", "", ""},
		{"fails malformed", "a malformed line", "it said what is wrong", "", ""},
		{"hangs malformed", "a malformed line", "", "hang: ", "must not stop the program for good"},
	} {
		t.Run(test.planner+"/"+test.step, func(t *testing.T) {
			t.Parallel()
			healthy, steps := examineServed(t, test.planner)
			step := stepOf(t, steps, test.step)
			if !strings.Contains(step.Result, test.result) || !strings.HasPrefix(step.Problem, test.problem) || !strings.Contains(step.Advice, test.advice) {
				t.Errorf("result %q, problem %q, advice %q; want %q, %q, %q", step.Result, step.Problem, step.Advice, test.result, test.problem, test.advice)
			}
			if want := test.problem == ""; step.OK() != want || healthy != want {
				t.Errorf("well %t, the step %t, want %t", healthy, step.OK(), want)
			}
		})
	}
}

// A program that is not there is asked nothing, or nothing each time where it is started for each request.
func TestAProgramThatDoesNotStart(t *testing.T) {
	for once, want := range map[bool]int{false: 1, true: 7} {
		healthy, steps := examine(t, external.Options{Command: []string{"/no/such/planner"}, Once: once})
		if healthy || len(steps) != want {
			t.Errorf("once %t: well %t after %d steps, want %d", once, healthy, len(steps), want)
		}
		for _, step := range steps {
			if step.OK() || !strings.Contains(step.Problem, "/no/such/planner") || !strings.Contains(step.Advice, "is executable") {
				t.Errorf("%s: problem %q with advice %q", step.Title, step.Problem, step.Advice)
			}
		}
	}
}

// An examination that is interrupted asks no more, and tells of nobody that all is well.
func TestAnInterruptedExamination(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	options := external.Options{Command: []string{program}, Env: append(os.Environ(), servingVariable+"=right")}
	for at, want := range map[string]int{"a plain case": 2, "a malformed line": 10} {
		ctx, cancel := context.WithCancel(t.Context())
		steps := 0
		healthy := doctor.Examine(ctx, options, func(step doctor.Step) {
			if steps++; step.Title == at {
				cancel()
			}
		})
		if healthy || steps != want {
			t.Errorf("interrupted after %s: well %t after %d steps, want %d", at, healthy, steps, want)
		}
	}
}

const hello = `read line; echo '{"hello":{"protocol":1,"planner":"p","version":"1"}}'; `

// refuse refuses the request that was read, without the line end.
const refuse = `id=${line#*\"id\":}; printf '{"id":%s,"refused":{"kind":"unsupported","message":"m"}}' "${id%%,*}"`

// Each script is wrong in one way, seen in the step beside it and answered with advice that tells what follows.
func TestWhatIsWrongIsToldWithAdvice(t *testing.T) {
	for _, test := range []struct{ script, step, problem, advice string }{
		{"echo loading; cat", "hello", "", "standard error"},
		{"echo no module >&2; exit 3", "hello", "exit", "last words"},
		{"sleep 60", "hello", "hang: no line within 2s", "flush"},
		{`echo '{"hello":{"protocol":2}}'`, "hello", "protocol", "one line"},
		{hello + "while read line; do echo '{\"id\":99,\"segments\":[]}'; done", "a plain case", "99", "id of its request"},
		{hello + "while read line; do echo '{\"id\":1,\"segments\":[8.5]}'; done", "a plain case", "segments[0]", "integers"},
		{hello + "while read line; do echo '{\"id\":1,\"segments\":[]}'; done", "a plain case", "cover", "written by no segment"},
		{hello + "while read line; do echo '{\"id\":1,\"error\":\"oops\"}'; done", "a plain case", "oops", "refused"},
		{hello + "while read line; do echo step 1 of 3; done", "a plain case", "", "standard error"},
		{hello + "while read line; do " + refuse + "; echo; done; exit 5", "the end of the input", "5", "status 0"},
	} {
		t.Run(test.script, func(t *testing.T) {
			t.Parallel() // they mostly wait
			options := external.Options{Command: []string{"/bin/sh", "-c", test.script}}
			options.Limits = external.Limits{Hello: 2 * time.Second, Answer: 3 * time.Second}
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

// Each command answers one request. The last line end may be left out.
func TestAProgramThatAnswersOnce(t *testing.T) {
	for _, test := range []struct{ script, result, problem, advice string }{
		{"read line; " + refuse, "refused as unsupported: m: neither a pass nor a finding", "", ""},
		{"read line; " + refuse + "; echo", "refused as unsupported: m: neither a pass nor a finding", "", ""},
		{"read line; " + refuse + "; echo; exit 3", "", "exit: ", "exit with status 0"},
		{"read line; " + refuse + "; exit 3", "", "exit: ended with exit status 3", "last words"},
		{"read line; " + refuse + "; kill -9 $$", "", "signal: ", "crashed"},
		{"read line", "", "exit: ", "before it answered"},
		{"read line; echo loading", "", "", "standard error"},
	} {
		healthy, steps := examine(t, external.Options{Command: []string{"/bin/sh", "-c", test.script}, Once: true})
		step := stepOf(t, steps, "a plain case again")
		if len(steps) != 7 || step.Result != test.result || !strings.HasPrefix(step.Problem, test.problem) || !strings.Contains(step.Advice, test.advice) {
			t.Errorf("%s: %d steps, %+v; want %+v", test.script, len(steps), step, test)
		}
		// The corrupt map is refused wrongly in any case: as unsupported, where invalid is due.
		if corrupt := stepOf(t, steps, "a corrupt map"); healthy || corrupt.OK() || step.OK() != (test.advice == "") {
			t.Errorf("%s: well %t, %+v", test.script, healthy, step)
		}
	}
}
