package layout

import (
	"fmt"

	"github.com/shardproof/shardproof/plan"
)

var grid = Family{
	Name:       "grid",
	Doc:        "every axis split over a mesh axis of its own, each rank holding one box",
	Parameters: []string{"shape", "mesh", "widths"},
	Axes:       1,
	Grain:      anyExtent,
	draw:       drawGrid,
	build:      buildGrid,
}

// Grid is the map of a mesh of ranks, numbered in row-major order, with as many axes as F: mesh axis i divides
// axis i of F into intervals of widths[i], whose number is the mesh's extent. An axis with one width is whole.
func Grid(shape []int64, widths [][]int64) (plan.Map, error) {
	degree, err := checkGrid(shape, widths)
	if err != nil {
		return plan.Map{}, err
	}
	axes := len(shape)
	fresh := store{numbers: make([]int64, axes*(1+4*degree)), ranks: make([]int, degree)}
	pieces := make([]plan.Piece, degree)
	built := plan.Map{LogicalShape: fresh.copyOf(shape), Shards: make([]plan.Shard, degree)}
	for rank := range built.Shards {
		piece := &pieces[rank]
		piece.Shape = fresh.extents(axes)
		piece.Source.Strides = rowMajor(fresh.extents(axes), shape)
		at := rank
		for axis := axes - 1; axis >= 0; axis-- {
			index := at % len(widths[axis])
			at /= len(widths[axis])
			piece.Shape[axis] = widths[axis][index]
			piece.Source.Offset += sum(widths[axis][:index]) * piece.Source.Strides[axis]
		}
		piece.Dest.Strides = rowMajor(fresh.extents(axes), piece.Shape)
		piece.Locations = fresh.ranks[rank : rank+1 : rank+1]
		piece.Locations[0] = rank
		built.Shards[rank] = plan.Shard{Rank: rank, Shape: fresh.copyOf(piece.Shape), Pieces: pieces[rank : rank+1 : rank+1]}
	}
	return built, nil
}

func checkGrid(shape []int64, widths [][]int64) (degree int, err error) {
	if len(widths) != len(shape) {
		return 0, fmt.Errorf("widths of %d axes, F has %d", len(widths), len(shape))
	}
	if err := checkShape(shape); err != nil {
		return 0, err
	}
	degree = 1
	for axis, own := range widths {
		end := int64(0)
		for index, width := range own {
			next, ok := add(end, width)
			if !ok {
				return 0, fmt.Errorf("axis %d: width %d is %d, want 0 to %d", axis, index, width, maxInt64-end)
			}
			end = next
		}
		if end != shape[axis] {
			return 0, fmt.Errorf("axis %d: the widths add up to %d, F has %d", axis, end, shape[axis])
		}
		if len(own) > MaxRanks {
			return 0, fmt.Errorf("axis %d: %d widths, want 1 to %d", axis, len(own), MaxRanks)
		}
		if degree *= len(own); degree > MaxRanks {
			return 0, fmt.Errorf("more than %d ranks up to axis %d", MaxRanks, axis)
		}
	}
	return degree, checkDegree(degree)
}

func sum(numbers []int64) (total int64) {
	for _, number := range numbers {
		total += number
	}
	return total
}

// buildGrid divides by the widths, or else into chunks over the mesh, or else over all ranks along axis 0.
func buildGrid(a Arguments) (plan.Map, error) {
	if a.Widths != nil {
		return Grid(a.Shape, a.Widths)
	}
	mesh := a.Mesh
	if mesh == nil {
		mesh = append([]int64{int64(a.Degree)}, ones(len(a.Shape)-1)...)
	}
	if _, err := ranksOf(mesh); err != nil {
		return plan.Map{}, err
	}
	if len(mesh) != len(a.Shape) {
		return plan.Map{}, fmt.Errorf("a mesh of %d axes, F has %d", len(mesh), len(a.Shape))
	}
	widths := make([][]int64, len(mesh))
	for axis := range widths {
		widths[axis] = chunks(make([]int64, mesh[axis]), a.Shape[axis])
	}
	return Grid(a.Shape, widths)
}

func ones(n int) []int64 {
	all := make([]int64, max(n, 0))
	for i := range all {
		all[i] = 1
	}
	return all
}

func drawGrid(choose Choose, shape []int64, degree int, axes []int) Arguments {
	first := drawDivisor(choose, "mesh", int64(degree), mostBlocks)
	mesh := ones(len(shape))
	axis := drawAxis(choose, axes)
	mesh[axis] = first
	mesh[(axis+1)%len(mesh)] *= int64(degree) / first
	if choose("own widths", 0, 1) == 0 {
		return Arguments{Mesh: mesh}
	}
	widths := make([][]int64, len(mesh))
	for axis := range widths {
		widths[axis] = drawWidths(choose, shape[axis], int(mesh[axis]))
	}
	return Arguments{Widths: widths}
}
