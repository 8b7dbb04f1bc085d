package reference

import "slices"

// A network spreads what groups of intersections supply over the source ranks that hold them: the fraction
// of a balanced plan, before whole intersections are handed out.
//
// Its nodes are the groups, then the ranks. An edge joins a group to a rank that holds it.
type network struct {
	supply []wide // by group: elements to be read
	rest   []wide // by group: elements that no rank reads yet
	load   []wide // by rank: elements read
	limit  wide   // the most that a rank may read
	edges  []edge
	at     [][]int // by node: its edges

	level []int // by node: steps from a group with a rest, in the residual network; none: out of reach
	tried []int // by node: how many of its edges the current phase has used up
	via   []int // by node: the edge by which the current walk came to it; none outside a walk
	queue []int // the nodes of the current walk, in the order in which it came to them
}

// none is no edge, and no level.
const none = -1

type edge struct {
	group, rank int
	flow        wide
}

// newNetwork builds the network of groups, each with its supply and its candidates as indices of ranks.
func newNetwork(supply []wide, candidates [][]int, ranks int) *network {
	n := &network{
		supply: supply, rest: slices.Clone(supply), load: make([]wide, ranks),
		at: make([][]int, len(supply)+ranks), level: make([]int, len(supply)+ranks), tried: make([]int, len(supply)+ranks),
		via: slices.Repeat([]int{none}, len(supply)+ranks),
	}
	for group := range supply {
		for _, rank := range candidates[group] {
			n.at[group] = append(n.at[group], len(n.edges))
			n.at[n.node(rank)] = append(n.at[n.node(rank)], len(n.edges))
			n.edges = append(n.edges, edge{group: group, rank: rank})
		}
	}
	return n
}

func (n *network) node(rank int) int { return len(n.supply) + rank }

// settle finds the least limit under which the ranks can read everything, and a flow that does.
//
// It is Newton's method on the cuts: groups that a limit leaves with a rest reach only ranks that are full,
// so these ranks need the groups' whole supply divided by their number. Each step raises the limit to what
// some set of ranks needs, and never past the least one that works.
func (n *network) settle() {
	var total wide
	for _, supply := range n.supply {
		total = total.plus(supply)
	}
	n.limit = total.over(len(n.load))
	for {
		for n.findLevels() {
			n.augment()
		}
		supply, ranks := n.cut()
		if ranks == 0 {
			return
		}
		n.limit = supply.over(ranks)
	}
}

// findLevels walks the residual network, and reports whether a group with a rest reaches a rank with room.
func (n *network) findLevels() bool {
	queue := n.queue[:0]
	for node := range n.level {
		n.level[node], n.tried[node] = none, 0
		if node < len(n.supply) && !n.rest[node].isZero() {
			n.level[node] = 0
			queue = append(queue, node)
		}
	}
	found := false
	for at := 0; at < len(queue); at++ {
		node := queue[at]
		for _, id := range n.at[node] {
			// To a rank, any amount can go; back to a group, as much as flows.
			if next := n.end(node, id); n.level[next] == none && (next >= len(n.supply) || !n.edges[id].flow.isZero()) {
				n.level[next] = n.level[node] + 1
				queue = append(queue, next)
				found = found || next >= len(n.supply) && n.load[next-len(n.supply)].less(n.limit)
			}
		}
	}
	n.queue = queue
	return found
}

// end is the node at the other end of an edge.
func (n *network) end(node, id int) int {
	if node < len(n.supply) {
		return n.node(n.edges[id].rank)
	}
	return n.edges[id].group
}

// augment sends what it can along shortest ways.
func (n *network) augment() {
	for group := range n.supply {
		if !n.rest[group].isZero() {
			n.rest[group] = n.rest[group].minus(n.fromGroup(group, n.rest[group]))
		}
	}
}

