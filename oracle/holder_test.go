package oracle

import (
	"testing"

	"github.com/shardproof/shardproof/plan"
)

// Each element is judged by its own holders, wherever they change and however the copy runs through it.
func TestEachElementHasItsHolders(t *testing.T) {
	row := func(lo, n, dest int64) part { return part{[]int64{lo, 0}, []int64{n, 1}, dest} }
	column := func(rows int64) []int64 { return []int64{rows, 1} }
	straight, ones := []int64{1}, []int64{1, 1}
	four := layout(column(4), [][]int64{column(4)}, [][]part{{row(0, 4, 0)}})
	for _, test := range []struct {
		name           string
		source, target plan.Map
		policy         plan.Policy
		copies         []plan.Segment
		want           string
	}{
		{"in the middle of a segment",
			layout(column(4), [][]int64{column(4), column(2)}, [][]part{{row(0, 2, 0), row(2, 2, 2)}, {row(2, 2, 0)}}), four, plan.PolicyHighest,
			[]plan.Segment{segment(column(4), 0, 0, ones, 0, 0, ones)},
			"target rank 0 [2 0] (address 2): wants logical [2 0], read from source rank 0 address 2, must be read from source rank 1"},
		{"in the middle of a piece, which hides a replica",
			layout(column(4), [][]int64{column(2), column(4)}, [][]part{{row(2, 2, 0)}, {row(0, 4, 0)}}), four, "",
			[]plan.Segment{segment(column(4), 1, 0, ones, 0, 0, ones)},
			"target rank 0 [2 0] (address 2): wants logical [2 0], read from source rank 1 address 2, must be read from source rank 0"},
		{"in the one element of a run backwards that is right",
			replicated(5, 1, 2), replicated(5, 1, 1), "",
			[]plan.Segment{segment([]int64{5}, 1, 4, []int64{-1}, 0, 0, straight)},
			"target rank 0 [2 0] (address 2): wants logical [2 0], read from source rank 1 address 2, must be read from source rank 0"},
		{"in the one element of a long run backwards that is right",
			replicated(4e9+1, 1, 2), replicated(4e9+1, 1, 1), "",
			[]plan.Segment{segment([]int64{4e9 + 1}, 1, 4e9, []int64{-1}, 0, 0, straight)},
			"target rank 0 [2000000000 0] (address 2000000000): wants logical [2000000000 0], read from source rank 1 address 2000000000, must be read from source rank 0"},
		{"in a shard whose rows stand in reverse",
			replicated(4, 2, 2), reversedRows(4), "",
			[]plan.Segment{segment([]int64{4, 2}, 1, 6, []int64{-2, 1}, 0, 0, []int64{2, 1})},
			"target rank 0 [0 0] (address 0): wants logical [3 0], read from source rank 1 address 6, must be read from source rank 0"},
		{"in a long shard whose rows stand in reverse, and are written so",
			replicated(1e9, 2, 2), reversedRows(1e9), "",
			[]plan.Segment{segment([]int64{1e9, 2}, 1, 0, []int64{2, 1}, 0, 2e9-2, []int64{-2, 1})},
			"target rank 0 [0 0] (address 0): wants logical [999999999 0], read from source rank 1 address 1999999998, must be read from source rank 0"},
	} {
		request := plan.Request{Source: test.source, Target: test.target, Selector: plan.Selector{Policy: test.policy}}
		answer := plan.Answer{Plan: plan.Plan{Segments: test.copies}}
		for _, oracle := range oracles {
			if oracle.name != "Prove" && tooLarge(request) {
				continue
			}
			if got := oracle.judge(request, answer).Of(Holder).Detail; got != test.want {
				t.Errorf("%s: %s:\n got %s\nwant %s", test.name, oracle.name, got, test.want)
			}
		}
	}
}

// reversedRows is one shard of two columns whose last row stands first.
func reversedRows(rows int64) plan.Map {
	m := replicated(rows, 2, 1)
	m.Shards[0].Pieces[0].Dest = plan.View{Offset: 2 * (rows - 1), Strides: []int64{-2, 1}}
	return m
}
