package gpucheck

import "github.com/shardproof/shardproof/gpucheck/kernel"

// A Way is one of the ways to carry out a plan. All must leave the same.
type Way struct {
	Name, Doc string
	merge     bool   // join axes first
	form      uint16 // of segments with contiguous runs
	counted   bool   // count the writes of each element
	driver    bool   // by the device's own copies, where they can express a segment
}

// Ways lists them.
func Ways() []Way {
	return []Way{
		{Name: "elements", Doc: "as the plan is written, element by element", form: kernel.ByElement, counted: true},
		{Name: "windows", Doc: "axes joined, in aligned windows, counted", merge: true, form: kernel.ByWindow, counted: true},
		{Name: "wide", Doc: "axes joined, whole windows in one access, as fast as it goes", merge: true, form: kernel.ByWindow},
		{Name: "driver", Doc: "contiguous, 2-D and 3-D segments by the driver's copies", merge: true, form: kernel.ByWindow, driver: true},
	}
}

// A segmentJob is a segment with the places that its shards got.
type segmentJob struct {
	segment
	from                   int     // device of the source
	source, target, counts Address // of element 0 of the shards; counts is 0 where nothing is counted
	width                  int
}

// entry is the segment as the kernels read it, and its items.
func (j *segmentJob) entry(w Way) (kernel.Segment, uint64) {
	axes := j.axes
	if w.merge {
		axes = merged(axes)
	}
	entry := kernel.Segment{
		Source: uint64(j.source), Target: uint64(j.target), Counts: uint64(j.counts),
		SourceOffset: j.sourceOffset, TargetOffset: j.targetOffset,
		Width: uint32(j.width), Axes: uint16(len(axes)), Form: kernel.ByElement,
	}
	for i, a := range axes {
		entry.Extent[i], entry.SourceStride[i], entry.TargetStride[i] = uint64(a.extent), a.source, a.target
	}
	if entry.Contiguous() {
		entry.Form = w.form
	}
	entry.ItemsPerRun = entry.RunItems()
	return entry, entry.ItemsPerRun * entry.Runs()
}

// entriesInOrder is segments as the table of one launch, and the items of all of them.
func entriesInOrder(jobs []segmentJob, w Way) ([]kernel.Segment, uint64) {
	entries := make([]kernel.Segment, len(jobs))
	items := uint64(0)
	for i := range jobs {
		entry, n := jobs[i].entry(w)
		entry.First = items
		items += n
		entries[i] = entry
	}
	return entries, items
}

// boxesOf is the segments that the driver can copy, and the others.
func boxesOf(jobs []segmentJob) (boxes []Box, others []segmentJob) {
	for i := range jobs {
		if box, ok := jobs[i].box(); ok {
			boxes = append(boxes, box)
		} else {
			others = append(others, jobs[i])
		}
	}
	return boxes, others
}

// maxPitch is the most that every driver takes between two rows of a copy, in bytes.
const maxPitch = 1<<31 - 1

// box is the segment as one copy of the driver: contiguous, or rows with up to two strides; false where it is neither.
func (j *segmentJob) box() (Box, bool) {
	axes := merged(j.axes)
	unit := int64(j.width)
	box := Box{
		From: j.from, Source: j.source + Address(j.sourceOffset*unit), Target: j.target + Address(j.targetOffset*unit),
		WidthBytes: unit, Height: 1, Depth: 1,
	}
	if last := len(axes) - 1; last >= 0 && axes[last].source == 1 && axes[last].target == 1 {
		box.WidthBytes *= axes[last].extent
		axes = axes[:last]
	}
	if len(axes) > 2 {
		return Box{}, false
	}
	for len(axes) < 2 {
		axes = append([]axis{{1, 0, 0}}, axes...)
	}
	slices, rows := axes[0], axes[1]
	box.Depth, box.Height = slices.extent, rows.extent
	var sourceOK, targetOK bool
	box.SourcePitch, box.SourceSliceRows, sourceOK = pitches(box, rows.source*unit, slices.source*unit)
	box.TargetPitch, box.TargetSliceRows, targetOK = pitches(box, rows.target*unit, slices.target*unit)
	return box, sourceOK && targetOK
}

// pitches says how far apart a box's rows stand on one side, and its slices, in rows; false where the driver cannot.
func pitches(box Box, row, slice int64) (pitch, sliceRows int64, ok bool) {
	if box.Height == 1 {
		row = box.WidthBytes
	}
	if box.Depth == 1 {
		slice = row * box.Height
	}
	ok = row >= box.WidthBytes && row <= maxPitch && slice%row == 0 && slice/row >= box.Height
	return row, slice / max(row, 1), ok
}
