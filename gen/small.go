package gen

import (
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// A Grid bounds the small maps of one logical shape: every way to cut each axis, and for every cell of every
// cut every set of the ranks that may hold it.
type Grid struct {
	Shape []int64 // without zeros
	Ranks int     // from 1
}

// SmallGrids are the bounds that are run through whole: within two minutes, and large enough for corners,
// for replicas that meet, and for ranks that hold nothing.
func SmallGrids() []Grid {
	return []Grid{
		{Shape: []int64{2, 2}, Ranks: 3},
		{Shape: []int64{2, 3}, Ranks: 2},
		{Shape: []int64{3, 2}, Ranks: 2},
		{Shape: []int64{3}, Ranks: 3},
	}
}

// EachSmall makes a case of every pair of small maps of each grid in turn, until yield returns false, and
// says how many it made.
//
// Maps that differ only in how ranks are numbered count once, as the one whose cells have the least sets of
// holders when read as binary numbers in row-major order. A rank holds its cells side by side where they are
// a product of rows and columns, else one after another along the one axis on which they differ in extent;
// it may hold none. The forms of the selector that always leave a plan take turns from pair to pair.
func EachSmall(grids []Grid, yield func(plan.Case) bool) (made int) {
	for _, grid := range grids {
		maps := smallMaps(grid)
		for i := range maps {
			for j := range maps {
				made++
				if !yield(smallCase(&maps[i], &maps[j], i+j)) {
					return made
				}
			}
		}
	}
	return made
}

// A smallMap is one side of many small cases, with what a case needs of it.
type smallMap struct {
	plan.Map
	elements int64 // of all shards
}

func smallCase(source, target *smallMap, pair int) plan.Case {
	selectors := [...]plan.Selector{
		{}, {Policy: plan.PolicyHighest}, {Policy: plan.PolicyLocal}, {Policy: plan.PolicyBalanced}, {Policy: plan.PolicyAny},
	}
	return plan.Case{
		Request: plan.Request{Source: source.Map, Target: target.Map, Selector: selectors[pair%len(selectors)]},
		Expect:  plan.Expect{Outcome: plan.Exact, MovedElements: &target.elements},
		Origin:  "every small case",
	}
}

// smallMaps makes every map of a grid, up to the numbering of the ranks.
func smallMaps(grid Grid) []smallMap {
	var maps []smallMap
	renamings := renamings(grid.Ranks)
	Every(func(choose Choose) bool {
		d := &draw{choose: choose}
		cells := d.cells(grid)
		if isFirst(cells, renamings) {
			made := smallMap{Map: d.smallMap(grid, cells)}
			made.elements, _ = elementsOf(&made.Map)
			maps = append(maps, made)
		}
		return true
	})
	return maps
}

// A cell is a box of the cut grid, and the ranks that hold it.
type cell struct {
	lo, shape []int64
	holders   uint64
}

// cells draws the cuts of each axis and the holders of each cell, which stand in row-major order.
func (d *draw) cells(grid Grid) []cell {
	cells := []cell{{}}
	for _, extent := range grid.Shape {
		intervals := d.intervals(extent)
		longer := make([]cell, 0, len(cells)*len(intervals))
		for _, c := range cells {
			for _, interval := range intervals {
				longer = append(longer, cell{
					lo:    append(slices.Clone(c.lo), interval[0]),
					shape: append(slices.Clone(c.shape), interval[1]-interval[0]),
				})
			}
		}
		cells = longer
	}
	for i := range cells {
		cells[i].holders = uint64(d.choose("holders", 1, 1<<grid.Ranks-1))
	}
	return cells
}

// intervals draws at which of its inner boundaries an axis is cut.
func (d *draw) intervals(extent int64) [][2]int64 {
	var intervals [][2]int64
	lo := int64(0)
	for at := int64(1); at < extent; at++ {
		if d.oneIn("cut here", 2) {
			intervals = append(intervals, [2]int64{lo, at})
			lo = at
		}
	}
	return append(intervals, [2]int64{lo, extent})
}

// renamings lists every numbering of the ranks, as where each rank's bit goes.
func renamings(ranks int) [][]int {
	var all [][]int
	Every(func(choose Choose) bool {
		d := &draw{choose: choose}
		numbers := make([]int, ranks)
		for i := range numbers {
			numbers[i] = i
		}
		d.shuffle("rank", ranks, func(i, j int) { numbers[i], numbers[j] = numbers[j], numbers[i] })
		all = append(all, numbers)
		return true
	})
	return all
}

// isFirst reports whether no numbering of the ranks gives the cells lesser holders.
func isFirst(cells []cell, renamings [][]int) bool {
	for _, numbers := range renamings {
		for _, c := range cells {
			if renamed := rename(c.holders, numbers); renamed != c.holders {
				if renamed < c.holders {
					return false
				}
				break
			}
		}
	}
	return true
}

func rename(holders uint64, numbers []int) uint64 {
	renamed := uint64(0)
	for rank, number := range numbers {
		renamed |= holders >> rank & 1 << number
	}
	return renamed
}

func (d *draw) smallMap(grid Grid, cells []cell) plan.Map {
	of := d.tensorOf(grid.Shape)
	ids := make([]int, grid.Ranks)
	for i := range ids {
		ids[i] = i
	}
	built := plan.Map{LogicalShape: of.shape}
	for rank := range ids {
		built.Shards = append(built.Shards, d.smallShard(of, rank, cells, ids))
	}
	return built
}

// smallShard lays out the cells of one rank.
func (d *draw) smallShard(of tensor, rank int, cells []cell, ids []int) plan.Shard {
	shard := plan.Shard{Rank: rank, Pieces: []plan.Piece{}}
	var mine []cell
	for _, c := range cells {
		if c.holders>>rank&1 == 1 {
			mine = append(mine, c)
		}
	}
	positions, shape := arrange(mine, len(of.shape))
	strides := d.rowMajor(shape)
	for i, c := range mine {
		piece := plan.Piece{
			Shape:     c.shape,
			Source:    plan.View{Strides: of.strides},
			Dest:      plan.View{Strides: strides},
			Locations: d.locations(c.holders, ids),
		}
		for axis := range c.lo {
			piece.Source.Offset += c.lo[axis] * of.strides[axis]
			piece.Dest.Offset += positions[i][axis] * strides[axis]
		}
		shard.Pieces = append(shard.Pieces, piece)
	}
	shard.Shape = shape
	return shard
}

// arrange says where in a shard of which shape each cell stands. It panics where the cells are no product and
// differ in extent on more than one axis: no grid of two axes has such cells where one axis has at most two
// indices.
func arrange(cells []cell, axes int) (positions [][]int64, shape []int64) {
	positions, shape, ok := sideBySide(cells, axes)
	for axis := 0; !ok && axis < axes; axis++ {
		positions, shape, ok = stacked(cells, axis)
	}
	if !ok {
		panic("gen: cells of a small grid that fit no shard")
	}
	return positions, shape
}

// sideBySide keeps each cell's place among the intervals that the cells take on each axis. It is false where
// the cells are not all of the product of those intervals.
func sideBySide(cells []cell, axes int) (positions [][]int64, shape []int64, ok bool) {
	positions, shape = make([][]int64, len(cells)), make([]int64, axes)
	product := 1
	for axis := range axes {
		widths := map[int64]int64{}
		for _, c := range cells {
			widths[c.lo[axis]] = c.shape[axis]
		}
		for i, c := range cells {
			position := int64(0)
			for lo, width := range widths {
				if lo < c.lo[axis] {
					position += width
				}
			}
			positions[i] = append(positions[i], position)
		}
		for _, width := range widths {
			shape[axis] += width
		}
		product *= len(widths)
	}
	return positions, shape, product == len(cells)
}

// stacked puts the cells one after another along an axis. It is false where they differ in another extent.
func stacked(cells []cell, axis int) (positions [][]int64, shape []int64, ok bool) {
	shape = slices.Clone(cells[0].shape)
	shape[axis] = 0
	for _, c := range cells {
		if !equalBut(axis, c.shape, cells[0].shape) {
			return nil, nil, false
		}
		position := make([]int64, len(shape))
		position[axis] = shape[axis]
		positions = append(positions, position)
		shape[axis] += c.shape[axis]
	}
	return positions, shape, true
}
