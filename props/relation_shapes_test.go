package props

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/plan"
)

// onOne is a tensor on rank 0, in a shard of the given shape.
func onOne(logical, shard []int64, pieces ...plan.Piece) plan.Map {
	return plan.Map{LogicalShape: logical, Shards: []plan.Shard{{Shape: shard, Pieces: pieces}}}
}

// at is a piece of rank 0.
func at(shape []int64, source, dest plan.View) plan.Piece {
	return plan.Piece{Shape: shape, Source: source, Dest: dest, Locations: []int{0}}
}

func view(offset int64, strides ...int64) plan.View {
	return plan.View{Offset: offset, Strides: strides}
}

// Maps turned round, worked out by hand. A shard turns round with the tensor where its axes are
// the tensor's, and stays where they are not: then the pieces' axes alone do.
func TestReversed(t *testing.T) {
	for _, test := range []struct {
		name     string
		from, to plan.Map
	}{
		{
			name: "a tensor that is a shard",
			from: onOne([]int64{2, 3}, []int64{2, 3}, at([]int64{2, 3}, view(0, 3, 1), view(0, 3, 1))),
			to:   onOne([]int64{3, 2}, []int64{3, 2}, at([]int64{3, 2}, view(0, 2, 1), view(0, 2, 1))),
		},
		{
			name: "two halves, exchanged in the shard",
			from: onOne([]int64{3, 4}, []int64{3, 4}, at([]int64{3, 2}, view(0, 4, 1), view(2, 4, 1)), at([]int64{3, 2}, view(2, 4, 1), view(0, 4, 1))),
			to:   onOne([]int64{4, 3}, []int64{4, 3}, at([]int64{2, 3}, view(0, 3, 1), view(6, 3, 1)), at([]int64{2, 3}, view(6, 3, 1), view(0, 3, 1))),
		},
		{
			name: "a transposed shard",
			from: onOne([]int64{2, 3}, []int64{3, 2}, at([]int64{2, 3}, view(0, 3, 1), view(0, 1, 2))),
			to:   onOne([]int64{3, 2}, []int64{2, 3}, at([]int64{3, 2}, view(0, 2, 1), view(0, 1, 3))),
		},
		{
			name: "a flat shard",
			from: onOne([]int64{2, 3}, []int64{6}, at([]int64{2, 3}, view(0, 3, 1), view(0, 3, 1))),
			to:   onOne([]int64{3, 2}, []int64{6}, at([]int64{3, 2}, view(0, 2, 1), view(0, 1, 3))),
		},
		{
			name: "a run of addresses in a shard of as many axes",
			from: onOne([]int64{4, 2}, []int64{2, 4}, at([]int64{4, 2}, view(0, 2, 1), view(0, 2, 1))),
			to:   onOne([]int64{2, 4}, []int64{2, 4}, at([]int64{2, 4}, view(0, 4, 1), view(0, 1, 2))),
		},
		{
			name: "two blocks side by side in a shard of an axis more",
			from: onOne([]int64{2, 4}, []int64{2, 1, 4}, at([]int64{2, 2}, view(0, 4, 1), view(0, 4, 1)), at([]int64{2, 2}, view(2, 4, 1), view(2, 4, 1))),
			to:   onOne([]int64{4, 2}, []int64{2, 1, 4}, at([]int64{2, 2}, view(0, 2, 1), view(0, 1, 4)), at([]int64{2, 2}, view(4, 2, 1), view(2, 1, 4))),
		},
	} {
		got, ok := reversed(test.from)
		if diff := cmp.Diff(test.to, got); !ok || diff != "" {
			t.Errorf("%s: %t; want, got\n%s", test.name, ok, diff)
		}
	}
	if got, ok := reversed(onOne([]int64{4}, []int64{2}, at([]int64{2}, view(0, 2), view(0, 1)))); ok {
		t.Errorf("a stepped piece, which is no box, is turned round: %+v", got)
	}
}

// A new axis is all there wherever anything is: one of extent 1 steps over all that comes after it, and over the
// last one, of extent 3, all else steps.
func TestWithAxis(t *testing.T) {
	m := onOne([]int64{4, 6}, []int64{2, 5}, at([]int64{2, 5}, view(13, 6, 1), view(0, 5, 1)))
	for _, test := range []struct {
		axis   int
		extent int64
		want   plan.Map
	}{
		{0, 1, onOne([]int64{1, 4, 6}, []int64{1, 2, 5}, at([]int64{1, 2, 5}, view(13, 24, 6, 1), view(0, 10, 5, 1)))},
		{1, 1, onOne([]int64{4, 1, 6}, []int64{2, 1, 5}, at([]int64{2, 1, 5}, view(13, 6, 6, 1), view(0, 5, 5, 1)))},
		{2, 3, onOne([]int64{4, 6, 3}, []int64{2, 5, 3}, at([]int64{2, 5, 3}, view(39, 18, 3, 1), view(0, 15, 3, 1)))},
	} {
		if diff := cmp.Diff(test.want, withAxis(m, test.axis, test.extent)); diff != "" {
			t.Errorf("%d at %d: want, got\n%s", test.extent, test.axis, diff)
		}
	}
	scalar := onOne(nil, nil, at(nil, view(0), view(0)))
	want := onOne([]int64{1}, []int64{1}, at([]int64{1}, view(0, 1), view(0, 1)))
	if diff := cmp.Diff(want, withAxis(scalar, 0, 1)); diff != "" {
		t.Errorf("a scalar: want, got\n%s", diff)
	}
}

