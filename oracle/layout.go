package oracle

import (
	"fmt"
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// MaxElements is the most elements that Execute lays out: those of the logical tensor, of all source shards
// and of all target shards, each. It fits real weights, and half a gigabyte.
const MaxElements = 1 << 24

// guardElements is how many cells before and after each shard tell of a write that strays. Shards so start at
// a non-zero storage offset of a larger buffer.
const guardElements = 4

// Values of a buffer that are no label.
const (
	unplaced int32 = -1 - iota // in a shard, where nothing was placed
	guard                      // before and after a shard
	outside                    // what is read where there is no buffer
)

// A cell is one element of a target shard while a plan is executed.
type cell struct {
	wanted  int32 // the label that the target map wants here
	value   int32 // the label that is here
	segment int32 // the last that wrote here
	writes  int32
	strayed bool // something was written here that was read outside a source shard
}

// problem says why a map cannot be laid out, or is empty.
type problem = string

// sameShape checks that both maps speak of one tensor: otherwise labels mean two things.
func (l *look) sameShape() problem {
	source, target := l.request.Source.LogicalShape, l.request.Target.LogicalShape
	if !slices.Equal(source, target) {
		return fmt.Sprintf("the source map is of a tensor %v and the target map of a tensor %v", source, target)
	}
	return ""
}

// sized checks that the shards and the tensor of a map can be counted, and are few enough.
func sized(side string, m *plan.Map, shards []ranked) (elements int64, p problem) {
	if logical, ok := plan.Elements(m.LogicalShape); !ok || logical > MaxElements {
		return 0, fmt.Sprintf("%s map: more than %d elements in logical shape %v", side, MaxElements, m.LogicalShape)
	}
	for i, shard := range shards {
		switch {
		case shard.elements < 0:
			return 0, fmt.Sprintf("%s map: rank %d has no shard shape that can be counted", side, shard.Rank)
		case i > 0 && shards[i-1].Rank == shard.Rank:
			return 0, fmt.Sprintf("%s map: rank %d stands twice", side, shard.Rank)
		}
		if elements = add(elements, shard.elements); elements > MaxElements {
			return 0, fmt.Sprintf("%s map: more than %d elements in all shards", side, MaxElements)
		}
	}
	return elements, ""
}

// placeable checks that a piece can be walked: that it copies as it stands, inside the tensor and the shard.
func placeable(piece *plan.Piece, logical, elements int64) problem {
	if len(piece.Source.Strides) != len(piece.Shape) || len(piece.Dest.Strides) != len(piece.Shape) {
		return "has strides and extents of different lengths"
	}
	for _, extent := range piece.Shape {
		if extent < 0 {
			return "has a negative extent"
		}
	}
	switch {
	case piece.Scale != nil && *piece.Scale != 1:
		return "has a scale other than 1"
	case piece.Empty():
		return ""
	case !inside(piece.Shape, piece.Source.Offset, piece.Source.Strides, logical):
		return "leaves the logical tensor"
	case !inside(piece.Shape, piece.Dest.Offset, piece.Dest.Strides, elements):
		return "leaves the shard"
	case volume(piece.Shape) > elements:
		return "places more elements than the shard has"
	}
	return ""
}

// walkPieces walks every piece of a shard. Visit is given the rows, the label being first[0] and the address
// first[1], and says what is wrong with one, if anything is.
func walkPieces(side string, shard ranked, logical int64, walk *rows, visit func(*rows) problem) problem {
	for i := range shard.Pieces {
		piece := &shard.Pieces[i]
		p := placeable(piece, logical, shard.elements)
		offsets := [2]int64{piece.Source.Offset, piece.Dest.Offset}
		more := p == "" && walk.start(piece.Shape, offsets, piece.Source.Strides, piece.Dest.Strides)
		for ; more && p == ""; more = walk.next() {
			p = visit(walk)
		}
		if p != "" {
			return fmt.Sprintf("%s map: rank %d piece %d: %s", side, shard.Rank, i, p)
		}
	}
	return ""
}

const placedTwice = "places two elements at one address of the shard"

// laySource fills the source shards with labels and finds out who holds what.
func (r *run) laySource() problem {
	logical, _ := plan.Elements(r.request.Source.LogicalShape)
	total, p := sized("source", &r.request.Source, r.source)
	if p != "" {
		return p
	}
	r.sourceBuffer = resized(r.sourceBuffer, total+2*guardElements*int64(len(r.source)))
	r.holders.clear(logical)
	r.sourceBase = r.sourceBase[:0]
	start := int64(0)
	for at, shard := range r.source {
		buffer := r.sourceBuffer[start : start+shard.elements+2*guardElements]
		fill(buffer, unplaced, guard)
		r.sourceBase = append(r.sourceBase, start+guardElements)
		if p := r.fillShard(int32(at), buffer[guardElements:len(buffer)-guardElements], logical); p != "" {
			return p
		}
		start += int64(len(buffer))
	}
	r.laid = append(r.laid[:0], r.sourceBuffer...)
	return ""
}

// fill prepares a buffer: guards round a shard.
func fill[T any](buffer []T, within, guard T) {
	for i := range guardElements {
		buffer[i], buffer[len(buffer)-1-i] = guard, guard
	}
	for i := guardElements; i < len(buffer)-guardElements; i++ {
		buffer[i] = within
	}
}

// fillShard places the pieces of one source shard.
func (r *run) fillShard(at int32, buffer []int32, logical int64) problem {
	placed := int64(0)
	p := walkPieces("source", r.source[at], logical, &r.walk, func(walk *rows) problem {
		placed += walk.count
		return r.fillRow(at, buffer, walk)
	})
	if p == "" && placed != int64(len(buffer)) {
		p = fmt.Sprintf("source map: rank %d: the pieces leave a gap in the shard", r.source[at].Rank)
	}
	return p
}

func (r *run) fillRow(at int32, buffer []int32, walk *rows) problem {
	label, address := walk.first[0], walk.first[1]
	held, with := int32(absent), int32(absent)
	for range walk.count {
		if buffer[address] != unplaced {
			return placedTwice
		}
		buffer[address] = int32(label)
		// A row runs through one set of holders nearly always.
		if set := r.holders.of[label]; set != held || with == absent {
			next, ok := r.holders.add(set, at)
			if !ok {
				return "holds an element a second time"
			}
			held, with = set, next
		}
		r.holders.of[label] = with
		label += walk.step[0]
		address += walk.step[1]
	}
	return ""
}

// layTarget fills the target shards with what is wanted, and with nothing written.
func (r *run) layTarget() problem {
	logical, _ := plan.Elements(r.request.Target.LogicalShape)
	total, p := sized("target", &r.request.Target, r.target)
	if p != "" {
		return p
	}
	r.targetElements = total
	r.targetBuffer = resized(r.targetBuffer, total+2*guardElements*int64(len(r.target)))
	r.targetBase = r.targetBase[:0]
	start := int64(0)
	for _, shard := range r.target {
		buffer := r.targetBuffer[start : start+shard.elements+2*guardElements]
		fill(buffer, cell{wanted: unplaced, value: unplaced}, cell{wanted: guard, value: guard})
		r.targetBase = append(r.targetBase, start+guardElements)
		if p := r.wantShard(shard, buffer[guardElements:len(buffer)-guardElements], logical); p != "" {
			return p
		}
		start += int64(len(buffer))
	}
	return ""
}

// wantShard writes down what one target shard wants.
func (r *run) wantShard(shard ranked, cells []cell, logical int64) problem {
	placed := int64(0)
	p := walkPieces("target", shard, logical, &r.walk, func(walk *rows) problem {
		placed += walk.count
		label, address := walk.first[0], walk.first[1]
		for range walk.count {
			if cells[address].wanted != unplaced {
				return placedTwice
			}
			cells[address].wanted = int32(label)
			label += walk.step[0]
			address += walk.step[1]
		}
		return ""
	})
	if p == "" && placed != int64(len(cells)) {
		p = fmt.Sprintf("target map: rank %d: the pieces leave a gap in the shard", shard.Rank)
	}
	return p
}
