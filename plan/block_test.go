package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/shardproof/shardproof/plan"
)

// blockOf is the one block of a map of one rank with one piece in a shard.
func blockOf(t *testing.T, logical, shard []int64, piece plan.Piece) (plan.Block, []plan.Violation) {
	t.Helper()
	piece.Locations = []int{0}
	blocks, violations := plan.Map{LogicalShape: logical, Shards: []plan.Shard{
		{Rank: 0, Shape: shard, Pieces: []plan.Piece{piece}},
	}}.Blocks()
	if len(blocks)+len(violations) != 1 {
		t.Fatalf("blocks %v and violations %v, want one in all", blocks, violations)
	}
	if violations != nil {
		return plan.Block{}, violations
	}
	return blocks[0], nil
}

func view(offset int64, strides ...int64) plan.View {
	return plan.View{Offset: offset, Strides: strides}
}

// The strides wanted follow from plan.read: on an axis longer than 1 they are the piece's, and a row-major
// block has the shard's row-major strides on all.
func TestBlockStrides(t *testing.T) {
	for _, test := range []struct {
		name           string
		logical, shard []int64
		piece          plan.Piece
		want           plan.Block
	}{
		{"row-major, whatever it says on an axis of extent 1", []int64{6, 5, 4}, []int64{3, 5, 4},
			plan.Piece{Shape: []int64{3, 1, 4}, Source: view(64, 20, -77, 1), Dest: view(8, 20, 1<<62, 1)},
			plan.Block{Lo: []int64{3, 1, 0}, Shape: []int64{3, 1, 4}, Address: 8, Strides: []int64{20, 4, 1}}},
		{"one element", []int64{6, 5}, []int64{2, 5},
			plan.Piece{Shape: []int64{1, 1}, Source: view(29, 0, 0), Dest: view(9, 0, 0)},
			plan.Block{Lo: []int64{5, 4}, Shape: []int64{1, 1}, Address: 9, Strides: []int64{5, 1}}},
		{"permuted in the shard", []int64{6, 4}, []int64{4, 2},
			plan.Piece{Shape: []int64{2, 4}, Source: view(8, 4, 1), Dest: view(0, 1, 2)},
			plan.Block{Lo: []int64{2, 0}, Shape: []int64{2, 4}, Strides: []int64{1, 2}}},
		{"permuted in the shard, one row: the axis that is left", []int64{6, 4}, []int64{4, 2},
			plan.Piece{Shape: []int64{1, 4}, Source: view(8, 0, 1), Dest: view(1, 9, 2)},
			plan.Block{Lo: []int64{2, 0}, Shape: []int64{1, 4}, Address: 1, Strides: []int64{1, 2}}},
		{"permuted in the shard, one axis: those that are left, in order", []int64{6, 4, 5}, []int64{5, 2, 3},
			plan.Piece{Shape: []int64{1, 1, 5}, Source: view(45, 0, 0, 1), Dest: view(4, 0, 0, 6)},
			plan.Block{Lo: []int64{2, 1, 0}, Shape: []int64{1, 1, 5}, Address: 4, Strides: []int64{3, 1, 6}}},
		{"permuted on both sides: row-major", []int64{6, 4}, []int64{2, 4},
			plan.Piece{Shape: []int64{4, 2}, Source: view(8, 1, 4), Dest: view(0, 1, 4)},
			plan.Block{Lo: []int64{2, 0}, Shape: []int64{2, 4}, Strides: []int64{4, 1}}},
		{"along an axis of the shard of another number", []int64{6, 4}, []int64{4, 1},
			plan.Piece{Shape: []int64{1, 4}, Source: view(8, 4, 1), Dest: view(0, 4, 1)},
			plan.Block{Lo: []int64{2, 0}, Shape: []int64{1, 4}, Strides: []int64{1, 1}}},
		{"a flat shard", []int64{6, 4}, []int64{20},
			plan.Piece{Shape: []int64{3, 4}, Source: view(8, 4, 1), Dest: view(2, 4, 1)},
			plan.Block{Lo: []int64{2, 0}, Shape: []int64{3, 4}, Address: 2, Strides: []int64{4, 1}}},
		{"a flat shard, part of a row", []int64{6, 4}, []int64{20},
			plan.Piece{Shape: []int64{1, 3}, Source: view(9, 0, 1), Dest: view(2, 0, 1)},
			plan.Block{Lo: []int64{2, 1}, Shape: []int64{1, 3}, Address: 2, Strides: []int64{3, 1}}},
		{"a flat shard, columns first", []int64{6, 4}, []int64{20},
			plan.Piece{Shape: []int64{3, 2}, Source: view(8, 4, 1), Dest: view(2, 1, 3)},
			plan.Block{Lo: []int64{2, 0}, Shape: []int64{3, 2}, Address: 2, Strides: []int64{1, 3}}},
		{"a shard with two of the axes made one", []int64{4, 3, 5}, []int64{4, 15},
			plan.Piece{Shape: []int64{2, 2, 5}, Source: view(5, 15, 5, 1), Dest: view(5, 15, 5, 1)},
			plan.Block{Lo: []int64{0, 1, 0}, Shape: []int64{2, 2, 5}, Address: 5, Strides: []int64{15, 5, 1}}},
		{"a shard with an axis more", []int64{6, 4}, []int64{2, 1, 4},
			plan.Piece{Shape: []int64{2, 4}, Source: view(0, 4, 1), Dest: view(0, 4, 1)},
			plan.Block{Lo: []int64{0, 0}, Shape: []int64{2, 4}, Strides: []int64{4, 1}}},
		{"a scalar", nil, nil, plan.Piece{}, plan.Block{}},
		{"a scalar in a shard with an axis", nil, []int64{1}, plan.Piece{}, plan.Block{}},
	} {
		got, violations := blockOf(t, test.logical, test.shard, test.piece)
		if diff := cmp.Diff(test.want, got, cmpopts.EquateEmpty()); diff != "" || violations != nil {
			t.Errorf("%s: %v, (-want +got):\n%s", test.name, violations, diff)
		}
	}
}

