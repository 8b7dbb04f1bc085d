package oracle

import (
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// The layouts and plans that tests judge, written without any code under test.

// A part is a box of the logical tensor at the place where a rank keeps it.
type part struct {
	lo, shape []int64
	dest      int64
}

// layout builds a map of row-major shards out of the parts of each rank; locations are found by comparing
// whole parts.
func layout(logical []int64, shapes [][]int64, parts [][]part) plan.Map {
	m := plan.Map{LogicalShape: logical}
	for rank := range parts {
		shard := plan.Shard{Rank: rank, Shape: shapes[rank]}
		for _, p := range parts[rank] {
			piece := plan.Piece{Shape: p.shape, Source: plan.View{Strides: steps(logical)}, Dest: plan.View{Offset: p.dest, Strides: steps(shapes[rank])}}
			for axis := range p.lo {
				piece.Source.Offset += p.lo[axis] * piece.Source.Strides[axis]
			}
			for other := range parts {
				if slices.ContainsFunc(parts[other], func(q part) bool { return slices.Equal(p.lo, q.lo) && slices.Equal(p.shape, q.shape) }) {
					piece.Locations = append(piece.Locations, other)
				}
			}
			shard.Pieces = append(shard.Pieces, piece)
		}
		m.Shards = append(m.Shards, shard)
	}
	return m
}

// steps are row-major strides.
func steps(shape []int64) []int64 {
	strides := make([]int64, len(shape))
	step := int64(1)
	for axis := len(shape) - 1; axis >= 0; axis-- {
		strides[axis], step = step, step*shape[axis]
	}
	return strides
}

// split cuts a matrix evenly along an axis.
func split(rows, columns int64, axis int, ranks int64) plan.Map {
	shape := []int64{rows, columns}
	shape[axis] /= ranks
	var shapes [][]int64
	var parts [][]part
	for rank := range ranks {
		lo := []int64{0, 0}
		lo[axis] = rank * shape[axis]
		shapes, parts = append(shapes, shape), append(parts, []part{{lo, shape, 0}})
	}
	return layout([]int64{rows, columns}, shapes, parts)
}

// replicated gives every rank the whole matrix.
func replicated(rows, columns int64, ranks int) plan.Map {
	shape := []int64{rows, columns}
	shapes, parts := slices.Repeat([][]int64{shape}, ranks), slices.Repeat([][]part{{{[]int64{0, 0}, shape, 0}}}, ranks)
	return layout(shape, shapes, parts)
}

// bigCode splits q of 32 rows over the ranks and gives each the whole 16 rows of k and v: 48x8.
func bigCode(ranks int64) plan.Map {
	q := 32 / ranks
	var shapes [][]int64
	var parts [][]part
	for rank := range ranks {
		shapes = append(shapes, []int64{q + 16, 8})
		parts = append(parts, []part{{[]int64{rank * q, 0}, []int64{q, 8}, 0}, {[]int64{32, 0}, []int64{16, 8}, q * 8}})
	}
	return layout([]int64{48, 8}, shapes, parts)
}

// segment is a copy between two shards.
func segment(shape []int64, sourceRank int, sourceOffset int64, sourceStrides []int64, targetRank int, targetOffset int64, targetStrides []int64) plan.Segment {
	return plan.Segment{
		Shape:  shape,
		Source: plan.Endpoint{Rank: sourceRank, View: plan.View{Offset: sourceOffset, Strides: sourceStrides}},
		Target: plan.Endpoint{Rank: targetRank, View: plan.View{Offset: targetOffset, Strides: targetStrides}},
	}
}

// rowsToColumns is the plan from rows over two ranks to columns over four, as facts.md prints it for 8x8.
func rowsToColumns(rows, columns int64) (plan.Request, plan.Answer) {
	request := plan.Request{Source: split(rows, columns, 0, 2), Target: split(rows, columns, 1, 4)}
	narrow := columns / 4
	answer := plan.Answer{Plan: plan.Plan{LogicalShape: []int64{rows, columns}}}
	for target := range int64(4) {
		for source := range int64(2) {
			answer.Plan.Segments = append(answer.Plan.Segments, segment(
				[]int64{rows / 2, narrow},
				int(source), narrow*target, []int64{columns, 1},
				int(target), rows/2*narrow*source, []int64{narrow, 1}))
		}
	}
	moved := rows * columns
	answer.MovedElements = &moved
	return request, answer
}

// bigCodeTwoToFour is the plan of the seed's table: 7 segments, 640 elements read from rank 0.
func bigCodeTwoToFour() (plan.Request, plan.Answer) {
	wide := []int64{8, 1}
	moved := int64(768)
	copies := []plan.Segment{
		segment([]int64{8, 8}, 0, 0, wide, 0, 0, wide),
		segment([]int64{16, 8}, 0, 128, wide, 0, 64, wide),
		segment([]int64{24, 8}, 0, 64, wide, 1, 0, wide),
		segment([]int64{16, 8}, 0, 128, wide, 2, 64, wide),
		segment([]int64{8, 8}, 1, 0, wide, 2, 0, wide),
		segment([]int64{16, 8}, 0, 128, wide, 3, 64, wide),
		segment([]int64{8, 8}, 1, 64, wide, 3, 0, wide),
	}
	slices.SortFunc(copies, func(a, b plan.Segment) int {
		return slices.Compare([]int64{int64(a.Target.Rank), a.Target.Offset}, []int64{int64(b.Target.Rank), b.Target.Offset})
	})
	return plan.Request{Source: bigCode(2), Target: bigCode(4)}, plan.Answer{Plan: plan.Plan{LogicalShape: []int64{48, 8}, Segments: copies}, MovedElements: &moved}
}

// small is the plan that most tests spoil: 200 elements, 8 segments.
func small() (plan.Request, plan.Answer) { return rowsToColumns(20, 12) }
