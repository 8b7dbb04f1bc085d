package plan_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/shardproof/shardproof/plan"
)

// piece is a well-formed piece; the tables below break one thing of it at a time.
const piece = `{"shape": [4], "source": [0, [1]], "dest": [0, [1]], "locations": [0]}`

func mapWith(piece string) string {
	return `{"logical_shape": [4], "ranks": {"0": {"shard_shape": [4], "pieces": [` + piece + `]}}}`
}

func decodeMap(text string) error    { _, err := plan.DecodeMap([]byte(text)); return err }
func decodeCase(text string) error   { _, err := plan.DecodeCase([]byte(text)); return err }
func decodePlan(text string) error   { _, _, err := plan.DecodePlan([]byte(text)); return err }
func decodeAnswer(text string) error { _, err := plan.DecodeAnswerLine([]byte(text)); return err }
func decodeHello(text string) error  { _, err := plan.DecodeHello([]byte(text)); return err }
func decodeAsk(text string) error    { _, err := plan.DecodeRequestLine([]byte(text)); return err }
func decodeDoc(text string) error    { _, err := plan.DecodeDocument([]byte(text)); return err }

// refuses checks that every text is refused with the one line beside it.
func refuses(t *testing.T, decode func(string) error, table [][2]string) {
	t.Helper()
	schema := schemaOf(t, decode)
	for _, row := range table {
		err := decode(row[0])
		if err == nil {
			t.Errorf("%q: read, want %q", row[0], row[1])
			continue
		}
		var format *plan.FormatError
		if !errors.As(err, &format) {
			t.Errorf("%q: got a %T, want a *FormatError", row[0], err)
		}
		if err.Error() != row[1] {
			t.Errorf("%q: got %q, want %q", row[0], err, row[1])
		}
		refusedBySchema(t, schema, row[0], row[1])
	}
}

func reads(t *testing.T, decode func(string) error, texts ...string) {
	t.Helper()
	schema := schemaOf(t, decode)
	for _, text := range texts {
		if err := decode(text); err != nil {
			t.Errorf("%q: got %q, want it read", text, err)
		}
		readBySchema(t, schema, text)
	}
}

