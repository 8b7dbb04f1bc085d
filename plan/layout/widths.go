package layout

import "fmt"

// A WidthRule is how tensor parallelism divides an axis over ranks. The zero rule divides it as evenly as it
// can, the first ranks holding one more.
//
// Where KVHeads is given and divides the extent, whole heads are divided, the first ranks holding one more.
// It is left out for a weight that has none: an MLP, gate, up, down or output projection. Elsewhere grains of
// Grain are divided, the first ranks holding one more, or the last ones where ExtraLast is set, as
// convolutions do it; what is left of the extent goes to the last rank.
type WidthRule struct {
	KVHeads   int64 // 0: none
	Grain     int64 // 0: 1
	ExtraLast bool
}

// Widths divides an extent over degree ranks. A width may be 0.
func (rule WidthRule) Widths(extent int64, degree int) ([]int64, error) {
	if err := firstError(checkDegree(degree), rule.check(extent)); err != nil {
		return nil, err
	}
	return rule.widths(make([]int64, degree), extent), nil
}

func (rule WidthRule) check(extent int64) error {
	switch {
	case extent < 0:
		return fmt.Errorf("extent %d, want at least 0", extent)
	case rule.KVHeads < 0:
		return fmt.Errorf("%d kv heads, want at least 0", rule.KVHeads)
	case rule.Grain < 0:
		return fmt.Errorf("grain %d, want at least 0", rule.Grain)
	}
	return nil
}

// widths fills in the width of each rank.
func (rule WidthRule) widths(widths []int64, extent int64) []int64 {
	unit := max(rule.Grain, 1)
	if rule.KVHeads > 0 && extent%rule.KVHeads == 0 {
		unit = extent / rule.KVHeads
	}
	if unit == 0 {
		return widths // an extent of 0: every rank holds nothing
	}
	ranks := int64(len(widths))
	each, extra := extent/unit/ranks, extent/unit%ranks
	for rank := range ranks {
		widths[rank] = each * unit
		if rank < extra && !rule.ExtraLast || rank >= ranks-extra && rule.ExtraLast {
			widths[rank] += unit
		}
	}
	widths[ranks-1] += extent % unit
	return widths
}

// chunks fills in the widths of a division into equal chunks, rounded up: the last ranks hold fewer or none,
// as torch.chunk and DTensor have it. 6 over 4 is 2, 2, 2, 0.
func chunks(widths []int64, extent int64) []int64 {
	ranks := int64(len(widths))
	chunk := extent / ranks
	if extent%ranks > 0 {
		chunk++
	}
	for rank := range widths {
		widths[rank] = min(chunk, extent)
		extent -= widths[rank]
	}
	return widths
}
