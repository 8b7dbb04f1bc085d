package campaign

import (
	"github.com/shardproof/shardproof/gen"
	"github.com/shardproof/shardproof/plan"
)

// A Source is the cases of a campaign: case n is the same whoever draws it, and whenever.
type Source struct {
	seed      uint64
	generator *gen.Generator // nil: every family
	corrupted int64
}

// DefaultCorrupted is the share of requests with a fault: one in so many. The rest of the cases are right requests,
// whose variety is what takes long to run through.
const DefaultCorrupted = 6

// NewSource is the cases of a seed. Families name those that both sides are drawn from; none: all of them. One
// in corrupted cases has a fault; 0: DefaultCorrupted, less than 0: none. Named families have no faults, as
// those are drawn from all. A name that is no family is an error.
func NewSource(seed uint64, families []string, corrupted int) (Source, error) {
	s := Source{seed: seed, corrupted: int64(corrupted)}
	if corrupted == 0 {
		s.corrupted = DefaultCorrupted
	}
	if len(families) == 0 {
		return s, nil
	}
	generator, err := gen.Only(families...)
	if err != nil {
		return s, err
	}
	s.generator, s.corrupted = &generator, -1
	return s, nil
}

// Case draws the case of a number.
func (s Source) Case(n uint64) plan.Case {
	c, _ := s.draw(n)
	return c
}

// draw draws the case of a number, and says whether it was made to have a fault.
func (s Source) draw(n uint64) (c plan.Case, corrupted bool) {
	choose := gen.Seeded(gen.CaseSeed(s.seed, n))
	switch {
	case s.corrupted > 0 && choose("corrupted", 1, s.corrupted) == s.corrupted:
		return gen.Corrupted(choose), true
	case s.generator != nil:
		return s.generator.Case(choose), false
	}
	return gen.Case(choose), false
}
