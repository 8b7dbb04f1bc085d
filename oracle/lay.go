package oracle

import (
	"fmt"

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
	held, with := int32(absent), int32(0)
	for range walk.count {
		if buffer[address] != unplaced {
			return placedTwice
		}
		buffer[address] = int32(label)
		// A row runs through one set of holders nearly always.
		if set := r.holders.of[label]; set != held {
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
