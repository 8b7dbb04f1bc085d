package external_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/external"
)

// testeeVariable makes this test program a planner that behaves as its value says.
const testeeVariable = "SHARDPROOF_TESTEE"

func TestMain(m *testing.M) {
	if kind := os.Getenv(testeeVariable); kind != "" {
		testee(kind)
		return
	}
	os.Exit(m.Run())
}

// poison is the logical shape of a request on which some testees break.
const poison = 666

// testee speaks the protocol up to the point at which its kind breaks it.
func testee(kind string) {
	if kind == "log" {
		fmt.Fprintln(os.Stderr, strings.Repeat("a long log\n", 10000)+"last words")
	}
	input := bufio.NewReader(os.Stdin)
	for {
		text, err := input.ReadBytes('\n')
		if err != nil {
			if kind == "status at end" {
				os.Exit(7)
			}
			return
		}
		line, err := plan.DecodeRequestLine(text)
		if err != nil {
			panic(err)
		}
		if line.Hello {
			sayHello(kind)
			continue
		}
		broken := !slices.Contains([]string{"poison", "poison drop"}, kind) || line.Source.LogicalShape[0] == poison
		if !broken || !misbehave(kind, line.ID) {
			fmt.Printf("{\"id\":%d,\"segments\":[],\"moved_elements\":%d}\n", line.ID, line.Source.LogicalShape[0])
		}
		switch kind {
		case "once":
			return
		case "exit after an answer":
			os.Exit(3)
		}
	}
}

func sayHello(kind string) {
	switch kind {
	case "hello exit":
		fmt.Fprintln(os.Stderr, "no module named torch")
		os.Exit(3)
	case "hello hang":
		time.Sleep(time.Minute)
	case "hello noise":
		fmt.Println("loading kernels ...")
	case "hello protocol 2":
		fmt.Println(`{"hello":{"protocol":2,"planner":"testee","version":"1"}}`)
	default:
		fmt.Println(`{"hello":{"protocol":1,"planner":"testee","version":"1","features":["prefer"],"holder":"any","max_inflight":16}}`)
	}
}

// misbehave reports whether it has spoken, or not, in place of a right answer.
func misbehave(kind string, id int64) bool {
	switch kind {
	case "exit", "poison":
		fmt.Fprintln(os.Stderr, "about to exit")
		os.Exit(3)
	case "exit 0":
		os.Exit(0)
	case "signal":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		time.Sleep(time.Minute)
	case "hang", "poison drop":
		time.Sleep(time.Minute)
	case "half a line":
		fmt.Printf(`{"id":%d,"segm`, id)
		os.Exit(0)
	case "noise":
		fmt.Println("step 1 of 3")
	case "another id":
		fmt.Printf("{\"id\":%d,\"segments\":[]}\n", id+1000)
	case "twice":
		fmt.Printf("{\"id\":%d,\"segments\":[]}\n{\"id\":%d,\"segments\":[]}\n", id, id)
		time.Sleep(time.Minute)
	case "NaN":
		fmt.Printf("{\"id\":%d,\"segments\":[],\"moved_elements\":NaN}\n", id)
	case "float":
		fmt.Printf("{\"id\":%d,\"segments\":[],\"moved_elements\":8.0}\n", id)
	case "unknown field":
		fmt.Printf("{\"id\":%d,\"segments\":[],\"note\":1}\n", id)
	case "flood":
		for chunk := strings.Repeat("x", 1<<16); ; {
			if _, err := os.Stdout.WriteString(chunk); err != nil {
				time.Sleep(time.Minute)
			}
		}
	case "closed output":
		os.Stdout.Close()
		time.Sleep(time.Minute)
	case "closed input":
		os.Stdin.Close()
		time.Sleep(time.Minute)
	case "drip":
		for {
			fmt.Print("x")
			time.Sleep(20 * time.Millisecond)
		}
	case "orphan":
		child := exec.Command("sleep", "60")
		child.Stdout = os.Stdout
		child.Start()
		os.Exit(4)
	case "error":
		fmt.Printf("{\"id\":%d,\"error\":\"division by zero\"}\n", id)
	default:
		return false
	}
	return true
}

