package plan_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/plan"
)

// bigCode is the example of formats.md: 48x8, q rows 0..32 split over two ranks and the k-v block 32..48 whole
// on both.
func bigCode() plan.Map {
	return plan.Map{LogicalShape: []int64{48, 8}, Shards: []plan.Shard{
		{Rank: 0, Shape: []int64{32, 8}, Pieces: []plan.Piece{rowsPiece(0, 16, 0, 0), rowsPiece(32, 16, 16, 0, 1)}},
		{Rank: 1, Shape: []int64{32, 8}, Pieces: []plan.Piece{rowsPiece(16, 16, 0, 1), rowsPiece(32, 16, 16, 0, 1)}},
	}}
}

// rowsPiece is n rows of 8 columns, from a row of F to a row of the shard.
func rowsPiece(from, n, to int64, locations ...int) plan.Piece {
	return plan.Piece{
		Shape:     []int64{n, 8},
		Source:    plan.View{Offset: 8 * from, Strides: []int64{8, 1}},
		Dest:      plan.View{Offset: 8 * to, Strides: []int64{8, 1}},
		Locations: locations,
	}
}

// line is a map of one axis: for each rank its pieces as {from, n, to}, all with the locations given after.
func line(n int64, shards ...plan.Shard) plan.Map {
	return plan.Map{LogicalShape: []int64{n}, Shards: shards}
}

func run(from, n, to int64, locations ...int) plan.Piece {
	return plan.Piece{
		Shape:     []int64{n},
		Source:    plan.View{Offset: from, Strides: []int64{1}},
		Dest:      plan.View{Offset: to, Strides: []int64{1}},
		Locations: locations,
	}
}

func shard(rank int, elements int64, pieces ...plan.Piece) plan.Shard {
	return plan.Shard{Rank: rank, Shape: []int64{elements}, Pieces: pieces}
}

func emptyPiece() plan.Piece { return rowsPiece(0, 0, 0, 0) }

func scaled(scale float64) func(*plan.Map) {
	return func(m *plan.Map) { m.Shards[1].Pieces[0].Scale = &scale }
}

// told is a violation in short: rule, kind and row.
func told(violations []plan.Violation) []string {
	out := []string{}
	for _, v := range violations {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %d", v.Rule, v.Kind, v.Row)))
	}
	slices.Sort(out)
	return out
}

