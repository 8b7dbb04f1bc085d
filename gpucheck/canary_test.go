package gpucheck

import (
	"context"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/shardproof/shardproof/gpucheck/kernel"
	"github.com/shardproof/shardproof/oracle"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/layout"
	"github.com/shardproof/shardproof/plan/reference"
)

// A broken is a host device that does something wrong after each launch, or in place of it.
type broken struct {
	*hostDevice
	skips      func(segments []kernel.Segment) bool // nothing is copied
	afterCopy  func(t *testing.T, d *hostDevice, segments []kernel.Segment)
	afterBoxes func(t *testing.T, d *hostDevice, boxes []Box)
	compare    func(d *hostDevice, table Table) error
	t          *testing.T
}

func (b *broken) CopySegments(table Table) error {
	segments, err := entriesOf[kernel.Segment](b.memory, "test", table)
	if err != nil || b.skips != nil && b.skips(segments) {
		return err
	}
	err = b.hostDevice.CopySegments(table)
	if err == nil && b.afterCopy != nil {
		b.afterCopy(b.t, b.hostDevice, segments)
	}
	return err
}

func (b *broken) Copy(boxes []Box) error {
	err := b.hostDevice.Copy(boxes)
	if err == nil && b.afterBoxes != nil {
		b.afterBoxes(b.t, b.hostDevice, boxes)
	}
	return err
}

func (b *broken) CompareShards(table Table) error {
	if b.compare != nil {
		return b.compare(b.hostDevice, table)
	}
	return b.hostDevice.CompareShards(table)
}

// set writes bytes at an element of a shard, and adds to its counter where writes are counted.
func set(t *testing.T, d *hostDevice, s *kernel.Segment, element int64, value byte, writes int) {
	t.Helper()
	to, err := d.memory.bytesAt("test", Address(s.Target)+Address(element*int64(s.Width)), int64(s.Width))
	if err != nil {
		t.Fatal(err)
	}
	for i := range to {
		to[i] = value
	}
	count(t, d, s, element, writes)
}

func count(t *testing.T, d *hostDevice, s *kernel.Segment, element int64, writes int) {
	t.Helper()
	if s.Counts == 0 || writes == 0 {
		return
	}
	counter, err := d.memory.bytesAt("test", Address(s.Counts)+Address(element*counterBytes), counterBytes)
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint32(counter, binary.LittleEndian.Uint32(counter)+uint32(writes))
}

// smallRows is 6x4 rows from 2 ranks to 3: target shards of 8 elements, labels 0 to 23.
func smallRows(t testing.TB) Subject {
	t.Helper()
	subject, err := makeSmallRows()
	if err != nil {
		t.Fatal(err)
	}
	return subject
}

func makeSmallRows() (Subject, error) {
	source, err := layout.Contiguous([]int64{6, 4}, 0, []int64{3, 3})
	if err != nil {
		return Subject{}, err
	}
	target, err := layout.Contiguous([]int64{6, 4}, 0, []int64{2, 2, 2})
	if err != nil {
		return Subject{}, err
	}
	return referencePlan("6x4 rows", source, target)
}

// makeAlone is 40 elements from one rank to one.
func makeAlone() (Subject, error) {
	one, err := layout.Contiguous([]int64{40}, 0, []int64{40})
	if err != nil {
		return Subject{}, err
	}
	return referencePlan("40 alone", one, one)
}

func referencePlan(name string, source, target plan.Map) (Subject, error) {
	request := plan.Request{Source: source, Target: target}
	answer, err := reference.Planner{}.Plan(context.Background(), request)
	return Subject{name, request, answer.Plan}, err
}

const shardElements = 8 // of smallRows' targets