func TestBlocksRefusesWhatIsNoBox(t *testing.T) {
	for _, test := range []struct {
		name  string
		piece plan.Piece // of a 6x4 tensor in a shard of 4x4
		want  string
	}{
		{"stepped in F", plan.Piece{Shape: []int64{2, 4}, Source: view(0, 8, 1), Dest: view(0, 4, 1)}, "unsupported 12"},
		{"stepped in the shard", plan.Piece{Shape: []int64{2, 4}, Source: view(0, 4, 1), Dest: view(0, 8, 1)}, "unsupported 12"},
		{"reversed in F", plan.Piece{Shape: []int64{2, 4}, Source: view(4, -4, 1), Dest: view(0, 4, 1)}, "unsupported 12"},
		{"reversed in the shard", plan.Piece{Shape: []int64{2, 4}, Source: view(0, 4, 1), Dest: view(3, 4, -1)}, "unsupported 12"},
		{"diagonal", plan.Piece{Shape: []int64{3, 1}, Source: view(0, 5, 1), Dest: view(0, 4, 1)}, "unsupported 12"},
		{"broadcast", plan.Piece{Shape: []int64{2, 4}, Source: view(0, 4, 0), Dest: view(0, 4, 1)}, "unsupported 12"},
		{"two axes along one", plan.Piece{Shape: []int64{2, 2}, Source: view(0, 1, 1), Dest: view(0, 4, 1)}, "unsupported 12"},
		{"two axes of the piece that fill one of F", plan.Piece{Shape: []int64{2, 2}, Source: view(0, 2, 1), Dest: view(0, 4, 1)}, "unsupported 12"},
		{"outside", plan.Piece{Shape: []int64{2, 4}, Source: view(0, 4, 1), Dest: view(12, 4, 1)}, "map.bounds invalid 13"},
	} {
		_, violations := blockOf(t, []int64{6, 4}, []int64{4, 4}, test.piece)
		if got := told(violations); !cmp.Equal(got, []string{test.want}) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
