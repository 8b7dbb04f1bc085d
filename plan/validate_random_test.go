package plan_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/shardproof/shardproof/plan"
)

// choices draws numbers from lo to hi; lo is the simplest.
type choices func(label string, lo, hi int64) int64

func rapidChoices(t *rapid.T) choices {
	return func(label string, lo, hi int64) int64 { return lo + rapid.Int64Range(0, hi-lo).Draw(t, label) }
}

// smallMap draws a map that keeps every rule: boxes of F with the ranks that hold them, each rank cutting its
// boxes again as it likes and storing them in a shard of its own axes, permuted, or flat.
func smallMap(choose choices) plan.Map {
	m := plan.Map{LogicalShape: make([]int64, choose("axes", 0, 3))}
	for k := range m.LogicalShape {
		m.LogicalShape[k] = choose("extent", 1, 4)
	}
	ranks := choose("ranks", 1, 3)
	type held struct {
		lo, shape []int64
		locations []int
	}
	var boxes []held
	for _, b := range cutUp(choose, make([]int64, len(m.LogicalShape)), m.LogicalShape, choose("cuts", 0, 3)) {
		set := choose("holders", 1, 1<<ranks-1)
		var locations []int
		for rank := range int(ranks) {
			if set>>rank&1 == 1 {
				locations = append(locations, 3*rank)
			}
		}
		boxes = append(boxes, held{b[0], b[1], locations})
	}
	for rank := range int(ranks) {
		shard := plan.Shard{Rank: 3 * rank}
		var pieces [][2][]int64
		for _, b := range boxes {
			if !slices.Contains(b.locations, shard.Rank) {
				continue
			}
			for _, part := range cutUp(choose, b.lo, b.shape, choose("recuts", 0, 1)) {
				pieces = append(pieces, part)
				shard.Pieces = append(shard.Pieces, plan.Piece{
					Shape: part[1], Locations: b.locations,
					Source: plan.View{Offset: offsetAt(m.LogicalShape, part[0]), Strides: rowMajor(m.LogicalShape)},
				})
			}
		}
		storePieces(choose, &shard, len(m.LogicalShape), pieces)
		m.Shards = append(m.Shards, shard)
	}
	return m
}

// cutUp cuts a box in two, over and over.
func cutUp(choose choices, lo, shape []int64, cuts int64) [][2][]int64 {
	parts := [][2][]int64{{lo, shape}}
	for range cuts {
		at := int(choose("part", 0, int64(len(parts)-1)))
		part := parts[at]
		for axis, extent := range part[1] {
			if extent < 2 || choose("skip axis", 0, 1) == 1 {
				continue
			}
			n := choose("cut", 1, extent-1)
			second := [2][]int64{slices.Clone(part[0]), slices.Clone(part[1])}
			first := [2][]int64{part[0], slices.Clone(part[1])}
			first[1][axis], second[1][axis] = n, extent-n
			second[0][axis] += n
			parts[at] = first
			parts = append(parts, second)
			break
		}
	}
	return parts
}

// storePieces gives the pieces places in a shard: along one axis where they stack on it, in a permuted order
// of the axes, or one after the other in a flat shard, each in its own order of axes.
func storePieces(choose choices, shard *plan.Shard, axes int, parts [][2][]int64) {
	stack, stacks := 0, false
	if axes > 0 && choose("flat", 0, 2) > 0 {
		for stack = range axes {
			if stacks = stacksOn(stack, parts); stacks {
				break
			}
		}
	}
	order := permutation(choose, axes)
	if !stacks {
		at := int64(0)
		for i := range shard.Pieces {
			shard.Pieces[i].Dest = plan.View{Offset: at, Strides: make([]int64, axes)}
			step := int64(1)
			for _, axis := range slices.Backward(order) {
				shard.Pieces[i].Dest.Strides[axis] = step
				step *= shard.Pieces[i].Shape[axis]
			}
			at += step
			order = permutation(choose, axes)
		}
		shard.Shape = []int64{at}
		return
	}
	whole := make([]int64, axes)
	for _, part := range parts {
		for axis, extent := range part[1] {
			if whole[axis] = extent; axis == stack {
				whole[axis] = 0
			}
		}
	}
	for _, part := range parts {
		whole[stack] += part[1][stack]
	}
	strides := make([]int64, axes)
	step := int64(1)
	for _, axis := range slices.Backward(order) {
		strides[axis] = step
		step *= max(whole[axis], 1)
	}
	for _, axis := range order {
		shard.Shape = append(shard.Shape, whole[axis])
	}
	at := int64(0)
	for i := range shard.Pieces {
		shard.Pieces[i].Dest = plan.View{Offset: at * strides[stack], Strides: strides}
		at += shard.Pieces[i].Shape[stack]
	}
}

