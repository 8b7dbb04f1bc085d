package props

import (
	"slices"
	"testing"

	"github.com/shardproof/shardproof/plan"
)

// Ranks are numbered from 0 in their order; a selector follows them, and what it says of other ranks stays
// apart from them.
func TestUsualRanks(t *testing.T) {
	c, _ := rightAnswer()
	name := func(rank int) int { return 10*rank + 5 }
	c.Request = renamed(c.Request, name, name)
	c.Selector = plan.Selector{
		Prefer: map[int][]int{5: {15, 5, 0, 7}, 15: {5}, 1: {5}},
		Cost:   []plan.Cost{{Source: 15, Target: 5, Cost: 3}},
	}
	got := usualRanks(c.Request)
	if ranks := ranksOf(got.Source); !slices.Equal(ranks, []int{0, 1}) {
		t.Errorf("the source has ranks %v", ranks)
	}
	if ranks := ranksOf(got.Target); !slices.Equal(ranks, []int{0, 1}) {
		t.Errorf("the target has ranks %v", ranks)
	}
	prefer := got.Selector.Prefer
	if !slices.Equal(prefer[0], []int{1, 0, 2, 7}) || !slices.Equal(prefer[1], []int{0}) || len(prefer) != 3 {
		t.Errorf("prefers %v", prefer)
	}
	if cost := got.Selector.Cost[0]; cost != (plan.Cost{Source: 1, Target: 0, Cost: 3}) {
		t.Errorf("costs %v", cost)
	}
	again := usualRanks(got)
	if fingerprint(&again, 0) != fingerprint(&got, 0) {
		t.Error("a second numbering changes the numbers again")
	}
	c.Selector = plan.Selector{Returns: []byte("15")}
	if got := usualRanks(c.Request); string(got.Selector.Returns) != "1" {
		t.Errorf("returns %s", got.Selector.Returns)
	}
	c.Selector = plan.Selector{Returns: []byte(`"15"`)}
	if got := usualRanks(c.Request); string(got.Selector.Returns) != `"15"` {
		t.Errorf("returns %s, which is no rank", got.Selector.Returns)
	}
}

// Where a selector compares ranks of both sides, both are numbered together.
func TestUsualRanksTogether(t *testing.T) {
	c, _ := rightAnswer()
	c.Request = renamed(c.Request, func(rank int) int { return rank + 5 }, func(rank int) int { return rank + 6 })
	c.Selector.Policy = plan.PolicyLocal
	got := usualRanks(c.Request)
	if source, target := ranksOf(got.Source), ranksOf(got.Target); !slices.Equal(source, []int{0, 1}) || !slices.Equal(target, []int{1, 2}) {
		t.Errorf("ranks %v and %v, want 0 and 1, and 1 and 2", source, target)
	}
}

// Two pieces of one shard that go on in each other are joined, and only those of the same holders.
func TestJoined(t *testing.T) {
	shape := []int64{5, 4}
	m := plan.Map{LogicalShape: shape, Shards: []plan.Shard{{Shape: shape, Pieces: []plan.Piece{
		rows(shape, 3, 5, 3, 0), rows(shape, 0, 1, 0, 0), rows(shape, 1, 3, 1, 0), rows(shape, 2, 2, 9, 0),
	}}}}
	got, ok := joined(m, -1)
	if pieces := got.Shards[0].Pieces; !ok || len(pieces) != 1 || !slices.Equal(pieces[0].Shape, shape) || pieces[0].Source.Offset != 0 {
		t.Errorf("got %+v, want one piece", pieces)
	}
	m.Shards[0].Pieces[1].Locations = []int{0, 1}
	if got, _ := joined(m, -1); len(got.Shards[0].Pieces) != 2 {
		t.Errorf("across a change of holders: got %d pieces, want 2", len(got.Shards[0].Pieces))
	}
	swapped := plan.Map{LogicalShape: shape, Shards: []plan.Shard{{Shape: shape, Pieces: []plan.Piece{
		rows(shape, 0, 2, 3, 0), rows(shape, 2, 5, 0, 0),
	}}}}
	if got, ok := joined(swapped, -1); ok {
		t.Errorf("blocks in another order than the tensor's were joined: %+v", got)
	}
}

