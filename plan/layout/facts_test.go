package layout

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shardproof/shardproof/plan"
	"pgregory.net/rapid"
)

// Published maps and numbers, written out by hand from their sources.

// The parameter map that the formats' specification prints: GPTBigCode's qkv of 48x8 with 32 q rows, over 2.
func TestBigCodeIsThePublishedMap(t *testing.T) {
	got, err := BigCode([]int64{48, 8}, 16, 2)
	if err != nil {
		t.Fatal(err)
	}
	piece := func(source, dest int64, locations ...int) plan.Piece {
		rows := func(offset int64) plan.View { return plan.View{Offset: offset, Strides: []int64{8, 1}} }
		return plan.Piece{Shape: []int64{16, 8}, Source: rows(source), Dest: rows(dest), Locations: locations}
	}
	want := plan.Map{LogicalShape: []int64{48, 8}, Shards: []plan.Shard{
		{Rank: 0, Shape: []int64{32, 8}, Pieces: []plan.Piece{piece(0, 0, 0), piece(256, 128, 0, 1)}},
		{Rank: 1, Shape: []int64{32, 8}, Pieces: []plan.Piece{piece(128, 0, 1), piece(256, 128, 0, 1)}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("BigCode 48x8 over 2 (-want +got):\n%s", diff)
	}
}

// On the last rank the q rows touch the kv rows in F, and maximal merging once joined them, to one piece with
// two sets of holders. Over one rank they are one piece.
func TestBigCodeKeepsTheReplicatedRowsApart(t *testing.T) {
	for _, test := range []struct{ degree, pieces int }{{1, 1}, {2, 2}, {4, 2}, {8, 2}} {
		m, err := BigCode([]int64{48, 8}, 16, test.degree)
		if err != nil {
			t.Fatal(err)
		}
		for _, shard := range m.Shards {
			if got := len(shard.Pieces); got != test.pieces {
				t.Errorf("degree %d rank %d: %d pieces, want %d", test.degree, shard.Rank, got, test.pieces)
			}
		}
	}
}

func TestWidthRule(t *testing.T) {
	for _, test := range []struct {
		name   string
		rule   WidthRule
		extent int64
		degree int
		want   []int64
	}{
		{"kv heads 6 of 24", WidthRule{KVHeads: 6}, 24, 4, []int64{8, 8, 4, 4}},
		{"fewer kv heads than ranks", WidthRule{KVHeads: 2}, 8, 4, []int64{4, 4, 0, 0}},
		{"a convolution", WidthRule{ExtraLast: true}, 10, 4, []int64{2, 2, 3, 3}},
		{"the same, no convolution", WidthRule{}, 10, 4, []int64{3, 3, 2, 2}},
		{"kv heads that do not divide", WidthRule{KVHeads: 5}, 24, 4, []int64{6, 6, 6, 6}},
		{"grains of 4, 3 left over", WidthRule{Grain: 4}, 27, 4, []int64{8, 8, 4, 7}},
		{"fewer grains than ranks", WidthRule{Grain: 8}, 20, 3, []int64{8, 8, 4}},
		{"no grain at all", WidthRule{Grain: 8}, 5, 3, []int64{0, 0, 5}},
		{"nothing", WidthRule{KVHeads: 3}, 0, 2, []int64{0, 0}},
	} {
		got, err := test.rule.Widths(test.extent, test.degree)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: %+v.Widths(%d, %d) = %v, %v, want %v", test.name, test.rule, test.extent, test.degree, got, err, test.want)
		}
	}
}

// The rule restated: per rank, n*heads/h or grains*g, and the remainder of n by g on the last rank.
func TestWidthRuleByFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, h, g := rapid.Int64Range(0, 60).Draw(t, "n"), rapid.Int64Range(0, 8).Draw(t, "h"), rapid.Int64Range(1, 8).Draw(t, "g")
		ranks := rapid.Int64Range(1, 9).Draw(t, "T")
		got, err := WidthRule{KVHeads: h, Grain: g}.Widths(n, int(ranks))
		if err != nil {
			t.Fatal(err)
		}
		for r := range ranks {
			want := n / g / ranks * g
			if r < n/g%ranks {
				want += g
			}
			if r == ranks-1 {
				want += n % g
			}
			if h > 0 && n%h == 0 {
				heads := h / ranks
				if r < h%ranks {
					heads++
				}
				want = n * heads / h
			}
			if got[r] != want {
				t.Fatalf("n %d, h %d, g %d, T %d: rank %d gets %d of %v, want %d", n, h, g, ranks, r, got[r], got, want)
			}
		}
	})
}

