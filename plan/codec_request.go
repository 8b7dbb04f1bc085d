package plan

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
)

// CompactRequest is a request as JSON with sorted keys and no spaces; a zero selector and an empty budget
// are left out. Equal requests have equal bytes whatever the order of their shards, so that their SHA-256
// names a found case.
func CompactRequest(request Request) []byte {
	return append(appendRequestFields([]byte{'{'}, request, nil), '}')
}

// appendRequestFields appends the fields of a request, compact and sorted, without the braces. The id, where
// one is given, has its place among them.
func appendRequestFields(dst []byte, request Request, id *int64) []byte {
	if request.Budget.Set() {
		dst = append(dst, `"budget":`...)
		dst = appendBudget(dst, request.Budget, compactSpacing)
		dst = append(dst, ',')
	}
	if id != nil {
		dst = append(dst, `"id":`...)
		dst = strconv.AppendInt(dst, *id, 10)
		dst = append(dst, ',')
	}
	if request.Selector.set() {
		dst = append(dst, `"selector":`...)
		dst = appendSelector(dst, request.Selector, compactSpacing)
		dst = append(dst, ',')
	}
	dst = append(dst, `"source":`...)
	dst = AppendMap(dst, request.Source)
	dst = append(dst, `,"target":`...)
	return AppendMap(dst, request.Target)
}

// A spacing is what stands after a comma and a colon.
type spacing struct{ comma, colon string }

var (
	compactSpacing  = spacing{",", ":"}
	readableSpacing = spacing{", ", ": "}
)

// set reports whether any form is given.
func (s Selector) set() bool {
	return s.Prefer != nil || s.Policy != "" || s.Cost != nil || s.Returns != nil
}

var selectorFields = []string{"prefer", "policy", "cost", "returns"}

// selector reads exactly one form.
func (r *jsonReader) selector() Selector {
	var selector Selector
	object := r.object(selectorFields)
	given := 0
	for object.next() {
		if given++; given > 1 {
			r.fail("a second form: a selector has one")
		}
		switch object.name {
		case "prefer":
			selector.Prefer = r.preferences()
		case "policy":
			selector.Policy = r.policy()
		case "cost":
			selector.Cost = r.costs()
		case "returns":
			selector.Returns = r.raw()
		}
	}
	if given == 0 {
		r.fail("a selector has one form: prefer, policy, cost or returns")
	}
	return selector
}

func (r *jsonReader) preferences() map[int][]int {
	prefer := map[int][]int{}
	object := r.object(nil)
	for object.next() {
		target := r.rankKey(object.name)
		if _, repeated := prefer[target]; repeated {
			r.fail("given twice")
		}
		ranks := []int{}
		for list := r.list(); list.next(); {
			ranks = append(ranks, r.existingRank())
		}
		prefer[target] = ranks
	}
	return prefer
}

// existingRank reads a rank that some map could have.
func (r *jsonReader) existingRank() int {
	rank := r.rank()
	if rank < 0 {
		r.fail("%d is no rank: it is negative", rank)
	}
	return rank
}

func (r *jsonReader) policy() Policy {
	switch policy := Policy(r.string()); policy {
	case PolicyHighest, PolicyLocal, PolicyBalanced, PolicyAny:
		return policy
	default:
		r.fail("%q is no policy: highest, local, balanced or any", shortened(string(policy)))
		return ""
	}
}

// costs reads prices, no pair of ranks having two.
func (r *jsonReader) costs() []Cost {
	costs := []Cost{}
	list := r.list()
	for list.next() {
		costs = append(costs, r.cost())
	}
	if i, repeated := repeatedPair(costs); repeated {
		list.failEntry(i, "the pair has a cost already")
	}
	return costs
}

func (r *jsonReader) cost() Cost {
	var cost Cost
	for list := r.tuple(3, "[source, target, cost]"); list.next(); {
		switch list.index {
		case 0:
			cost.Source = r.existingRank()
		case 1:
			cost.Target = r.existingRank()
		case 2:
			if cost.Cost = r.integer(); cost.Cost < 0 {
				r.fail("a cost is at least 0, not %d", cost.Cost)
			}
		}
	}
	return cost
}