// Each value of a request changes its fingerprint.
func TestFingerprint(t *testing.T) {
	c, _ := rightAnswer()
	base := c.Request
	one := 1.0
	base.Source.Shards[0].Pieces[0].Scale = &one
	base.Selector = plan.Selector{
		Prefer: map[int][]int{0: {1, 0}, 1: {0}}, Cost: []plan.Cost{{Source: 1, Target: 2, Cost: 3}}, Returns: []byte("12"),
	}
	for _, limit := range limits {
		*limit(&base.Budget) = number(9)
	}
	want := fingerprint(&base, 0)
	seen := map[uint64]string{want: "nothing"}
	for name, change := range map[string]func(*plan.Request){
		"an extent":             func(r *plan.Request) { r.Source.LogicalShape[0]++ },
		"two extents":           func(r *plan.Request) { slices.Reverse(r.Source.LogicalShape) },
		"an axis more":          func(r *plan.Request) { r.Source.LogicalShape = append(r.Source.LogicalShape, 0) },
		"an axis for an extent": func(r *plan.Request) { r.Source.LogicalShape = []int64{5, 3, 0} },
		"a target extent":       func(r *plan.Request) { r.Target.LogicalShape[0]++ },
		"no shards":             func(r *plan.Request) { r.Source.Shards = nil },
		"a rank":                func(r *plan.Request) { r.Source.Shards[0].Rank++ },
		"undeclared":            func(r *plan.Request) { r.Source.Shards[0].Undeclared = true },
		"a shard's shape":       func(r *plan.Request) { r.Source.Shards[0].Shape[1]++ },
		"a piece less":          func(r *plan.Request) { r.Source.Shards[0].Pieces = r.Source.Shards[0].Pieces[:1] },
		"two pieces":            func(r *plan.Request) { slices.Reverse(r.Source.Shards[0].Pieces) },
		"a piece's extent":      func(r *plan.Request) { r.Source.Shards[0].Pieces[0].Shape[1]++ },
		"a source offset":       func(r *plan.Request) { r.Source.Shards[0].Pieces[0].Source.Offset++ },
		"a dest offset":         func(r *plan.Request) { r.Source.Shards[0].Pieces[0].Dest.Offset++ },
		"a source stride":       func(r *plan.Request) { r.Source.Shards[0].Pieces[0].Source.Strides[0]++ },
		"a dest stride":         func(r *plan.Request) { r.Source.Shards[0].Pieces[0].Dest.Strides[0]++ },
		"a location":            func(r *plan.Request) { r.Source.Shards[0].Pieces[1].Locations[0]++ },
		"a location for a rank": func(r *plan.Request) { r.Source.Shards[0].Pieces[1].Locations = []int{0, 0, 0} },
		"two locations":         func(r *plan.Request) { slices.Reverse(r.Source.Shards[0].Pieces[1].Locations) },
		"no locations":          func(r *plan.Request) { r.Source.Shards[0].Pieces[0].Locations = nil },
		"a scale":               func(r *plan.Request) { *r.Source.Shards[0].Pieces[0].Scale = 2 },
		"no scale":              func(r *plan.Request) { r.Source.Shards[0].Pieces[0].Scale = nil },
		"a policy":              func(r *plan.Request) { r.Selector.Policy = plan.PolicyLocal },
		"a preference":          func(r *plan.Request) { r.Selector.Prefer[0][0] = 5 },
		"who prefers":           func(r *plan.Request) { r.Selector.Prefer[2] = r.Selector.Prefer[1]; delete(r.Selector.Prefer, 1) },
		"a cost":                func(r *plan.Request) { r.Selector.Cost[0].Cost++ },
		"whom it costs":         func(r *plan.Request) { r.Selector.Cost[0].Target++ },
		"what costs":            func(r *plan.Request) { r.Selector.Cost[0].Source++ },
		"what is returned":      func(r *plan.Request) { r.Selector.Returns = []byte("21") },
		"the limit on axes":     func(r *plan.Request) { r.Budget.MaxNdim = nil },
		"the limit on pieces":   func(r *plan.Request) { *r.Budget.MaxPiecesPerMap = 0 },
		"that on segments":      func(r *plan.Request) { *r.Budget.MaxSegments = 1 },
		"that on bytes":         func(r *plan.Request) { *r.Budget.MaxPlanBytes = 2 },
		"that on pair checks":   func(r *plan.Request) { *r.Budget.MaxPairChecks = 3 },
		"that on merge checks":  func(r *plan.Request) { *r.Budget.MaxMergeChecks = 4 },
		"that on merge passes":  func(r *plan.Request) { *r.Budget.MaxMergePasses = 5 },
	} {
		r := CloneRequest(base)
		change(&r)
		got := fingerprint(&r, 0)
		if other, met := seen[got]; met {
			t.Errorf("%s has the fingerprint of %s", name, other)
		}
		seen[got] = name
		if fingerprint(&base, 0) != want {
			t.Fatalf("%s: the clone shares memory with what it is a clone of", name)
		}
	}
	if fingerprint(&base, 1) == want {
		t.Error("another seed gives the same fingerprint")
	}
}
