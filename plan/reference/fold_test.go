package reference

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/shardproof/shardproof/plan"
)

// Folding by addresses is what affine-ir.md says word for word: here, by looking at all pairs.
func TestFoldFollowsTheRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		request := drawRequest(t)
		source, target, refusal := plan.ValidateRequest(request)
		if refusal != nil {
			t.Fatal(refusal)
		}
		moves, err := resolve(request, source, target, new(desk), newMeter(context.Background(), plan.Budget{}))
		if err != nil {
			t.Fatal(err)
		}
		want := foldByPairs(answerOf(request.Source.LogicalShape, moves).Plan.Segments)
		got := planned(t, Addresses, request).Plan.Segments
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("segments (-want +got):\n%s", diff)
		}
	})
}

func foldByPairs(segments []plan.Segment) []plan.Segment {
	axes := 0
	if len(segments) > 0 {
		axes = len(segments[0].Shape)
	}
	for before := -1; before != len(segments); {
		before = len(segments)
		for axis := range axes {
			for joinPair(&segments, axis) {
			}
		}
	}
	slices.SortFunc(segments, compareSegments)
	return segments
}

func joinPair(segments *[]plan.Segment, axis int) bool {
	for i := range *segments {
		for j := range *segments {
			if i != j && follows((*segments)[i], (*segments)[j], axis) {
				(*segments)[i].Shape[axis] += (*segments)[j].Shape[axis]
				*segments = slices.Delete(*segments, j, j+1)
				return true
			}
		}
	}
	return false
}

// Past the end of int64 nothing continues, and nothing wraps round to an address that something has.
func TestAdvance(t *testing.T) {
	tests := []struct {
		address, extent, stride int64
		want                    int64
		fits                    bool
	}{
		{5, 3, 4, 17, true},
		{5, 3, -2, -1, true},
		{5, 3, 0, 5, true},
		{0, 1 << 32, 1 << 32, 0, false},
		{1, math.MaxInt64, 1, 0, false},
		{0, math.MaxInt64, 1, math.MaxInt64, true},
		{-2, math.MaxInt64, -1, 0, false},
		{-1, math.MaxInt64, -1, math.MinInt64, true},
	}
	for _, test := range tests {
		got, fits := advance(test.address, test.extent, test.stride)
		if got != test.want || fits != test.fits {
			t.Errorf("advance(%d, %d, %d) = %d, %t, want %d, %t", test.address, test.extent, test.stride, got, fits, test.want, test.fits)
		}
	}
}

// The moves between two ranks that lie at a lattice's points become one, whatever its axes, as long as there
// are eight at most. Axes of extent 1 do not count.
func TestStackTakesAWholeLattice(t *testing.T) {
	extents, source, target := []int64{2, 3, 2, 4}, []int64{3, 7, 1000, 50}, []int64{500, 100, 40, 5}
	tests := []struct {
		shape []int64
		least int // moves where the four axes do not all find room
		most  int
	}{
		{[]int64{}, 1, 1},
		{[]int64{2, 2, 2, 2}, 1, 1},
		{[]int64{2, 2, 2, 2, 2}, 2, 2},
		{[]int64{2, 2, 2, 2, 2, 2, 2}, 2 * 3 * 2, 2 * 2 * 4},
		{[]int64{2, 2, 2, 2, 2, 2, 2, 2}, 48, 48},
		{[]int64{1, 1, 1, 1, 1, 1, 1, 1}, 1, 1},
		{[]int64{2, 1, 2, 1, 2, 1, 2, 1}, 1, 1},
	}
	for _, test := range tests {
		var moves []move
		eachIndex(extents, func(index []int64) {
			strides := make([]int64, len(test.shape))
			moves = append(moves, move{
				source: at(plan.View{Strides: source}, index), target: at(plan.View{Strides: target}, index),
				shape: slices.Clone(test.shape), sourceStrides: strides, targetStrides: strides,
			})
		})
		putInOrder(moves)
		stacked, err := stack(moves, newMeter(context.Background(), plan.Budget{}))
		if err != nil {
			t.Fatal(err)
		}
		if got := len(stacked); got < test.least || got > test.most {
			t.Errorf("%v: %d moves, want %d to %d", test.shape, got, test.least, test.most)
		}
		got, want := int64(0), int64(len(moves))
		for _, m := range stacked {
			if len(m.shape) > plan.MaxAxes || len(m.sourceStrides) != len(m.shape) || len(m.targetStrides) != len(m.shape) {
				t.Errorf("%v: a move of shape %v with strides %v and %v", test.shape, m.shape, m.sourceStrides, m.targetStrides)
			}
			elements, _ := plan.Elements(m.shape)
			got += elements
		}
		if each, _ := plan.Elements(test.shape); got != want*each {
			t.Errorf("%v: %d elements, want %d", test.shape, got, want*each)
		}
	}
}
