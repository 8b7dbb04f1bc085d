package gen

import "github.com/shardproof/shardproof/plan"

var (
	invalid      = []plan.Kind{plan.Invalid}
	unsupported  = []plan.Kind{plan.Unsupported}
	eitherOf     = []plan.Kind{plan.Invalid, plan.Unsupported}
	overBudget   = []plan.Kind{plan.OverBudget}
	badSelection = []plan.Kind{plan.BadSelection}
	mayBeRefused []plan.Kind // the request is right
)

// corruptions is sorted by name.
var corruptions = []Corruption{
	{"axes-nine", "the tensor has 9 axes", []int{2}, mayBeRefused, nineAxes},
	{"axes-over-limit", "the tensor has more axes than the limit sent", []int{2, 22}, unsupported, axesOverLimit},
	{"block-broadcast", "a block stays in place along an axis of the tensor", []int{12, 16}, eitherOf, broadcastSource},
	{"block-broadcast-shard", "a block stays in place along an axis of its shard", []int{12, 14}, eitherOf, broadcastDest},
	{"block-diagonal", "a block runs along the tensor's diagonal", []int{12}, mayBeRefused, diagonal},
	{"block-leaves-shard", "a block ends outside its shard", []int{13}, invalid, leavesShard},
	{"block-leaves-tensor", "a block is longer than the tensor", []int{13, 15}, invalid, leavesTensor},
	{"block-permuted", "a shard is stored with its axes in another order", []int{12}, mayBeRefused, permuted},
	{"block-reversed", "a block runs backwards through the tensor", []int{12}, mayBeRefused, reversed},
	{"block-stepped", "a rank holds every other index of an axis", []int{12}, mayBeRefused, stepped},
	{"block-stepped-wrongly", "a block steps twice as far through the tensor as it should", []int{12, 17, 19}, eitherOf, doubledStride},
	{"block-wraps-shard", "a block runs past the end of a row of its shard into the next", []int{13}, invalid, wrapsShard},
	{"block-wraps-tensor", "a block runs past the end of a row of the tensor into the next", []int{13}, invalid, wrapsTensor},
	{"coverage-gap", "every rank that holds some block is missing", []int{19, 20}, invalid, coverageGap},
	{"coverage-none", "there are no shards at all", []int{19, 20}, invalid, noShards},
	{"coverage-slid", "a block was moved: a gap, and an overlap as large", []int{16, 19, 20}, invalid, slidPiece},
	{"dest-beyond", "a block starts past the end of its shard", []int{13}, invalid, destBeyond},
	{"dest-negative", "a block starts before its shard", []int{13}, invalid, destNegative},
	{"dest-shared", "two blocks of a rank are at the same address", []int{14}, invalid, sharedAddress},
	{"element-held-twice", "a rank holds each of its elements twice", []int{16}, invalid, heldTwice},
	{"extent-negative", "a piece has a negative extent", []int{9}, invalid, negativeExtent},
	{"extent-negative-shard", "a shard has a negative extent", []int{9}, invalid, negativeShard},
	{"extents-short", "a piece has fewer extents than the tensor has axes", []int{8}, invalid, shortExtents},
	{"location-absent", "a rank is named that has no shard", []int{17}, invalid, absentLocation},
	{"location-elsewhere", "a rank is named that holds something else", []int{17}, invalid, wrongLocation},
	{"location-partial", "a rank is named for a block of which it holds a part", []int{17}, invalid, partialHolder},
	{"location-unnamed", "a rank that holds a block is not named", []int{17}, invalid, unnamedHolder},
	{"locations-missing", "a piece names no rank", []int{10}, invalid, noLocations},
	{"pieces-missing", "a shard with elements has no pieces", []int{5}, invalid, noPieces},
	{"pieces-only-empty", "a shard with elements has only pieces that place nothing", []int{5}, invalid, onlyEmptyPieces},
	{"pieces-over-limit", "a map has more pieces than the limit sent", []int{4, 22}, overBudget, piecesOverLimit},
	{"plan-bytes-over-limit", "any plan takes more bytes than the limit sent", []int{22}, overBudget, bytesOverLimit},
	{"product-past-int64", "the extents of the tensor multiply past int64", []int{23}, mayBeRefused, hugeProduct},
	{"product-wraps", "the extents of a shard multiply past int64, to what its pieces hold", []int{15, 23}, eitherOf, wrappedProduct},
	{"replica-claims-other", "two ranks hold a block and both name only one", []int{17}, invalid, replicaClaimsOther},
	{"replica-cut", "two source replicas are cut differently", []int{18}, mayBeRefused, replicaCut},
	{"replica-hidden", "a rank holds what others hold and names only itself", []int{17}, invalid, hiddenReplica},
	{"replica-hidden-cut", "a hidden replica that is cut differently", []int{17}, invalid, hiddenReplicaCut},
	{"scale-other", "a shard holds a block by a factor", []int{11}, unsupported, otherScale},
	{"scale-zero", "a shard holds a block by the factor 0", []int{11}, invalid, zeroScale},
	{"segments-over-limit", "any plan has more segments than the limit sent", []int{22}, overBudget, segmentsOverLimit},
	{"selection-wrong", "the selector answers no candidate", []int{21}, badSelection, wrongSelection},
	{"shape-differs", "source and target have different logical shapes", []int{1}, invalid, otherShape},
	{"shape-differs-same-count", "source and target have different logical shapes of as many elements", []int{1}, invalid, otherShapeSameCount},
	{"shard-empty-places", "a shard without elements holds a piece that places some", []int{7}, invalid, emptyShardPlaces},
	{"shard-other-axes", "a shard has another number of axes than the tensor", []int{3}, mayBeRefused, otherAxes},
	{"shard-undeclared", "a rank has no shard shape", []int{6}, invalid, undeclared},
	{"source-beyond", "a block starts past the end of the tensor", []int{13}, invalid, sourceBeyond},
	{"source-negative", "a block starts before the tensor", []int{13}, invalid, sourceNegative},
	{"strides-long", "a piece has more strides than extents", []int{8}, invalid, longStrides},
	{"strides-short-dest", "a piece has fewer strides in its shard than extents", []int{8}, invalid, shortDestStrides},
	{"strides-short-source", "a piece has fewer strides in the tensor than extents", []int{8}, invalid, shortSourceStrides},
	{"volume-long", "a shard has more elements than its pieces", []int{15}, invalid, longVolume},
	{"volume-short", "a block is missing from a shard", []int{5, 15, 17}, invalid, shortVolume},
}
