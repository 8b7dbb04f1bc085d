package plan

import (
	"slices"
	"strconv"
)

// The readable form keeps one piece, and one segment, a line, and the columns of a rank's pieces aligned.

// appendReadableMap appends a map whose first line is indented by so many spaces.
func appendReadableMap(dst []byte, m Map, indent int) []byte {
	dst = append(dst, `{"logical_shape": `...)
	dst = appendList(dst, m.LogicalShape, readableSpacing)
	dst = append(dst, ',')
	dst = appendLine(dst, indent+1)
	dst = append(dst, `"ranks": {`...)
	for i, shard := range inOrder(m.Shards, byRank) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendReadableShard(dst, shard, indent+3)
	}
	return append(dst, "}}"...)
}

func appendReadableShard(dst []byte, shard *Shard, indent int) []byte {
	dst = appendLine(dst, indent)
	start := len(dst)
	dst = append(dst, '"')
	dst = strconv.AppendInt(dst, int64(shard.Rank), 10)
	dst = append(dst, `": {`...)
	indent += len(dst) - start
	if !shard.Undeclared {
		dst = append(dst, `"shard_shape": `...)
		dst = appendList(dst, shard.Shape, readableSpacing)
		dst = append(dst, ',')
		dst = appendLine(dst, indent)
	}
	dst = append(dst, `"pieces": [`...)
	widths := columnWidths(shard.Pieces)
	for i := range shard.Pieces {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendLine(dst, indent+2)
		dst = appendReadablePiece(dst, &shard.Pieces[i], widths)
	}
	return append(dst, "]}"...)
}

// A piece's line is made of these cells, the last of which has no comma and no width.
var pieceCells = []func([]byte, *Piece) []byte{
	func(dst []byte, piece *Piece) []byte {
		return appendList(append(dst, `"shape": `...), piece.Shape, readableSpacing)
	},
	func(dst []byte, piece *Piece) []byte {
		return appendReadableView(append(dst, `"source": `...), piece.Source)
	},
	func(dst []byte, piece *Piece) []byte {
		return appendReadableView(append(dst, `"dest": `...), piece.Dest)
	},
	func(dst []byte, piece *Piece) []byte {
		dst = appendList(append(dst, `"locations": `...), piece.Locations, readableSpacing)
		if hasScale(piece) {
			dst = appendFloat(append(dst, `, "scale": `...), *piece.Scale)
		}
		return dst
	},
}

func columnWidths(pieces []Piece) []int {
	widths := make([]int, len(pieceCells))
	for column, appendCell := range pieceCells {
		for i := range pieces {
			widths[column] = max(widths[column], len(appendCell(nil, &pieces[i])))
		}
	}
	return widths
}

func appendReadablePiece(dst []byte, piece *Piece, widths []int) []byte {
	dst = append(dst, '{')
	for column, appendCell := range pieceCells {
		start := len(dst)
		dst = appendCell(dst, piece)
		if column == len(pieceCells)-1 {
			break
		}
		padding := widths[column] - (len(dst) - start)
		dst = append(dst, ", "...)
		dst = appendSpaces(dst, padding)
	}
	return append(dst, '}')
}

func appendReadableView(dst []byte, view View) []byte {
	dst = append(dst, '[')
	dst = strconv.AppendInt(dst, view.Offset, 10)
	dst = append(dst, ", "...)
	dst = appendList(dst, view.Strides, readableSpacing)
	return append(dst, ']')
}

// appendReadablePlan appends the fields of a plan, without the braces, in lines indented by so many spaces.
func appendReadablePlan(dst []byte, p Plan, indent int) []byte {
	if p.LogicalShape != nil {
		dst = append(dst, `"logical_shape": `...)
		dst = appendList(dst, p.LogicalShape, readableSpacing)
		dst = append(dst, ',')
		dst = appendLine(dst, indent+1)
	}
	dst = append(dst, `"segments": [`...)
	for i, segment := range p.Segments {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendLine(dst, indent+3)
		dst = appendList(append(dst, `{"shape": `...), segment.Shape, readableSpacing)
		dst = appendReadableEndpoint(append(dst, `, "source": `...), segment.Source)
		dst = appendReadableEndpoint(append(dst, `, "target": `...), segment.Target)
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

func appendReadableEndpoint(dst []byte, endpoint Endpoint) []byte {
	dst = append(dst, '[')
	dst = strconv.AppendInt(dst, int64(endpoint.Rank), 10)
	dst = append(dst, ", "...)
	dst = strconv.AppendInt(dst, endpoint.Offset, 10)
	dst = append(dst, ", "...)
	dst = appendList(dst, endpoint.Strides, readableSpacing)
	return append(dst, ']')
}

func appendLine(dst []byte, indent int) []byte {
	return appendSpaces(append(dst, '\n'), indent)
}

func appendSpaces(dst []byte, count int) []byte {
	return append(dst, slices.Repeat([]byte{' '}, count)...)
}
