package oracle

import "github.com/shardproof/shardproof/plan"

// copyStraying runs a segment that may read or write outside its shards, or that has nothing to read from.
// What is read outside counts as a write. What is written outside lands in the guard, or nowhere.
func (r *run) copyStraying(i int) {
	segment := &r.answer.Plan.Segments[i]
	if r.copies[i].source == absent {
		// Its source strides need not fit the extents: it reads nothing, and steps nowhere.
		still := *segment
		still.Source.Strides = make([]int64, len(segment.Shape))
		segment = &still
	}
	eachElement(segment, func(source, target wide) bool {
		r.strayElement(i, source, target)
		return true
	})
}

// eachElement visits the elements of a segment in row-major order until visit is false.
func eachElement(segment *plan.Segment, visit func(source, target wide) bool) {
	var walk func(axis int, source, target wide) bool
	walk = func(axis int, source, target wide) bool {
		if axis == len(segment.Shape) {
			return visit(source, target)
		}
		for range segment.Shape[axis] {
			if !walk(axis+1, source, target) {
				return false
			}
			source = source.plus(segment.Source.Strides[axis])
			target = target.plus(segment.Target.Strides[axis])
		}
		return true
	}
	walk(0, widen(segment.Source.Offset), widen(segment.Target.Offset))
}

// readAddress is where a segment first reads what it writes to an address.
func readAddress(segment *plan.Segment, address int64) (source int64) {
	eachElement(segment, func(from, to wide) bool {
		source = from.narrow()
		return to != widen(address)
	})
	return source
}

func (r *run) strayElement(i int, source, target wide) {
	c := r.copies[i]
	elements := r.target[c.target].elements
	value := outside
	read := c.reads() && source.within(r.source[c.source].elements)
	if read {
		value = r.sourceBuffer[r.sourceBase[c.source]+source.narrow()]
	}
	if target.plus(guardElements).within(elements + 2*guardElements) {
		cell := &r.targetBuffer[r.targetBase[c.target]+target.narrow()]
		cell.value, cell.segment = value, int32(i)
		cell.writes++
		cell.strayed = cell.strayed || !read
	}
	written := target.within(elements)
	if written && (read || c.source == absent) {
		return
	}
	s := sight{
		target: c.target, address: target.narrow(), wanted: NoLabel, found: NoLabel,
		source: c.source, sourceAddress: source.narrow(),
	}
	if c.source == absent {
		s.sourceAddress = 0
	}
	if written {
		s.wanted = int64(r.cellsOf(c.target)[s.address].wanted)
	}
	r.noteStray(s)
}

// noteStray keeps the first element that strays; the plan's order tells between equals.
func (r *run) noteStray(s sight) {
	if r.wrong[isBounds].detail == "" || s.before(&r.firstStray) {
		r.firstStray = s
		r.wrong[isBounds] = r.strayed(s)
	}
}
