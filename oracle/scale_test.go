package oracle

import (
	"testing"

	"github.com/shardproof/shardproof/plan"
)

// cyclic deals columns of a matrix of so many rows out to ranks, in turn.
func cyclic(rows, columns, ranks int64) plan.Map {
	shape := []int64{rows, columns / ranks}
	shapes, parts := make([][]int64, ranks), make([][]part, ranks)
	for column := range columns {
		rank := column % ranks
		shapes[rank] = shape
		parts[rank] = append(parts[rank], part{[]int64{0, column}, []int64{rows, 1}, column / ranks})
	}
	return layout([]int64{rows, columns}, shapes, parts)
}

// columnByColumn goes from one dealing to another, a segment a column.
func columnByColumn(rows, columns, from, to int64) (plan.Request, plan.Answer) {
	request := plan.Request{Source: cyclic(rows, columns, from), Target: cyclic(rows, columns, to)}
	var answer plan.Answer
	for column := range columns {
		answer.Plan.Segments = append(answer.Plan.Segments, segment([]int64{rows, 1},
			int(column%from), column/from, []int64{columns / from, 1},
			int(column%to), column/to, []int64{columns / to, 1}))
	}
	return request, answer
}

// 10^9 rows of 512 columns dealt to 2 and then to 4 ranks are proven, and so is a stripe plan whose segments
// are the square of its ranks: 16,384 for 128.
func TestProofOfManyPieces(t *testing.T) {
	must := []ClauseID{Valid, Bounds, Cover, Once, Values, Holder, Moved, BudgetClause}
	request, answer := columnByColumn(1e9, 512, 2, 4)
	evidence := Prove(request, answer)
	for _, id := range must {
		if finding := evidence.Of(id); finding.Status != Kept {
			t.Errorf("columns dealt out: %s: %+v", id, finding)
		}
	}
	request, answer = stripes(128)
	evidence = Prove(request, answer)
	for _, id := range must {
		if finding := evidence.Of(id); finding.Status != Kept {
			t.Errorf("stripes: %s: %+v", id, finding)
		}
	}
	answer.Plan.Segments[16000].Source.Offset--
	if got := Prove(request, answer).Of(Values); got.Status != Broken {
		t.Errorf("stripes, one of 16,384 offsets wrong: %+v", got)
	}
}

// stripes goes from n row stripes to n column stripes.
func stripes(n int64) (plan.Request, plan.Answer) {
	size := n * 1000
	request := plan.Request{Source: split(size, size, 0, n), Target: split(size, size, 1, n)}
	var answer plan.Answer
	for target := range n {
		for source := range n {
			answer.Plan.Segments = append(answer.Plan.Segments, segment([]int64{1000, 1000},
				int(source), 1000*target, []int64{size, 1}, int(target), 1000*1000*source, []int64{1000, 1}))
		}
	}
	return request, answer
}

// The small dealing is executed, and all oracles agree that it is right.
func TestDealingIsRight(t *testing.T) {
	request, answer := columnByColumn(3, 12, 2, 4)
	for _, oracle := range oracles {
		evidence := oracle.judge(request, answer)
		for _, id := range append(evidence.Broken(), evidence.Unknown()...) {
			if id != Folded && id != Ordered {
				t.Errorf("%s: %s: %+v", oracle.name, id, evidence.Of(id))
			}
		}
	}
}

// BenchmarkProve judges 10^9 x 8, and for comparison 10 x 8, which cost the same.
func BenchmarkProve(b *testing.B) {
	for _, bench := range []struct {
		name string
		rows int64
	}{{"10x8", 10}, {"1000000000x8", 1e9}} {
		b.Run(bench.name, func(b *testing.B) {
			request, answer := rowsToColumns(bench.rows, 8)
			b.ReportAllocs()
			for b.Loop() {
				if evidence := Prove(request, answer); evidence != (Evidence{}) {
					b.Fatal(evidence)
				}
			}
		})
	}
}
