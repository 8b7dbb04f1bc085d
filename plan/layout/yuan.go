package layout

import (
	"fmt"

	"github.com/shardproof/shardproof/plan"
)

var yuan = Family{
	Name:       "yuan",
	Doc:        "half of a rank's heads from each half of an axis (Yuan's value; on axis 1, its output projection)",
	Parameters: []string{"shape", "heads", "degree", "axis"},
	Axes:       1,
	Grain:      yuanGrain,
	draw: func(choose Choose, shape []int64, degree int, axes []int) Arguments {
		axis, grain := drawAxis(choose, axes), yuanGrain(degree)
		return Arguments{Axis: axis, Heads: grain * drawDivisor(choose, "heads", shape[axis]/grain, 4)}
	},
	build: func(a Arguments) (plan.Map, error) { return Yuan(a.Shape, a.Axis, a.Heads, a.Degree) },
}

// yuanGrain is the least number of heads: even, and divisible by the degree.
func yuanGrain(degree int) int64 { return int64(degree + degree%2*degree) }

// Yuan is the map of an axis of equal heads in which a rank holds the heads of [YuanHeads]: axis 0 of the
// value weight, axis 1 of the output projection.
//
// With an odd number of heads a rank, neighbouring ranks hold some heads both, and locations say so.
func Yuan(shape []int64, axis int, heads int64, degree int) (plan.Map, error) {
	ids, err := YuanHeads(heads, degree)
	if err != nil {
		return plan.Map{}, err
	}
	return Gather(shape, axis, heads, ids)
}

// YuanHeads lists the heads of each rank in the order of its shard. With p heads a rank they are
// (rank*p+2i)/2 for 2i < p, then the same half the heads later.
//
// It is an error where heads is odd, as its halves are then not equal, or where the degree does not divide it.
func YuanHeads(heads int64, degree int) ([][]int64, error) {
	if err := checkDegree(degree); err != nil {
		return nil, err
	}
	if heads < 0 || heads%2 != 0 || heads%int64(degree) != 0 {
		return nil, fmt.Errorf("%d heads over %d ranks, want an even number that the ranks divide", heads, degree)
	}
	each := heads / int64(degree)
	half := (each + 1) / 2
	ids, all := make([][]int64, degree), make([]int64, 2*half*int64(degree))
	for rank := range ids {
		ids[rank], all = all[:2*half:2*half], all[2*half:]
		for i := range half {
			ids[rank][i] = (int64(rank)*each + 2*i) / 2
			ids[rank][half+i] = ids[rank][i] + heads/2
		}
	}
	return ids, nil
}
