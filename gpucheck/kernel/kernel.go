// Package kernel holds the CUDA kernels that replay plans on a device, as PTX, and the tables that they read.
//
// README.md states what each field means and what the kernels promise.
package kernel

import _ "embed" // for the PTX

// PTX is the module with both kernels, for compute capability 7.0 and above. build_ptx.py makes it from replay.cu.
//
//go:embed replay.ptx
var PTX string

// The kernels' names in the module. Each takes a table's device address, its length, and the range of items or
// elements to work on: four 8-byte arguments.
const (
	CopySegments  = "copy_segments"
	CompareShards = "compare_shards"
)

// BlockThreads is the block size that the kernels are built for, on one dimension.
const BlockThreads = 256

// MaxAxes is the most axes that a Segment has room for.
const MaxAxes = 8

// ByElement and ByWindow are a Segment's forms.
const (
	ByElement = 0
	ByWindow  = 1
)

// A Segment is one strided copy: an entry of the table of copy_segments.
type Segment struct {
	First        uint64 // items of the segments before it in the table
	ItemsPerRun  uint64 // what RunItems returns
	Source       uint64 // device address of element 0 of the source shard
	Target       uint64 // device address of element 0 of the target shard
	Counts       uint64 // device address of the counter of that element; 0: count nothing
	SourceOffset int64  // elements
	TargetOffset int64  // elements
	Width        uint32 // bytes an element: 1, 2, 4, 8 or 16
	Axes         uint16 // 0 to MaxAxes
	Form         uint16 // ByElement or ByWindow
	Extent       [MaxAxes]uint64
	SourceStride [MaxAxes]int64 // elements
	TargetStride [MaxAxes]int64 // elements
}

// SegmentBytes, ShardBytes and VerdictBytes are the sizes of the tables' entries on the device.
const (
	SegmentBytes = 256
	ShardBytes   = 56
	VerdictBytes = 32
)

// windowBytes is the widest access of the kernels.
const windowBytes = 16

// Contiguous reports whether the segment's runs are contiguous on both sides, which ByWindow needs.
func (s *Segment) Contiguous() bool {
	last := int(s.Axes) - 1
	return last >= 0 && s.SourceStride[last] == 1 && s.TargetStride[last] == 1
}

// Runs returns how many runs the segment has: the product of all extents but the innermost.
func (s *Segment) Runs() uint64 {
	runs := uint64(1)
	for axis := 0; axis+1 < int(s.Axes); axis++ {
		runs *= s.Extent[axis]
	}
	return runs
}

// RunItems returns what ItemsPerRun must be: the items of one run in the segment's form, 0 for an empty run.
func (s *Segment) RunItems() uint64 {
	if s.Axes == 0 {
		return 1
	}
	elements := s.Extent[s.Axes-1]
	if s.Form == ByElement || elements == 0 {
		return elements
	}
	width := uint64(s.Width)
	return (elements*width + 2*windowBytes - 1 - width) / windowBytes
}

// A Shard is one target shard between its guards: an entry of the table of compare_shards.
type Shard struct {
	First    uint64 // elements of the shards before it in the table
	Found    uint64 // device address of what was written, from the first guard on
	Expected uint64 // device address of what it should hold
	Counts   uint64 // device address of its counters, one an element; 0: none
	Sentinel uint64 // what an element holds that must not be written
	Width    uint64 // bytes an element: 1, 2, 4, 8 or 16
	Verdict  uint64 // device address of the Verdict that takes its findings
}

// A Verdict is what compare_shards found.
type Verdict struct {
	First       uint64 // least index of a wrong element; None: all are right
	WrongValues uint64 // elements
	WrongCounts uint64 // elements
	Compared    uint64 // elements
}

// None is a Verdict's First where nothing is wrong; a launch needs it set before.
const None = ^uint64(0)
