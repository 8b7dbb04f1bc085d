package oracle

import (
	"fmt"
	"slices"
	"sync"

	"github.com/shardproof/shardproof/plan"
)

// Execute runs a plan on labelled shards and judges what it leaves.
//
// Source and target shards stand at non-zero offsets of larger buffers, between guards. Buffers hold values
// that are no label until a segment writes them, and the writes of each target element are counted. A plan
// that moves several times what the target holds is not run: its addresses and its volume are judged alone,
// and the rest is unknown. So it is where a map is none, or larger than MaxElements.
func Execute(request plan.Request, answer plan.Answer) Evidence {
	r := idle.Get().(*run)
	r.inspect(request, answer)
	if p := r.lay(); p != "" {
		r.unknowable(isBounds, p)
	} else if r.worthRunning(r.targetElements) {
		r.copyAll()
		r.checkBuffers()
		r.checkElements()
	}
	evidence := r.judge()
	r.release()
	return evidence
}

// A run is one execution, and the buffers that the next one uses again.
type run struct {
	look
	walk rows

	sourceBuffer, laid []int32 // the shards with their guards, one after the other; and as they were laid
	sourceBase         []int64 // where each shard starts
	targetBuffer       []cell
	targetBase         []int64
	targetElements     int64

	holders holders
	due     []due // for the target shard at hand, by holder set
	ranks   []int // scratch

	firstStray sight // what bounds tells of
}

// idle runs keep their buffers from one execution to the next. Nothing else survives.
var idle = sync.Pool{New: func() any { return new(run) }}

// keptElements is the most elements of buffers that are kept for the next execution.
const keptElements = 1 << 16

func (r *run) release() {
	r.request, r.answer = plan.Request{}, plan.Answer{}
	clear(r.source)
	clear(r.target)
	if cap(r.sourceBuffer)+cap(r.targetBuffer)+cap(r.holders.of) <= keptElements {
		idle.Put(r)
	}
}

func (r *run) lay() problem {
	if p := r.sameShape(); p != "" {
		return p
	}
	if p := r.laySource(); p != "" {
		return p
	}
	return r.layTarget()
}

// A plan is run when it moves at most this many times what the target holds, and some more. A right plan
// moves it once.
const (
	runTimes = 4
	runMore  = 1 << 12
)

// worthRunning finds the segments that stray, and whether the plan is to be run; if not, it is judged here by
// its addresses and its volume alone.
func (l *look) worthRunning(elements int64) bool {
	total, stray := l.findStrays()
	if total <= add(multiply(runTimes, elements), runMore) {
		return true
	}
	l.tooLong(total, elements, stray)
	return false
}

// findStrays marks the segments that reach outside their shards. It returns the elements that all segments
// write and the first segment that strays, or absent.
func (l *look) findStrays() (total int64, first int) {
	first = absent
	for i := range l.copies {
		c, segment := &l.copies[i], &l.answer.Plan.Segments[i]
		if !c.writes() {
			continue
		}
		total = add(total, c.volume)
		c.strays = !inside(segment.Shape, segment.Target.Offset, segment.Target.Strides, l.target[c.target].elements) ||
			c.source != absent && !inside(segment.Shape, segment.Source.Offset, segment.Source.Strides, l.source[c.source].elements)
		if c.strays && first == absent {
			first = i
		}
	}
	return total, first
}

// reachesOutside says that a segment strays where its elements are not looked at.
const reachesOutside = "segment %d reaches outside its shards"

// tooLong judges a plan that is not run. More writes than there are elements, none of them outside, write
// some element twice.
func (l *look) tooLong(total, elements int64, stray int) {
	why := fmt.Sprintf("not run: the segments write %d elements or more, the target shards hold %d", total, elements)
	if stray != absent {
		l.wrong[isBounds].detail = fmt.Sprintf(reachesOutside, stray)
	} else if l.fault == "" {
		l.wrong[isOnce].detail = fmt.Sprintf("the segments write %d elements or more, the target shards hold %d", total, elements)
	}
	l.unknowable(isCover, why)
}

// copyAll runs every segment, in the plan's order.
func (r *run) copyAll() {
	for i, c := range r.copies {
		switch {
		case !c.writes():
		case c.strays || !c.reads():
			r.copyStraying(i)
		default:
			r.copyInside(i)
		}
	}
}

