package props

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every order in which no item keeps its place and all form one cycle comes out, and no other: of n items (n-1)!.
func TestCycle(t *testing.T) {
	for n, want := range []int{1, 1, 1, 2, 6} {
		met := map[string]bool{}
		for seed := range shuffle(200) {
			items := []int{0, 1, 2, 3}[:n:n]
			cycle(&seed, items)
			place, steps := 0, 1
			for n > 0 && items[place] != 0 {
				place, steps = items[place], steps+1
			}
			if n > 0 && steps != n {
				t.Fatalf("%v has a cycle of %d items, of %d", items, steps, n)
			}
			met[fmt.Sprint(items)] = true
		}
		if len(met) != want {
			t.Errorf("of %d items the orders %v come out, want %d of them", n, met, want)
		}
	}
}

// Shards, pieces and locations change their places, in a copy; no pieces at all stay none.
func TestReordering(t *testing.T) {
	c, _ := rightAnswer()
	c.Target.Shards[1].Pieces = nil
	before := CloneRequest(c.Request)
	got := new(reordering).of(c.Request, 1)
	if diff := cmp.Diff(before, c.Request); diff != "" {
		t.Errorf("the request was changed:\n%s", diff)
	}
	if shards := got.Source.Shards; shards[0].Rank != 1 || shards[1].Rank != 0 || got.Target.Shards[0].Rank != 1 {
		t.Errorf("the shards stand as before: %+v", got)
	}
	shard := got.Source.Shards[1]
	if shard.Pieces[0].Dest.Offset != 8 || !slices.Equal(shard.Pieces[0].Locations, []int{1, 0}) {
		t.Errorf("the pieces of rank 0 are %+v, want the row of both ranks first", shard.Pieces)
	}
	if got.Target.Shards[0].Pieces != nil {
		t.Error("a shard without pieces has an empty list of them")
	}
}
