package oracle

import (
	"fmt"
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// A ranked is a shard of one side, by its rank's place in ascending order.
type ranked struct {
	*plan.Shard
	elements int64
}

// A copyAt is what the judge made of a segment: the shards that it names, by their places in ascending order
// of ranks, and how many elements it moves. A side that cannot be walked, its rank having no shard or its
// strides not fitting the extents, is absent. A segment with the target side alone overwrites elements with
// nothing; one without it cannot be placed, and does nothing.
type copyAt struct {
	source, target int32
	volume         int64 // cut off at the largest int64; 0 where an extent is below 1
	strays         bool  // reads or writes outside its shards
}

const absent = -1

func (c copyAt) writes() bool { return c.target != absent && c.volume > 0 }
func (c copyAt) reads() bool  { return c.source != absent && c.writes() }

// inspect ranks the shards and takes every segment's form. It reads no map's pieces.
func (l *look) inspect(request plan.Request, answer plan.Answer) {
	l.request, l.answer = request, answer
	l.fault = ""
	l.wrong = [elementClauses]wrong{}
	l.source = rank(l.source[:0], request.Source)
	l.target = rank(l.target[:0], request.Target)
	l.copies = l.copies[:0]
	stated := answer.Plan.LogicalShape
	if stated != nil && !slices.Equal(stated, request.Source.LogicalShape) {
		l.fault = fmt.Sprintf("states logical shape %v, the request's is %v", stated, request.Source.LogicalShape)
	}
	for i := range answer.Plan.Segments {
		l.copies = append(l.copies, l.form(i, &answer.Plan.Segments[i]))
	}
}

// rank lists the shards of a map by ascending rank. Elements is -1 where a shard has no count.
func rank(shards []ranked, m plan.Map) []ranked {
	for i := range m.Shards {
		shard := &m.Shards[i]
		elements, ok := plan.Elements(shard.Shape)
		if shard.Undeclared || !ok {
			elements = -1
		}
		shards = append(shards, ranked{shard, elements})
		for at := len(shards) - 1; at > 0 && shards[at-1].Rank > shard.Rank; at-- {
			shards[at-1], shards[at] = shards[at], shards[at-1]
		}
	}
	return shards
}

// placeOf is the place of a rank among the shards, or absent.
func placeOf(shards []ranked, rank int) int32 {
	lo, hi := 0, len(shards)
	for lo < hi {
		middle := (lo + hi) / 2
		if shards[middle].Rank < rank {
			lo = middle + 1
		} else {
			hi = middle
		}
	}
	if lo == len(shards) || shards[lo].Rank != rank {
		return absent
	}
	return int32(lo)
}

// form checks one segment, noting the plan's first fault.
func (l *look) form(i int, segment *plan.Segment) copyAt {
	c := copyAt{source: placeOf(l.source, segment.Source.Rank), target: placeOf(l.target, segment.Target.Rank)}
	axes := len(segment.Shape)
	if c.source == absent {
		l.invalid(i, "source rank %d has no shard", segment.Source.Rank)
	}
	if c.target == absent {
		l.invalid(i, "target rank %d has no shard", segment.Target.Rank)
	}
	if n := len(segment.Source.Strides); n != axes {
		l.invalid(i, "%d source strides for %d extents", n, axes)
		c.source = absent
	}
	if n := len(segment.Target.Strides); n != axes {
		l.invalid(i, "%d target strides for %d extents", n, axes)
		c.target = absent
	}
	for axis, extent := range segment.Shape {
		if extent < 1 {
			l.invalid(i, "extent %d on axis %d", extent, axis)
			return c
		}
	}
	c.volume = volume(segment.Shape)
	return c
}

func (l *look) invalid(segment int, format string, arguments ...any) {
	if l.fault == "" {
		l.fault = fmt.Sprintf("segment %d: ", segment) + fmt.Sprintf(format, arguments...)
	}
}

func valid(l *look) Finding {
	if l.fault != "" {
		return Finding{Status: Broken, Detail: l.fault}
	}
	return Finding{}
}
