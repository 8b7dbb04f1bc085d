package props

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/oracle"
	"github.com/shardproof/shardproof/plan"
)

// A form is a shard as one may be written, and what it holds: the row-major index in the tensor of each of its
// elements.
type form struct {
	name      string
	logical   []int64
	shape     []int64 // of the shard
	pieces    []plan.Piece
	placement placement
	holds     []int64
}

func (f form) of() plan.Map {
	return onOne(f.logical, f.shape, f.pieces...)
}

var nothing = at([]int64{0, 3}, view(5, 8, 8), view(9, 7, 7))

var forms = []form{
	{
		"rows", []int64{4, 3}, []int64{2, 3},
		[]plan.Piece{at([]int64{2, 3}, view(3, 3, 1), view(0, 3, 1))},
		grid, []int64{3, 4, 5, 6, 7, 8},
	},
	{
		"columns from two places, and nothing", []int64{2, 6}, []int64{2, 4},
		[]plan.Piece{
			nothing,
			at([]int64{2, 2}, view(4, 6, 1), view(0, 4, 1)),
			nothing,
			at([]int64{2, 2}, view(1, 6, 1), view(2, 4, 1)),
		},
		grid, []int64{4, 5, 1, 2, 10, 11, 7, 8},
	},
	{
		"a shard the other way round", []int64{2, 3}, []int64{3, 2},
		[]plan.Piece{at([]int64{2, 3}, view(0, 3, 1), view(0, 1, 2))},
		grid, []int64{0, 3, 1, 4, 2, 5},
	},
	{
		"a piece the other way round", []int64{2, 3}, []int64{2, 3},
		[]plan.Piece{at([]int64{3, 2}, view(0, 1, 3), view(0, 1, 3))},
		grid, []int64{0, 1, 2, 3, 4, 5},
	},
	{
		"a piece that lists its axes in turn, and any strides where it is 1 long", []int64{2, 1, 3}, []int64{2, 1, 3},
		[]plan.Piece{at([]int64{1, 3, 2}, view(0, 77, 1, 3), view(0, 88, 1, 3))},
		grid, []int64{0, 1, 2, 3, 4, 5},
	},
	{
		"two pieces in turn, one of a row", []int64{3, 2}, []int64{2, 3},
		[]plan.Piece{
			at([]int64{2, 1}, view(0, 1, 99), view(0, 3, 55)),
			at([]int64{2, 2}, view(2, 1, 2), view(1, 3, 1)),
		},
		grid, []int64{0, 2, 4, 1, 3, 5},
	},
	{
		"of more axes, side by side", []int64{2, 4}, []int64{1, 2, 4},
		[]plan.Piece{
			at([]int64{2, 2}, view(2, 4, 1), view(0, 4, 1)),
			at([]int64{2, 2}, view(0, 4, 1), view(2, 4, 1)),
		},
		grid, []int64{2, 3, 0, 1, 6, 7, 4, 5},
	},
	{
		"flat", []int64{4, 3}, []int64{6},
		[]plan.Piece{at([]int64{2, 3}, view(3, 3, 1), view(0, 3, 1))},
		packed, []int64{3, 4, 5, 6, 7, 8},
	},
	{
		"flat by columns, with nothing before", []int64{2, 3}, []int64{6},
		[]plan.Piece{nothing, at([]int64{2, 3}, view(0, 3, 1), view(0, 1, 2))},
		packed, []int64{0, 3, 1, 4, 2, 5},
	},
	{
		"flat, the second piece first, one in turn", []int64{2, 4}, []int64{1, 8, 1},
		[]plan.Piece{
			at([]int64{2, 2}, view(0, 4, 1), view(4, 2, 1)),
			at([]int64{2, 2}, view(2, 1, 4), view(0, 1, 2)),
		},
		packed, []int64{2, 3, 6, 7, 0, 1, 4, 5},
	},
	{
		"flat, and any strides where it is 1 long", []int64{2, 1, 3}, []int64{6},
		[]plan.Piece{at([]int64{2, 1, 3}, view(0, 3, 77, 1), view(0, 3, 0, 1))},
		packed, []int64{0, 1, 2, 3, 4, 5},
	},
	{
		"of as many axes, but no box of it", []int64{2, 3}, []int64{6, 1},
		[]plan.Piece{at([]int64{2, 3}, view(0, 3, 1), view(0, 3, 1))},
		packed, []int64{0, 1, 2, 3, 4, 5},
	},
	{
		"one element of a tensor", []int64{2, 3}, nil,
		[]plan.Piece{at([]int64{1, 1}, view(4, 3, 1), view(0, 1, 1))},
		packed, []int64{4},
	},
}

