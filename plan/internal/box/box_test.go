package box_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/plan/internal/box"
)

// randomBoxes draws boxes in a space of the given extents, of any size inside it.
func randomBoxes(random *rand.Rand, extents []int64, n int) []box.Box {
	boxes := make([]box.Box, n)
	for i := range boxes {
		b := box.Box{Lo: make([]int64, len(extents)), Shape: make([]int64, len(extents))}
		for k, extent := range extents {
			b.Lo[k] = random.Int64N(extent)
			b.Shape[k] = 1 + random.Int64N(extent-b.Lo[k])
			if random.IntN(3) > 0 {
				b.Shape[k] = 1
			}
		}
		boxes[i] = b
	}
	return boxes
}

// spaces are small enough for a cell by cell check, and have axes of extent 1 and few or many beginnings.
var spaces = [][]int64{{}, {1}, {40}, {2, 30}, {7, 9}, {1, 5, 1, 6}, {3, 4, 5}, {2, 2, 2, 2, 3}, {3, 1, 2, 2, 1, 2, 2, 2}}

func TestJoinFindsThePairsThatShareACell(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, extents := range spaces {
		for _, size := range [][2]int{{0, 0}, {0, 3}, {5, 7}, {25, 400}, {120, 130}, {400, 30}} {
			a, b := randomBoxes(random, extents, size[0]), randomBoxes(random, extents, size[1])
			got := pairsOf(func(visit func(i, j int) bool) { box.Join(a, b, visit) })
			want := sharedCells(extents, a, b)
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Fatalf("Join of %d and %d boxes in %v (-want +got):\n%s", size[0], size[1], extents, diff)
			}
		}
	}
}

func TestSelfJoinFindsEachPairOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, extents := range spaces {
		for _, size := range []int{0, 1, 9, 60, 300} {
			boxes := randomBoxes(random, extents, size)
			got := pairsOf(func(visit func(i, j int) bool) { box.SelfJoin(boxes, visit) })
			want := slices.DeleteFunc(sharedCells(extents, boxes, boxes), func(p [2]int) bool { return p[0] >= p[1] })
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Fatalf("SelfJoin of %d boxes in %v (-want +got):\n%s", size, extents, diff)
			}
		}
	}
}

func TestJoinsStopWhenAVisitIsFalse(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, size := range []int{10, 200} {
		boxes := randomBoxes(random, []int64{2, 2}, size)
		for name, join := range map[string]func(func(i, j int) bool){
			"Join":     func(visit func(i, j int) bool) { box.Join(boxes, boxes, visit) },
			"SelfJoin": func(visit func(i, j int) bool) { box.SelfJoin(boxes, visit) },
		} {
			visits := 0
			join(func(int, int) bool { visits++; return visits < 3 })
			if visits != 3 {
				t.Errorf("%s of %d boxes: %d visits, want 3", name, size, visits)
			}
		}
	}
}

// pairsOf lists the pairs that a join visits, sorted, with those visited twice left in.
func pairsOf(join func(func(i, j int) bool)) [][2]int {
	pairs := [][2]int{}
	join(func(i, j int) bool { pairs = append(pairs, [2]int{i, j}); return true })
	slices.SortFunc(pairs, func(x, y [2]int) int { return cmp.Or(x[0]-y[0], x[1]-y[1]) })
	return pairs
}

// sharedCells finds the pairs by listing every cell of every box.
func sharedCells(extents []int64, a, b []box.Box) [][2]int {
	pairs := [][2]int{}
	for i := range a {
		mine := cellsOf(extents, a[i])
		for j := range b {
			for cell := range cellsOf(extents, b[j]) {
				if mine[cell] {
					pairs = append(pairs, [2]int{i, j})
					break
				}
			}
		}
	}
	return pairs
}

func cellsOf(extents []int64, b box.Box) map[int64]bool {
	cells := map[int64]bool{0: true}
	for k, extent := range extents {
		next := map[int64]bool{}
		for cell := range cells {
			for x := range b.Shape[k] {
				next[cell*extent+b.Lo[k]+x] = true
			}
		}
		cells = next
	}
	return cells
}

