package props

import (
	"fmt"
	"slices"
	"testing"

	"github.com/shardproof/shardproof/gen"
	"github.com/shardproof/shardproof/oracle"
	"github.com/shardproof/shardproof/plan"
)

// Every candidate of every step is a valid request, as enumerating its elements finds, and no larger than what
// it comes from. Each step has candidates for some of the cases.
func TestStepsKeepMapsValid(t *testing.T) {
	const perStep = 12
	met := map[string]int{}
	for n := range uint64(250) {
		c := gen.Case(gen.Seeded(gen.CaseSeed(3, n)))
		for _, step := range Steps() {
			tried := 0
			for next := range step.candidates(c.Request, false) {
				if tried++; tried > perStep {
					break
				}
				met[step.Name]++
				if problem := problemOf(c.Request, next); problem != "" {
					t.Fatalf("case %d, step %s: %s\nof:\n%s\ncandidate:\n%s", n, step.Name, problem,
						plan.EncodeCase(c), plan.EncodeCase(plan.Case{Request: next}))
				}
			}
		}
	}
	for _, step := range Steps() {
		if step.Name != "shards" && met[step.Name] < 10 {
			t.Errorf("step %s had %d candidates in all", step.Name, met[step.Name])
		}
	}
}

func problemOf(from, next plan.Request) string {
	if !enumerable(next) {
		return ""
	}
	for side, m := range map[string]plan.Map{"source": next.Source, "target": next.Target} {
		if rules, known := oracle.ValidateMap(m); len(rules) > 0 || !known {
			return fmt.Sprintf("the %s breaks %v", side, rules)
		}
	}
	if !slices.Equal(next.Source.LogicalShape, next.Target.LogicalShape) {
		return "the shapes differ"
	}
	if before, after := sizeOf(from), sizeOf(next); after > before {
		return fmt.Sprintf("grows from %d to %d", before, after)
	}
	return ""
}

// sizeOf counts the axes, the elements of the tensor and the ranks of a request.
func sizeOf(r plan.Request) int64 {
	elements, _ := plan.Elements(r.Source.LogicalShape)
	return int64(len(r.Source.LogicalShape)) + elements + int64(len(r.Source.Shards)) + int64(len(r.Target.Shards))
}

// Steps leave the request that they start from as it is, and make something of any request, however broken.
func TestStepsShareNothingTheyChange(t *testing.T) {
	for n := range uint64(600) {
		c := gen.Case(gen.Seeded(gen.CaseSeed(4, n)))
		if n%4 > 0 {
			c = gen.Corrupted(gen.Seeded(gen.CaseSeed(4, n)))
		}
		before := fingerprint(&c.Request, 0)
		for _, step := range Steps() {
			tried := 0
			for range step.candidates(c.Request, n%2 == 0) {
				if tried++; tried > 40 {
					break
				}
			}
			if fingerprint(&c.Request, 0) != before {
				t.Fatalf("case %d: step %s changed its request", n, step.Name)
			}
		}
	}
}

// A stretch removes what it says from the tensor and the shards, wherever the pieces stand: here a shard that
// holds rows 4, 5, 0 and 1 of six, in this order.
func TestStretchFollowsThePieces(t *testing.T) {
	logical := []int64{6, 2}
	piece := func(lo, at int64) plan.Piece {
		return plan.Piece{
			Shape: []int64{2, 2}, Locations: []int{0},
			Source: plan.View{Offset: 2 * lo, Strides: []int64{2, 1}}, Dest: plan.View{Offset: 2 * at, Strides: []int64{2, 1}},
		}
	}
	m := plan.Map{LogicalShape: logical, Shards: []plan.Shard{{Shape: []int64{4, 2}, Pieces: []plan.Piece{piece(4, 0), piece(0, 2)}}}}
	got, ok := stretched(m, stretch{axis: 0, gone: []span{{0, 1}, {5, 6}}, by: 1}, false)
	if !ok {
		t.Fatal("not stretched")
	}
	first, second := got.Shards[0].Pieces[0], got.Shards[0].Pieces[1]
	if !slices.Equal(got.LogicalShape, []int64{4, 2}) || !slices.Equal(got.Shards[0].Shape, []int64{2, 2}) {
		t.Errorf("got a tensor %v and a shard %v", got.LogicalShape, got.Shards[0].Shape)
	}
	if first.Source.Offset != 6 || first.Dest.Offset != 0 || second.Source.Offset != 0 || second.Dest.Offset != 2 {
		t.Errorf("got pieces from %d to %d and from %d to %d", first.Source.Offset, first.Dest.Offset, second.Source.Offset, second.Dest.Offset)
	}
}

// A stretch that would leave a ragged shard is refused: here the left column holds other rows than the right.
func TestStretchRefusesRaggedShards(t *testing.T) {
	column := func(lo, at int64) plan.Piece {
		return plan.Piece{
			Shape: []int64{2, 1}, Locations: []int{0},
			Source: plan.View{Offset: lo, Strides: []int64{1, 1}}, Dest: plan.View{Offset: at, Strides: []int64{2, 1}},
		}
	}
	m := plan.Map{LogicalShape: []int64{4, 1}, Shards: []plan.Shard{{Shape: []int64{2, 2}, Pieces: []plan.Piece{column(0, 0), column(2, 1)}}}}
	if got, ok := stretched(m, stretch{axis: 0, gone: []span{{0, 1}}, by: 1}, false); ok {
		t.Errorf("got %+v, want none", got)
	}
	if _, ok := stretched(m, stretch{axis: 0, gone: []span{{0, 2}}, by: 1}, false); !ok {
		t.Error("a whole column can go")
	}
}

func TestStretchTo(t *testing.T) {
	s := stretch{gone: []span{{1, 3}, {5, 6}}, by: 10}
	for x, want := range []int64{0, 10, 10, 10, 20, 30, 30, 40} {
		if got := s.to(int64(x)); got != want {
			t.Errorf("coordinate %d goes to %d, want %d", x, got, want)
		}
	}
}

// Every shard of a generated map is read as blocks, but for pieces of a flat shard that are not dense.
func TestBlocksAreRead(t *testing.T) {
	read, all := 0, 0
	for n := range uint64(500) {
		c := gen.Case(gen.Seeded(gen.CaseSeed(5, n)))
		for _, m := range []plan.Map{c.Source, c.Target} {
			for _, shard := range placeMap(m) {
				all++
				if shard.placement != opaque {
					read++
				} else if len(shard.Shape) == len(m.LogicalShape) {
					t.Errorf("case %d rank %d: a shard of as many axes is not read", n, shard.Rank)
				}
			}
		}
	}
	if read < all*95/100 {
		t.Errorf("%d of %d shards are read", read, all)
	}
}

// The order that a reordering makes is another one wherever there are two things to order, and nothing else changes.
func TestReordered(t *testing.T) {
	for n := range uint64(300) {
		c := gen.Case(gen.Seeded(gen.CaseSeed(6, n)))
		other := new(reordering).of(c.Request, n)
		for _, pair := range [][2]plan.Map{{c.Source, other.Source}, {c.Target, other.Target}} {
			for i := range pair[0].Shards {
				if len(pair[0].Shards) > 1 && pair[0].Shards[i].Rank == pair[1].Shards[i].Rank {
					t.Fatalf("case %d: shard %d stays", n, i)
				}
			}
		}
		back, again := usualOrder(other), usualOrder(c.Request)
		if fingerprint(&back, 0) != fingerprint(&again, 0) {
			t.Fatalf("case %d: reordering changed more than the order", n)
		}
	}
}
