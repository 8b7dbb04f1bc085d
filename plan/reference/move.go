package reference

import (
	"cmp"
	"math"
	"slices"
)

// A move is a segment under construction. Its shape is its own and grows as it is folded; its strides may
// be shared with other moves, and are never written.
type move struct {
	targetRank, sourceRank       int
	target, source               int64 // the first element's address in either shard
	shape                        []int64
	targetStrides, sourceStrides []int64
	piece                        int // the source block that is read: folding by pieces never leaves it
	absorbed                     bool
}

// putInOrder sorts moves by target rank, then target offset. No two moves write one address, so the rest of
// plan.order never decides.
func putInOrder(moves []move) {
	slices.SortFunc(moves, func(a, b move) int {
		if a.targetRank != b.targetRank {
			return cmp.Compare(a.targetRank, b.targetRank)
		}
		return cmp.Compare(a.target, b.target)
	})
}

// sameStrides reports whether two moves step alike on every axis, in both shards.
func sameStrides(a, b *move) bool {
	return slices.Equal(a.targetStrides, b.targetStrides) && slices.Equal(a.sourceStrides, b.sourceStrides)
}

// advance is the address that lies extent steps of stride past an address; false where it leaves int64.
func advance(address, extent, stride int64) (int64, bool) {
	distance := extent * stride
	if stride != 0 && distance/stride != extent {
		return 0, false
	}
	if distance > 0 && address > math.MaxInt64-distance || distance < 0 && address < math.MinInt64-distance {
		return 0, false
	}
	return address + distance, true
}
