package plan

import (
	"cmp"
	"fmt"
	"slices"
)

// Canonical tells which pieces of a map could still be merged (map.canonical, which a map should keep): pieces
// of one rank with the same locations and scale whose union is one box of F and of the shard, placed by one
// set of strides. There is a violation for each pair, by rank and then by what the pieces say.
//
// It looks at pairs, so a group of pieces of which no two can be merged is canonical here even where three
// would make a box. Empty pieces place nothing and count for nothing. A map whose pieces are not all blocks
// (Blocks) has no violations here: it is for Validate.
func (m Map) Canonical() []Violation {
	j := sortedJudge(m)
	for _, stage := range [...]func(){j.structure, j.bounds, j.expressible} {
		if stage(); len(j.found) > 0 {
			return nil
		}
	}
	var pairs [][3]int // two blocks and the axis along which they make one
	blocks := j.blocks()
	for axis := range j.m.LogicalShape {
		pairs = j.mergeable(blocks, axis, pairs)
	}
	slices.SortFunc(pairs, func(a, b [3]int) int { return slices.Compare(a[:], b[:]) })
	var violations []Violation
	for _, pair := range pairs {
		a, b := blocks[pair[0]], blocks[pair[1]]
		violations = append(violations, Violation{
			Rule: RuleCanonical, Kind: Invalid, Path: j.rankPath(a.Shard),
			Detail: fmt.Sprintf("pieces %d and %d, %s and %s, could be one piece along axis %d",
				j.number(a.Shard, a.Piece), j.number(b.Shard, b.Piece), spanText(a.Lo, a.Shape), spanText(b.Lo, b.Shape), pair[2]),
		})
	}
	return violations
}

// mergeable appends the pairs of blocks that make one block along an axis.
func (j *judge) mergeable(blocks []Block, axis int, pairs [][3]int) [][3]int {
	order := make([]int, len(blocks))
	for i := range order {
		order[i] = i
	}
	// In this order, two blocks of which one continues the other stand next to each other: a rank holds no
	// element twice.
	slices.SortStableFunc(order, func(x, y int) int { return compareAlong(axis, blocks[x], blocks[y]) })
	for i := 1; i < len(order); i++ {
		if x, y := order[i-1], order[i]; j.continues(blocks[x], blocks[y], axis) {
			pairs = append(pairs, [3]int{x, y, axis})
		}
	}
	return pairs
}

// compareAlong orders blocks by shard, then by what they take up on all other axes, then along the axis.
func compareAlong(axis int, a, b Block) int {
	if c := cmp.Compare(a.Shard, b.Shard); c != 0 {
		return c
	}
	for k := range a.Lo {
		if k != axis {
			if c := cmp.Or(cmp.Compare(a.Lo[k], b.Lo[k]), cmp.Compare(a.Shape[k], b.Shape[k])); c != 0 {
				return c
			}
		}
	}
	return cmp.Compare(a.Lo[axis], b.Lo[axis])
}

// continues reports whether block b goes on where a ends along an axis, in F and in the shard, and belongs to
// the same ranks by the same scale.
func (j *judge) continues(a, b Block, axis int) bool {
	first, second := j.m.Shards[a.Shard].Pieces[a.Piece], j.m.Shards[b.Shard].Pieces[b.Piece]
	ranks, _ := ascending(first.Locations)
	others, _ := ascending(second.Locations)
	if a.Shard != b.Shard || !slices.Equal(ranks, others) || first.scale() != second.scale() ||
		b.Lo[axis] != a.Lo[axis]+a.Shape[axis] {
		return false
	}
	merged := View{Offset: a.Address, Strides: slices.Clone(a.Strides)}
	for k := range a.Lo {
		switch {
		case k != axis && (a.Lo[k] != b.Lo[k] || a.Shape[k] != b.Shape[k]),
			a.Shape[k] > 1 && b.Shape[k] > 1 && a.Strides[k] != b.Strides[k]:
			return false
		case k == axis && a.Shape[k] == 1 && b.Shape[k] == 1:
			// What separates the two is the stride of the axis.
			merged.Strides[k] = b.Address - a.Address
		case k == axis && a.Shape[k] == 1:
			merged.Strides[k] = b.Strides[k]
		}
	}
	// Addresses inside the shard: their difference fits, and the quotient is compared to avoid a product.
	gap := b.Address - a.Address
	if gap%a.Shape[axis] != 0 || gap/a.Shape[axis] != merged.Strides[axis] {
		return false
	}
	shape := slices.Clone(a.Shape)
	shape[axis] += b.Shape[axis]
	var p placed
	return j.place(&p, merged, shape, &j.shards[a.Shard]) && p.filled && !p.repeats && p.forward
}
