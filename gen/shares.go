package gen

import "gonum.org/v1/gonum/stat/distuv"

// Shares counts how many cases have each trait. The zero Shares has seen no case; Shares of several workers
// can be added.
type Shares struct {
	Cases  int64
	counts []int64 // by a trait's number
}

// Count adds the traits of one case.
func (s *Shares) Count(set TraitSet) {
	if s.counts == nil {
		s.counts = make([]int64, len(traits))
	}
	s.Cases++
	for i := range s.counts {
		s.counts[i] += int64(set[i/64] >> (i % 64) & 1)
	}
}

// Add adds what others have counted.
func (s *Shares) Add(other Shares) {
	if other.counts == nil {
		return
	}
	if s.counts == nil {
		s.counts = make([]int64, len(traits))
	}
	s.Cases += other.Cases
	for i, count := range other.counts {
		s.counts[i] += count
	}
}

// Share is the part of the cases that have the trait of that number; 0 where there were no cases.
func (s *Shares) Share(trait int) float64 {
	if s.Cases == 0 {
		return 0
	}
	return float64(s.count(trait)) / float64(s.Cases)
}

func (s *Shares) count(trait int) int64 {
	if s.counts == nil {
		return 0
	}
	return s.counts[trait]
}

// Missed reports whether the cases show that a trait has less than its least share: whether all of the
// interval that holds its true share, in all but one of a million campaigns, is below it.
func (s *Shares) Missed(trait int) bool {
	_, upper := interval(s.count(trait), s.Cases, oneInAMillion)
	return upper < traits[trait].LeastShare
}

const oneInAMillion = 1e-6

// interval is the Clopper-Pearson interval of a share that was met count times in so many cases: it leaves
// out the true share in at most the given part of all samples.
func interval(count, cases int64, leftOut float64) (lower, upper float64) {
	upper = 1
	if count > 0 {
		lower = distuv.Beta{Alpha: float64(count), Beta: float64(cases-count) + 1}.Quantile(leftOut / 2)
	}
	if count < cases {
		upper = distuv.Beta{Alpha: float64(count) + 1, Beta: float64(cases - count)}.Quantile(1 - leftOut/2)
	}
	return lower, upper
}
