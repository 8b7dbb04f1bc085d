package props

import (
	"math"
	"math/bits"

	"github.com/shardproof/shardproof/plan"
)

// A digest hashes a request's values one by one: quick, so that a request can be hashed before and after each
// planning, and the same in every process. It is no defence against malice.
type digest uint64

func (d *digest) add(x uint64) {
	hi, lo := bits.Mul64(uint64(*d)^x^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	*d = digest(hi ^ lo + x)
}

func (d *digest) addInts(values []int64) {
	d.add(uint64(len(values)))
	for _, value := range values {
		d.add(uint64(value))
	}
}

func (d *digest) addRanks(ranks []int) {
	d.add(uint64(len(ranks)))
	for _, rank := range ranks {
		d.add(uint64(rank))
	}
}

func (d *digest) addText(text string) {
	d.add(uint64(len(text)))
	for i := range len(text) {
		d.add(uint64(text[i]))
	}
}

func (d *digest) addNumber(n *int64) {
	if n == nil {
		d.add(0)
		return
	}
	d.add(1)
	d.add(uint64(*n))
}

// fingerprint is a hash of everything in a request, the order of shards, pieces and locations included.
func fingerprint(request *plan.Request, seed uint64) uint64 {
	d := digest(seed)
	d.addMap(&request.Source)
	d.addMap(&request.Target)
	d.addSelector(&request.Selector)
	b := &request.Budget
	for _, limit := range [...]*int64{
		b.MaxNdim, b.MaxPiecesPerMap, b.MaxSegments, b.MaxPlanBytes,
		b.MaxPairChecks, b.MaxMergeChecks, b.MaxMergePasses,
	} {
		d.addNumber(limit)
	}
	return uint64(d)
}

func (d *digest) addMap(m *plan.Map) {
	d.addInts(m.LogicalShape)
	d.add(uint64(len(m.Shards)))
	for i := range m.Shards {
		shard := &m.Shards[i]
		d.add(uint64(shard.Rank))
		if shard.Undeclared {
			d.add(1)
		}
		d.addInts(shard.Shape)
		d.add(uint64(len(shard.Pieces)))
		for j := range shard.Pieces {
			d.addPiece(&shard.Pieces[j])
		}
	}
}

func (d *digest) addPiece(piece *plan.Piece) {
	d.addInts(piece.Shape)
	d.add(uint64(piece.Source.Offset))
	d.addInts(piece.Source.Strides)
	d.add(uint64(piece.Dest.Offset))
	d.addInts(piece.Dest.Strides)
	d.addRanks(piece.Locations)
	if piece.Scale != nil {
		d.add(math.Float64bits(*piece.Scale))
	}
}

func (d *digest) addSelector(s *plan.Selector) {
	d.addText(string(s.Policy))
	d.addText(string(s.Returns))
	d.add(uint64(len(s.Cost)))
	for _, cost := range s.Cost {
		d.add(uint64(cost.Source))
		d.add(uint64(cost.Target))
		d.add(uint64(cost.Cost))
	}
	// A Go map has no order, so its entries are hashed apart and added up.
	sum := uint64(len(s.Prefer))
	for target, sources := range s.Prefer {
		entry := digest(uint64(target))
		entry.addRanks(sources)
		sum += uint64(entry)
	}
	d.add(sum)
}
