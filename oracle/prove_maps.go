package oracle

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// place writes both maps as boxes, and checks that they are maps.
func (p *proof) place() problem {
	if why := p.sameShape(); why != "" {
		return why
	}
	logical, ok := plan.Elements(p.request.Source.LogicalShape)
	if !ok {
		return fmt.Sprintf("logical shape %v has more elements than int64", p.request.Source.LogicalShape)
	}
	var blocks [][]block
	var why problem
	if p.sources, blocks, why = p.tile("source", p.source, logical, p.footprints(false)); why != "" {
		return why
	}
	if p.targets, _, why = p.tile("target", p.target, logical, p.footprints(true)); why != "" {
		return why
	}
	return p.hold(blocks)
}

// footprints lists where the segments stand in each shard of one side.
func (p *proof) footprints(target bool) [][]footprint {
	of := make([][]footprint, len(p.source))
	if target {
		of = make([][]footprint, len(p.target))
	}
	for i, c := range p.copies {
		if !c.reads() {
			continue
		}
		at, endpoint := c.source, p.answer.Plan.Segments[i].Source
		if target {
			at, endpoint = c.target, p.answer.Plan.Segments[i].Target
		}
		b := newBlock(p.answer.Plan.Segments[i].Shape, endpoint.View)
		lo, hi := b.span(0)
		of[at] = append(of[at], footprint{lo, hi, stridesOf(0, []block{b})})
	}
	return of
}

// tile writes the shards of one side as boxes that fill them.
func (p *proof) tile(side string, shards []ranked, logical int64, segments [][]footprint) (all []tiled, blocks [][]block, why problem) {
	for at, shard := range shards {
		switch {
		case shard.elements < 0:
			return nil, nil, fmt.Sprintf("%s map: rank %d has no shard shape that can be counted", side, shard.Rank)
		case at > 0 && shards[at-1].Rank == shard.Rank:
			return nil, nil, fmt.Sprintf("%s map: rank %d stands twice", side, shard.Rank)
		}
		placed, why := placedBlocks(side, shard, logical)
		if why != "" {
			return nil, nil, why
		}
		t := regionsOf(placed)
		t.number(segments[at])
		if why := p.fill(t, shard.elements); why != "" {
			return nil, nil, fmt.Sprintf("%s map: rank %d: %s", side, shard.Rank, why)
		}
		all, blocks = append(all, t), append(blocks, placed)
	}
	return all, blocks, ""
}

func placedBlocks(side string, shard ranked, logical int64) (blocks []block, why problem) {
	for i := range shard.Pieces {
		piece := &shard.Pieces[i]
		if why := placeable(piece, logical, shard.elements); why != "" {
			return nil, fmt.Sprintf("%s map: rank %d piece %d: %s", side, shard.Rank, i, why)
		}
		if !piece.Empty() {
			blocks = append(blocks, newBlock(piece.Shape, piece.Dest, piece.Source))
		}
	}
	return blocks, ""
}

func sortBoxes(boxes []boxed) {
	slices.SortFunc(boxes, func(a, b boxed) int { return cmp.Compare(a.lo[0], b.lo[0]) })
}

// fill writes the pieces as boxes, and checks that they fill the shard without meeting.
func (p *proof) fill(t tiled, elements int64) problem {
	total, met := int64(0), false
	for i := range t {
		r := &t[i]
		for _, b := range r.blocks {
			total = add(total, volume(b.shape))
			r.pieces = append(r.pieces, p.cut(b, shardSide, r.radix)...)
		}
		sortBoxes(r.pieces)
		p.eachMeeting(len(r.pieces), func(i int) digitBox { return r.pieces[i].digitBox }, func(int, int) { met = true })
	}
	switch {
	case p.budget < 0:
		return exhausted
	case met || total != elements:
		return "the pieces do not fill the shard once"
	}
	return ""
}

// eachMeeting finds the pairs of boxes that meet; they are in order of their topmost digit.
func (p *proof) eachMeeting(n int, box func(int) digitBox, found func(i, j int)) {
	for i := range n {
		a := box(i)
		for j := i + 1; j < n && box(j).lo[0] < a.lo[0]+a.extent[0]; j++ {
			if !p.spend(1) {
				return
			}
			if a.meets(box(j)) {
				found(i, j)
			}
		}
	}
}

// hold writes who holds what as boxes of the logical tensor.
func (p *proof) hold(blocks [][]block) problem {
	var strides []int64
	for _, of := range blocks {
		strides = append(strides, stridesOf(logicalSide, of)...)
	}
	p.tensor = radixOf(0, strides, nil)
	for at, of := range blocks {
		var boxes []boxed
		for _, b := range of {
			boxes = append(boxes, p.cut(b, logicalSide, p.tensor)...)
		}
		sortBoxes(boxes)
		twice := false
		p.eachMeeting(len(boxes), func(i int) digitBox { return boxes[i].digitBox }, func(int, int) { twice = true })
		if twice {
			return fmt.Sprintf("source map: rank %d holds an element a second time", p.source[at].Rank)
		}
		for _, b := range boxes {
			p.holdings = append(p.holdings, holding{b, int32(at)})
		}
	}
	if p.budget < 0 {
		return exhausted
	}
	return ""
}
