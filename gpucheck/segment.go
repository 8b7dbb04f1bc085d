package gpucheck

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/shardproof/shardproof/gpucheck/kernel"
	"github.com/shardproof/shardproof/oracle"
	"github.com/shardproof/shardproof/plan"
)

// A segment is a plan's segment that may be launched: its shards are found, and it stays inside them.
type segment struct {
	source, target int // indexes of shards
	axes           []axis
	sourceOffset   int64
	targetOffset   int64
}

type axis struct{ extent, source, target int64 }

// volumeLimit is how many times what the targets hold a plan may write to be launched. A plan over it writes some
// element twice, and could keep a device busy for ever.
const volumeLimit = 16

// resolve makes the segments of a plan, or finds why it must not be launched. The arithmetic is exact: the addresses
// of a segment are affine in its index, so they lie between the two corners' that add up only steps of one sign.
func (s *subject) resolve(p plan.Plan) *Finding {
	elements := int64(0)
	for _, shard := range s.targets {
		elements += shard.elements
	}
	volume := int64(0)
	for i, from := range p.Segments {
		resolved, finding := s.resolveSegment(from)
		if finding != nil {
			finding.Detail = fmt.Sprintf("segment %d: %s", i, finding.Detail)
			return finding
		}
		writes, ok := plan.Elements(from.Shape)
		if volume += writes; !ok || volume < 0 || volume/volumeLimit > elements {
			return &Finding{Clause: oracle.Once, Detail: fmt.Sprintf(
				"segments 0 to %d write %d elements where the targets hold %d: not launched", i, volume, elements)}
		}
		s.segments = append(s.segments, resolved)
	}
	return nil
}

func (s *subject) resolveSegment(from plan.Segment) (segment, *Finding) {
	source, ok := indexOf(s.sources, from.Source.Rank)
	if !ok {
		return segment{}, invalid("source rank %d does not exist", from.Source.Rank)
	}
	target, ok := indexOf(s.targets, from.Target.Rank)
	if !ok {
		return segment{}, invalid("target rank %d does not exist", from.Target.Rank)
	}
	axes := len(from.Shape)
	if len(from.Source.Strides) != axes || len(from.Target.Strides) != axes || axes > kernel.MaxAxes {
		return segment{}, invalid("%d extents, %d source strides, %d target strides, at most %d each",
			axes, len(from.Source.Strides), len(from.Target.Strides), kernel.MaxAxes)
	}
	for _, extent := range from.Shape {
		if extent < 1 {
			return segment{}, invalid("extent %d", extent)
		}
	}
	if f := outside("reads source", from.Source, from.Shape, s.sources[source].elements); f != nil {
		return segment{}, f
	}
	if f := outside("writes target", from.Target, from.Shape, s.targets[target].elements); f != nil {
		return segment{}, f
	}
	resolved := segmentOf(from.Shape, from.Source.View, from.Target.View)
	resolved.source, resolved.target = source, target
	return resolved, nil
}

// segmentOf is a copy from one view to another, between shards that are yet to be said.
func segmentOf(shape []int64, source, target plan.View) segment {
	s := segment{sourceOffset: source.Offset, targetOffset: target.Offset}
	for i, extent := range shape {
		s.axes = append(s.axes, axis{extent, source.Strides[i], target.Strides[i]})
	}
	return s
}

func invalid(format string, arguments ...any) *Finding {
	return &Finding{Clause: oracle.Valid, Detail: fmt.Sprintf(format, arguments...) + ": not launched"}
}

func indexOf(shards []labelled, rank int) (int, bool) {
	for i, shard := range shards {
		if shard.rank == rank {
			return i, true
		}
	}
	return 0, false
}

// outside finds that a side of a segment leaves its shard.
func outside(what string, at plan.Endpoint, shape []int64, elements int64) *Finding {
	if inside(at.View, shape, elements) {
		return nil
	}
	lo, hi, ok := reach(at.View, shape)
	where := fmt.Sprintf("addresses %d to %d", lo, hi)
	if !ok {
		where = "addresses past 64 bits"
	}
	return &Finding{Clause: oracle.Bounds, Rank: at.Rank, Detail: fmt.Sprintf(
		"%s rank %d at %s of %d: not launched", what, at.Rank, where, elements)}
}

// inside reports whether a view with extents of at least 1 stays inside so many elements.
func inside(v plan.View, shape []int64, elements int64) bool {
	lo, hi, ok := reach(v, shape)
	return ok && lo >= 0 && hi < elements
}

// reach is the lowest and the highest address of a view with extents of at least 1; false past int64.
func reach(v plan.View, shape []int64) (lo, hi int64, ok bool) {
	lo, hi, ok = v.Offset, v.Offset, true
	for i, extent := range shape {
		step, fits := multiply(extent-1, v.Strides[i])
		if step < 0 {
			ok = ok && fits && lo >= math.MinInt64-step
			lo += step
		} else {
			ok = ok && fits && hi <= math.MaxInt64-step
			hi += step
		}
	}
	return lo, hi, ok
}

// multiply is n*step for n >= 0; false past int64.
func multiply(n, step int64) (int64, bool) {
	size := uint64(step)
	if step < 0 {
		size = -size
	}
	high, low := bits.Mul64(uint64(n), size)
	return n * step, high == 0 && low <= math.MaxInt64
}

// merged is the axes with those of extent 1 left out and with neighbours joined where one continues the other on both
// sides: the same copies in the same places, in longer runs.
func merged(axes []axis) []axis {
	var out []axis
	for _, inner := range axes {
		if inner.extent == 1 {
			continue
		}
		if len(out) > 0 {
			outer := &out[len(out)-1]
			if outer.source == inner.extent*inner.source && outer.target == inner.extent*inner.target {
				*outer = axis{outer.extent * inner.extent, inner.source, inner.target}
				continue
			}
		}
		out = append(out, inner)
	}
	return out
}

// reads is the lowest and the highest address that a segment inside its shards reads.
func (s segment) reads() (lo, hi int64) {
	lo, hi = s.sourceOffset, s.sourceOffset
	for _, a := range s.axes {
		step := (a.extent - 1) * a.source
		lo, hi = lo+min(step, 0), hi+max(step, 0)
	}
	return lo, hi
}

// writes is the lowest and the highest address that it writes.
func (s segment) writes() (lo, hi int64) {
	lo, hi = s.targetOffset, s.targetOffset
	for _, a := range s.axes {
		step := (a.extent - 1) * a.target
		lo, hi = lo+min(step, 0), hi+max(step, 0)
	}
	return lo, hi
}

// volume is how many elements a segment copies.
func (s segment) volume() int64 {
	volume := int64(1)
	for _, a := range s.axes {
		volume *= a.extent
	}
	return volume
}

// sliced is the indexes of one axis from i on, n of them.
func (s segment) sliced(along int, i, n int64) segment {
	a := s.axes[along]
	s.sourceOffset += i * a.source
	s.targetOffset += i * a.target
	s.axes = slices.Clone(s.axes)
	s.axes[along].extent = n
	return s
}

// each visits the source and the target address of every element.
func (s segment) each(visit func(source, target int64)) {
	if len(s.axes) == 0 {
		visit(s.sourceOffset, s.targetOffset)
		return
	}
	for i := range s.axes[0].extent {
		slice := s.sliced(0, i, 1)
		slice.axes = slice.axes[1:]
		slice.each(visit)
	}
}
