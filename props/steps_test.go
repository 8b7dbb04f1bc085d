package props

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/gen"
	"github.com/shardproof/shardproof/oracle"
	"github.com/shardproof/shardproof/plan"
)

// Every candidate of every step is a valid request, as enumerating its elements finds, and no larger than what
// it comes from. Each step has candidates for some of the cases.
func TestStepsKeepMapsValid(t *testing.T) {
	const perStep = 12
	met := map[string]int{}
	for n := range uint64(250) {
		c := gen.Case(gen.Seeded(gen.CaseSeed(3, n)))
		for _, step := range Steps() {
			tried := 0
			for next := range step.candidates(c.Request, false) {
				if tried++; tried > perStep {
					break
				}
				met[step.Name]++
				if problem := problemOf(c.Request, next); problem != "" {
					t.Fatalf("case %d, step %s: %s\nof:\n%s\ncandidate:\n%s", n, step.Name, problem,
						plan.EncodeCase(c), plan.EncodeCase(plan.Case{Request: next}))
				}
			}
		}
	}
	for _, step := range Steps() {
		if step.Name != "shards" && met[step.Name] < 10 {
			t.Errorf("step %s had %d candidates in all", step.Name, met[step.Name])
		}
	}
}

func problemOf(from, next plan.Request) string {
	if !enumerable(next) {
		return ""
	}
	for side, m := range map[string]plan.Map{"source": next.Source, "target": next.Target} {
		if rules, known := oracle.ValidateMap(m); len(rules) > 0 || !known {
			return fmt.Sprintf("the %s breaks %v", side, rules)
		}
	}
	if !slices.Equal(next.Source.LogicalShape, next.Target.LogicalShape) {
		return "the shapes differ"
	}
	if before, after := sizeOf(from), sizeOf(next); after > before {
		return fmt.Sprintf("grows from %d to %d", before, after)
	}
	return ""
}

// sizeOf counts the axes, the elements of the tensor and the ranks of a request.
func sizeOf(r plan.Request) int64 {
	elements, _ := plan.Elements(r.Source.LogicalShape)
	return int64(len(r.Source.LogicalShape)) + elements + int64(len(r.Source.Shards)) + int64(len(r.Target.Shards))
}

// Steps leave the request that they start from as it is, and make something of any request, however broken.
func TestStepsShareNothingTheyChange(t *testing.T) {
	for n := range uint64(600) {
		c := gen.Case(gen.Seeded(gen.CaseSeed(4, n)))
		if n%4 > 0 {
			c = gen.Corrupted(gen.Seeded(gen.CaseSeed(4, n)))
		}
		before := fingerprint(&c.Request, 0)
		for _, step := range Steps() {
			tried := 0
			for range step.candidates(c.Request, n%2 == 0) {
				if tried++; tried > 40 {
					break
				}
			}
			if fingerprint(&c.Request, 0) != before {
				t.Fatalf("case %d: step %s changed its request", n, step.Name)
			}
		}
	}
}

// A stretch removes what it says from the tensor and the shards, wherever the pieces stand: here a shard that
// holds rows 4, 5, 0 and 1 of six, in this order.
func TestStretchFollowsThePieces(t *testing.T) {
	logical := []int64{6, 2}
	piece := func(lo, at int64) plan.Piece {
		return plan.Piece{
			Shape: []int64{2, 2}, Locations: []int{0},
			Source: plan.View{Offset: 2 * lo, Strides: []int64{2, 1}}, Dest: plan.View{Offset: 2 * at, Strides: []int64{2, 1}},
		}
	}
	m := plan.Map{LogicalShape: logical, Shards: []plan.Shard{{Shape: []int64{4, 2}, Pieces: []plan.Piece{piece(4, 0), piece(0, 2)}}}}
	got, ok := stretched(m, stretch{axis: 0, gone: []span{{0, 1}, {5, 6}}, by: 1}, false)
	if !ok {
		t.Fatal("not stretched")
	}
	first, second := got.Shards[0].Pieces[0], got.Shards[0].Pieces[1]
	if !slices.Equal(got.LogicalShape, []int64{4, 2}) || !slices.Equal(got.Shards[0].Shape, []int64{2, 2}) {
		t.Errorf("got a tensor %v and a shard %v", got.LogicalShape, got.Shards[0].Shape)
	}
	if first.Source.Offset != 6 || first.Dest.Offset != 0 || second.Source.Offset != 0 || second.Dest.Offset != 2 {
		t.Errorf("got pieces from %d to %d and from %d to %d", first.Source.Offset, first.Dest.Offset, second.Source.Offset, second.Dest.Offset)
	}
}

