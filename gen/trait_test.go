package gen

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/plan"
)

// Every trait has its least share: the interval that holds its true share lies above it.
func TestTraitShares(t *testing.T) {
	const cases = 40000
	var shares Shares
	for n := range uint64(cases) {
		shares.Count(Traits(Case(Seeded(CaseSeed(7, n)))))
	}
	for i, trait := range traits {
		lower, upper := interval(shares.count(i), cases, oneInAMillion)
		t.Logf("%-22s %.4f in [%.4f, %.4f], least %.4f", trait.Name, shares.Share(i), lower, upper, trait.LeastShare)
		if lower < trait.LeastShare {
			t.Errorf("%s: %d of %d cases, at least %.4f; want %.4f", trait.Name, shares.count(i), cases, lower, trait.LeastShare)
		}
	}
}

func BenchmarkTraits(b *testing.B) {
	b.ReportAllocs()
	cases := benchmarkCases()
	n := 0
	for b.Loop() {
		if Traits(cases[n%len(cases)]) == (TraitSet{}) {
			b.Fatal("a case without traits")
		}
		n++
	}
}

// A campaign that never meets a trait misses it once it has drawn enough, and not before.
func TestMissed(t *testing.T) {
	var none Shares
	if none.Missed(0) || none.Share(0) != 0 {
		t.Error("no cases were drawn, and a trait is missed")
	}
	// A trait with a least share of 0.25 that 0 of n cases have: 0.75^n is under half of one in a million
	// from 51 on.
	for cases, want := range map[int64]bool{50: false, 51: true} {
		shares := Shares{Cases: cases, counts: make([]int64, len(traits))}
		if got := shares.Missed(traitNamed(t, "axes-2")); got != want {
			t.Errorf("none of %d cases: missed is %v, want %v", cases, got, want)
		}
	}
}

func traitNamed(t *testing.T, name string) int {
	for i, trait := range traits {
		if trait.Name == name {
			return i
		}
	}
	t.Fatalf("no trait %s", name)
	return 0
}

// The Clopper-Pearson intervals of 95% that textbooks print for 0, 1 and 10 of 10.
func TestInterval(t *testing.T) {
	for _, row := range []struct {
		count        int64
		lower, upper float64
	}{{0, 0, 0.3085}, {1, 0.0025, 0.4450}, {10, 0.6915, 1}} {
		lower, upper := interval(row.count, 10, 0.05)
		if abs(lower-row.lower) > 5e-5 || abs(upper-row.upper) > 5e-5 {
			t.Errorf("%d of 10: got [%.4f, %.4f], want [%.4f, %.4f]", row.count, lower, upper, row.lower, row.upper)
		}
	}
}

func abs(x float64) float64 { return max(x, -x) }

func TestSharesAdd(t *testing.T) {
	var first, second, both Shares
	for n := range uint64(300) {
		set := Traits(Case(Seeded(CaseSeed(8, n))))
		both.Count(set)
		if n%3 == 0 {
			first.Count(set)
		} else {
			second.Count(set)
		}
	}
	first.Add(second)
	first.Add(Shares{})
	if diff := gocmp.Diff(both, first, gocmp.AllowUnexported(Shares{})); diff != "" {
		t.Error(diff)
	}
}

// Each trait is read off the case: a case built by hand has exactly the traits that it shows.
func TestTraitsOfACase(t *testing.T) {
	half := func(offset int64, rank int) plan.Shard {
		return plan.Shard{Rank: rank, Shape: []int64{1, 7}, Pieces: []plan.Piece{{
			Shape: []int64{1, 7}, Source: plan.View{Offset: offset, Strides: []int64{7, 1}}, Dest: plan.View{Strides: []int64{7, 1}}, Locations: []int{rank},
		}}}
	}
	rows := plan.Map{LogicalShape: []int64{2, 7}, Shards: []plan.Shard{half(0, 4), half(7, 2)}}
	got := names(Traits(plan.Case{Request: plan.Request{Source: rows, Target: rows}, Expect: plan.Expect{Outcome: plan.Exact}}))
	want := []string{"axes-2", "extent-prime", "ranks-sparse", "ranks-unordered", "ranks-overlap", "selector-none"}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func names(set TraitSet) []string {
	var has []string
	for i, trait := range TraitTable() {
		if set.Has(i) {
			has = append(has, trait.Name)
		}
	}
	return has
}
