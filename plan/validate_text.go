package plan

import (
	"fmt"
	"strings"

	"github.com/shardproof/shardproof/plan/internal/box"
)

// shapeText writes a shape as 16x8.
func shapeText(shape []int64) string {
	if len(shape) == 0 {
		return "scalar"
	}
	extents := make([]string, len(shape))
	for axis, extent := range shape {
		extents[axis] = fmt.Sprint(extent)
	}
	return strings.Join(extents, "x")
}

// spanText writes a box as [24:32] x [0:8]. Its end may be past int64.
func spanText(lo, shape []int64) string {
	if len(lo) == 0 {
		return "the one element"
	}
	spans := make([]string, len(lo))
	for axis := range lo {
		spans[axis] = fmt.Sprintf("[%d:%d]", lo[axis], uint64(lo[axis])+uint64(shape[axis]))
	}
	return strings.Join(spans, " x ")
}

func boxText(b box.Box) string { return spanText(b.Lo, b.Shape) }

// common is what two boxes that meet have in common.
func common(a, b box.Box) box.Box {
	out := box.Box{Lo: make([]int64, len(a.Lo)), Shape: make([]int64, len(a.Lo))}
	a.Intersect(b, out)
	return out
}