func stacksOn(stack int, parts [][2][]int64) bool {
	for _, part := range parts {
		for axis, extent := range part[1] {
			if axis != stack && extent != parts[0][1][axis] {
				return false
			}
		}
	}
	return true
}

func permutation(choose choices, n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	for i := range order {
		j := choose("permute", int64(i), int64(n-1))
		order[i], order[j] = order[j], order[i]
	}
	return order
}

func rowMajor(shape []int64) []int64 {
	strides := make([]int64, len(shape))
	step := int64(1)
	for axis := len(shape) - 1; axis >= 0; axis-- {
		strides[axis] = step
		step *= shape[axis]
	}
	return strides
}

func offsetAt(shape, lo []int64) (offset int64) {
	for axis, stride := range rowMajor(shape) {
		offset += stride * lo[axis]
	}
	return offset
}

// damage changes one number or list of a map, which may leave it right.
func damage(choose choices, m plan.Map) plan.Map {
	m = cloneMap(m)
	if len(m.Shards) == 0 {
		return m
	}
	shard := &m.Shards[choose("shard", 0, int64(len(m.Shards)-1))]
	if len(shard.Pieces) == 0 || choose("what", 0, 4) == 0 {
		damageShard(choose, &m, shard)
		return m
	}
	piece := &shard.Pieces[choose("piece", 0, int64(len(shard.Pieces)-1))]
	small := func() int64 { return choose("by", -2, 2) }
	pick := func(values []int64) *int64 {
		if len(values) == 0 {
			return new(int64)
		}
		return &values[choose("axis", 0, int64(len(values)-1))]
	}
	switch choose("damage", 0, 13) {
	case 0:
		piece.Source.Offset += small()
	case 1:
		piece.Dest.Offset += small()
	case 2:
		*pick(piece.Source.Strides) += small()
	case 3:
		*pick(piece.Dest.Strides) += small()
	case 4:
		*pick(piece.Shape) += small()
	case 5:
		piece.Locations = append(piece.Locations, int(choose("location", -1, 9)))
	case 6:
		piece.Locations = piece.Locations[min(1, len(piece.Locations)):]
	case 7:
		slices.Reverse(piece.Source.Strides)
	case 8:
		slices.Reverse(piece.Dest.Strides)
	case 9:
		*pick(piece.Source.Strides) *= -1
	case 10:
		other := shard.Pieces[choose("other", 0, int64(len(shard.Pieces)-1))]
		piece.Dest, other.Dest = other.Dest, piece.Dest
	case 11:
		*pick(piece.Dest.Strides) = *pick(piece.Source.Strides)
	case 12:
		scale := float64(choose("scale", 0, 2))
		piece.Scale = &scale
	case 13:
		piece.Dest.Strides = piece.Dest.Strides[min(1, len(piece.Dest.Strides)):]
	}
	return m
}

func damageShard(choose choices, m *plan.Map, shard *plan.Shard) {
	switch choose("shard damage", 0, 7) {
	case 0:
		shard.Pieces = nil
	case 1:
		*shard = m.Shards[0]
	case 2:
		shard.Rank = int(choose("rank", -1, 9))
	case 3:
		shard.Undeclared = true
	case 4:
		shard.Shape = append(shard.Shape, choose("extent", -1, 2))
	case 5:
		m.Shards = m.Shards[:len(m.Shards)-1]
	case 6:
		if len(shard.Pieces) > 0 {
			shard.Pieces = append(shard.Pieces[1:], shard.Pieces[0], shard.Pieces[0])
		}
	case 7:
		if len(shard.Pieces) > 0 {
			shard.Pieces = shard.Pieces[1:]
		}
	}
}

func cloneMap(m plan.Map) plan.Map {
	m.LogicalShape = slices.Clone(m.LogicalShape)
	m.Shards = slices.Clone(m.Shards)
	for s := range m.Shards {
		m.Shards[s].Shape = slices.Clone(m.Shards[s].Shape)
		m.Shards[s].Pieces = slices.Clone(m.Shards[s].Pieces)
		for p := range m.Shards[s].Pieces {
			piece := &m.Shards[s].Pieces[p]
			piece.Shape = slices.Clone(piece.Shape)
			piece.Source.Strides = slices.Clone(piece.Source.Strides)
			piece.Dest.Strides = slices.Clone(piece.Dest.Strides)
			piece.Locations = slices.Clone(piece.Locations)
		}
	}
	return m
}

