package gen

import "github.com/shardproof/shardproof/plan"

func benchmarkCases() []plan.Case {
	cases := make([]plan.Case, 1000)
	for n := range cases {
		cases[n] = Case(Seeded(CaseSeed(3, uint64(n))))
	}
	return cases
}
