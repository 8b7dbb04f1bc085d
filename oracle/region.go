package oracle

import (
	"cmp"
	"slices"
	"sort"
)

// A region is a run of a shard's addresses at whose ends no piece lies across, with a radix of its own: the
// pieces of a flat shard follow each other, and those of unlike widths have no digits in common.
type region struct {
	radix  // from the region's first address on
	end    int64
	blocks []block // the pieces
	pieces []boxed // in order of their topmost digit
	// The boxes that segments write, of a target shard from when it is at hand; in order as well.
	written []copied
}

// A tiled is a shard in regions, ascending, without gaps where its pieces fill it.
type tiled []region

// regionsOf cuts a shard where no piece lies across. Pieces that fill it stay within their regions.
func regionsOf(pieces []block) (t tiled) {
	slices.SortFunc(pieces, func(a, b block) int {
		i, _ := a.span(shardSide)
		j, _ := b.span(shardSide)
		return cmp.Compare(i, j)
	})
	for _, piece := range pieces {
		lo, hi := piece.span(shardSide)
		if len(t) == 0 || t[len(t)-1].end <= lo {
			t = append(t, region{radix: radix{start: lo}})
		}
		last := &t[len(t)-1]
		last.end = max(last.end, hi+1)
		last.blocks = append(last.blocks, piece)
	}
	return t
}

// from is the regions from that of an address on.
func (t tiled) from(address int64) tiled {
	return t[sort.Search(len(t), func(i int) bool { return t[i].end > address }):]
}

// label is the label that the shard's pieces place at an address.
func (t tiled) label(address int64) int64 {
	r := &t.from(address)[0]
	digits := r.digits(address)
	for _, piece := range r.pieces {
		if piece.has(digits) {
			return piece.at(digits, logicalSide)
		}
	}
	panic("oracle: a shard that is filled has an address without a piece")
}

// A footprint is where a segment stands in a shard, and the lengths of its strides there.
type footprint struct {
	lo, hi  int64
	strides []int64
}

// number gives each region a radix: of the strides of its pieces, then of the segments that stand in it.
func (t tiled) number(segments []footprint) {
	strides := make([][]int64, len(t))
	for _, s := range segments {
		first := len(t) - len(t.from(s.lo))
		for i := first; i < len(t) && t[i].start <= s.hi; i++ {
			strides[i] = append(strides[i], s.strides...)
		}
	}
	for i := range t {
		t[i].radix = radixOf(t[i].start, stridesOf(shardSide, t[i].blocks), strides[i])
	}
}

// among cuts a block, which does not leave the shard, where regions end, and each part into boxes of the
// region's digits.
func (c *cutter) among(b block, side int, t tiled, visit func(*region, boxed)) {
	b = b.ascending(side)
	lo, hi := b.span(side)
	t = t.from(lo)
	if hi >= t[0].end {
		for _, part := range c.split(b, side, t[0].end) {
			c.among(part, side, t, visit)
		}
		return
	}
	for _, box := range c.cut(b, side, t[0].radix) {
		visit(&t[0], box)
	}
}

// split cuts a block that lies across an address of one side, on which no stride is negative, into parts that
// do not: the rows that end below the address, those that begin there or above, and the parts of those between.
func (c *cutter) split(b block, side int, border int64) (parts []block) {
	axis := b.longest(side)
	end, begin := b.rowsBelow(axis, side, border)
	if end > 0 {
		parts = append(parts, b.sliced(axis, 0, end))
	}
	for row := end; row < begin && c.spend(cutCost*(1+len(b.shape))); row++ {
		parts = append(parts, c.split(b.sliced(axis, row, 1), side, border)...)
	}
	if rows := b.shape[axis]; begin < rows {
		parts = append(parts, b.sliced(axis, begin, rows-begin))
	}
	return parts
}

// longest is the axis of the longest stride on one side, on which none is negative.
func (b block) longest(side int) (axis int) {
	strides := b.sides[side].Strides
	return slices.Index(strides, slices.Max(strides))
}

// rowsBelow counts the rows of the longest stride that end below an address of one side, and those that begin
// below it.
func (b block) rowsBelow(axis, side int, address int64) (end, begin int64) {
	rows, stride := b.shape[axis], b.sides[side].Strides[axis]
	lo, hi := b.span(side)
	reach := hi - lo - (rows-1)*stride
	below := func(distance int64) int64 {
		if distance <= 0 {
			return 0
		}
		return min(rows, (distance-1)/stride+1)
	}
	return below(address - lo - reach), below(address - lo)
}
