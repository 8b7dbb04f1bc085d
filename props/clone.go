package props

import (
	"maps"
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// CloneRequest is a request that shares no memory with the first: whatever a planner does to it stays there.
func CloneRequest(r plan.Request) plan.Request {
	r.Source, r.Target = cloneMap(r.Source), cloneMap(r.Target)
	s := &r.Selector
	s.Cost, s.Returns, s.Prefer = slices.Clone(s.Cost), slices.Clone(s.Returns), maps.Clone(s.Prefer)
	for rank, sources := range s.Prefer {
		s.Prefer[rank] = slices.Clone(sources)
	}
	for _, limit := range limits {
		if n := *limit(&r.Budget); n != nil {
			*limit(&r.Budget) = number(*n)
		}
	}
	return r
}

func cloneMap(m plan.Map) plan.Map {
	m.LogicalShape = slices.Clone(m.LogicalShape)
	m.Shards = slices.Clone(m.Shards)
	for i := range m.Shards {
		shard := &m.Shards[i]
		shard.Shape = slices.Clone(shard.Shape)
		shard.Pieces = slices.Clone(shard.Pieces)
		for j := range shard.Pieces {
			shard.Pieces[j] = clonePiece(shard.Pieces[j])
		}
	}
	return m
}

func clonePiece(p plan.Piece) plan.Piece {
	p.Shape, p.Locations = slices.Clone(p.Shape), slices.Clone(p.Locations)
	p.Source.Strides, p.Dest.Strides = slices.Clone(p.Source.Strides), slices.Clone(p.Dest.Strides)
	if p.Scale != nil {
		scale := *p.Scale
		p.Scale = &scale
	}
	return p
}