// Rows are those of the table of refusals in affine-ir.md, and the rules those that it says such a map breaks.
func TestValidateTellsEveryRow(t *testing.T) {
	for _, test := range []struct {
		name string
		edit func(*plan.Map)
		want []string
	}{
		{"right", func(*plan.Map) {}, nil},
		{"row 3: a flat shard", func(m *plan.Map) { m.Shards[0].Shape = []int64{256} }, nil},
		{"row 5: no pieces", func(m *plan.Map) { m.Shards[1].Pieces = nil }, []string{"map.ranks invalid 5"}},
		{"row 5: only empty pieces", func(m *plan.Map) { m.Shards[1].Pieces = []plan.Piece{emptyPiece()} },
			[]string{"map.ranks invalid 5"}},
		{"row 6", func(m *plan.Map) { m.Shards[1].Shape, m.Shards[1].Undeclared = nil, true }, []string{"map.ranks invalid 6"}},
		{"row 7", func(m *plan.Map) { m.Shards[1].Shape[0] = 0 }, []string{"map.ranks invalid 7"}},
		{"row 8: a short source stride", func(m *plan.Map) { m.Shards[0].Pieces[1].Source.Strides = []int64{8} },
			[]string{"map.arity invalid 8"}},
		{"row 8: a short dest stride", func(m *plan.Map) { m.Shards[0].Pieces[1].Dest.Strides = nil },
			[]string{"map.arity invalid 8"}},
		{"row 8: an axis more than F", func(m *plan.Map) {
			p := &m.Shards[0].Pieces[1]
			p.Shape, p.Source.Strides, p.Dest.Strides = []int64{1, 16, 8}, []int64{1, 8, 1}, []int64{1, 8, 1}
		}, []string{"map.arity invalid 8"}},
		{"row 9", func(m *plan.Map) { m.Shards[0].Pieces[1].Shape[0] = -16 }, []string{"map.extent invalid 9"}},
		{"row 9: of F", func(m *plan.Map) { m.LogicalShape[1] = -8 }, []string{"map.extent invalid 9"}},
		{"row 9: of a shard", func(m *plan.Map) { m.Shards[0].Shape = []int64{0, -3} }, []string{"map.extent invalid 9"}},
		{"row 10: none", func(m *plan.Map) { m.Shards[0].Pieces[0].Locations = nil }, []string{"map.locations invalid 10"}},
		{"row 10: an empty list", func(m *plan.Map) { m.Shards[0].Pieces[0].Locations = []int{} },
			[]string{"map.locations invalid 10"}},
		{"a location twice", func(m *plan.Map) { m.Shards[0].Pieces[1].Locations = []int{1, 0, 1} },
			[]string{"map.locations invalid 10"}},
		{"row 11: 0", scaled(0), []string{"map.scale invalid 11"}},
		{"row 11: NaN", scaled(math.NaN()), []string{"map.scale invalid 11"}},
		{"row 11: infinite", scaled(math.Inf(-1)), []string{"map.scale invalid 11"}},
		{"row 11: other than 1 is a right map", scaled(0.5), nil},
		{"row 12: permuted", func(m *plan.Map) {
			m.Shards[0].Shape = []int64{8, 32}
			for p := range m.Shards[0].Pieces {
				m.Shards[0].Pieces[p].Dest = plan.View{Offset: int64(16 * p), Strides: []int64{1, 32}}
			}
		}, nil},
		{"row 12: permuted on both sides", func(m *plan.Map) {
			for p := range m.Shards[0].Pieces {
				piece := &m.Shards[0].Pieces[p]
				piece.Shape, piece.Source.Strides, piece.Dest.Strides = []int64{8, 16}, []int64{1, 8}, []int64{1, 8}
			}
		}, nil},
		{"row 12: reversed", func(m *plan.Map) {
			m.Shards[0].Pieces[0].Source = plan.View{Offset: 15 * 8, Strides: []int64{-8, 1}}
		}, []string{"unsupported 12"}},
		{"row 12: stepped in both shards", func(m *plan.Map) {
			for s := range m.Shards {
				m.Shards[s].Pieces[0].Dest = plan.View{Offset: 0, Strides: []int64{16, 1}}
				m.Shards[s].Pieces[1].Dest = plan.View{Offset: 8, Strides: []int64{16, 1}}
			}
		}, []string{"unsupported 12"}},
		{"row 12: broadcast", func(m *plan.Map) { m.Shards[0].Pieces[0].Source.Strides[1] = 0 },
			[]string{"map.coverage invalid 19", "map.once invalid 16"}},
		{"row 13: a negative offset", func(m *plan.Map) { m.Shards[0].Pieces[1].Source.Offset = -1 },
			[]string{"map.bounds invalid 13"}},
		{"row 13: an offset past F", func(m *plan.Map) { m.Shards[0].Pieces[1].Source.Offset = 48 * 8 },
			[]string{"map.bounds invalid 13"}},
		{"row 13: past the shard", func(m *plan.Map) { m.Shards[0].Pieces[1].Dest.Offset = 24 * 8 },
			[]string{"map.bounds invalid 13"}},
		{"row 13: round an axis", func(m *plan.Map) { m.Shards[0].Pieces[0].Source.Offset = 1 },
			[]string{"map.bounds invalid 13"}},
		{"row 14", func(m *plan.Map) { m.Shards[0].Pieces[1].Dest.Offset = 0 }, []string{"map.tiling invalid 14"}},
		{"row 15: too few", func(m *plan.Map) { m.Shards[0].Shape[0] = 33 }, []string{"map.tiling invalid 15"}},
		{"row 15: too many", func(m *plan.Map) {
			m.Shards[0].Pieces = append(m.Shards[0].Pieces, rowsPiece(16, 1, 0, 0))
		}, []string{"map.locations invalid 17", "map.tiling invalid 14", "map.tiling invalid 15"}},
		{"row 16", func(m *plan.Map) { m.Shards[0].Pieces[0].Source.Offset = 40 * 8; m.Shards[0].Pieces[0].Shape[0] = 8 },
			[]string{"map.coverage invalid 19", "map.locations invalid 17", "map.once invalid 16", "map.tiling invalid 15"}},
		{"row 16: the same block twice", func(m *plan.Map) {
			m.Shards[0].Shape[0] = 48
			m.Shards[0].Pieces = append(m.Shards[0].Pieces, rowsPiece(32, 16, 32, 1, 0))
		}, []string{"map.once invalid 16"}},
		{"row 17: two ranks both claim [0]", func(m *plan.Map) {
			m.Shards[0].Pieces[1].Locations, m.Shards[1].Pieces[1].Locations = []int{0}, []int{0}
		}, []string{"map.locations invalid 17"}},
		{"row 17: a replica without a shard", func(m *plan.Map) {
			for s := range m.Shards {
				m.Shards[s].Pieces[1].Locations = []int{0, 1, 2}
			}
		}, []string{"map.holder invalid 17", "map.locations invalid 17"}},
		{"row 17: a partial holder named as full", func(m *plan.Map) {
			m.Shards[1].Shape[0] = 24
			m.Shards[1].Pieces[1].Shape[0] = 8
		}, []string{"map.holder invalid 17", "map.locations invalid 17"}},
		{"row 17: a hidden replica", func(m *plan.Map) {
			m.Shards[0].Pieces[1].Locations, m.Shards[1].Pieces[1].Locations = []int{0}, []int{1}
		}, []string{"map.locations invalid 17"}},
		{"row 18: replicas cut at different boundaries", func(m *plan.Map) {
			m.Shards[1].Pieces = []plan.Piece{
				rowsPiece(16, 16, 0, 1), rowsPiece(32, 4, 16, 0, 1), rowsPiece(36, 12, 20, 1, 0),
			}
		}, nil},
		{"rows 19 and 20", func(m *plan.Map) { m.LogicalShape[0] = 49 }, []string{"map.coverage invalid 19"}},
		{"rows 19 and 20: no shards", func(m *plan.Map) { m.Shards = nil }, []string{"map.coverage invalid 19"}},
		{"row 23", func(m *plan.Map) { m.LogicalShape = []int64{1 << 32, 1 << 31} }, []string{"unsupported 23"}},
		{"row 23: a shard", func(m *plan.Map) { m.Shards[1].Shape = []int64{1 << 62, 2} }, []string{"unsupported 23"}},
		{"rows 5 and 23", func(m *plan.Map) { m.Shards[1] = plan.Shard{Rank: 1, Shape: []int64{1 << 62, 2}} },
			[]string{"map.ranks invalid 5", "unsupported 23"}},
		{"rows 9 and 23", func(m *plan.Map) {
			m.Shards[0].Shape, m.Shards[1].Shape = []int64{1 << 62, 2}, []int64{-1, 2}
		}, []string{"map.extent invalid 9", "unsupported 23"}},
		{"row 7: the other extents past int64", func(m *plan.Map) { m.Shards[1].Shape = []int64{1 << 62, 0, 4} },
			[]string{"map.ranks invalid 7"}},
		{"a negative rank", func(m *plan.Map) { m.Shards[0].Rank = -1 }, []string{"map.ranks invalid 0"}},
		{"a rank twice", func(m *plan.Map) { m.Shards[0].Rank = 1 }, []string{"map.ranks invalid 0"}},
	} {
		m := cloneMap(bigCode())
		test.edit(&m)
		if got := told(m.Validate()); !cmp.Equal(got, append([]string{}, test.want...)) {
			t.Errorf("%s: %q, want %q\n%v", test.name, got, test.want, m.Validate())
		}
	}
}

