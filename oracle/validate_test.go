package oracle

import (
	"math"
	"slices"
	"testing"

	"github.com/shardproof/shardproof/plan"
)

// rulesOf lists the rules that plan's own validation finds broken, sorted; known is false where it says that
// the map is legal and beyond it.
func rulesOf(m plan.Map) (rules []plan.RuleID, known bool) {
	for _, v := range m.Validate() {
		if v.Kind != plan.Invalid {
			continue
		}
		if !slices.Contains(rules, v.Rule) {
			rules = append(rules, v.Rule)
		}
	}
	slices.Sort(rules)
	return rules, rules != nil || m.Validate() == nil
}

// Enumerating the elements of a map and reasoning about its pieces break the same rules, on maps right and
// spoiled.
func TestValidationsAgree(t *testing.T) {
	counts, judged := map[plan.RuleID]int{}, 0
	for seed := range uint64(4 * randomCases) {
		d := draw(seed)
		m := d.layout([]int64{d.upTo(3), 1 + d.upTo(3)}[:d.IntN(3)])
		if seed%4 > 0 {
			d.spoilMap(&m)
		}
		enumerated, known := ValidateMap(m)
		reasoned, sure := rulesOf(m)
		if !known || !sure {
			continue
		}
		if oblique(m) {
			// Reasoning is exact for boxes only; of other pieces it may miss a rule that another one tells of.
			if len(reasoned) == 0 != (len(enumerated) == 0) || slices.ContainsFunc(reasoned, func(r plan.RuleID) bool { return !slices.Contains(enumerated, r) }) {
				t.Fatalf("seed %d: enumerated %v, reasoned %v (%v)\n%+v", seed, enumerated, reasoned, m.Validate(), m)
			}
			continue
		}
		judged++
		if !slices.Equal(enumerated, reasoned) {
			t.Fatalf("seed %d: enumerated %v, reasoned %v (%v)\n%+v", seed, enumerated, reasoned, m.Validate(), m)
		}
		for _, rule := range enumerated {
			counts[rule]++
		}
	}
	if judged < 3*randomCases {
		t.Errorf("only %d maps judged by both", judged)
	}
	for _, rule := range []plan.RuleID{plan.RuleArity, plan.RuleExtent, plan.RuleBounds, plan.RuleTiling, plan.RuleOnce, plan.RuleCoverage, plan.RuleLocations, plan.RuleHolder, plan.RuleScale, plan.RuleRanks} {
		if counts[rule] < 20 {
			t.Errorf("%s was broken in %d maps only", rule, counts[rule])
		}
	}
	t.Logf("%d maps, rules broken: %v", judged, counts)
}

// oblique reports whether some piece is no box on either side: whether an axis of it longer than 1 has a stride
// that is none of the tensor's own. A flat shard takes any.
func oblique(m plan.Map) bool {
	for _, shard := range m.Shards {
		for _, piece := range shard.Pieces {
			if foreign(piece.Shape, piece.Source, m.LogicalShape) || len(shard.Shape) > 1 && foreign(piece.Shape, piece.Dest, shard.Shape) {
				return true
			}
		}
	}
	return false
}

func foreign(shape []int64, view plan.View, tensor []int64) bool {
	for axis, extent := range shape {
		if extent > 1 && axis < len(view.Strides) && !slices.Contains(steps(tensor), view.Strides[axis]) {
			return true
		}
	}
	return false
}

