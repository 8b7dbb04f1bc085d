package kernel

import (
	"testing"
	"unsafe"
)

// The offsets are README.md's, which the kernels' own structs follow too: a kernel that read other bytes would fail
// the tests of engines_test.go, whose program writes its tables by the contract.
func TestLayout(t *testing.T) {
	var segment Segment
	var shard Shard
	var verdict Verdict
	for _, field := range []struct {
		name      string
		got, want uintptr
	}{
		{"Segment", unsafe.Sizeof(segment), SegmentBytes},
		{"Segment.First", unsafe.Offsetof(segment.First), 0},
		{"Segment.ItemsPerRun", unsafe.Offsetof(segment.ItemsPerRun), 8},
		{"Segment.Source", unsafe.Offsetof(segment.Source), 16},
		{"Segment.Target", unsafe.Offsetof(segment.Target), 24},
		{"Segment.Counts", unsafe.Offsetof(segment.Counts), 32},
		{"Segment.SourceOffset", unsafe.Offsetof(segment.SourceOffset), 40},
		{"Segment.TargetOffset", unsafe.Offsetof(segment.TargetOffset), 48},
		{"Segment.Width", unsafe.Offsetof(segment.Width), 56},
		{"Segment.Axes", unsafe.Offsetof(segment.Axes), 60},
		{"Segment.Form", unsafe.Offsetof(segment.Form), 62},
		{"Segment.Extent", unsafe.Offsetof(segment.Extent), 64},
		{"Segment.SourceStride", unsafe.Offsetof(segment.SourceStride), 128},
		{"Segment.TargetStride", unsafe.Offsetof(segment.TargetStride), 192},
		{"Shard", unsafe.Sizeof(shard), ShardBytes},
		{"Shard.First", unsafe.Offsetof(shard.First), 0},
		{"Shard.Found", unsafe.Offsetof(shard.Found), 8},
		{"Shard.Expected", unsafe.Offsetof(shard.Expected), 16},
		{"Shard.Counts", unsafe.Offsetof(shard.Counts), 24},
		{"Shard.Sentinel", unsafe.Offsetof(shard.Sentinel), 32},
		{"Shard.Width", unsafe.Offsetof(shard.Width), 40},
		{"Shard.Verdict", unsafe.Offsetof(shard.Verdict), 48},
		{"Verdict", unsafe.Sizeof(verdict), VerdictBytes},
		{"Verdict.First", unsafe.Offsetof(verdict.First), 0},
		{"Verdict.WrongValues", unsafe.Offsetof(verdict.WrongValues), 8},
		{"Verdict.WrongCounts", unsafe.Offsetof(verdict.WrongCounts), 16},
		{"Verdict.Compared", unsafe.Offsetof(verdict.Compared), 24},
	} {
		if field.got != field.want {
			t.Errorf("%s: got byte %d, want %d", field.name, field.got, field.want)
		}
	}
}

// A run of n elements at byte offset o of its first window reaches ceil((o + n*width) / 16) windows. ItemsPerRun must
// be the most over all offsets that are multiples of the width.
func TestRunItems(t *testing.T) {
	for _, width := range []uint64{1, 2, 4, 8, 16} {
		for elements := uint64(1); elements < 100; elements++ {
			want := uint64(0)
			for offset := uint64(0); offset < 16; offset += width {
				want = max(want, (offset+elements*width+15)/16)
			}
			segment := Segment{Width: uint32(width), Axes: 1, Form: ByWindow, Extent: [MaxAxes]uint64{elements}}
			if got := segment.RunItems(); got != want {
				t.Errorf("RunItems of %d elements of %d bytes: got %d, want %d", elements, width, got, want)
			}
		}
	}
}

func TestRuns(t *testing.T) {
	for _, test := range []struct {
		axes             uint16
		extent           [MaxAxes]uint64
		runs, items      uint64
		innermostStrides int64
		contiguous       bool
	}{
		{axes: 0, runs: 1, items: 1, contiguous: false},
		{axes: 1, extent: [MaxAxes]uint64{7}, runs: 1, items: 7, innermostStrides: 1, contiguous: true},
		{axes: 3, extent: [MaxAxes]uint64{2, 3, 5}, runs: 6, items: 5, innermostStrides: 2, contiguous: false},
		{axes: 2, extent: [MaxAxes]uint64{4, 0}, runs: 4, items: 0, innermostStrides: 1, contiguous: true},
		{axes: 2, extent: [MaxAxes]uint64{0, 4}, runs: 0, items: 4, innermostStrides: 1, contiguous: true},
	} {
		segment := Segment{Width: 4, Axes: test.axes, Extent: test.extent}
		if test.axes > 0 {
			segment.SourceStride[test.axes-1] = test.innermostStrides
			segment.TargetStride[test.axes-1] = test.innermostStrides
		}
		if segment.Runs() != test.runs || segment.RunItems() != test.items || segment.Contiguous() != test.contiguous {
			t.Errorf("%d axes %v: got %d runs of %d items, contiguous %t, want %d of %d, %t", test.axes, test.extent,
				segment.Runs(), segment.RunItems(), segment.Contiguous(), test.runs, test.items, test.contiguous)
		}
	}
}
