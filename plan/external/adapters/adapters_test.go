package adapters

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/corpus"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/props"
)

var update = flag.Bool("update", false, "record each exchange anew, of the planners that are installed")

// An adapter is a folder, and the package whose presence means that its planner can be run.
type adapter struct {
	folder       string
	distribution string
}

var adapters = []adapter{
	{"awex", "awex"},
	{"deepspeed", "deepspeed"},
	{"megatron", "megatron-core"},
	{"modelexpress", "modelexpress"},
	{"mooncake", "mooncake-transfer-engine-non-cuda"},
	{"torch_dcp", "torch"},
}

// exchanged are the corpus cases that every adapter was asked, those that its planner has the features for.
var exchanged = []string{
	"accepted-empty-shard-empty-piece",
	"accepted-more-ranks-than-rows",
	"accepted-scalar",
	"accepted-sparse-ranks",
	"accepted-zero-extent",
	"bigcode-48x8-2-to-4",
	"columns-8x24-1-to-4",
	"columns-8x24-4-to-2",
	"experts-replicated",
	"experts-uneven-empty",
	"fault-03-both-at-0",
	"fault-04-two-claim-zero",
	"fault-19-no-map",
	"flat-to-rows",
	"fused-12x8-2-to-4",
	"fused-12x8-4-to-2",
	"grid-2x2-to-3x1",
	"headmod-8x64-2-to-4",
	"hsdp-2x2",
	"huge-bytes-past-2-to-32",
	"replicated-5x6-4-to-2",
	"rows-11x8-2-to-4",
	"rows-8x8-2-to-4",
	"rows-8x8-4-to-1",
}

func TestModule(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3: the helper module's own tests need it")
	}
	tests := exec.Command(python, "-m", "unittest", "shardproof_adapter_test")
	if output, err := tests.CombinedOutput(); err != nil {
		t.Errorf("%v in plan/external/adapters: %v\n%s", tests.Args, err, output)
	}
}

// Every recorded answer is right, as the corpus case says. Needs neither Python nor any planner.
func TestExchange(t *testing.T) {
	for _, a := range adapters {
		t.Run(a.folder, func(t *testing.T) {
			lines := recorded(t, a)
			hello, cases := askable(t, lines)
			for i, c := range cases {
				asked, answered := lines[2*i+2], lines[2*i+3]
				if got := request(t, int64(i+1), c); !bytes.Equal(got, asked) {
					t.Fatalf("case %s is no longer what was asked: record again with -update", c.Name)
				}
				if verdict := judge(t, c, hello, int64(i+1), answered); verdict.Outcome == props.Broken {
					t.Errorf("case %s: %s\nanswer %s", c.Name, verdict.Detail, answered)
				}
			}
		})
	}
}

// The planners that are installed answer as recorded.
func TestExchangeAgain(t *testing.T) {
	for _, a := range adapters {
		t.Run(a.folder, func(t *testing.T) {
			python := pythonWith(t, a)
			if *update {
				record(t, a, python)
			}
			lines := recorded(t, a)
			var asked [][]byte
			for i := 0; i < len(lines); i += 2 {
				asked = append(asked, lines[i])
			}
			for i, answer := range run(t, a, python, asked) {
				if difference := cmp.Diff(string(lines[2*i+1]), string(answer)); difference != "" {
					t.Errorf("request %s\nanswered otherwise than recorded (-recorded +now):\n%s", asked[i], difference)
				}
			}
		})
	}
}

// judge reads an answer line and judges it.
func judge(t *testing.T, c plan.Case, hello plan.Hello, id int64, line []byte) props.Verdict {
	t.Helper()
	answer, err := plan.DecodeAnswerLine(line)
	switch {
	case err != nil:
		t.Fatalf("case %s: %v: %s", c.Name, err, line)
	case answer.ID != id || answer.Failed:
		t.Fatalf("case %s, request %d: %s", c.Name, id, line)
	case answer.Refusal != nil:
		return props.Judge(c, plan.Answer{}, answer.Refusal)
	}
	if hello.AnyHolder {
		c.Selector = plan.Selector{Policy: plan.PolicyAny}
	}
	return props.Judge(c, answer.Answer, nil)
}

