package reference

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Cancelling cycles leaves what each group supplies and each rank reads, and a forest.
func TestCancelCycles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		groups, ranks := rapid.IntRange(1, 5).Draw(t, "groups"), rapid.IntRange(1, 5).Draw(t, "ranks")
		everywhere := make([][]int, groups)
		for g := range everywhere {
			for rank := range ranks {
				everywhere[g] = append(everywhere[g], rank)
			}
		}
		n := newNetwork(make([]wide, groups), everywhere, ranks)
		for id := range n.edges {
			n.edges[id].flow = wideOf(rapid.Int64Range(0, 9).Draw(t, "flow"))
		}
		before := sums(n)
		n.cancelCycles()
		if diff := cmp.Diff(before, sums(n), cmp.AllowUnexported(wide{})); diff != "" {
			t.Fatalf("elements of each group, then rank (-before +after):\n%s", diff)
		}
		for id, e := range n.edges {
			if e.flow.hi != 0 {
				t.Fatalf("edge %d carries less than nothing in %+v", id, n.edges)
			}
		}
		if id, closes := cycle(n); closes {
			t.Fatalf("edge %d closes a cycle in %+v", id, n.edges)
		}
	})
}

func sums(n *network) []wide {
	sums := make([]wide, len(n.at))
	for _, e := range n.edges {
		sums[e.group] = sums[e.group].plus(e.flow)
		sums[n.node(e.rank)] = sums[n.node(e.rank)].plus(e.flow)
	}
	return sums
}

// cycle finds an edge with flow between two nodes that edges before it connect.
func cycle(n *network) (int, bool) {
	tree := make([]int, len(n.at))
	for node := range tree {
		tree[node] = node
	}
	for id, e := range n.edges {
		if e.flow.isZero() {
			continue
		}
		from, to := tree[e.group], tree[n.node(e.rank)]
		if from == to {
			return id, true
		}
		for node := range tree {
			if tree[node] == to {
				tree[node] = from
			}
		}
	}
	return 0, false
}
