package oracle

import (
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// A radix writes addresses from a start on as digits: digit d counts units[d], and the digits below it make up
// what is less than one. Units descend to 1, each a multiple of the next. So addresses ascend as their digits do.
type radix struct {
	start int64
	units []int64
}

// radixOf is a radix in which each stride counts one digit, as far as strides divide each other: those of the
// first list before those of the second, and short ones before long ones.
func radixOf(start int64, first, second []int64) radix {
	units := []int64{1}
	for _, strides := range [][]int64{first, second} {
		slices.Sort(strides)
		for _, stride := range slices.Compact(strides) {
			misfits := func(unit int64) bool { return unit == stride || unit%stride != 0 && stride%unit != 0 }
			if stride > 0 && !slices.ContainsFunc(units, misfits) {
				units = append(units, stride)
			}
		}
	}
	slices.Sort(units)
	slices.Reverse(units)
	return radix{start, units}
}

// digits writes an address, which is not below the start.
func (r radix) digits(address int64) []int64 {
	digits := make([]int64, len(r.units))
	address -= r.start
	for d, unit := range r.units {
		digits[d] = address / unit
		address %= unit
	}
	return digits
}

// address reads digits.
func (r radix) address(digits []int64) int64 {
	address := r.start
	for d, digit := range digits {
		address += digit * r.units[d]
	}
	return address
}

// row is how many of a digit, below the topmost, make one of the digit above it.
func (r radix) row(digit int) int64 { return r.units[digit-1] / r.units[digit] }

// fill is how many steps of a stride make one of the lowest digit that some make one of; 0 where there is none.
func (r radix) fill(stride int64) int64 {
	for _, unit := range slices.Backward(r.units) {
		if stride > 0 && unit%stride == 0 {
			return unit / stride
		}
	}
	return 0
}

// A digitBox is a box of digits: those from lo on, extent of each.
type digitBox struct{ lo, extent []int64 }

// meet is what two boxes share; false where that is nothing.
func (a digitBox) meet(b digitBox) (shared digitBox, ok bool) {
	if !a.meets(b) {
		return digitBox{}, false
	}
	shared = digitBox{make([]int64, len(a.lo)), make([]int64, len(a.lo))}
	for d := range a.lo {
		shared.lo[d] = max(a.lo[d], b.lo[d])
		shared.extent[d] = min(a.lo[d]+a.extent[d], b.lo[d]+b.extent[d]) - shared.lo[d]
	}
	return shared, true
}

func (a digitBox) meets(b digitBox) bool {
	for d := range a.lo {
		if a.lo[d] >= b.lo[d]+b.extent[d] || b.lo[d] >= a.lo[d]+a.extent[d] {
			return false
		}
	}
	return true
}

// without is the rest of a box, in boxes, when a part of it is taken out.
func (a digitBox) without(part digitBox) (rest []digitBox) {
	left := digitBox{slices.Clone(a.lo), slices.Clone(a.extent)}
	for d := range a.lo {
		end, partEnd := left.lo[d]+left.extent[d], part.lo[d]+part.extent[d]
		if left.lo[d] < part.lo[d] {
			rest = append(rest, left.with(d, left.lo[d], part.lo[d]))
		}
		if partEnd < end {
			rest = append(rest, left.with(d, partEnd, end))
		}
		left.lo[d], left.extent[d] = part.lo[d], part.extent[d]
	}
	return rest
}

// with is the box with other ends on one digit.
func (a digitBox) with(digit int, lo, hi int64) digitBox {
	a = digitBox{slices.Clone(a.lo), slices.Clone(a.extent)}
	a.lo[digit], a.extent[digit] = lo, hi-lo
	return a
}

// has reports whether the box has an address, written in digits.
func (a digitBox) has(digits []int64) bool {
	for d, digit := range digits {
		if digit < a.lo[d] || digit >= a.lo[d]+a.extent[d] {
			return false
		}
	}
	return true
}

// A boxed is a block that is a box of digits on one side: each axis counts a digit of its own, and never
// carries into the next.
type boxed struct {
	block
	digitBox
	axis []int // by digit: the block's axis that counts it, or absent
}

// meet is the part of a that stands, on the side of its box, where b does. It has one side more than a: where
// its elements stand on a side of b. It is false where they do not meet.
func (a boxed) meet(b boxed, side int) (block, bool) {
	shared, ok := a.digitBox.meet(b.digitBox)
	if !ok {
		return block{}, false
	}
	part := a.narrowed(shared)
	view := plan.View{Offset: b.at(shared.lo, side), Strides: make([]int64, len(a.shape))}
	for d, axis := range a.axis {
		if axis != absent && b.axis[d] != absent {
			view.Strides[axis] = b.sides[side].Strides[b.axis[d]]
		}
	}
	return newBlock(part.shape, append(part.sides, view)...), true
}

// narrowed is the part of the block that stands in a part of its box. An axis may be left with extent 1.
func (a boxed) narrowed(part digitBox) block {
	b := a.clone()
	for s := range b.sides {
		b.sides[s].Offset = a.at(part.lo, s)
	}
	for d, axis := range a.axis {
		if axis != absent {
			b.shape[axis] = part.extent[d]
		}
	}
	return b
}

// at is where the element with these digits stands on a side.
func (a boxed) at(digits []int64, side int) int64 {
	address := a.sides[side].Offset
	for d, axis := range a.axis {
		if axis != absent {
			address += (digits[d] - a.lo[d]) * a.sides[side].Strides[axis]
		}
	}
	return address
}

// A cutter cuts blocks into boxes of digits, within a budget of work.
type cutter struct{ budget int }

// spend takes from the budget, and reports whether it lasts.
func (c *cutter) spend(n int) bool {
	c.budget -= n
	return c.budget >= 0
}

// cut cuts a block into boxes of the digits of one side, on which it does not begin below the radix. Axes that
// were folded for the digits of another side are joined first, for folded they may have strides that count
// none of these digits. Where the budget runs out some boxes are missing.
func (c *cutter) cut(b block, side int, r radix) []boxed { return c.boxes(b.joined(), side, r) }

// boxes cuts a block as it stands. An axis whose stride counts no digit is cut into rows that do, as far as they
// go, and into its elements; one whose digit another axis counts too into its elements; one that carries where
// it does.
func (c *cutter) boxes(b block, side int, r radix) []boxed {
	if !c.spend(cutCost * (1 + len(b.shape))) {
		return nil
	}
	digits := len(r.units)
	box := boxed{b, digitBox{r.digits(b.sides[side].Offset), slices.Repeat([]int64{1}, digits)}, slices.Repeat([]int{absent}, digits)}
	for axis, stride := range b.sides[side].Strides {
		if stride < 0 {
			return c.boxes(b.flipped(axis), side, r)
		}
		digit := slices.Index(r.units, stride)
		if digit < 0 {
			if row := r.fill(stride); 0 < row && row < b.shape[axis] {
				return c.carry(b, axis, 0, row, side, r)
			}
			return c.single(b, axis, side, r)
		}
		if other := box.axis[digit]; other != absent {
			if b.shape[other] < b.shape[axis] {
				axis = other
			}
			return c.single(b, axis, side, r)
		}
		box.axis[digit], box.extent[digit] = axis, b.shape[axis]
	}
	for digit := digits - 1; digit > 0; digit-- {
		if row := r.row(digit); box.lo[digit]+box.extent[digit] > row {
			return c.carry(b, box.axis[digit], row-box.lo[digit], row, side, r)
		}
	}
	return []boxed{box}
}

// cutOneByOne is the longest axis that is cut into its elements. No axis of a right plan that was ever drawn
// has to be; one of a wrong plan of large tensors is mostly longer, and then a budget would be spent in vain.
const cutOneByOne = 1 << 12

// single cuts an axis into its elements, or spends the budget where those are too many.
func (c *cutter) single(b block, axis, side int, r radix) (boxes []boxed) {
	if b.shape[axis] > cutOneByOne {
		c.budget = -1
	}
	for i := int64(0); i < b.shape[axis] && c.budget >= 0; i++ {
		boxes = append(boxes, c.boxes(b.sliced(axis, i, 1), side, r)...)
	}
	return boxes
}

// carry cuts an axis at the ends of its digit's rows: what is left of the first row, whole rows, and the rest.
func (c *cutter) carry(b block, axis int, head, row int64, side int, r radix) (boxes []boxed) {
	head %= row
	extent := b.shape[axis]
	whole := (extent - head) / row * row
	if head > 0 {
		boxes = append(boxes, c.boxes(b.sliced(axis, 0, head), side, r)...)
	}
	if whole > 0 {
		boxes = append(boxes, c.boxes(b.sliced(axis, head, whole).folded(axis, row), side, r)...)
	}
	if rest := extent - head - whole; rest > 0 {
		boxes = append(boxes, c.boxes(b.sliced(axis, head+whole, rest), side, r)...)
	}
	return boxes
}
