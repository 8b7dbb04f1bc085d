package oracle

import (
	"fmt"

	"github.com/shardproof/shardproof/plan"
)

// Apply runs a plan on source shards, in the source map's order, and returns what it leaves in the target
// shards, in the target map's order; NoValue where nothing was written. It is an error where the plan breaks
// valid or bounds or moves more than MaxElements, and where the shards of a map cannot be counted, hold more
// than that, or are two of one rank.
func Apply(request plan.Request, answer plan.Answer, shards [][]int64) ([][]int64, error) {
	var l look
	l.inspect(request, answer)
	if err := l.applicable(shards); err != nil {
		return nil, err
	}
	targets := make([][]int64, len(request.Target.Shards))
	for i := range targets {
		n, _ := plan.Elements(request.Target.Shards[i].Shape)
		targets[i] = make([]int64, n)
		for k := range targets[i] {
			targets[i][k] = NoValue
		}
	}
	for i := range answer.Plan.Segments {
		segment := &answer.Plan.Segments[i]
		apply(segment, shards[indexOf(&request.Source, segment.Source.Rank)], targets[indexOf(&request.Target, segment.Target.Rank)])
	}
	return targets, nil
}

func (l *look) applicable(shards [][]int64) error {
	if _, p := sized("source", &l.request.Source, l.source); p != "" {
		return fmt.Errorf("%s", p)
	}
	if _, p := sized("target", &l.request.Target, l.target); p != "" {
		return fmt.Errorf("%s", p)
	}
	for i := range l.request.Source.Shards {
		shard := &l.request.Source.Shards[i]
		if n, _ := plan.Elements(shard.Shape); len(shards) != len(l.request.Source.Shards) || int64(len(shards[i])) != n {
			return fmt.Errorf("source rank %d: the values are not those of a shard %v", shard.Rank, shard.Shape)
		}
	}
	if l.fault != "" {
		return fmt.Errorf("%s", l.fault)
	}
	switch total, stray := l.findStrays(); {
	case stray != absent:
		return fmt.Errorf(reachesOutside, stray)
	case total > MaxElements:
		return fmt.Errorf("the segments move more than %d elements", MaxElements)
	}
	return nil
}

func apply(segment *plan.Segment, source, target []int64) {
	var walk rows
	offsets := [2]int64{segment.Source.Offset, segment.Target.Offset}
	for more := walk.start(segment.Shape, offsets, segment.Source.Strides, segment.Target.Strides); more; more = walk.next() {
		for k := range walk.count {
			target[walk.first[1]+k*walk.step[1]] = source[walk.first[0]+k*walk.step[0]]
		}
	}
}

func indexOf(m *plan.Map, rank int) int {
	for i := range m.Shards {
		if m.Shards[i].Rank == rank {
			return i
		}
	}
	panic("oracle: no shard of a rank that was found")
}