func TestGapIsACellThatNoBoxHolds(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	gaps, covers := 0, 0
	for round := range 3000 {
		extents := spaces[round%len(spaces)]
		region := randomBoxes(random, extents, 1)[0]
		boxes := randomBoxes(random, extents, random.IntN(60))
		wanted := cellsOf(extents, region)
		for _, b := range boxes {
			for cell := range cellsOf(extents, b) {
				delete(wanted, cell)
			}
		}
		gap, found, left := box.Gap(region, boxes, 1<<20)
		if left < 0 || found != (len(wanted) > 0) {
			t.Fatalf("Gap(%v, %v) = %v, %v, %v; %d cells are in no box", region, boxes, gap, found, left, len(wanted))
		}
		if found {
			gaps++
			for cell := range cellsOf(extents, gap) {
				if !wanted[cell] {
					t.Fatalf("Gap(%v, %v) = %v, but cell %d is in a box or outside the region", region, boxes, gap, cell)
				}
			}
		} else {
			covers++
		}
	}
	if gaps < 300 || covers < 300 {
		t.Errorf("%d gaps and %d covers: the cases are one-sided", gaps, covers)
	}
}

func TestGapDoesNotDependOnTheOrderOfBoxes(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	region := box.Box{Lo: []int64{0, 0}, Shape: []int64{7, 9}}
	for range 200 {
		boxes := randomBoxes(random, region.Shape, 20)
		want, _, _ := box.Gap(region, boxes, 1<<20)
		random.Shuffle(len(boxes), func(i, j int) { boxes[i], boxes[j] = boxes[j], boxes[i] })
		if got, _, _ := box.Gap(region, boxes, 1<<20); !gocmp.Equal(want, got) {
			t.Fatalf("Gap = %v in one order of boxes and %v in another", want, got)
		}
	}
}

func TestGapSaysWhenItGaveUp(t *testing.T) {
	// Strips of length 3 at every start: each cell has many boxes and no box holds the region.
	region := box.Box{Lo: []int64{0}, Shape: []int64{1000}}
	var boxes []box.Box
	for at := range int64(998) {
		boxes = append(boxes, box.Box{Lo: []int64{at}, Shape: []int64{3}})
	}
	if _, found, left := box.Gap(region, boxes, 1<<20); found || left < 0 {
		t.Errorf("Gap with enough work: found %v, %d left; want false, not below 0", found, left)
	}
	if _, found, left := box.Gap(region, boxes, 2000); found || left >= 0 {
		t.Errorf("Gap with too little work: found %v, %d left; want false, below 0", found, left)
	}
}

// What is looked at grows with the boxes and not with their pairs: cuts are made where they cut few boxes.
func TestGapLooksAtFewBoxes(t *testing.T) {
	const n, enough = 256, 1 << 20
	for _, across := range []int{0, 1} {
		// Rows on one half and columns on the other, so that neither axis is always the one to cut.
		at := func(x, y, height, width int64) box.Box {
			b := box.Box{Lo: []int64{x, y}, Shape: []int64{height, width}}
			if across == 1 {
				slices.Reverse(b.Lo)
				slices.Reverse(b.Shape)
			}
			return b
		}
		var boxes []box.Box
		for i := range int64(n) {
			boxes = append(boxes, at(i, 0, 1, n), at(0, n+i, n, 1))
		}
		for _, missing := range []int{0, 1} {
			some := boxes[:len(boxes)-missing]
			_, found, left := box.Gap(at(0, 0, n, 2*n), some, enough)
			used := enough - left
			// Each of the log2 512 cuts hands every box to both parts, and one look more ends it.
			if most := 2 * (9 + 1) * len(boxes); found != (missing > 0) || used > most {
				t.Errorf("found %v after %d looks at %d boxes, want %d at most", found, used, len(some), most)
			}
			if _, found, left := box.Gap(at(0, 0, n, 2*n), some, used); found != (missing > 0) || left != 0 {
				t.Errorf("with just enough work: found %v, %d left; want %v, 0", found, left, missing > 0)
			}
			if _, found, left := box.Gap(at(0, 0, n, 2*n), some, used-1); found || left >= 0 {
				t.Errorf("with one look too few: found %v, %d left; want false, below 0", found, left)
			}
		}
	}
}

