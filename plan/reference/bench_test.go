package reference

import (
	"runtime"
	"testing"
	"time"

	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/layout"
)

// Each benchmark checks its answers inside the loop and plans fixed requests, so its figures compare from one
// day to another; the ratios compare from one machine to another.

func BenchmarkSmall(b *testing.B) {
	tests := []struct {
		name           string
		source, target plan.Map
		selector       plan.Selector
		folding        Folding
		segments       int
	}{
		{"rows-2-to-4", rows(48, 8)(b, 2), rows(48, 8)(b, 4), plan.Selector{}, Addresses, 4},
		{"bigcode-2-to-4", bigCode(b, 2), bigCode(b, 4), plan.Selector{}, Addresses, 7},
		{"bigcode-2-to-4-balanced", bigCode(b, 2), bigCode(b, 4), plan.Selector{Policy: plan.PolicyBalanced}, Addresses, 6},
		{"yuan-2-to-4", yuanValue(b, 2), yuanValue(b, 4), plan.Selector{}, Addresses, 8},
		{"codegen-2-to-4", codeGen(b, 2), codeGen(b, 4), plan.Selector{}, Addresses, 44},
		{"codegen-2-to-4-stack", codeGen(b, 2), codeGen(b, 4), plan.Selector{}, Stack, 4},
	}
	for _, test := range tests {
		b.Run(test.name, func(b *testing.B) {
			request := plan.Request{Source: test.source, Target: test.target, Selector: test.selector}
			b.ReportAllocs()
			for b.Loop() {
				if got := len(planned(b, test.folding, request).Plan.Segments); got != test.segments {
					b.Fatalf("%d segments, want %d", got, test.segments)
				}
			}
		})
	}
}

// cyclic has n pieces a map: n column blocks dealt out over 2 ranks, and over 4. Nothing of it folds.
func cyclic(t testing.TB, n int64) plan.Request {
	return plan.Request{
		Source: must(t)(layout.HeadModulo([]int64{4, 2 * n}, 1, n, 2)),
		Target: must(t)(layout.HeadModulo([]int64{4, 2 * n}, 1, n, 4)),
	}
}

// BenchmarkManyPieces plans 20,000 pieces a side, then 40,000: growth is the ratio of their times.
func BenchmarkManyPieces(b *testing.B) {
	small, large := cyclic(b, 20000), cyclic(b, 40000)
	var least [2]time.Duration
	b.ReportAllocs()
	for b.Loop() {
		for i, request := range []plan.Request{small, large} {
			runtime.GC() // the one's garbage is not collected in the other's time
			start := time.Now()
			if got, want := len(planned(b, Addresses, request).Plan.Segments), 20000*(i+1); got != want {
				b.Fatalf("%d segments, want %d", got, want)
			}
			if elapsed := time.Since(start); least[i] == 0 || elapsed < least[i] {
				least[i] = elapsed
			}
		}
	}
	b.ReportMetric(least[0].Seconds(), "s/20000-pieces")
	b.ReportMetric(least[1].Seconds()/least[0].Seconds(), "growth")
}

// BenchmarkBalanced spreads 4,000 experts, each on one to six of 64 ranks.
func BenchmarkBalanced(b *testing.B) {
	ids := make([][]int64, 64)
	for expert := range int64(4000) {
		for replica := range 1 + expert%6 {
			rank := (expert*7 + replica*replica*11) % 64
			ids[rank] = append(ids[rank], expert)
		}
	}
	request := plan.Request{
		Source:   must(b)(layout.Experts([]int64{4000, 4}, ids)),
		Target:   rows(4000, 4)(b, 1),
		Selector: plan.Selector{Policy: plan.PolicyBalanced},
	}
	busiest := int64(0)
	b.ReportAllocs()
	for b.Loop() {
		busiest = 0
		for _, load := range reads(planned(b, Addresses, request).Plan) {
			busiest = max(busiest, load)
		}
		if busiest > 4*4000/64+4 {
			b.Fatalf("the busiest rank reads %d elements, want at most one expert more than %d", busiest, 4*4000/64)
		}
	}
	b.ReportMetric(float64(busiest)/(4*4000/64), "busiest/mean")
}

// BenchmarkSize plans 10 x 8 and 10^9 x 8, rows over 2 to columns over 4: growth is the ratio of their times,
// allocs the same for both.
func BenchmarkSize(b *testing.B) {
	requests := []plan.Request{rowsToColumns(b, 10), rowsToColumns(b, 1e9)}
	var spent [2]time.Duration
	for b.Loop() {
		for i, request := range requests {
			start := time.Now()
			for range 100 {
				if got := len(planned(b, Addresses, request).Plan.Segments); got != 8 {
					b.Fatalf("%d segments, want 8", got)
				}
			}
			spent[i] += time.Since(start)
		}
	}
	for i, unit := range []string{"allocs/10-rows", "allocs/1e9-rows"} {
		b.ReportMetric(testing.AllocsPerRun(100, func() { planned(b, Addresses, requests[i]) }), unit)
	}
	b.ReportMetric(spent[1].Seconds()/spent[0].Seconds(), "growth")
}
