package mutant

import (
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// addresses are the planners that read or write in the wrong place.
func addresses() []Mutant {
	return []Mutant{
		{
			Name:    "address-advance-first-axis-missing",
			Doc:     "The read is not advanced along the first axis, so a shard that wants the later rows of a block gets its first ones.",
			Clauses: []string{"values", "bounds"},
			Small:   true,
			New:     reading(func(from, _ block, common box) plan.View { return advancedBut(from, common, 0) }),
		},
		{
			Name:    "address-advance-fourth-axis-missing",
			Doc:     "The read is not advanced along the fourth axis and later ones, so convolutions and stacked experts are wrong where matrices are right.",
			Clauses: []string{"values", "bounds"},
			New:     reading(func(from, _ block, common box) plan.View { return advancedBut(from, common, 3, 4, 5, 6, 7) }),
		},
		{
			Name:    "address-advance-last-axis-missing",
			Doc:     "The read is not advanced along the last axis, so a shard that wants the later columns of a block gets its first ones.",
			Clauses: []string{"values", "bounds"},
			Small:   true,
			New: reading(func(from, _ block, common box) plan.View {
				return advancedBut(from, common, len(common.lo)-1)
			}),
		},
		{
			Name:    "address-advance-of-target",
			Doc:     "The read is advanced by the place of the intersection in the target block in place of the source block, so the right block is read from the wrong row.",
			Clauses: []string{"values", "bounds"},
			Small:   true,
			New: reading(func(from, to block, common box) plan.View {
				from.lo = to.lo
				return advanced(from, common)
			}),
		},
		{
			Name:    "address-bytes-past-2-32",
			Doc:     "Addresses go through 32-bit byte offsets of 4-byte elements, so whatever lies 4 GiB into a shard is read from near its start.",
			Clauses: []string{"values", "bounds"},
			New: reading(func(from, _ block, common box) plan.View {
				view := advanced(from, common)
				view.Offset = int64(uint32(view.Offset*4)) / 4
				return view
			}),
		},
		{
			Name:    "address-column-major",
			Doc:     "Source shards are taken to be stored column-major, so matrices come out transposed inside each shard.",
			Clauses: []string{"values", "bounds"},
			Small:   true,
			New:     reading(columnMajor),
		},
		{
			Name:    "address-flat-shard-strides",
			Doc:     "A flat shard is read with the strides of the whole tensor, so a ZeRO or FSDP fragment that does not hold whole rows is read too far.",
			Clauses: []string{"values", "bounds"},
			New: reading(func(from, _ block, common box) plan.View {
				if len(from.shard.Shape) != len(from.layout.LogicalShape) {
					from.strides = rowMajor(from.layout.LogicalShape)
				}
				return advanced(from, common)
			}),
		},
		{
			Name:    "address-innermost-stride-one",
			Doc:     "The last axis is taken to be contiguous in every source shard, so a transposed shard is read along the wrong axis.",
			Clauses: []string{"values", "bounds"},
			New: reading(func(from, _ block, common box) plan.View {
				view := advanced(from, common)
				if last := len(view.Strides) - 1; last >= 0 {
					view.Strides[last] = 1
				}
				return view
			}),
		},
		{
			Name:    "address-int32-read",
			Doc:     "The read address is a 32-bit integer, so a shard of more than 2^31 elements is read at a negative address.",
			Clauses: []string{"bounds", "values"},
			New: reading(func(from, _ block, common box) plan.View {
				view := advanced(from, common)
				view.Offset = int64(int32(view.Offset))
				return view
			}),
		},
		{
			Name:    "address-int32-stride",
			Doc:     "Strides are 32-bit integers, so a tensor whose rows are longer than 2^31 elements is read backwards or in place.",
			Clauses: []string{"bounds", "values"},
			New: reading(func(from, _ block, common box) plan.View {
				view := advanced(from, common)
				for axis, stride := range view.Strides {
					view.Strides[axis] = int64(int32(stride))
				}
				return view
			}),
		},
		{
			Name:    "address-int32-written",
			Doc:     "The write address is an unsigned 32-bit integer, so the end of a shard of more than 2^32 elements is written over its start.",
			Clauses: []string{"once", "cover", "values", "bounds"},
			New: writing(func(to block, common box) plan.View {
				view := advanced(to, common)
				view.Offset = int64(uint32(view.Offset))
				return view
			}),
		},
		{
			Name:    "address-logical-offset",
			Doc:     "The read address is the element's offset in the full tensor in place of the shard, so every rank but the first is read far outside.",
			Clauses: []string{"bounds", "values"},
			Small:   true,
			New: reading(func(from, _ block, common box) plan.View {
				return plan.View{
					Offset:  dot(common.lo, rowMajor(from.layout.LogicalShape)),
					Strides: slices.Clone(from.strides),
				}
			}),
		},
		{
			Name:    "address-logical-strides",
			Doc:     "The read steps with the strides of the full tensor in place of the shard's, so a column shard is read with gaps.",
			Clauses: []string{"bounds", "values"},
			Small:   true,
			New: reading(func(from, _ block, common box) plan.View {
				from.strides = rowMajor(from.layout.LogicalShape)
				return advanced(from, common)
			}),
		},
		{
			Name:    "address-of-lowest-holder",
			Doc:     "The selector's rank is read at the lowest holder's address, so a replica that stores the block elsewhere gives other data.",
			Clauses: []string{"values", "bounds"},
			Small:   true,
			New: changed(func(s *steps) {
				s.held = func(from region, holder int) []block { return renamed(held(from, from.locations[0]), holder) }
			}),
		},
		{
			Name:    "address-permuted-as-row-major",
			Doc:     "A shard that stores the axes in another order is read as if it were row-major, so a transposed weight comes out scrambled.",
			Clauses: []string{"values", "bounds"},
			New: reading(func(from, _ block, common box) plan.View {
				if len(from.shard.Shape) == len(from.strides) {
					from.strides = rowMajor(from.shard.Shape)
				}
				return advanced(from, common)
			}),
		},
		{
			Name:    "address-piece-strides",
			Doc:     "The read steps with the strides of the piece as if it stood alone, so a piece narrower than its shard is read from its neighbour.",
			Clauses: []string{"values", "bounds"},
			Small:   true,
			New: reading(func(from, _ block, common box) plan.View {
				from.strides = rowMajor(from.shape)
				return advanced(from, common)
			}),
		},
		{
			Name:    "address-piece-strides-written",
			Doc:     "The write steps with the strides of the piece as if it stood alone, so a piece narrower than its shard is written over its neighbour.",
			Clauses: []string{"once", "cover", "values", "bounds"},
			Small:   true,
			New: writing(func(to block, common box) plan.View {
				to.strides = rowMajor(to.shape)
				return advanced(to, common)
			}),
		},
		{
			Name:    "address-pieces-concatenated",
			Doc:     "The pieces of a source shard are taken to lie one after another, so shards whose columns interleave are read as rows.",
			Clauses: []string{"values", "bounds", "stable"},
			Small:   true,
			New:     reading(concatenated),
		},
		{
			Name:    "address-read-not-advanced",
			Doc:     "Every copy reads from the start of its source piece, so splitting a block over more ranks gives each the same first part.",
			Clauses: []string{"values", "bounds"},
			Small:   true,
			New: reading(func(from, _ block, common box) plan.View {
				return plan.View{Offset: from.address, Strides: slices.Clone(from.strides)}
			}),
		},
		{
			Name:    "address-shard-offset-ignored",
			Doc:     "A piece's offset in its shard is left out, so every piece of a rank is read from the first one's place.",
			Clauses: []string{"values", "bounds"},
			Small:   true,
			New: reading(func(from, _ block, common box) plan.View {
				from.address = 0
				return advanced(from, common)
			}),
		},
		{
			Name:    "address-stored-in-logical-order",
			Doc:     "A rank's blocks are taken to be stored in the order of the full tensor, so gathered heads and listed experts are swapped.",
			Clauses: []string{"values", "bounds"},
			New:     reading(inLogicalOrder),
		},
		{
			Name:    "address-strides-of-source",
			Doc:     "The write steps with the source shard's strides, so a target shard of another width is sheared.",
			Clauses: []string{"once", "cover", "values", "bounds"},
			Small:   true,
			New: changed(func(s *steps) {
				s.fold = unfolded(func(segment *plan.Segment) {
					segment.Target.Strides = slices.Clone(segment.Source.Strides)
				})
			}),
		},
		{
			Name:    "address-strides-of-target",
			Doc:     "The read steps with the target shard's strides, so a source shard of another width is sheared.",
			Clauses: []string{"values", "bounds"},
			Small:   true,
			New: reading(func(from, to block, common box) plan.View {
				view := advanced(from, common)
				view.Strides = slices.Clone(to.strides)
				return view
			}),
		},
		{
			Name:    "address-write-not-advanced",
			Doc:     "Every copy writes at the start of its target piece, so what comes from several ranks overwrites itself.",
			Clauses: []string{"once", "cover", "values"},
			Small:   true,
			New: writing(func(to block, _ box) plan.View {
				return plan.View{Offset: to.address, Strides: slices.Clone(to.strides)}
			}),
		},
	}
}

func reading(read func(source, target block, common box) plan.View) func() plan.Planner {
	return changed(func(s *steps) { s.read = read })
}

func writing(write func(target block, common box) plan.View) func() plan.Planner {
	return changed(func(s *steps) { s.write = write })
}

// unfolded changes every segment before the segments are folded.
func unfolded(change func(*plan.Segment)) func([]plan.Segment, joining) []plan.Segment {
	return func(segments []plan.Segment, joins joining) []plan.Segment {
		for i := range segments {
			change(&segments[i])
		}
		return fold(segments, joins)
	}
}

// advancedBut advances along every axis but some.
func advancedBut(from block, to box, but ...int) plan.View {
	lo := slices.Clone(to.lo)
	for _, axis := range but {
		if axis >= 0 && axis < len(lo) {
			lo[axis] = from.lo[axis]
		}
	}
	return advanced(from, box{lo, to.shape})
}

func columnMajor(from, _ block, common box) plan.View {
	shard := from.shard.Shape
	if len(shard) != len(from.strides) {
		return advanced(from, common)
	}
	strides := make([]int64, len(shard))
	step := int64(1)
	for axis, extent := range shard {
		strides[axis] = step
		step *= extent
	}
	from.address = dot(coordinates(from.address, shard), strides)
	from.strides = strides
	return advanced(from, common)
}

func dot(a, b []int64) (sum int64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// renamed are blocks as if another rank had them in the same place.
func renamed(blocks []block, rank int) []block {
	for i := range blocks {
		blocks[i].rank = rank
	}
	return blocks
}

func concatenated(from, _ block, common box) plan.View {
	from.address = 0
	for i := range from.shard.Pieces {
		piece := &from.shard.Pieces[i]
		if piece == from.piece {
			break
		}
		from.address += volume(piece.Shape)
	}
	from.strides = rowMajor(from.shape)
	return advanced(from, common)
}

// inLogicalOrder is wrong only for blocks that are contiguous in their shard, where the guess is a likely one.
func inLogicalOrder(from, _ block, common box) plan.View {
	if !sameSteps(from.shape, from.strides, rowMajor(from.shape)) {
		return advanced(from, common)
	}
	from.address = 0
	for _, piece := range from.shard.Pieces {
		if piece.Source.Offset < from.piece.Source.Offset {
			from.address += volume(piece.Shape)
		}
	}
	return advanced(from, common)
}
