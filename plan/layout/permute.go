package layout

import (
	"fmt"

	"github.com/shardproof/shardproof/plan"
)

// Permute is the map in which each shard stores its axes in another order: axis i of the new shard is axis
// order[i] of the old one. A weight kept transposed has order 1, 0. Where F's axes differ in number from a
// shard's, as in a flat one, that is an error. The result shares no slice with the map that it is made from
// but those that stay as they are.
func Permute(m plan.Map, order []int) (plan.Map, error) {
	axes := len(m.LogicalShape)
	if err := checkOrder(order, axes); err != nil {
		return plan.Map{}, err
	}
	permuted := plan.Map{LogicalShape: m.LogicalShape, Shards: make([]plan.Shard, len(m.Shards))}
	fresh := store{numbers: make([]int64, axes*(countPieces(m)+2*len(m.Shards))), pieces: make([]plan.Piece, countPieces(m))}
	for i, shard := range m.Shards {
		if len(shard.Shape) != axes {
			return plan.Map{}, fmt.Errorf("rank %d: a shard of %d axes, want the %d of F to store them in the order %v", shard.Rank, len(shard.Shape), axes, order)
		}
		old := rowMajor(fresh.extents(axes), shard.Shape)
		shape := fresh.extents(axes)
		for to, from := range order {
			shape[to] = shard.Shape[from]
		}
		own := fresh.pieces[:len(shard.Pieces):len(shard.Pieces)]
		fresh.pieces = fresh.pieces[len(own):]
		for p, piece := range shard.Pieces {
			own[p] = piece
			own[p].Dest = permuteView(piece.Dest, old, shard.Shape, order, fresh.extents(axes), shape)
		}
		shard.Shape, shard.Pieces = shape, own
		permuted.Shards[i] = shard
	}
	return permuted, nil
}

// permuteView moves a row-major view of a shard with the old strides and extents to one of the new shape.
func permuteView(view plan.View, old, extents []int64, order []int, strides, shape []int64) plan.View {
	moved := plan.View{Strides: strides}
	step := int64(1)
	for to := len(order) - 1; to >= 0; to-- {
		from := order[to]
		strides[from] = step
		if extents[from] > 0 {
			moved.Offset += view.Offset / old[from] % extents[from] * step
		}
		step *= max(shape[to], 1)
	}
	return moved
}

func checkOrder(order []int, axes int) error {
	if len(order) != axes {
		return fmt.Errorf("an order of %d axes, F has %d", len(order), axes)
	}
	for i, axis := range order {
		if axis < 0 || axis >= axes {
			return fmt.Errorf("order %v: axis %d of %d", order, axis, axes)
		}
		for _, earlier := range order[:i] {
			if axis == earlier {
				return fmt.Errorf("order %v: axis %d twice", order, axis)
			}
		}
	}
	return nil
}

func countPieces(m plan.Map) int {
	n := 0
	for _, shard := range m.Shards {
		n += len(shard.Pieces)
	}
	return n
}