func TestVolumePastInt64Panics(t *testing.T) {
	for _, shape := range [][]int64{{1 << 62, 2}, {1 << 32, 1 << 32}, {1 << 62, 1 << 62}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("the volume of %v does not panic", shape)
				}
			}()
			box.Box{Lo: []int64{0, 0}, Shape: shape}.Volume()
		}()
	}
}

func TestCoordinatesNearTheEndOfInt64(t *testing.T) {
	const most = 1<<63 - 1
	a := box.Box{Lo: []int64{0}, Shape: []int64{most}}
	b := box.Box{Lo: []int64{most - 1}, Shape: []int64{1}}
	if !a.Meets(b) || !a.Contains(b) || b.Contains(a) || a.Common(b) != 1 || a.Volume() != most {
		t.Errorf("%v and %v: meets %v, contains %v and %v, common %d, volume %d",
			a, b, a.Meets(b), a.Contains(b), b.Contains(a), a.Common(b), a.Volume())
	}
	out := box.Box{Lo: []int64{0}, Shape: []int64{0}}
	if a.Intersect(b, out); !gocmp.Equal(b, out) {
		t.Errorf("intersection %v, want %v", out, b)
	}
	gap, found, _ := box.Gap(a, []box.Box{b}, 100)
	if want := (box.Box{Lo: []int64{0}, Shape: []int64{most - 1}}); !found || !gocmp.Equal(want, gap) {
		t.Errorf("gap %v, want %v", gap, want)
	}
}

func TestSmallJoinsAllocateNothing(t *testing.T) {
	boxes := randomBoxes(rand.New(rand.NewPCG(11, 12)), []int64{9, 9}, 20)
	pairs := 0
	allocations := testing.AllocsPerRun(10, func() {
		box.Join(boxes, boxes, func(int, int) bool { pairs++; return true })
		box.SelfJoin(boxes, func(int, int) bool { pairs++; return true })
	})
	if allocations != 0 || pairs == 0 {
		t.Errorf("%v allocations for %d pairs, want none", allocations, pairs)
	}
}

// grid cuts each axis of 2^40 into parts, evenly. The axis is so long that borders of two cuts fall together
// only where they are the same fraction of it.
func grid(parts ...int64) []box.Box {
	const extent = 1 << 40
	boxes := []box.Box{{}}
	for _, n := range parts {
		var next []box.Box
		for _, b := range boxes {
			for part := range n {
				lo, hi := extent*part/n, extent*(part+1)/n
				next = append(next, box.Box{Lo: append(slices.Clone(b.Lo), lo), Shape: append(slices.Clone(b.Shape), hi-lo)})
			}
		}
		boxes = next
	}
	return boxes
}

// overlapsOf is the number of pairs of parts of two even cuts of one axis that meet: each part border of one
// that is none of the other cuts one more.
func overlapsOf(m, n int64) int { return int(m + n - gcd(m, n)) }

func gcd(m, n int64) int64 {
	for n > 0 {
		m, n = n, m%n
	}
	return m
}

func BenchmarkJoin(b *testing.B) {
	for _, c := range []struct{ left, right []int64 }{
		{[]int64{10}, []int64{11}},
		{[]int64{20000}, []int64{20001}},
		{[]int64{40000}, []int64{40001}},
		{[]int64{1, 20000, 1, 1, 1, 1, 1, 1}, []int64{1, 20001, 1, 1, 1, 1, 1, 1}},
		{[]int64{2, 10000}, []int64{10, 2000}},
		{[]int64{141, 142}, []int64{143, 139}},
		{[]int64{27, 27, 27}, []int64{26, 28, 27}},
		{[]int64{4, 4, 4, 4, 3, 3, 3, 3}, []int64{4, 4, 4, 4, 3, 3, 3, 3}},
	} {
		b.Run(fmt.Sprint(c.left, c.right), func(b *testing.B) {
			left, right := grid(c.left...), grid(c.right...)
			want := 1
			for k := range c.left {
				want *= overlapsOf(c.left[k], c.right[k])
			}
			b.ReportAllocs()
			for b.Loop() {
				pairs := 0
				box.Join(left, right, func(int, int) bool { pairs++; return true })
				if pairs != want {
					b.Fatalf("%d pairs, want %d", pairs, want)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(left)+len(right)), "ns/box")
		})
	}
}
