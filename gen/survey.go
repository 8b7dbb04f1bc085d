package gen

import (
	"math"
	"slices"
	"strings"

	"github.com/shardproof/shardproof/plan"
)

// A survey is what traits are read from: one look at a finished case. All of it is geometry but for the
// names of the families, which a generated case states as its origin.
type survey struct {
	plan.Case
	sourceFamily, targetFamily string // "" where the case was not generated
	source, target             sideSurvey
	sharedRank                 bool // some rank id stands on both sides
}

// A sideSurvey is one look at one map.
type sideSurvey struct {
	sparse, large   bool // rank ids with gaps, rank ids beyond 2^31
	emptyBetween    bool // an empty rank between two that hold something
	moreThanRows    bool // more ranks than the first axis has indices
	flat            bool // a shard of another number of axes
	permutedShard   bool // blocks that step through the shard in another order
	permutedPiece   bool // blocks that step through the tensor in another order
	oddStrides      bool // a stride that is not row-major on an axis of extent 1
	emptyPiece      bool
	farOffset       bool // a block beyond 2^31 elements, in the tensor or in the shard
	replicas        bool
	replicaOffsets  bool // two replicas of a block at different addresses of their shards
	replicaOrder    bool // two blocks in opposite order in two shards that hold both
	replicaCuts     bool // a block that another holder cuts differently
	refined, strips bool // pieces that could be one; pieces of which two have to be one before a third can
	unordered       bool // shards not by ascending rank
}

func surveyOf(c plan.Case) survey {
	s := survey{Case: c, source: surveySide(&c.Source), target: surveySide(&c.Target)}
	if families, ok := strings.CutPrefix(c.Origin, originPrefix); ok {
		s.sourceFamily, s.targetFamily, _ = strings.Cut(families, originTo)
	}
	for i := 0; i < len(c.Source.Shards) && !s.sharedRank; i++ {
		_, s.sharedRank = c.Target.Shard(c.Source.Shards[i].Rank)
	}
	return s
}

func surveySide(m *plan.Map) sideSurvey {
	var side sideSurvey
	if len(m.Shards) > 0 {
		side.ranks(m)
	}
	for s := range m.Shards {
		shard := &m.Shards[s]
		side.flat = side.flat || len(shard.Shape) != len(m.LogicalShape)
		for p := range shard.Pieces {
			side.piece(m, shard, &shard.Pieces[p])
		}
		if len(shard.Pieces) > 1 && !side.strips {
			side.merging(shard.Pieces)
		}
		side.replicasOf(m, s)
	}
	return side
}

func (side *sideSurvey) ranks(m *plan.Map) {
	lowest, highest := m.Shards[0].Rank, m.Shards[0].Rank
	empty := false
	for s := range m.Shards {
		rank := m.Shards[s].Rank
		lowest, highest = min(lowest, rank), max(highest, rank)
		side.unordered = side.unordered || s > 0 && rank < m.Shards[s-1].Rank
		empty = empty || slices.Contains(m.Shards[s].Shape, 0)
	}
	side.sparse = highest-lowest >= len(m.Shards)
	side.large = highest >= 1<<31
	side.moreThanRows = len(m.LogicalShape) > 0 && int64(len(m.Shards)) > m.LogicalShape[0]
	side.emptyBetween = empty && emptyBetween(m)
}

// emptyBetween reports whether an empty rank stands between two that hold something.
func emptyBetween(m *plan.Map) bool {
	lowest, highest := math.MaxInt, -1
	for s := range m.Shards {
		if !slices.Contains(m.Shards[s].Shape, 0) {
			lowest, highest = min(lowest, m.Shards[s].Rank), max(highest, m.Shards[s].Rank)
		}
	}
	for s := range m.Shards {
		rank := m.Shards[s].Rank
		if lowest < rank && rank < highest && slices.Contains(m.Shards[s].Shape, 0) {
			return true
		}
	}
	return false
}

