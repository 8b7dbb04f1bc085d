package gpucheck

import (
	"bytes"
	"encoding/binary"
	"unsafe"

	"github.com/shardproof/shardproof/gpucheck/kernel"
)

// CopySegments does in plain Go what the kernel of that name does. A segment must lie in one allocation on each side.
func (d *hostDevice) CopySegments(table Table) error {
	segments, err := entriesOf[kernel.Segment](d.memory, "copy_segments", table)
	if err != nil {
		return err
	}
	for i := range segments {
		if err := d.memory.copySegment(&segments[i]); err != nil {
			return err
		}
	}
	return nil
}

// CompareShards does in plain Go what the kernel of that name does.
func (d *hostDevice) CompareShards(table Table) error {
	shards, err := entriesOf[kernel.Shard](d.memory, "compare_shards", table)
	if err != nil {
		return err
	}
	for i := range shards {
		end := table.Items
		if i+1 < len(shards) {
			end = shards[i+1].First
		}
		if err := d.memory.compareShard(&shards[i], end-shards[i].First); err != nil {
			return err
		}
	}
	return nil
}

// entriesOf is a table in the form that package kernel gives it.
func entriesOf[T any](m *hostMemory, call string, table Table) ([]T, error) {
	var entry T
	memory, err := m.bytesAt(call, table.Entries, int64(table.Count)*int64(unsafe.Sizeof(entry)))
	if err != nil || table.Count == 0 {
		return nil, err
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&memory[0])), table.Count), nil
}

// bytesOf is entries in the form in which a device reads them. Every device here is little-endian, as the host is.
func bytesOf[T any](entries []T) []byte {
	if len(entries) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&entries[0])), len(entries)*int(unsafe.Sizeof(entries[0])))
}

// alignedBytes is memory that entries of every table may stand in.
func alignedBytes(bytes int64) []byte {
	words := make([]uint64, (bytes+7)/8)
	return bytesOf(words)[:bytes:bytes]
}

// A walk is one side of a segment: the memory that it reaches, and where in it the segment begins.
type walk struct {
	memory []byte
	begin  int64 // bytes
	steps  []int64
}

// walkOf finds the memory that a side reaches: from its lowest element to its highest, unit bytes each.
func (m *hostMemory) walkOf(s *kernel.Segment, base uint64, offset int64, strides []int64, unit int64) (walk, error) {
	lowest, highest := offset, offset
	w := walk{steps: make([]int64, len(strides))}
	for axis, stride := range strides {
		reach := (int64(s.Extent[axis]) - 1) * stride
		lowest += min(reach, 0)
		highest += max(reach, 0)
		w.steps[axis] = stride * unit
	}
	w.begin = (offset - lowest) * unit
	at := base + uint64(lowest*unit)
	if at%uint64(unit) != 0 {
		return walk{}, m.fail("copy_segments", codeMisaligned, Address(at), unit)
	}
	var err error
	w.memory, err = m.bytesAt("copy_segments", Address(at), (highest-lowest+1)*unit)
	return w, err
}

const counterBytes = 4

func (m *hostMemory) copySegment(s *kernel.Segment) error {
	axes := int(s.Axes)
	for _, extent := range s.Extent[:axes] {
		if extent == 0 {
			return nil
		}
	}
	width := int64(s.Width)
	source, err := m.walkOf(s, s.Source, s.SourceOffset, s.SourceStride[:axes], width)
	if err != nil {
		return err
	}
	target, err := m.walkOf(s, s.Target, s.TargetOffset, s.TargetStride[:axes], width)
	if err != nil {
		return err
	}
	var counts walk
	if s.Counts != 0 {
		if counts, err = m.walkOf(s, s.Counts, s.TargetOffset, s.TargetStride[:axes], counterBytes); err != nil {
			return err
		}
	}
	from, to, counter := source.begin, target.begin, counts.begin
	index := make([]uint64, axes)
	for {
		copy(target.memory[to:to+width], source.memory[from:from+width])
		if counts.memory != nil {
			count := counts.memory[counter : counter+counterBytes]
			binary.LittleEndian.PutUint32(count, binary.LittleEndian.Uint32(count)+1)
		}
		axis := axes - 1
		for ; axis >= 0; axis-- {
			from, to = from+source.steps[axis], to+target.steps[axis]
			if counts.memory != nil {
				counter += counts.steps[axis]
			}
			if index[axis]++; index[axis] < s.Extent[axis] {
				break
			}
			from, to = from-int64(s.Extent[axis])*source.steps[axis], to-int64(s.Extent[axis])*target.steps[axis]
			if counts.memory != nil {
				counter -= int64(s.Extent[axis]) * counts.steps[axis]
			}
			index[axis] = 0
		}
		if axis < 0 {
			return nil
		}
	}
}

func (m *hostMemory) compareShard(s *kernel.Shard, elements uint64) error {
	const call = "compare_shards"
	width := int64(s.Width)
	found, err := m.bytesAt(call, Address(s.Found), int64(elements)*width)
	if err != nil {
		return err
	}
	expected, err := m.bytesAt(call, Address(s.Expected), int64(elements)*width)
	if err != nil {
		return err
	}
	var counts []byte
	if s.Counts != 0 {
		if counts, err = m.bytesAt(call, Address(s.Counts), int64(elements)*counterBytes); err != nil {
			return err
		}
	}
	verdicts, err := entriesOf[kernel.Verdict](m, call, Table{Entries: Address(s.Verdict), Count: 1})
	if err != nil {
		return err
	}
	verdict := &verdicts[0]
	verdict.Compared += elements
	sentinel := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, s.Sentinel), s.Sentinel)[:width]
	for i := range int64(elements) {
		want := expected[i*width : (i+1)*width]
		wrongValue := !bytes.Equal(found[i*width:(i+1)*width], want)
		wrongCount := false
		if counts != nil {
			wrongCount = binary.LittleEndian.Uint32(counts[i*counterBytes:]) != writesDue(bytes.Equal(want, sentinel))
		}
		if wrongValue {
			verdict.WrongValues++
		}
		if wrongCount {
			verdict.WrongCounts++
		}
		if wrongValue || wrongCount {
			verdict.First = min(verdict.First, s.First+uint64(i))
		}
	}
	return nil
}

// writesDue is how often an element is to be written.
func writesDue(guard bool) uint32 {
	if guard {
		return 0
	}
	return 1
}
