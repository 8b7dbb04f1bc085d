package gen

import (
	"fmt"
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// The validator of these tests. It walks every element and shares no code with plan, oracle or the
// generators: what a generated map is said to be is what this finds.

// bruteFaults lists what is wrong with a map by the rules of the IR; nothing is wrong with a valid one. A map
// whose form is wrong is not looked at any further, nor one that places an element where there is none.
func bruteFaults(m plan.Map) []string {
	faults := bruteForm(m)
	if len(faults) > 0 {
		return faults
	}
	return brutePlaces(m)
}

func bruteForm(m plan.Map) (faults []string) {
	say := func(rule, format string, args ...any) {
		faults = append(faults, rule+": "+fmt.Sprintf(format, args...))
	}
	if slices.ContainsFunc(m.LogicalShape, func(extent int64) bool { return extent < 0 }) {
		say("extent", "logical shape %v", m.LogicalShape)
	}
	seen := map[int]bool{}
	for _, shard := range m.Shards {
		if shard.Rank < 0 || seen[shard.Rank] {
			say("ranks", "rank %d", shard.Rank)
		}
		seen[shard.Rank] = true
		if shard.Undeclared {
			say("ranks", "rank %d has no shape", shard.Rank)
		}
		if slices.ContainsFunc(shard.Shape, func(extent int64) bool { return extent < 0 }) {
			say("extent", "shard shape %v", shard.Shape)
		}
		for _, piece := range shard.Pieces {
			if n := len(m.LogicalShape); len(piece.Shape) != n || len(piece.Source.Strides) != n || len(piece.Dest.Strides) != n {
				say("arity", "rank %d", shard.Rank)
			}
			if slices.ContainsFunc(piece.Shape, func(extent int64) bool { return extent < 0 }) {
				say("extent", "piece %v", piece.Shape)
			}
			if len(piece.Locations) == 0 {
				say("locations", "none")
			}
			if piece.Scale != nil && *piece.Scale == 0 {
				say("scale", "0")
			}
		}
	}
	return faults
}

func brutePlaces(m plan.Map) (faults []string) {
	say := func(rule, format string, args ...any) {
		faults = append(faults, rule+": "+fmt.Sprintf(format, args...))
	}
	holders := map[int64][]int{}
	for _, shard := range m.Shards {
		written := map[int64]int{}
		for number, piece := range shard.Pieces {
			where := fmt.Sprintf("rank %d piece %d", shard.Rank, number)
			inF, okF := bruteWalk(piece.Shape, piece.Source, m.LogicalShape)
			inShard, okShard := bruteWalk(piece.Shape, piece.Dest, shard.Shape)
			if !okF || !okShard {
				say("bounds", "%s", where)
				continue
			}
			for i := range inF {
				if slices.Contains(holders[inF[i]], shard.Rank) {
					say("once", "%s element %d", where, inF[i])
				}
				holders[inF[i]] = append(holders[inF[i]], shard.Rank)
				written[inShard[i]]++
			}
		}
		for address, n := range written {
			if n > 1 {
				say("tiling", "rank %d address %d %d times", shard.Rank, address, n)
			}
		}
		if len(written) != bruteCount(shard.Shape) {
			say("tiling", "rank %d has %d of %d", shard.Rank, len(written), bruteCount(shard.Shape))
		}
	}
	if slices.ContainsFunc(faults, func(fault string) bool { return fault[:6] == "bounds" }) {
		return faults
	}
	if len(holders) != bruteCount(m.LogicalShape) {
		say("coverage", "%d of %d", len(holders), bruteCount(m.LogicalShape))
	}
	for _, shard := range m.Shards {
		for number, piece := range shard.Pieces {
			wanted := slices.Clone(piece.Locations)
			slices.Sort(wanted)
			inF, _ := bruteWalk(piece.Shape, piece.Source, m.LogicalShape)
			for _, element := range inF {
				held := slices.Compact(slices.Sorted(slices.Values(holders[element])))
				if !slices.Equal(held, wanted) {
					say("locations", "rank %d piece %d names %v for element %d, held by %v", shard.Rank, number, wanted, element, held)
					break
				}
			}
		}
	}
	return faults
}

func bruteCount(shape []int64) int {
	n := 1
	for _, extent := range shape {
		n *= int(extent)
	}
	return n
}

// bruteWalk lists the addresses of a block in a tensor, in the order of the block. It is false where the
// block leaves the tensor, or where its coordinates there are not affine in its index, as when it wraps.
func bruteWalk(block []int64, view plan.View, tensor []int64) (addresses []int64, ok bool) {
	n := bruteCount(block)
	if n == 0 {
		return nil, true
	}
	size := int64(bruteCount(tensor))
	index := make([]int64, len(block))
	var origin []int64
	steps := make([][]int64, len(block)) // of the coordinates, along each axis of the block
	for range n {
		address := view.Offset
		for axis, i := range index {
			if block[axis] > 1 {
				address += i * view.Strides[axis]
			}
		}
		if address < 0 || address >= size {
			return nil, false
		}
		at := bruteCoordinate(address, tensor)
		if origin == nil {
			origin = at
		}
		for k := range at {
			expected := origin[k]
			for axis, i := range index {
				if steps[axis] != nil {
					expected += i * steps[axis][k]
				}
			}
			if first := bruteUnit(index); first >= 0 {
				expected = at[k]
			}
			if at[k] != expected {
				return nil, false
			}
		}
		if axis := bruteUnit(index); axis >= 0 {
			for k := range at {
				steps[axis] = append(steps[axis], at[k]-origin[k])
			}
		}
		addresses = append(addresses, address)
		for axis := len(index) - 1; axis >= 0; axis-- {
			if index[axis]++; index[axis] < block[axis] {
				break
			}
			index[axis] = 0
		}
	}
	return addresses, true
}

// bruteUnit is the axis of an index that is 1 there and 0 elsewhere, else -1. Row-major order meets the unit
// of each axis before any index that needs its step.
func bruteUnit(index []int64) int {
	unit := -1
	for axis, i := range index {
		switch {
		case i == 1 && unit < 0:
			unit = axis
		case i != 0:
			return -1
		}
	}
	return unit
}

func bruteCoordinate(address int64, tensor []int64) []int64 {
	at := make([]int64, len(tensor))
	for axis := len(tensor) - 1; axis >= 0; axis-- {
		at[axis] = address % tensor[axis]
		address /= tensor[axis]
	}
	return at
}