// fromGroup sends up to an amount out of a group, and returns what went.
func (n *network) fromGroup(group int, amount wide) wide {
	var sent wide
	for ; n.tried[group] < len(n.at[group]); n.tried[group]++ {
		e := &n.edges[n.at[group][n.tried[group]]]
		if n.level[n.node(e.rank)] == n.level[group]+1 {
			went := n.fromRank(e.rank, amount.minus(sent))
			e.flow, sent = e.flow.plus(went), sent.plus(went)
		}
		if sent == amount {
			break
		}
	}
	return sent
}

// fromRank keeps up to an amount in a rank, lets other groups of the rank read the remainder elsewhere, and
// returns what found a place.
func (n *network) fromRank(rank int, amount wide) wide {
	var sent wide
	if n.load[rank].less(n.limit) {
		sent = lesser(amount, n.limit.minus(n.load[rank]))
		n.load[rank] = n.load[rank].plus(sent)
	}
	node := n.node(rank)
	for ; sent != amount && n.tried[node] < len(n.at[node]); n.tried[node]++ {
		e := &n.edges[n.at[node][n.tried[node]]]
		if n.level[e.group] == n.level[node]+1 && !e.flow.isZero() {
			went := n.fromGroup(e.group, lesser(amount.minus(sent), e.flow))
			e.flow, sent = e.flow.minus(went), sent.plus(went)
		}
		if sent == amount {
			break
		}
	}
	return sent
}

// cut is the supply of the groups that are left with a rest, or could take over one, and the number of
// ranks that these reach: all full.
func (n *network) cut() (wide, int) {
	var supply wide
	ranks := 0
	for node, level := range n.level {
		switch {
		case level == none:
		case node < len(n.supply):
			supply = supply.plus(n.supply[node])
		default:
			ranks++
		}
	}
	return supply, ranks
}

// cancelCycles moves flow round the cycles of edges that carry some, until these edges are a forest. No
// group's supply and no rank's load changes.
func (n *network) cancelCycles() {
	forest := make([][]int, len(n.at))
	for id := range n.edges {
		if n.edges[id].flow.isZero() {
			continue
		}
		e := &n.edges[id]
		if path := n.path(forest, e.group, n.node(e.rank)); path != nil {
			n.shift(path, e)
			for _, other := range path {
				if n.edges[other].flow.isZero() {
					n.drop(forest, other)
				}
			}
		}
		forest[e.group] = append(forest[e.group], id)
		forest[n.node(e.rank)] = append(forest[n.node(e.rank)], id)
	}
	n.at = forest
}

// path is the edges between two nodes of a forest, from the second back to the first; nil where they are in
// different trees. It walks the first node's tree, which for a group is most often the group alone.
func (n *network) path(forest [][]int, from, to int) []int {
	queue := append(n.queue[:0], from)
	for at := 0; at < len(queue) && n.via[to] == none; at++ {
		for _, id := range forest[queue[at]] {
			next := n.end(queue[at], id)
			if next != from && n.via[next] == none {
				n.via[next] = id
				queue = append(queue, next)
			}
		}
	}
	var path []int
	for node := to; n.via[node] != none; node = n.end(node, n.via[node]) {
		path = append(path, n.via[node])
	}
	for _, node := range queue {
		n.via[node] = none
	}
	n.queue = queue
	return path
}

// shift moves flow round the cycle that an edge closes: off every other edge of the path, from its first,
// and on to the rest and the closing edge, until one of those is empty.
func (n *network) shift(path []int, closing *edge) {
	amount := n.edges[path[0]].flow
	for i := 2; i < len(path); i += 2 {
		amount = lesser(amount, n.edges[path[i]].flow)
	}
	closing.flow = closing.flow.plus(amount)
	for i, id := range path {
		e := &n.edges[id]
		if i%2 == 0 {
			e.flow = e.flow.minus(amount)
		} else {
			e.flow = e.flow.plus(amount)
		}
	}
}

// drop takes an edge out of a forest.
func (n *network) drop(forest [][]int, id int) {
	for _, node := range []int{n.edges[id].group, n.node(n.edges[id].rank)} {
		at := slices.Index(forest[node], id)
		forest[node] = slices.Delete(forest[node], at, at+1)
	}
}