func TestRowMajorBlocks(t *testing.T) {
	for _, test := range []struct {
		name string
		m    plan.Map
		want bool
	}{
		{"row-major", onOne([]int64{2, 3}, []int64{2, 3}, at([]int64{2, 3}, view(0, 3, 1), view(0, 3, 1))), true},
		{"any stride on an axis of extent 1", onOne([]int64{1, 3}, []int64{1, 3}, at([]int64{1, 3}, view(0, 9, 1), view(0, 0, 1))), true},
		{"nothing placed", onOne([]int64{0, 3}, []int64{0, 3}, at([]int64{0, 3}, view(7, 1, 3), view(7, 1, 3))), true},
		{"a transposed shard", onOne([]int64{2, 3}, []int64{3, 2}, at([]int64{2, 3}, view(0, 3, 1), view(0, 1, 2))), false},
		{"a row as a column", onOne([]int64{1, 3}, []int64{3, 1}, at([]int64{1, 3}, view(0, 3, 1), view(0, 1, 1))), false},
		{"axes listed in another order", onOne([]int64{2, 3}, []int64{2, 3}, at([]int64{3, 2}, view(0, 1, 3), view(0, 1, 3))), false},
		{"a flat shard", onOne([]int64{2, 3}, []int64{6}, at([]int64{2, 3}, view(0, 3, 1), view(0, 3, 1))), false},
		{"blocks side by side in a shard of an axis more", onOne([]int64{2, 4}, []int64{2, 1, 4},
			at([]int64{2, 2}, view(0, 4, 1), view(0, 4, 1)), at([]int64{2, 2}, view(2, 4, 1), view(2, 4, 1))), false},
	} {
		if got := rowMajorBlocks(test.m); got != test.want {
			t.Errorf("%s: got %t", test.name, got)
		}
	}
}

// The first piece that can be is cut, on the longest axis, and the second half is put last.
func TestWithCutPiece(t *testing.T) {
	empty := at([]int64{0, 9}, view(0, 3, 1), view(0, 3, 1))
	single := at([]int64{1, 1}, view(5, 3, 1), view(5, 3, 1))
	for _, test := range []struct {
		name    string
		m, want plan.Map
	}{
		{
			"three columns", onOne([]int64{2, 3}, []int64{2, 3}, empty, at([]int64{2, 3}, view(0, 3, 1), view(0, 3, 1)), single),
			onOne([]int64{2, 3}, []int64{2, 3}, empty, at([]int64{2, 1}, view(0, 3, 1), view(0, 3, 1)), single, at([]int64{2, 2}, view(1, 3, 1), view(1, 3, 1))),
		},
		{
			"two rows, at other places and with other strides in the shard",
			onOne([]int64{3, 1}, []int64{1, 4}, at([]int64{2, 1}, view(1, 1, 1), view(1, 2, 1))),
			onOne([]int64{3, 1}, []int64{1, 4}, at([]int64{1, 1}, view(1, 1, 1), view(1, 2, 1)), at([]int64{1, 1}, view(2, 1, 1), view(3, 2, 1))),
		},
	} {
		got, ok := withCutPiece(test.m)
		if diff := cmp.Diff(test.want, got); !ok || diff != "" {
			t.Errorf("%s: %t; want, got\n%s", test.name, ok, diff)
		}
	}
	if got, ok := withCutPiece(onOne([]int64{2, 3}, []int64{2, 3}, empty, single, at(nil, view(0), view(0)))); ok {
		t.Errorf("a single element or none is cut: %+v", got)
	}
}

// Two plans copy the same where their segments do, one by one, whatever they say of axes of extent 1.
func TestCopiesDiffer(t *testing.T) {
	segment := func(shape []int64, source, target plan.View) plan.Segment {
		return plan.Segment{Shape: shape, Source: plan.Endpoint{Rank: 3, View: source}, Target: plan.Endpoint{View: target}}
	}
	base := segment([]int64{2, 3}, view(4, 3, 1), view(0, 5, 1))
	for _, test := range []struct {
		name string
		got  []plan.Segment
		want string
	}{
		{"the same", []plan.Segment{base, base}, ""},
		{"an axis of extent 1", []plan.Segment{base, segment([]int64{2, 1, 3}, view(4, 3, 9, 1), view(0, 5, 7, 1))}, ""},
		{"a segment less", []plan.Segment{base}, "1 segments turned, not 2"},
		{"a read elsewhere", []plan.Segment{base, segment([]int64{2, 3}, view(3, 3, 1), view(0, 5, 1))},
			"segment 1 turned is [2 3] from 3 at 3 [3 1] to 0 at 0 [5 1], not [2 3] from 3 at 4 [3 1] to 0 at 0 [5 1]"},
	} {
		if got := copiesDiffer(plan.Plan{Segments: test.got}, plan.Plan{Segments: []plan.Segment{base, base}}, "turned"); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}
