package mutant_test

import (
	"fmt"

	"github.com/shardproof/shardproof/plan"
)

// wrong runs a plan element by element on shards that hold each element's row-major index in the tensor, and
// says what is wrong with it, or nothing. It knows maps from their definition alone: a piece puts element i
// of the tensor, as its source addresses it, where its dest addresses it in the shard.
func wrong(request plan.Request, answer plan.Answer) string {
	source, target := stored(request.Source), stored(request.Target)
	written := map[int][]int{}
	for rank, shard := range target {
		written[rank] = make([]int, len(shard))
	}
	var moved int64
	for i, segment := range answer.Plan.Segments {
		from, to := addresses(segment.Shape, segment.Source.View), addresses(segment.Shape, segment.Target.View)
		if len(from) == 0 || len(segment.Source.Strides) != len(segment.Shape) || len(segment.Target.Strides) != len(segment.Shape) {
			return fmt.Sprintf("segment %d has no elements or another number of strides", i)
		}
		for j := range from {
			held, fits := at(source[segment.Source.Rank], from[j])
			wanted, has := at(target[segment.Target.Rank], to[j])
			if !fits || !has {
				return fmt.Sprintf("segment %d element %d: outside", i, j)
			}
			if held != wanted {
				return fmt.Sprintf("segment %d element %d: %d where %d is wanted", i, j, held, wanted)
			}
			written[segment.Target.Rank][to[j]]++
			moved++
		}
	}
	for rank, counts := range written {
		for address, count := range counts {
			if count != 1 {
				return fmt.Sprintf("target rank %d address %d is written %d times", rank, address, count)
			}
		}
	}
	if answer.MovedElements != nil && *answer.MovedElements != moved {
		return fmt.Sprintf("%d elements are stated and %d moved", *answer.MovedElements, moved)
	}
	return ""
}

// stored is what each rank's shard holds, by address.
func stored(m plan.Map) map[int][]int64 {
	shards := map[int][]int64{}
	for _, shard := range m.Shards {
		elements, _ := plan.Elements(shard.Shape)
		values := make([]int64, elements)
		for _, piece := range shard.Pieces {
			logical, place := addresses(piece.Shape, piece.Source), addresses(piece.Shape, piece.Dest)
			for i := range place {
				values[place[i]] = logical[i]
			}
		}
		shards[shard.Rank] = values
	}
	return shards
}

// addresses lists those of a view, its last axis fastest.
func addresses(shape []int64, view plan.View) []int64 {
	all := []int64{view.Offset}
	for axis, extent := range shape {
		var next []int64
		for _, start := range all {
			for i := range extent {
				next = append(next, start+i*view.Strides[axis])
			}
		}
		all = next
	}
	return all
}

func at(shard []int64, address int64) (int64, bool) {
	if address < 0 || address >= int64(len(shard)) {
		return 0, false
	}
	return shard[address], true
}

// elements counts those of the larger side.
func elements(request plan.Request) int64 {
	var most int64
	for _, m := range []plan.Map{request.Source, request.Target} {
		var sum int64
		for _, shard := range m.Shards {
			elements, _ := plan.Elements(shard.Shape)
			sum += min(elements, 1<<40)
		}
		most = max(most, sum)
	}
	return most
}
