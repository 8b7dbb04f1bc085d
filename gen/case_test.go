package gen

import (
	"testing"

	"github.com/shardproof/shardproof/plan"
)

func TestMapsAreValid(t *testing.T) {
	for n := range uint64(10000) {
		drawn := Case(Seeded(CaseSeed(1, n)))
		for side, m := range map[string]plan.Map{"source": drawn.Source, "target": drawn.Target} {
			if huge(m) {
				continue
			}
			if faults := bruteFaults(m); len(faults) > 0 {
				t.Fatalf("case %d, %s, %s: %v\n%+v", n, drawn.Origin, side, faults[0], m)
			}
		}
	}
}

func huge(m plan.Map) bool {
	elements, ok := elementsOf(&m)
	return !ok || elements > 1<<16
}

func BenchmarkCase(b *testing.B) {
	b.ReportAllocs()
	var pieces, elements, counted int64
	n := uint64(0)
	for b.Loop() {
		drawn := Case(Seeded(CaseSeed(1, n)))
		n++
		pieces += pieceCount(&drawn.Source) + pieceCount(&drawn.Target)
		if e, _ := elementsOf(&drawn.Target); e < 1<<24 {
			elements += e
			counted++
		}
	}
	b.ReportMetric(float64(pieces)/float64(n)/2, "pieces/side")
	b.ReportMetric(float64(elements)/float64(counted), "elements/case")
}
