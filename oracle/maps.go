package oracle

import (
	"fmt"
	"slices"

	"github.com/shardproof/shardproof/plan"
)

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

// counted is the number of elements of a shape; false where that is past int64, or past a limit.
func counted(shape []int64, limit int64) (elements int64, ok bool) {
	elements, ok = plan.Elements(shape)
	return elements, ok && elements <= limit
}

// sized checks that the shards and the tensor of a map can be counted, and are few enough.
func sized(side string, m *plan.Map, shards []ranked) (elements int64, p problem) {
	if _, ok := counted(m.LogicalShape, MaxElements); !ok {
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
