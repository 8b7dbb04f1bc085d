package campaign

import (
	"github.com/shardproof/shardproof/gen"
	"github.com/shardproof/shardproof/plan"
)

// A Source is the cases of a campaign: case n is the same whoever draws it, and whenever.
type Source struct {
	seed      uint64
	generator gen.Generator
	corrupted int64
}

// DefaultCorrupted is the share of requests with a fault: one in so many. The rest of the cases are right requests,
// whose variety is what takes long to run through.
const DefaultCorrupted = 6

// NewSource is the cases of a seed. Families name those that both sides are drawn from; none: all of them. One
// in corrupted cases has a fault; 0: DefaultCorrupted, less than 0: none. Named families have no faults, as
// those are drawn from all. A name that is no family is an error.
func NewSource(seed uint64, families []string, corrupted int) (Source, error) {
	s := Source{seed: seed, generator: gen.Everything(), corrupted: int64(corrupted)}
	if corrupted == 0 {
		s.corrupted = DefaultCorrupted
	}
	if len(families) == 0 {
		return s, nil
	}
	s.corrupted = -1
	var err error
	s.generator, err = gen.Only(families...)
	return s, err
}

// Case draws the case of a number.
func (s Source) Case(n uint64) plan.Case {
	c, _ := s.drawer().draw(n)
	return c
}

// drawer draws the source's cases into memory that it uses again: each lasts until the next is drawn.
func (s Source) drawer() *drawer { return &drawer{s, s.generator.Drawer()} }

type drawer struct {
	Source
	*gen.Drawer
}

// draw draws the case of a number, and says whether it was made to have a fault.
func (d *drawer) draw(n uint64) (c plan.Case, corrupted bool) {
	choose := gen.Seeded(gen.CaseSeed(d.seed, n))
	if d.corrupted > 0 && choose("corrupted", 1, d.corrupted) == d.corrupted {
		return gen.Corrupted(choose), true
	}
	return d.Drawer.Case(choose), false
}
