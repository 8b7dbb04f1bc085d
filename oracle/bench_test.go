package oracle

import "testing"

// BenchmarkExecute judges a plan of the mean size of a campaign: 240 elements, 8 segments.
func BenchmarkExecute(b *testing.B) {
	request, answer := rowsToColumns(20, 12)
	b.ReportAllocs()
	for b.Loop() {
		if evidence := Execute(request, answer); evidence != (Evidence{}) {
			b.Fatal(evidence)
		}
	}
}

// BenchmarkExecuteReplicas has several holders and several pieces a shard: 768 elements, 7 segments.
func BenchmarkExecuteReplicas(b *testing.B) {
	request, answer := bigCodeTwoToFour()
	b.ReportAllocs()
	for b.Loop() {
		if evidence := Execute(request, answer); evidence != (Evidence{}) {
			b.Fatal(evidence)
		}
	}
}