// Chunks are rounded up, and so may end before the ranks do: 6 over 4 is 2 2 2 0 (pytorch issue 108869).
func TestChunksAreRoundedUp(t *testing.T) {
	for _, test := range []struct {
		extent int64
		want   []int64
	}{
		{6, []int64{2, 2, 2, 0}},
		{8, []int64{2, 2, 2, 2}},
		{9, []int64{3, 3, 3, 0}},
		{1, []int64{1, 0, 0, 0}},
		{0, []int64{0, 0, 0, 0}},
	} {
		m, err := Vocabulary([]int64{test.extent, 3}, 4)
		if err != nil {
			t.Fatal(err)
		}
		if got := shardExtents(m, 0); !slices.Equal(got, test.want) {
			t.Errorf("%d rows over 4: %v, want %v", test.extent, got, test.want)
		}
	}
}

func TestYuanHeads(t *testing.T) {
	for _, test := range []struct {
		heads  int64
		degree int
		want   [][]int64
	}{
		{8, 2, [][]int64{{0, 1, 4, 5}, {2, 3, 6, 7}}},
		{8, 4, [][]int64{{0, 4}, {1, 5}, {2, 6}, {3, 7}}},
		{4, 1, [][]int64{{0, 1, 2, 3}}},
		{12, 4, [][]int64{{0, 1, 6, 7}, {1, 2, 7, 8}, {3, 4, 9, 10}, {4, 5, 10, 11}}},
	} {
		got, err := YuanHeads(test.heads, test.degree)
		if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
			t.Errorf("YuanHeads(%d, %d): %v (-want +got):\n%s", test.heads, test.degree, err, diff)
		}
	}
}

// With 12 heads over 4 ranks, heads 1, 4, 7 and 10 go to two ranks, and the locations say so.
func TestYuanWithAnOddNumberOfHeadsNamesBothHolders(t *testing.T) {
	m, err := Yuan([]int64{24, 5}, 0, 12, 4)
	if err != nil {
		t.Fatal(err)
	}
	shared := map[int64][]int{1: {0, 1}, 4: {2, 3}, 7: {0, 1}, 10: {2, 3}}
	for _, shard := range m.Shards {
		for _, piece := range shard.Pieces {
			first, last := piece.Source.Offset/10, (piece.Source.Offset+piece.Shape[0]*5)/10
			for head := first; head < last; head++ {
				want := shared[head]
				if want == nil {
					want = []int{shard.Rank}
				}
				if !slices.Equal(piece.Locations, want) {
					t.Errorf("rank %d head %d: locations %v, want %v", shard.Rank, head, piece.Locations, want)
				}
			}
		}
	}
}

// CodeGen's number of pieces is 11 a rank over 2 and 12 over 4 and 8, whatever the size.
func TestCodeGenPieces(t *testing.T) {
	for _, test := range []struct{ rows, degree, want int64 }{
		{96, 2, 11}, {96, 4, 12}, {96, 8, 12}, {3072, 2, 11}, {3072, 4, 12}, {3072, 8, 12}, {96, 1, 1},
	} {
		m, err := CodeGen([]int64{test.rows, 8}, 0, CodeGenGroups, int(test.degree))
		if err != nil {
			t.Fatal(err)
		}
		for _, shard := range m.Shards {
			if got := int64(len(shard.Pieces)); got != test.want {
				t.Errorf("%d rows over %d, rank %d: %d pieces, want %d", test.rows, test.degree, shard.Rank, got, test.want)
			}
		}
	}
}

// Row by row, CodeGen's shards are the blocks (j div T)*3T + p*T + (j mod T) for j in 4r..4r+3, p in 0..2.
func TestCodeGenBlocks(t *testing.T) {
	for _, degree := range []int64{1, 2, 4, 8} {
		m, err := CodeGen([]int64{192, 2}, 0, 0, int(degree))
		if err != nil {
			t.Fatal(err)
		}
		size := 192 / (12 * degree)
		for rank, shard := range m.Shards {
			var want []int64
			for j := 4 * int64(rank); j < 4*int64(rank)+4; j++ {
				for p := range int64(3) {
					block := j/degree*3*degree + p*degree + j%degree
					for row := range size {
						want = append(want, block*size+row)
					}
				}
			}
			if got := rowsOf(shard, 2); !slices.Equal(got, want) {
				t.Errorf("degree %d rank %d stores rows %v, want %v", degree, rank, got, want)
			}
		}
	}
}

