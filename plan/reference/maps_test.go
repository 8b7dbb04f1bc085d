package reference

import (
	"math/rand/v2"
	"slices"

	"pgregory.net/rapid"

	"github.com/shardproof/shardproof/plan"
)

// The random maps here are made for breadth, with no look at the planner: F is cut to regions, each region
// is given to some ranks, and every rank cuts what it holds once more in its own way.

// drawRequest draws a right request of any selector but returns.
func drawRequest(t *rapid.T) plan.Request {
	shape := drawShape(t)
	return plan.Request{
		Source: drawMap(t, shape), Target: drawMap(t, shape), Selector: drawSelector(t),
	}
}

func drawShape(t *rapid.T) []int64 {
	shape := rapid.SliceOfN(rapid.Int64Range(1, 6), 0, 4).Draw(t, "shape")
	if len(shape) > 0 && rapid.IntRange(0, 19).Draw(t, "nothing") == 19 {
		shape[rapid.IntRange(0, len(shape)-1).Draw(t, "axis of nothing")] = 0
	}
	return shape
}

func drawMap(t *rapid.T, shape []int64) plan.Map {
	if len(shape) > 0 && rapid.Bool().Draw(t, "slabs") {
		return drawSlabs(t, shape)
	}
	return drawFlat(t, shape)
}

// A block is a box of F.
type block struct{ lo, shape []int64 }

// drawFlat draws a map whose shards have one axis and hold any boxes of F, each in any axis order.
func drawFlat(t *rapid.T, shape []int64) plan.Map {
	ranks := drawRanks(t)
	m := plan.Map{LogicalShape: shape}
	for _, rank := range ranks {
		m.Shards = append(m.Shards, plan.Shard{Rank: rank, Shape: []int64{0}})
	}
	whole := block{make([]int64, len(shape)), shape}
	for _, region := range drawCuts(t, whole, 4) {
		holders := drawHolders(t, ranks)
		for k := range m.Shards {
			shard := &m.Shards[k]
			if !slices.Contains(holders, shard.Rank) {
				continue
			}
			for _, b := range drawCuts(t, region, 3) {
				order := rapid.Permutation(axesOf(shape)).Draw(t, "order")
				n, _ := plan.Elements(b.shape)
				shard.Pieces = append(shard.Pieces, pieceOf(t, shape, b, plan.View{Offset: shard.Shape[0], Strides: packed(b.shape, order)}, holders))
				shard.Shape[0] += n
			}
		}
	}
	if len(shape) == 0 && rapid.Bool().Draw(t, "scalar shards") {
		m.Shards = slices.DeleteFunc(m.Shards, func(s plan.Shard) bool { return s.Shape[0] == 0 })
		for k := range m.Shards {
			m.Shards[k].Shape = []int64{}
		}
	}
	return shuffled(t, m)
}

// drawSlabs draws a map whose shards have F's axes, in some order, and hold slabs of F along one axis.
func drawSlabs(t *rapid.T, shape []int64) plan.Map {
	ranks := drawRanks(t)
	axis := rapid.IntRange(0, len(shape)-1).Draw(t, "axis")
	var slabs []block
	for lo := int64(0); lo < shape[axis]; {
		b := block{make([]int64, len(shape)), slices.Clone(shape)}
		b.lo[axis], b.shape[axis] = lo, rapid.Int64Range(1, shape[axis]-lo).Draw(t, "width")
		lo += b.shape[axis]
		slabs = append(slabs, b)
	}
	holders := make([][]int, len(slabs))
	for i := range slabs {
		holders[i] = drawHolders(t, ranks)
	}
	order := axesOf(shape)
	if rapid.Bool().Draw(t, "permuted") {
		order = rapid.Permutation(order).Draw(t, "order")
	}
	m := plan.Map{LogicalShape: shape}
	for _, rank := range ranks {
		m.Shards = append(m.Shards, drawSlabShard(t, shape, axis, order, rank, slabs, holders))
	}
	return shuffled(t, m)
}

func drawSlabShard(t *rapid.T, shape []int64, axis int, order []int, rank int, slabs []block, holders [][]int) plan.Shard {
	var own []int
	extents := slices.Clone(shape)
	extents[axis] = 0
	for i := range slabs {
		if slices.Contains(holders[i], rank) {
			own = append(own, i)
			extents[axis] += slabs[i].shape[axis]
		}
	}
	if len(own) > 1 {
		own = rapid.Permutation(own).Draw(t, "slab order")
	}
	shard := plan.Shard{Rank: rank}
	for _, a := range order {
		shard.Shape = append(shard.Shape, extents[a])
	}
	strides := packed(extents, order)
	offset := int64(0)
	for _, i := range own {
		for _, b := range drawCuts(t, slabs[i], 3) {
			dest := plan.View{Offset: offset, Strides: slices.Clone(strides)}
			for a := range shape {
				dest.Offset += (b.lo[a] - slabs[i].lo[a]) * strides[a]
			}
			shard.Pieces = append(shard.Pieces, pieceOf(t, shape, b, dest, holders[i]))
		}
		offset += slabs[i].shape[axis] * strides[axis]
	}
	return shard
}

