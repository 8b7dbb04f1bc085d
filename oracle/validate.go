package oracle

import (
	"math"
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// MaxMapElements is the most elements that ValidateMap enumerates: those of the logical tensor, and those of all
// shards and pieces together.
const MaxMapElements = 1 << 20

// ValidateMap judges a map by enumerating its elements, and returns the rules that it breaks, sorted; known
// is false where the map has more than MaxMapElements and nothing is said.
//
// It judges in stages and reports the rules of the first stage that any is broken in:
//
//  1. what each shard and each piece is by itself: map.arity, map.extent, map.scale, map.ranks, and that
//     every piece has locations, each once (map.locations);
//  2. where each element stands: map.bounds;
//  3. what the elements are together: map.tiling, map.once, map.coverage, map.locations, map.holder.
//
// Pieces with an extent of zero place nothing: the first stage alone judges them. Of map.canonical, which
// is about how a map is written and not what it says, it knows nothing.
func ValidateMap(m plan.Map) (rules []plan.RuleID, known bool) {
	v := validation{m: &m}
	v.structure()
	if len(v.broken) == 0 {
		if !v.countable() {
			return nil, false
		}
		v.places()
	}
	if len(v.broken) == 0 {
		v.holding()
	}
	slices.Sort(v.broken)
	return v.broken, true
}

// A validation is a map on its way through the stages.
type validation struct {
	m       *plan.Map
	broken  []plan.RuleID
	logical int64
	// elements of each piece that places any, in the order of shards and pieces.
	pieces []enumerated
	held   [][]int32 // by shard and label: how often the shard holds it
}

// An enumerated is a piece with where each of its elements stands.
type enumerated struct {
	*plan.Piece
	shard             int // its place in the map
	labels, addresses []int64
}

func (v *validation) breaks(rule plan.RuleID, broken bool) {
	if broken && !slices.Contains(v.broken, rule) {
		v.broken = append(v.broken, rule)
	}
}

func (v *validation) structure() {
	v.breaks(plan.RuleExtent, negative(v.m.LogicalShape))
	for i := range v.m.Shards {
		shard := &v.m.Shards[i]
		v.breaks(plan.RuleRanks, shard.Rank < 0 || shard.Undeclared)
		for j := range i {
			v.breaks(plan.RuleRanks, v.m.Shards[j].Rank == shard.Rank)
		}
		places := false
		for p := range shard.Pieces {
			v.piece(&shard.Pieces[p])
			places = places || !shard.Pieces[p].Empty()
		}
		v.breaks(plan.RuleExtent, !shard.Undeclared && negative(shard.Shape))
		if !shard.Undeclared && !negative(shard.Shape) {
			v.breaks(plan.RuleRanks, places == slices.Contains(shard.Shape, 0))
		}
	}
}

func (v *validation) piece(piece *plan.Piece) {
	axes := len(v.m.LogicalShape)
	v.breaks(plan.RuleArity, len(piece.Shape) != axes || len(piece.Source.Strides) != axes || len(piece.Dest.Strides) != axes)
	v.breaks(plan.RuleExtent, negative(piece.Shape))
	if s := piece.Scale; s != nil {
		v.breaks(plan.RuleScale, *s == 0 || math.IsNaN(*s) || math.IsInf(*s, 0))
	}
	v.breaks(plan.RuleLocations, len(piece.Locations) == 0)
	for i, rank := range piece.Locations {
		v.breaks(plan.RuleLocations, slices.Contains(piece.Locations[:i], rank))
	}
}

func negative(shape []int64) bool {
	return slices.ContainsFunc(shape, func(extent int64) bool { return extent < 0 })
}

// countable reports whether the map is small enough to be enumerated.
func (v *validation) countable() bool {
	logical, ok := plan.Elements(v.m.LogicalShape)
	v.logical = logical
	total := int64(0)
	for i := range v.m.Shards {
		n, counted := plan.Elements(v.m.Shards[i].Shape)
		ok, total = ok && counted, add(total, n)
		for p := range v.m.Shards[i].Pieces {
			n, counted := plan.Elements(v.m.Shards[i].Pieces[p].Shape)
			ok, total = ok && counted, add(total, n)
		}
	}
	return ok && logical <= MaxMapElements && total <= MaxMapElements
}

// places finds where every element of every piece stands, and whether that is inside.
func (v *validation) places() {
	for i := range v.m.Shards {
		shard := &v.m.Shards[i]
		for p := range shard.Pieces {
			piece := &shard.Pieces[p]
			if piece.Empty() {
				continue
			}
			labels, first := standing(piece.Shape, piece.Source, v.m.LogicalShape)
			addresses, second := standing(piece.Shape, piece.Dest, shard.Shape)
			v.breaks(plan.RuleBounds, !first || !second)
			v.pieces = append(v.pieces, enumerated{piece, i, labels, addresses})
		}
	}
}

// standing lists the address of each element of a block in a tensor. It is false where one lies outside, or
// where the coordinates are not affine in the index: where the block wraps round an axis.
func standing(shape []int64, view plan.View, tensor []int64) ([]int64, bool) {
	elements, _ := plan.Elements(tensor)
	n, _ := plan.Elements(shape)
	addresses := make([]int64, n)
	for k := range addresses {
		address := addressOf(shape, view, int64(k))
		if !address.IsInt64() || address.Int64() < 0 || address.Int64() >= elements {
			return nil, false
		}
		addresses[k] = address.Int64()
	}
	return addresses, affine(shape, view, tensor, addresses)
}

// affine reports whether every coordinate of every element is that of the first plus a fixed step for each
// index.
func affine(shape []int64, view plan.View, tensor, addresses []int64) bool {
	first := coordinate(tensor, addresses[0])
	steps := make([][]int64, len(shape))
	for axis := range shape {
		steps[axis] = stepOf(view, axis, tensor, first)
	}
	for k, address := range addresses {
		due := slices.Clone(first)
		index := coordinate(shape, int64(k))
		for axis := range steps {
			for i := range steps[axis] {
				due[i] += index[axis] * steps[axis][i]
			}
		}
		if !slices.Equal(due, coordinate(tensor, address)) {
			return false
		}
	}
	return true
}

// stepOf is what one index more on an axis does to the coordinates. A stride of the tensor's own is a step
// along that axis, however long the block is, so that two elements on either side of an axis's end are a
// block that wraps. Any other stride does what it does from the first element.
func stepOf(view plan.View, axis int, tensor, first []int64) []int64 {
	step, stride := make([]int64, len(tensor)), int64(1)
	for k := len(tensor) - 1; k >= 0; k-- {
		if s := view.Strides[axis]; tensor[k] > 1 && (s == stride || s == -stride) {
			step[k] = s / stride
			return step
		}
		stride *= tensor[k]
	}
	next := coordinate(tensor, view.Offset+view.Strides[axis])
	for k := range step {
		step[k] = next[k] - first[k]
	}
	return step
}

// holding judges what all pieces place together.
func (v *validation) holding() {
	v.held = make([][]int32, len(v.m.Shards))
	written := make([][]int32, len(v.m.Shards))
	for i := range v.m.Shards {
		n, _ := plan.Elements(v.m.Shards[i].Shape)
		v.held[i], written[i] = make([]int32, v.logical), make([]int32, n)
	}
	for _, p := range v.pieces {
		for k := range p.labels {
			v.held[p.shard][p.labels[k]]++
			written[p.shard][p.addresses[k]]++
		}
	}
	for i := range v.m.Shards {
		v.breaks(plan.RuleTiling, slices.ContainsFunc(written[i], func(n int32) bool { return n != 1 }))
		v.breaks(plan.RuleOnce, slices.ContainsFunc(v.held[i], func(n int32) bool { return n > 1 }))
	}
	for label := range v.logical {
		v.breaks(plan.RuleCoverage, len(v.holders(label)) == 0)
	}
	for _, p := range v.pieces {
		v.located(p)
	}
}

// holders lists the ranks that hold an element, ascending.
func (v *validation) holders(label int64) (ranks []int) {
	for i := range v.m.Shards {
		if v.held[i][label] > 0 {
			ranks = append(ranks, v.m.Shards[i].Rank)
		}
	}
	slices.Sort(ranks)
	return ranks
}

// located compares what a piece says of its holders to who they are.
func (v *validation) located(p enumerated) {
	named := slices.Sorted(slices.Values(p.Locations))
	for _, label := range p.labels {
		holders := v.holders(label)
		v.breaks(plan.RuleLocations, !slices.Equal(named, holders))
		for _, rank := range named {
			v.breaks(plan.RuleHolder, !slices.Contains(holders, rank))
		}
	}
}
