package reference

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/shardproof/shardproof/plan"
)

// The busiest rank reads at most one errand more than the largest, over every set of ranks, of what only
// these can read, divided by their number.
func TestBalanceKeepsItsBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := rapid.SliceOfNDistinct(rapid.IntRange(0, 99), 1, 6, rapid.ID[int]).Draw(t, "ranks")
		largest := rapid.SampledFrom([]int64{1, 9, 1 << 62}).Draw(t, "largest")
		candidates := make([][]int, rapid.IntRange(1, 8).Draw(t, "groups"))
		for g := range candidates {
			most := rapid.IntRange(1, len(ranks)).Draw(t, "most candidates")
			candidates[g] = rapid.SliceOfNDistinct(rapid.SampledFrom(ranks), 1, most, rapid.ID[int]).Draw(t, "candidates")
			slices.Sort(candidates[g])
		}
		errands := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) errand {
			size := rapid.OneOf(rapid.Just(largest), rapid.Int64Range(1, largest))
			return errand{size: size.Draw(t, "size"), group: rapid.IntRange(0, len(candidates)-1).Draw(t, "group")}
		}), 1, 40).Draw(t, "errands")

		chosen := balance(errands, candidates)
		loads := make([]*big.Int, len(errands))
		most := int64(0)
		busiest, load := 0, new(big.Int)
		for i, e := range errands {
			if !slices.Contains(candidates[e.group], chosen[i]) {
				t.Fatalf("errand %d of group %d goes to rank %d, candidates %v", i, e.group, chosen[i], candidates[e.group])
			}
			most = max(most, e.size)
			loads[i] = new(big.Int)
			for j, other := range errands {
				if chosen[j] == chosen[i] {
					loads[i].Add(loads[i], big.NewInt(other.size))
				}
			}
			if loads[i].Cmp(load) > 0 {
				busiest, load = chosen[i], loads[i]
			}
		}
		bound := fractionalBound(ranks, errands, candidates)
		limit := new(big.Rat).Add(bound, new(big.Rat).SetInt64(most))
		if new(big.Rat).SetInt(load).Cmp(limit) > 0 {
			t.Fatalf("rank %d reads %v, want at most %s and one errand of at most %d", busiest, load, bound, most)
		}
	})
}

// Rank 9 shares an errand with each of five others. Were it last in the line of every group, it would read all.
func TestBalanceGivesARankOneErrandTooMany(t *testing.T) {
	var candidates [][]int
	var errands []errand
	for g := range 5 {
		candidates = append(candidates, []int{g, 9})
		errands = append(errands, errand{size: 6, group: g})
	}
	loads := map[int]int64{}
	for i, rank := range balance(errands, candidates) {
		loads[rank] += errands[i].size
	}
	for rank, load := range loads {
		if load > 6*5/6+6 {
			t.Errorf("rank %d reads %d, want at most 30 over 6 ranks and one errand of 6", rank, load)
		}
	}
}

// Rank 0 can read both errands, and ranks 1 and 2 one each: three ranks share 18 elements, so none may read both.
func TestBalanceSharesTwoErrands(t *testing.T) {
	got := balance([]errand{{size: 9, group: 0}, {size: 9, group: 1}}, [][]int{{0, 1}, {0, 2}})
	if got[0] == got[1] {
		t.Errorf("both errands go to rank %d, which reads 18, over 6 and one errand of 9", got[0])
	}
}

// fractionalBound tries every set of ranks.
func fractionalBound(ranks []int, errands []errand, candidates [][]int) *big.Rat {
	bound := new(big.Rat)
	for set := 1; set < 1<<len(ranks); set++ {
		members := 0
		outside := map[int]bool{}
		for i, rank := range ranks {
			outside[rank] = set>>i&1 == 0
			members += set >> i & 1
		}
		sum := new(big.Int)
		for _, e := range errands {
			if !slices.ContainsFunc(candidates[e.group], func(rank int) bool { return outside[rank] }) {
				sum.Add(sum, big.NewInt(e.size))
			}
		}
		if need := new(big.Rat).SetFrac(sum, big.NewInt(int64(members))); need.Cmp(bound) > 0 {
			bound = need
		}
	}
	return bound
}

