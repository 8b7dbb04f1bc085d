package mutant

import (
	"cmp"
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// tiledOnce refuses two blocks of one rank at the same address of its shard.
func tiledOnce(s side) *plan.Refusal {
	return s.eachPair("the same addresses of the shard", sharesAddress)
}

func sharesAddress(a, b block) bool {
	if flat(a.shard.Shape) {
		return stretchesMeet(a, b)
	}
	_, ok := overlap(a.inShard(), b.inShard())
	return ok
}

// inShard is the box of the shard that a block fills, where the shard is not flat.
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

// maxRuns bounds the stretches of a flat shard that are listed one by one; a piece of more is unsupported.
const maxRuns = 1 << 12

// A stretchList is where the stretches of consecutive addresses of a block begin, ascending, and how long each is.
type stretchList struct {
	starts []int64
	length int64
}

// stretches lists those of a view. It is false where a stride is no step forward, where two stretches meet, or
// where there are too many.
func stretches(shape []int64, view plan.View) (list stretchList, ok bool) {
	var axes []int
	for k, extent := range shape {
		if extent > 1 {
			axes = append(axes, k)
		}
	}
	slices.SortFunc(axes, func(a, b int) int { return cmp.Compare(view.Strides[a], view.Strides[b]) })
	list = stretchList{starts: []int64{view.Offset}, length: 1}
	for _, k := range axes {
		switch {
		case view.Strides[k] <= 0:
			return stretchList{}, false
		case view.Strides[k] == list.length && len(list.starts) == 1:
			list.length *= shape[k]
		case shape[k] > maxRuns/int64(len(list.starts)):
			return stretchList{}, false
		default:
			list.repeat(shape[k], view.Strides[k])
		}
	}
	slices.Sort(list.starts)
	return list, list.apart()
}

func (l *stretchList) repeat(times, stride int64) {
	once := l.starts
	for i := int64(1); i < times; i++ {
		for _, start := range once {
			l.starts = append(l.starts, start+i*stride)
		}
	}
}

func (l stretchList) apart() bool {
	for i := 1; i < len(l.starts); i++ {
		if l.starts[i] < l.starts[i-1]+l.length {
			return false
		}
	}
	return true
}

// stretchesMeet goes along both lists at once.
func stretchesMeet(a, b block) bool {
	one, _ := stretches(a.shape, plan.View{Offset: a.address, Strides: a.strides})
	other, _ := stretches(b.shape, plan.View{Offset: b.address, Strides: b.strides})
	for i, j := 0, 0; i < len(one.starts) && j < len(other.starts); {
		p, q := one.starts[i], other.starts[j]
		switch {
		case p+one.length <= q:
			i++
		case q+other.length <= p:
			j++
		default:
			return true
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
