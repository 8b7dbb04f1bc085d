package layout

import (
	"errors"

	"github.com/shardproof/shardproof/plan"
)

var segmented = Family{
	Name:       "segmented",
	Doc:        "an axis of segments, some split and some whole on every rank (GPTBigCode, StarCoder: q, then k-v)",
	Parameters: []string{"shape", "sizes", "degree", "axis", "replicated", "kv-heads", "grain", "extra-last"},
	Axes:       1,
	Grain:      anyExtent,
	draw:       drawSegmented,
	build: func(a Arguments) (plan.Map, error) {
		parts, err := a.parts()
		if err == nil && a.Widths != nil {
			err = errors.New("a segment is split by the width rule; fused takes widths")
		}
		if err != nil {
			return plan.Map{}, err
		}
		return Fused(a.Shape, a.Axis, a.Degree, parts)
	},
}

// BigCode is the map of a fused qkv weight with one key and one value head: the q rows are split by the width
// rule, the kv rows after them are whole on every rank.
//
// On the last rank q and kv touch in F, and yet are two pieces where there is more than one rank: one rank
// holds the one, every rank the other.
func BigCode(shape []int64, kv int64, degree int) (plan.Map, error) {
	if err := checkAxis(shape, 0); err != nil {
		return plan.Map{}, err
	}
	return Fused(shape, 0, degree, []Part{{Size: shape[0] - kv}, {Size: kv, Replicated: true}})
}

func drawSegmented(choose Choose, shape []int64, _ int, axes []int) Arguments {
	drawn := drawSizes(choose, shape, axes)
	last := int64(len(drawn.Sizes) - 1)
	drawn.Replicated = []int64{last - choose("replicated segment from the last", 0, last)}
	return drawn
}
