package plan

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/shardproof/shardproof/plan/internal/box"
)

// limits bound the work on a map whose pieces overlap without end.
type limits struct {
	pairs   int // of regions that meet
	gapWork int // looks at a box, in the search for the parts of a box that others leave out
}

// usualLimits leave room for real maps: R ranks that each cut a replica of F into n parts, all at other places,
// have about R*R*n pairs of regions that meet, 64 ranks of 300 parts 1.2 million. Each limit is reached within
// some two seconds.
func usualLimits() limits { return limits{pairs: 1 << 24, gapWork: 1 << 26} }

// A region is a box of F with the ranks that hold just it and name the same locations.
type region struct {
	from, to int32 // its pieces in the order of holding
	held     int   // where, in holding's held, its locations begin; none where they are its ranks
}

// holding is the judgement of once, coverage, locations and holders: all that can be said about which rank
// holds which element of F.
type holding struct {
	*judge
	boxes []box.Box // by region

	// For each location of the regions that name other ranks than they have: how many elements of the region
	// that rank holds in the regions that meet it.
	held []int64

	vague  bool // some piece is no whole box of F, so that only its corners are known
	cut    bool // there were too many pairs to look at, so overlaps may have been missed
	unsure bool // a search for a part that is left out ran into its limit
	limits      // what is left of them
}

// holding judges who holds what, and reports whether some rule could not be decided within the limits.
func (j *judge) holding(within limits) (undecided bool) {
	h := holding{judge: j, limits: within}
	h.group()
	h.eachRegion()
	h.overlaps()
	h.namedHolders()
	h.gapWork = within.gapWork
	h.coverage()
	return h.cut || h.unsure
}

// group gathers the pieces into regions. Pieces that are no whole box are left out, and judged by themselves.
func (h *holding) group() {
	h.order = slices.Grow(h.order[:0], len(h.pieces))
	for i := range h.pieces {
		p := &h.pieces[i]
		h.alone(p)
		if p.source.filled {
			h.order = append(h.order, int32(i))
		}
	}
	slices.SortFunc(h.order, func(x, y int32) int {
		a, b := &h.pieces[x], &h.pieces[y]
		if c := compareRegions(a, b); c != 0 {
			return c
		}
		return cmp.Compare(a.rank, b.rank)
	})
	h.ranks = slices.Grow(h.ranks[:0], len(h.order))[:len(h.order)]
	h.regions = slices.Grow(h.regions[:0], len(h.order))
	h.boxes = h.judge.boxes[:0]
	for from := 0; from < len(h.order); {
		first, to := h.piece(from), from
		for ; to < len(h.order) && (to == from || compareRegions(first, h.piece(to)) == 0); to++ {
			h.ranks[to] = h.piece(to).rank
		}
		h.regions = append(h.regions, region{from: int32(from), to: int32(to), held: none})
		h.boxes = append(h.boxes, first.source.Box)
		from = to
	}
}

// piece is the n-th piece in order.
func (h *holding) piece(n int) *placedPiece { return &h.pieces[h.order[n]] }

// first is the piece that stands for a region.
func (h *holding) first(r *region) *placedPiece { return h.piece(int(r.from)) }

func (h *holding) ranksOf(r *region) []int     { return h.ranks[r.from:r.to] }
func (h *holding) locationsOf(r *region) []int { return h.first(r).locations }

func compareRegions(a, b *placedPiece) int {
	if c := slices.Compare(a.source.Lo, b.source.Lo); c != 0 {
		return c
	}
	if c := slices.Compare(a.source.Shape, b.source.Shape); c != 0 {
		return c
	}
	return slices.Compare(a.locations, b.locations)
}

// alone judges what one piece says by itself.
func (h *holding) alone(p *placedPiece) {
	if p.source.repeats {
		h.broken(RuleOnce, 16, h.path(p.shard, p.number), "holds an element twice")
	}
	if _, named := slices.BinarySearch(p.locations, p.rank); !named {
		h.broken(RuleLocations, 17, h.path(p.shard, p.number), "its locations %v leave out its own rank", p.locations)
	}
	if !p.source.filled {
		h.vague = true
	}
}

// eachRegion looks for a rank that holds one box twice, and prepares the regions that name other ranks.
func (h *holding) eachRegion() {
	for i := range h.regions {
		r := &h.regions[i]
		if slices.Equal(h.ranksOf(r), h.locationsOf(r)) {
			continue
		}
		if rank, twice := repeated(h.ranksOf(r)); twice {
			h.twice(rank, h.boxes[i])
		}
		r.held = len(h.held)
		h.held = append(h.held, make([]int64, len(h.locationsOf(r)))...)
	}
}

func repeated(ascending []int) (int, bool) {
	for i := 1; i < len(ascending); i++ {
		if ascending[i-1] == ascending[i] {
			return ascending[i], true
		}
	}
	return 0, false
}

func (h *holding) twice(rank int, common box.Box) {
	h.broken(RuleOnce, 16, fmt.Sprintf("rank %d", rank), "two pieces both hold %s of %s", boxText(common), h.logical)
}

// overlaps looks at every two regions that meet.
func (h *holding) overlaps() {
	box.SelfJoin(h.boxes, func(x, y int) bool {
		if h.pairs--; h.pairs < 0 {
			h.cut = true
			return false
		}
		h.overlap(x, y)
		h.note(x, y)
		h.note(y, x)
		return true
	})
}

