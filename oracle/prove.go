package oracle

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// proofBudget bounds the work of one proof, in comparisons of boxes. It takes about a second.
const proofBudget = 1 << 24

// cutCost is what cutting a block costs for each of its axes and one more, in comparisons of boxes.
const cutCost = 32

// Prove judges a plan by geometry alone: its cost depends on the numbers of pieces, segments and axes, and not
// on their sizes. It says kept only where that is proven, and broken only where it is sure; the first wrong
// element is the one that Execute finds, or is left out. The rest is unknown.
//
// The addresses of each shard are written as digits in which the strides of pieces and segments count, so that
// each of these is a few boxes of digits. Where a segment's box meets a target piece's, and then a source
// piece's, the label wanted and the label found are both affine in the index of what they share, and affine
// functions agree on a box just where their offsets and strides do.
func Prove(request plan.Request, answer plan.Answer) Evidence {
	return proveWithin(proofBudget, request, answer)
}

func proveWithin(budget int, request plan.Request, answer plan.Answer) Evidence {
	p := proof{cutter: cutter{budget}}
	p.inspect(request, answer)
	if why := p.place(); why != "" {
		p.unknowable(isBounds, why)
	} else if p.boundable() {
		p.prove()
	}
	return p.judge()
}

type proof struct {
	look
	cutter

	sources, targets []tiled // by the place of the shard
	holdings         []holding
	tensor           radix // of the holdings
	byTarget         [][]int
	written          []copied // into the target shard at hand
	elements         int64    // of all target shards

	// The first wrong element of each clause in the target shard at hand, and how it is told.
	first [elementClauses]*candidate
}

// A tiled is a shard with its pieces as boxes of its addresses, in order of their topmost digit.
type tiled struct {
	radix
	pieces []boxed
}

// Sides of a piece's block.
const (
	shardSide = iota
	logicalSide
)

// A holding is a box of the logical tensor that a source shard holds.
type holding struct {
	boxed
	source int32
}

// A copied is a box of a target shard that a segment writes.
type copied struct {
	boxed
	source int32
}

// Sides of a copy's block.
const (
	targetSide = iota
	sourceSide
	wantedSide // the label that the target map wants
	foundSide  // the label that the source map has
)

type candidate struct {
	sight
	tell func(sight) wrong
}

const (
	exhausted = "too many boxes to compare"
	scattered = "right labels are scattered among wrong ones"
	entangled = "the first wrong element may be one that is written twice"
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
	if p.sources, blocks, why = p.tile("source", p.source, logical, p.strides(false)); why != "" {
		return why
	}
	if p.targets, _, why = p.tile("target", p.target, logical, p.strides(true)); why != "" {
		return why
	}
	return p.hold(blocks)
}

// strides lists the strides of the segments in each shard of one side.
func (p *proof) strides(target bool) [][]int64 {
	strides := make([][]int64, len(p.source))
	if target {
		strides = make([][]int64, len(p.target))
	}
	for i, c := range p.copies {
		if !c.reads() {
			continue
		}
		at, endpoint := c.source, p.answer.Plan.Segments[i].Source
		if target {
			at, endpoint = c.target, p.answer.Plan.Segments[i].Target
		}
		for _, stride := range endpoint.Strides {
			strides[at] = append(strides[at], max(stride, -stride))
		}
	}
	return strides
}

