package oracle

import (
	"cmp"
	"slices"
)

// cutSegments writes the segments into one target shard as boxes.
func (p *proof) cutSegments(at int32) {
	t := p.targets[at]
	for _, i := range p.byTarget[at] {
		segment := &p.answer.Plan.Segments[i]
		b := newBlock(segment.Shape, segment.Target.View, segment.Source.View)
		p.among(b, targetSide, t, func(r *region, box boxed) {
			r.written = append(r.written, copied{box, p.copies[i].source})
		})
	}
	for i := range t {
		slices.SortFunc(t[i].written, func(a, b copied) int { return cmp.Compare(a.lo[0], b.lo[0]) })
	}
}

// count judges how often each element of a region of a target shard is written.
func (p *proof) count(at int32, r *region) {
	total := int64(0)
	for _, c := range r.written {
		total = add(total, volume(c.shape))
	}
	p.eachMeeting(len(r.written), func(i int) digitBox { return r.written[i].digitBox }, func(i, j int) {
		shared, _ := r.written[i].digitBox.meet(r.written[j].digitBox)
		p.note(isOnce, sight{target: at, address: r.address(shared.lo)}, p.toldRewritten)
	})
	if p.first[isOnce] == nil && total == r.end-r.start {
		return
	}
	for _, piece := range r.pieces {
		for _, rest := range p.unwrittenOf(piece, r.written) {
			p.note(isCover, sight{target: at, address: r.address(rest.lo)}, p.toldUnwritten)
		}
	}
}

// unwrittenOf is what of a piece no segment writes.
func (p *proof) unwrittenOf(piece boxed, written []copied) []digitBox {
	left := []digitBox{piece.digitBox}
	for _, c := range written {
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

func (p *proof) writes(at int32, address int64) (n int64) {
	r := &p.targets[at].from(address)[0]
	digits := r.digits(address)
	for _, c := range r.written {
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
	s.wanted, s.found, s.source = p.targets[s.target].label(s.address), NoLabel, absent
	return s
}
