package layout

import (
	"fmt"

	"github.com/shardproof/shardproof/plan"
)

// A store cuts the numbers of a map from a few allocations, each slice with a capacity of its own length: so
// none of them shares an element with another, and appending to one leaves the rest alone.
type store struct {
	numbers []int64
	ranks   []int
	pieces  []plan.Piece
}

func (s *store) extents(n int) []int64 {
	cut := s.numbers[:n:n]
	s.numbers = s.numbers[n:]
	return cut
}

func (s *store) copyOf(numbers []int64) []int64 {
	cut := s.extents(len(numbers))
	copy(cut, numbers)
	return cut
}

func (s *store) locations(holders []int) []int {
	n := len(holders)
	cut := s.ranks[:n:n]
	s.ranks = s.ranks[n:]
	copy(cut, holders)
	return cut
}

// alongAxis is the map in which each cut is an interval of one axis of F, whole on the others, and a shard is
// its rank's cuts one after the other along that axis.
func (p placement) alongAxis(shape []int64, axis int) plan.Map {
	axes := len(shape)
	fresh := store{
		numbers: make([]int64, axes*(1+p.degree+3*len(p.cuts))),
		ranks:   make([]int, p.locations),
		pieces:  make([]plan.Piece, len(p.cuts)),
	}
	built := plan.Map{LogicalShape: fresh.copyOf(shape), Shards: make([]plan.Shard, p.degree)}
	cuts := p.cuts
	for rank := range built.Shards {
		shard := &built.Shards[rank]
		shard.Rank, shard.Shape = rank, fresh.copyOf(shape)
		own, height := cutsOf(rank, cuts)
		shard.Shape[axis] = height
		shard.Pieces = fresh.pieces[:own:own]
		fresh.pieces = fresh.pieces[own:]
		for i, c := range cuts[:own] {
			p.fillAlongAxis(&shard.Pieces[i], &fresh, shape, shard.Shape, axis, c)
		}
		cuts = cuts[own:]
	}
	return built
}

func (p placement) fillAlongAxis(piece *plan.Piece, fresh *store, shape, shardShape []int64, axis int, c cut) {
	piece.Shape = fresh.copyOf(shape)
	piece.Shape[axis] = c.hi - c.lo
	piece.Source.Strides = rowMajor(fresh.extents(len(shape)), shape)
	piece.Source.Offset = c.lo * piece.Source.Strides[axis]
	piece.Dest.Strides = rowMajor(fresh.extents(len(shape)), shardShape)
	piece.Dest.Offset = c.at * piece.Dest.Strides[axis]
	piece.Locations = fresh.locations(p.holdersOf(c))
}

// cutsOf counts the leading cuts that are of a rank, and adds up their lengths.
func cutsOf(rank int, cuts []cut) (own int, height int64) {
	for own < len(cuts) && cuts[own].rank == rank {
		height += cuts[own].hi - cuts[own].lo
		own++
	}
	return own, height
}

// rowMajor writes the row-major strides of a shape that checkShape has let pass, or of a part of one.
func rowMajor(strides, shape []int64) []int64 {
	step := int64(1)
	for axis := len(shape) - 1; axis >= 0; axis-- {
		strides[axis] = step
		step *= max(shape[axis], 1)
	}
	return strides
}

// checkShape refuses a shape that has no row-major strides in int64.
func checkShape(shape []int64) error {
	step := int64(1)
	for axis, extent := range shape {
		if extent < 0 {
			return fmt.Errorf("shape %v: axis %d has extent %d, want at least 0", shape, axis, extent)
		}
		if extent > 0 && step > maxInt64/extent {
			return fmt.Errorf("shape %v: the extents up to axis %d multiply past %d", shape, axis, int64(maxInt64))
		}
		step *= max(extent, 1)
	}
	return nil
}

const maxInt64 = 1<<63 - 1

// checkAxis refuses an axis that the shape lacks, and what checkShape refuses.
func checkAxis(shape []int64, axis int) error {
	if axis < 0 || axis >= len(shape) {
		return fmt.Errorf("axis %d of shape %v, which has %d axes", axis, shape, len(shape))
	}
	return checkShape(shape)
}

// checkDegree refuses a number of ranks that is not in 1..MaxRanks.
func checkDegree(degree int) error {
	if degree < 1 || degree > MaxRanks {
		return fmt.Errorf("degree %d, want 1 to %d", degree, MaxRanks)
	}
	return nil
}

// add returns a+b, and false where a or b is negative or the sum leaves int64.
func add(a, b int64) (int64, bool) {
	return a + b, a >= 0 && b >= 0 && a <= maxInt64-b
}
