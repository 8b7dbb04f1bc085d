package oracle

import (
	"maps"
	"slices"
	"testing"

	"github.com/shardproof/shardproof/plan"
)

// block draws a small block with two sides, on which nothing stands below address 0 and strides are of any kind.
func (d drawing) block() block {
	shape := make([]int64, d.upTo(4))
	views := []plan.View{{Strides: make([]int64, len(shape))}, {Strides: make([]int64, len(shape))}}
	for axis := range shape {
		shape[axis] = 1 + d.upTo(4)
		for side := range views {
			views[side].Strides[axis] = d.upTo(12) - 3
		}
	}
	b := newBlock(shape, views...)
	for side := range b.sides {
		lo, _ := b.span(side)
		b.sides[side].Offset += d.upTo(5) - lo
	}
	return b
}

// elements counts the elements of a block by where they stand on both sides, one by one.
func elements(blocks ...block) map[[2]int64]int64 {
	at := map[[2]int64]int64{}
	for _, b := range blocks {
		s := plan.Segment{Shape: b.shape, Source: plan.Endpoint{View: b.sides[0]}, Target: plan.Endpoint{View: b.sides[1]}}
		eachElement(&s, func(first, second wide) bool {
			at[[2]int64{first.narrow(), second.narrow()}]++
			return true
		})
	}
	return at
}

// A block that is split is the same elements, in parts that have some, none across the border.
func TestSplit(t *testing.T) {
	split := 0
	for seed := range uint64(20000) {
		d := draw(seed)
		b, c := d.block().ascending(0), cutter{proofBudget}
		lo, hi := b.span(0)
		if lo == hi {
			continue
		}
		split++
		border := lo + 1 + d.upTo(hi-lo-1)
		parts := c.split(b, 0, border)
		if got, want := elements(parts...), elements(b); !maps.Equal(got, want) {
			t.Fatalf("seed %d: %+v at %d: got %v, want %v", seed, b, border, got, want)
		}
		for _, part := range parts {
			if lo, hi := part.span(0); lo > hi || lo < border && hi >= border {
				t.Fatalf("seed %d: %+v at %d: a part stands from %d to %d", seed, b, border, lo, hi)
			}
		}
	}
	if split < 10000 {
		t.Errorf("%d blocks were split", split)
	}
}

// A block whose rows all lie across a border is split for as long as the budget lasts.
func TestSplitWithinABudget(t *testing.T) {
	c := cutter{1 << 12}
	if parts := c.split(newBlock([]int64{1 << 30, 1 << 30}, plan.View{Strides: []int64{1, 1}}), 0, 1<<30); c.budget >= 0 {
		t.Errorf("%d parts, and %d left of the budget", len(parts), c.budget)
	}
}

// A block that is cut is the same elements, in boxes each of whose axes counts a digit, wherever the budget lasts.
func TestCut(t *testing.T) {
	cuts := 0
	for seed := range uint64(4000) {
		d := draw(seed)
		b, r := d.block(), radixOf(0, []int64{1 + d.upTo(9)}, []int64{1 + d.upTo(9), 1 + d.upTo(30)})
		c := cutter{proofBudget}
		boxes := c.cut(b, 0, r)
		taken := proofBudget - c.budget
		short := cutter{d.IntN(taken + 1)}
		enough := short.budget == taken
		if short.cut(b, 0, r); enough != (short.budget >= 0) {
			t.Fatalf("seed %d: %+v in %v: takes %d, of a budget of it all or less %d are left", seed, b, r, taken, short.budget)
		}
		var parts []block
		for _, box := range boxes {
			parts = append(parts, box.block)
			lo, hi := box.span(0)
			last := make([]int64, len(box.lo))
			for digit := range last {
				last[digit] = box.lo[digit] + box.extent[digit] - 1
			}
			if !slices.Equal(r.digits(lo), box.lo) || !slices.Equal(r.digits(hi), last) {
				t.Fatalf("seed %d: %+v in %v: a box from %v, %v, stands from %d to %d", seed, b, r, box.lo, box.extent, lo, hi)
			}
		}
		if got, want := elements(parts...), elements(b); !maps.Equal(got, want) {
			t.Fatalf("seed %d: %+v in %v: got %v, want %v", seed, b, r, got, want)
		}
		if len(boxes) > 1 {
			cuts++
		}
	}
	if cuts < 1000 {
		t.Errorf("%d blocks were cut", cuts)
	}
}

