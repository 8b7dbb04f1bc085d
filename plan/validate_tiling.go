package plan

import (
	"github.com/shardproof/shardproof/plan/internal/box"
)

// tiling judges that the pieces of each rank fill its shard: as many writes as there are addresses, none of
// them written twice.
func (j *judge) tiling() {
	for from := 0; from < len(j.pieces); {
		to := from + 1
		for to < len(j.pieces) && j.pieces[to].shard == j.pieces[from].shard {
			to++
		}
		j.tile(j.pieces[from:to])
		from = to
	}
}

// tile judges the shard of some pieces, which are all that place something in it.
func (j *judge) tile(pieces []placedPiece) {
	shard := pieces[0].shard
	volume := j.shards[shard].volume
	if writes, fits := j.writes(pieces); !fits {
		j.broken(RuleTiling, 15, j.rankPath(shard), "its pieces write more than its %d elements", volume)
	} else if writes != volume {
		j.broken(RuleTiling, 15, j.rankPath(shard), "its pieces write %d elements, and its %s shard has %d",
			writes, j.shards[shard], volume)
	}
	// Where the numbers agree, an address that is left out is another that is written twice.
	for i := range pieces {
		if pieces[i].dest.repeats {
			j.broken(RuleTiling, 14, j.path(shard, pieces[i].number), "writes an address twice")
		}
	}
	j.noSharedAddress(pieces)
}

// writes is the number of elements of the pieces; false where it leaves int64.
func (j *judge) writes(pieces []placedPiece) (int64, bool) {
	sum := int64(0)
	for i := range pieces {
		volume, fits := Elements(j.shapeOf(&pieces[i]))
		if !fits || volume > maxInt64-sum {
			return 0, false
		}
		sum += volume
	}
	return sum, true
}

func (j *judge) shapeOf(p *placedPiece) []int64 {
	return j.m.Shards[p.shard].Pieces[p.number].Shape
}

func (j *judge) noSharedAddress(pieces []placedPiece) {
	if len(pieces) < 2 {
		return
	}
	boxes := j.boxes[:0]
	for i := range pieces {
		if pieces[i].dest.filled {
			boxes = append(boxes, pieces[i].dest.Box)
		}
	}
	box.SelfJoin(boxes, func(x, y int) bool {
		first, second := nthFilled(pieces, x), nthFilled(pieces, y)
		j.broken(RuleTiling, 14, j.rankPath(first.shard), "pieces %d and %d both write %s of the %s shard",
			j.number(first.shard, first.number), j.number(second.shard, second.number), boxText(common(first.dest.Box, second.dest.Box)), j.shards[first.shard])
		return false
	})
}

// nthFilled is the n-th piece whose writes are a whole box.
func nthFilled(pieces []placedPiece, n int) *placedPiece {
	for i := range pieces {
		if pieces[i].dest.filled {
			if n == 0 {
				return &pieces[i]
			}
			n--
		}
	}
	panic("plan: no such piece")
}
