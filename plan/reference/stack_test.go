package reference

import (
	"context"
	"slices"
	"testing"

	"github.com/shardproof/shardproof/plan"
)

// points is a move of one element for each target and source address.
func points(targets, sources []int64) []move {
	var moves []move
	for i := range targets {
		moves = append(moves, move{
			target: targets[i], source: sources[i],
			shape: []int64{1}, targetStrides: []int64{1 << 40}, sourceStrides: []int64{1 << 40},
		})
	}
	return moves
}

func stacked(t *testing.T, moves []move) []move {
	t.Helper()
	got, err := stack(moves, newMeter(context.Background(), plan.Budget{}))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestStack(t *testing.T) {
	tests := []struct {
		name             string
		targets, sources []int64
		want             int
	}{
		{"one run", []int64{0, 5, 10, 15}, []int64{3, 5, 7, 9}, 1},
		{"two runs in turn", []int64{0, 1, 10, 11, 20, 21, 30, 31}, []int64{0, 1000, 3, 1007, 6, 1014, 9, 1021}, 2},
		{"a run and a stray", []int64{0, 5, 7, 10}, []int64{3, 5, 900, 7}, 2},
		{"two runs of one stride", []int64{0, 5, 100, 105}, []int64{0, 5, 700, 705}, 1}, // and they stack again
		{"three runs of one stride", []int64{0, 5, 100, 105, 300, 305}, []int64{0, 5, 700, 705, 800, 805}, 2},
		{"backwards", []int64{0, 5, 10, 15}, []int64{9, 7, 5, 3}, 4}, // torch.as_strided has no negative stride
	}
	for _, test := range tests {
		got := stacked(t, points(test.targets, test.sources))
		if len(got) != test.want {
			t.Errorf("%s: %d moves %+v, want %d", test.name, len(got), got, test.want)
		}
		var targets, sources []int64
		for _, m := range got {
			eachIndex(m.shape, func(index []int64) {
				targets = append(targets, at(plan.View{Offset: m.target, Strides: m.targetStrides}, index))
				sources = append(sources, at(plan.View{Offset: m.source, Strides: m.sourceStrides}, index))
			})
			if slices.Min(m.sourceStrides) < 0 {
				t.Errorf("%s: source strides %v", test.name, m.sourceStrides)
			}
		}
		for i, target := range targets {
			if k := slices.Index(test.targets, target); len(targets) != len(test.targets) || k < 0 || test.sources[k] != sources[i] {
				t.Errorf("%s: copies %v to %v, want %v to %v", test.name, sources, targets, test.sources, test.targets)
			}
		}
	}
}

// The rows of a 3x3x2 view are cut a|bb, c|d|e and ff|g. Along axis 0 first, a joins c and e joins g, and then nothing
// fits bb, d and ff: plan.fold leaves 5 segments. Along axis 1 before axis 0, every row becomes whole, and all one.
func TestStackFoldsFromEitherEnd(t *testing.T) {
	strip := func(row, column, width int64) move {
		at, strides := 100*row+10*column, []int64{100, 10, 1}
		return move{target: at, source: at, shape: []int64{1, width, 2}, targetStrides: strides, sourceStrides: strides}
	}
	moves := []move{
		strip(0, 0, 1), strip(0, 1, 2),
		strip(1, 0, 1), strip(1, 1, 1), strip(1, 2, 1),
		strip(2, 0, 2), strip(2, 2, 1),
	}
	folded, err := fold(withOwnShapes(moves), false, newMeter(context.Background(), plan.Budget{}))
	if err != nil {
		t.Fatal(err)
	}
	if len(folded) != 5 {
		t.Errorf("fold leaves %+v, want 5", folded)
	}
	if got := stacked(t, moves); len(got) != 1 || !slices.Equal(got[0].shape, []int64{3, 3, 2}) {
		t.Errorf("stack leaves %+v, want one of 3x3x2", got)
	}
}
