package props

import (
	"math"
	"math/bits"

	"github.com/shardproof/shardproof/plan"
)

// A digest hashes a request's values: quick, so that a request can be hashed before and after each planning,
// and the same in every process. It is no defence against malice.
type digest uint64

// add mixes in a word. What words are mixed, and in what order, decides what comes out.
func (d *digest) add(x uint64) {
	hi, lo := bits.Mul64(uint64(*d)^x^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	*d = digest(hi ^ lo + x)
}

// weights are odd numbers without a pattern: the first of a SplitMix64 sequence.
var weights = func() (table [64]uint64) {
	state := uint64(0)
	for i := range table {
		state += 0x9e3779b97f4a7c15
		z := (state ^ state>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		table[i] = z ^ z>>31 | 1
	}
	return table
}()

// weigh is a list as one word: its length and its values times the weights from one on. Unlike mixing, the
// products do not wait for each other.
func weigh(values []int64, from int) uint64 {
	sum := uint64(len(values)) * weights[from&63]
	for i, value := range values {
		sum += uint64(value) * weights[(from+1+i)&63]
	}
	return sum
}

func (d *digest) addInts(values []int64) { d.add(weigh(values, 0)) }

func (d *digest) addRanks(ranks []int) {
	sum := uint64(len(ranks)) * weights[0]
	for i, rank := range ranks {
		sum += uint64(rank) * weights[(1+i)&63]
	}
	d.add(sum)
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
	// Each field has weights of its own, so that values that change places do not weigh the same.
	sum := weigh(piece.Shape, 0) + weigh(piece.Source.Strides, 10) + weigh(piece.Dest.Strides, 20)
	sum += uint64(piece.Source.Offset)*weights[30] + uint64(piece.Dest.Offset)*weights[31]
	if piece.Scale != nil {
		sum += math.Float64bits(*piece.Scale)*weights[32] + weights[33]
	}
	d.add(sum)
	d.addRanks(piece.Locations)
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
