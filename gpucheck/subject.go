package gpucheck

import (
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
	rank   int
	labels []int64
}

// prepare lays out a subject's labels. The error says why it cannot be replayed: too large, or no maps. It has a
// finding already where its plan must not even be launched.
func prepare(s Subject, limit int64) (*subject, error) {
	if elements, ok := Elements(s.Request); !ok || elements > limit {
		return nil, fmt.Errorf("more than %d elements", limit)
	}
	full, err := oracle.Labels(s.Source)
	if err != nil {
		return nil, err
	}
	prepared := &subject{name: s.Name, largest: int64(len(full)) - 1}
	if prepared.sources, err = shardLabels(s.Source, full); err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	if prepared.targets, err = shardLabels(s.Target, full); err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	for _, shard := range prepared.targets {
		prepared.elements += int64(len(shard.labels))
	}
	if prepared.finding = prepared.resolve(s.Request, s.Plan); prepared.finding != nil {
		prepared.finding.Case = s.Name
	}
	return prepared, nil
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

func shardLabels(m plan.Map, full []int64) ([]labelled, error) {
	cut, err := oracle.Extract(m, full)
	if err != nil {
		return nil, err
	}
	shards := make([]labelled, len(cut))
	for i, labels := range cut {
		shards[i] = labelled{m.Shards[i].Rank, labels}
	}
	return shards, nil
}
