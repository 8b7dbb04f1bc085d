package gpucheck

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/shardproof/shardproof/gpucheck/kernel"
	"github.com/shardproof/shardproof/oracle"
)

// A run replays a batch of subjects at one width and digit, in each of several ways, from one upload.
type run struct {
	arena
	random   *rand.Rand
	width    int
	digit    int
	subjects []*subject
	sources  []side   // one a device
	targets  []side   // one a device
	at       [][]spot // for each subject: its source shards, then its target shards
	result   *Result
}

// A spot says where a shard went: an index of a device, and of a place there.
type spot struct{ device, place int }

// replay does the whole run, and leaves nothing behind on the devices.
func (r *run) replay(ways []Way) error {
	return r.release(r.replayHeld(ways))
}

func (r *run) replayHeld(ways []Way) error {
	r.place()
	if err := r.fill(); err != nil {
		return err
	}
	for _, way := range ways {
		if err := r.try(way); err != nil {
			return err
		}
	}
	return r.compare(r.sources, Way{Name: "all"}, r.explainSource)
}

// place spreads the shards over the devices: each subject's ranks in turn, beginning anywhere.
func (r *run) place() {
	devices := len(r.machine.Devices)
	for device := range devices {
		r.sources = append(r.sources, side{device: device, width: r.width})
		r.targets = append(r.targets, side{device: device, width: r.width})
	}
	for i, s := range r.subjects {
		var spots []spot
		add := func(sides []side, shards []labelled) {
			start := r.random.IntN(devices)
			for j := range shards {
				device := (start + j) % devices
				spots = append(spots, spot{device, sides[device].add(r.random, i, &shards[j])})
			}
		}
		add(r.sources, s.sources)
		add(r.targets, s.targets)
		r.at = append(r.at, spots)
	}
}

// fill fills the devices: sources twice, so that a change to them shows, and what the targets are to hold.
func (r *run) fill() error {
	for i := range r.sources {
		s := &r.sources[i]
		image := s.image(r.digit)
		var err error
		if s.found, err = r.upload(s.device, image); err != nil {
			return err
		}
		if s.expected, err = r.upload(s.device, image); err != nil {
			return err
		}
	}
	for i := range r.targets {
		s := &r.targets[i]
		var err error
		if s.expected, err = r.upload(s.device, s.image(r.digit)); err != nil {
			return err
		}
		if s.found, err = r.allocate(s.device, s.elements*int64(r.width)); err != nil {
			return err
		}
		if s.counts, err = r.allocate(s.device, s.elements*counterBytes); err != nil {
			return err
		}
	}
	return nil
}

// try carries all plans out in one way, their segments shuffled together, and compares.
func (r *run) try(way Way) error {
	for i := range r.targets {
		if err := r.clear(&r.targets[i]); err != nil {
			return err
		}
	}
	jobs := r.jobs(way)
	for device := range jobs {
		r.random.Shuffle(len(jobs[device]), func(i, j int) {
			jobs[device][i], jobs[device][j] = jobs[device][j], jobs[device][i]
		})
		if err := r.launch(device, jobs[device], way); err != nil {
			return err
		}
	}
	return r.compare(r.targets, way, r.explainTarget)
}

func (r *run) clear(s *side) error {
	if s.elements == 0 {
		return nil
	}
	device := r.machine.Devices[s.device]
	if err := device.Fill(s.found, sentinelByte, s.elements*int64(r.width)); err != nil {
		return err
	}
	return device.Fill(s.counts, 0, s.elements*counterBytes)
}

// jobs are the segments of all subjects, for the device that their target is on. A subject that is found wrong already
// is left out.
func (r *run) jobs(way Way) [][]segmentJob {
	jobs := make([][]segmentJob, len(r.machine.Devices))
	for i, s := range r.subjects {
		if s.finding != nil {
			continue
		}
		r.result.Carried++
		for _, segment := range s.segments {
			from, to := r.at[i][segment.source], r.at[i][len(s.sources)+segment.target]
			source, target := &r.sources[from.device], &r.targets[to.device]
			jobs[to.device] = append(jobs[to.device], segmentJob{
				segment: segment, from: from.device, width: r.width,
				source: source.element(source.places[from.place]),
				target: target.element(target.places[to.place]),
				counts: target.counter(target.places[to.place], way.counted),
			})
		}
	}
	return jobs
}

// launch carries segments out on the device of their targets.
func (r *run) launch(device int, jobs []segmentJob, way Way) error {
	var boxes []Box
	if way.driver {
		boxes, jobs = boxesOf(jobs)
	}
	entries, items := entriesInOrder(jobs, way)
	r.result.Segments += int64(len(jobs) + len(boxes))
	at, err := r.upload(device, bytesOf(entries))
	if err != nil {
		return err
	}
	start := time.Now()
	if len(entries) > 0 {
		if err := r.machine.Devices[device].CopySegments(Table{at, uint64(len(entries)), items}); err != nil {
			return err
		}
	}
	if len(boxes) > 0 {
		if err := r.machine.Devices[device].Copy(boxes); err != nil {
			return err
		}
	}
	r.result.Device += time.Since(start)
	return nil
}

