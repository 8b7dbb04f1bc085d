package oracle

import (
	"math"
	"testing"

	"github.com/shardproof/shardproof/plan"
)

// oracles are the three, by name.
var oracles = []struct {
	name  string
	judge func(plan.Request, plan.Answer) Evidence
}{{"Execute", Execute}, {"Algebra", Algebra}, {"Prove", Prove}}

// Numbers that no honest planner gives neither crash an oracle nor keep it busy, and are never taken as right.
func TestLies(t *testing.T) {
	many := func(n int, value int64) []int64 {
		list := make([]int64, n)
		for i := range list {
			list[i] = value
		}
		return list
	}
	large := int64(math.MaxInt64)
	for _, test := range []struct {
		name string
		lie  plan.Segment
	}{
		{"2^63-1 elements of one address", segment([]int64{large}, 0, 0, []int64{0}, 0, 0, []int64{0})},
		{"2^126 elements of one address", segment([]int64{large, large}, 0, 0, []int64{0, 0}, 0, 0, []int64{0, 0})},
		{"strides to the end of int64", segment([]int64{3, 3}, 0, 0, []int64{large, 1}, 0, 0, []int64{large, -large})},
		{"an offset at the end of int64", segment([]int64{2}, 0, large, []int64{1}, 0, 0, []int64{1})},
		{"an offset at the start of int64", segment([]int64{2}, 0, 0, []int64{1}, 0, -large-1, []int64{-1})},
		{"addresses that come round", segment([]int64{5}, 0, 0, []int64{1 << 62}, 0, 0, []int64{1 << 62})},
		{"a thousand axes of extent 1", segment(many(1000, 1), 0, 0, many(1000, large), 0, 0, many(1000, -large-1))},
		{"seventy axes of extent 2", segment(many(70, 2), 0, 0, many(70, 0), 0, 0, many(70, 0))},
		{"2^20 writes of one address", segment([]int64{1 << 20}, 0, 0, []int64{0}, 0, 0, []int64{0})},
		{"no axes", plan.Segment{}},
	} {
		for _, oracle := range oracles {
			request, answer := small()
			answer.Plan.Segments = append(answer.Plan.Segments, test.lie)
			evidence := oracle.judge(request, answer) // which would not end, if it went by the numbers
			if evidence.Of(Valid).Status != Broken && evidence.Of(Bounds).Status != Broken && evidence.Of(Once).Status != Broken {
				t.Errorf("%s of %s: broken %v, unknown %v", oracle.name, test.name, evidence.Broken(), evidence.Unknown())
			}
		}
	}
}

// Where a map is none, or too large, an oracle knows nothing about elements, and never says that a clause is
// kept.
func TestUnknownMaps(t *testing.T) {
	two := 2.0
	for _, test := range []struct {
		name  string
		spoil func(*plan.Request)
		want  string // of Execute
	}{
		{"another tensor", func(r *plan.Request) { r.Target.LogicalShape = []int64{12, 20} }, "the source map is of a tensor [20 12] and the target map of a tensor [12 20]"},
		{"no shard shape", func(r *plan.Request) { r.Source.Shards[1].Undeclared = true }, "source map: rank 1 has no shard shape that can be counted"},
		{"a rank twice", func(r *plan.Request) { r.Target.Shards[1].Rank = 0 }, "target map: rank 0 stands twice"},
		{"a scale", func(r *plan.Request) { r.Source.Shards[1].Pieces[0].Scale = &two }, "source map: rank 1 piece 0: has a scale other than 1"},
		{"short strides", func(r *plan.Request) { r.Target.Shards[2].Pieces[0].Dest.Strides = []int64{3} }, "target map: rank 2 piece 0: has strides and extents of different lengths"},
		{"a negative extent", func(r *plan.Request) { r.Source.Shards[0].Pieces[0].Shape = []int64{-10, 12} }, "source map: rank 0 piece 0: has a negative extent"},
		{"leaves the tensor", func(r *plan.Request) { r.Source.Shards[1].Pieces[0].Source.Offset++ }, "source map: rank 1 piece 0: leaves the logical tensor"},
		{"leaves the shard", func(r *plan.Request) { r.Target.Shards[1].Pieces[0].Dest.Offset++ }, "target map: rank 1 piece 0: leaves the shard"},
		{"a gap in a shard", func(r *plan.Request) { r.Target.Shards[1].Pieces[0].Shape = []int64{19, 3} }, "target map: rank 1: the pieces leave a gap in the shard"},
		{"a gap in a source shard", func(r *plan.Request) { r.Source.Shards[1].Pieces = nil }, "source map: rank 1: the pieces leave a gap in the shard"},
		{"an overlap in a shard", func(r *plan.Request) {
			r.Target.Shards[1].Pieces = append(r.Target.Shards[1].Pieces, r.Target.Shards[1].Pieces[0])
		}, "target map: rank 1 piece 1: places two elements at one address of the shard"},
		{"a broadcast piece", func(r *plan.Request) { r.Source.Shards[0].Pieces[0].Source.Strides = []int64{0, 1} }, "source map: rank 0 piece 0: holds an element a second time"},
		{"an overlap in a source shard", func(r *plan.Request) {
			r.Source.Shards[0].Pieces = append(r.Source.Shards[0].Pieces, r.Source.Shards[0].Pieces[0])
		}, "source map: rank 0 piece 1: places two elements at one address of the shard"},
		{"a shard of one block twice", func(r *plan.Request) {
			r.Source.Shards[0].Shape = []int64{20, 12}
			again := r.Source.Shards[0].Pieces[0]
			again.Dest.Offset = 120
			r.Source.Shards[0].Pieces = append(r.Source.Shards[0].Pieces, again)
		}, "source map: rank 0 piece 1: holds an element a second time"},
		{"a piece larger than its shard", func(r *plan.Request) {
			r.Target.Shards[1].Pieces[0].Dest.Strides = []int64{0, 1}
			r.Target.Shards[1].Shape = []int64{3}
		}, "target map: rank 1 piece 0: places more elements than the shard has"},
		{"shards past the limit", func(r *plan.Request) { r.Source.Shards[0].Shape = []int64{1 << 24} }, "source map: more than 16777216 elements in all shards"},
		{"a tensor past int64", func(r *plan.Request) {
			r.Source.LogicalShape = []int64{1 << 32, 1 << 32}
			r.Target.LogicalShape = r.Source.LogicalShape
		}, "source map: more than 16777216 elements in logical shape [4294967296 4294967296]"},
		{"more than the limit", func(r *plan.Request) { *r, _ = rowsToColumns(1<<22, 8) }, "source map: more than 16777216 elements in logical shape [4194304 8]"},
	} {
		for _, oracle := range oracles {
			request, answer := small()
			test.spoil(&request)
			evidence := oracle.judge(request, answer)
			for _, id := range []ClauseID{Bounds, Cover, Once, Values, Holder} {
				finding := evidence.Of(id)
				if finding.Status == Kept && id != Bounds && !(test.name == "more than the limit" && oracle.name == "Prove") {
					t.Errorf("%s of a map with %s: %s is %v", oracle.name, test.name, id, finding.Status)
				}
				if oracle.name == "Execute" && finding.Detail != test.want {
					t.Errorf("%s: %s:\n got %s\nwant %s", test.name, id, finding.Detail, test.want)
				}
			}
		}
	}
}
