package reference

import (
	"fmt"

	"github.com/shardproof/shardproof/plan"
)

// execute runs a plan on labelled elements and says what is wrong with what it wrote: "" where each target
// element was written once, with the element of F that the target map wants there. An element's label is its
// row-major index in F. It shares nothing with the planner.
func execute(request plan.Request, p plan.Plan) string {
	sources, targets := materialize(request.Source), materialize(request.Target)
	writes := map[int][]int{}
	found := map[int][]int64{}
	for rank, shard := range targets {
		writes[rank], found[rank] = make([]int, len(shard)), make([]int64, len(shard))
	}
	for k, s := range p.Segments {
		wrong := ""
		eachIndex(s.Shape, func(index []int64) {
			from, to := at(s.Source.View, index), at(s.Target.View, index)
			switch {
			case from < 0 || from >= int64(len(sources[s.Source.Rank])):
				wrong = fmt.Sprintf("segment %d reads address %d of source rank %d", k, from, s.Source.Rank)
			case to < 0 || to >= int64(len(targets[s.Target.Rank])):
				wrong = fmt.Sprintf("segment %d writes address %d of target rank %d", k, to, s.Target.Rank)
			default:
				writes[s.Target.Rank][to]++
				found[s.Target.Rank][to] = sources[s.Source.Rank][from]
			}
		})
		if wrong != "" {
			return wrong
		}
	}
	for rank, shard := range targets {
		for address, want := range shard {
			if writes[rank][address] != 1 || found[rank][address] != want {
				return fmt.Sprintf("target rank %d address %d: written %d times, element %d, want once, element %d",
					rank, address, writes[rank][address], found[rank][address], want)
			}
		}
	}
	return ""
}

// materialize writes each rank's shard out as labels.
func materialize(m plan.Map) map[int][]int64 {
	shards := map[int][]int64{}
	for _, shard := range m.Shards {
		n, _ := plan.Elements(shard.Shape)
		labels := make([]int64, n)
		for _, piece := range shard.Pieces {
			eachIndex(piece.Shape, func(index []int64) { labels[at(piece.Dest, index)] = at(piece.Source, index) })
		}
		shards[shard.Rank] = labels
	}
	return shards
}

func at(v plan.View, index []int64) int64 {
	address := v.Offset
	for axis, i := range index {
		address += i * v.Strides[axis]
	}
	return address
}

func eachIndex(shape []int64, visit func(index []int64)) {
	var descend func(index []int64)
	descend = func(index []int64) {
		axis := len(index)
		if axis == len(shape) {
			visit(index)
			return
		}
		for i := range shape[axis] {
			descend(append(index, i))
		}
	}
	descend(make([]int64, 0, len(shape)))
}

// reads counts the elements that a plan reads from each source rank.
func reads(p plan.Plan) map[int]int64 {
	n := map[int]int64{}
	for _, s := range p.Segments {
		elements, _ := plan.Elements(s.Shape)
		n[s.Source.Rank] += elements
	}
	return n
}