// What is unsupported stands after what is invalid, in whatever order a map shows them.
func TestValidateTellsWhatIsInvalidFirst(t *testing.T) {
	pastInt64, negative := []int64{1 << 62, 2}, []int64{-1, 2}
	for _, shapes := range [][2][]int64{{pastInt64, negative}, {negative, pastInt64}} {
		m := bigCode()
		m.Shards[0].Shape, m.Shards[1].Shape = shapes[0], shapes[1]
		found := m.Validate()
		if len(found) != 2 || found[0].Kind != plan.Invalid || found[1].Kind != plan.Unsupported {
			t.Errorf("shards %v and %v: %v", shapes[0], shapes[1], found)
		}
	}
}

// Numbers are those of the known faults of facts.md that are about maps.
func TestValidateKnowsTheFaults(t *testing.T) {
	for _, test := range []struct {
		name string
		m    plan.Map
		want []string
	}{
		{"1: private q rows merged with the k-v block", func() plan.Map {
			m := bigCode()
			m.Shards[1].Pieces = []plan.Piece{rowsPiece(16, 32, 0, 1)}
			return m
		}(), []string{"map.locations invalid 17"}},
		{"3: two pieces at dest 0", line(4, shard(0, 4, run(0, 2, 0, 0), run(2, 2, 0, 0))),
			[]string{"map.tiling invalid 14"}},
		{"3: the same in two axes, stepped", plan.Map{LogicalShape: []int64{4, 2}, Shards: []plan.Shard{{
			Rank: 0, Shape: []int64{4, 2}, Pieces: []plan.Piece{steppedPiece(0), steppedPiece(4)},
		}}}, []string{"unsupported 12"}},
		{"4: a target that covers half of F", line(8, shard(0, 4, run(0, 4, 0, 0))), []string{"map.coverage invalid 19"}},
		{"4: a hidden replica cut elsewhere", line(8, shard(0, 8, run(0, 8, 0, 0)), shard(1, 3, run(2, 3, 0, 1))),
			[]string{"map.locations invalid 17"}},
		{"7: a gap and an equal overlap", line(8, shard(0, 4, run(0, 4, 0, 0)), shard(1, 4, run(2, 4, 0, 1))),
			[]string{"map.coverage invalid 19", "map.locations invalid 17"}},
		{"9: experts 0 1 3 4 and 2 4 3, right", experts(1), nil},
		{"9: the second shard names itself alone for expert 4", experts(0), []string{"map.locations invalid 17"}},
		{"10: Yuan, 12 heads over 4", yuan(12, 4), []string{"map.locations invalid 17"}},
		{"10: Yuan, 8 heads over 2", yuan(8, 2), nil},
		{"11: rows 40 to 48 in no shard", plan.Map{LogicalShape: []int64{48, 8}, Shards: []plan.Shard{
			{Rank: 0, Shape: []int64{24, 8}, Pieces: []plan.Piece{rowsPiece(0, 16, 0, 0), rowsPiece(16, 8, 16, 0, 1)}},
			{Rank: 1, Shape: []int64{24, 8}, Pieces: []plan.Piece{rowsPiece(24, 16, 0, 1), rowsPiece(16, 8, 16, 0, 1)}},
		}}, []string{"map.coverage invalid 19"}},
		{"12: a scalar", plan.Map{LogicalShape: []int64{}, Shards: []plan.Shard{
			{Rank: 7, Pieces: []plan.Piece{{Locations: []int{7}}}},
		}}, nil},
		{"12: a scalar that nobody holds", plan.Map{}, []string{"map.coverage invalid 19"}},
		{"12: an empty rank in the middle", line(4, shard(0, 2, run(0, 2, 0, 0)), shard(5, 0), shard(9, 2, run(2, 2, 0, 9))), nil},
		{"12: a parameter with a zero extent", plan.Map{LogicalShape: []int64{0, 1 << 62, 4}, Shards: []plan.Shard{
			{Rank: 0, Shape: []int64{0, 3}},
		}}, nil},
		{"14: 10^9 x 8", plan.Map{LogicalShape: []int64{1e9, 8}, Shards: []plan.Shard{
			{Rank: 0, Shape: []int64{5e8, 8}, Pieces: []plan.Piece{rowsPiece(0, 5e8, 0, 0)}},
			{Rank: 1, Shape: []int64{5e8, 8}, Pieces: []plan.Piece{rowsPiece(5e8, 5e8, 0, 1)}},
		}}, nil},
		{"14: 10^9 x 8, a row too few", plan.Map{LogicalShape: []int64{1e9, 8}, Shards: []plan.Shard{
			{Rank: 0, Shape: []int64{5e8, 8}, Pieces: []plan.Piece{rowsPiece(0, 5e8, 0, 0)}},
			{Rank: 1, Shape: []int64{5e8 - 1, 8}, Pieces: []plan.Piece{rowsPiece(5e8, 5e8-1, 0, 1)}},
		}}, []string{"map.coverage invalid 19"}},
		{"19: an empty piece without holders in an empty shard", withEmptyPiece(func(p *plan.Piece) { p.Locations = nil }),
			[]string{"map.locations invalid 10"}},
		{"19: with short strides", withEmptyPiece(func(p *plan.Piece) { p.Dest.Strides = nil }), []string{"map.arity invalid 8"}},
		{"19: with a negative extent", withEmptyPiece(func(p *plan.Piece) { p.Shape[1] = -8 }), []string{"map.extent invalid 9"}},
		{"19: anywhere, of any rank", withEmptyPiece(func(p *plan.Piece) {
			p.Source.Offset, p.Dest.Offset, p.Locations = -5, math.MaxInt64, []int{99}
		}), nil},
	} {
		if got := told(test.m.Validate()); !cmp.Equal(got, append([]string{}, test.want...)) {
			t.Errorf("%s: %q, want %q\n%v", test.name, got, test.want, test.m.Validate())
		}
	}
}

