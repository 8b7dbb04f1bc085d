package props

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/oracle"
)

// The layout that compose goes to: the longest axis in two, the first of several, and a tensor with none longer
// than 1 on one rank. Worked out by hand: the shape and the place in the tensor of each shard's one piece.
func TestHalves(t *testing.T) {
	type part struct {
		shape  []int64
		offset int64
	}
	for _, test := range []struct {
		shape []int64
		want  []part
	}{
		{[]int64{}, []part{{[]int64{}, 0}}},
		{[]int64{1, 1}, []part{{[]int64{1, 1}, 0}}},
		{[]int64{2}, []part{{[]int64{1}, 0}, {[]int64{1}, 1}}},
		{[]int64{5}, []part{{[]int64{2}, 0}, {[]int64{3}, 2}}},
		{[]int64{4, 6}, []part{{[]int64{4, 3}, 0}, {[]int64{4, 3}, 3}}},
		{[]int64{6, 4}, []part{{[]int64{3, 4}, 0}, {[]int64{3, 4}, 12}}},
		{[]int64{4, 4}, []part{{[]int64{2, 4}, 0}, {[]int64{2, 4}, 8}}},
	} {
		m := halves(test.shape, 3, 5)
		if broken, ok := oracle.ValidateMap(m); len(broken) > 0 || !ok {
			t.Errorf("%v: the map breaks %v", test.shape, broken)
		}
		var got []part
		for i, shard := range m.Shards {
			if shard.Rank != 3+2*i || !slices.Equal(shard.Shape, shard.Pieces[0].Shape) {
				t.Errorf("%v: shard %d is %+v", test.shape, i, shard)
			}
			got = append(got, part{shard.Shape, shard.Pieces[0].Source.Offset})
		}
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(part{})); diff != "" {
			t.Errorf("%v: want, got\n%s", test.shape, diff)
		}
	}
}

// A plan that the canaries cut is exact still: only the relation finds it.
func TestCutFirst(t *testing.T) {
	c, answer := rightAnswer()
	cutFirst(&answer.Plan)
	got := Judge(c, answer, nil)
	if got.Outcome != Exact || got.Segments != 5 || !slices.Equal(got.Should, []string{string(oracle.Folded)}) {
		t.Errorf("got %s of %d segments, should %v: %s", got.Outcome, got.Segments, got.Should, got.Detail)
	}
	if shape := answer.Plan.Segments[1].Shape; !slices.Equal(shape, []int64{3, 1}) {
		t.Errorf("the second half is %v", shape)
	}
}
