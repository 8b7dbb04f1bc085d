package plan_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shardproof/shardproof/plan"
)

// The files under testdata were written by hand from the examples of the formats: each is what its own value
// is written as.
func TestReadableForm(t *testing.T) {
	for name, rewrite := range map[string]func([]byte) ([]byte, error){
		"map.json": func(text []byte) ([]byte, error) {
			m, err := plan.DecodeMap(text)
			return plan.EncodeMap(m), err
		},
		"plan.json": func(text []byte) ([]byte, error) {
			answer, _, err := plan.DecodePlan(text)
			return plan.EncodePlan(answer), err
		},
		"refusal.json": func(text []byte) ([]byte, error) {
			_, refusal, err := plan.DecodePlan(text)
			return plan.EncodeRefusal(refusal), err
		},
		"case.json":       rewriteCase,
		"case-raw.json":   rewriteCase,
		"case-found.json": rewriteCase,
		"case-hang.json":  rewriteCase,
	} {
		want, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := rewrite(want)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
			t.Errorf("%s: written back differently (-want +got):\n%s", name, diff)
		}
	}
}

func rewriteCase(text []byte) ([]byte, error) {
	c, err := plan.DecodeCase(text)
	return plan.EncodeCase(c), err
}

// Shards are written in the order of their ranks, whatever order they stand in.
func TestOrderOfShards(t *testing.T) {
	shards := []plan.Shard{{Rank: 10}, {Rank: 2}, {Rank: 1, Undeclared: true}}
	m := plan.Map{Shards: shards}
	wantReadable := `{"logical_shape": [],
 "ranks": {
   "1": {"pieces": []},
   "2": {"shard_shape": [],
         "pieces": []},
   "10": {"shard_shape": [],
          "pieces": []}}}
`
	if got := string(plan.EncodeMap(m)); got != wantReadable {
		t.Errorf("readable: got %s, want %s", got, wantReadable)
	}
	// Sorted keys are sorted as text.
	wantCompact := `{"logical_shape":[],"ranks":{"1":{"pieces":[]},"10":{"pieces":[],"shard_shape":[]},"2":{"pieces":[],"shard_shape":[]}}}`
	if got := string(plan.AppendMap(nil, m)); got != wantCompact {
		t.Errorf("compact: got %s, want %s", got, wantCompact)
	}
	if shards[0].Rank != 10 {
		t.Errorf("writing a map reordered its shards: %v", shards)
	}
}

