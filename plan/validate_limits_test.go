package plan

import "testing"

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

// Past a limit the holding of a map is undecided, and never right or wrong.
func TestHoldingWithinLimits(t *testing.T) {
	right := overlapping(20)
	twice := overlapping(20)
	twice.Shards[7].Pieces[1] = twice.Shards[7].Pieces[0]
	for _, test := range []struct {
		name      string
		m         Map
		limits    limits
		undecided bool
		broken    bool
	}{
		{"right", right, usualLimits(), false, false},
		// Every two of the 20 ranks have two or three pairs of pieces that meet.
		{"right, as many pairs as there are", right, limits{pairs: 190 * 3, gapWork: 1}, false, false},
		{"right, too few pairs", right, limits{pairs: 190 * 2, gapWork: 1 << 20}, true, false},
		{"a block twice", twice, usualLimits(), false, true},
		{"a block twice, too little work to find what is missing", twice, limits{pairs: 1 << 20, gapWork: 1}, true, true},
	} {
		j := &judge{m: test.m, room: new(room)}
		j.structure()
		j.bounds()
		if undecided := j.holding(test.limits); undecided != test.undecided || len(j.found) > 0 != test.broken {
			t.Errorf("%s: undecided %v, found %v; want undecided %v, broken %v",
				test.name, undecided, j.found, test.undecided, test.broken)
		}
	}
}
