package gen

import (
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// addReplica appends a rank that holds what another holds, in the same places, and names it wherever the
// other is named: the map stays valid. The map needs room for one more shard.
func (d *draw) addReplica(m *plan.Map, of int, id int) {
	original := m.Shards[of]
	d.nameBeside(m, original.Rank, id)
	replica := original
	replica.Rank = id
	replica.Pieces = d.takePieces(len(original.Pieces))
	copy(replica.Pieces, original.Pieces)
	if d.oneIn("replica in another order", 2) {
		d.restack(&replica)
	}
	m.Shards = append(m.Shards, replica)
}

// nameBeside adds a rank to every list of locations that has another.
func (d *draw) nameBeside(m *plan.Map, rank, id int) {
	var before, after []int
	for s := range m.Shards {
		for p := range m.Shards[s].Pieces {
			locations := &m.Shards[s].Pieces[p].Locations
			if !slices.Contains(*locations, rank) {
				continue
			}
			if !sameSlice(before, *locations) {
				before = *locations
				after = append(d.takeRanks(len(before) + 1)[:0], before...)
				after = append(after, id)
			}
			*locations = after
		}
	}
}

func sameSlice(a, b []int) bool { return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0] }

// restack puts the pieces of a shard in any order along the one axis that they stand along. Other shards,
// and shards with an empty or a permuted piece, are left as they are.
func (d *draw) restack(shard *plan.Shard) {
	axis, ok := stackedAlong(shard)
	if !ok {
		return
	}
	pieces := shard.Pieces
	d.shuffle("piece", len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
	// The shard's own stride: a piece of extent 1 along the axis may have any.
	stride, position := d.rowMajor(shard.Shape)[axis], int64(0)
	for p := range pieces {
		pieces[p].Dest.Offset = position * stride
		position += pieces[p].Shape[axis]
	}
}

// stackedAlong finds the axis along which the pieces of a shard stand one after another, each as wide as the
// shard on every other axis. The pieces have to be placed row-major in a shard of as many axes.
func stackedAlong(shard *plan.Shard) (axis int, ok bool) {
	if len(shard.Pieces) < 2 {
		return 0, false
	}
	axis = -1
	for p := range shard.Pieces {
		piece := &shard.Pieces[p]
		if len(piece.Shape) != len(shard.Shape) || piece.Empty() || !isRowMajor(piece.Shape, piece.Dest.Strides, shard.Shape) {
			return 0, false
		}
		for number, extent := range piece.Shape {
			if extent == shard.Shape[number] {
				continue
			}
			if axis >= 0 && axis != number {
				return 0, false
			}
			axis = number
		}
	}
	return axis, axis >= 0
}