// spoilMap changes one thing of a map, or two.
func (d drawing) spoilMap(m *plan.Map) {
	for range 1 + d.IntN(2) {
		shard := &m.Shards[d.IntN(len(m.Shards))]
		if len(shard.Pieces) == 0 || d.IntN(6) == 0 {
			d.spoilShard(m, shard)
			continue
		}
		piece := &shard.Pieces[d.IntN(len(shard.Pieces))]
		switch d.IntN(10) {
		case 0:
			piece.Source.Offset += d.step()
		case 1:
			piece.Dest.Offset += d.step()
		case 2:
			piece.Source.Strides = d.stride(piece.Source.Strides)
		case 3:
			piece.Dest.Strides = d.stride(piece.Dest.Strides)
		case 4:
			if piece.Shape = slices.Clone(piece.Shape); len(piece.Shape) > 0 {
				piece.Shape[d.IntN(len(piece.Shape))] += []int64{1, -1, -2, 2}[d.IntN(4)]
			}
		case 5:
			piece.Locations = [][]int{nil, {0}, {0, 2}, {2, 0}, {0, 0}, {0, 7}, {5}}[d.IntN(7)]
		case 6:
			scale := []float64{0, 1, 2, math.NaN(), math.Inf(1)}[d.IntN(5)]
			piece.Scale = &scale
		case 7:
			shard.Pieces = append(shard.Pieces, *piece)
		case 8:
			*piece = shard.Pieces[0]
		case 9:
			piece.Shape = slices.Repeat([]int64{0}, len(piece.Shape))
		}
	}
}

func (d drawing) spoilShard(m *plan.Map, shard *plan.Shard) {
	switch d.IntN(6) {
	case 0:
		shard.Rank = []int{0, 2, -1, 9}[d.IntN(4)]
	case 1:
		shard.Undeclared = true
	case 2:
		shard.Shape = []int64{shard.Shape[0] + []int64{1, -1, 2, -8}[d.IntN(4)]}
	case 3:
		shard.Shape = append(shard.Shape, d.upTo(2))
	case 4:
		shard.Pieces = nil
	case 5:
		m.LogicalShape = append(slices.Clone(m.LogicalShape), 1)
	}
}

// The rules broken by maps that have been accepted somewhere, as facts.md lists them.
func TestValidateMapKnownFaults(t *testing.T) {
	vector := func(lo, n, dest int64, locations ...int) plan.Piece {
		return plan.Piece{Shape: []int64{n}, Source: plan.View{Offset: lo, Strides: []int64{1}}, Dest: plan.View{Offset: dest, Strides: []int64{1}}, Locations: locations}
	}
	shards := func(n int64, pieces ...[]plan.Piece) plan.Map {
		m := plan.Map{LogicalShape: []int64{4}}
		for rank := range pieces {
			m.Shards = append(m.Shards, plan.Shard{Rank: rank, Shape: []int64{n}, Pieces: pieces[rank]})
		}
		return m
	}
	type ids = []plan.RuleID
	for _, test := range []struct {
		name string
		m    plan.Map
		want ids
	}{
		{"right", shards(4, []plan.Piece{vector(0, 4, 0, 0)}), nil},
		{"two pieces both at dest 0", shards(4, []plan.Piece{vector(0, 2, 0, 0), vector(2, 2, 0, 0)}), ids{plan.RuleTiling}},
		{"two ranks both claiming [0]", shards(4, []plan.Piece{vector(0, 4, 0, 0)}, []plan.Piece{vector(0, 4, 0, 0)}), ids{plan.RuleLocations}},
		{"a replica without a shard", shards(4, []plan.Piece{vector(0, 4, 0, 0, 1)}), ids{plan.RuleHolder, plan.RuleLocations}},
		{"a hidden replica cut elsewhere", shards(4, []plan.Piece{vector(0, 4, 0, 0)}, []plan.Piece{vector(0, 1, 0, 1), vector(1, 3, 1, 1)}), ids{plan.RuleLocations}},
		{"half of F", shards(2, []plan.Piece{vector(0, 2, 0, 0)}), ids{plan.RuleCoverage}},
		{"a gap that an equal overlap hides", shards(2, []plan.Piece{vector(0, 2, 0, 0)}, []plan.Piece{vector(1, 2, 0, 1)}), ids{plan.RuleCoverage, plan.RuleLocations}},
		{"a shard without pieces", shards(4, []plan.Piece{vector(0, 4, 0, 0)}, nil), ids{plan.RuleRanks}},
		{"one rank twice", shards(8, []plan.Piece{vector(0, 4, 0, 0), vector(0, 4, 4, 0)}), ids{plan.RuleOnce}},
		{"past the end", shards(4, []plan.Piece{vector(1, 4, 0, 0)}), ids{plan.RuleBounds}},
	} {
		if got, known := ValidateMap(test.m); !known || !slices.Equal(got, test.want) {
			t.Errorf("%s: broken %v (known %v), want %v", test.name, got, known, test.want)
		}
	}
}

