package layout

import (
	"errors"
	"fmt"

	"github.com/shardproof/shardproof/plan"
)

// The families in which ranks form a mesh, numbered in row-major order, as PyTorch's DTensor has it. A mesh
// axis of T divides an interval into T equal chunks, rounded up: the last may be shorter or empty.

var nested = Family{
	Name:       "nested",
	Doc:        "one axis split by each mesh axis in turn, the first one outermost",
	Parameters: []string{"shape", "mesh", "axis"},
	Axes:       1,
	Grain:      anyExtent,
	draw:       drawMesh,
	build:      func(a Arguments) (plan.Map, error) { return Nested(a.Shape, a.Axis, a.meshOr(1)) },
}

var strided = Family{
	Name:       "strided",
	Doc:        "one axis split by each mesh axis in turn, the last one outermost (FSDP over tensor parallelism)",
	Parameters: []string{"shape", "mesh", "axis"},
	Axes:       1,
	Grain:      anyExtent,
	draw:       drawMesh,
	build:      func(a Arguments) (plan.Map, error) { return Strided(a.Shape, a.Axis, a.meshOr(1)) },
}

var hsdp = Family{
	Name:       "hsdp",
	Doc:        "one axis split over the last mesh axis and replicated over the first (hybrid sharded data parallel)",
	Parameters: []string{"shape", "mesh", "axis"},
	Axes:       1,
	Grain:      anyExtent,
	draw:       drawMesh,
	build: func(a Arguments) (plan.Map, error) {
		mesh := a.meshOr(1)
		if len(mesh) != 2 {
			return plan.Map{}, fmt.Errorf("a mesh of %d axes, want 2: replicas and shards", len(mesh))
		}
		return HSDP(a.Shape, a.Axis, mesh[0], mesh[1])
	},
}

// Nested is the map in which the first mesh axis divides an axis of F, the second each of its chunks, and so
// on: the ranks hold intervals in ascending order.
func Nested(shape []int64, axis int, mesh []int64) (plan.Map, error) {
	order := make([]int, len(mesh))
	for i := range order {
		order[i] = i
	}
	return onMesh(shape, axis, mesh, order)
}

// Strided is the map in which the last mesh axis divides an axis of F, the one before it each of its chunks,
// and so on: neighbouring ranks hold intervals that lie apart.
func Strided(shape []int64, axis int, mesh []int64) (plan.Map, error) {
	order := make([]int, len(mesh))
	for i := range order {
		order[i] = len(mesh) - 1 - i
	}
	return onMesh(shape, axis, mesh, order)
}

// HSDP is the map of a replicas x shards mesh of ranks: rank i*shards+j holds the j-th chunk of an axis.
func HSDP(shape []int64, axis int, replicas, shards int64) (plan.Map, error) {
	return onMesh(shape, axis, []int64{replicas, shards}, []int{1})
}

// onMesh divides an axis by the mesh axes listed in order, outermost first. It is replicated over the others.
func onMesh(shape []int64, axis int, mesh []int64, order []int) (plan.Map, error) {
	degree, err := ranksOf(mesh)
	if err != nil {
		return plan.Map{}, err
	}
	if err := checkAxis(shape, axis); err != nil {
		return plan.Map{}, err
	}
	runs := make([]run, degree)
	for rank := range runs {
		lo, hi := int64(0), shape[axis]
		for _, meshAxis := range order {
			lo, hi = chunk(lo, hi, mesh[meshAxis], coordinate(rank, mesh, meshAxis))
		}
		runs[rank] = run{rank, lo, hi}
	}
	placed, err := place(shape[axis], degree, runs, 0)
	if err != nil {
		panic("layout: a mesh that does not divide its axis: " + err.Error())
	}
	return placed.alongAxis(shape, axis), nil
}

// ranksOf is the number of ranks of a mesh.
func ranksOf(mesh []int64) (int, error) {
	if len(mesh) == 0 {
		return 0, errors.New("a mesh without axes")
	}
	degree := int64(1)
	for _, extent := range mesh {
		if extent < 1 || extent > MaxRanks {
			return 0, fmt.Errorf("mesh %v: extent %d, want 1 to %d", mesh, extent, MaxRanks)
		}
		if degree *= extent; degree > MaxRanks {
			return 0, fmt.Errorf("mesh %v: more than %d ranks", mesh, MaxRanks)
		}
	}
	return int(degree), nil
}

// coordinate is where a rank stands on an axis of its mesh.
func coordinate(rank int, mesh []int64, axis int) int64 {
	at := int64(rank)
	for i := len(mesh) - 1; i > axis; i-- {
		at /= mesh[i]
	}
	return at % mesh[axis]
}

// chunk is the index-th of n equal chunks, rounded up, of an interval.
func chunk(lo, hi, n, index int64) (int64, int64) {
	length := hi - lo
	size := length / n
	if length%n > 0 {
		size++
	}
	from := min(index*size, length)
	return lo + from, lo + from + min(size, length-from)
}

// meshOr is the mesh, or where none is given a mesh of two axes over the degree, the first of this extent.
func (a Arguments) meshOr(first int64) []int64 {
	if a.Mesh != nil {
		return a.Mesh
	}
	return []int64{first, int64(a.Degree)}
}

func drawMesh(choose Choose, _ []int64, degree int, axes []int) Arguments {
	axis := drawAxis(choose, axes)
	first := drawDivisor(choose, "mesh", int64(degree), mostBlocks)
	return Arguments{Axis: axis, Mesh: []int64{first, int64(degree) / first}}
}