// Each canary is a device that is wrong in one way, and what the replay must say of it.
var canaries = []struct {
	name   string
	device broken
	ways   []string // all where none
	clause oracle.ClauseID
	fails  string // part of the error, where the device is found useless
}{
	{
		name: "an element is left out",
		device: broken{afterCopy: func(t *testing.T, d *hostDevice, s []kernel.Segment) {
			set(t, d, &s[0], s[0].TargetOffset, sentinelByte, -1)
		}},
		clause: oracle.Cover,
	},
	{
		name: "an element is left out and counted",
		device: broken{afterCopy: func(t *testing.T, d *hostDevice, s []kernel.Segment) {
			set(t, d, &s[0], s[0].TargetOffset, sentinelByte, 0)
		}},
		clause: oracle.Values,
	},
	{
		name: "an element is left out where nothing is counted",
		device: broken{afterCopy: func(t *testing.T, d *hostDevice, s []kernel.Segment) {
			if s[0].Counts == 0 {
				set(t, d, &s[0], s[0].TargetOffset, sentinelByte, 0)
			}
		}},
		clause: oracle.Cover,
	},
	{
		// The runs before it have left the right values.
		name:   "nothing is copied where nothing is counted",
		device: broken{skips: func(s []kernel.Segment) bool { return s[0].Counts == 0 }},
		clause: oracle.Cover,
	},
	{
		name: "nothing is copied in the second run",
		device: broken{skips: func() func([]kernel.Segment) bool {
			runs := 0
			return func([]kernel.Segment) bool { runs++; return runs == 2 }
		}()},
		clause: oracle.Cover,
	},
	{
		name: "an element is written twice",
		device: broken{afterCopy: func(t *testing.T, d *hostDevice, s []kernel.Segment) {
			count(t, d, &s[0], s[0].TargetOffset, 1)
		}},
		clause: oracle.Once,
	},
	{
		name: "an element holds another",
		device: broken{afterCopy: func(t *testing.T, d *hostDevice, s []kernel.Segment) {
			set(t, d, &s[0], s[0].TargetOffset, 77, 0)
		}},
		clause: oracle.Values,
	},
	{
		name: "the half of a wide element is wrong",
		device: broken{afterCopy: func(t *testing.T, d *hostDevice, s []kernel.Segment) {
			if s[0].Width == 16 {
				at := Address(s[0].Target) + Address(s[0].TargetOffset*16+8)
				if err := d.Fill(at, 77, 1); err != nil {
					t.Fatal(err)
				}
			}
		}},
		clause: oracle.Values,
	},
	{
		name: "the halves of a wide element change places",
		device: broken{afterCopy: func(t *testing.T, d *hostDevice, s []kernel.Segment) {
			if s[0].Width == 16 {
				at, err := d.memory.bytesAt("test", Address(s[0].Target)+Address(s[0].TargetOffset*16), 16)
				if err != nil {
					t.Fatal(err)
				}
				copy(at, append(slices.Clone(at[8:]), at[:8]...))
			}
		}},
		clause: oracle.Values,
	},
	{
		name: "the element after a shard is written",
		device: broken{afterCopy: func(t *testing.T, d *hostDevice, s []kernel.Segment) {
			set(t, d, &s[0], shardElements, 1, 1)
		}},
		clause: oracle.Bounds,
	},
	{
		name: "the element before a shard is written, uncounted",
		device: broken{afterCopy: func(t *testing.T, d *hostDevice, s []kernel.Segment) {
			set(t, d, &s[0], -1, 1, 0)
		}},
		clause: oracle.Bounds,
	},
	{
		name: "the element before a shard is written with what it holds",
		device: broken{afterCopy: func(t *testing.T, d *hostDevice, s []kernel.Segment) {
			count(t, d, &s[0], -1, 1)
		}},
		clause: oracle.Bounds,
	},
	{
		name: "a source changes",
		device: broken{afterCopy: func(t *testing.T, d *hostDevice, s []kernel.Segment) {
			if err := d.Fill(Address(s[0].Source), 200, 1); err != nil {
				t.Fatal(err)
			}
		}},
		ways:   []string{"wide"},
		clause: Source,
	},
	{
		name: "a source's guard changes",
		device: broken{afterCopy: func(t *testing.T, d *hostDevice, s []kernel.Segment) {
			if err := d.Fill(Address(s[0].Source)-1, 200, 1); err != nil {
				t.Fatal(err)
			}
		}},
		ways:   []string{"wide"},
		clause: Source,
	},
	{
		name: "the driver copies a byte less",
		device: broken{afterBoxes: func(t *testing.T, d *hostDevice, boxes []Box) {
			if err := d.Fill(boxes[0].Target+Address(boxes[0].WidthBytes-1), sentinelByte, 1); err != nil {
				t.Fatal(err)
			}
		}},
		clause: oracle.Values, // or cover, at the width of a byte
	},
	{
		name:   "comparing does nothing",
		device: broken{compare: func(*hostDevice, Table) error { return nil }},
		fails:  "its kernels do not work",
	},
	{
		name: "comparing leaves the last element out",
		device: broken{compare: func(d *hostDevice, table Table) error {
			table.Items--
			return d.CompareShards(table)
		}},
		fails: "its kernels do not work",
	},
}

