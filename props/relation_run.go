package props

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/shardproof/shardproof/oracle"
	"github.com/shardproof/shardproof/plan"
)

// maxRelated is the most elements of a tensor, or of the shards of one side, for which a relation runs plans:
// each run costs about a microsecond for every hundred.
const maxRelated = 1 << 14

// labelled is what the shards of a map hold, each element labelled with its logical index. It is false where
// they are too large, or no map.
func labelled(m plan.Map) ([][]int64, bool) {
	if !fits(&m, maxRelated) {
		return nil, false
	}
	full, err := oracle.Labels(m)
	if err != nil {
		return nil, false
	}
	shards, err := oracle.Extract(m, full)
	return shards, err == nil
}

// shardsDiffer says where two contents of the shards of a map differ first, "" where they are the same.
func shardsDiffer(m plan.Map, got, want [][]int64) string {
	for i := range got {
		for address, label := range got[i] {
			if label != want[i][address] {
				return fmt.Sprintf("rank %d address %d holds logical element %d, not %d",
					m.Shards[i].Rank, address, label, want[i][address])
			}
		}
	}
	return ""
}

// A volume is the elements that a plan moves between two ranks.
type volume struct {
	source, target int
	elements       int64
}

// movedBetween counts what a plan moves between each two ranks, ascending.
func movedBetween(p plan.Plan) []volume {
	var volumes []volume
	for _, segment := range p.Segments {
		elements, _ := plan.Elements(segment.Shape)
		volumes = append(volumes, volume{segment.Source.Rank, segment.Target.Rank, elements})
	}
	slices.SortFunc(volumes, compareVolumes)
	var sums []volume
	for _, v := range volumes {
		if n := len(sums); n > 0 && compareVolumes(sums[n-1], v) == 0 {
			sums[n-1].elements += v.elements
		} else {
			sums = append(sums, v)
		}
	}
	return sums
}

func compareVolumes(a, b volume) int {
	return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.target, b.target))
}