// tile writes the shards of one side as boxes that fill them.
func (p *proof) tile(side string, shards []ranked, logical int64, strides [][]int64) (all []tiled, blocks [][]block, why problem) {
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
		t := tiled{radix: radixOf(stridesOf(shardSide, placed), strides[at])}
		for _, b := range placed {
			t.pieces = append(t.pieces, p.cut(b, shardSide, t.radix)...)
		}
		sortBoxes(t.pieces)
		if why := p.filled(t.pieces, shard.elements); why != "" {
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

// filled checks that boxes, in order, fill a shard without meeting.
func (p *proof) filled(boxes []boxed, elements int64) problem {
	total := int64(0)
	for _, b := range boxes {
		total = add(total, volume(b.shape))
	}
	p.eachMeeting(len(boxes), func(i int) digitBox { return boxes[i].digitBox }, func(int, int) { total = -1 })
	switch {
	case p.budget < 0:
		return exhausted
	case total != elements:
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
	p.tensor = radixOf(strides, nil)
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

// boundable judges bounds, by the lowest and the highest address of each segment. The rest can be proven where
// it is kept, and where every segment that writes reads as well.
func (p *proof) boundable() bool {
	for _, shard := range p.target {
		p.elements = add(p.elements, shard.elements)
	}
	if !p.worthRunning(p.elements) {
		return false
	}
	p.byTarget = make([][]int, len(p.target))
	for i, c := range p.copies {
		switch {
		case !c.writes():
		case c.strays:
			p.wrong[isBounds].detail = fmt.Sprintf(reachesOutside, i)
			p.unknowable(isCover, p.wrong[isBounds].detail)
			return false
		case !c.reads():
			p.unknowable(isCover, "a segment is not valid")
		default:
			p.byTarget[c.target] = append(p.byTarget[c.target], i)
		}
	}
	return p.wrong[isCover].unknown == ""
}

// prove judges the target shards by ascending rank, so that the first wrong element is met first.
func (p *proof) prove() {
	for at := range p.target {
		p.first = [elementClauses]*candidate{}
		p.cutSegments(int32(at))
		p.count(int32(at))
		for _, c := range p.written {
			p.label(int32(at), c)
		}
		if p.budget < 0 {
			p.giveUp()
			return
		}
		p.settle(int32(at))
	}
}

// giveUp leaves what was not proven unknown. More writes than elements write some element twice, though.
func (p *proof) giveUp() {
	if total, _ := p.findStrays(); total > p.elements && p.wrong[isOnce].detail == "" {
		p.tooLong(total, p.elements, absent)
		return
	}
	p.unknowable(isCover, exhausted)
}

// cutSegments writes the segments into one target shard as boxes.
func (p *proof) cutSegments(at int32) {
	p.written = p.written[:0]
	for _, i := range p.byTarget[at] {
		segment := &p.answer.Plan.Segments[i]
		b := newBlock(segment.Shape, segment.Target.View, segment.Source.View)
		for _, box := range p.cut(b, targetSide, p.targets[at].radix) {
			p.written = append(p.written, copied{box, p.copies[i].source})
		}
	}
	slices.SortFunc(p.written, func(a, b copied) int { return cmp.Compare(a.lo[0], b.lo[0]) })
}

// count judges how often each element of a target shard is written.
func (p *proof) count(at int32) {
	r, total := p.targets[at].radix, int64(0)
	for _, c := range p.written {
		total = add(total, volume(c.shape))
	}
	p.eachMeeting(len(p.written), func(i int) digitBox { return p.written[i].digitBox }, func(i, j int) {
		shared, _ := p.written[i].digitBox.meet(p.written[j].digitBox)
		p.note(isOnce, sight{target: at, address: r.address(shared.lo)}, p.toldRewritten)
	})
	if p.first[isOnce] == nil && total == p.target[at].elements {
		return
	}
	for _, piece := range p.targets[at].pieces {
		for _, rest := range p.unwrittenOf(piece) {
			p.note(isCover, sight{target: at, address: r.address(rest.lo)}, p.toldUnwritten)
		}
	}
}

// unwrittenOf is what of a piece no segment writes.
func (p *proof) unwrittenOf(piece boxed) []digitBox {
	left := []digitBox{piece.digitBox}
	for _, c := range p.written {
		var next []digitBox
		for _, box := range left {
			if !p.spend(1) {
				return nil
			}
			if shared, ok := box.meet(c.digitBox); ok {
				next = append(next, box.without(shared)...)
			} else {
				next = append(next, box)
			}
		}
		left = next
	}
	return left
}

// label judges what a copy writes: first cut by the target pieces, which say what is wanted, then by the
// source pieces, which say what is found.
func (p *proof) label(at int32, c copied) {
	for _, wanted := range p.targets[at].pieces {
		if !p.spend(1) || wanted.lo[0] >= c.lo[0]+c.extent[0] {
			return
		}
		part, ok := c.meet(wanted, logicalSide)
		if !ok {
			continue
		}
		source := p.sources[c.source]
		for _, read := range p.cut(part, sourceSide, source.radix) {
			for _, found := range source.pieces {
				if !p.spend(1) || found.lo[0] >= read.lo[0]+read.extent[0] {
					break
				}
				if labelled, ok := read.meet(found, logicalSide); ok {
					p.compare(at, c.source, labelled)
				}
			}
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
	for axis := range b.shape {
		if b.sides[targetSide].Strides[axis] < 0 {
			b = b.flipped(axis)
		}
	}
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

// note keeps the first wrong element of a clause in the target shard at hand.
func (p *proof) note(clause int, s sight, tell func(sight) wrong) {
	if first := p.first[clause]; first == nil || s.before(&first.sight) {
		p.first[clause] = &candidate{s, tell}
	}
}

// settle tells of the target shard at hand. An element that is written twice is wrong by that clause and by no
// later one, and which later element is the first is then not known.
func (p *proof) settle(at int32) {
	for clause, first := range p.first {
		w := &p.wrong[clause]
		if first == nil || w.detail != "" || w.unknown != "" {
			continue
		}
		if clause > isOnce && p.writes(at, first.address) > 1 {
			w.unknown = entangled
			continue
		}
		*w = first.tell(first.sight)
	}
}

func (p *proof) writes(at int32, address int64) (n int64) {
	digits := p.targets[at].digits(address)
	for _, c := range p.written {
		if c.has(digits) {
			n++
		}
	}
	return n
}

func (p *proof) toldUnwritten(s sight) wrong { return p.unwritten(p.want(s)) }

func (p *proof) toldRewritten(s sight) wrong {
	return p.rewritten(p.want(s), p.writes(s.target, s.address))
}

// want adds what the target map wants at an address.
func (p *proof) want(s sight) sight {
	digits := p.targets[s.target].digits(s.address)
	for _, piece := range p.targets[s.target].pieces {
		if piece.has(digits) {
			s.wanted = piece.at(digits, logicalSide)
		}
	}
	s.found, s.source = NoLabel, absent
	return s
}
