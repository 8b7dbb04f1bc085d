package plan

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/shardproof/shardproof/plan/internal/box"
)

// A RuleID names one of the rules that a map keeps.
type RuleID string

// The rules of maps. F is the full logical tensor.
const (
	RuleArity     RuleID = "map.arity"     // a piece has an extent, a source stride and a dest stride for each axis of F
	RuleExtent    RuleID = "map.extent"    // no extent is negative
	RuleBounds    RuleID = "map.bounds"    // pieces lie inside F and inside their shard, and never wrap round an axis
	RuleTiling    RuleID = "map.tiling"    // the pieces of a rank write each address of its shard once
	RuleOnce      RuleID = "map.once"      // a rank holds an element of F at most once
	RuleCoverage  RuleID = "map.coverage"  // every element of F is held
	RuleLocations RuleID = "map.locations" // a piece's locations are the ranks that hold each element of it
	RuleHolder    RuleID = "map.holder"    // a rank in a piece's locations has a shard and holds all of the piece
	RuleScale     RuleID = "map.scale"     // a scale is finite and not zero
	RuleRanks     RuleID = "map.ranks"     // ranks are distinct and >= 0; a shard is declared, and has the pieces that it needs
	RuleShape     RuleID = "map.shape"     // both maps of a request have the same logical shape
	RuleCanonical RuleID = "map.canonical" // should: pieces are merged as far as they can be
)

// A Violation is a way in which a map is broken, or in which it cannot be judged or planned.
type Violation struct {
	Rule   RuleID // "" where Kind is Unsupported: the geometry may be legal
	Kind   Kind   // Invalid or Unsupported
	Row    int    // of the table of refusals; 0 for none. Coverage has the source map's, 19; the target's is 20
	Path   string // what is broken: "rank 3 piece 1", a piece being numbered as it stands in the map
	Detail string // one line
}

// Error states the path and the detail. A caller that has two maps says before it which one.
func (v Violation) Error() string { return v.Path + ": " + v.Detail }

// Validate judges a map by every rule that a map must keep. It looks at pieces and never at elements, so its
// time and memory depend on the number of pieces and of axes alone.
//
// The rules are judged in three stages, and only the first stage that finds anything is told:
//  1. arity, extents, scales, ranks, and that every piece has locations, each named once;
//  2. bounds;
//  3. tiling, once, coverage, locations and holders.
//
// Each rule of a stage is judged whether or not others of it are broken, and has at most one violation for
// each row of the table of refusals. The verdict is exact where every piece places boxes: where each axis of
// it longer than 1 steps along one axis of F, and of the shard, without a hole. So row-major, permuted and
// reversed pieces are judged exactly, and so are those in flat shards.
//
// A violation of kind Unsupported stands after those of broken rules. It tells of sizes past int64 (row 23), of a
// piece that Blocks cannot express (row 12), or of a limit of work, for maps of overlaps without end. So an empty
// answer always means that every rule holds.
//
// The answer depends on the map and not on the order of its shards, pieces or locations, but for the numbers
// of pieces in Path and Detail.
func (m Map) Validate() []Violation {
	violations, j := m.judge()
	j.leave()
	return violations
}

// judge validates a map. Where nothing is wrong it also returns the judge, which knows where pieces stand. The
// caller lets it leave its room.
func (m Map) judge() ([]Violation, *judge) {
	j := &judge{m: m, room: rooms.Get().(*room)}
	if j.run(); len(j.found) == 0 {
		return nil, j
	}
	j.leave()
	// What is told first depends on the order of the map, so it is told of the map in an order of its own.
	j = sortedJudge(m)
	j.run()
	return j.found, j
}

// A judge is one validation under way.
type judge struct {
	m       Map
	numbers [][]int // by shard and piece of m: the piece's number for a reader; nil: its index
	found   []Violation

	logical tensor
	slab    slab
	vector  []int64 // scratch of place
	steps   []step  // likewise
	*room
}

// A room is what a judge writes down and nobody reads once it has judged. The next judge writes there too: for
// a map of few pieces, getting the memory would take as long as judging it.
type room struct {
	shards    []tensor // by shard
	withShard []int    // the ranks that have a shard, ascending
	pieces    []placedPiece
	boxes     []box.Box // room for a box of each piece

	// Of holding: the pieces that are whole boxes of F, those of a region together; their ranks, in that order
	// and so ascending in a region; the regions.
	order   []int32
	ranks   []int
	regions []region
}

var rooms = sync.Pool{New: func() any { return new(room) }}

// maxKeptPieces is the most pieces whose room is kept, so that one huge map does not occupy memory for ever.
const maxKeptPieces = 1 << 12

