package mutant

import (
	"math"
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// validations are the planners that answer with a plan where a map is corrupt or beyond them. Each leaves out
// a check, or quietly repairs what the check is there to find and plans that.
func validations() []Mutant {
	outcome := []string{"outcome"}
	return []Mutant{
		{
			Name:    "valid-bounds-shard-unchecked",
			Doc:     "A piece that leaves its shard is moved to its start, so a map with a wrong offset is planned.",
			Clauses: outcome,
			New:     repairing(eachPiece(startInShard)),
		},
		{
			Name:    "valid-bounds-tensor-unchecked",
			Doc:     "A piece that leaves the tensor is left out of it, so a map with a wrong origin is planned.",
			Clauses: outcome,
			New:     repairing(eachPiece(startInTensor)),
		},
		{
			Name:    "valid-broadcast-taken-row-major",
			Doc:     "A stride of 0 is taken as unset, so a broadcast piece is planned as if it held different elements.",
			Clauses: outcome,
			New: repairing(eachPiece(func(m *plan.Map, shard *plan.Shard, piece *plan.Piece) {
				setSteps(piece, m, shard, func(stride int64) bool { return stride == 0 })
			})),
		},
		{
			Name:    "valid-cover-from-totals",
			Doc:     "Coverage is argued from totals, so a gap that a replica elsewhere makes up for is planned.",
			Clauses: outcome,
			New: changed(func(s *steps) {
				s.checks = replaced(s.checks, "source-covers", func(source, _ side) *plan.Refusal { return coversInTotal(source) })
				s.checks = replaced(s.checks, "target-covers", func(_, target side) *plan.Refusal { return coversInTotal(target) })
			}),
		},
		{
			Name:    "valid-cover-source-unchecked",
			Doc:     "A source that lacks part of the tensor is planned for the part it has, so a model is restored with holes.",
			Clauses: outcome,
			New:     without("source-covers"),
		},
		{
			Name:    "valid-cover-target-none",
			Doc:     "A target without any shard is planned as nothing to do, so a parameter vanishes without a word.",
			Clauses: outcome,
			New: changed(func(s *steps) {
				s.checks = replaced(s.checks, "target-covers", func(_, target side) *plan.Refusal {
					if len(target.blocks) == 0 {
						return nil
					}
					return covers(target)
				})
			}),
		},
		{
			Name:    "valid-cover-target-unchecked",
			Doc:     "A target that keeps part of the tensor is planned, so the rest of the parameter is dropped.",
			Clauses: outcome,
			New:     without("target-covers"),
		},
		{
			Name:    "valid-extent-absolute",
			Doc:     "A negative extent is taken by its size, so a map with a sign error is planned.",
			Clauses: outcome,
			New: repairing(eachPiece(func(_ *plan.Map, _ *plan.Shard, piece *plan.Piece) {
				for axis, extent := range piece.Shape {
					piece.Shape[axis] = max(extent, -extent)
				}
			})),
		},
		{
			Name:    "valid-extent-negative-as-empty",
			Doc:     "A piece with a negative extent counts as empty, so a map with a sign error in it is planned.",
			Clauses: outcome,
			New: repairing(eachPiece(func(_ *plan.Map, _ *plan.Shard, piece *plan.Piece) {
				if negative(piece.Shape) {
					clear(piece.Shape)
				}
			})),
		},
		{
			Name:    "valid-held-twice-unchecked",
			Doc:     "A rank that holds an element twice is planned, so a shard of duplicated rows passes for whole.",
			Clauses: outcome,
			New:     without("held-once"),
		},
		{
			Name:    "valid-locations-absent-rank",
			Doc:     "Locations that name a rank without a shard are planned, so a replica that was never saved is relied on.",
			Clauses: outcome,
			New: repairing(eachPiece(func(m *plan.Map, _ *plan.Shard, piece *plan.Piece) {
				piece.Locations = slices.DeleteFunc(piece.Locations, func(rank int) bool {
					_, ok := m.Shard(rank)
					return !ok
				})
			})),
		},
		{
			Name:    "valid-locations-at-start",
			Doc:     "Locations are compared only where a piece starts, so a disagreement inside a replica that is cut elsewhere is lost.",
			Clauses: outcome,
			New: changed(func(s *steps) {
				s.checks = replaced(s.checks, "holders-full", both(fullAtStart))
				s.checks = replaced(s.checks, "holders-hidden", both(hiddenAtStart))
			}),
		},
		{
			Name:    "valid-locations-hidden",
			Doc:     "A replica that locations do not name is planned around, so two ranks may come to differ unnoticed.",
			Clauses: outcome,
			New:     without("holders-hidden"),
		},
		{
			Name:    "valid-locations-none",
			Doc:     "A piece without locations is taken to be its own rank's, so a map that lost them is planned.",
			Clauses: outcome,
			New: repairing(eachPiece(func(_ *plan.Map, shard *plan.Shard, piece *plan.Piece) {
				if len(piece.Locations) == 0 {
					piece.Locations = []int{shard.Rank}
				}
			})),
		},
		{
			Name:    "valid-locations-other-rank",
			Doc:     "A piece that names another rank than the one that stores it is planned, so two ranks may claim to be one.",
			Clauses: outcome,
			New: changed(func(s *steps) {
				for _, name := range []string{"holds-own", "holders-full", "holders-hidden"} {
					s.checks = dropped(s.checks, name)
				}
				for _, name := range []string{"source-covers", "target-covers"} {
					s.checks = replaced(s.checks, name, coversAnywhere)
				}
			}),
		},
		{
			Name:    "valid-locations-partial",
			Doc:     "A rank that holds part of a piece may be named for all of it, so the rest is read from where it is not.",
			Clauses: outcome,
			New:     without("holders-full"),
		},
		{
			Name:    "valid-locations-target-unchecked",
			Doc:     "Locations are checked on the source side alone, so a target map that lies about its replicas is planned.",
			Clauses: outcome,
			New: changed(func(s *steps) {
				s.checks = replaced(s.checks, "holds-own", sourceOnly(holdsOwn))
				s.checks = replaced(s.checks, "holder-shards", sourceOnly(holderShards))
				s.checks = replaced(s.checks, "holders-full", sourceOnly(holdersFull))
				s.checks = replaced(s.checks, "holders-hidden", sourceOnly(holdersHidden))
				s.checks = replaced(s.checks, "target-covers", func(_, target side) *plan.Refusal { return coversInTotal(target) })
			}),
		},
		{
			Name:    "valid-overflow-wraps",
			Doc:     "A product of extents past int64 wraps round, so a tensor that no memory holds is planned as one without elements.",
			Clauses: []string{"valid", "cover", "outcome"},
			New: repairing(func(request *plan.Request) {
				for _, m := range []*plan.Map{&request.Source, &request.Target} {
					if _, ok := plan.RowMajor(m.LogicalShape); !ok {
						*m = plan.Map{LogicalShape: make([]int64, len(m.LogicalShape))}
					}
				}
			}),
		},
		{
			Name:    "valid-scale-ignored",
			Doc:     "A scale is ignored, so a block that the shard holds multiplied is copied without dividing it.",
			Clauses: outcome,
			New: repairing(eachPiece(func(_ *plan.Map, _ *plan.Shard, piece *plan.Piece) {
				if piece.Scale != nil && *piece.Scale != 0 {
					piece.Scale = nil
				}
			})),
		},
		{
			Name:    "valid-scale-zero-ignored",
			Doc:     "A scale of 0 counts as unset, so a block that cannot be recovered is copied.",
			Clauses: outcome,
			New: repairing(eachPiece(func(_ *plan.Map, _ *plan.Shard, piece *plan.Piece) {
				if piece.Scale != nil && *piece.Scale == 0 {
					piece.Scale = nil
				}
			})),
		},
		{
			Name:    "valid-shapes-by-count",
			Doc:     "Logical shapes of equal element counts pass for equal, so a transposed parameter is copied row by row.",
			Clauses: outcome,
			New: repairing(func(request *plan.Request) {
				if volume(request.Source.LogicalShape) == volume(request.Target.LogicalShape) {
					request.Target = takenFrom(request.Source, request.Target)
				}
			}),
		},
		{
			Name:    "valid-shapes-of-source",
			Doc:     "The target's logical shape is never looked at, so a parameter of another size is planned.",
			Clauses: outcome,
			New: repairing(func(request *plan.Request) {
				request.Target = takenFrom(request.Source, request.Target)
			}),
		},
		{
			Name:    "valid-shard-undeclared",
			Doc:     "A rank without a shard shape is given one that its pieces fill, so a map that lost it is planned.",
			Clauses: outcome,
			New: repairing(eachShard(func(_ *plan.Map, shard *plan.Shard) {
				if shard.Undeclared {
					shard.Undeclared = false
					shard.Shape = flattened(*shard)
				}
			})),
		},
		{
			Name:    "valid-shard-vacant",
			Doc:     "A shard without elements is enlarged to what its pieces fill, so a map that contradicts itself is planned.",
			Clauses: outcome,
			New: repairing(eachShard(func(_ *plan.Map, shard *plan.Shard) {
				if slices.Contains(shard.Shape, 0) {
					shard.Shape = flattened(*shard)
				}
			})),
		},
		{
			Name:    "valid-shard-without-pieces",
			Doc:     "A shard with elements and no piece counts as empty, so a rank that lost its pieces is never filled.",
			Clauses: outcome,
			New: repairing(eachShard(func(_ *plan.Map, shard *plan.Shard) {
				if !slices.ContainsFunc(shard.Pieces, func(piece plan.Piece) bool { return !piece.Empty() }) {
					shard.Shape = make([]int64, len(shard.Shape))
					shard.Shape = append(shard.Shape[:0], 0)
				}
			})),
		},
		{
			Name:    "valid-strides-short-padded",
			Doc:     "Strides that are missing are filled in and those too many cut off, so a map with damaged pieces is planned.",
			Clauses: outcome,
			New:     repairing(eachPiece(fitted)),
		},
		{
			Name:    "valid-strides-taken-row-major",
			Doc:     "Strides are never looked at, so a stepped, reversed or diagonal piece is planned as a row-major one.",
			Clauses: []string{"outcome", "values", "bounds", "cover", "once"},
			New: repairing(eachPiece(func(m *plan.Map, shard *plan.Shard, piece *plan.Piece) {
				setSteps(piece, m, shard, func(int64) bool { return true })
			})),
		},
		{
			Name:    "valid-tiled-by-count",
			Doc:     "Pieces that fill a shard by count alone are planned, so two pieces at one address leave a hole.",
			Clauses: outcome,
			New:     without("tiled-once"),
		},
		{
			Name:    "valid-tiled-unchecked",
			Doc:     "Pieces of another volume than their shard are planned, so part of a target shard is never written.",
			Clauses: outcome,
			New:     without("tiled"),
		},
		{
			Name:    "valid-vacant-shard-unchecked",
			Doc:     "The pieces of a shard without elements are never looked at, so broken ones among them are planned.",
			Clauses: outcome,
			New: repairing(eachShard(func(_ *plan.Map, shard *plan.Shard) {
				if slices.Contains(shard.Shape, 0) {
					shard.Pieces = nil
				}
			})),
		},
	}
}

// without leaves one check out.
func without(name string) func() plan.Planner {
	return changed(func(s *steps) { s.checks = dropped(s.checks, name) })
}

func dropped(checks []check, name string) []check {
	at := placeOf(checks, name)
	return slices.Delete(slices.Clone(checks), at, at+1)
}

func replaced(checks []check, name string, refuses func(source, target side) *plan.Refusal) []check {
	checks = slices.Clone(checks)
	checks[placeOf(checks, name)].refuses = refuses
	return checks
}

func placeOf(checks []check, name string) int {
	at := slices.IndexFunc(checks, func(c check) bool { return c.name == name })
	if at < 0 {
		panic("mutant: no check is named " + name)
	}
	return at
}

func sourceOnly(refuses func(side) *plan.Refusal) func(source, target side) *plan.Refusal {
	return func(source, _ side) *plan.Refusal { return refuses(source) }
}

// coversInTotal counts every block, replicas too.
func coversInTotal(s side) *plan.Refusal {
	var held int64
	for _, b := range s.blocks {
		held += b.elements()
	}
	if held < volume(s.LogicalShape) {
		return plan.Refuse(plan.Invalid, "%s holds %d elements", s.name, held)
	}
	return nil
}

func coversAnywhere(source, target side) *plan.Refusal {
	if refusal := coversInTotal(source); refusal != nil {
		return refusal
	}
	return coversInTotal(target)
}

func fullAtStart(s side) *plan.Refusal {
	return s.eachBlock("names a rank that does not hold its start", func(b block) bool {
		b.shape = ones(len(b.shape))
		for _, rank := range b.locations {
			if s.common(b, rank) == 0 {
				return true
			}
		}
		return false
	})
}

func hiddenAtStart(s side) *plan.Refusal {
	return s.eachBlock("does not name a rank that holds its start", func(b block) bool {
		b.shape = ones(len(b.shape))
		for _, shard := range s.Shards {
			if !slices.Contains(b.locations, shard.Rank) && s.common(b, shard.Rank) > 0 {
				return true
			}
		}
		return false
	})
}

// flattened is the shape of a flat shard that the pieces fill.
func flattened(shard plan.Shard) []int64 {
	var elements int64
	for _, piece := range shard.Pieces {
		elements += volume(piece.Shape)
	}
	return []int64{elements}
}

// takenFrom is the target filled as the source is, keeping the target's ranks where they are as many.
func takenFrom(source, target plan.Map) plan.Map {
	if slices.Equal(source.LogicalShape, target.LogicalShape) {
		return target
	}
	return source
}

func startInShard(_ *plan.Map, shard *plan.Shard, piece *plan.Piece) {
	if outside(piece.Shape, piece.Dest, shard.Shape) {
		piece.Dest.Offset = 0
	}
}

func startInTensor(m *plan.Map, _ *plan.Shard, piece *plan.Piece) {
	if outside(piece.Shape, piece.Source, m.LogicalShape) {
		piece.Source.Offset = 0
	}
}

func outside(shape []int64, view plan.View, tensor []int64) bool {
	elements := volume(tensor)
	return len(shape) == len(view.Strides) && elements > 0 && elements < math.MaxInt32 && !inside(shape, view, tensor)
}

// setSteps gives a piece row-major strides on the axes whose stride is to be replaced.
func setSteps(piece *plan.Piece, m *plan.Map, shard *plan.Shard, replace func(int64) bool) {
	for _, side := range []struct{ strides, tensor []int64 }{
		{piece.Source.Strides, m.LogicalShape},
		{piece.Dest.Strides, shard.Shape},
	} {
		if len(side.strides) != len(side.tensor) {
			continue
		}
		for axis, step := range rowMajor(side.tensor) {
			if replace(side.strides[axis]) {
				side.strides[axis] = step
			}
		}
	}
}

// fitted gives a piece as many extents and strides as the tensor has axes.
func fitted(m *plan.Map, shard *plan.Shard, piece *plan.Piece) {
	piece.Shape = padded(piece.Shape, ones(len(m.LogicalShape)))
	piece.Source.Strides = padded(piece.Source.Strides, rowMajor(m.LogicalShape))
	if len(shard.Shape) == len(m.LogicalShape) {
		piece.Dest.Strides = padded(piece.Dest.Strides, rowMajor(shard.Shape))
	}
}

func padded(values, fill []int64) []int64 {
	return append(slices.Clone(values[:min(len(values), len(fill))]), fill[min(len(values), len(fill)):]...)
}