// The law: validation finds what listing every element finds. Where some piece is no box it may find less, but
// then it never passes the map.
func agreesWithBrute(t interface {
	Helper()
	Fatalf(string, ...any)
}, m plan.Map) (want []plan.RuleID, boxes bool) {
	t.Helper()
	got, unsupported := rulesOf(m.Validate())
	want, boxes = bruteRules(m)
	switch {
	case boxes && !slices.Equal(got, want):
		t.Fatalf("Validate finds %v, listing every element %v, in\n%+v\n%v", got, want, m, m.Validate())
	case !boxes && !subset(got, want):
		t.Fatalf("Validate finds %v, more than listing every element, %v, in\n%+v\n%v", got, want, m, m.Validate())
	case !unsupported && len(got) == 0 && len(want) > 0:
		t.Fatalf("Validate passes a map that breaks %v:\n%+v", want, m)
	}
	return want, boxes
}

// rulesOf lists the rules that violations find broken, sorted, and whether some are of kind unsupported.
func rulesOf(violations []plan.Violation) (rules []plan.RuleID, unsupported bool) {
	for _, v := range violations {
		if v.Kind == plan.Unsupported {
			unsupported = true
		} else {
			rules = append(rules, v.Rule)
		}
	}
	slices.Sort(rules)
	return slices.Compact(rules), unsupported
}

func subset(some, all []plan.RuleID) bool {
	return !slices.ContainsFunc(some, func(rule plan.RuleID) bool { return !slices.Contains(all, rule) })
}

func TestValidMapsPass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := smallMap(rapidChoices(t))
		if violations := m.Validate(); violations != nil {
			t.Fatalf("%v in a right map:\n%+v", violations, m)
		}
		if want, _ := agreesWithBrute(t, m); want != nil {
			t.Fatalf("the brute force finds %v in a right map:\n%+v", want, m)
		}
	})
}

func TestDamagedMapsAgreeWithBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { agreesWithBrute(t, damagedMap(rapidChoices(t))) })
}

// The same with a fixed seed, so that the share of each kind of damage is known.
func TestDamageBreaksEveryRule(t *testing.T) {
	broken := map[plan.RuleID]int{}
	inexact := 0
	random := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		m := damagedMap(func(_ string, lo, hi int64) int64 { return lo + random.Int64N(hi-lo+1) })
		rules, boxes := agreesWithBrute(t, m)
		if !boxes {
			inexact++
			continue
		}
		for _, rule := range rules {
			broken[rule]++
		}
	}
	for _, rule := range []plan.RuleID{
		plan.RuleArity, plan.RuleExtent, plan.RuleBounds, plan.RuleTiling, plan.RuleOnce, plan.RuleCoverage,
		plan.RuleLocations, plan.RuleHolder, plan.RuleScale, plan.RuleRanks,
	} {
		if broken[rule] < 40 {
			t.Errorf("%d of 4000 maps break %s, want 40 or more", broken[rule], rule)
		}
	}
	if inexact < 20 {
		t.Errorf("%d of 4000 maps have a piece that is no box, want 20 or more", inexact)
	}
}

func damagedMap(choose choices) plan.Map {
	m := smallMap(choose)
	for range choose("damages", 1, 3) {
		m = damage(choose, m)
	}
	return m
}

func TestValidateDoesNotDependOnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		choose := rapidChoices(t)
		m := damagedMap(choose)
		want := m.Validate()
		got := shuffled(choose, m).Validate()
		if diff := gocmp.Diff(unnumbered(want), unnumbered(got)); diff != "" {
			t.Fatalf("Validate of %+v and of the same in another order (-want +got):\n%s", m, diff)
		}
	})
}

// unnumbered writes violations without the numbers of pieces, which follow the pieces when they are reordered.
func unnumbered(violations []plan.Violation) []string {
	var out []string
	for _, v := range violations {
		out = append(out, fmt.Sprint(v.Rule, v.Kind, v.Row)+pieceNumbers.ReplaceAllString(v.Error(), "piece"))
	}
	return out
}

var pieceNumbers = regexp.MustCompile(`pieces? \d+( and \d+)?`)

func shuffled(choose choices, m plan.Map) plan.Map {
	m = cloneMap(m)
	m.Shards = permuted(choose, m.Shards)
	for s := range m.Shards {
		m.Shards[s].Pieces = permuted(choose, m.Shards[s].Pieces)
		for p := range m.Shards[s].Pieces {
			m.Shards[s].Pieces[p].Locations = permuted(choose, m.Shards[s].Pieces[p].Locations)
		}
	}
	return m
}

func permuted[T any](choose choices, values []T) []T {
	out := make([]T, len(values))
	for i, from := range permutation(choose, len(values)) {
		out[i] = values[from]
	}
	return out
}

// Each block says where every element of its piece stands, in F and in the shard.
func TestBlocksPlaceTheElementsOfThePieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		choose := rapidChoices(t)
		m := smallMap(choose)
		if choose("whole", 0, 1) == 1 {
			m = damage(choose, m)
		}
		blocks, violations := m.Blocks()
		if violations != nil {
			return
		}
		for _, block := range blocks {
			piece := m.Shards[block.Shard].Pieces[block.Piece]
			if got, want := blockElements(m.LogicalShape, block), pieceElements(piece); !gocmp.Equal(got, want) {
				t.Fatalf("block %+v of piece %+v has elements %v, want %v", block, piece, got, want)
			}
		}
	})
}