// compare judges every shard of one kind where it is. Only a verdict a subject comes back, and what explain asks for.
func (r *run) compare(sides []side, way Way, explain func(*side, uint64, kernel.Verdict, Way) (*Finding, error)) error {
	r.result.Runs++
	for i := range sides {
		s := &sides[i]
		if len(s.places) == 0 {
			continue
		}
		verdicts, err := r.verdicts(s, way.counted)
		if err != nil {
			return err
		}
		r.result.Elements += s.shardElements()
		for subject, verdict := range verdicts {
			if verdict.WrongValues+verdict.WrongCounts == 0 || r.subjects[subject].finding != nil {
				continue
			}
			finding, err := explain(s, verdict.First, verdict, way)
			if err != nil {
				return err
			}
			finding.Case, finding.Way, finding.Width, finding.Digit = r.subjects[subject].name, way.Name, r.width, r.digit
			r.subjects[subject].finding = finding
		}
	}
	return nil
}

// verdicts has a device judge a side, and returns a verdict a subject.
func (r *run) verdicts(s *side, counted bool) ([]kernel.Verdict, error) {
	device := r.machine.Devices[s.device]
	verdicts := make([]kernel.Verdict, len(r.subjects))
	for i := range verdicts {
		verdicts[i].First = kernel.None
	}
	at, err := r.upload(s.device, bytesOf(verdicts))
	if err != nil {
		return nil, err
	}
	entries := s.entries(at, counted)
	table, err := r.upload(s.device, bytesOf(entries))
	if err != nil {
		return nil, err
	}
	if err := device.CompareShards(Table{table, uint64(len(entries)), uint64(s.elements)}); err != nil {
		return nil, err
	}
	if err := device.Download(bytesOf(verdicts), at); err != nil {
		return nil, err
	}
	return verdicts, s.whole(verdicts)
}

// shardElements is how many elements the shards of a side have, guards apart.
func (s *side) shardElements() int64 {
	sum := int64(0)
	for _, p := range s.places {
		sum += int64(len(p.shard.labels))
	}
	return sum
}

// whole checks that a device has looked at every element: a kernel that did nothing finds nothing.
func (s *side) whole(verdicts []kernel.Verdict) error {
	due := make([]uint64, len(verdicts))
	for _, p := range s.places {
		due[p.subject] += uint64(p.end - p.begin)
	}
	for i, verdict := range verdicts {
		if verdict.Compared != due[i] {
			return fmt.Errorf("the device compared %d elements of %d: its kernels do not work", verdict.Compared, due[i])
		}
	}
	return nil
}

// explainTarget says what is wrong with one element of a target shard.
func (r *run) explainTarget(s *side, element uint64, verdict kernel.Verdict, way Way) (*Finding, error) {
	p := s.placeOf(element)
	finding := &Finding{Rank: p.shard.rank, Address: int64(element) - p.origin()}
	found, err := r.download(s.device, s.found, element, r.width)
	if err != nil {
		return nil, err
	}
	wanted, err := r.download(s.device, s.expected, element, r.width)
	if err != nil {
		return nil, err
	}
	writes := "uncounted"
	if way.counted {
		counter, err := r.download(s.device, s.counts, element, counterBytes)
		if err != nil {
			return nil, err
		}
		writes = fmt.Sprintf("written %d times", uint32(littleEndian(counter)))
		finding.Clause = clauseOf(uint32(littleEndian(counter)), p.guards(element))
	} else {
		finding.Clause = clauseUncounted(found, p.guards(element))
	}
	finding.Detail = fmt.Sprintf("target rank %d address %d of %d: %s, holds %x where %x is due; %d values and %d counts are wrong",
		finding.Rank, finding.Address, p.shard.elements, writes, found, wanted, verdict.WrongValues, verdict.WrongCounts)
	return finding, nil
}

// explainSource says which source shard has changed.
func (r *run) explainSource(s *side, element uint64, verdict kernel.Verdict, _ Way) (*Finding, error) {
	p := s.placeOf(element)
	finding := &Finding{Clause: Source, Rank: p.shard.rank, Address: int64(element) - p.origin()}
	finding.Detail = fmt.Sprintf("source rank %d address %d of %d has changed; %d values have",
		finding.Rank, finding.Address, p.shard.elements, verdict.WrongValues)
	return finding, nil
}

func (r *run) download(device int, slab Address, element uint64, width int) ([]byte, error) {
	bytes := make([]byte, width)
	return bytes, r.machine.Devices[device].Download(bytes, slab+Address(element)*Address(width))
}

// placeOf is the place that an element of the slab is in.
func (s *side) placeOf(element uint64) place {
	for _, p := range s.places {
		if int64(element) < p.end {
			return p
		}
	}
	panic(fmt.Sprintf("gpucheck: element %d of %d", element, s.elements))
}

// guards reports whether an element of the slab is one of the place's guards.
func (p place) guards(element uint64) bool {
	return int64(element) < p.first || int64(element) >= p.first+int64(len(p.shard.labels))
}

// clauseOf is the clause that a wrong element breaks.
func clauseOf(writes uint32, guard bool) oracle.ClauseID {
	switch {
	case guard:
		return oracle.Bounds
	case writes == 0:
		return oracle.Cover
	case writes > 1:
		return oracle.Once
	}
	return oracle.Values
}

// clauseUncounted is clauseOf where only the value tells.
func clauseUncounted(found []byte, guard bool) oracle.ClauseID {
	for _, b := range found {
		if b != sentinelByte {
			return clauseOf(1, guard)
		}
	}
	return clauseOf(0, guard)
}

func littleEndian(bytes []byte) uint64 {
	n := uint64(0)
	for i := len(bytes) - 1; i >= 0; i-- {
		n = n<<8 | uint64(bytes[i])
	}
	return n
}
