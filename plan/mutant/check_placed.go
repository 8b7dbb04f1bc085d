package mutant

import (
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// tiledOnce refuses two blocks of one rank at the same address of its shard.
func tiledOnce(s side) *plan.Refusal {
	return s.eachPair("the same addresses of the shard", sharesAddress)
}

func sharesAddress(a, b block) bool {
	if len(a.shard.Shape) != len(a.layout.LogicalShape) {
		return runsCross(a, b)
	}
	_, ok := overlap(a.inShard(), b.inShard())
	return ok
}

// inShard is the box of the shard that a block fills, where the shard has the axes of the tensor.
func (b block) inShard() box {
	steps := rowMajor(b.shard.Shape)
	filled := box{coordinates(b.address, b.shard.Shape), make([]int64, len(b.shard.Shape))}
	for axis := range filled.shape {
		filled.shape[axis] = 1
	}
	for axis, extent := range b.shape {
		if extent > 1 {
			filled.shape[stepped(b.shard.Shape, steps, b.strides[axis])] = extent
		}
	}
	return filled
}

// maxRuns bounds the addresses of a flat shard that are listed one by one; a piece of more is unsupported.
const maxRuns = 1 << 12

// runs are where the stretches of consecutive addresses of a view begin, and how long each is. It is false
// where a stride is no step forward, where two stretches meet, or where there are too many.
func runs(shape []int64, view plan.View) (found flatRuns, ok bool) {
	var outer []int
	for k, extent := range shape {
		if extent > 1 {
			outer = append(outer, k)
		}
	}
	slices.SortFunc(outer, func(a, b int) int { return int(min(1, max(-1, view.Strides[a]-view.Strides[b]))) })
	found = flatRuns{starts: []int64{view.Offset}, length: 1}
	for _, k := range outer {
		switch {
		case view.Strides[k] <= 0:
			return flatRuns{}, false
		case view.Strides[k] == found.length && len(found.starts) == 1:
			found.length *= shape[k]
		case shape[k] > maxRuns/int64(len(found.starts)):
			return flatRuns{}, false
		default:
			found.repeat(shape[k], view.Strides[k])
		}
	}
	return found, found.apart()
}

type flatRuns struct {
	starts []int64
	length int64
}

func (r *flatRuns) repeat(times, stride int64) {
	once := r.starts
	for i := int64(1); i < times; i++ {
		for _, start := range once {
			r.starts = append(r.starts, start+i*stride)
		}
	}
}

func (r flatRuns) apart() bool {
	starts := slices.Sorted(slices.Values(r.starts))
	for i := 1; i < len(starts); i++ {
		if starts[i] < starts[i-1]+r.length {
			return false
		}
	}
	return true
}

func runsCross(a, b block) bool {
	one, _ := runs(a.shape, plan.View{Offset: a.address, Strides: a.strides})
	other, _ := runs(b.shape, plan.View{Offset: b.address, Strides: b.strides})
	for _, p := range one.starts {
		for _, q := range other.starts {
			if p < q+other.length && q < p+one.length {
				return true
			}
		}
	}
	return false
}

// tiled refuses a rank whose blocks have another volume than its shard. As they are apart and inside, they
// then fill it.
func tiled(s side) *plan.Refusal {
	for i := range s.Shards {
		shard := &s.Shards[i]
		if filled := s.filled(shard); filled != volume(shard.Shape) {
			return plan.Refuse(plan.Invalid, "%s rank %d: %d of %d elements filled", s.name, shard.Rank, filled, volume(shard.Shape))
		}
	}
	return nil
}

func (s side) filled(shard *plan.Shard) (elements int64) {
	for _, block := range s.blocks {
		if block.shard == shard {
			elements += block.elements()
		}
	}
	return elements
}

// heldOnce refuses two blocks of one rank with an element of the tensor in common.
func heldOnce(s side) *plan.Refusal {
	return s.eachPair("the same elements of the tensor", func(a, b block) bool {
		_, ok := overlap(a.box, b.box)
		return ok
	})
}

// eachPair refuses the first two blocks of one rank that have a fault.
func (s side) eachPair(fault string, has func(a, b block) bool) *plan.Refusal {
	for i, a := range s.blocks {
		for _, b := range s.blocks[i+1:] {
			if a.shard == b.shard && has(a, b) {
				return plan.Refuse(plan.Invalid, "%s rank %d: two pieces have %s", s.name, a.rank, fault)
			}
		}
	}
	return nil
}

func holdsOwn(s side) *plan.Refusal {
	return s.eachBlock("does not name the rank itself", func(b block) bool {
		return !slices.Contains(b.locations, b.rank)
	})
}

func holderShards(s side) *plan.Refusal {
	return s.eachBlock("names a rank without a shard, or a rank twice", func(b block) bool {
		for i, rank := range b.locations {
			if _, ok := s.Shard(rank); !ok || i > 0 && rank == b.locations[i-1] {
				return true
			}
		}
		return false
	})
}

func holdersFull(s side) *plan.Refusal {
	return s.eachBlock("names a rank that does not hold all of it", func(b block) bool {
		for _, rank := range b.locations {
			if s.common(b, rank) < b.elements() {
				return true
			}
		}
		return false
	})
}

func holdersHidden(s side) *plan.Refusal {
	return s.eachBlock("does not name a rank that holds some of it", func(b block) bool {
		for _, shard := range s.Shards {
			if !slices.Contains(b.locations, shard.Rank) && s.common(b, shard.Rank) > 0 {
				return true
			}
		}
		return false
	})
}

// eachBlock refuses the first block whose locations have a fault.
func (s side) eachBlock(fault string, has func(block) bool) *plan.Refusal {
	for _, b := range s.blocks {
		if has(b) {
			return plan.Refuse(plan.Invalid, "%s rank %d: a piece with locations %v %s", s.name, b.rank, b.locations, fault)
		}
	}
	return nil
}

// common counts the elements of a block that a rank holds.
func (s side) common(b block, rank int) (elements int64) {
	for _, other := range s.blocks {
		if other.rank != rank {
			continue
		}
		if common, ok := overlap(b.box, other.box); ok {
			elements += common.elements()
		}
	}
	return elements
}

// covers refuses a map that leaves an element of the tensor to no rank. As locations are right, the blocks
// that are their lowest holder's hold each element once.
func covers(s side) *plan.Refusal {
	var held int64
	for _, b := range s.blocks {
		if b.rank == b.locations[0] {
			held += b.elements()
		}
	}
	if all := volume(s.LogicalShape); held < all {
		return plan.Refuse(plan.Invalid, "%s holds %d of %d elements", s.name, held, all)
	}
	return nil
}
