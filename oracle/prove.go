package oracle

import (
	"fmt"

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
// Each shard is cut into regions where no piece lies across. The addresses of a region are written as digits in
// which the strides of its pieces and segments count, so that each of these is a few boxes of digits. Where a
// segment's box meets a target piece's, and then a source piece's, the label wanted and the label found are both
// affine in the index of what they share, and affine functions agree on a box just where their offsets and
// strides do. Where that is too much work the plan is only probed, which can find that it is broken.
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
	elements         int64 // of all target shards

	// The first wrong element of each clause in the target shard at hand, and how it is told.
	first [elementClauses]*candidate
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
		for i := range p.targets[at] {
			r := &p.targets[at][i]
			p.count(int32(at), r)
			for _, c := range r.written {
				p.label(int32(at), r, c)
			}
		}
		if p.budget < 0 {
			p.giveUp()
			return
		}
		p.settle(int32(at))
	}
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
