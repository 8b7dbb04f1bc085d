package gpucheck

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shardproof/shardproof/gpucheck/kernel"
	"github.com/shardproof/shardproof/plan"
)

// A Figure says what a direct transfer gains on a device over rebuilding: materializing the full tensor there and
// cutting the target shards out of it. Times and ratios are medians over rounds that measure each in turn.
type Figure struct {
	Name     string `json:"name"`
	Width    int    `json:"width"`    // bytes an element
	Segments int    `json:"segments"` // of the plan
	Bytes    int64  `json:"bytes"`    // of the target shards together, which is what a plan moves
	Rounds   int    `json:"rounds"`

	Direct  time.Duration `json:"direct_ns"`  // one launch of the plan
	Rebuild time.Duration `json:"rebuild_ns"` // two launches, the full tensor between them
	Copy    time.Duration `json:"copy_ns"`    // as many bytes from device to device by one copy of the driver

	RebuildOverDirect float64 `json:"rebuild_over_direct"` // time
	CopyOverDirect    float64 `json:"copy_over_direct"`    // time: the share of the copy's bandwidth that the plan reaches

	DirectPeakBytes  int64 `json:"direct_peak_bytes"`  // source and target shards and the plan's table
	RebuildPeakBytes int64 `json:"rebuild_peak_bytes"` // source and target shards, the full tensor and two tables
}

// uploadBytes is how much of a tensor is made on the host at a time.
const uploadBytes = 1 << 26

// Measure measures one plan on a machine's first device, at any size that fits there. What the plan leaves is compared
// on the device with what the target map cuts out of the labelled tensor, and a difference is an error.
func Measure(ctx context.Context, machine *Machine, s Subject, width, rounds int) (Figure, error) {
	m := measurement{arena: arena{machine: machine}, device: machine.Devices[0], subject: s, width: int64(width)}
	figure, err := m.measure(ctx, rounds)
	if err := m.release(err); err != nil {
		return Figure{}, fmt.Errorf("%s: %w", s.Name, err)
	}
	figure.Name, figure.Width = s.Name, width
	return figure, nil
}

// A measurement holds what one Measure has on the device.
type measurement struct {
	arena
	device  Device
	subject Subject
	width   int64

	full, rebuilt  slab
	sources        slab
	direct, target slab // target shards: what the plan leaves, and what rebuilding leaves
}

// A slab is shards one after another, or the full tensor alone.
type slab struct {
	at       Address
	elements int64
	shards   map[int]shardAt // by rank
}

type shardAt struct {
	at       Address
	elements int64
}

func (m *measurement) measure(ctx context.Context, rounds int) (Figure, error) {
	if err := m.lay(); err != nil {
		return Figure{}, err
	}
	if err := m.label(); err != nil {
		return Figure{}, err
	}
	spread, err := m.pieces(m.subject.Source, m.sources, m.full, false)
	if err != nil {
		return Figure{}, err
	}
	if err := m.device.CopySegments(spread); err != nil {
		return Figure{}, err
	}
	direct, err := m.plan()
	if err != nil {
		return Figure{}, err
	}
	gather, err := m.pieces(m.subject.Source, m.sources, m.rebuilt, true)
	if err != nil {
		return Figure{}, err
	}
	extract, err := m.pieces(m.subject.Target, m.target, m.rebuilt, false)
	if err != nil {
		return Figure{}, err
	}
	figure := m.sizes(direct, gather, extract)
	return figure, m.time(ctx, &figure, rounds, direct, gather, extract)
}

// lay allocates both tensors and all shards.
func (m *measurement) lay() error {
	elements, ok := plan.Elements(m.subject.Source.LogicalShape)
	if !ok {
		return fmt.Errorf("more elements than 64 bits count")
	}
	whole := []plan.Shard{{Shape: []int64{elements}}}
	for _, one := range []struct {
		slab   *slab
		shards []plan.Shard
	}{
		{&m.full, whole}, {&m.rebuilt, whole}, {&m.sources, m.subject.Source.Shards},
		{&m.direct, m.subject.Target.Shards}, {&m.target, m.subject.Target.Shards},
	} {
		if err := m.laySlab(one.slab, one.shards); err != nil {
			return err
		}
	}
	return nil
}