// steppedPiece is two rows, from an element of F on, written to rows 0 and 2.
func steppedPiece(offset int64) plan.Piece {
	return plan.Piece{
		Shape: []int64{2, 2}, Source: plan.View{Offset: offset, Strides: []int64{2, 1}},
		Dest: plan.View{Strides: []int64{4, 1}}, Locations: []int{0},
	}
}

// experts is five experts of which 0 1 3 4 and 2 4 3 are on two ranks; the second rank names rank 0 and itself
// for expert 4 where named is 1, and itself alone where it is 0.
func experts(named int) plan.Map {
	return line(5,
		shard(0, 4, run(0, 2, 0, 0), run(3, 2, 2, 0, 1)),
		shard(1, 3, run(2, 1, 0, 1), run(4, 1, 1, []int{0, 1}[1-named:]...), run(3, 1, 2, 0, 1)))
}

// yuan gives rank r of T the value heads (rp+2i)/2 for 2i < p, with p = N/T, then the same plus N/2.
func yuan(heads, ranks int64) plan.Map {
	m := plan.Map{LogicalShape: []int64{heads}}
	p := heads / ranks
	for r := range ranks {
		s := plan.Shard{Rank: int(r)}
		for _, plus := range []int64{0, heads / 2} {
			for i := int64(0); 2*i < p; i++ {
				s.Pieces = append(s.Pieces, run((r*p+2*i)/2+plus, 1, int64(len(s.Pieces)), int(r)))
			}
		}
		s.Shape = []int64{int64(len(s.Pieces))}
		m.Shards = append(m.Shards, s)
	}
	return m
}