// A shard taken apart into blocks and put together again is the same shard, in whatever form it came.
func TestFormsArePutTogetherAgain(t *testing.T) {
	for _, f := range forms {
		m := f.of()
		if got := placeShard(f.logical, m.Shards[0]).placement; got != f.placement {
			t.Errorf("%s: placement %d, want %d", f.name, got, f.placement)
		}
		if got := held(t, m); !slices.Equal(got, f.holds) {
			t.Fatalf("%s: the table is wrong: holds %v", f.name, got)
		}
		for axis := range f.logical {
			got, ok := stretched(m, stretch{axis: axis, by: 1}, false)
			if diff := cmp.Diff(m, got); !ok || diff != "" {
				t.Errorf("%s, by axis %d: %v\n%s", f.name, axis, ok, diff)
			}
		}
	}
}

// held is what the first shard of a map holds, as copying its elements finds.
func held(t *testing.T, m plan.Map) []int64 {
	t.Helper()
	labels, err := oracle.Labels(m)
	if err != nil {
		t.Fatal(err)
	}
	shards, err := oracle.Extract(m, labels)
	if err != nil {
		t.Fatalf("%v\n%+v", err, m)
	}
	return shards[0]
}

// A shard without some coordinates holds what it held but for those, in the same order. This is refused where
// what is left is no box of the shard's coordinates, and never in a flat shard.
func TestFormsWithoutSomeCoordinates(t *testing.T) {
	for _, f := range forms {
		for axis, extent := range f.logical {
			for lo := range extent {
				for hi := lo + 1; hi <= extent; hi++ {
					stays := func(label int64) bool { x := coordinateOf(f.logical, label)[axis]; return x < lo || x >= hi }
					got, ok := stretched(f.of(), stretch{axis: axis, gone: []span{{lo, hi}}, by: 1}, false)
					what := fmt.Sprintf("%s, axis %d without %d to %d", f.name, axis, lo, hi)
					if !ok {
						if f.placement == packed || isBox(f, stays) {
							t.Errorf("%s: refused", what)
						}
						continue
					}
					var want []int64
					for _, label := range f.holds {
						if stays(label) {
							x := coordinateOf(f.logical, label)
							if x[axis] >= hi {
								x[axis] -= hi - lo
							}
							want = append(want, index(got.LogicalShape, x))
						}
					}
					if holds := held(t, got); got.LogicalShape[axis] != extent-(hi-lo) || !slices.Equal(holds, want) {
						t.Errorf("%s: %v holds %v, want %v", what, got.LogicalShape, holds, want)
					}
				}
			}
		}
	}
}

// coordinateOf is the coordinate of an element by its row-major index, and index the other way round.
func coordinateOf(shape []int64, label int64) []int64 {
	x := make([]int64, len(shape))
	for axis := len(shape) - 1; axis >= 0; axis-- {
		x[axis] = label % shape[axis]
		label /= shape[axis]
	}
	return x
}

func index(shape, x []int64) int64 {
	label := int64(0)
	for axis := range shape {
		label = label*shape[axis] + x[axis]
	}
	return label
}

// isBox reports whether the elements of a shard that stay are those of some coordinates on each of its axes.
func isBox(f form, stays func(label int64) bool) bool {
	used := make([]map[int64]bool, len(f.shape))
	for axis := range used {
		used[axis] = map[int64]bool{}
	}
	for address, label := range f.holds {
		if stays(label) {
			for axis, x := range coordinateOf(f.shape, int64(address)) {
				used[axis][x] = true
			}
		}
	}
	for address, label := range f.holds {
		inside := true
		for axis, x := range coordinateOf(f.shape, int64(address)) {
			inside = inside && used[axis][x]
		}
		if inside != stays(label) {
			return false
		}
	}
	return true
}

// A shard drawn out to twice the length holds twice as much, every other coordinate of it what it held.
func TestFormsDrawnOut(t *testing.T) {
	for _, f := range forms {
		for axis := range f.logical {
			if slices.ContainsFunc(f.pieces, func(p plan.Piece) bool { return slices.Contains(p.Shape, 1) }) {
				continue // a block has no direction where it is 1 long
			}
			got, ok := stretched(f.of(), stretch{axis: axis, by: 2}, false)
			if !ok {
				t.Errorf("%s: refused on axis %d", f.name, axis)
				continue
			}
			var first []int64
			all := held(t, got)
			for _, label := range all {
				if x := coordinateOf(got.LogicalShape, label); x[axis]%2 == 0 {
					x[axis] /= 2
					first = append(first, index(f.logical, x))
				}
			}
			if len(all) != 2*len(f.holds) || !slices.Equal(first, f.holds) {
				t.Errorf("%s: on axis %d it holds %v, and of the first of each two %v, want %v", f.name, axis, all, first, f.holds)
			}
		}
	}
}