// A stretch that would leave a ragged shard is refused: here the left column holds other rows than the right.
func TestStretchRefusesRaggedShards(t *testing.T) {
	column := func(lo, at int64) plan.Piece {
		return plan.Piece{
			Shape: []int64{2, 1}, Locations: []int{0},
			Source: plan.View{Offset: lo, Strides: []int64{1, 1}}, Dest: plan.View{Offset: at, Strides: []int64{2, 1}},
		}
	}
	m := plan.Map{LogicalShape: []int64{4, 1}, Shards: []plan.Shard{{Shape: []int64{2, 2}, Pieces: []plan.Piece{column(0, 0), column(2, 1)}}}}
	if got, ok := stretched(m, stretch{axis: 0, gone: []span{{0, 1}}, by: 1}, false); ok {
		t.Errorf("got %+v, want none", got)
	}
	if _, ok := stretched(m, stretch{axis: 0, gone: []span{{0, 2}}, by: 1}, false); !ok {
		t.Error("a whole column can go")
	}
}

func TestStretchTo(t *testing.T) {
	s := stretch{gone: []span{{1, 3}, {5, 6}}, by: 10}
	for x, want := range []int64{0, 10, 10, 10, 20, 30, 30, 40} {
		if got := s.to(int64(x)); got != want {
			t.Errorf("coordinate %d goes to %d, want %d", x, got, want)
		}
	}
}

// Every shard of a generated map is read as blocks, but for pieces of a flat shard that are not dense.
func TestBlocksAreRead(t *testing.T) {
	read, all := 0, 0
	for n := range uint64(500) {
		c := gen.Case(gen.Seeded(gen.CaseSeed(5, n)))
		for _, m := range []plan.Map{c.Source, c.Target} {
			for _, shard := range placeMap(m) {
				all++
				if shard.placement != opaque {
					read++
				} else if len(shard.Shape) == len(m.LogicalShape) {
					t.Errorf("case %d rank %d: a shard of as many axes is not read", n, shard.Rank)
				}
			}
		}
	}
	if read < all*95/100 {
		t.Errorf("%d of %d shards are read", read, all)
	}
}

// The order that a reordering makes is another one wherever there are two things to order, and nothing else changes.
func TestReordered(t *testing.T) {
	for n := range uint64(300) {
		c := gen.Case(gen.Seeded(gen.CaseSeed(6, n)))
		other := new(reordering).of(c.Request, n)
		for _, pair := range [][2]plan.Map{{c.Source, other.Source}, {c.Target, other.Target}} {
			for i := range pair[0].Shards {
				if len(pair[0].Shards) > 1 && pair[0].Shards[i].Rank == pair[1].Shards[i].Rank {
					t.Fatalf("case %d: shard %d stays", n, i)
				}
			}
		}
		back, again := usualOrder(other), usualOrder(c.Request)
		if fingerprint(&back, 0) != fingerprint(&again, 0) {
			t.Fatalf("case %d: reordering changed more than the order", n)
		}
	}
}

// run is the shard of a rank that holds a run of a tensor of one axis, along with other ranks.
func run(rank int, extent, lo, hi int64, others ...int) plan.Shard {
	return blockShard(rank, []int64{extent}, []int64{lo}, []int64{hi - lo}, others...)
}

func mapOf(logical []int64, shards ...plan.Shard) plan.Map {
	return plan.Map{LogicalShape: logical, Shards: shards}
}

// stacked is the shard of a rank with the pieces of several that hold rows of its tensor, one after another.
func stacked(first plan.Shard, others ...plan.Shard) plan.Shard {
	first.Shape, first.Pieces = slices.Clone(first.Shape), slices.Clone(first.Pieces)
	for _, other := range others {
		elements, _ := plan.Elements(first.Shape)
		for _, piece := range other.Pieces {
			piece.Dest.Offset += elements
			first.Pieces = append(first.Pieces, piece)
		}
		first.Shape[0] += other.Shape[0]
	}
	return first
}

// sizes is a request in short: the tensor's shape, and the shapes of the source shards and of the target shards.
func sizes(r plan.Request) string {
	return fmt.Sprint(r.Source.LogicalShape, ": ", shapes(r.Source), " -> ", shapes(r.Target))
}

// holders is a request in short: of each shard its rank, and for each of its pieces the ranks that hold it.
func holders(r plan.Request) string {
	return holdersOf(r.Source) + "->" + holdersOf(r.Target)
}

func holdersOf(m plan.Map) string {
	text := ""
	for _, shard := range m.Shards {
		text += fmt.Sprint(shard.Rank, ":")
		for _, piece := range shard.Pieces {
			text += fmt.Sprint(piece.Locations)
		}
		text += " "
	}
	return text
}