// withEmptyPiece is the example with a third rank whose shard is empty but for an edited empty piece.
func withEmptyPiece(edit func(*plan.Piece)) plan.Map {
	m := bigCode()
	p := emptyPiece()
	edit(&p)
	m.Shards = append(m.Shards, plan.Shard{Rank: 2, Shape: []int64{0, 8}, Pieces: []plan.Piece{p}})
	return m
}

// Of pieces that are no boxes only what is certain is told. Ranks 0 and 1 both hold a 2x2 tensor as its diagonal,
// elements 0 and 3, and elements 1 and 2.
func TestValidateOfDiagonals(t *testing.T) {
	for _, test := range []struct {
		name string
		edit func(*plan.Map)
		want []string
	}{
		{"right", func(*plan.Map) {}, []string{"unsupported 12"}},
		{"a holder without a shard", func(m *plan.Map) { m.Shards[0].Pieces[0].Locations = []int{0, 1, 2} },
			[]string{"map.holder invalid 17", "map.locations invalid 17"}},
		{"its own rank left out", func(m *plan.Map) { m.Shards[0].Pieces[1].Locations = []int{1} },
			[]string{"map.locations invalid 17"}},
		{"a holder that holds nothing there", func(m *plan.Map) {
			m.LogicalShape = []int64{2, 3}
			m.Shards[0].Pieces[0].Source.Strides[0] = 4
			m.Shards[0].Pieces[1].Source = view(1, 2, 1)
			m.Shards[1] = shard(1, 2, plan.Piece{Shape: []int64{2, 1}, Source: view(2, 3, 1), Dest: view(0, 1, 1), Locations: []int{1}})
		}, []string{"map.holder invalid 17", "map.locations invalid 17"}},
		{"a part that is in no piece", func(m *plan.Map) {
			m.LogicalShape = []int64{3, 2}
		}, []string{"map.coverage invalid 19"}},
		{"an address twice", func(m *plan.Map) { m.Shards[0].Pieces[1].Dest.Offset = 1 }, []string{"map.tiling invalid 14"}},
		{"an address left out", func(m *plan.Map) { m.Shards[1].Shape[0] = 5 }, []string{"map.tiling invalid 15"}},
	} {
		m := plan.Map{LogicalShape: []int64{2, 2}}
		for rank := range 2 {
			m.Shards = append(m.Shards, shard(rank, 4,
				plan.Piece{Shape: []int64{2, 1}, Source: view(0, 3, 1), Dest: view(0, 1, 1), Locations: []int{0, 1}},
				plan.Piece{Shape: []int64{1, 1}, Source: view(1, 1, 1), Dest: view(2, 1, 1), Locations: []int{0, 1}},
				plan.Piece{Shape: []int64{1, 1}, Source: view(2, 1, 1), Dest: view(3, 1, 1), Locations: []int{0, 1}}))
		}
		test.edit(&m)
		if got := told(m.Validate()); !cmp.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q\n%v", test.name, got, test.want, m.Validate())
		}
	}
}