// drawCuts cuts a block in two, and the parts again, up to a depth.
func drawCuts(t *rapid.T, b block, depth int) []block {
	cut := rapid.IntRange(0, 2*depth).Draw(t, "cut")
	if cut == 0 || len(b.shape) == 0 {
		return []block{b}
	}
	axis := rapid.IntRange(0, len(b.shape)-1).Draw(t, "cut axis")
	if b.shape[axis] < 2 {
		return []block{b}
	}
	at := rapid.Int64Range(1, b.shape[axis]-1).Draw(t, "cut at")
	lower := block{slices.Clone(b.lo), slices.Clone(b.shape)}
	upper := block{slices.Clone(b.lo), slices.Clone(b.shape)}
	lower.shape[axis] = at
	upper.lo[axis] += at
	upper.shape[axis] -= at
	return append(drawCuts(t, lower, depth-1), drawCuts(t, upper, depth-1)...)
}

func drawRanks(t *rapid.T) []int {
	return rapid.SliceOfNDistinct(rapid.IntRange(0, 9), 1, 4, rapid.ID[int]).Draw(t, "ranks")
}

func drawHolders(t *rapid.T, ranks []int) []int {
	return rapid.SliceOfNDistinct(rapid.SampledFrom(ranks), 1, len(ranks), rapid.ID[int]).Draw(t, "holders")
}

func drawSelector(t *rapid.T) plan.Selector {
	switch rapid.IntRange(0, 4).Draw(t, "selector") {
	case 1:
		lists := map[int][]int{}
		for target := range 10 {
			lists[target] = rapid.SliceOfN(rapid.IntRange(0, 9), 0, 3).Draw(t, "prefer")
		}
		return plan.Selector{Prefer: lists}
	case 2:
		costs := []plan.Cost{}
		for range rapid.IntRange(0, 20).Draw(t, "costs") {
			costs = append(costs, plan.Cost{
				Source: rapid.IntRange(0, 9).Draw(t, "from"), Target: rapid.IntRange(0, 9).Draw(t, "to"),
				Cost: rapid.Int64Range(0, 3).Draw(t, "cost"),
			})
		}
		return plan.Selector{Cost: costs}
	case 3:
		return plan.Selector{Policy: rapid.SampledFrom([]plan.Policy{plan.PolicyHighest, plan.PolicyLocal}).Draw(t, "policy")}
	case 4:
		return plan.Selector{Policy: plan.PolicyBalanced}
	}
	return plan.Selector{}
}

func axesOf(shape []int64) []int {
	axes := make([]int, len(shape))
	for axis := range axes {
		axes[axis] = axis
	}
	return axes
}

// packed is the strides of a block that is stored without gaps, the last axis in order stepping by one.
func packed(shape []int64, order []int) []int64 {
	strides := make([]int64, len(shape))
	step := int64(1)
	for _, axis := range slices.Backward(order) {
		strides[axis] = step
		step *= max(1, shape[axis])
	}
	return strides
}

func pieceOf(t *rapid.T, shape []int64, b block, dest plan.View, holders []int) plan.Piece {
	source := plan.View{Strides: packed(shape, axesOf(shape))}
	for axis := range shape {
		source.Offset += b.lo[axis] * source.Strides[axis]
	}
	if stray := rapid.SampledFrom([]int64{0, -1, 3, 1 << 62}); rapid.IntRange(0, 3).Draw(t, "stray strides") == 0 {
		// On an axis of extent 1 any stride is right.
		for axis, extent := range b.shape {
			if extent == 1 {
				source.Strides[axis], dest.Strides[axis] = stray.Draw(t, "stray"), stray.Draw(t, "stray")
			}
		}
	}
	return plan.Piece{Shape: slices.Clone(b.shape), Source: source, Dest: dest, Locations: slices.Clone(holders)}
}

func shuffled(t *rapid.T, m plan.Map) plan.Map {
	return reordered(m, rapid.Uint64().Draw(t, "shuffle"))
}

// reordered is the same map with its shards, pieces and locations in another order.
func reordered(m plan.Map, seed uint64) plan.Map {
	random := rand.New(rand.NewPCG(seed, 0))
	m.Shards = slices.Clone(m.Shards)
	random.Shuffle(len(m.Shards), func(i, j int) { m.Shards[i], m.Shards[j] = m.Shards[j], m.Shards[i] })
	for k := range m.Shards {
		pieces := slices.Clone(m.Shards[k].Pieces)
		random.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
		for i := range pieces {
			locations := slices.Clone(pieces[i].Locations)
			random.Shuffle(len(locations), func(a, b int) { locations[a], locations[b] = locations[b], locations[a] })
			pieces[i].Locations = locations
		}
		m.Shards[k].Pieces = pieces
	}
	return m
}
