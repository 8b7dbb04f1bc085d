package oracle

import (
	"fmt"
	"math"
	"math/big"

	"gonum.org/v1/gonum/mat"

	"github.com/shardproof/shardproof/plan"
)

// MaxAlgebraElements is the most elements that Algebra takes: those of the logical tensor, of all source
// shards and of all target shards, each. Its matrices are dense, and their product costs the cube.
const MaxAlgebraElements = 512

// Algebra judges a plan by matrices of zeros and ones. A map selects: its matrix has a row for each element
// of its shards and a column for each logical element. A plan selects too: a row for each target element and
// a column for each source element, counting the copies from the one to the other. So
//
//	plan * source = target
//
// says that every element holds what is wanted, the sums of the plan's rows say how often each is written, and
// the products with the matrix of shards (an element's row has a one at its rank) say who holds and who is
// read. Every matrix has one row or column more, for what is outside and has no label.
//
// It shares with Execute the form of a segment, and the words. Past MaxAlgebraElements it knows nothing.
func Algebra(request plan.Request, answer plan.Answer) Evidence {
	var a algebra
	a.inspect(request, answer)
	if p := a.build(); p != "" {
		a.unknowable(isBounds, p)
	} else if a.worthRunning(int64(a.targets.elements)) {
		a.addSegments()
		a.compare()
	}
	return a.judge()
}

type algebra struct {
	look
	sources, targets selection
	logical          int
	plan             *mat.Dense
	firstStray       sight
}

// A selection is the matrix of a map.
type selection struct {
	elements int
	first    []int      // the row of each shard's first element
	matrix   *mat.Dense // elements+1 rows, logical+1 columns
	shards   *mat.Dense // elements+1 rows, a column for each shard and one more
}

func (a *algebra) build() (p problem) {
	if p := a.sameShape(); p != "" {
		return p
	}
	logical, ok := counted(a.request.Source.LogicalShape, MaxAlgebraElements)
	if !ok {
		return fmt.Sprintf("more than %d elements in logical shape %v", MaxAlgebraElements, a.request.Source.LogicalShape)
	}
	a.logical = int(logical)
	if a.sources, p = a.selectionOf("source", &a.request.Source, a.source); p != "" {
		return p
	}
	if a.targets, p = a.selectionOf("target", &a.request.Target, a.target); p != "" {
		return p
	}
	a.plan = mat.NewDense(a.targets.elements+1, a.sources.elements+1, nil)
	return a.heldOnce()
}

// selectionOf is the matrix of a map whose pieces tile its shards.
func (a *algebra) selectionOf(side string, m *plan.Map, shards []ranked) (s selection, p problem) {
	total, p := sized(side, m, shards)
	if p != "" {
		return s, p
	}
	if total > MaxAlgebraElements {
		return s, fmt.Sprintf("%s map: more than %d elements in all shards", side, MaxAlgebraElements)
	}
	s.elements = int(total)
	s.matrix = mat.NewDense(s.elements+1, a.logical+1, nil)
	s.shards = mat.NewDense(s.elements+1, len(shards)+1, nil)
	row := 0
	for at, shard := range shards {
		s.first = append(s.first, row)
		for range shard.elements {
			s.shards.Set(row, at, 1)
			row++
		}
		if p := s.addPieces(side, at, shard, a.logical); p != "" {
			return s, p
		}
	}
	for row := range s.elements {
		if sum := mat.Sum(s.matrix.RowView(row)); sum != 1 {
			return s, fmt.Sprintf("%s map: an address of a shard holds %v elements", side, sum)
		}
	}
	s.matrix.Set(s.elements, a.logical, 1) // outside there is no label
	return s, ""
}

func (s *selection) addPieces(side string, at int, shard ranked, logical int) problem {
	for i := range shard.Pieces {
		piece := &shard.Pieces[i]
		if p := placeable(piece, int64(logical), shard.elements); p != "" {
			return fmt.Sprintf("%s map: rank %d piece %d: %s", side, shard.Rank, i, p)
		}
		n, _ := plan.Elements(piece.Shape)
		for k := range n {
			row := s.first[at] + int(addressOf(piece.Shape, piece.Dest, k).Int64())
			column := int(addressOf(piece.Shape, piece.Source, k).Int64())
			s.matrix.Set(row, column, s.matrix.At(row, column)+1)
		}
	}
	return ""
}

// addressOf is the address of element k, counted in row-major order, of a block.
func addressOf(shape []int64, view plan.View, k int64) *big.Int {
	address := big.NewInt(view.Offset)
	for axis := len(shape) - 1; axis >= 0; axis-- {
		step := new(big.Int).Mul(big.NewInt(k%shape[axis]), big.NewInt(view.Strides[axis]))
		address.Add(address, step)
		k /= shape[axis]
	}
	return address
}

