package oracle

// A holders keeps, for every logical element, the set of ranks that hold it. Sets are shared: a set is the
// shard added last and the set before it, so that as many are kept as the layout has, and an element costs
// one number however many ranks there are. Shards are added by ascending rank.
type holders struct {
	sets []holderSet
	of   []int32 // for each logical element the place of its set; 0 is the empty set
}

type holderSet struct {
	before int32 // the set without the shard added last
	shard  int32
	// with and since remember the set made of this one by adding a shard.
	with, since int32
}

func (h *holders) clear(elements int64) {
	h.sets = append(h.sets[:0], holderSet{shard: absent, since: absent})
	h.of = resized(h.of, elements)
	clear(h.of)
}

// add is the set that holds a shard as well. It is false where the set holds it already.
func (h *holders) add(set, shard int32) (int32, bool) {
	s := &h.sets[set]
	if s.since == shard {
		return s.with, true
	}
	if s.shard == shard {
		return 0, false
	}
	s.with, s.since = int32(len(h.sets)), shard
	with := s.with
	h.sets = append(h.sets, holderSet{before: set, shard: shard, since: absent})
	return with, true
}

// ranks lists the ranks of a set, ascending, in the space of list.
func (h *holders) ranks(list []int, set int32, shards []ranked) []int {
	list = list[:0]
	for ; set != 0; set = h.sets[set].before {
		list = append(list, shards[h.sets[set].shard].Rank)
	}
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list
}

// resized is a slice of so many elements, whose values are whatever they were.
func resized[T any](slice []T, n int64) []T {
	if int64(cap(slice)) < n {
		return make([]T, n, max(n, min(2*n, keptElements)))
	}
	return slice[:n]
}
