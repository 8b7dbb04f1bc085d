package reference

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/internal/box"
	"github.com/shardproof/shardproof/plan/layout"
)

// The numbers in this file are those of facts.md, which has them from DeepSpeed issue 8252 and pull request
// 8575, and from an independent program.

// A family builds one layout at a degree.
type family func(t testing.TB, degree int) plan.Map

func must(t testing.TB) func(plan.Map, error) plan.Map {
	return func(m plan.Map, err error) plan.Map {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
}

func rows(shape ...int64) family { return split(0, shape...) }

func split(axis int, shape ...int64) family {
	return fused(axis, shape, shape[axis])
}

func fused(axis int, shape []int64, sizes ...int64) family {
	return func(t testing.TB, degree int) plan.Map {
		var parts []layout.Part
		for _, size := range sizes {
			parts = append(parts, layout.Part{Size: size})
		}
		return must(t)(layout.Fused(shape, axis, degree, parts))
	}
}

func replicated(shape ...int64) family {
	return func(t testing.TB, degree int) plan.Map { return must(t)(layout.Replicated(shape, degree)) }
}

func bigCode(t testing.TB, degree int) plan.Map {
	return must(t)(layout.BigCode([]int64{48, 8}, 16, degree))
}

func headModulo(t testing.TB, degree int) plan.Map {
	return must(t)(layout.HeadModulo([]int64{8, 64}, 1, 8, degree))
}

func codeGen(t testing.TB, degree int) plan.Map {
	return must(t)(layout.CodeGen([]int64{96, 8}, 0, 0, degree))
}

func yuanValue(t testing.TB, degree int) plan.Map {
	return must(t)(layout.Yuan([]int64{16, 8}, 0, 8, degree))
}

func yuanOutput(t testing.TB, degree int) plan.Map {
	return must(t)(layout.Yuan([]int64{8, 16}, 1, 8, degree))
}

func TestSeedsTable(t *testing.T) {
	privateQ := plan.Selector{Prefer: map[int][]int{0: {0}, 1: {0}, 2: {1}, 3: {1}}}
	tests := []struct {
		name     string
		folding  Folding
		selector plan.Selector
		segments int
		reads    map[int]int64
	}{
		{"pieces, lowest", Pieces, plan.Selector{}, 8, map[int]int64{0: 640, 1: 128}},
		{"addresses, lowest", Addresses, plan.Selector{}, 7, map[int]int64{0: 640, 1: 128}},
		{"addresses, private q", Addresses, privateQ, 6, map[int]int64{0: 384, 1: 384}},
		{"addresses, highest", Addresses, plan.Selector{Policy: plan.PolicyHighest}, 7, map[int]int64{0: 128, 1: 640}},
	}
	for _, test := range tests {
		request := plan.Request{Source: bigCode(t, 2), Target: bigCode(t, 4), Selector: test.selector}
		answer := planned(t, test.folding, request)
		if got := len(answer.Plan.Segments); got != test.segments {
			t.Errorf("%s: %d segments, want %d", test.name, got, test.segments)
		}
		if *answer.MovedElements != 768 {
			t.Errorf("%s: %d moved elements, want 768", test.name, *answer.MovedElements)
		}
		if diff := cmp.Diff(test.reads, reads(answer.Plan)); diff != "" {
			t.Errorf("%s: reads (-want +got):\n%s", test.name, diff)
		}
		if wrong := execute(request, answer.Plan); wrong != "" {
			t.Errorf("%s: %s", test.name, wrong)
		}
	}
}

func TestSeedsFoldedCopy(t *testing.T) {
	answer := planned(t, Addresses, plan.Request{Source: bigCode(t, 2), Target: bigCode(t, 4)})
	want := segment([]int64{24, 8}, 0, 64, []int64{8, 1}, 1, 0, []int64{8, 1})
	for _, got := range answer.Plan.Segments {
		if cmp.Equal(got, want) {
			return
		}
	}
	t.Errorf("no segment %+v in %+v", want, answer.Plan.Segments)
}

func segment(shape []int64, source int, from int64, sourceStrides []int64, target int, to int64, targetStrides []int64) plan.Segment {
	return plan.Segment{
		Shape:  shape,
		Source: plan.Endpoint{Rank: source, View: plan.View{Offset: from, Strides: sourceStrides}},
		Target: plan.Endpoint{Rank: target, View: plan.View{Offset: to, Strides: targetStrides}},
	}
}

// The selector is asked four times: once a target rank, each time for the k-v block.
func TestSeedsChoices(t *testing.T) {
	request := plan.Request{Source: bigCode(t, 2), Target: bigCode(t, 4)}
	source, target, refusal := plan.ValidateRequest(request)
	if refusal != nil {
		t.Fatal(refusal)
	}
	p := partitionOf(request.Source, source, new(desk))
	found, err := crossingsOf(request.Target, target, p.regions, new(desk), newMeter(context.Background(), plan.Budget{}))
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, c := range found {
		candidates := p.candidates[c.source.group]
		if len(candidates) == 1 {
			continue
		}
		asked++
		if want := (box.Box{Lo: []int64{32, 0}, Shape: []int64{16, 8}}); !cmp.Equal(c.source.box, want) || !slices.Equal(candidates, []int{0, 1}) {
			t.Errorf("asked for %v with candidates %v, want %v with [0 1]", c.source.box, candidates, want)
		}
	}
	if asked != 4 {
		t.Errorf("asked %d times, want 4", asked)
	}
}

func TestRowsToColumns(t *testing.T) {
	answer := planned(t, Addresses, plan.Request{Source: rows(8, 8)(t, 2), Target: split(1, 8, 8)(t, 4)})
	var want []plan.Segment
	for b := range 4 {
		for a := range 2 {
			want = append(want, segment([]int64{4, 2}, a, int64(2*b), []int64{8, 1}, b, int64(8*a), []int64{2, 1}))
		}
	}
	if diff := cmp.Diff(want, answer.Plan.Segments); diff != "" {
		t.Errorf("segments (-want +got):\n%s", diff)
	}
	if *answer.MovedElements != 64 {
		t.Errorf("%d moved elements, want 64", *answer.MovedElements)
	}
}

func TestPlanBytes(t *testing.T) {
	rows, columns, whole := rows(48, 8), split(1, 48, 8), replicated(48, 8)
	tests := []struct {
		name           string
		source, target plan.Map
		bytes          int64
	}{
		{"rows 2 to 4", rows(t, 2), rows(t, 4), 275},
		{"rows 4 to 2", rows(t, 4), rows(t, 2), 275},
		{"rows 2 to columns 4", rows(t, 2), columns(t, 4), 513},
		{"replicated 4 to rows 4", whole(t, 4), rows(t, 4), 278},
		{"BigCode 2 to 4", bigCode(t, 2), bigCode(t, 4), 458},
		{"BigCode 4 to 2", bigCode(t, 4), bigCode(t, 2), 395},
	}
	for _, test := range tests {
		p := planned(t, Addresses, plan.Request{Source: test.source, Target: test.target}).Plan
		if got := compactBytes(p); got != test.bytes {
			t.Errorf("%s: %d bytes, want %d", test.name, got, test.bytes)
		}
		if got := int64(len(plan.CompactPlan(p))); got != test.bytes {
			t.Errorf("%s: %d bytes written, want %d", test.name, got, test.bytes)
		}
	}
}

// A change is one family from one degree to another.
type change struct{ from, to int }

func TestSegmentsByDegreeChange(t *testing.T) {
	changes := []change{{1, 1}, {2, 2}, {4, 4}, {1, 2}, {1, 4}, {2, 1}, {2, 4}, {4, 1}, {4, 2}}
	tests := []struct {
		name   string
		family family
		want   []int
	}{
		{"rows 8x8", rows(8, 8), []int{1, 2, 4, 2, 4, 2, 4, 4, 4}},
		{"columns 8x24", split(1, 8, 24), []int{1, 2, 4, 2, 4, 2, 4, 4, 4}},
		{"rows 11x8", rows(11, 8), []int{1, 2, 4, 2, 4, 2, 4, 4, 4}},
		{"replicated 5x6", replicated(5, 6), []int{1, 2, 4, 2, 4, 1, 4, 1, 2}},
		{"fused 12x8", fused(0, []int64{12, 8}, 8, 4), []int{1, 2, 4, 4, 8, 4, 8, 8, 8}},
		{"BigCode 48x8", bigCode, []int{1, 3, 7, 3, 7, 3, 7, 5, 6}},
		{"head mod T 8x64", headModulo, []int{1, 2, 4, 8, 8, 8, 8, 8, 8}},
	}
	for _, test := range tests {
		var got []int
		for _, c := range changes {
			request := plan.Request{Source: test.family(t, c.from), Target: test.family(t, c.to)}
			answer := planned(t, Addresses, request)
			got = append(got, len(answer.Plan.Segments))
			if wrong := execute(request, answer.Plan); wrong != "" {
				t.Errorf("%s %d to %d: %s", test.name, c.from, c.to, wrong)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: segments %v, want %v for %v", test.name, got, test.want, changes)
		}
	}
}

// Folding by addresses needs these numbers in either direction; stacking at most the best that is known.
func TestSegmentsOfInterleavedFamilies(t *testing.T) {
	tests := []struct {
		name              string
		family            family
		change            change
		addresses, stacks int
	}{
		{"CodeGen 96x8", codeGen, change{2, 4}, 44, 4},
		{"CodeGen 96x8", codeGen, change{4, 2}, 44, 4},
		{"CodeGen 96x8", codeGen, change{2, 8}, 96, 8},
		{"CodeGen 96x8", codeGen, change{8, 2}, 96, 8},
		{"CodeGen 96x8", codeGen, change{4, 8}, 88, 8},
		{"CodeGen 96x8", codeGen, change{8, 4}, 88, 8},
		{"Yuan value 16x8", yuanValue, change{2, 4}, 8, 4},
		{"Yuan value 16x8", yuanValue, change{4, 2}, 8, 4},
		{"Yuan output 8x16", yuanOutput, change{2, 4}, 8, 4},
		{"Yuan output 8x16", yuanOutput, change{4, 2}, 8, 4},
	}
	for _, test := range tests {
		request := plan.Request{Source: test.family(t, test.change.from), Target: test.family(t, test.change.to)}
		for _, folding := range foldings {
			answer := planned(t, folding, request)
			if wrong := execute(request, answer.Plan); wrong != "" {
				t.Errorf("%s %v, %s: %s", test.name, test.change, folding, wrong)
			}
			got := len(answer.Plan.Segments)
			if folding == Addresses && got != test.addresses || folding == Stack && got > test.stacks {
				t.Errorf("%s %v, %s: %d segments, want %d, stacked at most %d", test.name, test.change, folding, got, test.addresses, test.stacks)
			}
		}
	}
}

// 10^9 rows cost what 10 do: the same segments, larger.
func TestSizesDoNotMatter(t *testing.T) {
	small := planned(t, Addresses, rowsToColumns(t, 10))
	large := planned(t, Addresses, rowsToColumns(t, 1e9))
	if got, want := len(large.Plan.Segments), len(small.Plan.Segments); got != want || got != 8 {
		t.Errorf("%d segments for 10^9 rows and %d for 10, want 8", got, want)
	}
	few, many := spent(t, rowsToColumns(t, 10)), spent(t, rowsToColumns(t, 1e9))
	if *few != *many {
		t.Errorf("10^9 rows take the work %+v, 10 take %+v", *many, *few)
	}
	if *large.MovedElements != 8e9 {
		t.Errorf("%d moved elements, want 8*10^9", *large.MovedElements)
	}
}

func rowsToColumns(t testing.TB, rows int64) plan.Request {
	return plan.Request{Source: split(0, rows, 8)(t, 2), Target: split(1, rows, 8)(t, 4)}
}
