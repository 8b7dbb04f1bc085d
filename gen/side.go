package gen

import (
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/layout"
)

// A family draws one side of a case: the mesh of this package, or one of plan/layout's.
type family struct {
	name   string
	layout *layout.Family // nil: the mesh
}

// fits reports whether the family can spread that shape over so many ranks. A mesh always can.
func (f family) fits(shape []int64, degree int) bool {
	return f.layout == nil || f.layout.Fits(shape, degree)
}

// spares are ranks that a side has beside the family's own: each holds nothing, or what another rank holds.
type spares struct {
	empty, replica int
}

func (d *draw) spares(axes int) spares {
	var s spares
	if axes > 0 && d.oneIn("empty ranks", 12) {
		s.empty = 1 + d.upTo("more empty ranks", 1)
	}
	if d.oneIn("replica rank", 7) {
		s.replica = 1
	}
	return s
}

// side draws a map of the tensor by the family, and then what every layout may have done to it.
func (d *draw) side(of tensor, by family, degree int) plan.Map {
	extra := d.spares(len(of.shape))
	var m plan.Map
	if by.layout == nil {
		m = d.meshMap(of, extra)
	} else {
		m = d.layoutMap(of, by.layout, degree, extra)
	}
	d.disguise(&m)
	return m
}

// meshMap draws a map that is one mesh, or two meshes of different ranks, one after the other on axis 0.
func (d *draw) meshMap(of tensor, extra spares) plan.Map {
	var meshes [2]mesh
	cut, n := int64(0), 1
	if len(of.shape) > 0 && of.shape[0] > 1 && d.oneIn("two meshes", 8) {
		cut, n = d.choose("where the first mesh ends", 1, of.shape[0]-1), 2
		meshes[1] = d.mesh(of.shape, 0, cut, 0, maxRanks/2)
	}
	end := int64(0)
	if len(of.shape) > 0 {
		end = of.shape[0]
	}
	meshes[0] = d.mesh(of.shape, cut, end, meshes[1].ranks, maxRanks/2)
	count := meshes[0].ranks + meshes[1].ranks
	ids, spare := d.ranksWithSpares(count, extra)
	built := plan.Map{LogicalShape: of.shape, Shards: d.takeShards(count + len(spare))[:0]}
	how := d.placing()
	for i := n - 1; i >= 0; i-- {
		for rank := range meshes[i].ranks {
			built.Shards = append(built.Shards, d.meshShard(of, &meshes[i], rank, ids, how.next(d)))
		}
	}
	d.addSpares(&built, of, spare, extra)
	return built
}

// A placingStyle says how the ranks of a side place what they hold.
type placingStyle struct {
	placing
	each bool // each rank draws whether it is flat
}

func (d *draw) placing() placingStyle {
	style := placingStyle{placing: placing{keepEmpty: d.oneIn("keep empty pieces", 4)}}
	switch d.upTo("flat shards", 31) {
	case 30:
		style.each = true
	case 31:
		style.flat = true
	}
	return style
}

func (s placingStyle) next(d *draw) placing {
	if s.each {
		s.flat = d.oneIn("flat", 2)
	}
	return s.placing
}

// layoutMap builds a map of plan/layout and gives its ranks, which count from 0, ids of any kind.
func (d *draw) layoutMap(of tensor, by *layout.Family, degree int, extra spares) plan.Map {
	built, err := by.Build(by.Draw(d.choose, of.shape, degree))
	if err != nil {
		panic("gen: a layout refuses what it drew itself: " + err.Error())
	}
	ids, spare := d.ranksWithSpares(len(built.Shards), extra)
	shards := d.takeShards(len(built.Shards) + len(spare))[:len(built.Shards)]
	copy(shards, built.Shards)
	built.Shards = shards
	for s := range built.Shards {
		shard := &built.Shards[s]
		shard.Rank = ids[shard.Rank]
		for p := range shard.Pieces {
			for i, location := range shard.Pieces[p].Locations {
				shard.Pieces[p].Locations[i] = ids[location]
			}
		}
	}
	d.addSpares(&built, of, spare, extra)
	return built
}

// ranksWithSpares draws ids for so many ranks, and ids that stand somewhere among them for the spare ones.
func (d *draw) ranksWithSpares(n int, extra spares) (ids, spare []int) {
	count := extra.empty + extra.replica
	ids = d.rankIDs(n + count)
	for range count {
		last := len(ids) - 1
		at := last
		if n > 0 {
			at -= d.upTo("spare rank from the end", last)
		}
		id := ids[at]
		copy(ids[at:], ids[at+1:])
		ids[last] = id
		ids = ids[:last]
	}
	return ids, ids[n : n+count]
}

// addSpares gives the spare ranks their shards.
func (d *draw) addSpares(m *plan.Map, of tensor, ids []int, extra spares) {
	for i, id := range ids {
		if i < extra.empty {
			m.Shards = append(m.Shards, d.emptyShard(of, id))
		} else {
			d.addReplica(m, d.upTo("replica of", len(m.Shards)-1), id)
		}
	}
}

// emptyShard is a shard without elements of a tensor with axes: one extent is zero, the others any.
func (d *draw) emptyShard(of tensor, id int) plan.Shard {
	shard := plan.Shard{Rank: id, Shape: d.copyInts(of.shape), Pieces: []plan.Piece{}}
	shard.Shape[d.upTo("axis of the empty shard", len(of.shape)-1)] = 0
	return shard
}