// recorded returns the lines of a recorded exchange, each request followed by its answer.
func recorded(t *testing.T, a adapter) [][]byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(a.folder, "exchange.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	if len(lines) < 4 || len(lines)%2 != 0 {
		t.Fatalf("%s: %d lines, not pairs of a request and an answer", a.folder, len(lines))
	}
	return lines
}

// askable reads the greeting and lists the cases that were asked after it.
func askable(t *testing.T, lines [][]byte) (plan.Hello, []plan.Case) {
	t.Helper()
	if want := plan.AppendHelloRequest(nil); !bytes.Equal(lines[0], want) {
		t.Fatalf("the first request is %s, not %s", lines[0], want)
	}
	hello, err := plan.DecodeHello(lines[1])
	if err != nil {
		t.Fatal(err)
	}
	cases := casesFor(t)
	if len(lines) != 2+2*len(cases) {
		t.Fatalf("%d lines for %d cases: record again with -update", len(lines), len(cases))
	}
	return hello, cases
}

// casesFor returns the exchanged cases in their order.
func casesFor(t *testing.T) []plan.Case {
	t.Helper()
	byName := map[string]plan.Case{}
	for _, file := range corpus.All() {
		byName[file.Case.Name] = file.Case
	}
	var cases []plan.Case
	for _, name := range exchanged {
		c, ok := byName[name]
		if !ok {
			t.Fatalf("the corpus has no case %s", name)
		}
		cases = append(cases, c)
	}
	return cases
}

// request is the line that asks about a case.
func request(t *testing.T, id int64, c plan.Case) []byte {
	t.Helper()
	if c.Raw == nil {
		return plan.AppendPlanRequest(nil, id, c.Request)
	}
	var line bytes.Buffer
	if err := json.Compact(&line, plan.AppendRawRequest(nil, id, *c.Raw)); err != nil {
		t.Fatal(err)
	}
	return line.Bytes()
}

// record asks a planner and writes what it answers.
func record(t *testing.T, a adapter, python string) {
	t.Helper()
	asked := [][]byte{plan.AppendHelloRequest(nil)}
	for i, c := range casesFor(t) {
		asked = append(asked, request(t, int64(i+1), c))
	}
	var text []byte
	for i, answer := range run(t, a, python, asked) {
		text = append(append(text, asked[i]...), '\n')
		text = append(append(text, answer...), '\n')
	}
	if err := os.WriteFile(filepath.Join(a.folder, "exchange.jsonl"), text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// run gives an adapter all requests at once and returns its answers, one each.
func run(t *testing.T, a adapter, python string, asked [][]byte) [][]byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	planner := exec.CommandContext(ctx, python, filepath.Join(a.folder, "planner.py"))
	planner.Stdin = bytes.NewReader(append(bytes.Join(asked, []byte("\n")), '\n'))
	var log bytes.Buffer
	planner.Stderr = &log
	output, err := planner.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", planner.Args, err, log.Bytes())
	}
	answers := bytes.Split(bytes.TrimSuffix(output, []byte("\n")), []byte("\n"))
	if len(answers) != len(asked) {
		t.Fatalf("%v: %d answers to %d requests\n%s", planner.Args, len(answers), len(asked), log.Bytes())
	}
	return answers
}

// peersVariable names a virtual environment to look for planners in, before those that the Makefile makes.
const peersVariable = "SHARDPROOF_PEERS"

// pythonWith returns the interpreter of an environment that has an adapter's planner. Without one it skips the test.
func pythonWith(t *testing.T, a adapter) string {
	t.Helper()
	const root = "../../.."
	for _, folder := range []string{os.Getenv(peersVariable), root + "/.venv", root + "/.venv-all"} {
		python := filepath.Join(folder, "bin", "python")
		probe := "import importlib.metadata as m; m.version('" + a.distribution + "')"
		if folder != "" && exec.Command(python, "-c", probe).Run() == nil {
			return python
		}
	}
	t.Skipf("%s is installed neither in %s nor in .venv or .venv-all: see %s/README.md", a.distribution, peersVariable, a.folder)
	return ""
}
