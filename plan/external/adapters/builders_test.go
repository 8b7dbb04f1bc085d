package adapters

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/layout"
)

// builderDraws is how many random arguments each of DeepSpeed's builders is given.
const builderDraws = 2000

// A builder is one of DeepSpeed's five map builders beside the one of plan/layout that makes the same layout.
type builder struct {
	name string
	draw func(*rand.Rand) (arguments []any, ours func() (plan.Map, error))
}

var builders = []builder{
	{"replicated_map", drawReplicated},
	{"contiguous_split_map", drawContiguous},
	{"sub_param_map", drawSubParameters},
	{"segmented_map", drawSegments},
	{"block_gather_map", drawBlocks},
}

// The maps that DeepSpeed's own builders make equal those of plan/layout, piece for piece, in the normal form
// that canonical describes.
func TestDeepSpeedBuilders(t *testing.T) {
	python := pythonWith(t, adapter{"deepspeed", "deepspeed"})
	for _, b := range builders {
		t.Run(b.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(4, 0))
			var asked bytes.Buffer
			var ours []func() (plan.Map, error)
			for range builderDraws {
				arguments, build := b.draw(random)
				line, err := json.Marshal(append([]any{b.name}, arguments...))
				if err != nil {
					t.Fatal(err)
				}
				asked.Write(append(line, '\n'))
				ours = append(ours, build)
			}
			compareMaps(t, asked.Bytes(), buildTheirs(t, python, asked.Bytes()), ours)
		})
	}
}

func compareMaps(t *testing.T, asked []byte, theirs [][]byte, ours []func() (plan.Map, error)) {
	t.Helper()
	lines := bytes.Split(asked, []byte("\n"))
	for i, build := range ours {
		want, err := plan.DecodeMap(theirs[i])
		if err != nil {
			t.Fatalf("%s: DeepSpeed's map: %v", lines[i], err)
		}
		got, err := build()
		if err != nil {
			t.Fatalf("%s: %v", lines[i], err)
		}
		if difference := cmp.Diff(canonical(want), canonical(got)); difference != "" {
			t.Fatalf("%s: maps differ (-DeepSpeed +plan/layout):\n%s", lines[i], difference)
		}
	}
}

func buildTheirs(t *testing.T, python string, asked []byte) [][]byte {
	t.Helper()
	run := exec.Command(python, "deepspeed/builders.py")
	run.Stdin = bytes.NewReader(asked)
	output, err := run.Output()
	if err != nil {
		t.Fatalf("%v: %v", run.Args, err)
	}
	return bytes.Split(output, []byte("\n"))
}

// canonical is a map without what the two sets of builders are known to write differently:
//
//   - a piece without elements is left out, its place and strides with it: DeepSpeed has stride 0 before an axis
//     of extent 0 where plan/layout has 1, and one empty piece for each part of no width;
//   - pieces of one rank that follow each other, in the tensor and in the shard, are one where the same ranks hold
//     them: DeepSpeed keeps each part of a fused parameter apart, also where nothing lies between;
//   - locations are the ranks that hold the block: DeepSpeed's block gather names the piece's own rank alone, and
//     so joins blocks that others hold too with those that no one else does.
//
// It works along one axis, the only one that these builders cut.
func canonical(m plan.Map) plan.Map {
	axis := cutAxis(m)
	for s := range m.Shards {
		m.Shards[s].Pieces = splitAlong(m, m.Shards[s].Pieces, axis)
	}
	holders := holdersOf(m)
	for s := range m.Shards {
		shard := &m.Shards[s]
		for i := range shard.Pieces {
			shard.Pieces[i].Locations = holders[shard.Pieces[i].Source.Offset]
		}
		shard.Pieces = joinAlong(shard.Pieces, axis)
	}
	return m
}

// cutAxis is the axis along which pieces are shorter than the tensor, the first where none is.
func cutAxis(m plan.Map) int {
	for _, shard := range m.Shards {
		for _, piece := range shard.Pieces {
			for axis, extent := range piece.Shape {
				if extent != m.LogicalShape[axis] {
					return axis
				}
			}
		}
	}
	return 0
}

// splitAlong cuts pieces into parts of extent 1 along an axis; empty ones vanish.
func splitAlong(m plan.Map, pieces []plan.Piece, axis int) []plan.Piece {
	if len(m.LogicalShape) == 0 {
		return pieces
	}
	var parts []plan.Piece
	for _, piece := range pieces {
		if slices.Contains(piece.Shape, 0) {
			continue
		}
		for i := range piece.Shape[axis] {
			part := piece
			part.Shape = slices.Clone(piece.Shape)
			part.Shape[axis] = 1
			part.Source.Offset += i * piece.Source.Strides[axis]
			part.Dest.Offset += i * piece.Dest.Strides[axis]
			parts = append(parts, part)
		}
	}
	return parts
}

// holdersOf lists the ranks that hold each part, by where the part begins in the tensor.
func holdersOf(m plan.Map) map[int64][]int {
	holders := map[int64][]int{}
	for _, shard := range m.Shards {
		for _, piece := range shard.Pieces {
			holders[piece.Source.Offset] = append(holders[piece.Source.Offset], shard.Rank)
		}
	}
	for _, ranks := range holders {
		slices.Sort(ranks)
	}
	return holders
}