// A block never wraps round an axis: of 2x2 the elements 1 and 2 stand at [0 1] and [1 0], and are no block along an
// axis in either order, as 0 and 1, 1 and 0, 0 and 2 and 2 and 0 are.
func TestValidateMapWraps(t *testing.T) {
	for _, test := range []struct {
		offset, stride int64
		axis           int // of the piece
		want           []plan.RuleID
	}{
		{0, 1, 1, nil}, {1, -1, 1, nil}, {0, 2, 0, nil}, {2, -2, 0, nil},
		{1, 1, 1, []plan.RuleID{plan.RuleBounds}}, {2, -1, 1, []plan.RuleID{plan.RuleBounds}},
	} {
		shape, source, dest := []int64{1, 1}, []int64{2, 1}, []int64{1, 1}
		shape[test.axis], source[test.axis] = 2, test.stride
		shard := plan.Shard{Shape: []int64{4}, Pieces: []plan.Piece{{
			Shape: shape, Source: plan.View{Offset: test.offset, Strides: source}, Dest: plan.View{Strides: dest}, Locations: []int{0},
		}}}
		for label := range int64(4) {
			if label != test.offset && label != test.offset+test.stride {
				shard.Pieces = append(shard.Pieces, plan.Piece{
					Shape: []int64{1, 1}, Source: plan.View{Offset: label, Strides: []int64{2, 1}},
					Dest: plan.View{Offset: int64(len(shard.Pieces) + 1), Strides: dest}, Locations: []int{0},
				})
			}
		}
		m := plan.Map{LogicalShape: []int64{2, 2}, Shards: []plan.Shard{shard}}
		if got, known := ValidateMap(m); !known || !slices.Equal(got, test.want) {
			t.Errorf("%d and %d: broken %v (known %v), want %v", test.offset, test.offset+test.stride, got, known, test.want)
		}
	}
}

// Past its limit the validator says nothing, and takes no time.
func TestValidateMapLimit(t *testing.T) {
	for _, test := range []struct {
		logical, shard, piece int64
		want                  bool
	}{
		{MaxMapElements, 0, 0, true}, {MaxMapElements + 1, 0, 0, false},
		{1, MaxMapElements / 2, MaxMapElements / 2, true}, {1, MaxMapElements/2 + 1, MaxMapElements / 2, false}, {1, MaxMapElements / 2, MaxMapElements/2 + 1, false},
	} {
		shard := plan.Shard{Shape: []int64{test.shard}, Pieces: []plan.Piece{{Shape: []int64{test.piece}}}}
		v := validation{m: &plan.Map{LogicalShape: []int64{test.logical}, Shards: []plan.Shard{shard}}}
		if got := v.countable(); got != test.want {
			t.Errorf("%+v: got %v", test, got)
		}
	}
	m := plan.Map{LogicalShape: []int64{1 << 40}}
	m.Shards = []plan.Shard{{Shape: []int64{1 << 40}, Pieces: []plan.Piece{{
		Shape: []int64{1 << 40}, Source: plan.View{Strides: []int64{1}}, Dest: plan.View{Strides: []int64{1}}, Locations: []int{0},
	}}}}
	if rules, known := ValidateMap(m); known || rules != nil {
		t.Errorf("got %v, %v of a map of 2^40 elements", rules, known)
	}
}