// repeatedPair returns the first entry whose pair of ranks has an entry before it.
func repeatedPair(costs []Cost) (int, bool) {
	seen := make(map[[2]int]bool, len(costs))
	for i, cost := range costs {
		pair := [2]int{cost.Source, cost.Target}
		if seen[pair] {
			return i, true
		}
		seen[pair] = true
	}
	return 0, false
}

// appendSelector appends the form that is set, as Selector.Feature chooses it.
func appendSelector(dst []byte, selector Selector, space spacing) []byte {
	dst = append(dst, '{')
	switch {
	case selector.Prefer != nil:
		dst = append(append(dst, `"prefer"`...), space.colon...)
		dst = appendPreferences(dst, selector.Prefer, space)
	case selector.Cost != nil:
		dst = append(append(dst, `"cost"`...), space.colon...)
		dst = appendCosts(dst, selector.Cost, space)
	case selector.Returns != nil:
		dst = append(append(dst, `"returns"`...), space.colon...)
		dst = append(dst, selector.Returns...)
	default:
		dst = append(append(dst, `"policy"`...), space.colon...)
		dst = appendString(dst, string(selector.Policy))
	}
	return append(dst, '}')
}

func appendPreferences(dst []byte, prefer map[int][]int, space spacing) []byte {
	compare := cmp.Compare[int]
	if space == compactSpacing {
		compare = compareRankText
	}
	dst = append(dst, '{')
	for i, target := range slices.SortedFunc(maps.Keys(prefer), compare) {
		if i > 0 {
			dst = append(dst, space.comma...)
		}
		dst = append(dst, '"')
		dst = strconv.AppendInt(dst, int64(target), 10)
		dst = append(append(dst, '"'), space.colon...)
		dst = appendList(dst, prefer[target], space)
	}
	return append(dst, '}')
}

func appendCosts(dst []byte, costs []Cost, space spacing) []byte {
	dst = append(dst, '[')
	for i, cost := range costs {
		if i > 0 {
			dst = append(dst, space.comma...)
		}
		dst = appendList(dst, []int64{int64(cost.Source), int64(cost.Target), cost.Cost}, space)
	}
	return append(dst, ']')
}

// budgetLimits are the limits of a budget by the names that they have in a file, sorted.
var budgetLimits = []struct {
	name  string
	limit func(*Budget) **int64
}{
	{"max_merge_checks", func(b *Budget) **int64 { return &b.MaxMergeChecks }},
	{"max_merge_passes", func(b *Budget) **int64 { return &b.MaxMergePasses }},
	{"max_ndim", func(b *Budget) **int64 { return &b.MaxNdim }},
	{"max_pair_checks", func(b *Budget) **int64 { return &b.MaxPairChecks }},
	{"max_pieces_per_map", func(b *Budget) **int64 { return &b.MaxPiecesPerMap }},
	{"max_plan_bytes", func(b *Budget) **int64 { return &b.MaxPlanBytes }},
	{"max_segments", func(b *Budget) **int64 { return &b.MaxSegments }},
}

var budgetFields = func() []string {
	var fields []string
	for _, row := range budgetLimits {
		fields = append(fields, row.name)
	}
	return fields
}()

func (r *jsonReader) budget() Budget {
	var budget Budget
	object := r.object(budgetFields)
	for object.next() {
		for _, row := range budgetLimits {
			if row.name == object.name {
				*row.limit(&budget) = r.integerPointer()
			}
		}
	}
	return budget
}

func appendBudget(dst []byte, budget Budget, space spacing) []byte {
	dst = append(dst, '{')
	for _, row := range budgetLimits {
		limit := *row.limit(&budget)
		if limit == nil {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, space.comma...)
		}
		dst = append(append(append(dst, '"'), row.name...), '"')
		dst = append(dst, space.colon...)
		dst = strconv.AppendInt(dst, *limit, 10)
	}
	return append(dst, '}')
}