// joinAlong joins pieces that follow each other on both sides and have the same holders.
func joinAlong(pieces []plan.Piece, axis int) []plan.Piece {
	var joined []plan.Piece
	for _, piece := range pieces {
		if n := len(joined); n > 0 && len(piece.Shape) > 0 {
			last := &joined[n-1]
			extent := last.Shape[axis]
			if slices.Equal(last.Locations, piece.Locations) &&
				last.Source.Offset+extent*last.Source.Strides[axis] == piece.Source.Offset &&
				last.Dest.Offset+extent*last.Dest.Strides[axis] == piece.Dest.Offset {
				last.Shape[axis] += piece.Shape[axis]
				continue
			}
		}
		joined = append(joined, piece)
	}
	return joined
}

func drawShape(random *rand.Rand) (shape []int64, axis int) {
	shape = make([]int64, 1+random.IntN(4))
	for i := range shape {
		shape[i] = 1 + random.Int64N(4)
		if random.IntN(20) == 0 {
			shape[i] = 0
		}
	}
	return shape, random.IntN(len(shape))
}

// drawParts cuts an extent into n widths, any of which may be 0.
func drawParts(random *rand.Rand, extent int64, n int) []int64 {
	widths := make([]int64, n)
	for range extent {
		widths[random.IntN(n)]++
	}
	return widths
}

func drawReplicated(random *rand.Rand) ([]any, func() (plan.Map, error)) {
	shape, _ := drawShape(random)
	degree := 1 + random.IntN(5)
	return []any{shape, degree}, func() (plan.Map, error) { return layout.Replicated(shape, degree) }
}

func drawContiguous(random *rand.Rand) ([]any, func() (plan.Map, error)) {
	shape, axis := drawShape(random)
	shape[axis] = random.Int64N(12)
	widths := drawParts(random, shape[axis], 1+random.IntN(5))
	return []any{shape, widths, axis}, func() (plan.Map, error) { return layout.Contiguous(shape, axis, widths) }
}

func drawSubParameters(random *rand.Rand) ([]any, func() (plan.Map, error)) {
	shape, axis := drawShape(random)
	shape[axis] = random.Int64N(16)
	degree := 1 + random.IntN(4)
	sizes := drawParts(random, shape[axis], 1+random.IntN(4))
	widths := make([][]int64, len(sizes))
	parts := make([]layout.Part, len(sizes))
	for i, size := range sizes {
		widths[i] = drawParts(random, size, degree)
		parts[i].Widths = widths[i]
	}
	return []any{shape, sizes, widths, axis}, func() (plan.Map, error) { return layout.Fused(shape, axis, degree, parts) }
}

func drawSegments(random *rand.Rand) ([]any, func() (plan.Map, error)) {
	shape, axis := drawShape(random)
	shape[axis] = random.Int64N(16)
	degree := 1 + random.IntN(4)
	sizes := drawParts(random, shape[axis], 1+random.IntN(4))
	segments := make([][2]any, len(sizes))
	splits := [][]int64{}
	parts := make([]layout.Part, len(sizes))
	for i, size := range sizes {
		whole := random.IntN(2) == 0
		segments[i] = [2]any{size, whole}
		parts[i] = layout.Part{Size: size, Replicated: whole}
		if !whole {
			parts[i].Widths = drawParts(random, size, degree)
			splits = append(splits, parts[i].Widths)
		}
	}
	return []any{shape, segments, axis, degree, splits}, func() (plan.Map, error) { return layout.Fused(shape, axis, degree, parts) }
}

func drawBlocks(random *rand.Rand) ([]any, func() (plan.Map, error)) {
	shape, axis := drawShape(random)
	blocks, size := 1+random.IntN(8), 1+random.Int64N(3)
	shape[axis] = int64(blocks) * size
	ids := make([][]int64, 1+random.IntN(4))
	for _, id := range random.Perm(blocks) {
		holder := random.IntN(len(ids))
		ids[holder] = append(ids[holder], int64(id))
		if other := random.IntN(len(ids)); other != holder && random.IntN(4) == 0 {
			ids[other] = append(ids[other], int64(id))
		}
	}
	for rank := range ids {
		if ids[rank] == nil {
			ids[rank] = []int64{}
		}
	}
	return []any{shape, ids, size, axis}, func() (plan.Map, error) { return layout.Gather(shape, axis, int64(blocks), ids) }
}

// The normal form joins nothing that is apart, and forgets no piece: each of these differs from the first.
func TestCanonicalTellsMapsApart(t *testing.T) {
	build := func(widths ...int64) plan.Map {
		m, err := layout.Contiguous([]int64{6, 2}, 0, widths)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	first := canonical(build(3, 3))
	swapped := build(3, 3)
	swapped.Shards[0].Pieces, swapped.Shards[1].Pieces = swapped.Shards[1].Pieces, swapped.Shards[0].Pieces
	moved := build(3, 3)
	moved.Shards[1].Pieces[0].Dest.Offset = 2
	missing := build(3, 3)
	missing.Shards[1].Pieces = nil
	for i, other := range []plan.Map{build(2, 4), swapped, moved, missing} {
		if cmp.Equal(first, canonical(other)) {
			t.Errorf("map %d is taken for another: %s", i, fmt.Sprint(other))
		}
	}
}
