package layout

import "github.com/shardproof/shardproof/plan"

var vocabulary = Family{
	Name:       "vocabulary",
	Doc:        "the rows of a vocabulary padded to what the ranks divide, padding being no part of a shard",
	Parameters: []string{"shape", "degree"},
	Axes:       1,
	Grain:      anyExtent,
	First:      true,
	draw:       func(Choose, []int64, int, []int) Arguments { return Arguments{} },
	build:      func(a Arguments) (plan.Map, error) { return Vocabulary(a.Shape, a.Degree) },
}

// Vocabulary is the map of V rows that a framework pads to a height that the ranks divide. F is the V real
// rows: each rank holds V/T of them, rounded up, and the last ranks fewer or none.
func Vocabulary(shape []int64, degree int) (plan.Map, error) {
	if err := firstError(checkAxis(shape, 0), checkDegree(degree)); err != nil {
		return plan.Map{}, err
	}
	var buffer [16]int64
	return Contiguous(shape, 0, chunks(zeros(buffer[:], degree), shape[0]))
}