// At the ends of int64, sums and products must neither wrap round nor crash.
func TestValidateAtTheEndsOfInt64(t *testing.T) {
	const most, least = math.MaxInt64, math.MinInt64
	edited := func(edit func(*plan.Piece)) plan.Map {
		p := run(0, most, 0, 0)
		edit(&p)
		return line(most, shard(0, most, p))
	}
	square := func(offset int64, strides ...int64) plan.Map {
		return plan.Map{LogicalShape: []int64{1 << 31, 1 << 31}, Shards: []plan.Shard{{
			Rank: 0, Shape: []int64{1 << 62}, Pieces: []plan.Piece{{
				Shape:  []int64{1 << 31, 1 << 31},
				Source: plan.View{Offset: offset, Strides: strides}, Dest: plan.View{Strides: []int64{1 << 31, 1}},
				Locations: []int{0},
			}},
		}}}
	}
	bounds, tiling := []string{"map.bounds invalid 13"}, "map.tiling invalid 15"
	for _, test := range []struct {
		name string
		m    plan.Map
		want []string
	}{
		{"all of int64", edited(func(*plan.Piece) {}), nil},
		{"one element past", edited(func(p *plan.Piece) { p.Source.Offset = 1 }), bounds},
		{"the last offset", edited(func(p *plan.Piece) { p.Source.Offset = most }), bounds},
		{"the least offset", edited(func(p *plan.Piece) { p.Dest.Offset = least }), bounds},
		{"the most stride", edited(func(p *plan.Piece) { p.Source.Strides[0] = most }), bounds},
		{"the least stride", edited(func(p *plan.Piece) { p.Source.Strides[0] = least }), bounds},
		{"the least stride from inside", edited(func(p *plan.Piece) { p.Source.Offset, p.Source.Strides[0] = most-1, least }), bounds},
		{"backwards", edited(func(p *plan.Piece) { p.Source.Offset, p.Source.Strides[0] = most-1, -1 }), []string{"unsupported 12"}},
		{"backwards past the start", edited(func(p *plan.Piece) { p.Source.Offset, p.Source.Strides[0] = most-2, -1 }), bounds},
		{"two elements far apart", line(most, shard(0, 2, plan.Piece{
			Shape: []int64{2}, Source: plan.View{Strides: []int64{most - 1}}, Dest: plan.View{Strides: []int64{1}}, Locations: []int{0},
		})), []string{"unsupported 12"}},
		{"backwards to the first element", line(5, shard(0, 2, plan.Piece{
			Shape: []int64{2}, Source: view(4, -4), Dest: view(0, 1), Locations: []int{0},
		})), []string{"unsupported 12"}},
		{"three of them", line(most, shard(0, 3, plan.Piece{
			Shape: []int64{3}, Source: plan.View{Strides: []int64{most/2 + 1}}, Dest: plan.View{Strides: []int64{1}}, Locations: []int{0},
		})), bounds},
		{"a square", square(0, 1<<31, 1), nil},
		{"a square in the other order", square(0, 1, 1<<31), nil},
		{"a square broadcast everywhere", square(1<<62-1, 0, 0), []string{"map.coverage invalid 19", "map.once invalid 16"}},
		{"a square past the end", square(1<<31, 1<<31, 1), bounds},
		{"more writes than int64", line(most, shard(0, most, run(0, most, 0, 0), run(0, most, 0, 0))),
			[]string{"map.once invalid 16", "map.tiling invalid 14", tiling}},
		{"as many writes as elements, but for 2^64", func() plan.Map {
			p := run(0, 1<<62, 0, 0)
			return line(1<<62, shard(0, 1<<62, p, p, p, p, p))
		}(), []string{"map.once invalid 16", "map.tiling invalid 14", tiling}},
		{"a block of more elements than int64", plan.Map{LogicalShape: []int64{1 << 31, 1 << 31}, Shards: []plan.Shard{{
			Rank: 0, Shape: []int64{1}, Pieces: []plan.Piece{{
				Shape: []int64{most, most}, Source: plan.View{Strides: []int64{0, 0}}, Dest: plan.View{Strides: []int64{0, 0}},
				Locations: []int{0},
			}},
		}}}, []string{"map.coverage invalid 19", "map.once invalid 16", "map.tiling invalid 14", tiling}},
		{"the greatest rank", line(1, shard(most, 1, run(0, 1, 0, most))), nil},
	} {
		if got := told(test.m.Validate()); !cmp.Equal(got, append([]string{}, test.want...)) {
			t.Errorf("%s: %q, want %q\n%v", test.name, got, test.want, test.m.Validate())
		}
	}
}

