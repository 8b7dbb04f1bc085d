package plan_test

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/shardproof/shardproof/plan/schema"
)

// schemaOf is the published schema of what a decoder reads.
func schemaOf(t *testing.T, decode func(string) error) *jsonschema.Schema {
	t.Helper()
	for name, reader := range map[string]func(string) error{
		"map": decodeMap, "case": decodeCase, "plan": decodePlan, "answer": decodeAnswer, "hello": decodeHello,
		"request": decodeAsk, "document": decodeDoc,
	} {
		if reflect.ValueOf(reader).Pointer() != reflect.ValueOf(decode).Pointer() {
			continue
		}
		text, _ := schema.Of(name)
		parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		compiler := jsonschema.NewCompiler()
		if err := compiler.AddResource("mem:"+name, parsed); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return compiler.MustCompile("mem:" + name)
	}
	t.Fatal("no schema for this decoder")
	return nil
}

// beyondSchemas are the problems that no schema can tell: of the text itself, of keys and pairs that are given
// twice, of integers that are written as other numbers are, of a rank past int64, and of how deep a free value goes.
var beyondSchemas = regexp.MustCompile(
	`line [0-9]+: |given twice|has a cost already|\.0 is no integer|[0-9][eE].* is no integer|too large|half a surrogate|nested more than`)

// refusedBySchema checks that a text which the codec refuses is not of its schema either, where a schema can tell.
// A text that is no JSON at all has no value to judge.
func refusedBySchema(t *testing.T, schema *jsonschema.Schema, text, problem string) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil || beyondSchemas.MatchString(problem) {
		return
	}
	if schema.Validate(value) == nil {
		t.Errorf("%q: the codec says %q, and the schema takes it", text, problem)
	}
}

func readBySchema(t *testing.T, schema *jsonschema.Schema, text string) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return // such as half a surrogate pair in a free value, which Go's own reader of JSON replaces
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%q: the codec reads it, and the schema does not take it: %v", text, err)
	}
}
