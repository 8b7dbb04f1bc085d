package plan_test

import (
	"testing"

	"github.com/shardproof/shardproof/plan"
)

// cyclicColumns cuts a tensor into blocks of columns that are dealt to the ranks in turn, and each block into
// runs of rows. A shard has its blocks side by side.
func cyclicColumns(ranks, blocks, runs int64) plan.Map {
	const width, height = 4, 6
	m := plan.Map{LogicalShape: []int64{height * runs, width * blocks}}
	for rank := range ranks {
		shard := plan.Shard{Rank: int(rank), Shape: []int64{height * runs, width * blocks / ranks}}
		for own := range blocks / ranks {
			for run := range runs {
				shard.Pieces = append(shard.Pieces, plan.Piece{
					Shape:     []int64{height, width},
					Source:    plan.View{Offset: run*height*width*blocks + (own*ranks+rank)*width, Strides: []int64{width * blocks, 1}},
					Dest:      plan.View{Offset: run*height*shard.Shape[1] + own*width, Strides: []int64{shard.Shape[1], 1}},
					Locations: []int{int(rank)},
				})
			}
		}
		m.Shards = append(m.Shards, shard)
	}
	return m
}

// replicas holds one axis of 2^40 elements on each rank, in a part more than on the rank before.
func replicas(ranks, parts int64) plan.Map {
	m := plan.Map{LogicalShape: []int64{1 << 40}}
	var all []int
	for rank := range ranks {
		all = append(all, int(rank))
	}
	for rank := range ranks {
		shard := plan.Shard{Rank: int(rank), Shape: []int64{1 << 40}}
		n := parts + rank
		for part := range n {
			lo, hi := (1<<40)/n*part, (1<<40)/n*(part+1)
			if part == n-1 {
				hi = 1 << 40
			}
			view := plan.View{Offset: lo, Strides: []int64{1}}
			shard.Pieces = append(shard.Pieces, plan.Piece{Shape: []int64{hi - lo}, Source: view, Dest: view, Locations: all})
		}
		m.Shards = append(m.Shards, shard)
	}
	return m
}

// BenchmarkValidate judges maps that keep every rule.
func BenchmarkValidate(b *testing.B) {
	for _, c := range []struct {
		name string
		m    plan.Map
	}{
		{"4 ranks, 3 pieces", cyclicColumns(4, 12, 1)},
		{"4 ranks, 3 replicated pieces", replicated(4, 3)},
		{"4 ranks, 3 transposed pieces", transposed(cyclicColumns(4, 12, 1))},
		{"20000 column blocks", cyclicColumns(4, 20_000, 1)},
		{"40000 column blocks", cyclicColumns(4, 40_000, 1)},
		{"a grid of 20000 blocks", cyclicColumns(4, 200, 100)},
		{"a grid of 40000 blocks", cyclicColumns(4, 200, 200)},
		{"20000 pieces of one rank", cyclicColumns(1, 200, 100)},
		{"20000 transposed pieces", transposed(cyclicColumns(4, 200, 100))},
		{"20000 ranks", cyclicColumns(20_000, 20_000, 1)},
		{"8 replicas, 2500 pieces each", replicas(8, 2500)},
		{"2 replicas, 10000 pieces each", replicas(2, 10_000)},
	} {
		pieces := 0
		for _, shard := range c.m.Shards {
			pieces += len(shard.Pieces)
		}
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if violations := c.m.Validate(); violations != nil {
					b.Fatal(violations)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(pieces), "ns/piece")
		})
	}
}

// replicated holds column blocks on every rank.
func replicated(ranks, blocks int64) plan.Map {
	m := cyclicColumns(1, blocks, 1)
	for rank := int64(1); rank < ranks; rank++ {
		shard := m.Shards[0]
		shard.Rank = int(rank)
		m.Shards = append(m.Shards, shard)
	}
	for s := range m.Shards {
		m.Shards[s].Pieces = append([]plan.Piece(nil), m.Shards[s].Pieces...)
		for p := range m.Shards[s].Pieces {
			m.Shards[s].Pieces[p].Locations = nil
			for rank := range ranks {
				m.Shards[s].Pieces[p].Locations = append(m.Shards[s].Pieces[p].Locations, int(rank))
			}
		}
	}
	return m
}

// transposed stores a map's shards with their two axes exchanged.
func transposed(m plan.Map) plan.Map {
	m = cloneMap(m)
	for s := range m.Shards {
		shape := m.Shards[s].Shape
		rows, columns := shape[0], shape[1]
		m.Shards[s].Shape = []int64{columns, rows}
		for p := range m.Shards[s].Pieces {
			dest := &m.Shards[s].Pieces[p].Dest
			row, column := dest.Offset/columns, dest.Offset%columns
			*dest = plan.View{Offset: column*rows + row, Strides: []int64{1, rows}}
		}
	}
	return m
}