// Each step makes of a stated case these simpler ones, in this order, and stops when it is told to.
func TestCandidates(t *testing.T) {
	whole4 := mapOf([]int64{4}, run(0, 4, 0, 4))
	tensor := []int64{6, 4}
	rowsAndColumns := plan.Request{
		Source: mapOf(tensor, blockShard(0, tensor, []int64{0, 0}, []int64{4, 4}), blockShard(1, tensor, []int64{4, 0}, []int64{2, 4})),
		Target: mapOf(tensor, blockShard(0, tensor, []int64{0, 0}, []int64{6, 1}), blockShard(1, tensor, []int64{0, 1}, []int64{6, 3})),
	}
	ones := []int64{1, 3, 1}
	vacant := run(8, 4, 0, 0)
	vacant.Pieces = []plan.Piece{at([]int64{0}, view(0, 1), view(0, 1))}
	corner := []int64{2, 2}
	for _, test := range []struct {
		name    string
		step    func(plan.Request, bool) iter.Seq[plan.Request]
		from    plan.Request
		lenient bool
		told    func(plan.Request) string
		want    []string
	}{
		{
			"one side over fewer ranks", simplerSides,
			plan.Request{
				Source: mapOf([]int64{5}, run(5, 5, 0, 1), run(3, 5, 1, 2), run(4, 5, 2, 5)),
				Target: mapOf([]int64{5}, run(2, 5, 0, 4), run(1, 5, 4, 5)),
			},
			false,
			func(r plan.Request) string { return sizes(r) + " " + holders(r) },
			[]string{
				"[5]: [[5]] -> [[4] [1]] 3:[3] ->2:[2] 1:[1] ",
				"[5]: [[1] [1] [3]] -> [[5]] 5:[5] 3:[3] 4:[4] ->1:[1] ",
				"[5]: [[5] [5]] -> [[4] [1]] 3:[3 4] 4:[4 3] ->2:[2] 1:[1] ",
				"[5]: [[1] [1] [3]] -> [[5] [5]] 5:[5] 3:[3] 4:[4] ->1:[1 2] 2:[2 1] ",
				"[5]: [[2] [3]] -> [[4] [1]] 3:[3] 4:[4] ->2:[2] 1:[1] ",
				"[5]: [[1] [1] [3]] -> [[2] [3]] 5:[5] 3:[3] 4:[4] ->1:[1] 2:[2] ",
			},
		},
		{"sides of one rank", simplerSides, plan.Request{Source: whole4, Target: whole4}, false, sizes, nil},
		{
			"cells of one coordinate, then two", unitCells, rowsAndColumns, false, sizes,
			[]string{
				"[2 2]: [[1 2] [1 2]] -> [[2 1] [2 1]]",
				"[2 4]: [[1 4] [1 4]] -> [[2 1] [2 3]]",
				"[6 2]: [[4 2] [2 2]] -> [[6 1] [6 1]]",
				"[4 3]: [[2 3] [2 3]] -> [[4 1] [4 2]]",
				"[4 4]: [[2 4] [2 4]] -> [[4 1] [4 3]]",
				"[6 3]: [[4 3] [2 3]] -> [[6 1] [6 2]]",
			},
		},
		{
			"cells that are as short", unitCells,
			plan.Request{Source: mapOf([]int64{2}, run(0, 2, 0, 1), run(1, 2, 1, 2)), Target: mapOf([]int64{2}, run(0, 2, 0, 2))},
			false, sizes, nil,
		},
		{
			"runs of cells", fewerCells,
			plan.Request{Source: mapOf([]int64{7}, run(0, 7, 0, 1), run(1, 7, 1, 3), run(2, 7, 3, 7)), Target: mapOf([]int64{7}, run(0, 7, 0, 7))},
			false, sizes,
			[]string{
				"[4]: [[0] [0] [4]] -> [[4]]",
				"[3]: [[1] [2] [0]] -> [[3]]",
				"[6]: [[0] [2] [4]] -> [[6]]",
				"[5]: [[1] [0] [4]] -> [[5]]",
				"[3]: [[1] [2] [0]] -> [[3]]",
			},
		},
		{
			"of broken maps, cells of an axis that one has not", unitCells,
			plan.Request{
				Source: mapOf([]int64{1}, run(0, 1, 0, 1)),
				Target: mapOf([]int64{1, 3}, blockShard(0, []int64{1, 3}, []int64{0, 0}, []int64{1, 3})),
			},
			true, sizes,
			[]string{"[1]: [[1]] -> [[1 1]]", "[1]: [[1]] -> [[1 1]]", "[1]: [[1]] -> [[1 2]]", "[1]: [[1]] -> [[1 2]]"},
		},
		{"one cell", fewerCells, plan.Request{Source: whole4, Target: whole4}, false, sizes, nil},
		{
			"shorter cells", narrowerCells,
			plan.Request{Source: mapOf([]int64{6}, run(0, 6, 0, 4), run(1, 6, 4, 6)), Target: mapOf([]int64{6}, run(0, 6, 0, 6))},
			false, sizes,
			[]string{
				"[3]: [[2] [1]] -> [[3]]",
				"[4]: [[2] [2]] -> [[4]]",
				"[5]: [[3] [2]] -> [[5]]",
				"[5]: [[4] [1]] -> [[5]]",
			},
		},
		{
			"cells that cannot be shorter", narrowerCells,
			plan.Request{Source: mapOf([]int64{2}, run(0, 2, 0, 1), run(1, 2, 1, 2)), Target: mapOf([]int64{2}, run(0, 2, 0, 2))},
			false, sizes, nil,
		},
		{
			"axes", fewerAxes,
			plan.Request{
				Source: mapOf(ones, blockShard(0, ones, []int64{0, 0, 0}, []int64{1, 2, 1}), blockShard(1, ones, []int64{0, 2, 0}, []int64{1, 1, 1})),
				Target: onOne(ones, []int64{3}, at(ones, view(0, 3, 1, 1), view(0, 3, 1, 1))),
			},
			false, sizes,
			[]string{"[3]: [[2] [1]] -> [[3]]", "[3 1]: [[2 1] [1 1]] -> [[3]]", "[1 3]: [[1 2] [1 1]] -> [[3]]"},
		},
		{"no axis of extent 1", fewerAxes, rowsAndColumns, false, sizes, nil},
		{"no axis of extent 1 of broken maps", fewerAxes, rowsAndColumns, true, sizes, nil},
		{
			"of broken maps, an axis that one has not", fewerAxes,
			plan.Request{Source: whole4, Target: onOne([]int64{4, 1}, []int64{4, 1}, at([]int64{4}, view(0, 1), view(0, 1)))},
			true, sizes,
			[]string{"[4]: [[4]] -> [[4]]", "[4]: [[4]] -> [[4]]"},
		},
		{
			"ranks that hold nothing, or nothing alone", fewerRanks,
			plan.Request{
				Source: mapOf([]int64{4}, run(0, 4, 0, 2, 2), run(1, 4, 2, 4), run(2, 4, 0, 2, 0), run(3, 4, 0, 0)),
				Target: mapOf([]int64{4}, run(7, 4, 0, 4), vacant),
			},
			false, holders,
			[]string{
				"0:[0 2] 1:[1] 2:[2 0] ->7:[7] 8:[0] ",
				"0:[0 2] 1:[1] 2:[2 0] 3: ->7:[7] ",
				"1:[1] 2:[2] 3: ->7:[7] 8:[0] ",
				"0:[0] 1:[1] 3: ->7:[7] 8:[0] ",
				"0:[0 2] 1:[1] 2:[2 0] ->7:[7] 8:[0] ",
				"0:[0 2] 1:[1] 2:[2 0] 3: ->7:[7] ",
			},
		},
		{
			"of broken maps, any rank", fewerRanks,
			plan.Request{
				Source: mapOf([]int64{4}, run(0, 4, 0, 2), plan.Shard{Rank: 1, Shape: []int64{0}, Undeclared: true}),
				Target: mapOf([]int64{4}, shardOf([]int64{0}, at([]int64{4}, view(0, 1), view(0, 1)))),
			},
			true, holders,
			[]string{"1: ->0:[0] ", "0:[0] ->0:[0] ", "0:[0] 1: ->"},
		},
		{
			"one holder less", fewerHolders,
			plan.Request{
				Source: mapOf([]int64{4}, stacked(run(0, 4, 0, 2, 1), run(0, 4, 2, 4)), run(1, 4, 0, 2, 0)),
				Target: whole4,
			},
			false,
			func(r plan.Request) string { return sizes(r) + " " + holders(r) },
			[]string{
				"[4]: [[2] [2]] -> [[4]] 0:[0] 1:[1] ->0:[0] ",
				"[4]: [[4] [0]] -> [[4]] 0:[0][0] 1: ->0:[0] ",
			},
		},
		{
			"one holder less, piece by piece", fewerHolders,
			plan.Request{
				Source: mapOf([]int64{4}, stacked(run(0, 4, 0, 2, 1), run(0, 4, 2, 4, 1)), stacked(run(1, 4, 0, 2, 0), run(1, 4, 2, 4, 0))),
				Target: whole4,
			},
			false, holders,
			[]string{
				"0:[0 1] 1:[1][1 0] ->0:[0] ",
				"0:[0 1] 1:[1 0][1] ->0:[0] ",
				"0:[0][0 1] 1:[1 0] ->0:[0] ",
				"0:[0 1][0] 1:[1 0] ->0:[0] ",
			},
		},
		{
			"one holder less of pieces that are cut otherwise", fewerHolders,
			plan.Request{
				Source: mapOf([]int64{5}, stacked(run(0, 5, 0, 2, 1), run(0, 5, 2, 4, 1), run(0, 5, 4, 5)), run(1, 5, 0, 4, 0)),
				Target: mapOf([]int64{5}, run(0, 5, 0, 5)),
			},
			false,
			func(r plan.Request) string { return sizes(r) + " " + holders(r) },
			[]string{
				"[5]: [[1] [4]] -> [[5]] 0:[0] 1:[1] ->0:[0] ",
				"[5]: [[1] [4]] -> [[5]] 0:[0] 1:[1] ->0:[0] ",
				"[5]: [[5] [0]] -> [[5]] 0:[0][0][0] 1: ->0:[0] ",
			},
		},
		{
			"one holder less, but not of a corner", fewerHolders,
			plan.Request{
				Source: mapOf(corner, plan.Shard{Shape: corner, Pieces: []plan.Piece{
					{Shape: []int64{1, 1}, Source: view(0, 2, 1), Dest: view(0, 2, 1), Locations: []int{0, 1}},
					at([]int64{1, 1}, view(1, 2, 1), view(1, 2, 1)), at([]int64{1, 2}, view(2, 2, 1), view(2, 2, 1)),
				}}, blockShard(1, corner, []int64{0, 0}, []int64{1, 1}, 0)),
				Target: mapOf(corner, blockShard(0, corner, []int64{0, 0}, corner)),
			},
			false, holders,
			[]string{"0:[0][0][0] 1: ->0:[0] "},
		},
		{
			"one holder less beside a block that cannot be read", fewerHolders,
			plan.Request{
				Source: mapOf([]int64{4}, run(0, 4, 0, 2, 1), run(1, 4, 0, 2, 0), shardOf([]int64{2}, at([]int64{2}, view(3, -1), view(0, 1)))),
				Target: whole4,
			},
			false, holders, nil,
		},
		{
			"pieces joined", fewerPieces,
			plan.Request{
				Source: mapOf([]int64{4}, stacked(run(0, 4, 0, 1), run(0, 4, 1, 2)), stacked(run(1, 4, 2, 3), run(1, 4, 3, 4))),
				Target: mapOf([]int64{4}, stacked(run(2, 4, 0, 3), run(2, 4, 3, 4)), vacant),
			},
			false, holders,
			[]string{
				"0:[0] 1:[1] ->2:[2] 8: ",
				"0:[0] 1:[1] ->2:[2][2] 8:[0] ",
				"0:[0] 1:[1][1] ->2:[2][2] 8:[0] ",
				"0:[0][0] 1:[1] ->2:[2][2] 8:[0] ",
				"0:[0][0] 1:[1][1] ->2:[2] 8: ",
				"0:[0][0] 1:[1][1] ->2:[2] 8:[0] ",
				"0:[0][0] 1:[1][1] ->2:[2][2] 8: ",
			},
		},
		{"no pieces to join", fewerPieces, rowsAndColumns, false, holders, nil},
		{
			"of broken maps, any shard and any piece", dropAnything,
			plan.Request{Source: mapOf([]int64{4}, stacked(run(0, 4, 0, 1), run(2, 4, 1, 2)), run(1, 4, 2, 3)), Target: whole4},
			true, holders,
			[]string{"1:[1] ->0:[0] ", "0:[0][2] ->0:[0] ", "0:[2] 1:[1] ->0:[0] ", "0:[0] 1:[1] ->0:[0] ", "0:[0][2] 1: ->0:[0] ", "0:[0][2] 1:[1] ->", "0:[0][2] 1:[1] ->0: "},
		},
		{"of valid maps, no shard and no piece", dropAnything, rowsAndColumns, false, holders, nil},
	} {
		var got []string
		for next := range test.step(test.from, test.lenient) {
			got = append(got, test.told(next))
			if !test.lenient {
				if problem := problemOf(test.from, next); problem != "" {
					t.Errorf("%s: %s: %s", test.name, test.told(next), problem)
				}
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (- want, + got):\n%s", test.name, diff)
		}
		for most := range got {
			n := 0
			for range test.step(test.from, test.lenient) {
				if n++; n > most {
					break
				}
			}
		}
	}
}

// Runs of cells are halves, quarters, down to single cells, and no more than maxCells of one size.
func TestRunsOf(t *testing.T) {
	of := func(n int64) []span {
		var cells []span
		for i := range n {
			cells = append(cells, span{10 * i, 10*i + 10})
		}
		return runsOf(cells)
	}
	for n, want := range map[int64][]span{
		0: nil,
		1: nil,
		2: {{0, 10}, {10, 20}},
		5: {{0, 30}, {30, 50}, {0, 20}, {20, 40}, {40, 50}, {0, 10}, {10, 20}, {20, 30}, {30, 40}, {40, 50}},
	} {
		if got := of(n); !slices.Equal(got, want) {
			t.Errorf("%d cells: got %v, want %v", n, got, want)
		}
	}
	for n, want := range map[int64]span{256: {2550, 2560}, 257: {2560, 2570}, 512: {5100, 5120}} {
		if runs := of(n); runs[len(runs)-1] != want {
			t.Errorf("%d cells: the last run is %v, want %v", n, runs[len(runs)-1], want)
		}
	}
}

// A selector goes whole, or loses a rank that prefers, a rank that is preferred, or a cost; never its last.
func TestSimplerSelectors(t *testing.T) {
	cost := func(n int) plan.Cost { return plan.Cost{Source: n} }
	for _, test := range []struct {
		name string
		from plan.Selector
		want []plan.Selector
	}{
		{"none", plan.Selector{}, nil},
		{"a policy", plan.Selector{Policy: plan.PolicyLocal}, []plan.Selector{{}}},
		{"one preference", plan.Selector{Prefer: map[int][]int{0: {1}}}, []plan.Selector{{}}},
		{"two that prefer", plan.Selector{Prefer: map[int][]int{0: {2, 3, 4}, 1: {5}}}, []plan.Selector{
			{},
			{Prefer: map[int][]int{1: {5}}},
			{Prefer: map[int][]int{0: {3, 4}, 1: {5}}}, {Prefer: map[int][]int{0: {2, 4}, 1: {5}}}, {Prefer: map[int][]int{0: {2, 3}, 1: {5}}},
			{Prefer: map[int][]int{0: {2, 3, 4}}},
		}},
		{"one cost", plan.Selector{Cost: []plan.Cost{cost(0)}}, []plan.Selector{{}}},
		{"two costs", plan.Selector{Cost: []plan.Cost{cost(0), cost(1)}}, []plan.Selector{
			{}, {Cost: []plan.Cost{cost(1)}}, {Cost: []plan.Cost{cost(0)}},
		}},
	} {
		var got []plan.Selector
		for next := range simplerSelectors(plan.Request{Selector: test.from}, false) {
			got = append(got, next.Selector)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (- want, + got):\n%s", test.name, diff)
		}
	}
}

// Limits go all at once, and then one by one.
func TestFewerLimits(t *testing.T) {
	from := plan.Request{Budget: plan.Budget{MaxNdim: number(1), MaxSegments: number(2)}}
	want := []plan.Budget{{}, {MaxSegments: number(2)}, {MaxNdim: number(1)}}
	var got []plan.Budget
	for next := range fewerLimits(from, false) {
		got = append(got, next.Budget)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(- want, + got):\n%s", diff)
	}
	for next := range fewerLimits(plan.Request{}, false) {
		t.Errorf("without limits: %+v", next.Budget)
	}
}

// A shard that loses an axis holds as much as before: it loses one of extent 1, or where it holds nothing, one that is
// not the last of extent 0.
func TestAxisToLose(t *testing.T) {
	for _, test := range []struct {
		shape []int64
		axis  int
		want  int
	}{
		{[]int64{1, 3, 1}, 0, 0},
		{[]int64{1, 3, 1}, 2, 2},
		{[]int64{2, 1, 3}, 0, 1},
		{[]int64{1, 3}, 1, 0},
		{[]int64{0, 1}, 0, 1},
		{[]int64{2, 0}, 0, 0},
		{[]int64{0, 2}, 0, 1},
		{[]int64{2, 0}, 1, 0},
		{[]int64{2, 3}, 0, -1},
		{[]int64{0}, 0, -1},
	} {
		if got := axisToLose(test.shape, test.axis); got != test.want {
			t.Errorf("%v, axis %d: got %d, want %d", test.shape, test.axis, got, test.want)
		}
	}
}

// Without an axis of extent 1, of which its pieces lose their own, a shard holds what it held. A piece that only this
// axis empties goes, and lists too short to have the axis stay.
func TestWithoutAxis(t *testing.T) {
	cut := 0
	for _, f := range forms {
		for axis, extent := range f.logical {
			got, ok := withoutAxis(f.of(), axis, false)
			if ok != (extent == 1) {
				t.Errorf("%s: axis %d of %v dropped: %v", f.name, axis, f.logical, ok)
			} else if ok {
				cut++
				if holds := held(t, got); !slices.Equal(holds, f.holds) {
					t.Errorf("%s: without axis %d it holds %v, want %v", f.name, axis, holds, f.holds)
				}
			}
		}
	}
	if cut < 2 {
		t.Errorf("%d forms have an axis to drop", cut)
	}
	got, ok := withoutAxis(onOne([]int64{3, 1}, []int64{3, 1},
		at([]int64{3, 0}, view(0, 1, 1), view(0, 1, 1)), at([]int64{0, 0}, view(0, 1, 1), view(0, 1, 1)), at([]int64{3}, view(0, 1), view(0, 1)),
	), 1, true)
	want := onOne([]int64{3}, []int64{3}, at([]int64{0}, view(0, 1), view(0, 1)), at([]int64{3}, view(0, 1), view(0, 1)))
	if diff := cmp.Diff(want, got); !ok || diff != "" {
		t.Errorf("%v (- want, + got):\n%s", ok, diff)
	}
}

// Strides and order as usual change nothing of what a shard holds; a shard of one block then holds it row-major.
func TestUsualForms(t *testing.T) {
	for _, f := range forms {
		request := plan.Request{Source: f.of(), Target: f.of()}
		strided, ordered, placed := usualStrides(request), usualOrder(request), usualPlacement(request)
		for _, side := range sides {
			for what, r := range map[string]*plan.Request{"strides": &strided, "order": &ordered} {
				if holds := held(t, *side(r)); !slices.Equal(holds, f.holds) {
					t.Errorf("%s: with usual %s it holds %v, want %v", f.name, what, holds, f.holds)
				}
			}
			own, _ := plan.RowMajor(f.shape)
			logical, _ := plan.RowMajor(f.logical)
			for _, piece := range side(&strided).Shards[0].Pieces {
				if !piece.Empty() && !slices.Equal(piece.Source.Strides, logical) {
					t.Errorf("%s: source strides %v, want %v", f.name, piece.Source.Strides, logical)
				}
				for axis, extent := range piece.Shape {
					if extent == 1 && len(f.shape) == len(f.logical) && piece.Dest.Strides[axis] != own[axis] {
						t.Errorf("%s: dest strides %v, want as in %v", f.name, piece.Dest.Strides, own)
					}
				}
			}
			if !slices.IsSortedFunc(side(&ordered).Shards[0].Pieces, func(a, b plan.Piece) int { return int(a.Dest.Offset - b.Dest.Offset) }) {
				t.Errorf("%s: pieces out of order", f.name)
			}
			want := slices.Clone(f.holds)
			if len(f.pieces) == 1 {
				slices.Sort(want)
			}
			if holds := held(t, *side(&placed)); !slices.Equal(holds, want) {
				t.Errorf("%s: with usual placement it holds %v, want %v", f.name, holds, want)
			}
			if shape := side(&placed).Shards[0].Shape; len(f.pieces) == 1 && len(shape) != len(f.logical) {
				t.Errorf("%s: with usual placement the shard is %v of %v", f.name, shape, f.logical)
			}
		}
	}
}

// Of broken maps, what cannot be read and what is not filled stays as it is placed.
func TestUsualPlacementOfBroken(t *testing.T) {
	for name, m := range map[string]plan.Map{
		"backwards":  onOne([]int64{4}, []int64{4}, at([]int64{4}, view(3, -1), view(0, 1))),
		"not filled": onOne([]int64{4}, []int64{4}, at([]int64{2}, view(0, 1), view(0, 1))),
		"nothing":    onOne([]int64{4}, []int64{0}, at([]int64{0}, view(9, 9), view(9, 9))),
		"no pieces":  onOne([]int64{4}, []int64{0}),
	} {
		got := usualPlacement(plan.Request{Source: m})
		if diff := cmp.Diff(m, got.Source); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

func TestJoinSpans(t *testing.T) {
	got := joinSpans([]span{{8, 9}, {0, 2}, {5, 7}, {2, 3}, {4, 7}, {5, 6}})
	if want := []span{{0, 3}, {4, 7}, {8, 9}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A tensor or a shard is drawn out up to the last element that an int64 counts, which is 7 times a number.
func TestStretchStaysInInt64(t *testing.T) {
	const seventh = math.MaxInt64 / 7
	for _, test := range []struct {
		logical, shard, by int64
		want               bool
	}{
		{seventh, seventh, 7, true},
		{seventh, seventh, 8, false},
		{seventh, 1, 8, false},
		{1, seventh, 8, false},
		{math.MaxInt64, math.MaxInt64, 1, true},
	} {
		m := plan.Map{LogicalShape: []int64{test.logical}, Shards: []plan.Shard{{Shape: []int64{test.shard}}}}
		if got := factorFits(m, stretch{by: test.by}); got != test.want {
			t.Errorf("a tensor of %d and a shard of %d by %d: got %v", test.logical, test.shard, test.by, got)
		}
		if _, ok := stretched(m, stretch{by: test.by}, true); ok != test.want {
			t.Errorf("a tensor of %d and a shard of %d by %d: stretched is %v", test.logical, test.shard, test.by, ok)
		}
	}
}

// A lenient stretch is of what it can read, and leaves a map of fewer axes as it is.
func TestLenientStretch(t *testing.T) {
	backwards := shardOf([]int64{4}, at([]int64{4}, view(3, -1), view(0, 1)))
	m := mapOf([]int64{4}, backwards, run(1, 4, 0, 4))
	without := stretch{gone: []span{{1, 3}}, by: 1}
	got, ok := stretched(m, without, true)
	if diff := cmp.Diff(mapOf([]int64{2}, backwards, run(1, 2, 0, 2)), got); !ok || diff != "" {
		t.Errorf("%v (- want, + got):\n%s", ok, diff)
	}
	if _, ok := stretched(m, without, false); ok {
		t.Error("stretched though a shard cannot be read")
	}
	without.axis = 1
	for _, lenient := range []bool{false, true} {
		if got, ok := stretched(m, without, lenient); ok != lenient || !cmp.Equal(got, m) {
			t.Errorf("on an axis that it has not, lenient %v: %v", lenient, ok)
		}
	}
}

// Pieces are joined up to 256 of a shard, and no two that are not one block in the tensor and in the shard.
func TestJoinOnce(t *testing.T) {
	many := func(n int64) plan.Shard {
		shard := run(0, n, 0, 1)
		for i := int64(1); i < n; i++ {
			shard = stacked(shard, run(0, n, i, i+1))
		}
		return shard
	}
	for n, want := range map[int64]int{256: 1, 257: 257} {
		got, _ := joined(mapOf([]int64{n}, many(n)), -1)
		if pieces := len(got.Shards[0].Pieces); pieces != want {
			t.Errorf("%d pieces: %d joined, want %d", n, pieces, want)
		}
	}
	one := 1.0
	scaled := at([]int64{2}, view(2, 1), view(2, 1))
	scaled.Scale = &one
	for _, test := range []struct {
		name string
		m    plan.Map
		want []plan.Piece
	}{
		{
			"columns", onOne([]int64{2, 4}, []int64{2, 4}, at([]int64{2, 1}, view(0, 4, 1), view(0, 4, 1)), at([]int64{2, 3}, view(1, 4, 1), view(1, 4, 1))),
			[]plan.Piece{at([]int64{2, 4}, view(0, 4, 1), view(0, 4, 1))},
		},
		{
			"rows in a flat shard, the second one first", onOne([]int64{2, 3}, []int64{6}, at([]int64{1, 3}, view(3, 9, 1), view(3, 9, 1)), at([]int64{1, 3}, view(0, 9, 1), view(0, 9, 1))),
			[]plan.Piece{at([]int64{2, 3}, view(0, 3, 1), view(0, 3, 1))},
		},
		{"columns in a flat shard", onOne([]int64{2, 4}, []int64{8}, at([]int64{2, 2}, view(0, 4, 1), view(0, 2, 1)), at([]int64{2, 2}, view(2, 4, 1), view(4, 2, 1))), nil},
		{"one by rows and one by columns", onOne([]int64{4, 2}, []int64{8}, at([]int64{2, 2}, view(0, 2, 1), view(0, 2, 1)), at([]int64{2, 2}, view(4, 2, 1), view(4, 1, 2))), nil},
		{"a diagonal in a flat shard", onOne([]int64{2, 2}, []int64{2}, at([]int64{1, 1}, view(0, 2, 1), view(0, 1, 1)), at([]int64{1, 1}, view(3, 2, 1), view(1, 1, 1))), nil},
		{"rows apart", onOne([]int64{3, 2}, []int64{3, 2}, at([]int64{1, 2}, view(0, 2, 1), view(0, 2, 1)), at([]int64{1, 2}, view(4, 2, 1), view(2, 2, 1))), nil},
		{"rows that go on elsewhere", onOne([]int64{2, 4}, []int64{2, 4}, at([]int64{1, 2}, view(0, 4, 1), view(0, 4, 1)), at([]int64{1, 2}, view(6, 4, 1), view(4, 4, 1))), nil},
		{"rows of other lengths", onOne([]int64{2, 4}, []int64{2, 4}, at([]int64{1, 2}, view(0, 4, 1), view(0, 4, 1)), at([]int64{1, 4}, view(4, 4, 1), view(4, 4, 1))), nil},
		{"apart in the shard", onOne([]int64{4}, []int64{5}, at([]int64{2}, view(0, 1), view(0, 1)), at([]int64{2}, view(2, 1), view(3, 1))), nil},
		{"the other way round in the shard", onOne([]int64{4}, []int64{4}, at([]int64{2}, view(0, 1), view(2, 1)), at([]int64{2}, view(2, 1), view(0, 1))), nil},
		{"at one place of the shard", onOne([]int64{2}, []int64{2}, at([]int64{1}, view(0, 1), view(0, 1)), at([]int64{1}, view(1, 1), view(0, 1))), nil},
		{"a scaled piece", onOne([]int64{4}, []int64{4}, at([]int64{2}, view(0, 1), view(0, 1)), scaled), nil},
	} {
		got, ok := joined(test.m, 0)
		want := test.want
		if want == nil {
			want = test.m.Shards[0].Pieces
		}
		if diff := cmp.Diff(want, got.Shards[0].Pieces); ok != (test.want != nil) || diff != "" {
			t.Errorf("%s: %v (- want, + got):\n%s", test.name, ok, diff)
		}
	}
}
