package layout

import (
	"fmt"

	"github.com/shardproof/shardproof/plan"
)

var fused = Family{
	Name:       "fused",
	Doc:        "an axis of several sub-parameters (q, k and v, or gate and up), each split by its own widths",
	Parameters: []string{"shape", "widths", "axis", "sizes", "replicated", "degree", "kv-heads", "grain", "extra-last"},
	Axes:       1,
	Grain:      anyExtent,
	draw:       drawFused,
	build:      buildFused,
}

// A Part is one sub-parameter of a fused axis: an interval that is split, or that every rank holds whole.
type Part struct {
	Widths     []int64   // each rank's; nil: Size is divided by the Rule
	Size       int64     // read only where Widths is nil
	Rule       WidthRule // likewise
	Replicated bool      // each rank holds all of Size, and neither Widths nor the Rule is read
}

// Fused is the map of an axis that is part 0, part 1 and so on. Each is divided over the ranks on its own,
// and a shard is its rank's slice of each part in turn. A slice of width 0 is an empty piece.
//
// It is an error where the parts do not add up to the axis, where a part has not as many widths as there are
// ranks, and where a width or a size is negative.
func Fused(shape []int64, axis, degree int, parts []Part) (plan.Map, error) {
	if err := firstError(checkAxis(shape, axis), checkDegree(degree)); err != nil {
		return plan.Map{}, err
	}
	var buffer [32]run
	runs := buffer[:0]
	if n := degree * len(parts); n > len(buffer) {
		runs = make([]run, 0, n)
	}
	runs = runs[:degree*len(parts)]
	end := int64(0)
	for i, part := range parts {
		var err error
		if end, err = part.divide(runs[i:], len(parts), degree, end); err != nil {
			return plan.Map{}, fmt.Errorf("part %d: %w", i, err)
		}
	}
	if end != shape[axis] {
		return plan.Map{}, fmt.Errorf("the parts add up to %d, axis %d of F has %d", end, axis, shape[axis])
	}
	placed, err := place(end, degree, runs, 0)
	if err != nil {
		return plan.Map{}, fmt.Errorf("axis %d: %w", axis, err)
	}
	return placed.alongAxis(shape, axis), nil
}

// divide fills in the run of rank r at runs[r*step], from a position of the axis on, and returns where the
// part ends.
func (p Part) divide(runs []run, step, degree int, from int64) (end int64, err error) {
	var buffer [16]int64
	widths := p.Widths
	switch {
	case p.Replicated:
		end, ok := add(from, p.Size)
		if !ok {
			return 0, fmt.Errorf("size %d, want 0 to %d", p.Size, maxInt64-from)
		}
		for rank := range degree {
			runs[rank*step] = run{rank, from, end}
		}
		return end, nil
	case widths == nil:
		if err := p.Rule.check(p.Size); err != nil {
			return 0, err
		}
		widths = p.Rule.widths(zeros(buffer[:], degree), p.Size)
	case len(widths) != degree:
		return 0, fmt.Errorf("%d widths, want one for each of %d ranks", len(widths), degree)
	}
	end = from
	for rank, width := range widths {
		next, ok := add(end, width)
		if !ok {
			return 0, fmt.Errorf("rank %d: width %d, want 0 to %d", rank, width, maxInt64-end)
		}
		runs[rank*step] = run{rank, end, next}
		end = next
	}
	return end, nil
}

// zeros is n zeros, in the buffer where that is large enough.
func zeros(buffer []int64, n int) []int64 {
	if n > len(buffer) {
		return make([]int64, n)
	}
	clear(buffer[:n])
	return buffer[:n]
}

func buildFused(a Arguments) (plan.Map, error) {
	parts, err := a.parts()
	if err != nil {
		return plan.Map{}, err
	}
	return Fused(a.Shape, a.Axis, a.Degree, parts)
}

// parts reads sizes, widths and replicated as parts. A part has its widths, where there are any, or else its
// size.
func (a Arguments) parts() ([]Part, error) {
	if a.Sizes != nil && a.Widths != nil && len(a.Sizes) != len(a.Widths) {
		return nil, fmt.Errorf("%d sizes and %d lists of widths", len(a.Sizes), len(a.Widths))
	}
	parts := make([]Part, max(len(a.Sizes), len(a.Widths)))
	for i := range parts {
		parts[i].Rule = a.rule()
		if a.Sizes != nil {
			parts[i].Size = a.Sizes[i]
		}
		if a.Widths != nil && len(a.Widths[i]) > 0 {
			parts[i].Widths = a.Widths[i]
		}
	}
	for _, i := range a.Replicated {
		if i < 0 || i >= int64(len(parts)) {
			return nil, fmt.Errorf("part %d is to be replicated, and there are %d parts", i, len(parts))
		}
		parts[i].Replicated = true
	}
	return parts, nil
}

func drawFused(choose Choose, shape []int64, degree int, axes []int) Arguments {
	drawn := drawSizes(choose, shape, axes)
	if choose("own widths", 0, 1) == 1 {
		drawn.Widths = make([][]int64, len(drawn.Sizes))
		for i, size := range drawn.Sizes {
			drawn.Widths[i] = drawWidths(choose, size, degree)
		}
	} else {
		drawRule(choose, &drawn, 0)
	}
	if len(drawn.Sizes) > 1 && choose("replicated part", 0, 3) == 3 {
		drawn.Replicated = []int64{choose("which part", 0, int64(len(drawn.Sizes)-1))}
	}
	return drawn
}
