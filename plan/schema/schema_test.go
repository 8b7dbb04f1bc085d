package schema_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/shardproof/shardproof/gen"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/reference"
	"github.com/shardproof/shardproof/plan/schema"
)

// compiled are the schemas, each alone as its reader gets it.
func compiled(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	all := map[string]*jsonschema.Schema{}
	for _, name := range schema.Names() {
		text, ok := schema.Of(name)
		if !ok {
			t.Fatalf("no schema %s", name)
		}
		parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		compiler := jsonschema.NewCompiler()
		if err := compiler.AddResource("mem:"+name, parsed); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if all[name], err = compiler.Compile("mem:" + name); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return all
}

func valueOf(t *testing.T, text []byte) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return value
}

func TestNamesAreSortedAndUnknownOnesHaveNoSchema(t *testing.T) {
	if names := schema.Names(); !slices.IsSorted(names) || len(names) == 0 {
		t.Errorf("names %v", names)
	}
	if _, ok := schema.Of("piece"); ok {
		t.Error("a part has a schema of its own")
	}
}

func TestEveryCaseFileIsOfItsSchema(t *testing.T) {
	cases := compiled(t)["case"]
	checked := 0
	err := filepath.WalkDir("../../corpus", func(path string, entry os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".json") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := cases.Validate(valueOf(t, text)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		checked++
		return nil
	})
	if err != nil || checked < 300 {
		t.Errorf("%d files, %v", checked, err)
	}
}

