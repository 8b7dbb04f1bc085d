package layout

import (
	"fmt"

	"github.com/shardproof/shardproof/plan"
)

var contiguous = Family{
	Name:       "contiguous",
	Doc:        "one axis split in order, by the width rule or by given widths",
	Parameters: []string{"shape", "degree", "axis", "widths", "kv-heads", "grain", "extra-last"},
	Axes:       1,
	Grain:      anyExtent,
	draw:       drawContiguous,
	build:      buildContiguous,
}

// Contiguous is the map in which rank r holds the r-th interval of an axis, widths[r] long. Widths of 0 are
// legal, and leave an empty piece.
func Contiguous(shape []int64, axis int, widths []int64) (plan.Map, error) {
	return Fused(shape, axis, len(widths), []Part{{Widths: widths}})
}

func buildContiguous(a Arguments) (plan.Map, error) {
	if len(a.Widths) > 1 {
		return plan.Map{}, fmt.Errorf("%d lists of widths, want 1", len(a.Widths))
	}
	if len(a.Widths) == 1 {
		return Contiguous(a.Shape, a.Axis, a.Widths[0])
	}
	if err := checkAxis(a.Shape, a.Axis); err != nil {
		return plan.Map{}, err
	}
	return Fused(a.Shape, a.Axis, a.Degree, []Part{{Size: a.Shape[a.Axis], Rule: a.rule()}})
}

func drawContiguous(choose Choose, shape []int64, degree int, axes []int) Arguments {
	axis := drawAxis(choose, axes)
	drawn := Arguments{Axis: axis}
	if choose("own widths", 0, 1) == 1 {
		drawn.Widths = [][]int64{drawWidths(choose, shape[axis], degree)}
	} else {
		drawRule(choose, &drawn, shape[axis])
	}
	return drawn
}
