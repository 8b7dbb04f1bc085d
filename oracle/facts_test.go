package oracle

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/plan"
)

// Rows of 8x8 over two ranks to columns over four: the plan as published is right, and has its 8 segments of
// 64 elements in all.
func TestPublishedRowsToColumns(t *testing.T) {
	request, answer := rowsToColumns(8, 8)
	if n, want := len(answer.Plan.Segments), 8; n != want || *answer.MovedElements != 64 {
		t.Errorf("got %d segments of %d elements, want %d of 64", n, *answer.MovedElements, want)
	}
	want := segment([]int64{4, 2}, 1, 4, []int64{8, 1}, 2, 8, []int64{2, 1})
	if diff := cmp.Diff(answer.Plan.Segments[5], want); diff != "" {
		t.Errorf("source 1 to target 2, - got + want: %s", diff)
	}
	if evidence := Execute(request, answer); evidence != (Evidence{}) {
		t.Errorf("broken %v: %+v", evidence.Broken(), evidence)
	}
}

// The seed's table: the folded copy of 24x8 runs over the boundary where the holders change, and is right.
// Under the policy highest the same plan reads the k-v block from the wrong rank.
func TestSeedsTable(t *testing.T) {
	request, answer := bigCodeTwoToFour()
	if len(answer.Plan.Segments) != 7 || *answer.MovedElements != 768 {
		t.Errorf("got %d segments of %d elements, want 7 of 768", len(answer.Plan.Segments), *answer.MovedElements)
	}
	if evidence := Execute(request, answer); evidence != (Evidence{}) {
		t.Errorf("broken %v: %+v", evidence.Broken(), evidence)
	}
	request.Selector.Policy = plan.PolicyHighest
	if got, want := Execute(request, answer).Broken(), []ClauseID{Holder}; !slices.Equal(got, want) {
		t.Errorf("policy highest: broken %v, want %v", got, want)
	}
}

// Plan bytes as published: 48x8, rows over two ranks to columns over four is 513 bytes.
func TestPublishedPlanBytes(t *testing.T) {
	_, answer := rowsToColumns(48, 8)
	if got, want := planBytes(&answer.Plan), int64(513); got != want {
		t.Errorf("rows to columns: got %d bytes, want %d", got, want)
	}
	_, answer = bigCodeTwoToFour()
	if got, want := planBytes(&answer.Plan), int64(458); got != want {
		t.Errorf("BigCode: got %d bytes, want %d", got, want)
	}
}

// Two expert shards hold [0 1 3 4] and [2 4 3]: expert 4 is a replica that starts in the middle of a piece of
// one rank and at the start of a piece of the other. Each element that differs is found, on either rank.
func TestRebuildFindsEveryDisagreement(t *testing.T) {
	run := func(lo, n, dest int64) part { return part{[]int64{lo, 0}, []int64{n, 3}, 3 * dest} }
	m := layout([]int64{5, 3}, [][]int64{{4, 3}, {3, 3}}, [][]part{
		{run(0, 2, 0), run(3, 2, 2)},
		{run(2, 1, 0), run(4, 1, 1), run(3, 1, 2)},
	})
	full, err := Labels(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, spoiled := range []struct{ shard, address, row, column int64 }{
		{0, 11, 4, 2}, {0, 9, 4, 0}, {1, 4, 4, 1}, {1, 8, 3, 2}, {0, 6, 3, 0},
	} {
		shards, err := Extract(m, full)
		if err != nil {
			t.Fatal(err)
		}
		shards[spoiled.shard][spoiled.address] = 99
		_, err = Rebuild(m, shards)
		var found *Disagreement
		if !errors.As(err, &found) || !slices.Equal(found.Coordinate, []int64{spoiled.row, spoiled.column}) {
			t.Errorf("rank %d address %d: got %v, want a disagreement on %d %d", spoiled.shard, spoiled.address, err, spoiled.row, spoiled.column)
		}
	}
}

// What is extracted rebuilds to what it was extracted from, and a map that leaves an element out is a gap.
func TestExtractRebuild(t *testing.T) {
	for seed := range uint64(2000) {
		d := draw(seed)
		m := d.request().Source
		full, _ := Labels(m)
		shards, err := Extract(m, full)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		rebuilt, err := Rebuild(m, shards)
		if err != nil || !slices.Equal(rebuilt, full) {
			t.Fatalf("seed %d: rebuilt %v, want %v (%v)", seed, rebuilt, full, err)
		}
	}
	half := layout([]int64{4, 2}, [][]int64{{2, 2}}, [][]part{{{[]int64{0, 0}, []int64{2, 2}, 0}}})
	var gap *Gap
	if _, err := Rebuild(half, [][]int64{{0, 1, 2, 3}}); !errors.As(err, &gap) || !slices.Equal(gap.Coordinate, []int64{2, 0}) {
		t.Errorf("half of a tensor: got %v, want a gap at [2 0]", err)
	} else if want := "logical [2 0] is held by no rank"; err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Maps that are none are refused, not walked.
func TestExtractRefuses(t *testing.T) {
	both := part{[]int64{0, 0}, []int64{2, 1}, 0}
	for _, test := range []struct {
		name, want string
		m          plan.Map
	}{
		{"two pieces at one place", "this map: rank 0 piece 1: places two elements at one address of the shard", layout([]int64{4, 1}, [][]int64{{4, 1}}, [][]part{{both, both}})},
		{"a gap", "this map: rank 0: the pieces leave a gap in the shard", layout([]int64{4, 1}, [][]int64{{4, 1}}, [][]part{{both}})},
		{"outside the shard", "this map: rank 0 piece 0: leaves the shard", layout([]int64{4, 1}, [][]int64{{1, 1}}, [][]part{{both}})},
		{"outside the tensor", "this map: rank 0 piece 0: leaves the logical tensor", layout([]int64{1, 1}, [][]int64{{4, 1}}, [][]part{{both}})},
	} {
		full, _ := Labels(test.m)
		if _, err := Extract(test.m, full); err == nil || err.Error() != test.want {
			t.Errorf("%s:\n got %v\nwant %s", test.name, err, test.want)
		}
	}
}

// A plan applied to extracted shards leaves what the target map extracts.
func TestApply(t *testing.T) {
	request, answer := bigCodeTwoToFour()
	full, _ := Labels(request.Source)
	shards, err := Extract(request.Source, full)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Apply(request, answer, shards)
	want, _ := Extract(request.Target, full)
	if err != nil || cmp.Diff(got, want) != "" {
		t.Errorf("%v, - got + want: %s", err, cmp.Diff(got, want))
	}
	answer.Plan.Segments[2].Source.Offset += 65
	if _, err := Apply(request, answer, shards); err == nil || err.Error() != "segment 2 reaches outside its shards" {
		t.Errorf("a segment past the end: got %v", err)
	}
}
