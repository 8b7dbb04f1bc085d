package layout

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

// A small map has to cost a microsecond or two: a campaign builds two for each case it judges.
func BenchmarkBuild(b *testing.B) {
	shape, degree := []int64{24, 8}, 4
	for _, family := range Families() {
		b.Run(family.Name, func(b *testing.B) {
			own := shape
			if family.First && family.Most > 0 {
				own = []int64{8, 24}
			}
			arguments := family.Draw(seeded(7), own, degree)
			b.ReportAllocs()
			for b.Loop() {
				built, err := family.Build(arguments)
				if err != nil || len(built.Shards) != degree {
					b.Fatalf("%v, %d ranks, want %d", err, len(built.Shards), degree)
				}
			}
		})
	}
}

// What drawing adds to building.
func BenchmarkDraw(b *testing.B) {
	for _, family := range Families() {
		b.Run(family.Name, func(b *testing.B) {
			shape := []int64{24, 8}
			if family.First && family.Most > 0 {
				shape = []int64{8, 24}
			}
			choose := seeded(7)
			b.ReportAllocs()
			for b.Loop() {
				if drawn := family.Draw(choose, shape, 4); drawn.Degree != 4 {
					b.Fatalf("degree %d, want 4", drawn.Degree)
				}
			}
		})
	}
}

// Pieces by the thousand: the time is to grow as n log n.
func BenchmarkCyclicBlocks(b *testing.B) {
	for _, blocks := range []int64{5_000, 20_000, 80_000} {
		b.Run(strconv.FormatInt(blocks, 10), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m, err := HeadModulo([]int64{8, blocks}, 1, blocks, 4)
				if err != nil || countPieces(m) != int(blocks) {
					b.Fatalf("%v, %d pieces, want %d", err, countPieces(m), blocks)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(blocks), "ns/piece")
		})
	}
}

func seeded(seed uint64) Choose {
	source := rand.New(rand.NewPCG(seed, 0))
	return func(_ string, lo, hi int64) int64 { return lo + source.Int64N(hi-lo+1) }
}