func (side *sideSurvey) piece(m *plan.Map, shard *plan.Shard, piece *plan.Piece) {
	if piece.Empty() {
		side.emptyPiece = true
		return
	}
	side.farOffset = side.farOffset || piece.Source.Offset >= 1<<31 || piece.Dest.Offset >= 1<<31
	inOrder, odd := steps(piece.Shape, piece.Source.Strides, m.LogicalShape)
	side.permutedPiece = side.permutedPiece || !inOrder
	side.oddStrides = side.oddStrides || odd
	if len(shard.Shape) == len(piece.Shape) {
		shardInOrder, odd := steps(piece.Shape, piece.Dest.Strides, shard.Shape)
		side.permutedShard = side.permutedShard || inOrder && !shardInOrder
		side.oddStrides = side.oddStrides || inOrder && shardInOrder && odd
	}
}

// steps compares a block's strides with the row-major ones of what it stands in: on the axes that it steps
// along, and on those of extent 1.
func steps(block, strides, tensor []int64) (inOrder, odd bool) {
	inOrder = true
	step := int64(1)
	for axis := len(tensor) - 1; axis >= 0; axis-- {
		if strides[axis] != step {
			inOrder = inOrder && block[axis] == 1
			odd = odd || block[axis] == 1
		}
		step *= max(tensor[axis], 1)
	}
	return inOrder, odd && inOrder
}

// merging looks for two pieces that could be one, and for a third that could join only then.
func (side *sideSurvey) merging(pieces []plan.Piece) {
	for a := range pieces {
		for b := range pieces {
			if pieces[b].Source.Offset <= pieces[a].Source.Offset {
				continue
			}
			axis := joins(&pieces[a], &pieces[b])
			if axis < 0 {
				continue
			}
			side.refined = true
			if len(pieces) > 2 && joinsThird(pieces, a, b, axis) {
				side.strips = true
				return
			}
		}
	}
}

func joinsThird(pieces []plan.Piece, a, b, axis int) bool {
	var shape [mostAxes]int64
	joined := pieces[a]
	joined.Shape = shape[:copy(shape[:], joined.Shape)]
	joined.Shape[axis] += pieces[b].Shape[axis]
	for c := range pieces {
		if c == a || c == b {
			continue
		}
		if across := joins(&joined, &pieces[c]); across >= 0 && across != axis {
			return true
		}
		if across := joins(&pieces[c], &joined); across >= 0 && across != axis {
			return true
		}
	}
	return false
}

// joins finds the axis along which the second piece continues the first, in the tensor and in the shard; -1
// where it does not.
func joins(first, second *plan.Piece) int {
	source, dest := second.Source.Offset-first.Source.Offset, second.Dest.Offset-first.Dest.Offset
	if source <= 0 || len(first.Locations) != len(second.Locations) {
		return -1
	}
	for axis, extent := range first.Shape {
		if source == extent*first.Source.Strides[axis] && dest == extent*first.Dest.Strides[axis] &&
			equalBut(axis, first.Shape, second.Shape) &&
			sameView(first, second) && slices.Equal(first.Locations, second.Locations) {
			return axis
		}
	}
	return -1
}

func equalBut(axis int, a, b []int64) bool {
	for i := range a {
		if i != axis && a[i] != b[i] {
			return false
		}
	}
	return b[axis] > 0
}

func sameView(a, b *plan.Piece) bool {
	return slices.Equal(a.Source.Strides, b.Source.Strides) && slices.Equal(a.Dest.Strides, b.Dest.Strides)
}

// replicasOf compares the blocks of a shard with those of the shards after it that hold them too.
func (side *sideSurvey) replicasOf(m *plan.Map, s int) {
	pieces := m.Shards[s].Pieces
	for t := s + 1; t < len(m.Shards); t++ {
		other := &m.Shards[t]
		lastHere, lastThere := int64(-1), int64(-1)
		for p := range pieces {
			piece := &pieces[p]
			if len(piece.Locations) < 2 || piece.Empty() || !slices.Contains(piece.Locations, other.Rank) {
				continue
			}
			side.replicas = true
			found := sameBlock(piece, other)
			if found < 0 {
				side.replicaCuts = true
				continue
			}
			here, there := piece.Dest.Offset, other.Pieces[found].Dest.Offset
			side.replicaOffsets = side.replicaOffsets || here != there
			side.replicaOrder = side.replicaOrder || lastHere >= 0 && here > lastHere != (there > lastThere)
			lastHere, lastThere = here, there
		}
	}
}
