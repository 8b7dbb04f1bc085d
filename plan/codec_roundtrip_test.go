package plan_test

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/shardproof/shardproof/plan"
	"pgregory.net/rapid"
)

// The generators below draw any value that has a file form, sense or none: they know the codec's rules and
// nothing of geometry.

func anyIntegers() *rapid.Generator[[]int64] {
	return rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(0, 9), rapid.Int64()), 0, 9)
}

func anyRank() *rapid.Generator[int] {
	return rapid.OneOf(rapid.IntRange(0, 12), rapid.IntRange(0, 1<<62))
}

func anyView() *rapid.Generator[plan.View] {
	return rapid.Custom(func(t *rapid.T) plan.View {
		return plan.View{Offset: rapid.Int64().Draw(t, "offset"), Strides: anyIntegers().Draw(t, "strides")}
	})
}

func anyPiece() *rapid.Generator[plan.Piece] {
	return rapid.Custom(func(t *rapid.T) plan.Piece {
		piece := plan.Piece{
			Shape:     anyIntegers().Draw(t, "shape"),
			Source:    anyView().Draw(t, "source"),
			Dest:      anyView().Draw(t, "dest"),
			Locations: rapid.SliceOfNDistinct(rapid.OneOf(anyRank(), rapid.Int()), 0, 5, rapid.ID[int]).Draw(t, "locations"),
		}
		// A scale of 1 is written as none.
		if scale := rapid.Float64().Draw(t, "scale"); scale != 1 && rapid.Bool().Draw(t, "scaled") {
			piece.Scale = &scale
		}
		return piece
	})
}

func anyMap() *rapid.Generator[plan.Map] {
	return rapid.Custom(func(t *rapid.T) plan.Map {
		m := plan.Map{LogicalShape: anyIntegers().Draw(t, "logical shape")}
		for _, rank := range rapid.SliceOfNDistinct(anyRank(), 0, 5, rapid.ID[int]).Draw(t, "ranks") {
			shard := plan.Shard{Rank: rank, Pieces: rapid.SliceOfN(anyPiece(), 0, 3).Draw(t, "pieces")}
			if shard.Undeclared = rapid.Bool().Draw(t, "undeclared"); !shard.Undeclared {
				shard.Shape = anyIntegers().Draw(t, "shard shape")
			}
			m.Shards = append(m.Shards, shard)
		}
		return m
	})
}

func anySelector() *rapid.Generator[plan.Selector] {
	return rapid.OneOf(
		rapid.Just(plan.Selector{}),
		rapid.Map(rapid.MapOfN(anyRank(), rapid.SliceOfN(anyRank(), 0, 4), 0, 4), func(prefer map[int][]int) plan.Selector {
			return plan.Selector{Prefer: prefer}
		}),
		rapid.Map(rapid.SampledFrom([]plan.Policy{plan.PolicyHighest, plan.PolicyLocal, plan.PolicyBalanced, plan.PolicyAny}), func(policy plan.Policy) plan.Selector {
			return plan.Selector{Policy: policy}
		}),
		rapid.Map(rapid.SliceOfNDistinct(anyCost(), 0, 4, func(cost plan.Cost) [2]int { return [2]int{cost.Source, cost.Target} }), func(costs []plan.Cost) plan.Selector {
			return plan.Selector{Cost: costs}
		}),
		rapid.Map(rapid.SampledFrom([]string{`1`, `-1`, `1.5`, `true`, `null`, `"1"`, `999`, `1e400`, `[1,{"a":"b c"}]`, `"\ud800"`}), func(raw string) plan.Selector {
			return plan.Selector{Returns: json.RawMessage(raw)}
		}),
	)
}

func anyCost() *rapid.Generator[plan.Cost] {
	return rapid.Custom(func(t *rapid.T) plan.Cost {
		return plan.Cost{
			Source: anyRank().Draw(t, "source"), Target: anyRank().Draw(t, "target"),
			Cost: rapid.Int64Range(0, 1<<63-1).Draw(t, "cost"),
		}
	})
}

func anyLimit() *rapid.Generator[*int64] { return rapid.Ptr(rapid.Int64(), true) }