// The texts name the rank, the piece by its place in the map, and both numbers.
func TestViolationsSayWhat(t *testing.T) {
	for _, test := range []struct {
		edit func(*plan.Map)
		want string
	}{
		{func(m *plan.Map) { m.Shards[1].Pieces[1].Dest.Offset = 24 * 8 },
			"rank 1 piece 1: writes [24:40] x [0:8], outside the 32x8 shard"},
		{func(m *plan.Map) { m.Shards[0].Pieces[0].Shape[0] = 40 }, "rank 0 piece 0: writes [0:40] x [0:8], outside the 32x8 shard"},
		{func(m *plan.Map) { m.Shards[1].Pieces[1].Source.Offset = 384 },
			"rank 1 piece 1: stands at offset 384, outside the 48x8 logical tensor"},
		{func(m *plan.Map) { m.Shards[1].Pieces[1].Source.Strides = []int64{16, 1} },
			"rank 1 piece 1: stands at 16x8 elements from offset 256 by strides [16 1], outside the 48x8 logical tensor or round an axis of it"},
		{func(m *plan.Map) { m.LogicalShape[0] = 50 }, "map: no rank holds [48:50] x [0:8] of 50x8"},
		{func(m *plan.Map) { m.Shards[1].Pieces[1].Dest.Offset = 8 * 8 },
			"rank 1: pieces 0 and 1 both write [8:16] x [0:8] of the 32x8 shard"},
		{func(m *plan.Map) { m.Shards[1].Shape[0] = 40 }, "rank 1: its pieces write 256 elements, and its 40x8 shard has 320"},
		{func(m *plan.Map) { m.Shards[0].Pieces[1].Locations = []int{0} },
			"rank 0 piece 1: names locations [0], and rank 1 piece 1 names [0 1] for [32:48] x [0:8] of 48x8"},
		{func(m *plan.Map) { m.Shards[0].Pieces[0].Scale = new(float64) }, "rank 0 piece 0: scale 0"},
	} {
		m := cloneMap(bigCode())
		test.edit(&m)
		if got := m.Validate(); len(got) != 1 || got[0].Error() != test.want {
			t.Errorf("%v, want only %q", got, test.want)
		}
	}
}