func TestMapForm(t *testing.T) {
	reads(t, decodeMap,
		mapWith(piece),
		mapWith(""),
		" \r\n\t"+mapWith(piece)+" \n",
		`{"ranks": {}, "logical_shape": []}`,
		`{"logical_shape": [4], "ranks": {"0": {}}}`,
		`{"logical_shape": [4], "ranks": {"7": {"shard_shape": []}, "3": {"pieces": []}, "9223372036854775807": {}}}`,
		`{"logical_shape": [9223372036854775807, -9223372036854775808, -0], "ranks": {}}`,
		// What a validator judges is not a matter of form.
		mapWith(`{"shape": [-4, 2], "source": [-1, []], "dest": [0, [1, 1, 1]]}`),
		mapWith(`{"shape": [], "source": [0, []], "dest": [0, []], "locations": [3, 0, 2, -1]}`),
		mapWith(`{"shape": [1], "source": [0, [1]], "dest": [0, [1]], "scale": 0}`),
		mapWith(`{"shape": [1], "source": [0, [1]], "dest": [0, [1]], "scale": -2.5e-3}`),
		mapWith(`{"shape": [1], "source": [0, [1]], "dest": [0, [1]], "scale": 0.5}`),
	)
	at := `ranks["0"].pieces[0]`
	refuses(t, decodeMap, [][2]string{
		{``, "line 1: the text ends too early"},
		{`   `, "line 1: the text ends too early"},
		{`[]`, "a list is no object"},
		{`"x"`, "a string is no object"},
		{`null`, "null is no object"},
		{`NaN`, "NaN is no object"},
		{`{}`, "logical_shape: missing"},
		{`{"logical_shape": []}`, "ranks: missing"},
		{`{"logical_shape": null, "ranks": {}}`, "logical_shape: null is no list"},
		{`{"logical_shape": {}, "ranks": {}}`, "logical_shape: an object is no list"},
		{`{"logical_shape": [4], "ranks": []}`, "ranks: a list is no object"},
		{mapWith(piece) + "x", "line 1: more text after the value"},
		{mapWith(piece) + "\n\n{}", "line 3: more text after the value"},
		{"\ufeff" + mapWith(piece), "line 1: no value where one is due"},
		{"\x00", "line 1: no value where one is due"},
		{`{"logical_shape": [4] "ranks": {}}`, "line 1: neither , nor } after a field"},
		{`{"logical_shape": [4], "ranks": {},}`, "line 1: no field name where one is due"},
		{`{,"logical_shape": [4], "ranks": {}}`, "line 1: no field name where one is due"},
		{`{logical_shape: [4]}`, "line 1: no field name where one is due"},
		{`{"logical_shape" [4]}`, "logical_shape: line 1: no : after the field name"},
		{`{"logical_shape": [4,], "ranks": {}}`, "logical_shape[1]: line 1: no value where one is due"},
		{`{"logical_shape": [,4], "ranks": {}}`, "logical_shape[0]: line 1: no value where one is due"},
		{"{\"logical_shape\":\n[4\n4], \"ranks\": {}}", "logical_shape: line 3: neither , nor ] after an entry"},
		{`{"Logical_shape": [4], "ranks": {}}`, `["Logical_shape"]: unknown field`},
		{`{"logical_shape": [4], "ranks": {}, "extra": 1}`, "extra: unknown field"},
		{`{"logical_shape": [4], "ranks": {}, "two\nlines": 1}`, `["two\nlines"]: unknown field`},
		{`{"az_09": 1}`, "az_09: unknown field"},
		{`{"a{": 1}`, `["a{"]: unknown field`},
		{`{"\u00AF\u00fa\u0F0f": 1}`, `["¯ú༏"]: unknown field`},
		{`{"\uD83D\uDE00": 1}`, `["😀"]: unknown field`},
		{"{\"a\x80\": 1}", "line 1: invalid UTF-8"},
		{`{"` + strings.Repeat("x", 60) + `": 1}`, strings.Repeat("x", 60) + ": unknown field"},
		{`{"logical_shape": ` + strings.Repeat("x", 60) + `}`, "logical_shape: " + strings.Repeat("x", 60) + " is no list"},
		{`{"logical_shape": azAZ09+-.!}`, "logical_shape: azAZ09+-. is no list"},
		{`{"logical_shape": [4], "ranks": {}, "` + strings.Repeat("x", 100) + `": 1}`,
			`["` + strings.Repeat("x", 60) + `..."]: unknown field`},
		{`{"logical_shape": [4], "logical_shape": [4], "ranks": {}}`, "logical_shape: given twice"},
		{`{"logical_shape": [4], "ranks": {}, "r\u0061nks": {}}`, "ranks: given twice"},

		// Ranks.
		{`{"logical_shape": [4], "ranks": {"-1": {}}}`, `ranks["-1"]: a rank is written in digits, without sign or leading zero`},
		{`{"logical_shape": [4], "ranks": {"00": {}}}`, `ranks["00"]: a rank is written in digits, without sign or leading zero`},
		{`{"logical_shape": [4], "ranks": {"+1": {}}}`, `ranks["+1"]: a rank is written in digits, without sign or leading zero`},
		{`{"logical_shape": [4], "ranks": {"-0": {}}}`, `ranks["-0"]: a rank is written in digits, without sign or leading zero`},
		{`{"logical_shape": [4], "ranks": {"": {}}}`, `ranks[""]: a rank is written in digits, without sign or leading zero`},
		{`{"logical_shape": [4], "ranks": {"1_0": {}}}`, `ranks["1_0"]: a rank is written in digits, without sign or leading zero`},
		{`{"logical_shape": [4], "ranks": {"1e2": {}}}`, `ranks["1e2"]: a rank is written in digits, without sign or leading zero`},
		{`{"logical_shape": [4], "ranks": {" 1": {}}}`, `ranks[" 1"]: a rank is written in digits, without sign or leading zero`},
		{`{"logical_shape": [4], "ranks": {"9223372036854775808": {}}}`, `ranks["9223372036854775808"]: the rank is too large`},
		{`{"logical_shape": [4], "ranks": {"0": {}, "1": {}, "0": {}}}`, `ranks["0"]: given twice`},
		{`{"logical_shape": [4], "ranks": {"7": {}, "\u0037": {}}}`, `ranks["7"]: given twice`},
		{`{"logical_shape": [4], "ranks": {"0": []}}`, `ranks["0"]: a list is no object`},
		{`{"logical_shape": [4], "ranks": {"0": {"rank": 0}}}`, `ranks["0"].rank: unknown field`},
		{`{"logical_shape": [4], "ranks": {"0": {"shard_shape": null}}}`, `ranks["0"].shard_shape: null is no list`},
		{`{"logical_shape": [4], "ranks": {"0": {"pieces": null}}}`, `ranks["0"].pieces: null is no list`},

		// Pieces.
		{mapWith(`7`), at + ": 7 is no object"},
		{mapWith(`{"shape": [4], "source": [0, [1]]}`), at + ".dest: missing"},
		{mapWith(`{"shape": [4], "dest": [0, [1]]}`), at + ".source: missing"},
		{mapWith(`{"source": [0, [1]], "dest": [0, [1]]}`), at + ".shape: missing"},
		{mapWith(`{"shape": [4], "shape": [4]}`), at + ".shape: given twice"},
		{mapWith(`{"source": [0]}`), at + ".source: 1 entries where 2 are due"},
		{mapWith(`{"source": []}`), at + ".source: 0 entries where 2 are due"},
		{mapWith(`{"source": [0, [1], 2]}`), at + ".source[2]: one entry more than the 2 due"},
		{mapWith(`{"source": 0}`), at + ".source: 0 is no [offset, strides]"},
		{mapWith(`{"source": [[1], 0]}`), at + ".source[0]: a list is no integer"},
		{mapWith(`{"dest": [0, 1]}`), at + ".dest[1]: 1 is no list"},
		{mapWith(`{"locations": 0}`), at + ".locations: 0 is no list"},
		{mapWith(`{"locations": [0, 1, 0]}`), at + ".locations: rank 0 is listed twice"},
		{mapWith(`{"locations": [0, 1.0]}`), at + ".locations[1]: 1.0 is no integer"},
		{`{"logical_shape": [4], "ranks": {"0": {"pieces": [{"scale": 0.5`, at + ": line 1: the text ends too early"},
		{mapWith(`{"scale": null}`), at + ".scale: null is no number"},
		{mapWith(`{"scale": 1.}`), at + ".scale: 1. is no number"},
		{mapWith(`{"scale": "1"}`), at + ".scale: a string is no number"},
		{mapWith(`{"scale": NaN}`), at + ".scale: NaN is no number"},
		{mapWith(`{"scale": -Infinity}`), at + ".scale: -Infinity is no number"},
		{mapWith(`{"scale": 1e999}`), at + ".scale: 1e999 is outside float64"},
		{mapWith(`{"scale": .5}`), at + ".scale: .5 is no number"},

		// Integers.
		{mapWith(`{"source": [1.5, [1]]}`), at + ".source[0]: 1.5 is no integer"},
		{mapWith(`{"source": [1.0, [1]]}`), at + ".source[0]: 1.0 is no integer"},
		{mapWith(`{"source": [1e3, [1]]}`), at + ".source[0]: 1e3 is no integer"},
		{mapWith(`{"source": [1E+3, [1]]}`), at + ".source[0]: 1E+3 is no integer"},
		{mapWith(`{"source": ["0", [1]]}`), at + ".source[0]: a string is no integer"},
		{mapWith(`{"source": [true, [1]]}`), at + ".source[0]: true is no integer"},
		{mapWith(`{"source": [null, [1]]}`), at + ".source[0]: null is no integer"},
		{mapWith(`{"source": [01, [1]]}`), at + ".source[0]: 01 is no integer"},
		{mapWith(`{"source": [+1, [1]]}`), at + ".source[0]: +1 is no integer"},
		{mapWith(`{"source": [-, [1]]}`), at + ".source[0]: - is no integer"},
		{mapWith(`{"source": [0x10, [1]]}`), at + ".source[0]: 0x10 is no integer"},
		{mapWith(`{"source": [1., [1]]}`), at + ".source[0]: 1. is no integer"},
		{mapWith(`{"source": [1e, [1]]}`), at + ".source[0]: 1e is no integer"},
		{mapWith(`{"shape": [9223372036854775808]}`), at + ".shape[0]: 9223372036854775808 is outside int64"},
		{mapWith(`{"shape": [1, -9223372036854775809]}`), at + ".shape[1]: -9223372036854775809 is outside int64"},
		{mapWith(`{"shape": [4.7]}`), at + ".shape[0]: 4.7 is no integer"},
		{mapWith(`{"shape": [` + strings.Repeat("1", 100) + `]}`), at + ".shape[0]: " + strings.Repeat("1", 60) + "... is outside int64"},
		{`{"logical_shape": [[[[[[[[`, "logical_shape[0]: a list is no integer"},
	})
}