func (m *measurement) laySlab(s *slab, shards []plan.Shard) error {
	begins := make([]int64, len(shards))
	s.shards = map[int]shardAt{}
	for i, shard := range shards {
		elements, ok := plan.Elements(shard.Shape)
		if begins[i] = s.elements; !ok || s.elements > 1<<62/m.width-elements {
			return fmt.Errorf("more bytes than 62 bits count")
		}
		s.elements += elements
		s.shards[shard.Rank] = shardAt{elements: elements}
	}
	var err error
	if s.at, err = m.allocate(0, s.elements*m.width); err != nil {
		return err
	}
	for i, shard := range shards {
		s.shards[shard.Rank] = shardAt{s.at + Address(begins[i]*m.width), s.shards[shard.Rank].elements}
	}
	if s.elements == 0 {
		return nil
	}
	return m.device.Fill(s.at, sentinelByte, s.elements*m.width)
}

// label fills the full tensor: element i holds the least digit of i.
func (m *measurement) label() error {
	step := uploadBytes / m.width
	labels, image := make([]int64, 0, step), make([]byte, 0, uploadBytes)
	for begin := int64(0); begin < m.full.elements; begin += step {
		n := min(step, m.full.elements-begin)
		labels, image = labels[:n], image[:n*m.width]
		for i := range labels {
			labels[i] = begin + int64(i)
		}
		putDigits(image, labels, int(m.width), 0)
		if err := m.device.Upload(m.full.at+Address(begin*m.width), image); err != nil {
			return err
		}
	}
	return nil
}

// plan is the table of the plan, from the source shards to the direct ones.
func (m *measurement) plan() (Table, error) {
	var jobs []segmentJob
	for i, s := range m.subject.Plan.Segments {
		job, err := m.job(m.sources.shards[s.Source.Rank], s.Source.View, m.direct.shards[s.Target.Rank], s.Target.View, s.Shape)
		if err != nil {
			return Table{}, fmt.Errorf("segment %d: %w", i, err)
		}
		jobs = append(jobs, job)
	}
	return m.table(jobs)
}

// pieces is the table that fills shards from a full tensor by a map's pieces, or the tensor from the shards: each
// element from the lowest rank that holds it.
func (m *measurement) pieces(from plan.Map, shards, full slab, toFull bool) (Table, error) {
	var jobs []segmentJob
	tensor := full.shards[0]
	for _, shard := range from.Shards {
		for _, piece := range shard.Pieces {
			if slices.Contains(piece.Shape, 0) || toFull && slices.Min(piece.Locations) != shard.Rank {
				continue
			}
			source, sourceView, target, targetView := tensor, piece.Source, shards.shards[shard.Rank], piece.Dest
			if toFull {
				source, sourceView, target, targetView = target, targetView, source, sourceView
			}
			job, err := m.job(source, sourceView, target, targetView, piece.Shape)
			if err != nil {
				return Table{}, fmt.Errorf("rank %d: %w", shard.Rank, err)
			}
			jobs = append(jobs, job)
		}
	}
	return m.table(jobs)
}

func (m *measurement) job(source shardAt, from plan.View, target shardAt, to plan.View, shape []int64) (segmentJob, error) {
	for _, side := range []struct {
		shard shardAt
		view  plan.View
	}{{source, from}, {target, to}} {
		lo, hi, ok := reach(side.view, shape)
		if len(side.view.Strides) != len(shape) || !ok || lo < 0 || hi >= side.shard.elements {
			return segmentJob{}, fmt.Errorf("a copy leaves its shard of %d elements", side.shard.elements)
		}
	}
	job := segmentJob{source: source.at, target: target.at, width: int(m.width)}
	job.sourceOffset, job.targetOffset = from.Offset, to.Offset
	for i, extent := range shape {
		job.axes = append(job.axes, axis{extent, from.Strides[i], to.Strides[i]})
	}
	return job, nil
}