func TestValidateRequestRefusesInvalidFirst(t *testing.T) {
	reversed := func(m *plan.Map) {
		m.Shards[0].Pieces[0].Source = plan.View{Offset: 15 * 8, Strides: []int64{-8, 1}}
	}
	gap := func(m *plan.Map) { m.LogicalShape[0] = 50 }
	short := func(m *plan.Map) { m.Shards[1].Pieces[0].Dest.Strides = nil }
	nothing := func(*plan.Map) {}
	for _, test := range []struct {
		name           string
		source, target func(*plan.Map)
		want           string
	}{
		{"right", nothing, nothing, ""},
		{"a scale in the source", scaled(2), nothing, "refused as unsupported: source rank 1 piece 0: scale 2, and only 1 is planned"},
		{"a scale in the target", nothing, scaled(-1), "refused as unsupported: target rank 1 piece 0: scale -1, and only 1 is planned"},
		{"unsupported and invalid", reversed, short,
			"refused as invalid: target rank 1 piece 0: 2 extents, 2 source strides and 0 dest strides for 2 axes"},
		{"a scale and invalid", scaled(2), short,
			"refused as invalid: target rank 1 piece 0: 2 extents, 2 source strides and 0 dest strides for 2 axes"},
		{"unsupported", nothing, reversed,
			"refused as unsupported: target rank 0 piece 0: a 16x8 block with source strides [-8 1] in 48x8 and dest strides [8 1] in a 32x8 shard is not a box of both"},
		{"row 19", gap, gap, "refused as invalid: source map: no rank holds [48:50] x [0:8] of 50x8"},
		{"row 1", nothing, func(m *plan.Map) { *m = line(384, shard(0, 384, run(0, 384, 0, 0))) },
			"refused as invalid: the source's logical shape 48x8 is not the target's 384"},
		{"row 1 before unsupported", reversed, func(m *plan.Map) { *m = line(384, shard(0, 384, run(0, 384, 0, 0))) },
			"refused as invalid: the source's logical shape 48x8 is not the target's 384"},
	} {
		request := plan.Request{Source: cloneMap(bigCode()), Target: cloneMap(bigCode())}
		test.source(&request.Source)
		test.target(&request.Target)
		source, target, refusal := plan.ValidateRequest(request)
		got := ""
		if refusal != nil {
			got = refusal.Error()
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		if blocks := len(source) + len(target); (blocks == 8) != (got == "") {
			t.Errorf("%s: %d blocks with %q", test.name, blocks, got)
		}
	}
}