// What stands at an address is counted as by looking at each element, wherever the budget lasts.
func TestStanding(t *testing.T) {
	for seed := range uint64(20000) {
		d := draw(seed)
		b, c := d.block(), cutter{probeBudget}
		_, hi := b.span(1)
		address := d.upTo(hi + 2)
		want := int64(0)
		for at, n := range elements(b) {
			if at[1] == address {
				want += n
			}
		}
		if got := c.standing(b, 1, address); got != want {
			t.Fatalf("seed %d: %+v at %d: got %d, want %d", seed, b, address, got, want)
		}
		taken := probeBudget - c.budget
		short := cutter{d.IntN(taken + 1)}
		enough := short.budget == taken
		if got := short.standing(b, 1, address); enough != (short.budget >= 0) || enough && got != want {
			t.Fatalf("seed %d: %+v at %d: got %d, want %d, of a budget of %d all but %d", seed, b, address, got, want, taken, short.budget)
		}
	}
}

// A block with axes joined is the same elements. An axis folded is joined again; one whose sides fold unalike is not.
func TestJoined(t *testing.T) {
	for seed := range uint64(20000) {
		b := draw(seed).block()
		if got, want := elements(b.joined()), elements(b); !maps.Equal(got, want) {
			t.Fatalf("seed %d: %+v: got %v, want %v", seed, b, got, want)
		}
	}
	run := newBlock([]int64{24}, plan.View{Offset: 5, Strides: []int64{2}}, plan.View{Strides: []int64{3}})
	folded := run.folded(0, 12).folded(0, 4)
	if got := folded.joined(); len(folded.shape) != 3 || !slices.Equal(got.shape, run.shape) {
		t.Errorf("%v joins to %v", folded.shape, got.shape)
	}
	folded.sides[1].Strides[1]++
	if got := folded.joined(); len(got.shape) < 2 {
		t.Errorf("strides %v are joined", folded.sides[1].Strides)
	}
}

// A flat shard of blocks 5, 3 and 2 wide is three regions, and a run over all of them is cut at their ends.
func TestRegions(t *testing.T) {
	dense := func(offset, rows, width int64) block {
		return newBlock([]int64{rows, width}, plan.View{Offset: offset, Strides: []int64{width, 1}}, plan.View{Strides: []int64{10, 1}})
	}
	t3 := regionsOf([]block{dense(8e9, 1e9, 2), dense(0, 1e9, 5), dense(5e9, 1e9, 3)})
	t3.number([]footprint{{lo: 5e9 - 1, hi: 5e9, strides: []int64{7, 15}}})
	want := []struct {
		start, end int64
		units      []int64
	}{{0, 5e9, []int64{15, 5, 1}}, {5e9, 8e9, []int64{15, 3, 1}}, {8e9, 10e9, []int64{2, 1}}}
	if len(t3) != len(want) {
		t.Fatalf("got %d regions, want %d", len(t3), len(want))
	}
	for i, w := range want {
		if t3[i].start != w.start || t3[i].end != w.end || !slices.Equal(t3[i].units, w.units) {
			t.Errorf("region %d: got %d to %d in %v, want %+v", i, t3[i].start, t3[i].end, t3[i].units, w)
		}
	}
	c, sizes := cutter{proofBudget}, map[int64]int64{}
	c.among(newBlock([]int64{10e9 - 2}, plan.View{Offset: 1, Strides: []int64{1}}), 0, t3, func(r *region, b boxed) {
		sizes[r.start] += volume(b.shape)
	})
	if want := map[int64]int64{0: 5e9 - 1, 5e9: 3e9, 8e9: 2e9 - 1}; !maps.Equal(sizes, want) {
		t.Errorf("a run is cut into %v, want %v", sizes, want)
	}
}
