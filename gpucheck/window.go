package gpucheck

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/shardproof/shardproof/oracle"
	"github.com/shardproof/shardproof/plan"
)

// A subject of more elements than a replay lays out is replayed in windows: stretches of its target shards, drawn from
// where pieces and segments begin and end and from anywhere else. Of each segment the part that writes a window is
// launched, and of the source shards what that part reads is laid out. Each window and each such stretch stands
// between guards of its own; addresses remain those of the whole shards, so that the device computes with them at any
// size.
//
// What is found in a window is wrong. What is right in all of them is sampled, and not exact.
const (
	windowElements = 32
	maxWindows     = 32
)

// maxSteps is how often the cut of one segment to one window may look at a part of it. Segments whose addresses ascend
// like those of a box take a few; others may have no end of parts.
const maxSteps = 1 << 12

var errScattered = errors.New("what is written in a window is scattered over too many parts")

// A window is a stretch of a target shard.
type window struct {
	shard  int
	lo, hi int64
}

// sample puts windows in place of the shards of a subject whose plan stays inside them. It has a finding where the plan
// writes so often into one that it must not be launched. The error says why there can be no windows.
func (s *subject) sample(r plan.Request, random *rand.Rand) (*Finding, error) {
	sources, err := placedOf(r.Source, s.sources)
	if err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	targets, err := placedOf(r.Target, s.targets)
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	windows, segments := s.windows(targets, random), s.segments
	if len(windows) == 0 {
		return nil, errors.New("the target shards have no element to look at")
	}
	s.sampled, s.sources, s.targets, s.segments = true, nil, nil, nil
	for _, w := range windows {
		target, err := targets[w.shard].stretch(w.lo, w.hi)
		if err != nil {
			return nil, fmt.Errorf("target: %w", err)
		}
		parts, finding, err := w.written(segments, target.rank)
		if finding != nil || err != nil {
			return finding, err
		}
		if err := s.read(parts, sources); err != nil {
			return nil, fmt.Errorf("source: %w", err)
		}
		s.targets = append(s.targets, target)
	}
	return nil, nil
}

// written is the parts of segments that write a window.
func (w window) written(segments []segment, rank int) (all []segment, finding *Finding, err error) {
	volume := int64(0)
	for _, whole := range segments {
		if whole.target != w.shard {
			continue
		}
		parts, ok := whole.within(w.lo, w.hi)
		if !ok {
			return nil, nil, errScattered
		}
		for _, part := range parts {
			if volume += part.volume(); volume/volumeLimit > windowElements {
				return nil, &Finding{Clause: oracle.Once, Rank: rank, Address: w.lo, Detail: fmt.Sprintf(
					"target rank %d: %d elements at least are written to addresses %d to %d: not launched", rank, volume, w.lo, w.hi-1)}, nil
			}
		}
		all = append(all, parts...)
	}
	return all, nil, nil
}

// read adds what the parts of the next window read, and makes them segments of the windows.
func (s *subject) read(parts []segment, sources []placed) error {
	for _, part := range parts {
		for _, one := range part.gathered() {
			lo, hi := one.reads()
			source, err := sources[one.source].stretch(lo, hi+1)
			if err != nil {
				return err
			}
			one.source, one.target = len(s.sources), len(s.targets)
			s.sources, s.segments = append(s.sources, source), append(s.segments, one)
		}
	}
	return nil
}

// windows draws windows: no two are the same, though they may overlap.
func (s *subject) windows(targets []placed, random *rand.Rand) []window {
	var all []window
	around := func(shard int, address int64) {
		elements := s.targets[shard].elements
		lo := max(0, min(address-windowElements/2, elements-windowElements))
		all = append(all, window{shard, lo, min(lo+windowElements, elements)})
	}
	for shard, target := range targets {
		if target.elements == 0 {
			continue
		}
		around(shard, random.Int64N(target.elements))
		for _, piece := range target.pieces {
			lo, hi := piece.writes()
			around(shard, lo)
			around(shard, hi)
		}
	}
	for _, segment := range s.segments {
		lo, hi := segment.writes()
		around(segment.target, lo)
		around(segment.target, hi)
	}
	slices.SortFunc(all, func(a, b window) int { return cmp.Or(cmp.Compare(a.shard, b.shard), cmp.Compare(a.lo, b.lo)) })
	all = slices.Compact(all)
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(len(all), maxWindows)]
}

// A placed is a shard with its pieces, as segments that write it out of the logical tensor: a label is an address there.
type placed struct {
	labelled
	pieces []segment
}

