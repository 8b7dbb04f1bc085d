package layout

import "slices"

// What several families draw alike.

func drawAxis(choose Choose, axes []int) int {
	return axes[choose("axis", 0, int64(len(axes)-1))]
}

// drawRule draws what the width rule reads, for an axis or parts of it.
func drawRule(choose Choose, drawn *Arguments, extent int64) {
	switch choose("width rule", 0, 3) {
	case 1:
		drawn.ExtraLast = 1
	case 2:
		drawn.Grain = choose("grain", 1, 4)
	case 3:
		drawn.KVHeads = drawDivisor(choose, "kv heads", extent, mostBlocks)
	}
}

// drawWidths draws widths of any size that add up to the extent.
func drawWidths(choose Choose, extent int64, degree int) []int64 {
	widths := make([]int64, degree)
	for rank := range degree - 1 {
		widths[rank] = choose("width", 0, extent)
		extent -= widths[rank]
	}
	widths[degree-1] = extent
	return widths
}

// drawSizes draws an axis and the sizes of up to three parts of it.
func drawSizes(choose Choose, shape []int64, axes []int) Arguments {
	axis := drawAxis(choose, axes)
	sizes := make([]int64, choose("parts", 1, 3))
	rest := shape[axis]
	for i := range len(sizes) - 1 {
		sizes[i] = choose("size", 0, rest)
		rest -= sizes[i]
	}
	sizes[len(sizes)-1] = rest
	return Arguments{Axis: axis, Sizes: sizes}
}

// drawDivisor draws a divisor of the extent that is at most most; of 0, any number up to most.
func drawDivisor(choose Choose, label string, extent, most int64) int64 {
	var buffer [mostBlocks]int64
	divisors := buffer[:0]
	for divisor := int64(1); divisor <= most; divisor++ {
		if extent%divisor == 0 {
			divisors = append(divisors, divisor)
		}
	}
	return divisors[choose(label, 0, int64(len(divisors)-1))]
}

// drawHolders draws for each rank the ids from 0 to n-1 that it holds, in an order of its own: every id has
// one holder, and some have two.
func drawHolders(choose Choose, n int64, degree int) [][]int64 {
	ids, last := make([][]int64, degree), int64(degree-1)
	all := make([]int64, int64(degree)*n)
	for rank := range ids {
		ids[rank], all = all[:0:n], all[n:]
	}
	for id := range n {
		holder := choose("holder", 0, last)
		ids[holder] = drawPosition(choose, ids[holder], id)
		if degree > 1 && choose("replicated", 0, 3) == 3 {
			other := (holder + choose("second holder", 1, last)) % int64(degree)
			ids[other] = drawPosition(choose, ids[other], id)
		}
	}
	return ids
}

// drawPosition inserts an id: last, or at any place of the list.
func drawPosition(choose Choose, own []int64, id int64) []int64 {
	if len(own) == 0 {
		return append(own, id)
	}
	fromEnd := choose("place from the last", 0, int64(len(own)))
	return slices.Insert(own, len(own)-int(fromEnd), id)
}
