package layout

import (
	"cmp"
	"fmt"
	"slices"
)

// A line is what ranks divide between them: an axis of F, or all of F flattened. Each rank stores intervals
// of it, one after the other in its shard.

// A run is the interval [lo, hi) of a line, stored by one rank after the rank's earlier runs.
type run struct {
	rank   int
	lo, hi int64
}

// A cut is a part of a rank's runs all of which the same ranks hold.
type cut struct {
	rank        int
	lo, hi      int64 // on the line
	at          int64 // where it starts in the rank's shard
	first, last int   // its holders, in the placement's
}

// A placement is a line divided between ranks, and cut at every change of holders.
type placement struct {
	degree    int
	cuts      []cut // by rank, then in the order of the shard
	holders   []int
	locations int // the holders of every cut, counted
}

func (p *placement) holdersOf(c cut) []int { return p.holders[c.first:c.last] }

// place divides a line between ranks 0..degree-1. The runs stand by ascending rank. Those of one rank that
// continue each other on the line join. Where apart is not 0, a part with several holders is cut at each
// multiple of it. An empty run stays, as an empty cut.
//
// It is an error where a part of the line is held by no rank, or twice by one, and where there are more than
// maxLocations in all.
func place(length int64, degree int, runs []run, apart int64) (placement, error) {
	var regionBuffer [16]region
	regions, holders, err := divide(regionBuffer[:0], length, runs)
	if err != nil {
		return placement{}, err
	}
	placed := placement{degree: degree, holders: holders, cuts: make([]cut, 0, len(runs)+len(regions))}
	for len(runs) > 0 {
		own := ofOneRank(runs)
		placed.store(runs[:own], regions, apart)
		runs = runs[own:]
	}
	for _, c := range placed.cuts {
		placed.locations += c.last - c.first
	}
	return placed, checkLocations(placed.locations)
}

func checkLocations(n int) error {
	if n > maxLocations {
		return fmt.Errorf("the pieces name %d holders in all, want at most %d", n, maxLocations)
	}
	return nil
}

// ofOneRank counts the leading runs of the first run's rank.
func ofOneRank(runs []run) int {
	n := 1
	for n < len(runs) && runs[n].rank == runs[0].rank {
		n++
	}
	return n
}

// store cuts the joined runs of one rank where the regions change. An empty run follows what it stands behind.
func (p *placement) store(runs []run, regions []region, apart int64) {
	at, hint := int64(0), 0
	for len(runs) > 0 {
		joined, n := join(runs)
		from := at
		for lo := joined.lo; lo < joined.hi; {
			hint = regionAt(regions, hint, lo)
			here := regions[hint]
			hi := min(joined.hi, here.hi)
			if apart > 0 && here.last-here.first > 1 {
				hi = min(hi, lo+apart)
			}
			p.cuts = append(p.cuts, cut{joined.rank, lo, hi, at, here.first, here.last})
			at += hi - lo
			lo = hi
		}
		p.storeEmpty(runs[:n], from)
		runs = runs[n:]
	}
}

// join joins the first run and those after it that continue it, whatever empty ones stand between, and counts
// the runs that are done with.
func join(runs []run) (joined run, n int) {
	joined = runs[0]
	for n = 1; n < len(runs) && joined.lo < joined.hi; n++ {
		if runs[n].lo == runs[n].hi {
			continue
		}
		if runs[n].lo != joined.hi {
			break
		}
		joined.hi = runs[n].hi
	}
	return joined, n
}

// storeEmpty keeps the empty ones of runs that begin at a place of the shard, of several in one place the
// first. They hold nothing and name their own rank.
func (p *placement) storeEmpty(runs []run, at int64) {
	kept := -1
	for _, r := range runs {
		at += r.hi - r.lo
		if r.lo < r.hi || kept >= 0 && p.cuts[kept].lo == r.lo && p.cuts[kept].at == at {
			continue
		}
		kept = len(p.cuts)
		p.cuts = append(p.cuts, cut{r.rank, r.lo, r.lo, at, len(p.holders), len(p.holders) + 1})
		p.holders = append(p.holders, r.rank)
	}
}

// A region is a greatest interval of a line held by the same ranks throughout.
type region struct {
	lo, hi      int64
	first, last int // its holders, in a list that the regions share
}

// divide finds the regions of a line, ascending, and lists the holders of each, ascending.
//
// It sweeps along the line with the runs that are open there, so that its work grows with the runs and with
// the holders that it lists.
func divide(regions []region, length int64, runs []run) ([]region, []int, error) {
	var sortedBuffer, openBuffer [16]run
	sorted, open := ascending(sortedBuffer[:0], runs), openBuffer[:0]
	holders := make([]int, 0, len(runs)+1)
	for position := int64(0); position < length; {
		for len(sorted) > 0 && sorted[0].lo == position {
			var twice bool
			if open, twice = admit(open, sorted[0]); twice {
				return nil, nil, fmt.Errorf("rank %d holds [%d:%d] twice, at least in part", sorted[0].rank, sorted[0].lo, sorted[0].hi)
			}
			sorted = sorted[1:]
		}
		end := length
		if len(sorted) > 0 {
			end = sorted[0].lo
		}
		if len(open) == 0 {
			return nil, nil, fmt.Errorf("[%d:%d] of %d is held by no rank", position, end, length)
		}
		for _, r := range open {
			end = min(end, r.hi)
		}
		regions, holders = extend(regions, holders, region{lo: position, hi: end}, open)
		open = slices.DeleteFunc(open, func(r run) bool { return r.hi == end })
		position = end
	}
	return regions, holders, nil
}

// ascending lists the runs that are not empty by where they start.
func ascending(into, runs []run) []run {
	for _, r := range runs {
		if r.lo < r.hi {
			into = append(into, r)
		}
	}
	slices.SortFunc(into, func(a, b run) int { return cmp.Compare(a.lo, b.lo) })
	return into
}

// admit adds a run to the open ones, which stand by rank. It reports whether its rank is open already.
func admit(open []run, r run) (_ []run, twice bool) {
	i := len(open)
	for i > 0 && open[i-1].rank > r.rank {
		i--
	}
	return slices.Insert(open, i, r), i > 0 && open[i-1].rank == r.rank
}

// extend appends a region held by the open runs, or lengthens the last one where that has the same holders.
func extend(regions []region, holders []int, next region, open []run) ([]region, []int) {
	if n := len(regions); n > 0 {
		last := &regions[n-1]
		same := func(rank int, r run) bool { return rank == r.rank }
		if slices.EqualFunc(holders[last.first:last.last], open, same) {
			last.hi = next.hi
			return regions, holders
		}
	}
	next.first = len(holders)
	for _, r := range open {
		holders = append(holders, r.rank)
	}
	next.last = len(holders)
	return append(regions, next), holders
}

// regionAt finds the region around a position. The hint is the index of one that stands near it, if any.
func regionAt(regions []region, hint int, position int64) int {
	if contains(regions[hint], position) {
		return hint
	}
	if hint+1 < len(regions) && contains(regions[hint+1], position) {
		return hint + 1
	}
	at, _ := slices.BinarySearchFunc(regions, position, func(r region, position int64) int {
		switch {
		case r.hi <= position:
			return -1
		case r.lo > position:
			return 1
		}
		return 0
	})
	return at
}

func contains(r region, position int64) bool { return r.lo <= position && position < r.hi }
