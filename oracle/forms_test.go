package oracle

import (
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/plan"
)

// One plan in many forms is right in each, and all three oracles know it.
func TestManyFormsOfOnePlan(t *testing.T) {
	// Rows of 8x6 over two ranks to a flat shard of all 48 elements.
	request := plan.Request{Source: split(8, 6, 0, 2), Target: plan.Map{LogicalShape: []int64{8, 6}, Shards: []plan.Shard{{
		Shape:  []int64{48},
		Pieces: []plan.Piece{{Shape: []int64{8, 6}, Source: plan.View{Strides: []int64{6, 1}}, Dest: plan.View{Strides: []int64{6, 1}}, Locations: []int{0}}},
	}}}}
	type list = []int64
	for _, test := range []struct {
		name  string
		plan  []plan.Segment
		wants []ClauseID
	}{
		{"as boxes", []plan.Segment{segment(list{4, 6}, 0, 0, list{6, 1}, 0, 0, list{6, 1}), segment(list{4, 6}, 1, 0, list{6, 1}, 0, 24, list{6, 1})}, nil},
		{"as runs", []plan.Segment{segment(list{24}, 0, 0, list{1}, 0, 0, list{1}), segment(list{24}, 1, 0, list{1}, 0, 24, list{1})}, nil},
		{"as ragged runs", []plan.Segment{segment(list{17}, 0, 0, list{1}, 0, 0, list{1}), segment(list{7}, 0, 17, list{1}, 0, 17, list{1}), segment(list{24}, 1, 0, list{1}, 0, 24, list{1})}, []ClauseID{Folded}},
		{"with the axes the other way round", []plan.Segment{segment(list{6, 4}, 0, 0, list{1, 6}, 0, 0, list{1, 6}), segment(list{4, 6}, 1, 0, list{6, 1}, 0, 24, list{6, 1})}, nil},
		{"backwards", []plan.Segment{segment(list{24}, 0, 23, list{-1}, 0, 23, list{-1}), segment(list{4, 6}, 1, 5, list{6, -1}, 0, 29, list{6, -1})}, nil},
		{"even rows and odd rows", []plan.Segment{
			segment(list{2, 6}, 0, 0, list{12, 1}, 0, 0, list{12, 1}), segment(list{2, 6}, 0, 6, list{12, 1}, 0, 6, list{12, 1}),
			segment(list{24}, 1, 0, list{1}, 0, 24, list{1}),
		}, []ClauseID{Folded}},
		{"stacked into a third axis", []plan.Segment{segment(list{2, 2, 6}, 0, 0, list{12, 6, 1}, 0, 0, list{12, 6, 1}), segment(list{1, 24, 1}, 1, 0, list{9, 1, 9}, 0, 24, list{7, 1, 7})}, nil},
		{"every third element", []plan.Segment{
			segment(list{8}, 0, 0, list{3}, 0, 0, list{3}), segment(list{8}, 0, 1, list{3}, 0, 1, list{3}), segment(list{8}, 0, 2, list{3}, 0, 2, list{3}),
			segment(list{24}, 1, 0, list{1}, 0, 24, list{1}),
		}, nil},
		{"every fifth element", []plan.Segment{
			segment(list{5}, 0, 0, list{5}, 0, 0, list{5}), segment(list{5}, 0, 1, list{5}, 0, 1, list{5}), segment(list{5}, 0, 2, list{5}, 0, 2, list{5}),
			segment(list{5}, 0, 3, list{5}, 0, 3, list{5}), segment(list{4}, 0, 4, list{5}, 0, 4, list{5}),
			segment(list{24}, 1, 0, list{1}, 0, 24, list{1}),
		}, nil},
	} {
		for _, oracle := range oracles {
			evidence := oracle.judge(request, plan.Answer{Plan: plan.Plan{Segments: test.plan}})
			if got := evidence.Broken(); !slices.Equal(got, test.wants) || evidence.Unknown() != nil {
				t.Errorf("%s: %s: broken %v, unknown %v, want %v\n%+v", test.name, oracle.name, got, evidence.Unknown(), test.wants, evidence)
			}
		}
	}
}

