// Package plan holds the affine representation of a sharded tensor and of the copies between two of them:
// what a planner is asked, what it answers, and what makes a map well formed. It imports nothing else of
// this module, so the judge and the judged can share these values and nothing more.
//
// Counts, extents, offsets and strides are elements, never bytes. Sizes are int64, and every product of
// sizes is checked for overflow.
package plan

// MaxAxes is the most axes that this project plans for a tensor, a piece or a segment. DeepSpeed's planner,
// which set the number, refuses more as unsupported.
const MaxAxes = 8

// A View places a block in a tensor: torch.as_strided's storage offset and strides.
//
// Element (i0, i1, ...) of the block stands at address Offset + i0*Strides[0] + i1*Strides[1] + ...
type View struct {
	Offset  int64
	Strides []int64
}

// A Piece is one block of elements that a rank holds: where it stands in the full logical tensor and where
// in the shard. Element i of the block is at Source in the one and at Dest in the other.
type Piece struct {
	Shape     []int64  // extents, shared by both sides
	Source    View     // into the full logical tensor
	Dest      View     // into the shard that holds the piece
	Locations []int    // every rank holding this block, in any order
	Scale     *float64 // shard = logical * Scale; nil is 1
}

// A Shard is what one rank holds of a parameter.
type Shard struct {
	Rank       int
	Shape      []int64 // no extents: a scalar
	Undeclared bool    // the map gives this rank no shard shape
	Pieces     []Piece
}

// A Map says how one parameter is spread over the ranks of one layout. Shards stand in any order.
type Map struct {
	LogicalShape []int64
	Shards       []Shard
}

// Shard returns the shard of a rank, and whether the map has one.
func (m Map) Shard(rank int) (*Shard, bool) {
	for i := range m.Shards {
		if m.Shards[i].Rank == rank {
			return &m.Shards[i], true
		}
	}
	return nil, false
}

// Empty reports whether the piece places nothing: it has a zero extent.
func (p Piece) Empty() bool { return hasZero(p.Shape) }

// Elements is the number of elements in a shape. It is false where an extent is negative or the product
// leaves int64. A shape without extents is a scalar: one element.
func Elements(shape []int64) (int64, bool) {
	if hasZero(shape) {
		// A zero extent empties the shape whatever the other extents multiply to.
		for _, extent := range shape {
			if extent < 0 {
				return 0, false
			}
		}
		return 0, true
	}
	product := int64(1)
	for _, extent := range shape {
		if extent < 0 || product > maxInt64/extent {
			return 0, false
		}
		product *= extent
	}
	return product, true
}

// RowMajor returns the row-major strides of a shape, the last axis having stride 1: each axis steps by the
// product of the extents after it, an extent of zero counting as one. It is false where a product leaves int64.
func RowMajor(shape []int64) ([]int64, bool) {
	strides := make([]int64, len(shape))
	step := int64(1)
	for axis := len(shape) - 1; axis >= 0; axis-- {
		strides[axis] = step
		extent := max(shape[axis], 1)
		if step > maxInt64/extent {
			return nil, false
		}
		step *= extent
	}
	return strides, true
}

const maxInt64 = 1<<63 - 1

func hasZero(shape []int64) bool {
	for _, extent := range shape {
		if extent == 0 {
			return true
		}
	}
	return false
}