// What is no box of the tensor, or no block of its shard, is left as it came.
func TestOtherFormsAreLeft(t *testing.T) {
	const huge = 1 << 62
	for _, test := range []struct {
		name    string
		logical []int64
		shard   plan.Shard
	}{
		{"every other column", []int64{2, 4}, shardOf([]int64{2, 2}, at([]int64{2, 2}, view(0, 4, 2), view(0, 2, 1)))},
		{"backwards", []int64{4}, shardOf([]int64{4}, at([]int64{4}, view(3, -1), view(0, 1)))},
		{"a diagonal", []int64{3, 3}, shardOf([]int64{3, 1}, at([]int64{3, 1}, view(0, 4, 1), view(0, 1, 1)))},
		{"one axis twice", []int64{4, 1}, shardOf([]int64{2, 2}, at([]int64{2, 2}, view(0, 1, 1), view(0, 2, 1)))},
		{"before the tensor", []int64{4}, shardOf([]int64{1}, at([]int64{1}, view(-1, 1), view(0, 1)))},
		{"past the tensor", []int64{4}, shardOf([]int64{1}, at([]int64{1}, view(4, 1), view(0, 1)))},
		{"over the edge of the tensor", []int64{4}, shardOf([]int64{3}, at([]int64{3}, view(2, 1), view(0, 1)))},
		{"from one row to the next", []int64{3, 4}, shardOf([]int64{1, 3}, at([]int64{1, 3}, view(2, 4, 1), view(0, 3, 1)))},
		{"of a tensor without elements", []int64{0, 2}, shardOf([]int64{1, 2}, at([]int64{1, 2}, view(0, 2, 1), view(0, 2, 1)))},
		{"of a tensor past int64", []int64{huge, 4}, shardOf([]int64{1, 2}, at([]int64{1, 2}, view(0, 4, 1), view(0, 2, 1)))},
		{"a negative extent", []int64{4}, shardOf([]int64{4}, at([]int64{-4}, view(0, 1), view(0, 1)))},
		{"fewer axes", []int64{2, 2}, shardOf([]int64{2, 2}, at([]int64{4}, view(0, 1), view(0, 1)))},
		{"fewer strides into the tensor", []int64{2, 2}, shardOf([]int64{2, 2}, at([]int64{2, 2}, view(0, 1), view(0, 2, 1)))},
		{"fewer strides into the shard", []int64{2, 2}, shardOf([]int64{2, 2}, at([]int64{2, 2}, view(0, 2, 1), view(0, 1)))},
		{"past the shard", []int64{1, 2}, shardOf([]int64{1, 2}, at([]int64{1, 1}, view(0, 2, 1), view(2, 2, 1)))},
		{"over the edge of the shard", []int64{2, 4}, shardOf([]int64{2, 3}, at([]int64{2, 2}, view(0, 4, 1), view(2, 3, 1)))},
		{"twice along one axis of the shard", []int64{2, 2}, shardOf([]int64{4, 1}, at([]int64{2, 2}, view(0, 2, 1), view(0, 1, 1)))},
		{"by a stride that the shard has not", []int64{2, 2}, shardOf([]int64{2, 4}, at([]int64{2, 2}, view(0, 2, 1), view(0, 3, 1)))},
		{"rows apart in a flat shard", []int64{2, 2}, shardOf([]int64{4}, at([]int64{2, 2}, view(0, 2, 1), view(0, 3, 1)))},
		{"every other address of a flat shard", []int64{2, 2}, shardOf([]int64{4}, at([]int64{2, 2}, view(0, 2, 1), view(0, 4, 2)))},
		{"not from the start of a flat shard", []int64{2, 2}, shardOf([]int64{4}, at([]int64{2, 2}, view(0, 2, 1), view(1, 2, 1)))},
		{"not to the end of a flat shard", []int64{2, 2}, shardOf([]int64{5}, at([]int64{2, 2}, view(0, 2, 1), view(0, 2, 1)))},
		{"a shard past int64", []int64{2, 2}, shardOf([]int64{huge, 4}, at([]int64{2, 2}, view(0, 2, 1), view(0, 2, 1)))},
		{"an undeclared shard", nil, plan.Shard{Undeclared: true, Pieces: []plan.Piece{at(nil, view(0), view(0))}}},
	} {
		placed := placeShard(test.logical, test.shard)
		if diff := cmp.Diff(test.shard, placed.Shard); placed.placement != opaque || diff != "" {
			t.Errorf("%s: placement %d, changed:\n%s", test.name, placed.placement, diff)
		}
	}
}

func shardOf(shape []int64, pieces ...plan.Piece) plan.Shard {
	return plan.Shard{Shape: shape, Pieces: pieces}
}
