package oracle

import (
	"slices"
	"testing"

	"github.com/shardproof/shardproof/plan"
)

// Rows visit the elements of a block in row-major order, as few and as long as both tensors allow.
func TestRows(t *testing.T) {
	type list = []int64
	for _, test := range []struct {
		shape, a, b list
		rows, count int64
		axes        int // over which the rows stand
	}{
		{list{}, list{}, list{}, 1, 1, 0},
		{list{1, 1}, list{7, 7}, list{7, 7}, 1, 1, 0},
		{list{5, 0}, list{1, 1}, list{1, 1}, 0, 0, 0},
		{list{4, 6}, list{6, 1}, list{6, 1}, 1, 24, 0}, // whole in both
		{list{4, 6}, list{6, 1}, list{8, 1}, 4, 6, 1},  // columns of a wider one
		{list{4, 6}, list{8, 1}, list{6, 1}, 4, 6, 1},
		{list{4, 6}, list{1, 4}, list{6, 1}, 4, 6, 1},             // transposed
		{list{4, 1, 6}, list{6, 9, 1}, list{6, 9, 1}, 1, 24, 0},   // an axis of extent 1 between
		{list{2, 3, 4}, list{12, 4, 1}, list{24, 4, 1}, 2, 12, 1}, // the last two go on in both
		{list{2, 3, 4}, list{15, 5, 1}, list{18, 6, 1}, 6, 4, 1},  // the first two do
		{list{2, 3, 4}, list{15, 5, 1}, list{20, 6, 1}, 6, 4, 2},  // they do in one alone
		{list{2, 3, 4}, list{16, 5, 1}, list{18, 6, 1}, 6, 4, 2},
		{list{2, 2, 3, 4}, list{60, 30, 5, 1}, list{60, 30, 9, 1}, 12, 4, 2},
		{list{3, 4}, list{-4, -1}, list{4, 1}, 1, 12, 0}, // backwards in one
	} {
		var got, want [][2]int64
		s := plan.Segment{Shape: test.shape, Source: plan.Endpoint{View: plan.View{Offset: 90, Strides: test.a}}, Target: plan.Endpoint{View: plan.View{Offset: 7, Strides: test.b}}}
		eachElement(&s, func(a, b wide) bool {
			want = append(want, [2]int64{a.narrow(), b.narrow()})
			return true
		})
		var walk rows
		n := int64(0)
		for more := walk.start(test.shape, [2]int64{90, 7}, test.a, test.b); more; more = walk.next() {
			n++
			if walk.count != test.count || walk.axes != test.axes {
				t.Errorf("%v by %v and %v: rows of %d over %d axes, want %d over %d", test.shape, test.a, test.b, walk.count, walk.axes, test.count, test.axes)
			}
			for k := range walk.count {
				got = append(got, [2]int64{walk.first[0] + k*walk.step[0], walk.first[1] + k*walk.step[1]})
			}
		}
		if n != test.rows || !slices.Equal(got, want) {
			t.Errorf("%v by %v and %v: %d rows, want %d: got %v, want %v", test.shape, test.a, test.b, n, test.rows, got, want)
		}
	}
}
