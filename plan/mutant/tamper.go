package mutant

import (
	"context"
	"slices"

	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/reference"
)

// repairing plans a request with plan/reference after a quiet repair of it, so that a corrupt map looks whole.
func repairing(repair func(*plan.Request)) func() plan.Planner {
	return tampering(func(ctx context.Context, request plan.Request, next plan.Planner) (plan.Answer, error) {
		request = copied(request)
		repair(&request)
		return next.Plan(ctx, request)
	})
}

// tampering puts a step round plan/reference.
func tampering(step func(context.Context, plan.Request, plan.Planner) (plan.Answer, error)) func() plan.Planner {
	return func() plan.Planner {
		return plan.PlannerFunc(func(ctx context.Context, request plan.Request) (plan.Answer, error) {
			return step(ctx, request, reference.Planner{})
		})
	}
}

// eachShard repairs every shard of both maps.
func eachShard(repair func(*plan.Map, *plan.Shard)) func(*plan.Request) {
	return func(request *plan.Request) {
		for _, m := range []*plan.Map{&request.Source, &request.Target} {
			for i := range m.Shards {
				repair(m, &m.Shards[i])
			}
		}
	}
}

// eachPiece repairs every piece of both maps.
func eachPiece(repair func(*plan.Map, *plan.Shard, *plan.Piece)) func(*plan.Request) {
	return eachShard(func(m *plan.Map, shard *plan.Shard) {
		for i := range shard.Pieces {
			repair(m, shard, &shard.Pieces[i])
		}
	})
}

// copied is a request whose maps may be changed.
func copied(request plan.Request) plan.Request {
	request.Source, request.Target = copiedMap(request.Source), copiedMap(request.Target)
	return request
}

func copiedMap(m plan.Map) plan.Map {
	m.LogicalShape = slices.Clone(m.LogicalShape)
	m.Shards = slices.Clone(m.Shards)
	for i := range m.Shards {
		shard := &m.Shards[i]
		shard.Shape = slices.Clone(shard.Shape)
		shard.Pieces = slices.Clone(shard.Pieces)
		for j := range shard.Pieces {
			piece := &shard.Pieces[j]
			piece.Shape = slices.Clone(piece.Shape)
			piece.Source.Strides = slices.Clone(piece.Source.Strides)
			piece.Dest.Strides = slices.Clone(piece.Dest.Strides)
			piece.Locations = slices.Clone(piece.Locations)
		}
	}
	return m
}
