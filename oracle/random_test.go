package oracle

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// Random small requests and plans, right and spoiled, drawn from a seed. They share no code with the oracles.

// A drawing is one source of choices.
type drawing struct{ *rand.Rand }

func draw(seed uint64) drawing { return drawing{rand.New(rand.NewPCG(seed, 7))} }

func (d drawing) upTo(n int64) int64 { return d.Int64N(n + 1) }

// request draws two maps of one tensor, and a selector.
func (d drawing) request() plan.Request {
	logical := make([]int64, d.upTo(3))
	for axis := range logical {
		logical[axis] = d.upTo(4)
		if d.IntN(6) > 0 {
			logical[axis] = max(logical[axis], 1)
		}
	}
	return plan.Request{Source: d.layout(logical), Target: d.layout(logical), Selector: d.selector()}
}

// layout draws cuts of each axis, and for each cell of the grid the ranks that hold it. A shard is one axis
// long and keeps its cells in any order, each row-major or in another axis order.
func (d drawing) layout(logical []int64) plan.Map {
	m := plan.Map{LogicalShape: logical}
	ranks := []int{0, 2, 5}[:1+d.IntN(3)]
	for _, rank := range ranks {
		m.Shards = append(m.Shards, plan.Shard{Rank: rank, Shape: []int64{0}})
	}
	cells := [][2][]int64{{make([]int64, len(logical)), slices.Clone(logical)}}
	for range d.IntN(3) {
		cells = d.cut(cells)
	}
	if slices.Contains(logical, 0) {
		return m
	}
	d.Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
	for _, cell := range cells {
		d.place(&m, ranks, cell[0], cell[1])
	}
	d.Shuffle(len(m.Shards), func(i, j int) { m.Shards[i], m.Shards[j] = m.Shards[j], m.Shards[i] })
	return m
}

// cut cuts every cell that reaches over a coordinate of an axis.
func (d drawing) cut(cells [][2][]int64) (finer [][2][]int64) {
	axes := len(cells[0][0])
	if axes == 0 {
		return cells
	}
	axis, at := d.IntN(axes), 1+d.upTo(3)
	for _, cell := range cells {
		lo, shape := cell[0], cell[1]
		if lo[axis] >= at || lo[axis]+shape[axis] <= at {
			finer = append(finer, cell)
			continue
		}
		below, above, start := slices.Clone(shape), slices.Clone(shape), slices.Clone(lo)
		below[axis], above[axis], start[axis] = at-lo[axis], lo[axis]+shape[axis]-at, at
		finer = append(finer, [2][]int64{lo, below}, [2][]int64{start, above})
	}
	return finer
}

func (d drawing) place(m *plan.Map, ranks []int, lo, shape []int64) {
	locations := []int{ranks[d.IntN(len(ranks))]}
	for _, rank := range ranks {
		if d.IntN(3) == 0 && rank != locations[0] {
			locations = append(locations, rank)
		}
	}
	for i := range m.Shards {
		shard := &m.Shards[i]
		if !slices.Contains(locations, shard.Rank) {
			continue
		}
		piece := plan.Piece{Shape: shape, Locations: locations}
		piece.Source = plan.View{Strides: steps(m.LogicalShape)}
		for axis := range lo {
			piece.Source.Offset += lo[axis] * piece.Source.Strides[axis]
		}
		piece.Dest = plan.View{Offset: shard.Shape[0], Strides: d.dense(shape)}
		volume := int64(1)
		for _, extent := range shape {
			volume *= extent
		}
		shard.Shape[0] += volume
		shard.Pieces = append(shard.Pieces, piece)
	}
}

// refine cuts some pieces of a map in two. The shards hold what they held.
func (d drawing) refine(m *plan.Map) {
	for i := range m.Shards {
		shard := &m.Shards[i]
		for p := len(shard.Pieces) - 1; p >= 0; p-- {
			piece := shard.Pieces[p]
			if len(piece.Shape) == 0 || d.IntN(3) > 0 {
				continue
			}
			axis := d.IntN(len(piece.Shape))
			if piece.Shape[axis] < 2 {
				continue
			}
			at := 1 + d.upTo(piece.Shape[axis]-2)
			lower, upper := piece, piece
			lower.Shape, upper.Shape = slices.Clone(piece.Shape), slices.Clone(piece.Shape)
			lower.Shape[axis], upper.Shape[axis] = at, piece.Shape[axis]-at
			upper.Source.Offset += at * piece.Source.Strides[axis]
			upper.Dest.Offset += at * piece.Dest.Strides[axis]
			shard.Pieces[p] = lower
			shard.Pieces = append(shard.Pieces, upper)
		}
	}
}

// dense draws the strides of a block that fills a run of addresses, its axes in any order.
func (d drawing) dense(shape []int64) []int64 {
	strides, step := make([]int64, len(shape)), int64(1)
	order := make([]int, len(shape))
	for i := range order {
		order[i] = len(shape) - 1 - i
	}
	if d.IntN(3) == 0 {
		order = d.Perm(len(shape))
	}
	for _, axis := range order {
		strides[axis], step = step, step*shape[axis]
	}
	return strides
}