func (m *measurement) table(jobs []segmentJob) (Table, error) {
	wide := Way{merge: true, form: kernel.ByWindow}
	entries, items := entriesInOrder(jobs, wide)
	at, err := m.upload(0, bytesOf(entries))
	return Table{at, uint64(len(entries)), items}, err
}

func (m *measurement) sizes(direct, gather, extract Table) Figure {
	bytes := func(elements int64, tables ...Table) int64 {
		for _, table := range tables {
			elements += int64(table.Count) * kernel.SegmentBytes / m.width
		}
		return elements * m.width
	}
	shards := m.sources.elements + m.target.elements
	return Figure{
		Segments:         len(m.subject.Plan.Segments),
		Bytes:            m.target.elements * m.width,
		DirectPeakBytes:  bytes(shards, direct),
		RebuildPeakBytes: bytes(shards+m.full.elements, gather, extract),
	}
}

// time measures, and compares after the first round.
func (m *measurement) time(ctx context.Context, figure *Figure, rounds int, direct, gather, extract Table) error {
	var directs, rebuilds, copies []time.Duration
	var gains, shares []float64
	whole := Box{Source: m.target.at, Target: m.direct.at, WidthBytes: figure.Bytes, Height: 1, Depth: 1}
	for round := range rounds + 1 {
		if err := ctx.Err(); err != nil {
			return err
		}
		a, err := timed(func() error { return m.device.CopySegments(direct) })
		if err != nil {
			return err
		}
		b, err := timed(func() error {
			if err := m.device.CopySegments(gather); err != nil {
				return err
			}
			return m.device.CopySegments(extract)
		})
		if err != nil {
			return err
		}
		if round == 0 { // which warms up
			if err := m.confirm(); err != nil {
				return err
			}
		}
		c, err := timed(func() error { return m.device.Copy([]Box{whole}) })
		if err != nil {
			return err
		}
		if round > 0 {
			directs, rebuilds, copies = append(directs, a), append(rebuilds, b), append(copies, c)
			gains, shares = append(gains, float64(b)/float64(a)), append(shares, float64(c)/float64(a))
		}
	}
	figure.Rounds = rounds
	figure.Direct, figure.Rebuild, figure.Copy = median(directs), median(rebuilds), median(copies)
	figure.RebuildOverDirect, figure.CopyOverDirect = median(gains), median(shares)
	return nil
}

// confirm has the device compare what both ways left, and the rebuilt tensor with the labelled one.
func (m *measurement) confirm() error {
	for _, pair := range []struct {
		what            string
		found, expected slab
	}{
		{"rebuilding leaves another full tensor", m.rebuilt, m.full},
		{"the plan leaves other target shards than the target map cuts", m.direct, m.target},
	} {
		wrong, err := m.differences(pair.found, pair.expected)
		if err != nil {
			return err
		}
		if wrong != 0 {
			return fmt.Errorf("%s: %d elements differ", pair.what, wrong)
		}
	}
	return nil
}

func (m *measurement) differences(found, expected slab) (uint64, error) {
	verdicts := []kernel.Verdict{{First: kernel.None}}
	at, err := m.upload(0, bytesOf(verdicts))
	if err != nil {
		return 0, err
	}
	table, err := m.upload(0, bytesOf([]kernel.Shard{{
		Found: uint64(found.at), Expected: uint64(expected.at), Sentinel: sentinel, Width: uint64(m.width), Verdict: uint64(at),
	}}))
	if err != nil {
		return 0, err
	}
	if err := m.device.CompareShards(Table{table, 1, uint64(found.elements)}); err != nil {
		return 0, err
	}
	if err := m.device.Download(bytesOf(verdicts), at); err != nil {
		return 0, err
	}
	if verdicts[0].Compared != uint64(found.elements) {
		return 0, fmt.Errorf("the device compared %d elements of %d", verdicts[0].Compared, found.elements)
	}
	return verdicts[0].WrongValues, nil
}

func timed(call func() error) (time.Duration, error) {
	start := time.Now()
	err := call()
	return time.Since(start), err
}

// median is the middle one of some values, of the upper half where their number is even.
func median[N time.Duration | float64](values []N) N {
	values = slices.Clone(values)
	slices.Sort(values)
	return values[len(values)/2]
}
