package plan

import (
	"slices"
	"testing"
)

// overlapping is a right map in which every two ranks' pieces meet: rank r cuts F at r+1.
func overlapping(ranks int64) Map {
	m := Map{LogicalShape: []int64{ranks + 1}}
	var all []int
	for rank := range ranks {
		all = append(all, int(rank))
	}
	for rank := range ranks {
		shard := Shard{Rank: int(rank), Shape: m.LogicalShape}
		for _, part := range [][2]int64{{0, rank + 1}, {rank + 1, ranks - rank}} {
			view := View{Offset: part[0], Strides: []int64{1}}
			shard.Pieces = append(shard.Pieces, Piece{Shape: []int64{part[1]}, Source: view, Dest: view, Locations: all})
		}
		m.Shards = append(m.Shards, shard)
	}
	return m
}

// Past a limit a map in which nothing wrong was found is unsupported: neither right nor wrong.
func TestValidateWithinLimits(t *testing.T) {
	right := overlapping(20)
	twice := overlapping(20)
	twice.Shards[7].Pieces[1] = twice.Shards[7].Pieces[0]
	undecided := []Violation{{Kind: Unsupported, Path: "map", Detail: "its pieces overlap too often to be judged"}}
	for _, test := range []struct {
		name   string
		m      Map
		limits limits
		want   []Violation // nil: some that are invalid, and no other
	}{
		{"right", right, usualLimits(), []Violation{}},
		// Every two of the 20 ranks have two or three pairs of pieces that meet.
		{"right, as many pairs as there are", right, limits{pairs: 190 * 3, gapWork: 1}, []Violation{}},
		{"right, too few pairs", right, limits{pairs: 190 * 2, gapWork: 1 << 20}, undecided},
		{"a block twice", twice, usualLimits(), nil},
		{"a block twice, too little work to find what is missing", twice, limits{pairs: 1 << 20, gapWork: 1}, nil},
	} {
		j := &judge{m: test.m, room: new(room)}
		j.structure()
		j.bounds()
		j.geometry(test.limits)
		switch {
		case test.want != nil:
			if !slices.Equal(j.found, test.want) {
				t.Errorf("%s: found %v, want %v", test.name, j.found, test.want)
			}
		case len(j.found) == 0 || slices.ContainsFunc(j.found, func(v Violation) bool { return v.Kind != Invalid }):
			t.Errorf("%s: found %v, want what is invalid alone", test.name, j.found)
		}
	}
}