// A scalar has one element and no axes; a tensor without elements is moved by an empty plan.
func TestSmallestTensors(t *testing.T) {
	whole := func(shape []int64) plan.Map {
		return plan.Map{LogicalShape: shape, Shards: []plan.Shard{{Shape: shape, Pieces: []plan.Piece{{
			Shape: shape, Source: plan.View{Strides: steps(shape)}, Dest: plan.View{Strides: steps(shape)}, Locations: []int{0},
		}}}}}
	}
	scalar := plan.Request{Source: whole([]int64{}), Target: whole([]int64{})}
	empty := plan.Request{Source: whole([]int64{4, 0}), Target: whole([]int64{4, 0})}
	one := plan.Answer{Plan: plan.Plan{LogicalShape: []int64{}, Segments: []plan.Segment{segment([]int64{}, 0, 0, []int64{}, 0, 0, []int64{})}}}
	for _, oracle := range oracles {
		if evidence := oracle.judge(scalar, one); evidence != (Evidence{}) {
			t.Errorf("%s: a scalar: %+v", oracle.name, evidence)
		}
		if got, want := oracle.judge(scalar, plan.Answer{}).Of(Cover).Detail, "target rank 0 [] (address 0): wants logical [], never written"; got != want {
			t.Errorf("%s: a scalar not copied: got %q, want %q", oracle.name, got, want)
		}
		if evidence := oracle.judge(empty, plan.Answer{Plan: plan.Plan{LogicalShape: []int64{4, 0}}}); evidence != (Evidence{}) {
			t.Errorf("%s: an empty tensor: %+v", oracle.name, evidence)
		}
		if got := oracle.judge(empty, one).Broken(); !slices.Equal(got, []ClauseID{Valid, Bounds}) {
			t.Errorf("%s: an element of an empty tensor: broken %v", oracle.name, got)
		}
	}
}

// More than sixty-four holders of one element are told apart.
func TestManyHolders(t *testing.T) {
	request := plan.Request{Source: replicated(2, 2, 100), Target: replicated(2, 2, 1), Selector: plan.Selector{Policy: plan.PolicyHighest}}
	for _, oracle := range oracles {
		for rank, want := range map[int]Status{99: Kept, 98: Broken, 35: Broken, 0: Broken} {
			answer := plan.Answer{Plan: plan.Plan{Segments: []plan.Segment{segment([]int64{4}, rank, 0, []int64{1}, 0, 0, []int64{1})}}}
			if got := oracle.judge(request, answer).Of(Holder); got.Status != want {
				t.Errorf("%s: read from rank %d of 100: %+v, want %v", oracle.name, rank, got, want)
			}
		}
	}
}

// A plan that runs backwards and reads a holder that is not due is told at its first element all the same.
func TestBackwardsFromTheWrongHolder(t *testing.T) {
	request := plan.Request{Source: replicated(4, 2, 2), Target: replicated(4, 2, 1)}
	answer := plan.Answer{Plan: plan.Plan{Segments: []plan.Segment{
		segment([]int64{2, 2}, 0, 3, []int64{-2, -1}, 0, 3, []int64{-2, -1}),
		segment([]int64{2, 2}, 1, 7, []int64{-2, -1}, 0, 7, []int64{-2, -1}),
	}}}
	want := "target rank 0 [2 0] (address 4): wants logical [2 0], read from source rank 1 address 4, must be read from source rank 0"
	for _, oracle := range oracles {
		if got := oracle.judge(request, answer).Of(Holder).Detail; got != want {
			t.Errorf("%s:\n got %s\nwant %s", oracle.name, got, want)
		}
	}
}

// A shard may hold its elements in reverse: legal geometry, which the judge takes as it is.
func TestReversedShard(t *testing.T) {
	request := plan.Request{Source: replicated(4, 1, 2), Target: replicated(4, 1, 1)}
	request.Target.Shards[0].Pieces[0].Dest = plan.View{Offset: 3, Strides: []int64{-1, 1}}
	answer := plan.Answer{Plan: plan.Plan{Segments: []plan.Segment{segment([]int64{4}, 0, 3, []int64{-1}, 0, 0, []int64{1})}}}
	for _, oracle := range oracles {
		if evidence := oracle.judge(request, answer); evidence != (Evidence{}) {
			t.Errorf("%s: %+v", oracle.name, evidence)
		}
		answer.Plan.Segments[0].Source.Rank = 1
		want := "target rank 0 [0 0] (address 0): wants logical [3 0], read from source rank 1 address 3, must be read from source rank 0"
		if got := oracle.judge(request, answer).Of(Holder).Detail; got != want {
			t.Errorf("%s:\n got %s\nwant %s", oracle.name, got, want)
		}
		answer.Plan.Segments[0].Source.Rank = 0
	}
}

// Oracles leave the request and the answer as they are, and can be called from several goroutines.
func TestOraclesArePure(t *testing.T) {
	var wait sync.WaitGroup
	for worker := range uint64(4) {
		wait.Go(func() {
			for seed := 100 * worker; seed < 100*worker+200; seed++ {
				d, again := draw(seed), draw(seed)
				request, untouched := d.request(), again.request()
				answer, same := d.answer(request), again.answer(untouched)
				d.spoil(&answer)
				again.spoil(&same)
				first := Execute(request, answer)
				Prove(request, answer)
				if diff := cmp.Diff(first, Execute(request, answer)); diff != "" {
					t.Errorf("seed %d: a second look differs: %s", seed, diff)
				}
				if !cmp.Equal(request, untouched) || !cmp.Equal(answer, same) {
					t.Errorf("seed %d: the request or the answer was changed", seed)
				}
			}
		})
	}
	wait.Wait()
}
