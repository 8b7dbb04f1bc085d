package mutant

import (
	"context"
	"errors"
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// refusals are the planners that refuse what they are due to plan, or refuse for the wrong reason.
func refusals() []Mutant {
	outcome := []string{"outcome"}
	return []Mutant{
		{
			Name:    "refuse-eight-axes",
			Doc:     "Eight axes are one too many, so the largest tensors within the limit are called corrupt.",
			Clauses: outcome,
			New: refusing(func(s side) bool {
				return len(s.LogicalShape) == plan.MaxAxes
			}),
		},
		{
			Name:    "refuse-empty-piece",
			Doc:     "A piece with a zero extent is called corrupt, so zero-width sub-parameters cannot be moved.",
			Clauses: outcome,
			New:     refusing(func(s side) bool { return s.hasPiece(func(_ plan.Shard, p plan.Piece) bool { return p.Empty() }) }),
		},
		{
			Name:    "refuse-empty-rank",
			Doc:     "A rank without elements is called corrupt, so more ranks than rows cannot be served.",
			Clauses: outcome,
			Small:   true,
			New: refusing(func(s side) bool {
				return volume(s.LogicalShape) > 0 && slices.ContainsFunc(s.Shards, func(shard plan.Shard) bool { return volume(shard.Shape) == 0 })
			}),
		},
		{
			Name:    "refuse-indivisible",
			Doc:     "Rows that the ranks do not divide are called corrupt, so uneven layouts cannot be moved.",
			Clauses: outcome,
			Small:   true,
			New: refusing(func(s side) bool {
				return len(s.LogicalShape) > 0 && len(s.Shards) > 0 && s.LogicalShape[0]%int64(len(s.Shards)) != 0
			}),
		},
		{
			Name:    "refuse-kind-budget-as-invalid",
			Doc:     "A request past a limit is called corrupt, so a caller gives up in place of raising the limit.",
			Clauses: outcome,
			New:     renaming(plan.OverBudget, plan.Invalid),
		},
		{
			Name:    "refuse-kind-invalid-as-unsupported",
			Doc:     "A corrupt map is called unsupported, so the caller falls back to rebuilding and hides the corruption.",
			Clauses: outcome,
			New:     renaming(plan.Invalid, plan.Unsupported),
		},
		{
			Name:    "refuse-kind-selector-as-invalid",
			Doc:     "A bad selection is called a corrupt map, so the search for the fault starts in the wrong place.",
			Clauses: outcome,
			New:     renaming(plan.BadSelection, plan.Invalid),
		},
		{
			Name:    "refuse-kind-unsupported-as-invalid",
			Doc:     "Legal geometry that is not planned is called corrupt, so a caller that could rebuild stops.",
			Clauses: outcome,
			New:     renaming(plan.Unsupported, plan.Invalid),
		},
		{
			Name:    "refuse-odd-unit-stride",
			Doc:     "A stride that is not row-major is called corrupt even where the extent is 1, so maps written by frameworks that leave such strides alone cannot be moved.",
			Clauses: outcome,
			New:     refusing(func(s side) bool { return s.hasPiece(oddUnitStride) }),
		},
		{
			Name:    "refuse-rank-sparse",
			Doc:     "Rank ids that are not 0 to n-1 are called corrupt, so a layout of some of a job's ranks cannot be moved.",
			Clauses: outcome,
			New: refusing(func(s side) bool {
				return slices.ContainsFunc(s.Shards, func(shard plan.Shard) bool { return shard.Rank >= len(s.Shards) })
			}),
		},
		{
			Name:    "refuse-replica-offset",
			Doc:     "Replicas that store a block at different places of their shards are called corrupt, so layouts of mixed roles cannot be moved.",
			Clauses: outcome,
			Small:   true,
			New:     refusing(replicasElsewhere),
		},
		{
			Name:    "refuse-scalar",
			Doc:     "A tensor without axes is called corrupt, so step counters and scales cannot be moved.",
			Clauses: outcome,
			New:     refusing(func(s side) bool { return len(s.LogicalShape) == 0 }),
		},
		{
			Name:    "refuse-swallowed",
			Doc:     "A refusal is logged and an empty plan answered, so a corrupt map looks like nothing to do.",
			Clauses: []string{"outcome", "cover"},
			New: tampering(func(ctx context.Context, request plan.Request, next plan.Planner) (plan.Answer, error) {
				answer, err := next.Plan(ctx, request)
				if refusal := (*plan.Refusal)(nil); errors.As(err, &refusal) {
					return plan.Answer{}, nil
				}
				return answer, err
			}),
		},
		{
			Name:    "refuse-target-cut-replica",
			Doc:     "Target replicas that are cut at different places are called corrupt, so a pipeline's and a tensor-parallel copy cannot be filled together.",
			Clauses: outcome,
			New: changed(func(s *steps) {
				s.checks = append(s.checks, check{"alike", true, func(_, target side) *plan.Refusal { return cutAlike(target) }})
			}),
		},
		{
			Name:    "refuse-target-rank-unknown",
			Doc:     "A target rank that is no source rank is called corrupt, so a job cannot grow.",
			Clauses: outcome,
			New: changed(func(s *steps) {
				s.checks = append(s.checks, check{"known", true, unknownTarget})
			}),
		},
		{
			Name:    "refuse-zero-extent",
			Doc:     "A tensor with a zero extent is called corrupt, so an empty parameter cannot be moved.",
			Clauses: outcome,
			New:     refusing(func(s side) bool { return slices.Contains(s.LogicalShape, 0) }),
		},
	}
}

// refusing calls a map invalid for one more reason, after every check that is right has passed.
func refusing(has func(side) bool) func() plan.Planner {
	return changed(func(s *steps) {
		s.checks = append(s.checks, check{"more", true, both(func(s side) *plan.Refusal {
			if has(s) {
				return plan.Refuse(plan.Invalid, "%s is refused for no good reason", s.name)
			}
			return nil
		})})
	})
}

func (s side) hasPiece(has func(plan.Shard, plan.Piece) bool) bool {
	return s.eachPiece("", plan.Invalid, has) != nil
}

func oddUnitStride(shard plan.Shard, piece plan.Piece) bool {
	steps := rowMajor(shard.Shape)
	for axis, extent := range piece.Shape {
		if extent == 1 && len(steps) == len(piece.Shape) && piece.Dest.Strides[axis] != steps[axis] {
			return true
		}
	}
	return false
}

func replicasElsewhere(s side) bool {
	for _, a := range s.blocks {
		for _, b := range s.blocks {
			if slices.Equal(a.lo, b.lo) && a.address != b.address {
				return true
			}
		}
	}
	return false
}

func cutAlike(s side) *plan.Refusal {
	for _, a := range s.blocks {
		for _, b := range s.blocks {
			if _, meet := overlap(a.box, b.box); meet && !(slices.Equal(a.lo, b.lo) && slices.Equal(a.shape, b.shape)) {
				return plan.Refuse(plan.Invalid, "target ranks %d and %d cut a replica differently", a.rank, b.rank)
			}
		}
	}
	return nil
}

func unknownTarget(source, target side) *plan.Refusal {
	for _, shard := range target.Shards {
		if _, ok := source.Shard(shard.Rank); !ok {
			return plan.Refuse(plan.Invalid, "target rank %d is no source rank", shard.Rank)
		}
	}
	return nil
}

// renaming gives refusals of one kind another.
func renaming(from, to plan.Kind) func() plan.Planner {
	return tampering(func(ctx context.Context, request plan.Request, next plan.Planner) (plan.Answer, error) {
		answer, err := next.Plan(ctx, request)
		if refusal := (*plan.Refusal)(nil); errors.As(err, &refusal) && refusal.Kind == from {
			return answer, plan.Refuse(to, "%s", refusal.Message)
		}
		return answer, err
	})
}