func TestCaseForm(t *testing.T) {
	maps := `"source": ` + mapWith(piece) + `, "target": ` + mapWith(piece)
	with := func(fields string) string {
		return `{"version": 1, "name": "x", ` + maps + `, "expect": {"outcome": "exact"}` + fields + `}`
	}
	expecting := func(expect string) string {
		return `{"version": 1, "name": "x", ` + maps + `, "expect": ` + expect + `}`
	}
	raw := func(raw, expect string) string {
		return `{"version": 1, "name": "x", "raw": ` + raw + `, "expect": ` + expect + `}`
	}
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	refused := `{"outcome": "refused"}`
	reads(t, decodeCase,
		with(""),
		with(`, "origin": "é \u00e9 \ud83d\ude00 \"\\\/\b\f\t"`),
		with(`, "selector": {"prefer": {}}`),
		with(`, "selector": {"prefer": {"2": [1, 0, 1], "10": []}}`),
		with(`, "selector": {"cost": [[0, 1, 0], [1, 0, 9223372036854775807]]}`),
		with(`, "selector": {"policy": "any"}`),
		with(`, "selector": {"returns": {"a": [1e999, "\ud800", true], "a": null}}`),
		with(`, "budget": {}`),
		with(`, "budget": {"max_ndim": 1, "max_pieces_per_map": 0, "max_segments": 3, "max_plan_bytes": 458, "max_pair_checks": 1, "max_merge_checks": 1, "max_merge_passes": -1}`),
		with(`, "found": {"planner": "p 1", "seed": "7", "broken": ["values"], "plan": {"segments": []}}`),
		with(`, "found": {"fault": "hang"}`),
		expecting(`{"outcome": "refused", "kind": "budget"}`),
		expecting(`{"outcome": "refused", "kind": ["invalid", "unsupported", "selector"]}`),
		expecting(`{"outcome": "exact-or-unsupported", "segments": 1, "max_segments": 2, "moved_elements": 3}`),
		raw(`{"source": 1, "target": {"ranks": {"00": 4.7}}}`, refused),
		raw(`{"source": `+deep(65)+`, "target": null}`, refused),
	)
	refuses(t, decodeCase, [][2]string{
		{`{"version": 2}`, "version: 2 is unknown, only 1 is known"},
		{`{"version": "1"}`, "version: a string is no integer"},
		{`{"version": 1}`, "name: missing"},
		{`{"name": "x"}`, "version: missing"},
		{`{"version": 1, "name": "x"}`, "expect: missing"},
		{`{"version": 1, "name": 1}`, "name: 1 is no string"},
		{`{"version": 1, "name": "x", "expect": {"outcome": "exact"}}`, "source: missing"},
		{`{"version": 1, "name": "x", "source": ` + mapWith("") + `, "expect": {"outcome": "exact"}}`, "target: missing"},
		{with(`, "sauce": 1`), "sauce: unknown field"},
		{with(`, "origin": "a\nb"`), "origin: more than one line"},
		{`{"source": ` + mapWith(`{"source": [1.5, [1]]}`), `source.ranks["0"].pieces[0].source[0]: 1.5 is no integer`},

		// Text.
		{with(`, "origin": "a` + "\xff" + `"`), "origin: line 1: invalid UTF-8"},
		{with(`, "origin": "` + "\xed\xa0\x80" + `"`), "origin: line 1: invalid UTF-8"},
		{with(`, "orig` + "\xc3" + `in": "a"`), "line 1: invalid UTF-8"},
		{with(`, "origin": "a` + "\n" + `"`), "origin: line 1: a control character in a string"},
		{with(`, "origin": "a` + "\x00" + `"`), "origin: line 1: a control character in a string"},
		{with(`, "origin": "\x"`), "origin: line 1: an unknown escape in a string"},
		{with(`, "origin": "\u12g4"`), "origin: line 1: an unknown escape in a string"},
		{with(`, "origin": "\ud800"`), "origin: half a surrogate pair in a string"},
		{with(`, "origin": "\ud800\ud800"`), "origin: half a surrogate pair in a string"},
		{with(`, "origin": "\udc00\ud800"`), "origin: half a surrogate pair in a string"},
		{with(`, "origin": "\ud800 \udc00"`), "origin: half a surrogate pair in a string"},

		// Selectors.
		{with(`, "selector": null`), "selector: null is no object"},
		{with(`, "selector": {}`), "selector: a selector has one form: prefer, policy, cost or returns"},
		{with(`, "selector": {"policy": "highest", "returns": 1}`), "selector.returns: a second form: a selector has one"},
		{with(`, "selector": {"policy": "lowest"}`), `selector.policy: "lowest" is no policy: highest, local, balanced or any`},
		{with(`, "selector": {"policy": ""}`), `selector.policy: "" is no policy: highest, local, balanced or any`},
		{with(`, "selector": {"policy": null}`), "selector.policy: null is no string"},
		{with(`, "selector": {"prefer": {"-2": [1]}}`), `selector.prefer["-2"]: a rank is written in digits, without sign or leading zero`},
		{with(`, "selector": {"prefer": {"2": [-1]}}`), `selector.prefer["2"][0]: -1 is no rank: it is negative`},
		{with(`, "selector": {"prefer": {"2": 1}}`), `selector.prefer["2"]: 1 is no list`},
		{with(`, "selector": {"prefer": {"2": [], "2": []}}`), `selector.prefer["2"]: given twice`},
		{with(`, "selector": {"cost": [[0, 1, -1]]}`), "selector.cost[0][2]: a cost is at least 0, not -1"},
		{with(`, "selector": {"cost": [[0, -1, 1]]}`), "selector.cost[0][1]: -1 is no rank: it is negative"},
		{with(`, "selector": {"cost": [[-1, 0, 1]]}`), "selector.cost[0][0]: -1 is no rank: it is negative"},
		{with(`, "selector": {"cost": [[0, 1]]}`), "selector.cost[0]: 2 entries where 3 are due"},
		{with(`, "selector": {"cost": [[0, 1, 2, 3]]}`), "selector.cost[0][3]: one entry more than the 3 due"},
		{with(`, "selector": {"cost": [[0, 1, 2], [1, 0, 2], [0, 1, 2]]}`), "selector.cost[2]: the pair has a cost already"},
		{with(`, "selector": {"returns": }`), "selector.returns: line 1: no value where one is due"},
		{with(`, "selector": {"returns": tru}`), "selector.returns: tru is no JSON value"},
		{with(`, "selector": {"returns": 01}`), "selector.returns: 01 is no JSON value"},
		{with(`, "selector": {"returns": 1.5.5}`), "selector.returns: 1.5.5 is no JSON value"},
		{with(`, "selector": {"returns": [1 2]}`), "selector.returns: line 1: neither , nor ] after an entry"},
		{with(`, "selector": {"returns": {"a": 1 "b": 2}}`), "selector.returns: line 1: neither , nor } after a field"},
		{with(`, "selector": {"returns": {"a" 1}}`), "selector.returns: line 1: no : after the field name"},
		{with(`, "selector": {"returns": {1: 1}}`), "selector.returns: line 1: no field name where one is due"},
		{with(`, "selector": {"returns": [1,]}`), "selector.returns: line 1: no value where one is due"},
		{with(`, "selector": {"returns": "` + "\xff" + `"}`), "selector.returns: line 1: invalid UTF-8"},
		{with(`, "selector": {"returns": ` + deep(66) + `}`), "selector.returns: nested more than 64 deep"},
		{with(`, "selector": {"returns": ` + strings.Repeat(`{"a":`, 1_000_000)), "selector.returns: nested more than 64 deep"},

		// Budgets.
		{with(`, "budget": {"max_segments": 1.5}`), "budget.max_segments: 1.5 is no integer"},
		{with(`, "budget": {"max_segments": null}`), "budget.max_segments: null is no integer"},
		{with(`, "budget": {"max_segment": 1}`), "budget.max_segment: unknown field"},
		{with(`, "budget": {"max_ndim": 1, "max_ndim": 1}`), "budget.max_ndim: given twice"},

		// Expectations.
		{expecting(`{}`), "expect.outcome: missing"},
		{expecting(`{"outcome": "Exact"}`), `expect.outcome: "Exact" is no outcome: exact, refused or exact-or-unsupported`},
		{expecting(`{"outcome": "exact", "kind": "invalid"}`), "expect.kind: not for the outcome exact"},
		{expecting(`{"outcome": "refused", "segments": 1}`), "expect.segments: not for the outcome refused"},
		{expecting(`{"outcome": "refused", "kind": "bad"}`), `expect.kind: "bad" is no kind of refusal: invalid, unsupported, selector or budget`},
		{expecting(`{"outcome": "refused", "kind": []}`), "expect.kind: no kind in the list"},
		{expecting(`{"outcome": "refused", "kind": ["invalid", 1]}`), "expect.kind[1]: 1 is no string"},
		{expecting(`{"outcome": "exact", "segments": "6"}`), "expect.segments: a string is no integer"},

		// Raw and found.
		{raw(`{"source": 1, "target": 2}`, `{"outcome": "exact"}`), "expect: a raw case is refused"},
		{raw(`{"source": 1}`, refused), "raw.target: missing"},
		{raw(`[1, 2]`, refused), "raw: a list is no object"},
		{`{"version": 1, "name": "x", "raw": {"source": 1, "target": 1}, ` + maps + `, "expect": ` + refused + `}`, "source: given beside raw"},
		{with(`, "found": {"plan": {"segments": []}, "fault": "hang"}`), "found.plan: given beside fault"},
		{with(`, "found": {"plan": {"segments": [{"shape": [1]}]}}`), "found.plan.segments[0].source: missing"},
		{with(`, "found": {"plan": {"segments": [], "moved_elements": 1}}`), "found.plan.moved_elements: unknown field"},
		{with(`, "found": {"seed": 7}`), "found.seed: 7 is no string"},
	})
}

