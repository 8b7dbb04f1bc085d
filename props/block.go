package props

import (
	"cmp"
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// A block is a piece that places something, seen as a box of the logical tensor and as a block of its shard.
//
// The relations and the reducer change layouts by changing boxes. They read the boxes off the pieces here, on
// their own: nothing of this is shared with the validation or the planner that are judged.
type block struct {
	lo    []int64 // logical coordinate of the first element
	at    []int64 // shard coordinate of the first element; meaningless in a packed shard
	along []int   // for each logical axis, the shard axis it runs along; -1 where the extent is 1
	order []int   // logical axes longer than 1 by falling shard stride; used in a packed shard
}

// A placement says how the blocks of a shard stand in it.
type placement uint8

const (
	opaque placement = iota // some piece is no box of the logical tensor, or no block of the shard
	grid                    // each piece is a box of the shard, its axes running along the shard's, in any order
	packed                  // the pieces follow each other in the shard's addresses, each dense
)

// A placedShard is a shard with its pieces read as blocks. Pieces that place nothing have no block (nil).
//
// A piece may list its axes in any order. Here they stand in that of the tensor, as long as the shard is not
// opaque; turns says where each axis stood.
type placedShard struct {
	plan.Shard
	placement placement
	blocks    []*block
	turns     [][]int // for each piece and logical axis, the piece's own axis; nil: the same
	strides   []int64 // of the logical tensor
}

// placeShard reads the blocks of a shard. A shard of as many axes as the logical tensor is read as a grid where
// it can be, any other as packed where it can be.
func placeShard(logical []int64, shard plan.Shard) placedShard {
	placed := placedShard{Shard: shard, blocks: make([]*block, len(shard.Pieces)), turns: make([][]int, len(shard.Pieces))}
	var ok bool
	if placed.strides, ok = plan.RowMajor(logical); !ok {
		return placed
	}
	placed.Pieces = slices.Clone(shard.Pieces)
	for i, piece := range shard.Pieces {
		if piece.Empty() {
			continue
		}
		var inOrder bool
		if piece, placed.turns[i], inOrder = inLogicalOrder(piece, placed.strides); !inOrder {
			return placed.unread(shard)
		}
		lo, ok := placed.logicalBox(logical, piece)
		if !ok {
			return placed.unread(shard)
		}
		placed.Pieces[i] = piece
		placed.blocks[i] = &block{lo: lo}
	}
	ways := []placement{packed, grid}
	if len(shard.Shape) == len(logical) {
		ways = []placement{grid, packed}
	}
	for _, way := range ways {
		if way == grid && placed.readGrid() || way == packed && placed.readPacked() {
			placed.placement = way
			return placed
		}
	}
	return placed.unread(shard)
}

// unread is the shard as it came, of which nothing can be said.
func (s placedShard) unread(shard plan.Shard) placedShard {
	s.Shard = shard
	return s
}

// inLogicalOrder is the piece with its axes in the tensor's order, and for each of those the piece's own axis (nil:
// the same). An axis longer than 1 is known by its source stride; the others fill the rest. It is false where an
// axis is none of the tensor's.
func inLogicalOrder(piece plan.Piece, strides []int64) (plan.Piece, []int, bool) {
	axes := len(strides)
	if len(piece.Shape) != axes || len(piece.Source.Strides) != axes || len(piece.Dest.Strides) != axes {
		return piece, nil, false
	}
	turn := make([]int, axes)
	for axis := range turn {
		turn[axis] = -1
	}
	for own, extent := range piece.Shape {
		if extent <= 1 {
			continue
		}
		axis := axisOfStride(piece.Source.Strides[own], strides)
		if axis < 0 || turn[axis] >= 0 {
			return piece, nil, false
		}
		turn[axis] = own
	}
	fillTurn(turn, piece.Shape)
	if slices.IsSorted(turn) {
		return piece, nil, true
	}
	return turnPiece(piece, func(axis int) (from, to int) { return turn[axis], axis }), turn, true
}

// fillTurn gives the axes of extent 1 to the logical axes that are left: each its own where that is free.
func fillTurn(turn []int, shape []int64) {
	var left []int
	for own, extent := range shape {
		switch {
		case extent > 1:
		case turn[own] < 0:
			turn[own] = own
		default:
			left = append(left, own)
		}
	}
	for axis := range turn {
		if turn[axis] < 0 {
			turn[axis], left = left[0], left[1:]
		}
	}
}

// turnPiece puts the axes of a piece in another order, each from one place to another.
func turnPiece(piece plan.Piece, move func(axis int) (from, to int)) plan.Piece {
	out := piece
	out.Shape = make([]int64, len(piece.Shape))
	out.Source.Strides, out.Dest.Strides = make([]int64, len(piece.Shape)), make([]int64, len(piece.Shape))
	for axis := range piece.Shape {
		from, to := move(axis)
		out.Shape[to] = piece.Shape[from]
		out.Source.Strides[to] = piece.Source.Strides[from]
		out.Dest.Strides[to] = piece.Dest.Strides[from]
	}
	return out
}

// asItCame puts the axes of a piece of the shard back in the order in which it listed them.
func (s *placedShard) asItCame(i int, piece plan.Piece) plan.Piece {
	turn := s.turns[i]
	if turn == nil || piece.Shape == nil {
		return piece
	}
	return turnPiece(piece, func(axis int) (from, to int) { return axis, turn[axis] })
}

// logicalBox is the coordinate of a piece's first element, where the piece is a row-major box of the tensor.
func (s *placedShard) logicalBox(logical []int64, piece plan.Piece) ([]int64, bool) {
	lo, ok := coordinate(piece.Source.Offset, logical, s.strides)
	if !ok {
		return nil, false
	}
	for axis, extent := range piece.Shape {
		if extent < 1 || lo[axis] > logical[axis]-extent || extent > 1 && piece.Source.Strides[axis] != s.strides[axis] {
			return nil, false
		}
	}
	return lo, true
}

// coordinate is the coordinate at a row-major address of a tensor, where it has one.
func coordinate(address int64, shape, strides []int64) ([]int64, bool) {
	at := make([]int64, len(shape))
	if address < 0 {
		return nil, false
	}
	for axis := range shape {
		at[axis] = address / strides[axis]
		if at[axis] >= shape[axis] {
			return nil, false
		}
		address %= strides[axis]
	}
	return at, address == 0
}

// readGrid fills in where each block stands in the shard's coordinates, where all of them are boxes there.
func (s *placedShard) readGrid() bool {
	strides, ok := plan.RowMajor(s.Shape)
	if !ok || s.Undeclared {
		return false
	}
	for i, b := range s.blocks {
		if b == nil {
			continue
		}
		piece := s.Pieces[i]
		if b.at, ok = coordinate(piece.Dest.Offset, s.Shape, strides); !ok {
			return false
		}
		b.along = make([]int, len(piece.Shape))
		used := make([]bool, len(s.Shape))
		for axis, extent := range piece.Shape {
			b.along[axis] = -1
			if extent == 1 {
				continue
			}
			along := axisOfStride(piece.Dest.Strides[axis], strides)
			if along < 0 || used[along] || b.at[along] > s.Shape[along]-extent {
				return false
			}
			used[along] = true
			b.along[axis] = along
		}
	}
	return true
}

// axisOfStride is the axis of a row-major tensor that can be longer than 1 and has this stride, or -1. Of several
// with one stride it is the first: those after it are not longer than 1, or they would have another.
func axisOfStride(stride int64, strides []int64) int { return slices.Index(strides, stride) }

// readPacked fills in the axis order of each block, where each is dense and together they fill the shard.
func (s *placedShard) readPacked() bool {
	volume, ok := plan.Elements(s.Shape)
	if !ok || s.Undeclared {
		return false
	}
	next := int64(0)
	for _, i := range s.byDest() {
		piece := s.Pieces[i]
		order, elements, dense := denseOrder(piece)
		if !dense || piece.Dest.Offset != next {
			return false
		}
		s.blocks[i].order = order
		next += elements
	}
	return next == volume
}

// byDest lists the pieces that place something by where they begin in the shard.
func (s *placedShard) byDest() []int {
	order := make([]int, 0, len(s.blocks))
	for i, b := range s.blocks {
		if b != nil {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(s.Pieces[i].Dest.Offset, s.Pieces[j].Dest.Offset)
	})
	return order
}

// denseOrder lists the axes longer than 1 by falling dest stride. It counts the addresses that the block fills one
// after another, and is false where it does not.
func denseOrder(piece plan.Piece) ([]int, int64, bool) {
	var order []int
	for axis, extent := range piece.Shape {
		if extent > 1 {
			order = append(order, axis)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(piece.Dest.Strides[b], piece.Dest.Strides[a])
	})
	step := int64(1)
	for i := len(order) - 1; i >= 0; i-- {
		if piece.Dest.Strides[order[i]] != step {
			return nil, 0, false
		}
		step *= piece.Shape[order[i]]
	}
	return order, step, true
}

// hi is the logical coordinate one past a piece's last element on an axis.
func (s *placedShard) hi(piece, axis int) int64 {
	return s.blocks[piece].lo[axis] + s.Pieces[piece].Shape[axis]
}

// overlap reports whether two blocks share a logical element.
func overlap(a *placedShard, i int, b *placedShard, j int) bool {
	for axis := range a.blocks[i].lo {
		if a.hi(i, axis) <= b.blocks[j].lo[axis] || b.hi(j, axis) <= a.blocks[i].lo[axis] {
			return false
		}
	}
	return true
}

// placeMap reads the blocks of every shard.
func placeMap(m plan.Map) []placedShard {
	placed := make([]placedShard, len(m.Shards))
	for i, shard := range m.Shards {
		placed[i] = placeShard(m.LogicalShape, shard)
	}
	return placed
}
