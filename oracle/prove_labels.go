package oracle

import (
	"cmp"
	"slices"
)

// label judges what a copy writes in a region: first cut by the target pieces, which say what is wanted, then
// by the source pieces, which say what is found.
func (p *proof) label(at int32, r *region, c copied) {
	p.eachMet(c.boxed, r.pieces, func(part block) {
		p.among(part, sourceSide, p.sources[c.source], func(from *region, read boxed) {
			p.eachMet(read, from.pieces, func(labelled block) { p.compare(at, c.source, labelled) })
		})
	})
}

// eachMet visits the parts of a box that stand in pieces, which are in order. A part has one side more than the
// box: the labels of the piece.
func (p *proof) eachMet(box boxed, pieces []boxed, visit func(block)) {
	for _, piece := range pieces {
		if !p.spend(1) || piece.lo[0] >= box.lo[0]+box.extent[0] {
			return
		}
		if part, ok := box.meet(piece, logicalSide); ok {
			visit(part)
		}
	}
}

// comparedOneByOne is the longest axis that compare cuts into its elements.
const comparedOneByOne = 64

// compare holds the label wanted to the label found. They differ by a function that is affine in the index.
func (p *proof) compare(at, source int32, b block) {
	wanted, found := b.sides[wantedSide], b.sides[foundSide]
	var differing []int // axes, the shortest first
	for axis := range b.shape {
		if wanted.Strides[axis] != found.Strides[axis] {
			differing = append(differing, axis)
		}
	}
	slices.SortFunc(differing, func(i, j int) int { return cmp.Compare(b.shape[i], b.shape[j]) })
	switch difference := found.Offset - wanted.Offset; {
	case len(differing) == 0 && difference == 0:
		p.heldBy(at, source, b)
	case len(differing) == 0:
		p.noteMistaken(at, source, b)
	case len(differing) == 1:
		p.noteMistaken(at, source, b)
		axis := differing[0]
		step := wanted.Strides[axis] - found.Strides[axis]
		if right := difference / step; difference%step == 0 && 0 <= right && right < b.shape[axis] {
			p.heldBy(at, source, b.sliced(axis, right, 1))
		}
	case b.shape[differing[0]] <= comparedOneByOne:
		for i := range b.shape[differing[0]] {
			if p.spend(cutCost) {
				p.compare(at, source, b.sliced(differing[0], i, 1))
			}
		}
	default:
		p.noteMistaken(at, source, b)
		p.wrong[isHolder].unknown = scattered
	}
}

// noteMistaken notes the first wrong label of a block that has one. Where the first element is right, that is
// one step along the nearest axis whose strides differ, for any other wrong element is no nearer.
func (p *proof) noteMistaken(at, source int32, b block) {
	b = b.ascending(targetSide)
	wanted, found := b.sides[wantedSide], b.sides[foundSide]
	if wanted.Offset == found.Offset {
		nearest := absent
		for axis, step := range b.sides[targetSide].Strides {
			if wanted.Strides[axis] != found.Strides[axis] && (nearest == absent || step < b.sides[targetSide].Strides[nearest]) {
				nearest = axis
			}
		}
		b = b.sliced(nearest, 1, 1)
	}
	p.note(isValues, sight{
		target: at, address: b.sides[targetSide].Offset, wanted: b.sides[wantedSide].Offset, found: b.sides[foundSide].Offset,
		source: source, sourceAddress: b.sides[sourceSide].Offset,
	}, p.mistaken)
}

// heldBy judges whether a block with the right labels is read from a holder that is due.
func (p *proof) heldBy(at, source int32, b block) {
	for _, box := range p.cut(b, wantedSide, p.tensor) {
		p.heldFrom(at, source, box, box.digitBox, 0, nil)
	}
}

// heldFrom finds the ranks that hold a part of a block, among the holdings from one on, and cuts the part
// where they change. The holders found before it are candidates.
func (p *proof) heldFrom(at, source int32, b boxed, part digitBox, from int, candidates []int) {
	for i := from; i < len(p.holdings); i++ {
		if !p.spend(1) {
			return
		}
		shared, ok := part.meet(p.holdings[i].digitBox)
		if !ok {
			continue
		}
		for _, rest := range part.without(shared) {
			p.heldFrom(at, source, b, rest, i+1, slices.Clone(candidates))
		}
		part = shared
		candidates = append(candidates, p.source[p.holdings[i].source].Rank)
	}
	due := choose(&p.request.Selector, p.target[at].Rank, candidates)
	if due.any || !due.none && due.rank == p.source[source].Rank {
		return
	}
	first := b.narrowed(part).firstOn(targetSide)
	p.note(isHolder, sight{
		target: at, address: first[targetSide], wanted: first[wantedSide], found: first[foundSide],
		source: source, sourceAddress: first[sourceSide],
	}, func(s sight) wrong { return p.misread(s, due) })
}
