package plan_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shardproof/shardproof/plan"
)

// FuzzDecodeCase gives any bytes to every reader. None crashes; an error is one line; and what is read is JSON,
// and is written and read again as the same value.
func FuzzDecodeCase(f *testing.F) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	for _, text := range []string{
		`{"version": 1, "params": {"^a$": ` + mapWith(piece) + `}}`,
		`{"id": 17, "segments": [], "moved_elements": 1}`,
		`{"hello": {"protocol": 1, "planner": "p", "version": "1", "features": ["budget"], "holder": "any", "max_inflight": 2}}`,
		`{"plan": {"id": 1, "source": ` + mapWith(piece) + `, "target": ` + mapWith(piece) + `, "selector": {"cost": [[0, 1, 2]]}, "budget": {"max_ndim": 8}}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		rereads(t, text, plan.DecodeCase, plan.EncodeCase)
		rereads(t, text, plan.DecodeMap, plan.EncodeMap)
		rereads(t, text, decodeAnswerOf, plan.EncodePlan)
		rereads(t, text, plan.DecodeDocument, nil)
		rereads(t, text, plan.DecodeAnswerLine, nil)
		rereads(t, text, plan.DecodeRequestLine, func(line plan.RequestLine) []byte {
			if line.Hello || line.Selector.Policy == plan.PolicyAny {
				return text
			}
			return plan.AppendPlanRequest(nil, line.ID, line.Request)
		})
		rereads(t, text, plan.DecodeHello, func(hello plan.Hello) []byte { return plan.AppendHello(nil, hello) })
	})
}

func decodeAnswerOf(text []byte) (plan.Answer, error) {
	answer, refusal, err := plan.DecodePlan(text)
	if refusal != nil {
		return answer, refusal
	}
	return answer, err
}

func rereads[T any](t *testing.T, text []byte, decode func([]byte) (T, error), encode func(T) []byte) {
	t.Helper()
	value, err := decode(text)
	if err != nil {
		if _, refused := err.(*plan.Refusal); !refused && strings.ContainsAny(err.Error(), "\n\r") {
			t.Fatalf("more than one line: %q", err)
		}
		return
	}
	// encoding/json takes all that is strict JSON, but for nesting deeper than ours can be.
	if !json.Valid(text) {
		t.Fatalf("read as a %T, and no JSON: %q", value, text)
	}
	if encode == nil {
		return
	}
	written := encode(value)
	again, err := decode(written)
	if err != nil {
		t.Fatalf("read as %+v, not read again: %v: %s", value, err, written)
	}
	if diff := cmp.Diff(value, again, sameValue); diff != "" {
		t.Fatalf("-first +second:\n%s", diff)
	}
	if third := encode(again); !bytes.Equal(third, written) && string(third) != string(text) {
		t.Fatalf("written differently:\n%s\n%s", written, third)
	}
}
