package box

import "slices"

// Join visits every pair of boxes a[i] and b[j] that meet, each pair once, until visit returns false.
//
// The order of the pairs is the same for the same arguments and otherwise not defined: a caller that needs
// an order sorts. The work grows with (n log n) * log n ^ (axes-1) + pairs for n boxes in all, where only
// axes on which the boxes begin at different coordinates count, and log n is of the number of those; so rows
// against rows, or columns against columns, are sorted and swept once. Nothing is allocated for small sets.
func Join(a, b []Box, visit func(i, j int) bool) {
	if len(a)*len(b) <= pairwise*(len(a)+len(b)) {
		joinPairwise(a, b, visit)
		return
	}
	s := sweep{axes: rankAxes(a, b), visit: visit, shift: int32(len(a))}
	first, second := sorted(s.axes, 0, len(a)), sorted(s.axes, len(a), len(a)+len(b))
	top := len(s.axes) - 1
	var lists []int32
	_ = s.descend(top, first, second, false, &lists) && s.descend(top, second, first, true, &lists)
}

// SelfJoin visits every pair of boxes[i] and boxes[j], i < j, that meet, each pair once, until visit returns
// false. Order and work are those of Join.
func SelfJoin(boxes []Box, visit func(i, j int) bool) {
	if len(boxes) <= 2*pairwise {
		selfJoinPairwise(boxes, visit)
		return
	}
	s := sweep{axes: rankAxes(boxes, nil), visit: visit, self: true}
	// One way round is enough: each pair comes up as the box that begins first and the other.
	all := sorted(s.axes, 0, len(boxes))
	var lists []int32
	s.descend(len(s.axes)-1, all, all, false, &lists)
}

// pairwise is the number of boxes a side up to which looking at every pair is faster than sorting.
const pairwise = 24

func joinPairwise(a, b []Box, visit func(i, j int) bool) {
	for i := range a {
		for j := range b {
			if a[i].Meets(b[j]) && !visit(i, j) {
				return
			}
		}
	}
}

func selfJoinPairwise(boxes []Box, visit func(i, j int) bool) {
	for j := range boxes {
		for i := range j {
			if boxes[i].Meets(boxes[j]) && !visit(i, j) {
				return
			}
		}
	}
}

// A sweep finds the pairs among two sets of intervals an axis at a time, as Zomorodian and Edelsbrunner do
// in "Fast software for box intersections" (2002): on the higher axes by a segment tree that is walked and
// never built, on the lowest by a sweep.
type sweep struct {
	axes  []intervals
	visit func(i, j int) bool
	shift int32 // the id of the second set's first box
	self  bool  // both sets are one
}

// intervals are the boxes on one axis. A coordinate is told as the number of smaller coordinates at which a
// box begins, so all axes are dense whatever their extents.
type intervals struct {
	lo, hi []int32 // by box id
	begins int     // number of different coordinates at which boxes begin
}

// rankAxes ranks the coordinates of every axis. Axes on which all boxes begin together are left out: there
// all boxes meet. The axis with the most beginnings comes first, so that the sweep does most of the work.
func rankAxes(a, b []Box) (axes []intervals) {
	n := len(a) + len(b)
	begins := make([]int64, 0, n)
	for axis := range a[0].Lo {
		begins = begins[:0]
		for _, boxes := range [2][]Box{a, b} {
			for i := range boxes {
				begins = append(begins, boxes[i].Lo[axis])
			}
		}
		slices.Sort(begins)
		if begins = slices.Compact(begins); len(begins) > 1 {
			axes = append(axes, rank(axis, begins, a, b))
		}
	}
	slices.SortStableFunc(axes, func(x, y intervals) int { return y.begins - x.begins })
	return axes
}

func rank(axis int, begins []int64, a, b []Box) intervals {
	n := len(a) + len(b)
	ranks := make([]int32, 0, 2*n)
	for _, boxes := range [2][]Box{a, b} {
		for i := range boxes {
			at, _ := slices.BinarySearch(begins, boxes[i].Lo[axis])
			ranks = append(ranks, int32(at))
		}
	}
	for _, boxes := range [2][]Box{a, b} {
		for i := range boxes {
			at, _ := slices.BinarySearch(begins, boxes[i].Hi(axis))
			ranks = append(ranks, int32(at))
		}
	}
	return intervals{lo: ranks[:n:n], hi: ranks[n:], begins: len(begins)}
}

// sorted is the ids from lo to hi in the order in which they begin on the lowest axis.
func sorted(axes []intervals, lo, hi int) []int32 {
	ids := make([]int32, hi-lo)
	for i := range ids {
		ids[i] = int32(lo + i)
	}
	if len(axes) > 0 {
		begin := axes[0].lo
		slices.SortStableFunc(ids, func(x, y int32) int { return int(begin[x] - begin[y]) })
	}
	return ids
}