func anyRequest() *rapid.Generator[plan.Request] {
	return rapid.Custom(func(t *rapid.T) plan.Request {
		return plan.Request{
			Source: anyMap().Draw(t, "source"), Target: anyMap().Draw(t, "target"),
			Selector: anySelector().Draw(t, "selector"),
			Budget: plan.Budget{
				MaxNdim: anyLimit().Draw(t, "max_ndim"), MaxPiecesPerMap: anyLimit().Draw(t, "max_pieces_per_map"),
				MaxSegments: anyLimit().Draw(t, "max_segments"), MaxPlanBytes: anyLimit().Draw(t, "max_plan_bytes"),
				MaxPairChecks: anyLimit().Draw(t, "max_pair_checks"), MaxMergeChecks: anyLimit().Draw(t, "max_merge_checks"),
				MaxMergePasses: anyLimit().Draw(t, "max_merge_passes"),
			},
		}
	})
}

func anyPlan() *rapid.Generator[plan.Plan] {
	endpoint := rapid.Custom(func(t *rapid.T) plan.Endpoint {
		return plan.Endpoint{Rank: rapid.Int().Draw(t, "rank"), View: anyView().Draw(t, "view")}
	})
	segment := rapid.Custom(func(t *rapid.T) plan.Segment {
		return plan.Segment{Shape: anyIntegers().Draw(t, "shape"), Source: endpoint.Draw(t, "source"), Target: endpoint.Draw(t, "target")}
	})
	return rapid.Custom(func(t *rapid.T) plan.Plan {
		p := plan.Plan{Segments: rapid.SliceOfN(segment, 0, 4).Draw(t, "segments")}
		if rapid.Bool().Draw(t, "shape stated") {
			p.LogicalShape = append([]int64{}, anyIntegers().Draw(t, "logical shape")...)
		}
		return p
	})
}

func anyExpect() *rapid.Generator[plan.Expect] {
	kind := rapid.SampledFrom([]plan.Kind{plan.Invalid, plan.Unsupported, plan.BadSelection, plan.OverBudget})
	return rapid.Custom(func(t *rapid.T) plan.Expect {
		outcome := rapid.SampledFrom([]plan.Outcome{plan.Exact, plan.Refused, plan.ExactOrUnsupported}).Draw(t, "outcome")
		if outcome == plan.Refused {
			return plan.Expect{Outcome: outcome, Kinds: rapid.SliceOfN(kind, 0, 3).Draw(t, "kinds")}
		}
		return plan.Expect{
			Outcome: outcome, Segments: anyLimit().Draw(t, "segments"), MaxSegments: anyLimit().Draw(t, "max segments"),
			MovedElements: anyLimit().Draw(t, "moved elements"),
		}
	})
}

func anyCase() *rapid.Generator[plan.Case] {
	return rapid.Custom(func(t *rapid.T) plan.Case {
		c := plan.Case{
			Name: rapid.String().Draw(t, "name"), Request: anyRequest().Draw(t, "request"),
			Expect: anyExpect().Draw(t, "expect"), Origin: rapid.StringMatching(`[^\n\r]*`).Draw(t, "origin"),
		}
		if rapid.Bool().Draw(t, "found") {
			c.Found = &plan.Found{
				Planner: rapid.String().Draw(t, "planner"), Seed: rapid.String().Draw(t, "seed"),
				Broken: rapid.SliceOfN(rapid.String(), 0, 2).Draw(t, "broken"),
			}
			if rapid.Bool().Draw(t, "planned") {
				p := anyPlan().Draw(t, "plan")
				c.Found.Plan = &p
			} else {
				c.Found.Fault = rapid.String().Draw(t, "fault")
			}
		}
		return c
	})
}

// sameValue treats an absent list as an empty one, and a map as the same in any order of its shards.
var sameValue = cmp.Options{
	cmpopts.EquateEmpty(),
	cmpopts.SortSlices(func(a, b plan.Shard) bool { return a.Rank < b.Rank }),
}

// plan.serial, and the same for cases: a value survives its round trip unchanged.
func TestCaseRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anyCase().Draw(t, "case")
		text := plan.EncodeCase(want)
		got, err := plan.DecodeCase(text)
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if diff := cmp.Diff(want, got, sameValue); diff != "" {
			t.Fatalf("-want +got:\n%s", diff)
		}
		if !json.Valid(text) {
			t.Fatalf("no JSON: %s", text)
		}
		if again := plan.EncodeCase(got); !bytes.Equal(again, text) {
			t.Fatalf("written differently the second time:\n%s\n%s", text, again)
		}
	})
}

func TestPlanRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := plan.Answer{Plan: anyPlan().Draw(t, "plan"), MovedElements: anyLimit().Draw(t, "moved elements")}
		got, refusal, err := plan.DecodePlan(plan.EncodePlan(want))
		if diff := cmp.Diff(want, got, sameValue); err != nil || refusal != nil || diff != "" {
			t.Fatalf("readable: %v, %v, -want +got:\n%s", err, refusal, diff)
		}
		line, err := plan.DecodeAnswerLine(plan.AppendAnswer(nil, 17, want))
		if diff := cmp.Diff(plan.AnswerLine{ID: 17, Answer: want}, line, sameValue); err != nil || diff != "" {
			t.Fatalf("a line: %v, -want +got:\n%s", err, diff)
		}
		// Whether a shape is stated survives as well, which sameValue would not see.
		if (line.Answer.Plan.LogicalShape == nil) != (want.Plan.LogicalShape == nil) {
			t.Fatalf("got shape %#v, want %#v", line.Answer.Plan.LogicalShape, want.Plan.LogicalShape)
		}
	})
}

func TestRequestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anyRequest().Draw(t, "request")
		text := plan.AppendPlanRequest(nil, 17, want)
		got, err := plan.DecodeRequestLine(text)
		if want.Selector.Policy == plan.PolicyAny {
			want.Selector = plan.Selector{} // never sent
		}
		if diff := cmp.Diff(plan.RequestLine{ID: 17, Request: want}, got, sameValue); err != nil || diff != "" {
			t.Fatalf("%v, -want +got:\n%s", err, diff)
		}
		// Which form a selector has survives, also where the form is empty.
		wantFeature, wantOK := want.Selector.Feature()
		if feature, ok := got.Selector.Feature(); feature != wantFeature || ok != wantOK {
			t.Fatalf("got a selector of the form %q, want %q", feature, wantFeature)
		}
	})
}

// Equal requests have equal compact forms, whatever the order of their shards; and sorted keys mean here what
// they mean to encoding/json, which sorts the keys of a Go map.
func TestCompactRequestIsSorted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		request := anyRequest().Draw(t, "request")
		request.Selector.Returns = nil // raw text, kept in the order it has
		got := plan.CompactRequest(request)
		var value any
		decoder := json.NewDecoder(bytes.NewReader(got))
		decoder.UseNumber()
		if err := decoder.Decode(&value); err != nil {
			t.Fatalf("%v: %s", err, got)
		}
		want, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("got  %s\nwant %s", got, want)
		}
		slices.Reverse(request.Source.Shards)
		if again := plan.CompactRequest(request); !bytes.Equal(again, got) {
			t.Fatalf("with the shards reversed:\n%s\n%s", got, again)
		}
	})
}

func TestDocument(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first, second := anyMap().Draw(t, "first"), anyMap().Draw(t, "second")
		params := string(plan.AppendMap([]byte(`{"version": 1, "params": {"^b\\.weight$": `), first))
		params = string(plan.AppendMap([]byte(params+`, "a": `), second)) + "}}"
		want := plan.Document{Params: []plan.Param{{Name: `^b\.weight$`, Map: first}, {Name: "a", Map: second}}}
		for _, text := range []string{params, `{"affine_map": ` + params + `}`} {
			got, err := plan.DecodeDocument([]byte(text))
			if diff := cmp.Diff(want, got, sameValue); err != nil || diff != "" {
				t.Fatalf("%v, -want +got:\n%s", err, diff)
			}
		}
	})
}

// A scale of 1 is none, however it is written.
func TestScaleOfOne(t *testing.T) {
	for _, scale := range []string{"1", "1.0", "10e-1"} {
		m, err := plan.DecodeMap([]byte(mapWith(`{"shape": [4], "source": [0, [1]], "dest": [0, [1]], "scale": ` + scale + `}`)))
		if err != nil || m.Shards[0].Pieces[0].Scale != nil {
			t.Errorf("scale %s: got %v, %v, want none", scale, m.Shards[0].Pieces[0].Scale, err)
		}
	}
	one := 1.0
	got := plan.AppendMap(nil, plan.Map{Shards: []plan.Shard{{Pieces: []plan.Piece{{Scale: &one}}}}})
	if bytes.Contains(got, []byte("scale")) {
		t.Errorf("a scale of 1 is written: %s", got)
	}
}

// A scale that is no finite number is written as what no reader takes.
func TestScaleWithoutForm(t *testing.T) {
	for _, scale := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		m := plan.Map{Shards: []plan.Shard{{Pieces: []plan.Piece{{Scale: &scale}}}}}
		for _, text := range [][]byte{plan.AppendMap(nil, m), plan.EncodeMap(m)} {
			if _, err := plan.DecodeMap(text); err == nil || err.Error() != `ranks["0"].pieces[0].scale: null is no number` {
				t.Errorf("%v: got %v, want that null is no number: %s", scale, err, text)
			}
		}
	}
}