// Whatever the codec writes of a drawn case is of the form that the schemas say.
func TestWhatTheCodecWritesIsOfItsSchema(t *testing.T) {
	all := compiled(t)
	holds := func(name string, text []byte) {
		t.Helper()
		if err := all[name].Validate(valueOf(t, text)); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
	holds("hello", plan.AppendHello(nil, plan.Hello{Info: reference.Info(), MaxInflight: 3}))
	holds("request", plan.AppendHelloRequest(nil))
	holds("answer", plan.AppendError(nil, 1, "why"))
	readable := 0
	for n := range uint64(150) {
		choose := gen.Seeded(gen.CaseSeed(1, n))
		c := gen.Case(choose)
		if n%3 == 0 {
			c = gen.Corrupted(choose)
		}
		c.Name = "drawn"
		// A request may have a negative rank, which has no file form.
		if written := plan.EncodeCase(c); decodeCase(written) == nil {
			readable++
			holds("case", written)
			holds("map", plan.EncodeMap(c.Source))
			holds("request", plan.AppendPlanRequest(nil, 1, c.Request))
		}
		answer, err := reference.Planner{}.Plan(t.Context(), c.Request)
		if refusal, ok := err.(*plan.Refusal); ok {
			holds("answer", plan.AppendRefusal(nil, 1, refusal))
			holds("plan", plan.EncodeRefusal(refusal))
			continue
		}
		holds("answer", plan.AppendAnswer(nil, 1, answer))
		holds("plan", plan.EncodePlan(answer))
	}
	if readable < 140 {
		t.Errorf("only %d of the cases have a file form", readable)
	}
}

// whole is a text of each form that uses every field, and how the codec reads it.
var whole = []struct {
	schema string
	decode func([]byte) error
	text   string
}{
	{"case", decodeCase, `{"version": 1, "name": "n", "source": ` + aMap + `, "target": ` + aMap + `, "selector": {"prefer": {"0": [1]}},
		"budget": {"max_ndim": 1, "max_segments": 2}, "expect": {"outcome": "exact", "segments": 1, "moved_elements": 4},
		"found": {"planner": "p", "seed": "7", "broken": ["values"], "plan": {"segments": [` + aSegment + `]}}, "origin": "here"}`},
	{"case", decodeCase, `{"version": 1, "name": "n", "raw": {"source": 4, "target": [1]}, "expect": {"outcome": "refused", "kind": ["invalid"]}}`},
	{"case", decodeCase, `{"version": 1, "name": "n", "source": ` + aMap + `, "target": ` + aMap + `, "selector": {"cost": [[0, 1, 2]]},
		"expect": {"outcome": "refused", "kind": "invalid"}, "found": {"fault": "hang"}}`},
	{"map", decodeMap, aMap},
	{"document", decodeDocument, `{"affine_map": {"version": 1, "params": {"^a$": ` + aMap + `}}}`},
	{"document", decodeDocument, `{"version": 1, "params": {"a": ` + aMap + `}}`},
	{"plan", decodePlan, `{"logical_shape": [4], "segments": [` + aSegment + `], "moved_elements": 4}`},
	{"plan", decodePlan, `{"refused": {"kind": "budget", "message": "m"}}`},
	{"request", decodeRequest, `{"plan": {"id": 1, "source": ` + aMap + `, "target": ` + aMap + `, "selector": {"policy": "local"}, "budget": {"max_plan_bytes": 4}}}`},
	{"request", decodeRequest, `{"hello": {"protocol": 1}}`},
	{"hello", decodeHello, `{"hello": {"protocol": 1, "planner": "p", "version": "1", "features": ["cost"], "holder": "any", "max_inflight": 3}}`},
	{"answer", decodeAnswer, `{"id": 1, "logical_shape": [4], "segments": [` + aSegment + `], "moved_elements": 4}`},
	{"answer", decodeAnswer, `{"id": 1, "refused": {"kind": "invalid", "message": "m"}}`},
	{"answer", decodeAnswer, `{"id": 1, "error": "e"}`},
}

const (
	aMap = `{"logical_shape": [4], "ranks": {"0": {"shard_shape": [4], "pieces": [
		{"shape": [4], "source": [0, [1]], "dest": [0, [1]], "locations": [0, 1], "scale": 0.5}]}, "12": {}}}`
	aSegment = `{"shape": [4], "source": [0, 0, [1]], "target": [1, 0, [1]]}`
)

func decodeCase(text []byte) error     { _, err := plan.DecodeCase(text); return err }
func decodeMap(text []byte) error      { _, err := plan.DecodeMap(text); return err }
func decodeDocument(text []byte) error { _, err := plan.DecodeDocument(text); return err }
func decodePlan(text []byte) error     { _, _, err := plan.DecodePlan(text); return err }
func decodeRequest(text []byte) error  { _, err := plan.DecodeRequestLine(text); return err }
func decodeHello(text []byte) error    { _, err := plan.DecodeHello(text); return err }
func decodeAnswer(text []byte) error   { _, err := plan.DecodeAnswerLine(text); return err }

// The schema and the codec agree on each form, and on each way to change one value of it: left out, given another
// type, negative, huge, or joined by a field or an entry more.
func TestSchemaAndCodecAgree(t *testing.T) {
	all := compiled(t)
	agreed := [2]int{}
	for _, row := range whole {
		check := func(text []byte) {
			codec := row.decode(text)
			err := all[row.schema].Validate(valueOf(t, text))
			if (codec == nil) != (err == nil) {
				t.Errorf("%s: the codec says %v, the schema %v\n%s", row.schema, codec, err, text)
			} else if codec == nil {
				agreed[0]++
			} else {
				agreed[1]++
			}
		}
		check([]byte(row.text))
		var value any
		decoder := json.NewDecoder(strings.NewReader(row.text))
		decoder.UseNumber()
		if err := decoder.Decode(&value); err != nil {
			t.Fatal(err)
		}
		eachChange(value, func(changed any) {
			text, err := json.Marshal(changed)
			if err != nil {
				t.Fatal(err)
			}
			check(text)
		})
	}
	if agreed[0] < 100 || agreed[1] < 1000 {
		t.Errorf("agreed on %d right texts and %d wrong ones; that is too few to show anything", agreed[0], agreed[1])
	}
}

// others are what a value is changed to. No integral float is among them: a schema takes it for an integer.
var others = []any{
	nil, true, "x", "exact", "refused", "budget", json.Number("-1"), json.Number("0"), json.Number("2"), json.Number("1.5"),
	json.Number("9223372036854775808"), json.Number("1e999"), []any{}, []any{json.Number("1")}, []any{json.Number("1"), json.Number("1")},
	map[string]any{}, map[string]any{"x": json.Number("1")},
}

// eachChange visits copies of a value that differ from it in one place.
func eachChange(value any, visit func(any)) {
	for _, other := range others {
		visit(other)
	}
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			without := maps.Clone(value)
			delete(without, key)
			visit(without)
			renamed := maps.Clone(without)
			renamed["0"+key] = value[key]
			visit(renamed)
			eachChange(value[key], func(changed any) {
				copied := maps.Clone(value)
				copied[key] = changed
				visit(copied)
			})
		}
		for _, key := range []string{"extra", "segments", "refused", "error", "fault", "raw", "7"} {
			more := maps.Clone(value)
			if _, given := more[key]; !given {
				more[key] = []any{}
				visit(more)
			}
		}
	case []any:
		for i := range value {
			visit(slices.Delete(slices.Clone(value), i, i+1))
			eachChange(value[i], func(changed any) {
				copied := slices.Clone(value)
				copied[i] = changed
				visit(copied)
			})
		}
		visit(append(slices.Clone(value), json.Number("3")))
	}
}