func TestPlanForm(t *testing.T) {
	reads(t, decodePlan,
		`{"segments": []}`,
		`{"logical_shape": [], "segments": [], "moved_elements": -1}`,
		`{"segments": [{"shape": [], "source": [-1, -5, []], "target": [0, 0, [1, 2]]}]}`,
		`{"refused": {"kind": "selector", "message": ""}}`,
	)
	refuses(t, decodePlan, [][2]string{
		{`{}`, "segments: missing"},
		{`{"logical_shape": []}`, "segments: missing"},
		{`{"segments": {}}`, "segments: an object is no list"},
		{`{"segments": [], "id": 1}`, "id: unknown field"},
		{`{"segments": [{"source": [0, 0]}]}`, "segments[0].source: 2 entries where 3 are due"},
		{`{"segments": [{"target": [0.0, 0, []]}]}`, "segments[0].target[0]: 0.0 is no integer"},
		{`{"segments": [{"target": [0, 0, [], 1]}]}`, "segments[0].target[3]: one entry more than the 3 due"},
		{`{"segments": [{"shape": [1], "source": [0, 0, [1]], "target": [0, 0, [1]], "bytes": 4}]}`, "segments[0].bytes: unknown field"},
		{`{"segments": [], "moved_elements": 7e2}`, "moved_elements: 7e2 is no integer"},
		{`{"segments": [], "refused": {"kind": "budget", "message": ""}}`, "segments: given beside refused"},
		{`{"refused": {"kind": "budget"}}`, "refused.message: missing"},
		{`{"refused": {"message": "no"}}`, "refused.kind: missing"},
		{`{"refused": {"kind": "no", "message": ""}}`, `refused.kind: "no" is no kind of refusal: invalid, unsupported, selector or budget`},
	})
}

