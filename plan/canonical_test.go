package plan_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/shardproof/shardproof/plan"
)

func TestCanonical(t *testing.T) {
	scale := 2.0
	for _, test := range []struct {
		name string
		m    plan.Map
		want []string
	}{
		{"merged", bigCode(), nil},
		{"cut in two", line(8, shard(3, 8, run(4, 4, 4, 3), run(0, 4, 0, 3))),
			[]string{"rank 3: pieces 1 and 0, [0:4] and [4:8], could be one piece along axis 0"}},
		{"cut in three", line(8, shard(3, 8, run(0, 4, 0, 3), run(4, 1, 4, 3), run(5, 3, 5, 3))), []string{
			"rank 3: pieces 0 and 1, [0:4] and [4:5], could be one piece along axis 0",
			"rank 3: pieces 1 and 2, [4:5] and [5:8], could be one piece along axis 0",
		}},
		{"apart in the shard", line(8, shard(3, 8, run(0, 4, 4, 3), run(4, 4, 0, 3))), nil},
		{"apart in F", line(8, shard(0, 4, run(0, 2, 0, 0), run(6, 2, 2, 0)), shard(1, 4, run(2, 4, 0, 1))), nil},
		{"other locations", line(8, shard(0, 8, run(0, 4, 0, 0), run(4, 4, 4, 0, 1)), shard(1, 4, run(4, 4, 0, 1, 0))), nil},
		{"locations in another order", line(8,
			shard(0, 8, run(0, 4, 0, 0, 1), run(4, 4, 4, 1, 0)), shard(1, 8, run(0, 8, 0, 1, 0))),
			[]string{"rank 0: pieces 0 and 1, [0:4] and [4:8], could be one piece along axis 0"}},
		{"another scale", line(8, shard(0, 8, run(0, 4, 0, 0), withScale(run(4, 4, 4, 0), &scale))), nil},
		{"the same scale", line(8, shard(0, 8, withScale(run(0, 4, 0, 0), &scale), withScale(run(4, 4, 4, 0), &scale))),
			[]string{"rank 0: pieces 0 and 1, [0:4] and [4:8], could be one piece along axis 0"}},
		{"another rank", line(8, shard(0, 4, run(0, 4, 0, 0)), shard(1, 4, run(4, 4, 0, 1))), nil},
		{"a square cut in four", square(2, 2), []string{
			"rank 0: pieces 0 and 1, [0:1] x [0:1] and [0:1] x [1:2], could be one piece along axis 1",
			"rank 0: pieces 0 and 2, [0:1] x [0:1] and [1:2] x [0:1], could be one piece along axis 0",
			"rank 0: pieces 1 and 3, [0:1] x [1:2] and [1:2] x [1:2], could be one piece along axis 0",
			"rank 0: pieces 2 and 3, [1:2] x [0:1] and [1:2] x [1:2], could be one piece along axis 1",
		}},
		{"an empty piece between", line(8, shard(0, 8, run(0, 8, 0, 0), run(3, 0, 5, 0))), nil},
		{"a broken map", line(8, shard(0, 8, run(0, 9, 0, 0))), nil},
		{"flat: rows that follow each other", plan.Map{LogicalShape: []int64{4, 8}, Shards: []plan.Shard{
			shard(0, 32, rowsPiece(0, 1, 0, 0), rowsPiece(1, 3, 1, 0)),
		}}, []string{"rank 0: pieces 0 and 1, [0:1] x [0:8] and [1:4] x [0:8], could be one piece along axis 0"}},
		{"flat: columns that follow each other", plan.Map{LogicalShape: []int64{3, 3}, Shards: []plan.Shard{
			shard(0, 9,
				plan.Piece{Shape: []int64{3, 2}, Source: view(0, 3, 1), Dest: view(0, 1, 3), Locations: []int{0}},
				plan.Piece{Shape: []int64{3, 1}, Source: view(2, 3, 1), Dest: view(6, 1, 3), Locations: []int{0}}),
		}}, []string{"rank 0: pieces 0 and 1, [0:3] x [0:2] and [0:3] x [2:3], could be one piece along axis 1"}},
	} {
		var got []string
		for _, v := range test.m.Canonical() {
			if v.Rule != plan.RuleCanonical {
				t.Errorf("%s: rule %s", test.name, v.Rule)
			}
			got = append(got, v.Error())
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func withScale(p plan.Piece, scale *float64) plan.Piece { p.Scale = scale; return p }

// square is a square of single elements, as pieces of one rank.
func square(rows, columns int64) plan.Map {
	s := plan.Shard{Rank: 0, Shape: []int64{rows, columns}}
	for at := range rows * columns {
		place := plan.View{Offset: at, Strides: []int64{columns, 1}}
		s.Pieces = append(s.Pieces, plan.Piece{Shape: []int64{1, 1}, Source: place, Dest: place, Locations: []int{0}})
	}
	return plan.Map{LogicalShape: []int64{rows, columns}, Shards: []plan.Shard{s}}
}

// The law: two pieces are told exactly where one piece of some shape and strides has the elements of both at
// their addresses. The brute force tries every box of F, and reads the strides off the addresses.
func TestCanonicalAgreesWithBruteForce(t *testing.T) {
	merges := 0
	rapid.Check(t, func(t *rapid.T) {
		m := smallMap(rapidChoices(t))
		want := 0
		for _, s := range m.Shards {
			for i := range s.Pieces {
				for j := range i {
					if slices.Equal(s.Pieces[i].Locations, s.Pieces[j].Locations) && mergeByBrute(m, s, s.Pieces[i], s.Pieces[j]) {
						want++
					}
				}
			}
		}
		got := m.Canonical()
		if len(got) != want {
			t.Fatalf("%v, want %d pairs, in %+v", got, want, m)
		}
		merges += want
	})
	if merges == 0 {
		t.Error("no case has pieces to merge")
	}
}

// mergeByBrute reports whether the elements of two pieces are a box of F and of the shard, and their
// coordinates in the shard go forwards, by fixed steps, with those in F.
func mergeByBrute(m plan.Map, s plan.Shard, a, b plan.Piece) bool {
	places := map[string][]int64{}
	var inF, inShard [][]int64
	for _, pair := range append(pieceElements(a), pieceElements(b)...) {
		c, _ := coordinate(m.LogicalShape, pair[0])
		d, _ := coordinate(s.Shape, pair[1])
		places[fmt.Sprint(c)] = d
		inF, inShard = append(inF, c), append(inShard, d)
	}
	if !fillsBox(inF) || !fillsBox(inShard) {
		return false
	}
	lo := slices.MinFunc(inF, slices.Compare)
	first := places[fmt.Sprint(lo)]
	for _, c := range inF {
		want := slices.Clone(first)
		for axis := range c {
			next := slices.Clone(lo)
			next[axis]++
			for k, end := range places[fmt.Sprint(next)] {
				step := end - first[k]
				if step < 0 {
					return false
				}
				want[k] += (c[axis] - lo[axis]) * step
			}
		}
		if !slices.Equal(places[fmt.Sprint(c)], want) {
			return false
		}
	}
	return true
}

// fillsBox reports whether distinct coordinates are all those of a box.
func fillsBox(coordinates [][]int64) bool {
	volume := int64(1)
	for axis := range coordinates[0] {
		lo, hi := coordinates[0][axis], coordinates[0][axis]
		for _, c := range coordinates {
			lo, hi = min(lo, c[axis]), max(hi, c[axis])
		}
		volume *= hi - lo + 1
	}
	return volume == int64(len(coordinates))
}