// leave gives the room to the next judge. Blocks stay as they are.
func (j *judge) leave() {
	if cap(j.pieces) <= maxKeptPieces {
		rooms.Put(j.room)
	}
	j.room = nil
}

func (j *judge) run() {
	for _, stage := range [...]func(){j.structure, j.bounds, func() { j.geometry(usualLimits()) }} {
		if stage(); len(j.found) > 0 {
			return
		}
	}
}

func (j *judge) geometry(within limits) {
	j.tiling()
	undecided := j.holding(within)
	if len(j.found) == 0 {
		j.expressible()
	}
	if len(j.found) == 0 && undecided {
		j.report(Violation{Kind: Unsupported}, "map", "its pieces overlap too often to be judged")
	}
}

// report adds a violation unless there is one of the same rule and row.
func (j *judge) report(v Violation, path string, format string, arguments ...any) {
	for _, other := range j.found {
		if other.Rule == v.Rule && other.Row == v.Row && other.Kind == v.Kind {
			return
		}
	}
	v.Path, v.Detail = path, fmt.Sprintf(format, arguments...)
	at := len(j.found)
	for v.Kind == Invalid && at > 0 && j.found[at-1].Kind != Invalid {
		at--
	}
	j.found = slices.Insert(j.found, at, v)
}

// broken reports a broken rule.
func (j *judge) broken(rule RuleID, row int, path string, format string, arguments ...any) {
	j.report(Violation{Rule: rule, Kind: Invalid, Row: row}, path, format, arguments...)
}

// breaks reports whether a rule is known to be broken.
func (j *judge) breaks(rule RuleID) bool {
	return slices.ContainsFunc(j.found, func(v Violation) bool { return v.Rule == rule })
}

func (j *judge) rankPath(shard int) string { return fmt.Sprintf("rank %d", j.m.Shards[shard].Rank) }

func (j *judge) path(shard, piece int) string {
	return fmt.Sprintf("rank %d piece %d", j.m.Shards[shard].Rank, j.number(shard, piece))
}

func (j *judge) number(shard, piece int) int {
	if j.numbers == nil {
		return piece
	}
	return j.numbers[shard][piece]
}

// sortedJudge is a judge of the map with its shards in order of their ranks and the pieces of a shard in
// order of what they say.
func sortedJudge(m Map) *judge {
	type numbered struct {
		Shard
		numbers []int
	}
	shards := make([]numbered, len(m.Shards))
	for s, shard := range m.Shards {
		numbers := make([]int, len(shard.Pieces))
		for p := range numbers {
			numbers[p] = p
		}
		slices.SortStableFunc(numbers, func(x, y int) int { return comparePieces(shard.Pieces[x], shard.Pieces[y]) })
		pieces := make([]Piece, len(numbers))
		for p, number := range numbers {
			pieces[p] = shard.Pieces[number]
		}
		shard.Pieces = pieces
		shards[s] = numbered{shard, numbers}
	}
	slices.SortStableFunc(shards, func(x, y numbered) int { return compareShards(x.Shard, y.Shard) })
	j := &judge{m: Map{LogicalShape: m.LogicalShape, Shards: make([]Shard, len(shards))}, room: new(room)}
	for s, shard := range shards {
		j.m.Shards[s] = shard.Shard
		j.numbers = append(j.numbers, shard.numbers)
	}
	return j
}

func compareShards(a, b Shard) int {
	declared := func(s Shard) []int64 {
		if s.Undeclared {
			return []int64{minInt64}
		}
		return s.Shape
	}
	return cmp.Or(
		cmp.Compare(a.Rank, b.Rank),
		slices.Compare(declared(a), declared(b)),
		slices.CompareFunc(a.Pieces, b.Pieces, comparePieces),
	)
}

func comparePieces(a, b Piece) int {
	ranks, _ := ascending(a.Locations)
	others, _ := ascending(b.Locations)
	return cmp.Or(
		compareViews(a.Source, b.Source),
		compareViews(a.Dest, b.Dest),
		slices.Compare(a.Shape, b.Shape),
		slices.Compare(ranks, others),
		cmp.Compare(a.scale(), b.scale()),
	)
}

func compareViews(a, b View) int {
	return cmp.Or(cmp.Compare(a.Offset, b.Offset), slices.Compare(a.Strides, b.Strides))
}

// scale is the factor that the shard holds the piece by.
func (p Piece) scale() float64 {
	if p.Scale == nil {
		return 1
	}
	return *p.Scale
}

const minInt64 = -1 << 63

// A slab hands out many short slices of few allocations.
type slab []int64

func (s *slab) take(n int) []int64 {
	if len(*s) < n {
		*s = make([]int64, max(n, 128))
	}
	taken := (*s)[:n:n]
	*s = (*s)[n:]
	return taken
}
