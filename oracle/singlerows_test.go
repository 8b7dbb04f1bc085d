package oracle

import (
	"slices"
	"testing"

	"github.com/shardproof/shardproof/plan"
)

// Source pieces of single rows, target pieces of two: what a run of both rows shares with a target piece steps
// by a row of the source shard, which no source piece does. Each rank keeps its columns.
func TestRunOverSingleRows(t *testing.T) {
	const n = 1 << 39
	logical, shape := []int64{n, 2, 4}, []int64{n, 2, 2}
	box := func(row, column, rows, columns, dest int64) part {
		return part{[]int64{0, row, column}, []int64{n, rows, columns}, dest}
	}
	run := func(rank int) plan.Segment { return segment([]int64{4 * n}, rank, 0, []int64{1}, rank, 0, []int64{1}) }
	whole := [][]part{{box(0, 0, 2, 2, 0)}, {box(0, 2, 2, 2, 0)}}
	for name, left := range map[string][]part{
		"two rows":              {box(0, 0, 1, 2, 0), box(1, 0, 1, 2, 2)},
		"a row and two columns": {box(0, 0, 1, 2, 0), box(1, 1, 1, 1, 3), box(1, 0, 1, 1, 2)},
	} {
		request := plan.Request{
			Source: layout(logical, [][]int64{shape, shape}, [][]part{left, whole[1]}),
			Target: layout(logical, [][]int64{shape, shape}, whole),
		}
		answer := plan.Answer{Plan: plan.Plan{Segments: []plan.Segment{run(0), run(1)}}}
		if evidence := Prove(request, answer); evidence != (Evidence{}) {
			t.Errorf("%s: broken %v, unknown %v", name, evidence.Broken(), evidence.Unknown())
		}
	}
}

// The same with every choice of the axes on which source pieces and target pieces are single rows, in runs with
// a border anywhere; and as it is, so it is told where the runs are read backwards.
func TestRunsOverSingleRows(t *testing.T) {
	for _, shape := range [][]int64{
		{3, 2, 4}, {3, 2, 2, 4}, {2, 3, 2, 4}, {2, 2, 3, 4}, // for every oracle
		{1<<39 + 1, 2, 4}, {1<<39 + 1, 3, 6}, {1<<39 + 1, 2, 2, 4}, {1<<39 + 1, 3, 2, 4}, {2, 1<<39 + 1, 2, 4}, {2, 2, 1<<39 + 1, 4}, {1<<39 + 1, 2, 2, 2, 4},
	} {
		eachOfSingleRows(shape, func(source plan.Map) {
			eachOfSingleRows(shape, func(target plan.Map) { judgeRuns(t, plan.Request{Source: source, Target: target}) })
		})
	}
}

// judgeRuns judges plans that copy each shard to the one of the same rank, which is equal.
func judgeRuns(t *testing.T, request plan.Request) {
	n, _ := plan.Elements(request.Source.Shards[0].Shape)
	for _, border := range []int64{n/2 + 1, n - 3} {
		var right, wrong plan.Answer
		for rank := range request.Source.Shards {
			for _, run := range [][2]int64{{0, border}, {border, n}} {
				length := []int64{run[1] - run[0]}
				right.Plan.Segments = append(right.Plan.Segments, segment(length, rank, run[0], []int64{1}, rank, run[0], []int64{1}))
				wrong.Plan.Segments = append(wrong.Plan.Segments, segment(length, rank, run[1]-1, []int64{-1}, rank, run[0], []int64{1}))
			}
		}
		for _, oracle := range oracles {
			if oracle.name != "Prove" && tooLarge(request) {
				continue
			}
			if got := oracle.judge(request, right); mustBroken(got) || got.Unknown() != nil {
				t.Errorf("%s: border %d: broken %v, unknown %v: %+v", oracle.name, border, got.Broken(), got.Unknown(), request)
			}
			if got := oracle.judge(request, wrong).Of(Values); got.Status != Broken {
				t.Errorf("%s: backwards, border %d: %+v: %+v", oracle.name, border, got, request)
			}
		}
	}
}

// eachOfSingleRows visits maps that give each of two ranks half of the last axis, in pieces that are single rows
// of some of the other axes, of any but a long one.
func eachOfSingleRows(logical []int64, visit func(plan.Map)) {
	last := len(logical) - 1
	shape := slices.Clone(logical)
	shape[last] /= 2
	var short []int
	for axis, extent := range logical[:last] {
		if extent <= 3 {
			short = append(short, axis)
		}
	}
	for choice := range 1 << len(short) {
		shards := make([][]part, 2)
		for rank := range shards {
			lo := make([]int64, len(shape))
			lo[last] = int64(rank) * shape[last]
			shards[rank] = []part{{lo, shape, 0}}
			for i, axis := range short {
				if choice>>i&1 == 1 {
					shards[rank] = singleRows(shards[rank], axis, steps(shape)[axis])
				}
			}
		}
		visit(layout(logical, [][]int64{shape, shape}, shards))
	}
}

// singleRows cuts parts into single rows of an axis, which stand a step apart.
func singleRows(parts []part, axis int, step int64) (rows []part) {
	for _, p := range parts {
		for i := range p.shape[axis] {
			row := part{slices.Clone(p.lo), slices.Clone(p.shape), p.dest + i*step}
			row.lo[axis], row.shape[axis] = i, 1
			rows = append(rows, row)
		}
	}
	return rows
}
