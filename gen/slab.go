package gen

import "github.com/shardproof/shardproof/plan"

// A slab hands out the many small slices of a case from few allocations. Slices of one slab never overlap
// and are never appended to beyond what was asked for, so each behaves as if it had been made alone.
type slab struct {
	ints   []int64
	ranks  []int
	pieces []plan.Piece
	shards []plan.Shard
}

// Sizes of a slab's chunks: what a mean case needs, so that most cases need one chunk of each.
const (
	chunkInts   = 160
	chunkRanks  = 48
	chunkPieces = 24
	chunkShards = 12
)

func (s *slab) takeInts(n int) []int64 {
	if n == 0 {
		return []int64{} // never nil: a scalar's shape is stated
	}
	if n > len(s.ints) {
		s.ints = make([]int64, max(n, chunkInts))
	}
	taken := s.ints[:n:n]
	s.ints = s.ints[n:]
	return taken
}

func (s *slab) takeRanks(n int) []int {
	if n > len(s.ranks) {
		s.ranks = make([]int, max(n, chunkRanks))
	}
	taken := s.ranks[:n:n]
	s.ranks = s.ranks[n:]
	return taken
}

func (s *slab) takePieces(n int) []plan.Piece {
	if n == 0 {
		return []plan.Piece{}
	}
	if n > len(s.pieces) {
		s.pieces = make([]plan.Piece, max(n, chunkPieces))
	}
	taken := s.pieces[:n:n]
	s.pieces = s.pieces[n:]
	return taken
}

func (s *slab) takeShards(n int) []plan.Shard {
	if n > len(s.shards) {
		s.shards = make([]plan.Shard, max(n, chunkShards))
	}
	taken := s.shards[:n:n]
	s.shards = s.shards[n:]
	return taken
}

// number returns the address of a number: an optional count of an expectation or a budget.
func (s *slab) number(value int64) *int64 {
	taken := s.takeInts(1)
	taken[0] = value
	return &taken[0]
}

// copyInts returns its own copy of a few numbers.
func (s *slab) copyInts(values []int64) []int64 {
	taken := s.takeInts(len(values))
	copy(taken, values)
	return taken
}

// rowMajor returns the row-major strides of a shape whose product fits int64.
func (s *slab) rowMajor(shape []int64) []int64 {
	strides := s.takeInts(len(shape))
	step := int64(1)
	for axis := len(shape) - 1; axis >= 0; axis-- {
		strides[axis] = step
		step *= max(shape[axis], 1)
	}
	return strides
}