func (h *holding) overlap(x, y int) {
	a, b := &h.regions[x], &h.regions[y]
	rank, shared := sharedRank(h.ranksOf(a), h.ranksOf(b))
	differ := !slices.Equal(h.locationsOf(a), h.locationsOf(b))
	if !shared && !differ {
		return
	}
	common := common(h.boxes[x], h.boxes[y])
	if shared {
		h.twice(rank, common)
	}
	if differ {
		first, second := h.first(a), h.first(b)
		h.broken(RuleLocations, 17, h.path(first.shard, first.number), "names locations %v, and %s names %v for %s of %s",
			first.locations, h.path(second.shard, second.number), second.locations, boxText(common), h.logical)
	}
}

func sharedRank(a, b []int) (int, bool) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] == b[0]:
			return a[0], true
		case a[0] < b[0]:
			a = a[1:]
		default:
			b = b[1:]
		}
	}
	return 0, false
}

// note adds to what the locations of region x hold of it the part that the ranks of region y do.
func (h *holding) note(x, y int) {
	r := &h.regions[x]
	if r.held == none {
		return
	}
	volume := h.boxes[x].Common(h.boxes[y])
	for _, rank := range h.ranksOf(&h.regions[y]) {
		if at, named := slices.BinarySearch(h.locationsOf(r), rank); named {
			// Where a rank holds elements twice this may wrap round, and is not looked at.
			h.held[r.held+at] += volume
		}
	}
}

// namedHolders judges that every location of a piece is a rank with a shard that holds all of the piece.
func (h *holding) namedHolders() {
	for i := range h.regions {
		if r := &h.regions[i]; r.held != none && (!h.declared(h.first(r)) || !h.holdersOf(r, h.boxes[i])) {
			return
		}
	}
	for i := range h.pieces {
		if p := &h.pieces[i]; !p.source.filled && (!h.declared(p) || !h.holdersOfVague(p)) {
			return
		}
	}
}

func (h *holding) declared(p *placedPiece) bool {
	for _, rank := range p.locations {
		if _, declared := slices.BinarySearch(h.withShard, rank); !declared {
			h.noHolder(p, "names rank %d, which has no shard", rank)
			return false
		}
	}
	return true
}

func (h *holding) noHolder(p *placedPiece, format string, arguments ...any) {
	h.broken(RuleHolder, 17, h.path(p.shard, p.number), format, arguments...)
	h.broken(RuleLocations, 17, h.path(p.shard, p.number), format, arguments...)
}

// holdersOf is false where some location of a region does not hold all of it.
func (h *holding) holdersOf(r *region, b box.Box) bool {
	// A rank that holds no element twice holds as much of the region as its pieces have in common with it.
	counted := !h.vague && !h.cut && !h.breaks(RuleOnce)
	volume, first := b.Volume(), h.first(r)
	for at, rank := range first.locations {
		held := h.held[r.held+at]
		if _, holds := slices.BinarySearch(h.ranksOf(r), rank); holds || counted && held == volume {
			continue
		}
		if gap, found := h.leftOut(b, rank); found {
			h.noHolder(first, "names rank %d, which does not hold %s of %s", rank, boxText(gap), h.logical)
			return false
		} else if counted {
			h.noHolder(first, "names rank %d, which holds %d of its %d elements", rank, held, volume)
			return false
		}
	}
	return true
}

// holdersOfVague is holdersOf for a piece that is no whole box. A part of the box around it that nobody holds
// need not be the piece's, so only a rank that holds nothing at all there is known not to hold the piece.
func (h *holding) holdersOfVague(p *placedPiece) bool {
	for _, rank := range p.locations {
		if !slices.ContainsFunc(h.pieces, func(q placedPiece) bool {
			return q.rank == rank && q.source.Meets(p.source.Box)
		}) {
			h.noHolder(p, "names rank %d, which holds none of it", rank)
			return false
		}
	}
	return true
}

// leftOut finds a part of a box of F of which a rank holds no element.
func (h *holding) leftOut(region box.Box, rank int) (box.Box, bool) {
	var boxes []box.Box
	h.gapWork -= len(h.pieces)
	for i := range h.pieces {
		if h.pieces[i].rank == rank {
			boxes = append(boxes, h.pieces[i].source.Box)
		}
	}
	return h.gap(region, boxes)
}

// gap is box.Gap within what is left of the limit.
func (h *holding) gap(region box.Box, boxes []box.Box) (box.Box, bool) {
	gap, found, left := box.Gap(region, boxes, h.gapWork)
	h.gapWork = left
	h.unsure = h.unsure || left < 0
	return gap, found
}

// coverage judges that every element of F is held.
func (h *holding) coverage() {
	if h.logical.volume == 0 {
		return
	}
	// Where locations are right and no rank holds an element twice, every element that is held is in one piece
	// of the lowest of its holders.
	exact := !h.vague && !h.cut && !h.unsure && !h.breaks(RuleOnce) && !h.breaks(RuleLocations)
	if exact && h.heldByLowest() == h.logical.volume {
		return
	}
	whole := box.Box{Lo: make([]int64, len(h.logical.shape)), Shape: h.logical.shape}
	boxes := make([]box.Box, len(h.pieces))
	for i := range h.pieces {
		boxes[i] = h.pieces[i].source.Box
	}
	if gap, found := h.gap(whole, boxes); found {
		h.broken(RuleCoverage, 19, "map", "no rank holds %s of %s", boxText(gap), h.logical)
	} else if exact {
		h.broken(RuleCoverage, 19, "map", "ranks hold %d of the %d elements", h.heldByLowest(), h.logical.volume)
	}
}

func (h *holding) heldByLowest() int64 {
	sum := int64(0)
	for i := range h.pieces {
		if p := &h.pieces[i]; p.rank == p.locations[0] {
			sum += p.source.Volume()
		}
	}
	return sum
}
