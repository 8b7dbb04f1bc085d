package layout

import (
	"fmt"

	"github.com/shardproof/shardproof/plan"
)

var headModulo = Family{
	Name:       "head-modulo",
	Doc:        "an axis of equal heads, of which rank r of T takes each T-th from r on",
	Parameters: []string{"shape", "heads", "degree", "axis"},
	Axes:       1,
	Grain:      anyExtent,
	draw: func(choose Choose, shape []int64, _ int, axes []int) Arguments {
		axis := drawAxis(choose, axes)
		return Arguments{Axis: axis, Heads: drawDivisor(choose, "heads", shape[axis], mostBlocks)}
	},
	build: func(a Arguments) (plan.Map, error) { return HeadModulo(a.Shape, a.Axis, a.Heads, a.Degree) },
}

// HeadModulo is the map of an axis of equal heads in which rank r of T holds the heads h with h mod T = r,
// ascending. Where there are fewer heads than ranks, the last ranks hold none.
func HeadModulo(shape []int64, axis int, heads int64, degree int) (plan.Map, error) {
	if err := checkDegree(degree); err != nil {
		return plan.Map{}, err
	}
	if heads < 0 || heads > mostListed {
		return plan.Map{}, fmt.Errorf("%d heads, want 0 to %d", heads, mostListed)
	}
	ids, all := make([][]int64, degree), make([]int64, 0, heads)
	for rank := range ids {
		from := len(all)
		for head := int64(rank); head < heads; head += int64(degree) {
			all = append(all, head)
		}
		ids[rank] = all[from:len(all):len(all)]
	}
	return Gather(shape, axis, heads, ids)
}

// mostListed bounds the blocks that a formula lists for one map: more are a mistake in the arguments, and
// would take memory before anything else finds it.
const mostListed = 1 << 22
