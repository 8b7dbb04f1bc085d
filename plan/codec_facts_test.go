package plan_test

import (
	"testing"

	"github.com/shardproof/shardproof/plan"
)

// The byte counts are facts.md's, "Other published numbers". The plans are written down by hand: each is the
// one that folding by addresses gives, in plan order.
func TestCompactPlanBytes(t *testing.T) {
	rowMajor := []int64{8, 1}
	row := func(shape []int64, source, sourceOffset, target, targetOffset int64) plan.Segment {
		return plan.Segment{
			Shape:  shape,
			Source: plan.Endpoint{Rank: int(source), View: plan.View{Offset: sourceOffset, Strides: rowMajor}},
			Target: plan.Endpoint{Rank: int(target), View: plan.View{Offset: targetOffset, Strides: rowMajor}},
		}
	}
	twelveRows, eightRows, sixteenRows := []int64{12, 8}, []int64{8, 8}, []int64{16, 8}
	var columns []plan.Segment
	for target := range int64(4) {
		for source := range int64(2) {
			columns = append(columns, plan.Segment{
				Shape:  []int64{24, 2},
				Source: plan.Endpoint{Rank: int(source), View: plan.View{Offset: 2 * target, Strides: rowMajor}},
				Target: plan.Endpoint{Rank: int(target), View: plan.View{Offset: 48 * source, Strides: []int64{2, 1}}},
			})
		}
	}
	for _, c := range []struct {
		name     string
		segments []plan.Segment
		bytes    int
	}{
		{"rows 2 to 4", []plan.Segment{
			row(twelveRows, 0, 0, 0, 0), row(twelveRows, 0, 96, 1, 0), row(twelveRows, 1, 0, 2, 0), row(twelveRows, 1, 96, 3, 0),
		}, 275},
		{"rows 4 to 2", []plan.Segment{
			row(twelveRows, 0, 0, 0, 0), row(twelveRows, 1, 0, 0, 96), row(twelveRows, 2, 0, 1, 0), row(twelveRows, 3, 0, 1, 96),
		}, 275},
		{"rows 2 to columns 4", columns, 513},
		{"replicated 4 to rows 4", []plan.Segment{
			row(twelveRows, 0, 0, 0, 0), row(twelveRows, 0, 96, 1, 0), row(twelveRows, 0, 192, 2, 0), row(twelveRows, 0, 288, 3, 0),
		}, 278},
		{"BigCode 2 to 4", []plan.Segment{
			row(eightRows, 0, 0, 0, 0), row(sixteenRows, 0, 128, 0, 64),
			row([]int64{24, 8}, 0, 64, 1, 0),
			row(sixteenRows, 0, 128, 2, 64), row(eightRows, 1, 0, 2, 0),
			row(sixteenRows, 0, 128, 3, 64), row(eightRows, 1, 64, 3, 0),
		}, 458},
		{"BigCode 4 to 2", []plan.Segment{
			row(eightRows, 0, 0, 0, 0), row(sixteenRows, 0, 64, 0, 128), row(eightRows, 1, 0, 0, 64),
			row(sixteenRows, 0, 64, 1, 128), row(eightRows, 2, 0, 1, 0), row(eightRows, 3, 0, 1, 64),
		}, 395},
	} {
		got := plan.CompactPlan(plan.Plan{LogicalShape: []int64{48, 8}, Segments: c.segments})
		if len(got) != c.bytes {
			t.Errorf("%s: got %d bytes, want %d: %s", c.name, len(got), c.bytes, got)
		}
	}
}