// The compact form was written by Python's json.dumps(..., sort_keys=True, separators=(",", ":")).
func TestCompactRequest(t *testing.T) {
	m, err := plan.DecodeMap([]byte(`{"ranks": {"10": {"pieces": []}, "9": {"shard_shape": [4], "pieces": [
		{"shape": [4], "source": [0, [1]], "dest": [0, [1]], "locations": [9], "scale": 0.5}]}}, "logical_shape": [4]}`))
	if err != nil {
		t.Fatal(err)
	}
	limit := int64(3)
	request := plan.Request{Source: m, Target: plan.Map{LogicalShape: []int64{4}}}
	wantMaps := `"source":{"logical_shape":[4],"ranks":{"10":{"pieces":[]},"9":{"pieces":[{"dest":[0,[1]],"locations":[9],"scale":0.5,"shape":[4],"source":[0,[1]]}],"shard_shape":[4]}}},"target":{"logical_shape":[4],"ranks":{}}}`
	for _, c := range []struct {
		selector plan.Selector
		budget   plan.Budget
		want     string
	}{
		{want: `{`},
		{selector: plan.Selector{Prefer: map[int][]int{10: {1, 0}, 9: {}}}, want: `{"selector":{"prefer":{"10":[1,0],"9":[]}},`},
		{selector: plan.Selector{Policy: plan.PolicyAny}, want: `{"selector":{"policy":"any"},`},
		{selector: plan.Selector{Cost: []plan.Cost{{Source: 1, Target: 0, Cost: 5}}}, want: `{"selector":{"cost":[[1,0,5]]},`},
		{selector: plan.Selector{Cost: []plan.Cost{}}, want: `{"selector":{"cost":[]},`},
		{selector: plan.Selector{Returns: []byte(`1.5`)}, want: `{"selector":{"returns":1.5},`},
		{budget: plan.Budget{MaxSegments: &limit, MaxNdim: &limit}, want: `{"budget":{"max_ndim":3,"max_segments":3},`},
	} {
		request.Selector, request.Budget = c.selector, c.budget
		if got, want := string(plan.CompactRequest(request)), c.want+wantMaps; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestProtocolLines(t *testing.T) {
	moved := int64(768)
	m := plan.Map{LogicalShape: []int64{0}}
	segment := plan.Segment{
		Shape:  []int64{24, 8},
		Source: plan.Endpoint{Rank: 0, View: plan.View{Offset: 64, Strides: []int64{8, 1}}},
		Target: plan.Endpoint{Rank: 1, View: plan.View{Offset: 0, Strides: []int64{8, 1}}},
	}
	maps := `"source":{"logical_shape":[0],"ranks":{}},"target":{"logical_shape":[0],"ranks":{}}`
	request := plan.Request{Source: m, Target: m, Selector: plan.Selector{Policy: plan.PolicyLocal}, Budget: plan.Budget{MaxNdim: &moved}}
	anyHolder := plan.Request{Source: m, Target: m, Selector: plan.Selector{Policy: plan.PolicyAny}}
	for _, c := range []struct{ got, want string }{
		{string(plan.AppendHelloRequest(nil)), `{"hello":{"protocol":1}}`},
		{string(plan.AppendPlanRequest(nil, 17, request)), `{"plan":{"budget":{"max_ndim":768},"id":17,"selector":{"policy":"local"},` + maps + `}}`},
		{string(plan.AppendPlanRequest(nil, 17, anyHolder)), `{"plan":{"id":17,` + maps + `}}`},
		{string(plan.AppendRawRequest(nil, 17, plan.Raw{Source: []byte(`4.7`), Target: []byte(`null`)})), `{"plan":{"id":17,"source":4.7,"target":null}}`},
		{string(plan.AppendHello(nil, plan.Hello{Info: plan.Info{Name: "p", Version: "1.2", Features: []plan.Feature{"prefer", "budget"}}, MaxInflight: 16})),
			`{"hello":{"protocol":1,"planner":"p","version":"1.2","features":["prefer","budget"],"holder":"lowest","max_inflight":16}}`},
		{string(plan.AppendAnswer(nil, 17, plan.Answer{Plan: plan.Plan{Segments: []plan.Segment{segment}}, MovedElements: &moved})),
			`{"id":17,"moved_elements":768,"segments":[{"shape":[24,8],"source":[0,64,[8,1]],"target":[1,0,[8,1]]}]}`},
		{string(plan.AppendAnswer(nil, 1, plan.Answer{Plan: plan.Plan{LogicalShape: []int64{}}})), `{"id":1,"logical_shape":[],"segments":[]}`},
		{string(plan.AppendRefusal(nil, 17, plan.Refuse(plan.Invalid, "a %q\x01\u2028", "b"))), `{"id":17,"refused":{"kind":"invalid","message":"a \"b\"\u0001` + "\u2028" + `"}}`},
		{string(plan.AppendError(nil, 17, "line\nline\t\xff")), `{"id":17,"error":"line\nline\t` + "\ufffd" + `"}`},
	} {
		if c.got != c.want {
			t.Errorf("got  %s\nwant %s", c.got, c.want)
		}
	}
}

// A form that was sent is a form that is read.
func TestProtocolLinesReadBack(t *testing.T) {
	hello := plan.Hello{Info: plan.Info{Name: "p", Version: "1", Features: plan.AllFeatures(), AnyHolder: true}, MaxInflight: 3}
	gotHello, err := plan.DecodeHello(plan.AppendHello(nil, hello))
	if diff := cmp.Diff(hello, gotHello); err != nil || diff != "" {
		t.Errorf("hello: %v (-want +got):\n%s", err, diff)
	}
	greeting, err := plan.DecodeRequestLine(plan.AppendHelloRequest(nil))
	if diff := cmp.Diff(plan.RequestLine{Hello: true}, greeting); err != nil || diff != "" {
		t.Errorf("greeting: %v (-want +got):\n%s", err, diff)
	}
	failed, err := plan.DecodeAnswerLine(plan.AppendError(nil, 5, "no"))
	if diff := cmp.Diff(plan.AnswerLine{ID: 5, Failed: true, Error: "no"}, failed); err != nil || diff != "" {
		t.Errorf("error: %v (-want +got):\n%s", err, diff)
	}
	refused, err := plan.DecodeAnswerLine(plan.AppendRefusal(nil, 6, plan.Refuse(plan.OverBudget, "m")))
	if diff := cmp.Diff(plan.AnswerLine{ID: 6, Refusal: &plan.Refusal{Kind: plan.OverBudget, Message: "m"}}, refused); err != nil || diff != "" {
		t.Errorf("refusal: %v (-want +got):\n%s", err, diff)
	}
	broken, err := plan.DecodeAnswerLine([]byte(`{"id": 7, "segments": [1]}`))
	if err == nil || broken.ID != 7 {
		t.Errorf("a broken answer: got id %d and %v, want id 7 and an error", broken.ID, err)
	}
}
