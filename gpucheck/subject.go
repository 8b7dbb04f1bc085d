package gpucheck

import (
	"errors"
	"fmt"
	"slices"

	"github.com/shardproof/shardproof/oracle"
	"github.com/shardproof/shardproof/plan"
)

// A Subject is a plan to replay and the request that it answers.
type Subject struct {
	Name string
	plan.Request
	Plan plan.Plan
}

// A subject is a Subject with the labels that its shards hold, by package oracle; or windows of one that is too large.
type subject struct {
	name             string
	sampled          bool // in windows
	sources, targets []labelled
	segments         []segment
	largest          int64 // label
	finding          *Finding
}

// A labelled is a stretch of a shard and the label of each of its elements.
type labelled struct {
	rank     int
	elements int64 // of the whole shard
	begin    int64 // address of the stretch in the shard
	labels   []int64
}

// prepare lays out a subject's labels. It has a finding, and no labels, where its plan must not even be launched: that
// is known at any size. The error says why it cannot be replayed.
func prepare(s Subject, o Options) (*subject, error) {
	prepared := &subject{name: s.Name}
	finding, err := prepared.lay(s, o)
	if finding != nil {
		finding.Case = s.Name
		prepared.finding = finding
	}
	prepared.measure()
	return prepared, err
}

func (s *subject) lay(from Subject, o Options) (*Finding, error) {
	stated, due := from.Plan.LogicalShape, from.Source.LogicalShape
	if stated != nil && !slices.Equal(stated, due) {
		return invalid("logical shape %v in place of %v", stated, due), nil
	}
	elements, ok := Elements(from.Request)
	if !ok {
		return nil, errors.New("more elements than 64 bits count")
	}
	s.sources, s.targets = shardsOf(from.Source), shardsOf(from.Target)
	if finding := s.resolve(from.Plan); finding != nil {
		return finding, nil
	}
	if elements > o.maxElements() {
		return s.sample(from.Request, o.randomOf(s.name))
	}
	return nil, s.label(from.Request)
}

// shardsOf is the shards of a map, whose sizes are known to fit, without labels.
func shardsOf(m plan.Map) []labelled {
	shards := make([]labelled, len(m.Shards))
	for i, shard := range m.Shards {
		elements, _ := plan.Elements(shard.Shape)
		shards[i] = labelled{rank: shard.Rank, elements: elements}
	}
	return shards
}

// label has the oracle say what each shard holds.
func (s *subject) label(r plan.Request) error {
	full, err := oracle.Labels(r.Source)
	if err != nil {
		return err
	}
	for _, side := range []struct {
		name   string
		of     plan.Map
		shards []labelled
	}{{"source", r.Source, s.sources}, {"target", r.Target, s.targets}} {
		cut, err := oracle.Extract(side.of, full)
		if err != nil {
			return fmt.Errorf("%s: %w", side.name, err)
		}
		for i := range side.shards {
			side.shards[i].labels = cut[i]
		}
	}
	return nil
}

// measure finds the largest label.
func (s *subject) measure() {
	s.largest = 0
	for _, shards := range [][]labelled{s.sources, s.targets} {
		for _, shard := range shards {
			for _, label := range shard.labels {
				s.largest = max(s.largest, label)
			}
		}
	}
}

// slabElements is about how many elements of slabs the subject takes.
func (s *subject) slabElements() int64 {
	sum := int64(0)
	for _, shards := range [][]labelled{s.sources, s.targets} {
		for _, shard := range shards {
			sum += int64(len(shard.labels)) + 2*minGuard + guardSpread
		}
	}
	return sum
}

// Elements is the most elements that the tensor, the source shards or the target shards of a request have together: past
// Options.MaxElements they are replayed in windows. It is false past int64.
func Elements(r plan.Request) (int64, bool) {
	largest, ok := plan.Elements(r.Source.LogicalShape)
	for _, side := range []plan.Map{r.Source, r.Target} {
		sum := int64(0)
		for _, shard := range side.Shards {
			elements, fits := plan.Elements(shard.Shape)
			sum += elements
			ok = ok && fits && sum >= 0
		}
		largest = max(largest, sum)
	}
	return largest, ok
}