// A run of ascending private experts is one piece, and every replicated expert one of its own.
func TestExpertsPieces(t *testing.T) {
	type block struct {
		first, count int64
		locations    []int
	}
	for _, test := range []struct {
		name    string
		experts int64
		ids     [][]int64
		want    [][]block
	}{
		{"uneven, replicated 3 and 4", 5, [][]int64{{0, 1, 3, 4}, {2, 4, 3}}, [][]block{
			{{0, 2, []int{0}}, {3, 1, []int{0, 1}}, {4, 1, []int{0, 1}}},
			{{2, 1, []int{1}}, {4, 1, []int{0, 1}}, {3, 1, []int{0, 1}}},
		}},
		{"an empty rank in the middle", 4, [][]int64{{2, 3}, {}, {0, 1}}, [][]block{
			{{2, 2, []int{0}}}, nil, {{0, 2, []int{2}}},
		}},
		{"descending experts", 3, [][]int64{{2, 1, 0}}, [][]block{
			{{2, 1, []int{0}}, {1, 1, []int{0}}, {0, 1, []int{0}}},
		}},
		{"private next to replicated", 4, [][]int64{{0, 1, 2, 3}, {2}}, [][]block{
			{{0, 2, []int{0}}, {2, 1, []int{0, 1}}, {3, 1, []int{0}}}, {{2, 1, []int{0, 1}}},
		}},
	} {
		m, err := Experts([]int64{test.experts, 2, 3}, test.ids)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		got := make([][]block, len(m.Shards))
		for rank, shard := range m.Shards {
			for _, piece := range shard.Pieces {
				got[rank] = append(got[rank], block{piece.Source.Offset / 6, piece.Shape[0], piece.Locations})
			}
		}
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(block{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// A fragment of n axes is up to 2n-1 boxes.
func TestFlatBoxes(t *testing.T) {
	type box struct {
		offset int64
		shape  []int64
	}
	for _, test := range []struct {
		shape  []int64
		lo, hi int64
		want   []box
	}{
		{[]int64{4, 5}, 3, 17, []box{{3, []int64{1, 2}}, {5, []int64{2, 5}}, {15, []int64{1, 2}}}},
		{[]int64{3, 3, 4}, 5, 35, []box{
			{5, []int64{1, 1, 3}}, {8, []int64{1, 1, 4}}, {12, []int64{1, 3, 4}}, {24, []int64{1, 2, 4}}, {32, []int64{1, 1, 3}},
		}},
		{[]int64{3, 1, 4}, 4, 12, []box{{4, []int64{2, 1, 4}}}},
		{[]int64{10}, 2, 7, []box{{2, []int64{5}}}},
		{nil, 0, 1, []box{{0, []int64{}}}},
	} {
		all := product(test.shape)
		m, err := Flat(test.shape, []Fragment{{0, test.lo}, {test.lo, test.hi}, {test.hi, all}})
		if err != nil {
			t.Fatal(err)
		}
		var got []box
		for _, piece := range m.Shards[1].Pieces {
			got = append(got, box{piece.Source.Offset, piece.Shape})
			if piece.Dest.Offset != piece.Source.Offset-test.lo {
				t.Errorf("%v [%d:%d]: dest offset %d, want %d", test.shape, test.lo, test.hi, piece.Dest.Offset, piece.Source.Offset-test.lo)
			}
		}
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(box{})); diff != "" {
			t.Errorf("%v [%d:%d] (-want +got):\n%s", test.shape, test.lo, test.hi, diff)
		}
		if want := []int64{test.hi - test.lo}; !slices.Equal(m.Shards[1].Shape, want) {
			t.Errorf("%v [%d:%d]: a shard of %v, want %v", test.shape, test.lo, test.hi, m.Shards[1].Shape, want)
		}
	}
}

// A mesh of 2 by 3 on one axis of 12: left to right rank (a, b) holds chunk b of chunk a, right to left chunk a
// of chunk b.
func TestMeshOrders(t *testing.T) {
	for _, test := range []struct {
		name  string
		build func([]int64, int, []int64) (plan.Map, error)
		want  [][]int64
	}{
		{"nested", Nested, [][]int64{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}}},
		{"strided", Strided, [][]int64{{0, 1}, {4, 5}, {8, 9}, {2, 3}, {6, 7}, {10, 11}}},
	} {
		m, err := test.build([]int64{12}, 0, []int64{2, 3})
		if err != nil {
			t.Fatal(err)
		}
		for rank, shard := range m.Shards {
			if got := rowsOf(shard, 1); !slices.Equal(got, test.want[rank]) {
				t.Errorf("%s rank %d holds %v, want %v", test.name, rank, got, test.want[rank])
			}
		}
	}
}

func TestHSDPReplicatesOverTheFirstMeshAxis(t *testing.T) {
	m, err := HSDP([]int64{4, 6}, 1, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]int{{0, 2}, {1, 3}, {0, 2}, {1, 3}}
	for rank, shard := range m.Shards {
		if piece := shard.Pieces[0]; piece.Source.Offset != int64(rank%2*3) || !slices.Equal(piece.Locations, want[rank]) {
			t.Errorf("rank %d holds columns from %d with %v, want from %d with %v", rank, piece.Source.Offset, piece.Locations, rank%2*3, want[rank])
		}
	}
}

// A part of no width is an empty piece of its rank, and the parts on both sides of it are one where they touch.
func TestZeroWidthsAreEmptyPieces(t *testing.T) {
	m, err := Fused([]int64{6, 4}, 0, 2, []Part{{Widths: []int64{1, 2}}, {Widths: []int64{0, 1}}, {Widths: []int64{2, 0}}})
	if err != nil {
		t.Fatal(err)
	}
	got := make([][]int64, 2)
	for rank, shard := range m.Shards {
		for _, piece := range shard.Pieces {
			got[rank] = append(got[rank], piece.Shape[0])
		}
	}
	// Rank 0 holds row 0, nothing of the second part and rows 4 and 5; rank 1 rows 1 to 3, and nothing after.
	if want := [][]int64{{1, 0, 2}, {3, 0}}; !cmp.Equal(got, want) {
		t.Errorf("heights of the pieces are %v, want %v", got, want)
	}
	if problem := bruteForce(m); problem != "" {
		t.Error(problem)
	}
}

// A rank without any width keeps a shard, which has no elements.
func TestEmptyRanksKeepTheirShards(t *testing.T) {
	m, err := Contiguous([]int64{4, 3}, 0, []int64{2, 0, 2, 0})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := shardExtents(m, 0), []int64{2, 0, 2, 0}; !slices.Equal(got, want) {
		t.Errorf("shards of %v rows, want %v", got, want)
	}
	if len(m.Shards[1].Pieces) != 1 || !m.Shards[1].Pieces[0].Empty() {
		t.Errorf("rank 1 has pieces %v, want one empty piece", m.Shards[1].Pieces)
	}
}

// Storing a 2x3 tensor transposed puts element (i, j) at address j*2+i.
func TestPermuteTransposes(t *testing.T) {
	m, err := Replicated([]int64{2, 3}, 1)
	if err == nil {
		m, err = Permute(m, []int{1, 0})
	}
	if err != nil {
		t.Fatal(err)
	}
	piece := m.Shards[0].Pieces[0]
	if !slices.Equal(m.Shards[0].Shape, []int64{3, 2}) || !slices.Equal(piece.Dest.Strides, []int64{1, 2}) {
		t.Errorf("a shard of %v, dest strides %v, want [3 2] and [1 2]", m.Shards[0].Shape, piece.Dest.Strides)
	}
}

// Sizes play no part: 10^9 rows are split like 10, and 2^62 elements are no overflow.
func TestHugeExtents(t *testing.T) {
	m, err := Contiguous([]int64{1_000_000_000, 8}, 0, []int64{500_000_000, 500_000_000})
	if err != nil || m.Shards[1].Pieces[0].Source.Offset != 4_000_000_000 {
		t.Errorf("10^9 x 8 over 2: %v, %v, want rank 1 from 4*10^9 on", m.Shards, err)
	}
	if _, err := Replicated([]int64{1 << 31, 1 << 31}, 2); err != nil {
		t.Errorf("2^31 x 2^31: %v, want no error", err)
	}
}

func TestMalformedArguments(t *testing.T) {
	for _, test := range []struct {
		family, arguments string
		want              string // all numbers of the message, so that a person sees what clashed with what
	}{
		{"contiguous", "shape=48,8 widths=16,16", "the parts add up to 32, axis 0 of F has 48"},
		{"contiguous", "shape=48,8 widths=16,32,8", "the parts add up to 56, axis 0 of F has 48"},
		{"contiguous", "shape=48,8 widths=64,-16", "rank 1: width -16, want 0 to 9223372036854775743"},
		{"contiguous", "shape=9 widths=9223372036854775807,9223372036854775807", "rank 1: width 9223372036854775807, want 0 to 0"},
		{"contiguous", "shape=48,8 axis=2 degree=2", "axis 2 of shape [48 8], which has 2 axes"},
		{"contiguous", "shape=48,8 axis=-1 degree=2", "axis -1 of shape [48 8], which has 2 axes"},
		{"contiguous", "shape=48,8", "degree 0, want 1 to 4096"},
		{"contiguous", "shape=48,8 degree=5000", "degree 5000, want 1 to 4096"},
		{"contiguous", "shape=48,-8 degree=2", "shape [48 -8]: axis 1 has extent -8, want at least 0"},
		{"contiguous", "shape=4294967296,4294967296 degree=2", "shape [4294967296 4294967296]: the extents up to axis 1 multiply past 9223372036854775807"},
		{"contiguous", "shape=48 degree=2 grain=-1", "grain -1, want at least 0"},
		{"contiguous", "shape=48 degree=2 kv-heads=-1", "-1 kv heads, want at least 0"},
		{"contiguous", "shape=4 widths=2,2/2,2", "2 lists of widths, want 1"},
		{"replicated", "shape=2,-2 degree=1", "axis 1 has extent -2, want at least 0"},
		{"replicated", "shape=2 degree=-1", "degree -1, want 1 to 4096"},
		{"fused", "shape=12 widths=4,4/2,2,0 degree=2", "part 1: 3 widths, want one for each of 2 ranks"},
		{"fused", "shape=12 sizes=8,4 widths=4,4 degree=2", "2 sizes and 1 lists of widths"},
		{"fused", "shape=12 sizes=8,4 replicated=2 degree=2", "part 2 is to be replicated, and there are 2 parts"},
		{"fused", "shape=12 sizes=8,-4 replicated=1 degree=2", "part 1: size -4, want 0 to 9223372036854775799"},
		{"fused", "shape=12 sizes=8,-4 degree=2", "part 1: extent -4, want at least 0"},
		{"segmented", "shape=12 sizes=8,5 replicated=1 degree=2", "the parts add up to 13, axis 0 of F has 12"},
		{"gather", "shape=12 blocks=5 ids=0,1/2,3,4", "5 blocks do not divide an axis of 12"},
		{"gather", "shape=12 blocks=4 ids=0,1/2,4", "rank 1: block 4, want 0 to 3"},
		{"gather", "shape=12 blocks=4 ids=0,1/2,-1", "rank 1: block -1, want 0 to 3"},
		{"gather", "shape=12 blocks=4 ids=0,1,0/2,3", "rank 0 holds [0:3] twice"},
		{"gather", "shape=12 blocks=4 ids=0,1/2", "[9:12] of 12 is held by no rank"},
		{"gather", "shape=12 blocks=4", "degree 0, want 1 to 4096"},
		{"experts", "shape=4,3 ids=0,1/2,3,3", "rank 1 holds [3:4] twice"},
		{"experts", "shape=4,3 ids=0/1,3", "[2:3] of 4 is held by no rank"},
		{"experts", "shape= ids=0", "axis 0 of shape [], which has 0 axes"},
		{"codegen", "shape=96,8 degree=5", "60 blocks do not divide an axis of 96"},
		{"codegen", "shape=96,8 degree=2 groups=-1", "-1 groups, want 1 to 341"},
		{"yuan", "shape=24 heads=6 degree=4", "6 heads over 4 ranks, want an even number that the ranks divide"},
		{"yuan", "shape=25 heads=5 degree=5", "5 heads over 5 ranks, want an even number that the ranks divide"},
		{"head-modulo", "shape=24 heads=7 degree=2", "7 blocks do not divide an axis of 24"},
		{"head-modulo", "shape=24 heads=-1 degree=2", "-1 heads, want 0 to 4194304"},
		{"flat", "shape=4,3 fragments=0,6/6,13", "rank 1: fragment [6:13] of 12 elements"},
		{"flat", "shape=4,3 fragments=-1,6/6,12", "rank 0: fragment [-1:6] of 12 elements"},
		{"flat", "shape=4,3 fragments=6,0/0,12", "rank 0: fragment [6:0] of 12 elements"},
		{"flat", "shape=4,3 fragments=0,6/7,12", "elements [6:7] of 12 is held by no rank"},
		{"flat", "shape=4,3 fragments=0,6,12", "fragment 0: 3 numbers, want where it begins and where it ends"},
		{"flat", "shape=4,3 degree=2 order=1,0", "a shard of 1 axes, want the 2 of F"},
		{"grid", "shape=4,6 widths=2,2", "widths of 1 axes, F has 2"},
		{"grid", "shape=4,6 widths=2,2/3,2", "axis 1: the widths add up to 5, F has 6"},
		{"grid", "shape=4,6 widths=2,2/7,-1", "axis 1: width 1 is -1, want 0 to 9223372036854775800"},
		{"grid", "shape=4,6 mesh=2", "a mesh of 1 axes, F has 2"},
		{"grid", "shape=4,0 widths=4/", "degree 0, want 1 to 4096"},
		{"nested", "shape=4,6 mesh=2,0", "mesh [2 0]: extent 0, want 1 to 4096"},
		{"nested", "shape=4,6 mesh=100,100", "mesh [100 100]: more than 4096 ranks"},
		{"strided", "shape=4,6 mesh=2,2 axis=2", "axis 2 of shape [4 6], which has 2 axes"},
		{"strided", "shape=4,6 mesh=", "a mesh without axes"},
		{"hsdp", "shape=4,6 mesh=2,2,2", "a mesh of 3 axes, want 2"},
		{"vocabulary", "shape= degree=2", "axis 0 of shape [], which has 0 axes"},
		{"replicated", "shape=2,3 degree=2 order=1", "an order of 1 axes, F has 2"},
		{"replicated", "shape=2,3 degree=2 order=1,2", "order [1 2]: axis 2 of 2"},
		{"replicated", "shape=2,3 degree=2 order=1,1", "order [1 1]: axis 1 twice"},
		{"replicated", "shape=2,3 degree=2 ranks=1", "1 rank ids for 2 ranks"},
		{"replicated", "shape=2,3 degree=2 ranks=1,-1", "rank id -1, want at least 0"},
		{"replicated", "shape=2,3 degree=2 ranks=7,7", "rank id 7 twice"},
	} {
		family, _ := FamilyOf(test.family)
		arguments, err := family.Parse(strings.Fields(test.arguments))
		if err != nil {
			t.Errorf("%s %s: %v", test.family, test.arguments, err)
			continue
		}
		_, err = family.Build(arguments)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "layout "+test.family+": ") {
			t.Errorf("%s %s: error %v, want one that says %q", test.family, test.arguments, err, test.want)
		}
	}
}

func TestUnreadableArguments(t *testing.T) {
	family, _ := FamilyOf("contiguous")
	for _, test := range []struct{ texts, want string }{
		{"shape", "want name=value"},
		{"shape=4 shape=4", "shape is given twice"},
		{"heads=4", "contiguous takes shape, degree, axis, widths"},
		{"degree=two", "invalid syntax"},
		{"shape=4,,4", "invalid syntax"},
		{"widths=4/x", "invalid syntax"},
		{"grain=99999999999999999999", "value out of range"},
		{"order=0,x", "invalid syntax"},
	} {
		if _, err := family.Parse(strings.Fields(test.texts)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Parse(%q): error %v, want one that says %q", test.texts, err, test.want)
		}
	}
}

// Many ranks that all hold the same experts name each other in every piece of theirs.
func TestTooManyLocations(t *testing.T) {
	ids := make([][]int64, 4096)
	for rank := range ids {
		ids[rank] = []int64{0, 1}
	}
	if _, err := Experts([]int64{2}, ids); err == nil || !strings.Contains(err.Error(), "name 33554432 holders in all, want at most 16777216") {
		t.Errorf("2 experts on each of 4096 ranks: error %v, want one of the locations", err)
	}
}

// shardExtents lists what every shard has of an axis.
func shardExtents(m plan.Map, axis int) []int64 {
	var extents []int64
	for _, shard := range m.Shards {
		extents = append(extents, shard.Shape[axis])
	}
	return extents
}

// rowsOf lists the rows of F that a shard of whole rows stores, in its order.
func rowsOf(shard plan.Shard, columns int64) []int64 {
	rows := make([]int64, shard.Shape[0])
	for _, piece := range shard.Pieces {
		for i := range piece.Shape[0] {
			rows[piece.Dest.Offset/columns+i] = piece.Source.Offset/columns + i
		}
	}
	return rows
}
