package gen

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/plan"
)

// The first numbers of SplitMix64 from 1234567, as published with its reference code.
func TestSeededIsSplitMix64(t *testing.T) {
	choose := Seeded(1234567)
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431} {
		if got := uint64(choose("word", math.MinInt64, math.MaxInt64)) - 1<<63; got != want {
			t.Errorf("number %d: got %d, want %d", i, got, want)
		}
	}
}

func TestChoicesStayInRange(t *testing.T) {
	sources := map[string]Choose{
		"seed": Seeded(3), "bytes": FromBytes([]byte{7, 255, 255, 3, 200, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}), "no bytes": FromBytes(nil),
	}
	for name, choose := range sources {
		for _, limits := range [][2]int64{{0, 0}, {-3, 4}, {5, 300}, {-1, 1 << 40}, {math.MinInt64, math.MaxInt64}} {
			for range 50 {
				got := choose("any", limits[0], limits[1])
				if got < limits[0] || got > limits[1] {
					t.Errorf("%s: got %d from %v", name, got, limits)
				}
				if name == "no bytes" && got != limits[0] {
					t.Errorf("%s: got %d, want the simplest, %d", name, got, limits[0])
				}
			}
		}
	}
}

// One byte for up to 256 choices, two for up to 65,536, else eight, least byte first; none where there is
// nothing to choose.
func TestFromBytesReadsLittleEndian(t *testing.T) {
	choose := FromBytes([]byte{5, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 9})
	for _, want := range []struct{ lo, hi, chosen int64 }{
		{10, 265, 15}, {7, 7, 7}, {0, 65535, 1 + 2<<8}, {0, 1 << 40, 3}, {1, 4, 2}, {1, 4, 1},
	} {
		if got := choose("any", want.lo, want.hi); got != want.chosen {
			t.Errorf("from %d to %d: got %d, want %d", want.lo, want.hi, got, want.chosen)
		}
	}
}

func TestEmptyRangePanics(t *testing.T) {
	for name, choose := range map[string]Choose{"seed": Seeded(1), "bytes": FromBytes(nil)} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: chose from 1 to 0", name)
				}
			}()
			choose("nothing", 1, 0)
		}()
	}
}

// Case n of a campaign is the same whoever draws it, and other cases are others.
func TestCasesFollowTheSeed(t *testing.T) {
	seen := map[uint64]bool{}
	for n := range uint64(500) {
		seed := CaseSeed(42, n)
		if seen[seed] || seed == CaseSeed(43, n) {
			t.Fatalf("case %d has the seed of another", n)
		}
		seen[seed] = true
		if diff := cmp.Diff(Case(Seeded(seed)), Case(Seeded(seed))); diff != "" {
			t.Fatalf("case %d differs when drawn again: %s", n, diff)
		}
		if diff := cmp.Diff(Corrupted(Seeded(seed)), Corrupted(Seeded(seed))); diff != "" {
			t.Fatalf("corruption %d differs when drawn again: %s", n, diff)
		}
	}
}

// The simplest choices make the simplest case: a scalar that one rank holds on each side.
func TestSimplestCase(t *testing.T) {
	got := Case(FromBytes(nil))
	scalar := plan.Map{LogicalShape: []int64{}, Shards: []plan.Shard{{Shape: []int64{}, Pieces: []plan.Piece{{
		Shape: []int64{}, Source: plan.View{Strides: []int64{}}, Dest: plan.View{Strides: []int64{}}, Locations: []int{0},
	}}}}}
	one := int64(1)
	want := plan.Case{
		Request: plan.Request{Source: scalar, Target: scalar},
		Expect:  plan.Expect{Outcome: plan.Exact, MovedElements: &one},
		Origin:  "generated: mesh to mesh",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