// The same bound, held against the elements of whole requests, replicas cut at different boundaries among
// them: an intersection is the elements of one target piece that lie in the same piece of every holder.
func TestBalancedPlansKeepTheBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		request := drawRequest(t)
		request.Selector = plan.Selector{Policy: plan.PolicyBalanced}
		answer := planned(t, Addresses, request)
		errands, candidates := intersectionsOf(request)
		var ranks []int
		most := int64(0)
		for _, shard := range request.Source.Shards {
			ranks = append(ranks, shard.Rank)
		}
		for _, e := range errands {
			most = max(most, e.size)
		}
		limit := new(big.Rat).Add(fractionalBound(ranks, errands, candidates), new(big.Rat).SetInt64(most))
		for rank, load := range reads(answer.Plan) {
			if new(big.Rat).SetInt64(load).Cmp(limit) > 0 {
				t.Fatalf("rank %d reads %d elements, want at most %s", rank, load, limit)
			}
		}
	})
}

// intersectionsOf counts intersections element by element.
func intersectionsOf(request plan.Request) (errands []errand, candidates [][]int) {
	holders := map[int64][]int{}
	signature := map[int64]string{}
	for _, shard := range request.Source.Shards {
		for i, piece := range shard.Pieces {
			eachIndex(piece.Shape, func(index []int64) {
				label := at(piece.Source, index)
				holders[label] = append(holders[label], shard.Rank)
				signature[label] += fmt.Sprintf("%d:%d ", shard.Rank, i)
			})
		}
	}
	known := map[string]int{}
	for _, shard := range request.Target.Shards {
		for i, piece := range shard.Pieces {
			eachIndex(piece.Shape, func(index []int64) {
				label := at(piece.Source, index)
				key := fmt.Sprintf("%d:%d of %s", shard.Rank, i, signature[label])
				k, found := known[key]
				if !found {
					k = len(errands)
					known[key] = k
					errands = append(errands, errand{group: k})
					candidates = append(candidates, holders[label])
				}
				errands[k].size++
			})
		}
	}
	return errands, candidates
}

func TestBalanceOfNothing(t *testing.T) {
	request := plan.Request{Source: rows(0, 4)(t, 2), Target: rows(0, 4)(t, 2), Selector: plan.Selector{Policy: plan.PolicyBalanced}}
	if got := len(planned(t, Addresses, request).Plan.Segments); got != 0 {
		t.Errorf("%d segments, want 0", got)
	}
}

// Each of four ranks holds what the target ranks ask for, so each is asked for a quarter.
func TestBalancedSpreadsReplicas(t *testing.T) {
	request := plan.Request{
		Source: replicated(8, 4)(t, 4), Target: rows(8, 4)(t, 4), Selector: plan.Selector{Policy: plan.PolicyBalanced},
	}
	for rank, load := range reads(planned(t, Addresses, request).Plan) {
		if load != 8 {
			t.Errorf("rank %d reads %d elements, want 8", rank, load)
		}
	}
	request = plan.Request{Source: bigCode(t, 2), Target: bigCode(t, 4), Selector: request.Selector}
	for rank, load := range reads(planned(t, Addresses, request).Plan) {
		if load != 384 {
			t.Errorf("BigCode: rank %d reads %d elements, want 384", rank, load)
		}
	}
}

func TestWideDivision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := wide{rapid.Uint64Range(0, 1<<20).Draw(t, "hi"), rapid.Uint64().Draw(t, "lo")}
		n := rapid.IntRange(1, 1<<40).Draw(t, "n")
		got := bigOf(a.over(n))
		want := new(big.Int).Add(bigOf(a), big.NewInt(int64(n)-1))
		if want.Div(want, big.NewInt(int64(n))); got.Cmp(want) != 0 {
			t.Fatalf("%v over %d is %v, want %v", bigOf(a), n, got, want)
		}
	})
}

func bigOf(a wide) *big.Int {
	n := new(big.Int).SetUint64(a.hi)
	return n.Lsh(n, 64).Add(n, new(big.Int).SetUint64(a.lo))
}