func TestReplayFindsWhatADeviceDoesWrong(t *testing.T) {
	subject := smallRows(t)
	for _, canary := range canaries {
		t.Run(canary.name, func(t *testing.T) {
			machine := Host(1)
			device := canary.device
			device.hostDevice, device.t = machine.Devices[0].(*hostDevice), t
			machine.Devices[0] = &device
			result, err := Replay(context.Background(), machine, []Subject{subject}, Options{Ways: canary.ways, Widths: []int{2, 16}})
			if canary.fails != "" {
				if err == nil || !strings.Contains(err.Error(), canary.fails) {
					t.Errorf("error %v, want one with %q", err, canary.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(result.Findings) != 1 || result.Findings[0].Clause != canary.clause || result.Exact != 0 {
				t.Errorf("findings %v, exact %d; want one of %s", result.Findings, result.Exact, canary.clause)
			}
		})
	}
}

// A plan that swaps two elements whose labels agree in their last digit is found by the next digit alone.
func TestEveryDigitIsReplayed(t *testing.T) {
	const n = 512
	one, err := layout.Contiguous([]int64{n}, 0, []int64{n})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		width  int
		swap   int64 // with element 0
		digits int
	}{{1, 255, 1}, {1, 510, 1}, {1, 3, 0}} {
		segment := func(from, to, elements int64) plan.Segment {
			at := func(offset int64) plan.Endpoint {
				return plan.Endpoint{View: plan.View{Offset: offset, Strides: []int64{1}}}
			}
			return plan.Segment{Shape: []int64{elements}, Source: at(from), Target: at(to)}
		}
		subject := Subject{"swapped", plan.Request{Source: one, Target: one}, plan.Plan{Segments: []plan.Segment{
			segment(0, c.swap, 1), segment(c.swap, 0, 1), segment(1, 1, c.swap-1), segment(c.swap+1, c.swap+1, n-c.swap-1),
		}}}
		result := mustReplay(t, Host(1), []Subject{subject}, Options{Widths: []int{c.width}})
		if len(result.Findings) != 1 || result.Findings[0].Digit != c.digits || result.Findings[0].Clause != oracle.Values {
			t.Errorf("elements 0 and %d swapped, %d bytes: findings %v, want values in digit %d", c.swap, c.width, result.Findings, c.digits)
		}
	}
}

// A plan that leaves its shards is not launched, whatever the machine: a device would fault.
func TestReplayLaunchesNothingOutside(t *testing.T) {
	for _, c := range []struct {
		name   string
		spoil  func(*plan.Segment)
		clause oracle.ClauseID
	}{
		{"reads past the end", func(s *plan.Segment) { s.Source.Offset = 1 << 40 }, oracle.Bounds},
		{"writes before the start", func(s *plan.Segment) { s.Target.Offset = -1 }, oracle.Bounds},
		{"ends one past", func(s *plan.Segment) { s.Target.Offset++ }, oracle.Bounds},
		{"steps back", func(s *plan.Segment) { s.Source.Strides[0] = -s.Source.Strides[0] }, oracle.Bounds},
		{"wraps round 64 bits", func(s *plan.Segment) { s.Source.Strides = []int64{1 << 62, 1 << 62}; s.Shape = []int64{5, 5} }, oracle.Bounds},
		{"no such source", func(s *plan.Segment) { s.Source.Rank = 9 }, oracle.Valid},
		{"no such target", func(s *plan.Segment) { s.Target.Rank = -1 }, oracle.Valid},
		{"a stride too few", func(s *plan.Segment) { s.Target.Strides = s.Target.Strides[:1] }, oracle.Valid},
		{"an extent of zero", func(s *plan.Segment) { s.Shape[0] = 0 }, oracle.Valid},
		{"a volume without end", func(s *plan.Segment) {
			s.Shape = []int64{1 << 50, 1}
			s.Source.Strides, s.Target.Strides = []int64{0, 0}, []int64{0, 0}
		}, oracle.Once},
	} {
		subject := smallRows(t)
		c.spoil(&subject.Plan.Segments[0])
		machine := Host(1)
		machine.Devices[0] = &broken{hostDevice: machine.Devices[0].(*hostDevice), t: t,
			afterCopy: func(*testing.T, *hostDevice, []kernel.Segment) { t.Errorf("%s: launched", c.name) }}
		result := mustReplay(t, machine, []Subject{subject}, Options{})
		if len(result.Findings) != 1 || result.Findings[0].Clause != c.clause || result.Runs != 0 {
			t.Errorf("%s: findings %v in %d runs, want one of %s in none", c.name, result.Findings, result.Runs, c.clause)
		}
	}
}

// Each round has other offsets and another order, and the same seed the same ones.
func TestRoundsDiffer(t *testing.T) {
	subjects := generated(t, 30)
	launches := func(seed uint64) (orders []string) {
		machine := Host(1)
		machine.Devices[0] = &broken{hostDevice: machine.Devices[0].(*hostDevice), t: t,
			afterCopy: func(_ *testing.T, _ *hostDevice, segments []kernel.Segment) {
				var order strings.Builder
				for _, s := range segments {
					order.WriteString(string(binary.LittleEndian.AppendUint64(nil, uint64(s.TargetOffset))))
				}
				orders = append(orders, order.String())
			}}
		mustReplay(t, machine, subjects, Options{Seed: seed, Rounds: 2, Widths: []int{1}, Ways: []string{"elements"}})
		return orders
	}
	first, again, other := launches(1), launches(1), launches(2)
	if len(first) < 2 || first[0] == first[1] || first[0] == other[0] {
		t.Error("two rounds, or two seeds, launch in one order")
	}
	if !slices.Equal(first, again) {
		t.Error("one seed launches in two orders")
	}
}

// A source and a target shard meet in every alignment to the 16 bytes that the kernels move at once, also where each is
// the only one on its device.
func TestOffsetsDiffer(t *testing.T) {
	subject, err := makeAlone()
	if err != nil {
		t.Fatal(err)
	}
	sources, targets := map[uint64]bool{}, map[uint64]bool{}
	for seed := range uint64(200) {
		machine := Host(1)
		machine.Devices[0] = &broken{hostDevice: machine.Devices[0].(*hostDevice), t: t,
			afterCopy: func(_ *testing.T, _ *hostDevice, segments []kernel.Segment) {
				sources[segments[0].Source%16], targets[segments[0].Target%16] = true, true
			}}
		mustReplay(t, machine, []Subject{subject}, Options{Seed: seed, Widths: []int{1}, Ways: []string{"elements"}})
	}
	if len(sources) != 16 || len(targets) != 16 {
		t.Errorf("sources stand in %d alignments and targets in %d, want all 16 of each", len(sources), len(targets))
	}
}

// Where there are several devices each has a part, and copies go from one to another.
func TestShardsSpreadOverDevices(t *testing.T) {
	machine := Host(3)
	launches, crossings := make([]int, 3), 0
	for i := range machine.Devices {
		machine.Devices[i] = &broken{hostDevice: machine.Devices[i].(*hostDevice), t: t,
			afterCopy: func(*testing.T, *hostDevice, []kernel.Segment) { launches[i]++ },
			afterBoxes: func(_ *testing.T, _ *hostDevice, boxes []Box) {
				for _, box := range boxes {
					if box.From != i {
						crossings++
					}
				}
			}}
	}
	mustReplay(t, machine, generated(t, 30), Options{Widths: []int{4}})
	if slices.Min(launches) == 0 || crossings == 0 {
		t.Errorf("launches on the devices: %v; copies from one to another: %d", launches, crossings)
	}
}
