package layout

import "github.com/shardproof/shardproof/plan"

var replicated = Family{
	Name:       "replicated",
	Doc:        "every rank holds the whole tensor",
	Parameters: []string{"shape", "degree"},
	Grain:      anyExtent,
	draw:       func(Choose, []int64, int, []int) Arguments { return Arguments{} },
	build:      func(a Arguments) (plan.Map, error) { return Replicated(a.Shape, a.Degree) },
}

// Replicated is the map in which each of degree ranks holds all of F: one piece, that every rank holds.
func Replicated(shape []int64, degree int) (plan.Map, error) {
	if err := firstError(checkShape(shape), checkDegree(degree)); err != nil {
		return plan.Map{}, err
	}
	axes := len(shape)
	fresh := store{numbers: make([]int64, axes*(1+4*degree)), ranks: make([]int, degree*degree)}
	built := plan.Map{LogicalShape: fresh.copyOf(shape), Shards: make([]plan.Shard, degree)}
	pieces := make([]plan.Piece, degree)
	for rank := range built.Shards {
		pieces[rank] = plan.Piece{
			Shape:     fresh.copyOf(shape),
			Source:    plan.View{Strides: rowMajor(fresh.extents(axes), shape)},
			Dest:      plan.View{Strides: rowMajor(fresh.extents(axes), shape)},
			Locations: fresh.ranks[rank*degree : (rank+1)*degree : (rank+1)*degree],
		}
		for holder := range pieces[rank].Locations {
			pieces[rank].Locations[holder] = holder
		}
		built.Shards[rank] = plan.Shard{Rank: rank, Shape: fresh.copyOf(shape), Pieces: pieces[rank : rank+1 : rank+1]}
	}
	return built, nil
}

func firstError(errors ...error) error {
	for _, err := range errors {
		if err != nil {
			return err
		}
	}
	return nil
}
