package gen

import (
	"testing"

	"github.com/shardproof/shardproof/plan"
)

// The maps of each grid, counted by Burnside's lemma: the ways to assign holder sets to c cells that a
// numbering of the ranks leaves alone, over the numberings. Three ranks: 7^c for the identity, 3^c for each of
// three exchanges, 1 for each of two rotations; two ranks: 3^c, and 1 for the exchange.
func TestEverySmallMap(t *testing.T) {
	three := func(c int) int { return (power(7, c) + 3*power(3, c) + 2) / 6 }
	two := func(c int) int { return (power(3, c) + 1) / 2 }
	wants := []int{
		three(1) + 2*three(2) + three(4),
		two(1) + 2*two(2) + two(3) + two(2) + 2*two(4) + two(6),
		two(1) + 2*two(2) + two(3) + two(2) + 2*two(4) + two(6),
		three(1) + 2*three(2) + three(3),
	}
	for i, grid := range SmallGrids() {
		maps := smallMaps(grid)
		if len(maps) != wants[i] {
			t.Errorf("%v over %d ranks: %d maps, want %d", grid.Shape, grid.Ranks, len(maps), wants[i])
		}
		for _, m := range maps {
			if faults := bruteFaults(m.Map); len(faults) > 0 {
				t.Fatalf("%v: %v\n%+v", grid.Shape, faults, m.Map)
			}
		}
	}
}

func power(base, exponent int) int {
	product := 1
	for range exponent {
		product *= base
	}
	return product
}

func TestEverySmallCaseIsCounted(t *testing.T) {
	counted := 0
	made := EachSmall(SmallGrids(), func(c plan.Case) bool {
		counted++
		return *c.Expect.MovedElements > 0
	})
	// 470, 478, 478 and 100 maps, each with each of its grid.
	if want := 470*470 + 2*478*478 + 100*100; made != want || counted != want {
		t.Errorf("made %d cases and yielded %d, want %d", made, counted, want)
	}
	if made := EachSmall(SmallGrids(), func(plan.Case) bool { return false }); made != 1 {
		t.Errorf("made %d cases after being stopped, want 1", made)
	}
}

func TestEveryCombinationOnce(t *testing.T) {
	var got [][3]int64
	Every(func(choose Choose) bool {
		first := choose("first", 5, 6)
		second := choose("second", 0, first-5) // its range depends on the first
		got = append(got, [3]int64{first, second, choose("only", 9, 9)})
		return true
	})
	want := [][3]int64{{5, 0, 9}, {6, 0, 9}, {6, 1, 9}}
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("combination %d: got %v, want %v", i, got[i], want[i])
		}
	}
}
