package layout

import (
	"fmt"
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// bruteForce looks at every element of a small map and returns what is wrong with it, or "". It knows the
// rules of maps and nothing of how the builders work.
func bruteForce(m plan.Map) string {
	holders := make([][]int, product(m.LogicalShape))
	for _, shard := range m.Shards {
		if problem := bruteShard(m, shard, holders); problem != "" {
			return fmt.Sprintf("rank %d %s", shard.Rank, problem)
		}
	}
	for element, ranks := range holders {
		if len(ranks) == 0 {
			return fmt.Sprintf("element %d is held by no rank", element)
		}
		slices.Sort(ranks)
	}
	for _, shard := range m.Shards {
		for i, piece := range shard.Pieces {
			locations := slices.Sorted(slices.Values(piece.Locations))
			if len(locations) == 0 {
				return fmt.Sprintf("rank %d piece %d names no holder", shard.Rank, i)
			}
			for _, at := range addresses(piece.Shape, piece.Source) {
				if !slices.Equal(locations, holders[at]) {
					return fmt.Sprintf("rank %d piece %d names %v, element %d is held by %v", shard.Rank, i, locations, at, holders[at])
				}
			}
		}
	}
	return ""
}

// bruteShard checks the bounds and the tiling of a shard, and adds its rank to the holders of its elements.
func bruteShard(m plan.Map, shard plan.Shard, holders [][]int) string {
	written := make([]int, product(shard.Shape))
	for i, piece := range shard.Pieces {
		if len(piece.Shape) != len(m.LogicalShape) || len(piece.Source.Strides) != len(piece.Shape) || len(piece.Dest.Strides) != len(piece.Shape) {
			return fmt.Sprintf("piece %d has other axes than F", i)
		}
		sources, dests := addresses(piece.Shape, piece.Source), addresses(piece.Shape, piece.Dest)
		for e := range sources {
			if want := boxElement(m.LogicalShape, piece, e); sources[e] != want {
				return fmt.Sprintf("piece %d element %d is %d of F, want %d of a box", i, e, sources[e], want)
			}
			if dests[e] < 0 || dests[e] >= int64(len(written)) {
				return fmt.Sprintf("piece %d writes address %d of %d", i, dests[e], len(written))
			}
			written[dests[e]]++
			if slices.Contains(holders[sources[e]], shard.Rank) {
				return fmt.Sprintf("holds element %d twice", sources[e])
			}
			holders[sources[e]] = append(holders[sources[e]], shard.Rank)
		}
	}
	for address, n := range written {
		if n != 1 {
			return fmt.Sprintf("address %d is written %d times", address, n)
		}
	}
	return ""
}

// boxElement is the e-th element of the box of F at the piece's source offset; -1 where it leaves F.
func boxElement(shape []int64, piece plan.Piece, e int) int64 {
	corner, inside := coordinates(piece.Source.Offset, shape), coordinates(int64(e), piece.Shape)
	at := int64(0)
	for axis := range shape {
		if corner[axis]+inside[axis] >= shape[axis] {
			return -1
		}
		at = at*shape[axis] + corner[axis] + inside[axis]
	}
	return at
}

// addresses lists the addresses of a block's elements, in row-major order of the block.
func addresses(shape []int64, view plan.View) []int64 {
	all := make([]int64, product(shape))
	for e := range all {
		all[e] = view.Offset
		for axis, at := range coordinates(int64(e), shape) {
			all[e] += at * view.Strides[axis]
		}
	}
	return all
}

func coordinates(index int64, shape []int64) []int64 {
	at := make([]int64, len(shape))
	for axis := len(shape) - 1; axis >= 0; axis-- {
		at[axis] = index % shape[axis]
		index /= shape[axis]
	}
	return at
}

func product(shape []int64) int64 {
	n := int64(1)
	for _, extent := range shape {
		n *= extent
	}
	return n
}

// joinable names two pieces of one rank that are the halves of one box with one view of the shard, or "".
func joinable(m plan.Map) string {
	for _, shard := range m.Shards {
		for i, a := range shard.Pieces {
			for j, b := range shard.Pieces {
				if i != j && slices.Equal(a.Locations, b.Locations) && continues(m.LogicalShape, a, b) {
					return fmt.Sprintf("rank %d pieces %d and %d", shard.Rank, i, j)
				}
			}
		}
	}
	return ""
}

// continues reports whether b is the box after a along one axis, in F and in the shard alike.
func continues(shape []int64, a, b plan.Piece) bool {
	if a.Empty() || b.Empty() {
		return false
	}
	fromA, fromB := coordinates(a.Source.Offset, shape), coordinates(b.Source.Offset, shape)
	differing := -1
	for axis := range shape {
		switch {
		case fromA[axis] == fromB[axis] && a.Shape[axis] == b.Shape[axis]:
		case differing < 0 && fromA[axis]+a.Shape[axis] == fromB[axis]:
			differing = axis
		default:
			return false
		}
	}
	return differing >= 0 && slices.Equal(a.Dest.Strides, b.Dest.Strides) &&
		b.Dest.Offset-a.Dest.Offset == a.Shape[differing]*a.Dest.Strides[differing]
}
