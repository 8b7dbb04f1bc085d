package gen

import "github.com/shardproof/shardproof/plan"

// A slab hands out the many small slices of a case from few allocations. Slices of one slab never overlap
// and are never appended to beyond what was asked for, so each behaves as if it had been made alone. What
// they hold at first is of no meaning.
type slab struct {
	ints   chunk[int64]
	ranks  chunk[int]
	pieces chunk[plan.Piece]
	shards chunk[plan.Shard]
	axes   chunk[meshAxis]
}

// Sizes of a slab's first chunks: what a mean case needs, so that most cases need one chunk of each.
const (
	chunkInts   = 160
	chunkRanks  = 48
	chunkPieces = 24
	chunkShards = 12
	chunkAxes   = 4
)

func (s *slab) takeInts(n int) []int64        { return s.ints.take(n, chunkInts) }
func (s *slab) takeRanks(n int) []int         { return s.ranks.take(n, chunkRanks) }
func (s *slab) takePieces(n int) []plan.Piece { return s.pieces.take(n, chunkPieces) }
func (s *slab) takeShards(n int) []plan.Shard { return s.shards.take(n, chunkShards) }
func (s *slab) takeMeshAxes(n int) []meshAxis { return s.axes.take(n, chunkAxes) }

// reuse takes back all that was handed out.
func (s *slab) reuse() {
	s.ints.left, s.ranks.left = s.ints.whole, s.ranks.whole
	s.pieces.left, s.shards.left, s.axes.left = s.pieces.whole, s.shards.whole, s.axes.whole
}

// A chunk is one allocation, and what is left of it.
type chunk[T any] struct{ whole, left []T }

func (c *chunk[T]) take(n, first int) []T {
	if n == 0 {
		return []T{} // never nil: a scalar's shape is stated
	}
	if n > len(c.left) {
		c.whole = make([]T, max(n, first, 2*len(c.whole)))
		c.left = c.whole
	}
	taken := c.left[:n:n]
	c.left = c.left[n:]
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
