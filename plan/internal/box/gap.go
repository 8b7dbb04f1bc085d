package box

import "slices"

// Gap looks for a part of region that no box covers. It returns the lowest one that it finds, and false
// where the boxes cover the region. The answer does not depend on the order of the boxes.
//
// It cuts the region at the boxes' own bounds until each part is in one box or in none. That is fast for
// boxes that hardly overlap and can take very long for many that all do, so work bounds the number of times
// that a box is looked at. What is left of it is returned: less than 0 where the search was given up, and
// then found is false.
func Gap(region Box, boxes []Box, work int) (gap Box, found bool, left int) {
	c := cutter{boxes: boxes, work: work}
	ids := make([]int32, len(boxes))
	for i := range ids {
		ids[i] = int32(i)
	}
	gap, found = c.gap(region, ids)
	return gap, found, c.work
}

type cutter struct {
	boxes  []Box
	work   int
	bounds []int64
}

func (c *cutter) gap(region Box, ids []int32) (Box, bool) {
	if c.work -= len(ids); c.work < 0 {
		return Box{}, false
	}
	var meeting []int32
	for _, id := range ids {
		if c.boxes[id].Contains(region) {
			return Box{}, false
		}
		if c.boxes[id].Meets(region) {
			meeting = append(meeting, id)
		}
	}
	if len(meeting) == 0 {
		return region, true
	}
	axis, at := c.bestCut(region, meeting)
	lower, upper := cut(region, axis, at)
	if gap, found := c.gap(lower, meeting); found || c.work < 0 {
		return gap, found
	}
	return c.gap(upper, meeting)
}

// bestCut is a bound of some box inside the region, on the axis where the middle one cuts the fewest boxes, so
// that the two parts have the fewest together. A box that meets the region without containing it has such a bound.
func (c *cutter) bestCut(region Box, ids []int32) (axis int, at int64) {
	least := -1
	for k := range region.Lo {
		middle, inside := c.middleBound(region, ids, k)
		if !inside {
			continue
		}
		cut := 0
		for _, id := range ids {
			if c.boxes[id].Lo[k] < middle && middle < c.boxes[id].Hi(k) {
				cut++
			}
		}
		if least < 0 || cut < least {
			axis, at, least = k, middle, cut
		}
	}
	return axis, at
}

func (c *cutter) middleBound(region Box, ids []int32, axis int) (int64, bool) {
	c.bounds = c.bounds[:0]
	for _, id := range ids {
		for _, bound := range [2]int64{c.boxes[id].Lo[axis], c.boxes[id].Hi(axis)} {
			if region.Lo[axis] < bound && bound < region.Hi(axis) {
				c.bounds = append(c.bounds, bound)
			}
		}
	}
	if len(c.bounds) == 0 {
		return 0, false
	}
	slices.Sort(c.bounds)
	return c.bounds[len(c.bounds)/2], true
}

func cut(region Box, axis int, at int64) (lower, upper Box) {
	lower = Box{Lo: region.Lo, Shape: slices.Clone(region.Shape)}
	lower.Shape[axis] = at - region.Lo[axis]
	upper = Box{Lo: slices.Clone(region.Lo), Shape: slices.Clone(region.Shape)}
	upper.Lo[axis], upper.Shape[axis] = at, region.Hi(axis)-at
	return lower, upper
}
