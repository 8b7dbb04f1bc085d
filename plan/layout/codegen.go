package layout

import (
	"fmt"

	"github.com/shardproof/shardproof/plan"
)

var codeGen = Family{
	Name:       "codegen",
	Doc:        "CodeGen's fused qkv, whose rows alternate between q, v and k in groups that tensor parallelism regroups",
	Parameters: []string{"shape", "degree", "groups", "axis"},
	Axes:       1,
	Grain:      func(degree int) int64 { return 3 * int64(degree) },
	draw: func(choose Choose, shape []int64, degree int, axes []int) Arguments {
		axis := drawAxis(choose, axes)
		return Arguments{Axis: axis, Groups: drawDivisor(choose, "groups", shape[axis]/(3*int64(degree)), 4)}
	},
	build: func(a Arguments) (plan.Map, error) { return CodeGen(a.Shape, a.Axis, a.Groups, a.Degree) },
}

// CodeGenGroups is the number of groups in which CodeGen's models store their qkv rows.
const CodeGenGroups = 4

// CodeGen is the map of an axis of 3 x groups x degree equal blocks: group by group, its q, v and k, each of
// degree blocks. Rank r of T holds, for j in groups*r..groups*(r+1)-1 and p in 0..2, block
// (j div T)*3T + p*T + (j mod T). Groups of 0 stand for [CodeGenGroups].
//
// It is an error where the blocks do not divide the axis.
func CodeGen(shape []int64, axis int, groups int64, degree int) (plan.Map, error) {
	if err := checkDegree(degree); err != nil {
		return plan.Map{}, err
	}
	if groups == 0 {
		groups = CodeGenGroups
	}
	if groups < 0 || groups > mostListed/3/MaxRanks {
		return plan.Map{}, fmt.Errorf("%d groups, want 1 to %d", groups, mostListed/3/MaxRanks)
	}
	ranks := int64(degree)
	ids, all := make([][]int64, degree), make([]int64, 0, 3*groups*ranks)
	for rank := range ranks {
		from := len(all)
		for j := groups * rank; j < groups*(rank+1); j++ {
			for part := range int64(3) {
				all = append(all, j/ranks*3*ranks+part*ranks+j%ranks)
			}
		}
		ids[rank] = all[from:len(all):len(all)]
	}
	return Gather(shape, axis, 3*groups*ranks, ids)
}
