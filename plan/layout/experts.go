package layout

import (
	"github.com/shardproof/shardproof/plan"
)

var experts = Family{
	Name:       "experts",
	Doc:        "axis 0 is experts, of which a rank holds listed ones in its own order",
	Parameters: []string{"shape", "ids"},
	Axes:       1,
	Grain:      anyExtent,
	First:      true,
	Most:       mostBlocks,
	draw: func(choose Choose, shape []int64, degree int, _ []int) Arguments {
		return Arguments{IDs: drawHolders(choose, shape[0], degree)}
	},
	build: func(a Arguments) (plan.Map, error) { return Experts(a.Shape, a.IDs) },
}

// Experts is the map of an F of [experts, ...] in which rank r stores the experts ids[r] in that order. A run
// of ascending experts that no other rank holds is one piece; an expert with several holders is always a
// piece of its own. A rank may hold none.
//
// It is an error where an id is out of range, a rank lists an id twice and an expert is held by no rank.
func Experts(shape []int64, ids [][]int64) (plan.Map, error) {
	if err := checkAxis(shape, 0); err != nil {
		return plan.Map{}, err
	}
	return gatherBlocks(shape, 0, shape[0], ids, true)
}
