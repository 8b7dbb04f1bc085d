package oracle

import "fmt"

// probeBudget bounds the work of probing one plan, in the same measure as proofBudget.
const probeBudget = 1 << 18

// giveUp judges what can be judged of a plan that was too much to prove, by counts and by single elements. What
// it finds is wrong, but need not be the first that is, so that no element is named. The rest is unknown.
func (p *proof) giveUp() {
	p.budget = probeBudget
	for at := range p.byTarget {
		p.weigh(int32(at))
	}
	for at, segments := range p.byTarget {
		for _, i := range segments {
			p.probe(int32(at), i)
		}
	}
	p.unknowable(isCover, exhausted)
}

// find notes what is wrong, unless something is known by the same clause.
func (p *proof) find(clause int, detail string) {
	if p.wrong[clause].detail == "" {
		p.wrong[clause] = wrong{detail: detail}
	}
}

// weigh holds the number of writes into a target shard to its elements: with fewer some element is not written,
// with more some element is written twice.
func (p *proof) weigh(at int32) {
	total, shard := int64(0), p.target[at]
	for _, i := range p.byTarget[at] {
		total = add(total, p.copies[i].volume)
	}
	detail := fmt.Sprintf("target rank %d: the segments write %d elements, the shard holds %d", shard.Rank, total, shard.elements)
	switch {
	case total < shard.elements:
		p.find(isCover, detail)
	case total > shard.elements:
		p.find(isOnce, detail)
	}
}

// probe looks at a segment's first element, and at the last along each axis alone: where one stride is wrong, so
// is what it leads to at its end.
func (p *proof) probe(at int32, segment int) {
	s := &p.answer.Plan.Segments[segment]
	b := newBlock(s.Shape, s.Target.View, s.Source.View)
	target, source := b.sides[targetSide], b.sides[sourceSide]
	p.probeElement(at, segment, target.Offset, source.Offset)
	for axis, extent := range b.shape {
		p.probeElement(at, segment, target.Offset+(extent-1)*target.Strides[axis], source.Offset+(extent-1)*source.Strides[axis])
	}
}

// probeElement judges one element of a segment by where it stands in the target and in the source shard. Its
// writes are counted only where something else is wrong.
func (p *proof) probeElement(at int32, segment int, target, from int64) {
	if !p.spend(len(p.holdings)) {
		return
	}
	source := p.copies[segment].source
	s := sight{
		target: at, address: target, wanted: p.targets[at].label(target),
		found: p.sources[source].label(from), source: source, sourceAddress: from,
	}
	clause, told := isValues, wrong{}
	if s.wanted != s.found {
		told = p.mistaken(s)
	} else if due := p.due(at, s.found); due.any || !due.none && due.rank == p.source[source].Rank {
		return
	} else {
		clause, told = isHolder, p.misread(s, due)
	}
	writes := p.writesAt(at, s.address)
	switch {
	case p.budget < 0:
	case writes > 1:
		s.found, s.source = NoLabel, absent
		p.find(isOnce, p.rewritten(s, writes).detail)
	default:
		p.find(clause, told.detail)
	}
}

// due is the choice among the ranks that hold a label.
func (p *proof) due(at int32, label int64) choice {
	var candidates []int
	digits := p.tensor.digits(label)
	for i := range p.holdings {
		if p.holdings[i].has(digits) {
			candidates = append(candidates, p.source[p.holdings[i].source].Rank)
		}
	}
	return choose(&p.request.Selector, p.target[at].Rank, candidates)
}

// writesAt counts how often an address of a target shard is written, where the budget lasts.
func (p *proof) writesAt(at int32, address int64) (n int64) {
	for _, i := range p.byTarget[at] {
		s := &p.answer.Plan.Segments[i]
		n = add(n, p.standing(newBlock(s.Shape, s.Target.View), targetSide, address))
	}
	return n
}

// standing counts the elements of a block that stand at an address of one side, where the budget lasts.
func (c *cutter) standing(b block, side int, address int64) (n int64) {
	b = b.ascending(side)
	lo, hi := b.span(side)
	switch {
	case !c.spend(1) || address < lo || address > hi:
		return 0
	case lo == hi:
		return volume(b.shape)
	}
	axis := b.longest(side)
	end, _ := b.rowsBelow(axis, side, address)
	_, begin := b.rowsBelow(axis, side, address+1)
	for row := end; row < begin && c.budget >= 0; row++ {
		n = add(n, c.standing(b.sliced(axis, row, 1), side, address))
	}
	return n
}