// copyInside runs a segment that stays inside its shards.
func (r *run) copyInside(i int) {
	segment, c := &r.answer.Plan.Segments[i], r.copies[i]
	source, cells := r.sourceOf(c), r.cellsOf(c.target)
	offsets := [2]int64{segment.Source.Offset, segment.Target.Offset}
	more := r.walk.start(segment.Shape, offsets, segment.Source.Strides, segment.Target.Strides)
	for ; more; more = r.walk.next() {
		from, to := r.walk.first[0], r.walk.first[1]
		for range r.walk.count {
			cell := &cells[to]
			cell.value = source[from]
			cell.segment = int32(i)
			cell.writes++
			from += r.walk.step[0]
			to += r.walk.step[1]
		}
	}
}

func (r *run) sourceOf(c copyAt) []int32 {
	base := r.sourceBase[c.source]
	return r.sourceBuffer[base : base+r.source[c.source].elements]
}

func (r *run) cellsOf(target int32) []cell {
	base := r.targetBase[target]
	return r.targetBuffer[base : base+r.target[target].elements]
}

// checkBuffers holds the executor to its own rules: a segment writes into its target shard, and a plan
// none of whose segments strays leaves everything else as it was laid.
func (r *run) checkBuffers() {
	if !slices.Equal(r.sourceBuffer, r.laid) {
		panic("oracle: a plan changed the source shards")
	}
	if r.wrong[isBounds].detail != "" {
		return
	}
	for at, shard := range r.target {
		base := r.targetBase[at]
		for i := range int64(guardElements) {
			if r.targetBuffer[base-1-i].writes != 0 || r.targetBuffer[base+shard.elements+i].writes != 0 {
				r.wrong[isBounds] = wrong{detail: fmt.Sprintf("target rank %d: the guard round the shard was written", shard.Rank)}
				return
			}
		}
	}
}

// checkElements finds the first wrong element of each clause. An element is wrong by the first clause that
// it breaks, and by no other.
func (r *run) checkElements() {
	r.forgetDue()
	for at := range r.target {
		if byTarget(&r.request.Selector) {
			r.forgetDue()
		}
		r.checkShard(int32(at))
	}
}

func (r *run) checkShard(at int32) {
	cells := r.cellsOf(at)
	// Neighbours mostly have one set of holders and come from one segment, and so are allowed together.
	allowedSet, allowedSegment := int32(absent), int32(absent)
	for address := range cells {
		c := &cells[address]
		if c.writes == 1 && c.value == c.wanted && !c.strayed {
			set := r.holders.of[c.wanted]
			if set == allowedSet && c.segment == allowedSegment {
				continue
			}
			if r.allowed(at, set, c.segment) {
				allowedSet, allowedSegment = set, c.segment
				continue
			}
		}
		r.wrongElement(at, int64(address), c)
	}
}

func (r *run) wrongElement(at int32, address int64, c *cell) {
	s := sight{target: at, address: address, wanted: int64(c.wanted), found: NoLabel, source: absent}
	switch {
	case c.strayed: // by bounds or by valid
	case c.writes == 0:
		r.note(isCover, func() wrong { return r.unwritten(s) })
	case c.writes > 1:
		r.note(isOnce, func() wrong { return r.rewritten(s, int64(c.writes)) })
	case c.value != c.wanted:
		r.note(isValues, func() wrong { return r.mistaken(r.read(s, c)) })
	default:
		r.note(isHolder, func() wrong { return r.misread(r.read(s, c), r.dueOf(at, r.holders.of[c.wanted]).choice) })
	}
}

// note keeps the first wrong element of a clause; they are met in order.
func (r *run) note(clause int, tell func() wrong) {
	if r.wrong[clause].detail == "" {
		r.wrong[clause] = tell()
	}
}

// read adds what was read into an element, and where from.
func (r *run) read(s sight, c *cell) sight {
	s.found = int64(c.value)
	s.source = r.copies[c.segment].source
	s.sourceAddress = readAddress(&r.answer.Plan.Segments[c.segment], s.address)
	return s
}

// A due is the choice for a holder set as the place of a source shard, once it is known.
type due struct {
	known bool
	choice
	source int32 // absent where any or none will do
}

func (r *run) forgetDue() {
	r.due = resized(r.due, int64(len(r.holders.sets)))
	clear(r.due)
}

// allowed reports whether a segment reads from a holder that is due for elements with a set of holders.
func (r *run) allowed(target, set, segment int32) bool {
	d := r.dueOf(target, set)
	return d.any || d.source == r.copies[segment].source
}

func (r *run) dueOf(target, set int32) *due {
	d := &r.due[set]
	if !d.known {
		*d = r.decide(target, set)
	}
	return d
}

func (r *run) decide(target, set int32) due {
	r.ranks = r.holders.ranks(r.ranks, set, r.source)
	d := due{known: true, source: absent, choice: choose(&r.request.Selector, r.target[target].Rank, r.ranks)}
	if !d.any && !d.none {
		d.source = placeOf(r.source, d.rank)
	}
	return d
}