func (d drawing) selector() plan.Selector {
	switch d.IntN(10) {
	case 0:
		return plan.Selector{Prefer: map[int][]int{0: {5, 2}, 2: {2}}}
	case 1:
		return plan.Selector{Policy: plan.PolicyHighest}
	case 2:
		return plan.Selector{Policy: plan.PolicyLocal}
	case 3:
		return plan.Selector{Policy: plan.PolicyBalanced}
	case 4:
		return plan.Selector{Policy: plan.PolicyAny}
	case 5:
		return plan.Selector{Cost: []plan.Cost{{Source: 0, Target: 2, Cost: 3}, {Source: 2, Target: 0, Cost: 1}, {Source: 0, Target: 0, Cost: 1}}}
	case 6:
		return plan.Selector{Returns: []byte([]string{"2", "true", "1.0", "7", "5"}[d.IntN(5)])}
	}
	return plan.Selector{}
}

// answer is a right plan but for its holders, which are drawn: every target piece is cut by the source pieces.
func (d drawing) answer(request plan.Request) plan.Answer {
	answer := plan.Answer{Plan: plan.Plan{LogicalShape: request.Source.LogicalShape}}
	moved := int64(0)
	for _, target := range request.Target.Shards {
		for _, wanted := range target.Pieces {
			moved += d.fetch(&answer.Plan, request.Source, target.Rank, wanted)
		}
	}
	answer.MovedElements = &moved
	return answer
}

func (d drawing) fetch(p *plan.Plan, source plan.Map, target int, wanted plan.Piece) (moved int64) {
	logical := source.LogicalShape
	lo := origins(logical, wanted.Source.Offset)
	for _, shard := range source.Shards {
		for _, held := range shard.Pieces {
			if held.Locations[0] != shard.Rank {
				continue // the same block as another rank's
			}
			rank := held.Locations[d.IntN(len(held.Locations))]
			from := pieceOf(source, rank, held)
			heldLo := origins(logical, held.Source.Offset)
			s := plan.Segment{Source: plan.Endpoint{Rank: rank, View: from.Dest}, Target: plan.Endpoint{Rank: target, View: wanted.Dest}}
			volume := int64(1)
			for axis := range logical {
				start := max(lo[axis], heldLo[axis])
				extent := min(lo[axis]+wanted.Shape[axis], heldLo[axis]+held.Shape[axis]) - start
				volume *= max(extent, 0)
				s.Shape = append(s.Shape, extent)
				s.Source.Offset += (start - heldLo[axis]) * from.Dest.Strides[axis]
				s.Target.Offset += (start - lo[axis]) * wanted.Dest.Strides[axis]
			}
			if volume > 0 {
				p.Segments = append(p.Segments, s)
				moved += volume
			}
		}
	}
	return moved
}

func pieceOf(m plan.Map, rank int, like plan.Piece) plan.Piece {
	shard, _ := m.Shard(rank)
	for _, piece := range shard.Pieces {
		if piece.Source.Offset == like.Source.Offset && slices.Equal(piece.Shape, like.Shape) {
			return piece
		}
	}
	panic(fmt.Sprint("no piece ", like, " on rank ", rank))
}

func origins(shape []int64, index int64) []int64 {
	at := make([]int64, len(shape))
	for axis, stride := range steps(shape) {
		if shape[axis] > 0 {
			at[axis] = index / stride % shape[axis]
		}
	}
	return at
}

// spoil changes one thing of a plan, or a few.
func (d drawing) spoil(answer *plan.Answer) {
	p := &answer.Plan
	for range 1 + d.IntN(2) {
		if len(p.Segments) == 0 {
			p.Segments = append(p.Segments, segment([]int64{1}, 0, 0, []int64{1}, 0, 0, []int64{1}))
			continue
		}
		i := d.IntN(len(p.Segments))
		s := &p.Segments[i]
		if d.IntN(10) == 0 && len(s.Shape) > 0 {
			s.Shape = slices.Clone(s.Shape)
			s.Shape[d.IntN(len(s.Shape))] += d.step()
			continue
		}
		switch d.IntN(9) {
		case 0:
			s.Source.Offset += d.step()
		case 1:
			s.Target.Offset += d.step()
		case 2:
			s.Source.Strides = d.stride(s.Source.Strides)
		case 3:
			s.Target.Strides = d.stride(s.Target.Strides)
		case 4:
			s.Source.Rank = []int{0, 2, 5, 9}[d.IntN(4)]
		case 5:
			s.Target.Rank = []int{0, 2, 5, 9}[d.IntN(4)]
		case 6:
			p.Segments = slices.Delete(p.Segments, i, i+1)
		case 7:
			p.Segments = append(p.Segments, *s)
		case 8:
			p.Segments[0], p.Segments[i] = p.Segments[i], p.Segments[0]
		}
	}
}

func (d drawing) step() int64 {
	return []int64{1, -1, 2, -2, 1, -1, 3, 1 << 40, -1 << 62, 1<<63 - 1}[d.IntN(10)]
}

func (d drawing) stride(strides []int64) []int64 {
	strides = slices.Clone(strides)
	if len(strides) == 0 || d.IntN(8) == 0 {
		return append(strides, 1)
	}
	strides[d.IntN(len(strides))] += d.step()
	return strides
}
