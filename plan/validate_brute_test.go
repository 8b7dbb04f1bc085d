package plan_test

import (
	"math"
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// bruteRules judges a small map by listing every element of every piece: the rules that it breaks, sorted, of
// the first stage in which it breaks any. It reports whether the pieces are all whole boxes on both sides
// whose axes step along single axes, which is where validation must find the same rules. It shares nothing
// with validation but plan's types and Elements.
func bruteRules(m plan.Map) (rules []plan.RuleID, boxes bool) {
	b := brute{m: m, rules: map[plan.RuleID]bool{}, boxes: true}
	for _, stage := range []func(){b.structure, b.bounds, b.geometry} {
		if stage(); len(b.rules) > 0 {
			break
		}
	}
	for rule := range b.rules {
		rules = append(rules, rule)
	}
	slices.Sort(rules)
	return rules, b.boxes
}

type brute struct {
	m     plan.Map
	rules map[plan.RuleID]bool
	boxes bool
}

// breaks notes that a rule is broken where wrong is true.
func (b *brute) breaks(rule plan.RuleID, wrong bool) {
	b.rules[rule] = b.rules[rule] || wrong
	b.forget(rule)
}

func (b *brute) forget(rule plan.RuleID) {
	if !b.rules[rule] {
		delete(b.rules, rule)
	}
}

func (b *brute) structure() {
	axes := len(b.m.LogicalShape)
	b.breaks(plan.RuleExtent, negative(b.m.LogicalShape))
	seen := map[int]bool{}
	for _, shard := range b.m.Shards {
		b.breaks(plan.RuleRanks, shard.Rank < 0 || seen[shard.Rank] || shard.Undeclared)
		seen[shard.Rank] = true
		placing := false
		for _, piece := range shard.Pieces {
			placing = placing || !slices.Contains(piece.Shape, 0)
			b.breaks(plan.RuleArity, len(piece.Shape) != axes || len(piece.Source.Strides) != axes || len(piece.Dest.Strides) != axes)
			b.breaks(plan.RuleExtent, negative(piece.Shape))
			b.breaks(plan.RuleScale, piece.Scale != nil && (*piece.Scale == 0 || *piece.Scale-*piece.Scale != 0 || math.IsNaN(*piece.Scale)))
			once := map[int]bool{}
			for _, rank := range piece.Locations {
				b.breaks(plan.RuleLocations, once[rank])
				once[rank] = true
			}
			b.breaks(plan.RuleLocations, len(once) == 0)
		}
		if !shard.Undeclared {
			b.breaks(plan.RuleExtent, negative(shard.Shape))
			if volume, ok := plan.Elements(shard.Shape); ok {
				b.breaks(plan.RuleRanks, volume > 0 != placing)
			}
		}
	}
}

func negative(shape []int64) bool {
	return slices.ContainsFunc(shape, func(extent int64) bool { return extent < 0 })
}

func (b *brute) bounds() {
	for _, shard := range b.m.Shards {
		for _, piece := range shard.Pieces {
			if !piece.Empty() {
				b.breaks(plan.RuleBounds, !b.inside(piece.Source, piece.Shape, b.m.LogicalShape))
				b.breaks(plan.RuleBounds, !b.inside(piece.Dest, piece.Shape, shard.Shape))
			}
		}
	}
}

// inside lists the coordinates of a block's elements: each is one of the tensor's, and one step on an axis of
// the block changes them by the same vector everywhere; where the stride is the tensor's own for an axis
// longer than 1, that is by one on that axis.
func (b *brute) inside(view plan.View, shape, tensor []int64) bool {
	coordinates := map[[4]int64][]int64{}
	for index := range indexes(shape) {
		c, ok := coordinate(tensor, address(view, index))
		if !ok {
			return false
		}
		coordinates[index] = c
	}
	filled := 1
	for k, extent := range shape {
		if extent < 2 {
			continue
		}
		step := difference(coordinates[unit(k)], coordinates[[4]int64{}])
		if own, has := ownStep(tensor, view.Strides[k]); has && !slices.Equal(own, step) {
			return false
		}
		for index, c := range coordinates {
			if index[k]++; index[k] < extent && !slices.Equal(difference(coordinates[index], c), step) {
				return false
			}
		}
		moving := 0
		for _, length := range step {
			if length != 0 {
				moving++
			}
		}
		b.boxes = b.boxes && moving < 2
	}
	for axis := range tensor {
		lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
		for _, c := range coordinates {
			lo, hi = min(lo, c[axis]), max(hi, c[axis])
		}
		filled *= int(hi - lo + 1)
	}
	distinct := map[int64]bool{}
	for index := range coordinates {
		distinct[address(view, index)] = true
	}
	b.boxes = b.boxes && len(distinct) == filled
	return true
}

func unit(axis int) (index [4]int64) { index[axis] = 1; return index }

// ownStep is the vector that a stride means where it is the tensor's own on an axis longer than 1.
func ownStep(tensor []int64, stride int64) ([]int64, bool) {
	for axis, extent := range tensor {
		own := int64(1)
		for _, later := range tensor[axis+1:] {
			own *= later
		}
		step := make([]int64, len(tensor))
		switch {
		case extent > 1 && stride == own:
			step[axis] = 1
			return step, true
		case extent > 1 && stride == -own:
			step[axis] = -1
			return step, true
		}
	}
	return nil, false
}

func difference(a, b []int64) []int64 {
	d := make([]int64, len(a))
	for k := range a {
		d[k] = a[k] - b[k]
	}
	return d
}

// indexes lists the indexes of a block of at most 4 axes.
func indexes(shape []int64) map[[4]int64]bool {
	all := map[[4]int64]bool{{}: true}
	for k, extent := range shape {
		next := map[[4]int64]bool{}
		for index := range all {
			for index[k] = 0; index[k] < extent; index[k]++ {
				next[index] = true
			}
		}
		all = next
	}
	return all
}

func address(view plan.View, index [4]int64) int64 {
	at := view.Offset
	for k, stride := range view.Strides {
		at += index[k] * stride
	}
	return at
}

func coordinate(tensor []int64, address int64) ([]int64, bool) {
	c := make([]int64, len(tensor))
	for axis := len(tensor) - 1; axis >= 0; axis-- {
		if tensor[axis] == 0 {
			return nil, false
		}
		c[axis] = address % tensor[axis]
		address /= tensor[axis]
		if c[axis] < 0 {
			return nil, false
		}
	}
	return c, address == 0
}

func (b *brute) geometry() {
	holders := map[int64]map[int]int{} // by element of F: how often each rank holds it
	shards := map[int]bool{}
	for _, shard := range b.m.Shards {
		shards[shard.Rank] = true
		writes := map[int64]int{}
		for _, piece := range shard.Pieces {
			for index := range indexes(piece.Shape) {
				writes[address(piece.Dest, index)]++
				element := address(piece.Source, index)
				if holders[element] == nil {
					holders[element] = map[int]int{}
				}
				holders[element][shard.Rank]++
			}
		}
		volume, _ := plan.Elements(shard.Shape)
		b.breaks(plan.RuleTiling, int64(len(writes)) != volume)
		for _, n := range writes {
			b.breaks(plan.RuleTiling, n > 1)
		}
	}
	volume, _ := plan.Elements(b.m.LogicalShape)
	b.breaks(plan.RuleCoverage, int64(len(holders)) != volume)
	for _, held := range holders {
		for _, n := range held {
			b.breaks(plan.RuleOnce, n > 1)
		}
	}
	for _, shard := range b.m.Shards {
		for _, piece := range shard.Pieces {
			for index := range indexes(piece.Shape) {
				held := holders[address(piece.Source, index)]
				b.breaks(plan.RuleLocations, len(held) != len(piece.Locations))
				for _, rank := range piece.Locations {
					b.breaks(plan.RuleLocations, held[rank] == 0)
					b.breaks(plan.RuleHolder, held[rank] == 0 || !shards[rank])
				}
			}
		}
	}
}