// descend visits the pairs of a holder and a point that meet on this axis and all lower ones, where the
// point's box begins within the holder's on this axis. The lists are sorted on the lowest axis. Where two
// boxes begin together, the one of the first set holds the other: strict says that the points are of the
// first set. The lists of all calls under way stand on one stack. It is false once a visit was.
func (s *sweep) descend(axis int, holders, points []int32, strict bool, lists *[]int32) bool {
	switch {
	case len(holders) == 0 || len(points) == 0:
		return true
	case axis <= 0:
		return s.sweepLowest(axis, holders, points, strict)
	case min(len(holders), len(points)) <= 4:
		return s.everyPair(axis, holders, points, strict)
	}
	mark := len(*lists)
	defer func() { *lists = (*lists)[:mark] }()

	on := s.axes[axis]
	least, most := bounds(on.lo, points)
	spanning := pick(lists, holders, func(id int32) bool { return on.start(id, strict) <= least && most < on.hi[id] })
	// On this axis these hold every point, so the rest is between the axes below.
	if !s.descend(axis-1, spanning, points, strict, lists) || !s.descend(axis-1, points, spanning, !strict, lists) {
		return false
	}
	others := pick(lists, holders, func(id int32) bool {
		start := on.start(id, strict)
		return start <= most && least < on.hi[id] && (start > least || most >= on.hi[id])
	})
	if len(others) == 0 {
		return true
	}
	middle := least + (most-least)/2
	lower := pick(lists, points, func(id int32) bool { return on.lo[id] <= middle })
	upper := pick(lists, points, func(id int32) bool { return on.lo[id] > middle })
	return s.descend(axis, others, lower, strict, lists) && s.descend(axis, others, upper, strict, lists)
}

// start is the first beginning that box id holds.
func (on intervals) start(id int32, strict bool) int32 {
	if strict {
		return on.lo[id] + 1
	}
	return on.lo[id]
}

// sweepLowest is descend where nothing is left below. Without any axis all boxes meet.
func (s *sweep) sweepLowest(axis int, holders, points []int32, strict bool) bool {
	next := 0
	for _, holder := range holders {
		end := len(points)
		if axis == 0 {
			on := s.axes[0]
			for start := on.start(holder, strict); next < len(points) && on.lo[points[next]] < start; {
				next++
			}
			for end = next; end < len(points) && on.lo[points[end]] < on.hi[holder]; {
				end++
			}
		} else if strict {
			return true
		}
		for _, point := range points[next:end] {
			if !s.pair(holder, point, strict) {
				return false
			}
		}
	}
	return true
}

func (s *sweep) everyPair(axis int, holders, points []int32, strict bool) bool {
	on := s.axes[axis]
	for _, holder := range holders {
		for _, point := range points {
			if on.start(holder, strict) <= on.lo[point] && on.lo[point] < on.hi[holder] &&
				s.meetBelow(axis, holder, point) && !s.pair(holder, point, strict) {
				return false
			}
		}
	}
	return true
}

func (s *sweep) meetBelow(axis int, x, y int32) bool {
	for _, on := range s.axes[:axis] {
		if on.lo[x] >= on.hi[y] || on.lo[y] >= on.hi[x] {
			return false
		}
	}
	return true
}

func (s *sweep) pair(holder, point int32, strict bool) bool {
	first, second := holder, point
	if strict {
		first, second = point, holder
	}
	if s.self {
		return s.pairOfOneSet(first, second)
	}
	return s.visit(int(first), int(second-s.shift))
}

// pairOfOneSet drops a box with itself, and one of the two ways round in which boxes come up that begin
// together on the top axis.
func (s *sweep) pairOfOneSet(first, second int32) bool {
	top := len(s.axes) - 1
	if first == second || first > second && (top < 0 || s.axes[top].lo[first] == s.axes[top].lo[second]) {
		return true
	}
	return s.visit(int(min(first, second)), int(max(first, second)))
}

// pick lists the ids that are wanted, in their order, on top of the stack of lists.
func pick(lists *[]int32, ids []int32, want func(int32) bool) []int32 {
	from := len(*lists)
	for _, id := range ids {
		if want(id) {
			*lists = append(*lists, id)
		}
	}
	return (*lists)[from:len(*lists):len(*lists)]
}

func bounds(values []int32, ids []int32) (least, most int32) {
	least, most = values[ids[0]], values[ids[0]]
	for _, id := range ids {
		least, most = min(least, values[id]), max(most, values[id])
	}
	return least, most
}