// heldOnce checks that no source rank holds an element twice.
func (a *algebra) heldOnce() problem {
	held := a.held()
	for label := range a.logical {
		for at := range a.source {
			if held.At(label, at) > 1 {
				return fmt.Sprintf("source map: rank %d holds an element a second time", a.source[at].Rank)
			}
		}
	}
	return ""
}

// held says how often each shard holds each label.
func (a *algebra) held() *mat.Dense {
	var held mat.Dense
	held.Mul(a.sources.matrix.T(), a.sources.shards)
	return &held
}

// addSegments builds the plan's matrix.
func (a *algebra) addSegments() {
	for i, c := range a.copies {
		if !c.writes() {
			continue
		}
		segment := &a.answer.Plan.Segments[i]
		for k := range c.volume {
			source := new(big.Int)
			if c.source != absent {
				source = addressOf(segment.Shape, segment.Source.View, k)
			}
			a.addElement(c, source, addressOf(segment.Shape, segment.Target.View, k))
		}
	}
}

func (a *algebra) addElement(c copyAt, source, target *big.Int) {
	row, written := rowOf(target, a.target[c.target], a.targets, c.target)
	column, read := a.sources.elements, false
	if c.source != absent {
		column, read = rowOf(source, a.source[c.source], a.sources, c.source)
	}
	a.plan.Set(row, column, a.plan.At(row, column)+1)
	if written && (read || c.source == absent) {
		return
	}
	s := sight{target: c.target, address: cut(target), wanted: NoLabel, found: NoLabel, source: c.source, sourceAddress: cut(source)}
	if written {
		s.wanted = labelOf(a.targets.matrix, row)
	}
	if a.wrong[isBounds].detail == "" || s.before(&a.firstStray) {
		a.firstStray, a.wrong[isBounds] = s, a.strayed(s)
	}
}

// rowOf is the row of an address in a shard, the last one where it is outside, and whether it is inside.
func rowOf(address *big.Int, shard ranked, s selection, at int32) (int, bool) {
	if address.Sign() < 0 || address.Cmp(big.NewInt(shard.elements)) >= 0 {
		return s.elements, false
	}
	return s.first[at] + int(address.Int64()), true
}

func cut(address *big.Int) int64 {
	switch {
	case address.IsInt64():
		return address.Int64()
	case address.Sign() < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}

// labelOf is the column of the one that a row has.
func labelOf(matrix *mat.Dense, row int) int64 {
	for column, value := range matrix.RawRowView(row) {
		if value == 1 {
			return int64(column)
		}
	}
	panic("oracle: a row of a selection without a one")
}

// compare holds the products to each other.
func (a *algebra) compare() {
	var found, holds, read mat.Dense
	found.Mul(a.plan, a.sources.matrix)
	holds.Mul(a.targets.matrix, a.held())
	read.Mul(a.plan, a.sources.shards)
	for at := range a.target {
		for address := range a.target[at].elements {
			row := a.targets.first[at] + int(address)
			s := sight{target: int32(at), address: address, wanted: labelOf(a.targets.matrix, row), found: NoLabel, source: absent}
			a.compareRow(row, s, found.RawRowView(row), holds.RawRowView(row), read.RawRowView(row))
		}
	}
}

func (a *algebra) compareRow(row int, s sight, found, holds, read []float64) {
	writes := mat.Sum(a.plan.RowView(row))
	switch {
	case a.plan.At(row, a.sources.elements) > 0: // wrong by bounds, or by valid
	case writes == 0:
		a.keep(isCover, a.unwritten(s))
	case writes > 1:
		a.keep(isOnce, a.rewritten(s, int64(writes)))
	case found[s.wanted] != 1:
		a.keep(isValues, a.mistaken(a.readBy(row, s, read)))
	default:
		due := choose(&a.request.Selector, a.target[s.target].Rank, a.candidates(holds))
		s = a.readBy(row, s, read)
		if !due.any && (due.none || a.source[s.source].Rank != due.rank) {
			a.keep(isHolder, a.misread(s, due))
		}
	}
}

// keep keeps the first wrong element of a clause; rows ascend.
func (a *algebra) keep(clause int, w wrong) {
	if a.wrong[clause].detail == "" {
		a.wrong[clause] = w
	}
}

// readBy adds where a row that is written once was read from.
func (a *algebra) readBy(row int, s sight, read []float64) sight {
	column := int(labelOf(a.plan, row))
	for at, value := range read[:len(a.source)] {
		if value == 1 {
			s.source, s.sourceAddress = int32(at), int64(column-a.sources.first[at])
		}
	}
	s.found = labelOf(a.sources.matrix, column)
	return s
}

func (a *algebra) candidates(holds []float64) []int {
	var ranks []int
	for at := range a.source {
		if holds[at] > 0 {
			ranks = append(ranks, a.source[at].Rank)
		}
	}
	return ranks
}
