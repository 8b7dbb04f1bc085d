package reference

import (
	"cmp"
	"slices"

	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/internal/box"
)

// A region is a box of F that source ranks hold, each as one block or a part of one.
type region struct {
	box   box.Box
	group int    // regions with the same candidates are one group
	held  []held // the ranks that hold the region so, ascending
}

// held is a source block, its rank and the ranks that hold the elements of the block, ascending.
type held struct {
	block      *plan.Block
	rank       int
	piece      int // the block's place in the list that validation gave
	candidates []int
}

// A partition is all regions of a source map. Where the holders of a group cut it differently, its regions
// come once for each way of cutting, with the ranks that cut it so; otherwise each is held by all candidates.
type partition struct {
	regions    []region
	candidates [][]int // by group
}

// partitionOf finds the regions of a source map. Their order does not depend on the order of the blocks.
func partitionOf(m plan.Map, blocks []plan.Block, desk *desk) partition {
	all := slices.Grow(desk.held[:0], len(blocks))[:len(blocks)]
	for i := range blocks {
		shard := &m.Shards[blocks[i].Shard]
		all[i] = held{
			block: &blocks[i], rank: shard.Rank, piece: i,
			candidates: ascending(shard.Pieces[blocks[i].Piece].Locations),
		}
	}
	slices.SortFunc(all, func(a, b held) int {
		if c := compareRegions(&a, &b); c != 0 {
			return c
		}
		return cmp.Compare(a.rank, b.rank)
	})
	p := partition{regions: slices.Grow(desk.regions[:0], len(all)), candidates: desk.candidates[:0]}
	for lo, hi := 0, 0; lo < len(all); lo = hi {
		for hi = lo + 1; hi < len(all) && compareRegions(&all[lo], &all[hi]) == 0; hi++ {
		}
		if lo == 0 || !slices.Equal(all[lo].candidates, all[lo-1].candidates) {
			p.candidates = append(p.candidates, all[lo].candidates)
		}
		p.regions = append(p.regions, region{
			box:   box.Box{Lo: all[lo].block.Lo, Shape: all[lo].block.Shape},
			group: len(p.candidates) - 1, held: all[lo:hi:hi],
		})
	}
	desk.held, desk.regions, desk.candidates = all, p.regions, p.candidates
	return p
}

// heldBy is how a rank holds the region; nil where it does not hold it in this cut.
func (r *region) heldBy(rank int) *held {
	i, found := slices.BinarySearchFunc(r.held, rank, func(h held, rank int) int { return cmp.Compare(h.rank, rank) })
	if !found {
		return nil
	}
	return &r.held[i]
}

// ascending is a list of ranks in ascending order, a copy where the list is not.
func ascending(ranks []int) []int {
	if !slices.IsSorted(ranks) {
		ranks = slices.Clone(ranks)
		slices.Sort(ranks)
	}
	return ranks
}

// compareRegions orders blocks by their candidates and their box; 0 says that both hold one region.
func compareRegions(a, b *held) int {
	if c := slices.Compare(a.candidates, b.candidates); c != 0 {
		return c
	}
	if c := slices.Compare(a.block.Lo, b.block.Lo); c != 0 {
		return c
	}
	return slices.Compare(a.block.Shape, b.block.Shape)
}

// refine cuts regions until each is held by all its candidates, so that every one of them can be read
// anywhere. Only regions that some candidate cuts otherwise change.
func (p partition) refine(work *meter) (partition, error) {
	fine := partition{candidates: p.candidates}
	for lo, hi := 0, 0; lo < len(p.regions); lo = hi {
		group := p.regions[lo].group
		var uneven []region
		for hi = lo; hi < len(p.regions) && p.regions[hi].group == group; hi++ {
			if r := p.regions[hi]; len(r.held) == len(p.candidates[group]) {
				fine.regions = append(fine.regions, r)
			} else {
				uneven = append(uneven, r)
			}
		}
		cells, err := commonCells(uneven, p.candidates[group], work)
		if err != nil {
			return partition{}, err
		}
		fine.regions = append(fine.regions, cells...)
	}
	return fine, nil
}

// commonCells cuts the regions of one group, which different ranks cut differently, to the cells that no
// rank cuts further.
func commonCells(regions []region, ranks []int, work *meter) ([]region, error) {
	if len(regions) == 0 {
		return nil, nil
	}
	cells := cutBy(regions, ranks[0])
	for _, rank := range ranks[1:] {
		var err error
		if cells, err = meet(cells, cutBy(regions, rank), work); err != nil {
			return nil, err
		}
	}
	return cells, nil
}

// cutBy is the regions that one rank holds, as held by that rank alone.
func cutBy(regions []region, rank int) []region {
	var own []region
	for _, r := range regions {
		if from := r.heldBy(rank); from != nil {
			r.held = []held{*from}
			own = append(own, r)
		}
	}
	return own
}

// meet cuts regions by others, and each part is held by the holders of both.
func meet(a, b []region, work *meter) (cells []region, err error) {
	box.Join(appendRegions(nil, a), appendRegions(nil, b), func(i, j int) bool {
		if err = work.spend(&work.pairChecks); err != nil {
			return false
		}
		common := newBox(len(a[i].box.Lo))
		a[i].box.Intersect(b[j].box, common)
		cells = append(cells, region{box: common, group: a[i].group, held: slices.Concat(a[i].held, b[j].held)})
		return true
	})
	return cells, err
}

func newBox(axes int) box.Box {
	slab := make([]int64, 2*axes)
	return box.Box{Lo: slab[:axes:axes], Shape: slab[axes:]}
}