// placedOf is the shards of a map, whose pieces must stay inside them and inside the tensor.
func placedOf(m plan.Map, shards []labelled) ([]placed, error) {
	logical, _ := plan.Elements(m.LogicalShape)
	all := make([]placed, len(shards))
	for i, shard := range shards {
		all[i].labelled = shard
		for j, piece := range m.Shards[i].Pieces {
			if piece.Empty() {
				continue
			}
			axes := len(piece.Shape)
			if len(piece.Source.Strides) != axes || len(piece.Dest.Strides) != axes {
				return nil, fmt.Errorf("rank %d piece %d: %d extents, %d source strides, %d dest strides",
					shard.rank, j, axes, len(piece.Source.Strides), len(piece.Dest.Strides))
			}
			volume, ok := plan.Elements(piece.Shape)
			if !ok || volume > shard.elements || !inside(piece.Source, piece.Shape, logical) || !inside(piece.Dest, piece.Shape, shard.elements) {
				return nil, fmt.Errorf("rank %d piece %d leaves the tensor or its shard", shard.rank, j)
			}
			all[i].pieces = append(all[i].pieces, segmentOf(piece.Shape, piece.Source, piece.Dest))
		}
	}
	return all, nil
}

// stretch is the addresses of a shard from lo to before hi, labelled by its pieces.
func (p *placed) stretch(lo, hi int64) (labelled, error) {
	cut := p.labelled
	cut.begin, cut.labels = lo, slices.Repeat([]int64{oracle.NoValue}, int(hi-lo))
	volume := int64(0)
	for _, piece := range p.pieces {
		parts, ok := piece.within(lo, hi)
		if !ok {
			return cut, errScattered
		}
		for _, part := range parts {
			if volume += part.volume(); volume > hi-lo {
				return cut, fmt.Errorf("rank %d: a piece places two elements at one address", p.rank)
			}
			part.each(func(label, address int64) { cut.labels[address-lo] = label })
		}
	}
	if i := slices.Index(cut.labels, oracle.NoValue); i >= 0 {
		return cut, fmt.Errorf("rank %d: no piece places address %d", p.rank, lo+int64(i))
	}
	return cut, nil
}

// within is the parts of a segment that write the addresses from lo to before hi. Each is a box of its index, and no
// two have an element in common. It is false where there are too many.
func (s segment) within(lo, hi int64) ([]segment, bool) {
	c := cutter{lo: lo, hi: hi}
	for axis := range s.axes {
		c.order = append(c.order, axis)
	}
	slices.SortStableFunc(c.order, func(a, b int) int {
		return cmp.Compare(magnitude(s.axes[b].target), magnitude(s.axes[a].target))
	})
	c.cut(s, 0)
	return c.parts, c.steps <= maxSteps
}

// A cutter cuts a segment along its axes, the one with the longest steps first.
type cutter struct {
	lo, hi int64
	order  []int
	parts  []segment
	steps  int
}

func (c *cutter) cut(s segment, depth int) {
	c.steps++
	least, most := s.writes()
	switch {
	case c.steps > maxSteps || most < c.lo || least >= c.hi:
		return
	case c.lo <= least && most < c.hi:
		c.parts = append(c.parts, s)
		return
	}
	// It writes more than one address, so there is an axis left, and one that steps.
	axis := c.order[depth]
	extent, step := s.axes[axis].extent, magnitude(s.axes[axis].target)
	slice := func(i, n int64) segment {
		if s.axes[axis].target < 0 {
			i = extent - i - n
		}
		return s.sliced(axis, i, n)
	}
	// Slice i writes from least+i*step to rest more.
	rest := most - least - (extent-1)*step
	first, last := -floorDivide(least+rest-c.lo, step), floorDivide(c.hi-1-least, step)
	first, last = max(0, first), min(extent-1, last)
	firstWhole, lastWhole := -floorDivide(least-c.lo, step), floorDivide(c.hi-1-least-rest, step)
	firstWhole, lastWhole = max(0, firstWhole), min(extent-1, lastWhole)
	if firstWhole <= lastWhole {
		c.parts = append(c.parts, slice(firstWhole, lastWhole-firstWhole+1))
	} else {
		firstWhole, lastWhole = last+1, last
	}
	for i := first; i < firstWhole && c.steps <= maxSteps; i++ {
		c.cut(slice(i, 1), depth+1)
	}
	for i := lastWhole + 1; i <= last && c.steps <= maxSteps; i++ {
		c.cut(slice(i, 1), depth+1)
	}
}

// gathered cuts a part until each reads from one stretch of a window's length.
func (s segment) gathered() []segment {
	lo, hi := s.reads()
	if hi-lo < windowElements {
		return []segment{s}
	}
	longest := 0
	for axis, a := range s.axes {
		if (a.extent-1)*magnitude(a.source) > (s.axes[longest].extent-1)*magnitude(s.axes[longest].source) {
			longest = axis
		}
	}
	extent := s.axes[longest].extent
	return append(s.sliced(longest, 0, extent/2).gathered(), s.sliced(longest, extent/2, extent-extent/2).gathered()...)
}

func magnitude(step int64) int64 { return max(step, -step) }

// floorDivide is n/d for d > 0, rounded down.
func floorDivide(n, d int64) int64 {
	quotient := n / d
	if n%d < 0 {
		quotient--
	}
	return quotient
}