func TestProtocolForm(t *testing.T) {
	reads(t, decodeAnswer,
		`{"id": 17, "segments": []}`,
		`{"logical_shape": [4], "moved_elements": 0, "segments": [], "id": -1}`,
		`{"id": 17, "refused": {"kind": "invalid", "message": "m"}}`,
		`{"id": 17, "error": ""}`,
	)
	refuses(t, decodeAnswer, [][2]string{
		{`hello`, "hello is no object"},
		{`{"segments": []}`, "id: missing"},
		{`{"id": 1.0, "segments": []}`, "id: 1.0 is no integer"},
		{`{"id": "1", "segments": []}`, "id: a string is no integer"},
		{`{"id": 1}`, "segments: missing"},
		{`{"id": 1, "error": null}`, "error: null is no string"},
		{`{"id": 1, "error": "e", "segments": []}`, "segments: given beside error"},
		{`{"id": 1, "error": "e", "refused": {"kind": "invalid", "message": "m"}}`, "refused: given beside error"},
		{`{"id": 1, "moved_elements": 1, "refused": {"kind": "invalid", "message": "m"}}`, "moved_elements: given beside refused"},
		{`{"id": 1, "segments": []} {"id": 2, "segments": []}`, "line 1: more text after the value"},
	})
	reads(t, decodeHello,
		`{"hello": {"protocol": 1, "planner": "p", "version": "1"}}`,
		`{"hello": {"protocol": 1, "planner": "p", "version": "1", "features": ["returns", "budget"], "holder": "any", "max_inflight": 16}}`,
		`{"hello": {"protocol": 1, "planner": "p", "version": "1", "features": [], "holder": "lowest", "max_inflight": 1}}`,
	)
	refuses(t, decodeHello, [][2]string{
		{`{}`, "hello: missing"},
		{`{"hello": {"protocol": 2}}`, "hello.protocol: 2 is unknown, only 1 is known"},
		{`{"hello": {"planner": "p", "version": "1"}}`, "hello.protocol: missing"},
		{`{"hello": {"protocol": 1, "version": "1"}}`, "hello.planner: missing"},
		{`{"hello": {"protocol": 1, "planner": "p"}}`, "hello.version: missing"},
		{`{"hello": {"features": ["any"]}}`, `hello.features[0]: "any" is no feature`},
		{`{"hello": {"holder": "highest"}}`, `hello.holder: "highest" is neither lowest nor any`},
		{`{"hello": {"max_inflight": 0}}`, "hello.max_inflight: at least 1 is due, not 0"},
	})
	maps := `"source": ` + mapWith(piece) + `, "target": ` + mapWith(piece)
	reads(t, decodeAsk, `{"hello": {"protocol": 1}}`, `{"plan": {"id": 1, `+maps+`, "selector": {"policy": "local"}, "budget": {"max_ndim": 3}}}`)
	refuses(t, decodeAsk, [][2]string{
		{`{}`, "plan: missing"},
		{`{"hello": {}}`, "hello.protocol: missing"},
		{`{"hello": {"protocol": 1}, "plan": {"id": 1, ` + maps + `}}`, "plan: given beside hello"},
		{`{"plan": {` + maps + `}}`, "plan.id: missing"},
		{`{"plan": {"id": 1, "source": {"logical_shape": [4.5]}}}`, "plan.source.logical_shape[0]: 4.5 is no integer"},
		{`{"plan": {"id": 1, ` + maps + `, "expect": {}}}`, "plan.expect: unknown field"},
	})
}

