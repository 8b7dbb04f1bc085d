package gen

import "testing"

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