func open(t *testing.T, kind string, change func(*external.Options)) (*external.Planner, error) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	options := external.Options{
		Command: []string{program},
		Env:     append(os.Environ(), testeeVariable+"="+kind),
		// A loaded machine is slow: only what is to run into a time limit has a short one.
		Limits: external.Limits{Hello: 30 * time.Second, Answer: 30 * time.Second, LineBytes: 1 << 20, LogBytes: 64},
	}
	if slices.Contains([]string{"hang", "poison drop", "closed input", "drip"}, kind) {
		options.Limits.Answer = 400 * time.Millisecond
	}
	if kind == "hello hang" {
		options.Limits.Hello = 400 * time.Millisecond
	}
	if change != nil {
		change(&options)
	}
	return external.Open(t.Context(), options)
}

func request(extent int64) plan.Request {
	m := plan.Map{LogicalShape: []int64{extent}, Shards: []plan.Shard{{Rank: 0, Shape: []int64{extent}}}}
	return plan.Request{Source: m, Target: m}
}

func TestEveryProcessFaultIsNamed(t *testing.T) {
	for _, test := range []struct{ kind, name, detail string }{
		{"exit", "exit", "exit status 3"},
		{"exit 0", "exit", "exit status 0"},
		{"signal", "signal", "killed"},
		{"hang", "hang", "no answer within"},
		{"half a line", "exit", "within a line"},
		{"noise", "not an answer", "step 1 of 3"},
		{"another id", "another id", "1001"},
		{"NaN", "not an answer", "moved_elements"},
		{"float", "not an answer", "moved_elements"},
		{"unknown field", "not an answer", "note"},
		{"flood", "line too long", "1 MiB"},
		{"closed output", "closed its output", "goes on running"},
		{"closed input", "hang", "no answer within"},
		{"drip", "hang", "no answer within"},
		{"orphan", "exit", "exit status 4"},
		{"error", "error", "division by zero"},
	} {
		t.Run(test.kind, func(t *testing.T) {
			t.Parallel()
			planner, err := open(t, test.kind, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer planner.Close()
			_, err = planner.Plan(t.Context(), request(8))
			var fault *plan.Fault
			if !errors.As(err, &fault) || fault.Name != test.name || !strings.Contains(fault.Detail, test.detail) {
				t.Errorf("Plan: %v, want a fault %q that tells %q", err, test.name, test.detail)
			}
		})
	}
}

func TestAnAnswerGivenTwiceIsFoundByTheNextRequest(t *testing.T) {
	planner, err := open(t, "twice", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer planner.Close()
	for range 2 {
		_, err = planner.Plan(t.Context(), request(8))
		time.Sleep(50 * time.Millisecond) // the second answer may come after the first was taken
	}
	var fault *plan.Fault
	if !errors.As(err, &fault) || fault.Name != "answered twice" {
		t.Errorf("second Plan: %v, want the fault \"answered twice\"", err)
	}
}

func TestAProgramThatCannotBeRunIsAnErrorAndNoFault(t *testing.T) {
	for _, test := range []struct{ kind, text string }{
		{"hello exit", "no module named torch"},
		{"hello hang", "no hello within"},
		{"hello noise", "loading kernels"},
		{"hello protocol 2", "only 1 is known"},
	} {
		_, err := open(t, test.kind, nil)
		var fault *plan.Fault
		if err == nil || errors.As(err, &fault) || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: Open: %v, want an error that tells %q", test.kind, err, test.text)
		}
	}
	if _, err := external.Open(t.Context(), external.Options{Command: []string{"/no/such/program"}}); err == nil {
		t.Error("Open of no program: no error")
	}
}

func TestTheRestartBudgetEndsAPlannerThatOnlyDies(t *testing.T) {
	planner, err := open(t, "exit", func(o *external.Options) { o.Limits.Restarts = 3 })
	if err != nil {
		t.Fatal(err)
	}
	defer planner.Close()
	faults := 0
	for range 10 {
		_, err = planner.Plan(t.Context(), request(8))
		if fault := new(plan.Fault); !errors.As(err, &fault) {
			break
		}
		faults++
	}
	var start *external.StartError
	if !errors.As(err, &start) || !strings.Contains(err.Error(), "about to exit") || faults != 4 {
		t.Errorf("after %d faults: %v, want a start error after 4 that tells the last words", faults, err)
	}
}

// In a window of sixteen requests only the one that breaks the planner is blamed; the others are answered.
func TestOnlyTheCulpritOfAWindowIsBlamed(t *testing.T) {
	for kind, name := range map[string]string{"poison": "exit", "poison drop": "hang"} {
		planner, err := open(t, kind, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer planner.Close()
		var all sync.WaitGroup
		for extent := poison - 40; extent < poison+40; extent++ {
			all.Go(func() {
				answer, err := planner.Plan(t.Context(), request(int64(extent)))
				var fault *plan.Fault
				switch {
				case extent == poison && (!errors.As(err, &fault) || fault.Name != name):
					t.Errorf("%s: the poisoned request: %v, want the fault %q", kind, err, name)
				case extent != poison && err != nil:
					t.Errorf("%s: request %d: %v", kind, extent, err)
				case extent != poison && *answer.MovedElements != int64(extent):
					t.Errorf("%s: request %d has the answer of %d", kind, extent, *answer.MovedElements)
				}
			})
		}
		all.Wait()
	}
}

func TestHelloTellsOfThePlanner(t *testing.T) {
	planner, err := open(t, "right", func(o *external.Options) { o.Processes = 2 })
	if err != nil {
		t.Fatal(err)
	}
	want := plan.Info{Name: "testee", Version: "1", Features: []plan.Feature{plan.FeaturePrefer}, AnyHolder: true}
	if diff := cmp.Diff(want, planner.Info()); diff != "" {
		t.Errorf("Info (-want +got):\n%s", diff)
	}
	if planner.Inflight() != 32 {
		t.Errorf("Inflight = %d, want 2 processes of 16", planner.Inflight())
	}
	if err := planner.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func TestTheEndOfInputIsToEndThePlanner(t *testing.T) {
	planner, err := open(t, "status at end", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := planner.Close(); err == nil || !strings.Contains(err.Error(), "exit status 7") {
		t.Errorf("Close: %v, want the fault that tells exit status 7", err)
	}
}

// Whether the end of a planner is seen before Close or by it.
func TestAPlannerThatEndsAfterItsLastAnswerIsAtFault(t *testing.T) {
	for wait := range 10 {
		planner, err := open(t, "exit after an answer", nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := planner.Plan(t.Context(), request(8)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(wait) * 5 * time.Millisecond)
		if err := planner.Close(); err == nil || !strings.Contains(err.Error(), "exit status 3") {
			t.Errorf("after %d ms, Close: %v, want the fault that tells exit status 3", 5*wait, err)
		}
	}
}

func TestTheLastWordsAreKept(t *testing.T) {
	planner, err := open(t, "log", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := planner.Plan(t.Context(), request(8)); err != nil {
		t.Errorf("a planner that logs much: %v", err)
	}
	planner.Close()
}

func TestOnceRunsAProcessARequest(t *testing.T) {
	once := func(o *external.Options) { o.Once = true }
	planner, err := open(t, "once", once)
	if err != nil {
		t.Fatal(err)
	}
	for extent := range int64(3) {
		answer, err := planner.Plan(t.Context(), request(extent+1))
		if err != nil || *answer.MovedElements != extent+1 {
			t.Errorf("request %d: %v, %v", extent+1, answer, err)
		}
	}
	for kind, name := range map[string]string{
		"exit": "exit", "hang": "hang", "noise": "not an answer", "another id": "another id",
		"flood": "line too long", "status at end": "exit", "orphan": "exit", "error": "error",
	} {
		planner, err := open(t, kind, once)
		if err != nil {
			t.Fatal(err)
		}
		_, err = planner.Plan(t.Context(), request(8))
		var fault *plan.Fault
		if !errors.As(err, &fault) || fault.Name != name {
			t.Errorf("%s: %v, want the fault %q", kind, err, name)
		}
	}
}

func TestNoProcessOutlivesItsPlanner(t *testing.T) {
	mark := "SHARDPROOF_MARK=" + strconv.Itoa(os.Getpid())
	for _, kind := range []string{"hang", "orphan", "right"} {
		planner, err := open(t, kind, func(o *external.Options) { o.Env = append(o.Env, mark) })
		if err != nil {
			t.Fatal(err)
		}
		planner.Plan(t.Context(), request(8))
		planner.Close()
	}
	deadline := time.Now().Add(5 * time.Second)
	for len(marked(mark)) > 0 {
		if time.Now().After(deadline) {
			t.Fatalf("processes left: %v", marked(mark))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// marked lists the processes with a word in their environment, where the system tells.
func marked(mark string) []string {
	entries, _ := os.ReadDir("/proc")
	var found []string
	for _, entry := range entries {
		environment, err := os.ReadFile("/proc/" + entry.Name() + "/environ")
		if err == nil && strings.Contains(string(environment), mark) {
			found = append(found, entry.Name())
		}
	}
	return found
}

func TestServeAnswersWhatAPlannerAnswers(t *testing.T) {
	moved := int64(3)
	planner := plan.PlannerFunc(func(_ context.Context, r plan.Request) (plan.Answer, error) {
		switch r.Source.LogicalShape[0] {
		case 1:
			return plan.Answer{}, plan.Refuse(plan.Unsupported, "one")
		case 2:
			return plan.Answer{}, errors.New("two")
		}
		return plan.Answer{MovedElements: &moved}, nil
	})
	input := append(plan.AppendHelloRequest(nil), '\n')
	for extent := range int64(3) {
		input = append(plan.AppendPlanRequest(input, extent+1, request(extent+1)), '\n')
	}
	input = append(input, `{"plan":{"id":9,"source":{"logical_shape":[4.7]}}}`...)
	var output strings.Builder
	hello := plan.Hello{Info: plan.Info{Name: "ours", Version: "1"}, MaxInflight: 4}
	if err := external.Serve(t.Context(), strings.NewReader(string(input)), &output, planner, hello); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(output.String()), "\n")
	for i, want := range []string{`"planner":"ours"`, `"kind":"unsupported"`, `"error":"two"`, `"moved_elements":3`, `"kind":"invalid"`} {
		if i >= len(lines) || !strings.Contains(lines[i], want) {
			t.Errorf("line %d of %q: want %s", i, lines, want)
		}
	}
	if err := external.Serve(t.Context(), strings.NewReader("garbage\n"), &output, planner, hello); err == nil {
		t.Error("Serve of garbage: no error")
	}
}

// A round trip's cost, sixteen requests in flight, to a planner that does nothing.
func BenchmarkRoundTrip(b *testing.B) {
	program, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	planner, err := external.Open(b.Context(), external.Options{
		Command: []string{program}, Env: append(os.Environ(), testeeVariable+"=right"),
	})
	if err != nil {
		b.Fatal(err)
	}
	defer planner.Close()
	var next sync.Mutex
	left := b.N
	var all sync.WaitGroup
	for range planner.Inflight() {
		all.Go(func() {
			for {
				next.Lock()
				left--
				extent := int64(left) + 1
				next.Unlock()
				if extent < 1 {
					return
				}
				if answer, err := planner.Plan(b.Context(), request(extent)); err != nil || *answer.MovedElements != extent {
					b.Errorf("request %d: %v, %v", extent, answer, err)
				}
			}
		})
	}
	all.Wait()
}

// A planner at the other end of two streams, such as the program that started this one, is judged as a process is.
func TestStreamsInPlaceOfAProgram(t *testing.T) {
	requests, requestsEnd := io.Pipe()
	answersEnd, answers := io.Pipe()
	moved := int64(5)
	planner := plan.PlannerFunc(func(_ context.Context, r plan.Request) (plan.Answer, error) {
		if r.Source.LogicalShape[0] == poison {
			answers.Close()
		}
		return plan.Answer{MovedElements: &moved}, nil
	})
	go external.Serve(context.Background(), requests, answers, planner, plan.Hello{Info: plan.Info{Name: "n", Version: "1"}, MaxInflight: 1})
	judged, err := external.Open(t.Context(), external.Options{Streams: &external.Streams{Requests: requestsEnd, Answers: answersEnd}})
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := judged.Plan(t.Context(), request(8)); err != nil || *answer.MovedElements != moved {
		t.Errorf("Plan: %v, %v", answer, err)
	}
	var fault *plan.Fault
	if _, err := judged.Plan(t.Context(), request(poison)); !errors.As(err, &fault) || fault.Name != "exit" {
		t.Errorf("Plan when the stream ends: %v, want the fault exit", err)
	}
	var start *external.StartError
	if _, err := judged.Plan(t.Context(), request(8)); !errors.As(err, &start) {
		t.Errorf("Plan after the stream ended: %v, want a start error", err)
	}
}
