package gpucheck

import (
	"errors"
	"fmt"

	"github.com/shardproof/shardproof/oracle"
	"github.com/shardproof/shardproof/plan"
)

// A Subject is a plan to replay and the request that it answers.
type Subject struct {
	Name string
	plan.Request
	Plan plan.Plan
}

// A subject is a Subject with the labels that its shards hold, by package oracle.
type subject struct {
	name             string
	sources, targets []labelled
	segments         []segment
	elements         int64 // of the target shards
	largest          int64 // label
	finding          *Finding
}

// slabElements is about how many elements of slabs the subject takes.
func (s *subject) slabElements() int64 {
	guards := (len(s.sources) + len(s.targets)) * 2 * (minGuard + guardSpread/2)
	return s.elements + s.largest + int64(guards)
}

// A labelled is a shard and the label of each of its elements.
type labelled struct {
	rank     int
	elements int64
	labels   []int64
}

// prepare lays out a subject's labels. It has a finding, and no labels, where its plan must not even be launched: that
// is known at any size. The error says why it cannot be replayed: too large, or no maps.
func prepare(s Subject, limit int64) (*subject, error) {
	elements, ok := Elements(s.Request)
	if !ok {
		return nil, errors.New("more elements than 64 bits count")
	}
	prepared := &subject{name: s.Name, sources: shardsOf(s.Source), targets: shardsOf(s.Target)}
	for _, shard := range prepared.targets {
		prepared.elements += shard.elements
	}
	if prepared.finding = prepared.resolve(s.Request, s.Plan); prepared.finding != nil {
		prepared.finding.Case = s.Name
		return prepared, nil
	}
	if elements > limit {
		return nil, fmt.Errorf("more than %d elements", limit)
	}
	return prepared, prepared.label(s.Request)
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
	s.largest = int64(len(full)) - 1
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

// Elements is the most elements that the tensor, the source shards or the target shards of a request have together: what
// Options.MaxElements bounds. It is false past int64.
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