func TestDocumentForm(t *testing.T) {
	reads(t, decodeDoc, `{"version": 1, "params": {}}`, `{"affine_map": {"params": {"^a\\.b$": `+mapWith(piece)+`}, "version": 1}}`)
	refuses(t, decodeDoc, [][2]string{
		{`{}`, "version: missing"},
		{`{"version": 1}`, "params: missing"},
		{`{"affine_map": {"version": 1}}`, "affine_map.params: missing"},
		{`{"affine_map": {"version": 2}}`, "affine_map.version: 2 is unknown, only 1 is known"},
		{`{"affine_map": {"version": 1, "params": {}}, "version": 1}`, "version: given beside affine_map"},
		{`{"version": 1, "params": {"a": ` + mapWith("") + `, "a": ` + mapWith("") + `}}`, `params["a"]: given twice`},
		{`{"affine_map": {"version": 1, "params": {"^a$": {"logical_shape": 4}}}}`, `affine_map.params["^a$"].logical_shape: 4 is no list`},
	})
}

// A text that is cut short anywhere, or has one byte changed, reads or is refused with one line.
func TestNoBytesCrash(t *testing.T) {
	text := `{"version": 1, "name": "x", "source": ` + mapWith(piece) + `, "target": ` + mapWith(piece) +
		`, "selector": {"returns": [{"a": "\u00e9"}, -1.5e+3]}, "expect": {"outcome": "refused", "kind": ["invalid"]}, "found": {"plan": ` +
		`{"segments": [{"shape": [4], "source": [0, 0, [1]], "target": [0, 0, [1]]}]}}}`
	if err := decodeCase(text); err != nil {
		t.Fatalf("the whole text: %v", err)
	}
	for end := range len(text) {
		err := decodeCase(text[:end])
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("cut to %d bytes: got %v, want one line", end, err)
		}
	}
	for at := range len(text) {
		for _, char := range []byte("\x00\x80\xff\"\\{}[],:0-.eE tn") {
			err := decodeCase(text[:at] + string([]byte{char}) + text[at+1:])
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("byte %d as %q: got more than one line: %q", at, char, err)
			}
		}
	}
}
