package oracle

import (
	"fmt"

	"github.com/shardproof/shardproof/plan"
)

// NoValue fills what nothing has been placed in: an element of a shard or a tensor that no piece covers, or a
// target element that no segment has written. It is no label.
const NoValue int64 = -1

// Labels is the full tensor of a map with its labels: element i holds i. It is an error where there are more
// than MaxElements.
func Labels(m plan.Map) ([]int64, error) {
	n, ok := counted(m.LogicalShape, MaxElements)
	if !ok {
		return nil, fmt.Errorf("logical shape %v has more than %d elements", m.LogicalShape, MaxElements)
	}
	full := make([]int64, n)
	for i := range full {
		full[i] = int64(i)
	}
	return full, nil
}

// Extract cuts the full tensor, in row-major order, into the shards of a map, in the map's order. It is an
// error where the map cannot be walked: a piece leaves the tensor or its shard, two pieces place elements at
// one address, or an address is left without one.
func Extract(m plan.Map, full []int64) ([][]int64, error) {
	if err := walkable(m, int64(len(full))); err != nil {
		return nil, err
	}
	shards := make([][]int64, len(m.Shards))
	for i := range m.Shards {
		shard := ranked{Shard: &m.Shards[i]}
		shard.elements, _ = plan.Elements(shard.Shape)
		filled, err := extractShard(shard, full)
		if err != nil {
			return nil, err
		}
		shards[i] = filled
	}
	return shards, nil
}

func extractShard(shard ranked, full []int64) ([]int64, error) {
	values, placed := make([]int64, shard.elements), make([]bool, shard.elements)
	count := int64(0)
	p := walkPieces("this", shard, int64(len(full)), new(rows), func(walk *rows) problem {
		count += walk.count
		index, address := walk.first[0], walk.first[1]
		for range walk.count {
			if placed[address] {
				return placedTwice
			}
			placed[address], values[address] = true, full[index]
			index += walk.step[0]
			address += walk.step[1]
		}
		return ""
	})
	switch {
	case p != "":
		return nil, fmt.Errorf("%s", p)
	case count != shard.elements:
		return nil, fmt.Errorf("this map: rank %d: the pieces leave a gap in the shard", shard.Rank)
	}
	return values, nil
}

// A Disagreement is that two ranks hold different values for one element of the tensor, or one rank does.
type Disagreement struct {
	Coordinate     []int64 // of the logical element
	RankA, RankB   int
	ValueA, ValueB int64 // what rank A and rank B hold
}

// Error names the element, the ranks and the values.
func (d *Disagreement) Error() string {
	return fmt.Sprintf("logical %v is %d on rank %d and %d on rank %d", d.Coordinate, d.ValueA, d.RankA, d.ValueB, d.RankB)
}

// A Gap is an element of the tensor that no rank holds.
type Gap struct{ Coordinate []int64 }

// Error names the element.
func (g *Gap) Error() string { return fmt.Sprintf("logical %v is held by no rank", g.Coordinate) }

// Rebuild puts the full tensor together again out of the shards of a map, in the map's order. Every element
// of every piece is read, so replicas that differ anywhere are a *Disagreement, whatever their cuts. An
// element that no rank holds is a *Gap. Any other error says why the map cannot be walked.
func Rebuild(m plan.Map, shards [][]int64) ([]int64, error) {
	n, _ := plan.Elements(m.LogicalShape)
	if err := walkable(m, n); err != nil {
		return nil, err
	}
	if len(shards) != len(m.Shards) {
		return nil, fmt.Errorf("%d shards for a map of %d", len(shards), len(m.Shards))
	}
	b := rebuilding{m: &m, full: make([]int64, n), from: make([]int32, n)}
	for i := range m.Shards {
		if err := b.read(i, shards[i]); err != nil {
			return nil, err
		}
	}
	for label, from := range b.from {
		if from == 0 {
			return nil, &Gap{coordinate(m.LogicalShape, int64(label))}
		}
	}
	return b.full, nil
}

// A rebuilding is a full tensor on its way, and the shard that each element was first read from, plus one.
type rebuilding struct {
	m    *plan.Map
	full []int64
	from []int32
}

func (b *rebuilding) read(i int, values []int64) error {
	shard := ranked{Shard: &b.m.Shards[i], elements: int64(len(values))}
	if n, _ := plan.Elements(shard.Shape); n != shard.elements {
		return fmt.Errorf("rank %d: %d values for a shard %v", shard.Rank, len(values), shard.Shape)
	}
	var found *Disagreement
	p := walkPieces("this", shard, int64(len(b.full)), new(rows), func(walk *rows) problem {
		label, address := walk.first[0], walk.first[1]
		for range walk.count {
			value := values[address]
			if from := b.from[label]; from == 0 {
				b.full[label], b.from[label] = value, int32(i+1)
			} else if b.full[label] != value {
				found = &Disagreement{coordinate(b.m.LogicalShape, label), b.m.Shards[from-1].Rank, shard.Rank, b.full[label], value}
				return found.Error()
			}
			label += walk.step[0]
			address += walk.step[1]
		}
		return ""
	})
	switch {
	case found != nil:
		return found
	case p != "":
		return fmt.Errorf("%s", p)
	}
	return nil
}

// walkable checks the sizes of a map against those of a full tensor.
func walkable(m plan.Map, elements int64) error {
	if n, ok := plan.Elements(m.LogicalShape); !ok || n != elements {
		return fmt.Errorf("a tensor of %d elements is not of logical shape %v", elements, m.LogicalShape)
	}
	if _, p := sized("this", &m, rank(nil, m)); p != "" {
		return fmt.Errorf("%s", p)
	}
	return nil
}
