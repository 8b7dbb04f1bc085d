package plan

import (
	"math"
	"slices"
)

// structure is the first stage: what can be said of each shard and each piece without its place.
func (j *judge) structure() {
	j.reserve()
	j.logical, _ = j.tensor(j.m.LogicalShape, logicalSide)
	j.rankIDs()
	for s := range j.m.Shards {
		j.shard(s)
	}
}

// reserve makes room for what the later steps write down.
func (j *judge) reserve() {
	pieces, words := 0, len(j.m.LogicalShape)
	for s := range j.m.Shards {
		shard := &j.m.Shards[s]
		pieces += len(shard.Pieces)
		words += len(shard.Shape) + len(shard.Pieces)*(len(shard.Shape)+len(j.m.LogicalShape))
	}
	j.pieces = slices.Grow(j.pieces[:0], pieces)
	j.boxes = slices.Grow(j.boxes[:0], pieces)
	j.shards = slices.Grow(j.shards[:0], len(j.m.Shards))[:len(j.m.Shards)]
	clear(j.shards)
	j.slab = make(slab, words)
}

func (j *judge) rankIDs() {
	ids := slices.Grow(j.withShard[:0], len(j.m.Shards))[:len(j.m.Shards)]
	for s := range j.m.Shards {
		if ids[s] = j.m.Shards[s].Rank; ids[s] < 0 {
			j.broken(RuleRanks, 0, j.rankPath(s), "a rank is not negative")
		}
	}
	slices.Sort(ids)
	for i := range ids[min(1, len(ids)):] {
		if ids[i] == ids[i+1] {
			j.broken(RuleRanks, 0, "map", "rank %d has more than one shard", ids[i])
		}
	}
	j.withShard = ids
}

func (j *judge) shard(s int) {
	shard := &j.m.Shards[s]
	placing := 0
	for p := range shard.Pieces {
		if j.piece(s, p) {
			placing++
		}
	}
	if shard.Undeclared {
		j.broken(RuleRanks, 6, j.rankPath(s), "has no shard shape")
		return
	}
	t, measured := j.tensor(shard.Shape, s)
	j.shards[s] = t
	switch empty := hasZero(shard.Shape); {
	case !measured:
	case !empty && placing == 0:
		j.broken(RuleRanks, 5, j.rankPath(s), "no piece places any element of its %s shard", t)
	case empty && placing > 0:
		j.broken(RuleRanks, 7, j.rankPath(s), "its %s shard has no elements, and %d pieces place some", t, placing)
	}
}

// piece judges one piece by itself and reports whether it places anything.
func (j *judge) piece(s, p int) bool {
	piece := &j.m.Shards[s].Pieces[p]
	axes := len(j.m.LogicalShape)
	if len(piece.Shape) != axes || len(piece.Source.Strides) != axes || len(piece.Dest.Strides) != axes {
		j.broken(RuleArity, 8, j.path(s, p), "%d extents, %d source strides and %d dest strides for %d axes",
			len(piece.Shape), len(piece.Source.Strides), len(piece.Dest.Strides), axes)
	}
	empty := false
	for _, extent := range piece.Shape {
		empty = empty || extent == 0
		if extent < 0 {
			j.broken(RuleExtent, 9, j.path(s, p), "extent %d", extent)
		}
	}
	if scale := piece.scale(); scale == 0 || math.IsNaN(scale) || math.IsInf(scale, 0) {
		j.broken(RuleScale, 11, j.path(s, p), "scale %v", scale)
	}
	locations, distinct := ascending(piece.Locations)
	if len(locations) == 0 || !distinct {
		j.broken(RuleLocations, 10, j.path(s, p), "locations %v: each holder is to be named, once", locations)
	}
	if !empty {
		j.pieces = append(j.pieces, placedPiece{shard: s, number: p, rank: j.m.Shards[s].Rank, locations: locations})
	}
	return !empty
}

// ascending returns ids in ascending order, and whether they are distinct. It leaves its argument alone.
func ascending(ids []int) ([]int, bool) {
	if strictlyAscending(ids) {
		return ids, true
	}
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return ids, strictlyAscending(ids)
}

func strictlyAscending(ids []int) bool {
	for i := 1; i < len(ids); i++ {
		if ids[i-1] >= ids[i] {
			return false
		}
	}
	return true
}

// A tensor is a shape with what follows from it.
type tensor struct {
	shape   []int64
	strides []int64 // row-major; meaningful where there are elements
	volume  int64
}

func (t tensor) String() string { return shapeText(t.shape) }

// logicalSide stands for the index of a shard where the logical tensor is meant.
const logicalSide = -1

// tensor measures a shape, of a shard or of F, and reports what is wrong with it. It is false where an extent
// is negative, so that the shape means nothing.
func (j *judge) tensor(shape []int64, s int) (tensor, bool) {
	t := tensor{shape: shape, strides: j.slab.take(len(shape)), volume: 1}
	fits := true
	for axis := len(shape) - 1; axis >= 0; axis-- {
		extent := max(shape[axis], 1)
		t.strides[axis] = t.volume
		if fits = fits && t.volume <= math.MaxInt64/extent; fits {
			t.volume *= extent
		}
	}
	for _, extent := range shape {
		if extent < 0 {
			j.broken(RuleExtent, 9, j.shapePath(s), "extent %d of %s", extent, t)
			return t, false
		}
	}
	if hasZero(shape) {
		t.volume = 0
	} else if !fits {
		j.report(Violation{Kind: Unsupported, Row: 23}, j.shapePath(s), "the elements of %s are past int64", t)
	}
	return t, true
}

func (j *judge) shapePath(s int) string {
	if s == logicalSide {
		return "logical shape"
	}
	return j.rankPath(s) + " shard"
}
