package layout

import (
	"fmt"

	"github.com/shardproof/shardproof/plan"
)

var flat = Family{
	Name:       "flat",
	Doc:        "each rank holds an interval of the flattened tensor, as a shard of one axis (ZeRO, FSDP)",
	Parameters: []string{"shape", "degree", "fragments"},
	Grain:      anyExtent,
	draw:       drawFlat,
	build: func(a Arguments) (plan.Map, error) {
		fragments := make([]Fragment, len(a.Fragments))
		for rank, ends := range a.Fragments {
			if len(ends) != 2 {
				return plan.Map{}, fmt.Errorf("fragment %d: %d numbers, want where it begins and where it ends", rank, len(ends))
			}
			fragments[rank] = Fragment{ends[0], ends[1]}
		}
		if a.Fragments == nil {
			return FlatChunks(a.Shape, a.Degree)
		}
		return Flat(a.Shape, fragments)
	},
}

// A Fragment is the interval [Lo, Hi) of a tensor's elements in row-major order.
type Fragment struct{ Lo, Hi int64 }

// FlatChunks is the map of [Flat] in which the fragments are equal, rounded up: the last ranks hold fewer
// elements or none.
func FlatChunks(shape []int64, degree int) (plan.Map, error) {
	if err := firstError(checkShape(shape), checkDegree(degree)); err != nil {
		return plan.Map{}, err
	}
	elements, _ := plan.Elements(shape)
	fragments, lo := make([]Fragment, degree), int64(0)
	var buffer [16]int64
	for rank, width := range chunks(zeros(buffer[:], degree), elements) {
		fragments[rank] = Fragment{lo, lo + width}
		lo += width
	}
	return Flat(shape, fragments)
}

// Flat is the map in which rank r holds fragments[r] as a shard of one axis. A fragment of n axes is up to
// 2n-1 boxes of F: whole slabs in the middle, and what is left of the slabs at its ends. Fragments may
// overlap; a rank may hold none.
func Flat(shape []int64, fragments []Fragment) (plan.Map, error) {
	if err := firstError(checkShape(shape), checkDegree(len(fragments))); err != nil {
		return plan.Map{}, err
	}
	elements, _ := plan.Elements(shape)
	runs := make([]run, 0, len(fragments))
	for rank, fragment := range fragments {
		if fragment.Lo < 0 || fragment.Hi > elements || fragment.Lo > fragment.Hi {
			return plan.Map{}, fmt.Errorf("rank %d: fragment [%d:%d] of %d elements", rank, fragment.Lo, fragment.Hi, elements)
		}
		if fragment.Lo < fragment.Hi {
			runs = append(runs, run{rank, fragment.Lo, fragment.Hi})
		}
	}
	placed, err := place(elements, len(fragments), runs, 0)
	if err != nil {
		return plan.Map{}, fmt.Errorf("elements %w", err)
	}
	return placed.flattened(shape)
}

// A flatBox is a box of F that is an interval of its elements: from start on, length elements long, extent
// indices of one axis, a single index of those before it and all of those after it.
type flatBox struct {
	cut           cut
	start, length int64
	axis          int
	extent        int64
}

// flattened is the map in which each cut is an interval of F's elements, and a shard is its rank's cuts one
// after the other.
func (p placement) flattened(shape []int64) (plan.Map, error) {
	axes := len(shape)
	strides := rowMajor(make([]int64, axes), shape)
	boxes := make([]flatBox, 0, len(p.cuts)*max(2*axes-1, 1))
	locations := 0
	for _, c := range p.cuts {
		from := len(boxes)
		boxes = appendBoxes(boxes, c, shape, strides)
		locations += (len(boxes) - from) * (c.last - c.first)
	}
	if err := checkLocations(locations); err != nil {
		return plan.Map{}, err
	}
	fresh := store{
		numbers: make([]int64, axes+p.degree+3*axes*len(boxes)),
		ranks:   make([]int, locations),
		pieces:  make([]plan.Piece, len(boxes)),
	}
	built := plan.Map{LogicalShape: fresh.copyOf(shape), Shards: make([]plan.Shard, p.degree)}
	for rank := range built.Shards {
		shard := &built.Shards[rank]
		shard.Rank, shard.Shape = rank, fresh.extents(1)
		own := 0
		for own < len(boxes) && boxes[own].cut.rank == rank {
			shard.Shape[0] += boxes[own].length
			own++
		}
		shard.Pieces = fresh.pieces[:own:own]
		fresh.pieces = fresh.pieces[own:]
		for i, box := range boxes[:own] {
			shard.Pieces[i] = plan.Piece{
				Shape:     box.shape(fresh.extents(axes), shape),
				Source:    plan.View{Offset: box.start, Strides: fresh.copyOf(strides)},
				Dest:      plan.View{Offset: box.cut.at + box.start - box.cut.lo, Strides: fresh.copyOf(strides)},
				Locations: fresh.locations(p.holdersOf(box.cut)),
			}
		}
		boxes = boxes[own:]
	}
	return built, nil
}

// appendBoxes divides a cut of the flattened F into the fewest boxes, in order: each is as many slabs of the
// outermost axis as still fit.
func appendBoxes(boxes []flatBox, c cut, shape, strides []int64) []flatBox {
	for start := c.lo; start < c.hi; {
		box := flatBox{cut: c, start: start, length: 1, axis: 0, extent: 1}
		for axis, stride := range strides {
			if slabs := (c.hi - start) / stride; start%stride == 0 && slabs > 0 {
				rest := shape[axis] - start/stride%shape[axis]
				box.axis, box.extent = axis, min(slabs, rest)
				box.length = box.extent * stride
				break
			}
		}
		boxes = append(boxes, box)
		start += box.length
	}
	return boxes
}

func (b flatBox) shape(extents, shape []int64) []int64 {
	copy(extents, shape)
	for axis := range extents[:min(b.axis, len(extents))] {
		extents[axis] = 1
	}
	if len(extents) > 0 {
		extents[b.axis] = b.extent
	}
	return extents
}

func drawFlat(choose Choose, shape []int64, degree int, _ []int) Arguments {
	if choose("own fragments", 0, 1) == 0 {
		return Arguments{}
	}
	elements, _ := plan.Elements(shape)
	drawn, ends := make([][]int64, degree), make([]int64, 2*degree)
	lo := int64(0)
	for rank, width := range drawWidths(choose, elements, degree) {
		drawn[rank], ends = ends[:2:2], ends[2:]
		drawn[rank][0], drawn[rank][1] = lo, lo+width
		lo += width
	}
	if choose("overlap", 0, 1) == 1 {
		rank := choose("overlapping rank", 0, int64(degree-1))
		drawn[rank][0] -= choose("overlap before", 0, drawn[rank][0])
		drawn[rank][1] += choose("overlap after", 0, elements-drawn[rank][1])
	}
	return Arguments{Fragments: drawn}
}