// pieceElements lists pairs of an element of F and its address in the shard, sorted.
func pieceElements(piece plan.Piece) [][2]int64 {
	var pairs [][2]int64
	for index := range indexes(piece.Shape) {
		pairs = append(pairs, [2]int64{address(piece.Source, index), address(piece.Dest, index)})
	}
	sortPairs(pairs)
	return pairs
}

func blockElements(logical []int64, block plan.Block) [][2]int64 {
	var pairs [][2]int64
	inF := plan.View{Offset: offsetAt(logical, block.Lo), Strides: rowMajor(logical)}
	for index := range indexes(block.Shape) {
		pairs = append(pairs, [2]int64{address(inF, index), address(plan.View{Offset: block.Address, Strides: block.Strides}, index)})
	}
	sortPairs(pairs)
	return pairs
}

func sortPairs(pairs [][2]int64) {
	slices.SortFunc(pairs, func(a, b [2]int64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
}

// FuzzValidate draws a map from bytes: wild ones, whose numbers are any int64, must not crash validation, and
// small damaged ones must be judged as by brute force.
func FuzzValidate(f *testing.F) {
	f.Add([]byte{0})
	f.Add([]byte{1, 2, 3, 4, 1, 2, 3, 1, 2, 5, 6, 7, 1, 1, 2, 1, 0, 2, 3, 4, 2, 1, 2, 3, 4, 5})
	f.Fuzz(func(t *testing.T, data []byte) {
		choose := byteChoices(data)
		m := smallMap(choose)
		for range choose("damages", 0, 4) {
			m = damage(choose, m)
		}
		agreesWithBrute(t, m)
		wild := cloneMap(m)
		for range choose("wild", 1, 6) {
			goWild(choose, &wild)
		}
		violations := wild.Validate()
		if _, other := wild.Blocks(); len(violations) == 0 && len(other) > 0 {
			t.Fatalf("Validate passes a map of which Blocks says %v:\n%+v", other, wild)
		}
		wild.Canonical()
		if _, _, refusal := plan.ValidateRequest(plan.Request{Source: wild, Target: m}); refusal == nil && len(violations) > 0 {
			t.Fatalf("a request is accepted whose source has %v:\n%+v", violations, wild)
		}
	})
}

// byteChoices takes a byte or, for wide ranges, eight for each choice, and lo when none are left.
func byteChoices(data []byte) choices {
	next := func() uint64 {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return uint64(b)
	}
	return func(_ string, lo, hi int64) int64 {
		n := next()
		if uint64(hi)-uint64(lo) > math.MaxUint8 {
			for range 7 {
				n = n<<8 | next()
			}
		}
		if span := uint64(hi) - uint64(lo) + 1; span != 0 {
			n %= span
		}
		return int64(uint64(lo) + n)
	}
}

// goWild sets one number of a map to any int64, more often than not one near an end of the range.
func goWild(choose choices, m *plan.Map) {
	value := []int64{
		math.MinInt64, math.MinInt64 + 1, -1, 0, 1, 2, 1 << 31, 1 << 32, 1 << 62, math.MaxInt64 - 1, math.MaxInt64,
		choose("any", math.MinInt64, math.MaxInt64),
	}[choose("value", 0, 11)]
	lists := []*int64{}
	add := func(values []int64) {
		for i := range values {
			lists = append(lists, &values[i])
		}
	}
	add(m.LogicalShape)
	for s := range m.Shards {
		add(m.Shards[s].Shape)
		for p := range m.Shards[s].Pieces {
			piece := &m.Shards[s].Pieces[p]
			lists = append(lists, &piece.Source.Offset, &piece.Dest.Offset)
			add(piece.Shape)
			add(piece.Source.Strides)
			add(piece.Dest.Strides)
		}
	}
	if len(lists) > 0 {
		*lists[choose("number", 0, int64(len(lists)-1))] = value
	}
}

// A judge writes where another one did before, whatever was wrong with that one's map, which must leave no
// trace: each map has the blocks that it has by itself.
func TestOneMapAfterAnother(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	choose := func(_ string, lo, hi int64) int64 { return lo + random.Int64N(hi-lo+1) }
	for range 3000 {
		m := smallMap(choose)
		want, violations := m.Blocks()
		damage(choose, smallMap(choose)).Validate()
		got, _, refusal := plan.ValidateRequest(plan.Request{Source: m, Target: m})
		if len(violations) > 0 || refusal != nil {
			t.Fatalf("%v, %v\n%+v", violations, refusal, m)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("blocks after other maps (-by itself +after):\n%s\n%+v", diff, m)
		}
	}
}
