package plan

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
)

// DecodeMap reads a parameter map. Only its form is judged here: a map that contradicts itself reads, and
// Validate says what is wrong with it. The error is a *FormatError.
func DecodeMap(text []byte) (Map, error) {
	r := newJSONReader(text)
	m := r.paramMap()
	if err := r.finish(); err != nil {
		return Map{}, err
	}
	return m, nil
}

// EncodeMap writes a map for a person: one piece a line, the ranks ascending.
func EncodeMap(m Map) []byte {
	return append(appendReadableMap(nil, m, 0), '\n')
}

var (
	mapFields   = []string{"logical_shape", "ranks"}
	shardFields = []string{"shard_shape", "pieces"}
	pieceFields = []string{"shape", "source", "dest", "locations", "scale"}
)

func (r *jsonReader) paramMap() Map {
	var m Map
	object := r.object(mapFields)
	for object.next() {
		switch object.name {
		case "logical_shape":
			m.LogicalShape = r.integers()
		case "ranks":
			m.Shards = r.shards()
		}
	}
	object.require(mapFields...)
	return m
}

// shards reads the shards of a map in the order of the text.
func (r *jsonReader) shards() []Shard {
	var shards []Shard
	object := r.object(nil)
	for object.next() {
		rank := r.rankKey(object.name)
		shard := r.shard()
		shard.Rank = rank
		shards = append(shards, shard)
	}
	// Two texts may name one rank: escapes may hide that two keys are equal.
	rank, repeated := firstRepeated(len(shards), func(i int) int { return shards[i].Rank })
	if repeated {
		object.failField(strconv.Itoa(rank), "given twice")
	}
	return shards
}

// rankKey reads a rank from an object's key: digits, without sign or leading zero.
func (r *jsonReader) rankKey(key string) int {
	rank, err := strconv.Atoi(key)
	if err == nil && rank >= 0 && strconv.Itoa(rank) == key {
		return rank
	}
	if isDigits(key) && (key[0] != '0' || key == "0") {
		r.fail("the rank is too large")
	}
	r.fail("a rank is written in digits, without sign or leading zero")
	return 0
}

func isDigits(text string) bool {
	return text != "" && scanDigits([]byte(text), 0) == len(text)
}

// firstRepeated returns the least of n ranks that is there twice.
func firstRepeated(n int, rankOf func(int) int) (int, bool) {
	ascending := true
	for i := 1; i < n && ascending; i++ {
		ascending = rankOf(i-1) < rankOf(i)
	}
	if ascending {
		return 0, false
	}
	ranks := make([]int, n)
	for i := range ranks {
		ranks[i] = rankOf(i)
	}
	slices.Sort(ranks)
	for i := 1; i < n; i++ {
		if ranks[i-1] == ranks[i] {
			return ranks[i], true
		}
	}
	return 0, false
}

func (r *jsonReader) shard() Shard {
	var shard Shard
	object := r.object(shardFields)
	for object.next() {
		switch object.name {
		case "shard_shape":
			shard.Shape = r.integers()
		case "pieces":
			for list := r.list(); list.next(); {
				shard.Pieces = append(shard.Pieces, r.piece())
			}
		}
	}
	shard.Undeclared = !object.has("shard_shape")
	return shard
}

func (r *jsonReader) piece() Piece {
	var piece Piece
	object := r.object(pieceFields)
	for object.next() {
		switch object.name {
		case "shape":
			piece.Shape = r.integers()
		case "source":
			piece.Source = r.view()
		case "dest":
			piece.Dest = r.view()
		case "locations":
			piece.Locations = r.locations()
		case "scale":
			piece.Scale = r.scale()
		}
	}
	object.require("shape", "source", "dest")
	return piece
}

func (r *jsonReader) view() View {
	var view View
	for list := r.tuple(2, "[offset, strides]"); list.next(); {
		if list.index == 0 {
			view.Offset = r.integer()
		} else {
			view.Strides = r.integers()
		}
	}
	return view
}

// locations reads a list of ranks, none of them twice.
func (r *jsonReader) locations() []int {
	locations := r.ranks()
	rank, repeated := firstRepeated(len(locations), func(i int) int { return locations[i] })
	if repeated {
		r.fail("rank %d is listed twice", rank)
	}
	return locations
}

// scale reads a factor; 1 is the same as none.
func (r *jsonReader) scale() *float64 {
	scale := r.float()
	if scale == 1 {
		return nil
	}
	return &scale
}

// AppendMap appends the compact form of a map: JSON with sorted keys and no spaces.
//
// The order of the map's shards does not show. A scale that is no finite number has no JSON form and is
// written as null, which no reader takes.
func AppendMap(dst []byte, m Map) []byte {
	dst = append(dst, `{"logical_shape":`...)
	dst = appendIntegers(dst, m.LogicalShape)
	dst = append(dst, `,"ranks":{`...)
	for i, shard := range inOrder(m.Shards, byRankText) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		dst = strconv.AppendInt(dst, int64(shard.Rank), 10)
		dst = append(dst, `":`...)
		dst = appendShard(dst, shard)
	}
	return append(dst, "}}"...)
}

func appendShard(dst []byte, shard *Shard) []byte {
	dst = append(dst, `{"pieces":[`...)
	for i := range shard.Pieces {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendPiece(dst, &shard.Pieces[i])
	}
	dst = append(dst, ']')
	if !shard.Undeclared {
		dst = append(dst, `,"shard_shape":`...)
		dst = appendIntegers(dst, shard.Shape)
	}
	return append(dst, '}')
}

func appendPiece(dst []byte, piece *Piece) []byte {
	dst = append(dst, `{"dest":`...)
	dst = appendView(dst, piece.Dest)
	dst = append(dst, `,"locations":`...)
	dst = appendList(dst, piece.Locations, compactSpacing)
	if hasScale(piece) {
		dst = append(dst, `,"scale":`...)
		dst = appendFloat(dst, *piece.Scale)
	}
	dst = append(dst, `,"shape":`...)
	dst = appendIntegers(dst, piece.Shape)
	dst = append(dst, `,"source":`...)
	dst = appendView(dst, piece.Source)
	return append(dst, '}')
}

func hasScale(piece *Piece) bool { return piece.Scale != nil && *piece.Scale != 1 }

func appendView(dst []byte, view View) []byte {
	dst = append(dst, '[')
	dst = strconv.AppendInt(dst, view.Offset, 10)
	dst = append(dst, ',')
	dst = appendIntegers(dst, view.Strides)
	return append(dst, ']')
}

// inOrder returns the shards in an order that is one of two: of the ranks as numbers, for a person, or as
// text, which is what sorted keys means.
func inOrder(shards []Shard, compare func(a, b *Shard) int) []*Shard {
	ordered := make([]*Shard, len(shards))
	for i := range shards {
		ordered[i] = &shards[i]
	}
	slices.SortStableFunc(ordered, compare)
	return ordered
}

func byRank(a, b *Shard) int { return cmp.Compare(a.Rank, b.Rank) }

func byRankText(a, b *Shard) int { return compareRankText(a.Rank, b.Rank) }

// compareRankText compares two ranks as strings: 10 stands before 2.
func compareRankText(a, b int) int {
	if 0 <= a && a < 10 && 0 <= b && b < 10 {
		return cmp.Compare(a, b)
	}
	var left, right [20]byte
	return bytes.Compare(strconv.AppendInt(left[:0], int64(a), 10), strconv.AppendInt(right[:0], int64(b), 10))
}
