package gen

import (
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// A Corruption is a way to put one fault into a valid request, and the refusals that are due for it.
//
// The fault is real whatever is drawn: each is built so that the request is wrong, or, for legal geometry
// that a planner may leave out, so that the geometry is there. A request whose base has such geometry too may
// be refused for that as well.
type Corruption struct {
	Name string
	Doc  string // one line: what is wrong
	Rows []int  // of the refusal table

	kinds []plan.Kind // due; none: the request is right, and a planner may refuse it as unsupported
	apply func(*draw, *subject)
}

// A subject is the request that a corruption works on.
type subject struct {
	plan.Request
	tensor
	side *plan.Map // the map to be corrupted, one of the request's two
	wide bool      // the request has geometry that a planner may leave out, before any fault
}

// redraw starts again from other valid maps, of a tensor of the fault's own.
func (s *subject) redraw(d *draw, of tensor) {
	s.tensor = of
	s.Source, s.Target = d.solidSide(of), d.solidSide(of)
	s.wide = wide(&s.Request)
}

// replace puts a valid map in place of the one to be corrupted.
func (s *subject) replace(side plan.Map) {
	*s.side = side
	s.wide = wide(&s.Request)
}

// onSource reports whether it is the source that is corrupted.
func (s *subject) onSource() bool { return s.side == &s.Source }

// CorruptionTable lists every way to corrupt a request, sorted by name.
func CorruptionTable() []Corruption { return slices.Clone(corruptions) }

// Corrupted draws a request with one fault, any that there is, and the refusals that are due for it.
func Corrupted(choose Choose) plan.Case {
	return corruptions[choose("fault", 0, int64(len(corruptions)-1))].Draw(choose)
}

// Draw draws a request with this fault and the refusals that are due for it.
func (c Corruption) Draw(choose Choose) plan.Case {
	d := &draw{choose: choose}
	s := new(subject)
	s.redraw(d, d.solidTensor())
	s.side = &s.Source
	if d.oneIn("corrupt the target", 2) {
		s.side = &s.Target
	}
	c.apply(d, s)
	drawn := plan.Case{Request: s.Request, Origin: corruptedPrefix + c.Name}
	if c.kinds == nil {
		drawn.Expect = d.due(&drawn.Request)
		return drawn
	}
	drawn.Expect = plan.Expect{Outcome: plan.Refused, Kinds: slices.Clone(c.kinds)}
	if (s.wide || cutsOtherwise(s)) && !slices.Contains(c.kinds, plan.Unsupported) {
		drawn.Expect.Kinds = append(drawn.Expect.Kinds, plan.Unsupported)
	}
	return drawn
}

// corruptedPrefix begins the origin of a corrupted case; the corruption's name follows.
const corruptedPrefix = "corrupted: "

// cutsOtherwise reports whether two source ranks hold parts of one region in pieces that are cut at different
// boundaries, by their geometry and whatever their locations say: a planner that looks at cuts before it
// looks at locations may call that unsupported.
func cutsOtherwise(s *subject) bool {
	if !s.onSource() {
		return false
	}
	for i := range s.Source.Shards {
		for j := range s.Source.Shards[:i] {
			if overlapOtherwise(s.Source.Shards[i].Pieces, s.Source.Shards[j].Pieces, s.strides) {
				return true
			}
		}
	}
	return false
}

func overlapOtherwise(some, others []plan.Piece, strides []int64) bool {
	for a := range some {
		for b := range others {
			same := some[a].Source.Offset == others[b].Source.Offset && slices.Equal(some[a].Shape, others[b].Shape)
			if !same && meet(&some[a], &others[b], strides) {
				return true
			}
		}
	}
	return false
}

// meet reports whether two boxes of the tensor share an element. Pieces whose form is wrong meet nothing.
func meet(a, b *plan.Piece, strides []int64) bool {
	if len(a.Shape) != len(strides) || len(b.Shape) != len(strides) {
		return false
	}
	first, second := a.Source.Offset, b.Source.Offset
	for axis, stride := range strides {
		lo, other := first/stride, second/stride
		if lo+a.Shape[axis] <= other || other+b.Shape[axis] <= lo {
			return false
		}
		first, second = first%stride, second%stride
	}
	return true
}

// solidSide draws a map of a small tensor, by a family that can spread it.
func (d *draw) solidSide(of tensor) plan.Map {
	by, degree := everything.families[everything.family(d)], d.from("degree", degrees)
	if !by.fits(of.shape, degree) {
		by = everything.families[0]
	}
	return d.side(of, by, degree)
}

// place is where a piece stands in a map.
type place struct{ shard, piece int }

func (p place) in(m *plan.Map) *plan.Piece { return &m.Shards[p.shard].Pieces[p.piece] }

// placed chooses a piece with so many elements at least. It is false where the map has none.
func (d *draw) placed(m *plan.Map, least int64) (place, bool) {
	var found []place
	for s := range m.Shards {
		for p := range m.Shards[s].Pieces {
			if elements, _ := plan.Elements(m.Shards[s].Pieces[p].Shape); elements >= least {
				found = append(found, place{s, p})
			}
		}
	}
	if len(found) == 0 {
		return place{}, false
	}
	return found[d.upTo("piece", len(found)-1)], true
}

// anyPlaced chooses a piece that places something: a map of a solid tensor has one.
func (d *draw) anyPlaced(s *subject) place {
	at, ok := d.placed(s.side, 1)
	if !ok {
		panic("gen: a map of a tensor with elements places none")
	}
	return at
}

// divisible chooses a piece of two elements or more. Where the map has none, it becomes one of whole
// replicas first.
func (d *draw) divisible(s *subject) place {
	if at, ok := d.placed(s.side, 2); ok {
		return at
	}
	s.replace(d.wholeMap(s.tensor, 1+d.upTo("more replicas", 1)))
	return d.anyPlaced(s)
}

// wholeMap is a map in which each of n ranks holds the whole tensor.
func (d *draw) wholeMap(of tensor, n int) plan.Map {
	built := plan.Map{LogicalShape: of.shape, Shards: d.takeShards(n)}
	ids := d.rankIDs(n)
	for i := range built.Shards {
		pieces := d.takePieces(1)
		pieces[0] = plan.Piece{
			Shape: d.copyInts(of.shape), Locations: slices.Clone(ids),
			Source: plan.View{Strides: d.copyInts(of.strides)}, Dest: plan.View{Strides: d.copyInts(of.strides)},
		}
		built.Shards[i] = plan.Shard{Rank: ids[i], Shape: d.copyInts(of.shape), Pieces: pieces}
	}
	return built
}

// freshRank is a rank id that a map does not have.
func freshRank(m *plan.Map) int {
	rank := 0
	for s := range m.Shards {
		rank = max(rank, m.Shards[s].Rank+1)
	}
	return rank
}

// withRoom gives the map room for one more shard.
func withRoom(m *plan.Map) { m.Shards = append(make([]plan.Shard, 0, len(m.Shards)+1), m.Shards...) }

// addReplicaOf adds a rank that holds what the rank of a piece holds, and returns its number among the shards.
func (d *draw) addReplicaOf(s *subject, at place) int {
	withRoom(s.side)
	d.addReplica(s.side, at.shard, freshRank(s.side))
	return len(s.side.Shards) - 1
}

// ownPieces gives a shard pieces that it shares with no other.
func ownPieces(shard *plan.Shard) { shard.Pieces = slices.Clone(shard.Pieces) }

// with is a copy of a list with one entry changed.
func with(values []int64, i int, value int64) []int64 {
	changed := slices.Clone(values)
	changed[i] = value
	return changed
}

// anEmptyPiece adds a rank without elements that has an empty piece, and returns that.
func (d *draw) anEmptyPiece(s *subject) *plan.Piece {
	withRoom(s.side)
	rank := freshRank(s.side)
	shard := d.emptyShard(s.tensor, rank)
	shard.Pieces = []plan.Piece{{
		Shape:     slices.Clone(shard.Shape),
		Source:    plan.View{Strides: slices.Clone(s.strides)},
		Dest:      plan.View{Strides: slices.Clone(s.strides)},
		Locations: []int{rank},
	}}
	s.side.Shards = append(s.side.Shards, shard)
	return &s.side.Shards[len(s.side.Shards)-1].Pieces[0]
}

// anyPiece chooses a piece that places something or, as often, an empty one in a shard without elements.
func (d *draw) anyPiece(s *subject) *plan.Piece {
	if d.oneIn("an empty piece", 2) {
		return d.anEmptyPiece(s)
	}
	return d.anyPlaced(s).in(s.side)
}
