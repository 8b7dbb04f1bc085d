package gen

import (
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// A Trait is a property of a case that a campaign has to meet often enough. It is read off the finished
// case, whatever the generator meant to draw.
type Trait struct {
	Name       string
	Doc        string  // one line: "a case in which ..."
	LeastShare float64 // of the cases that Case draws
	has        func(*survey) bool
}

// A TraitSet is the traits of one case, by their numbers in TraitTable.
type TraitSet [2]uint64

// Has reports whether the trait of that number is in the set.
func (s TraitSet) Has(trait int) bool { return s[trait/64]>>(trait%64)&1 == 1 }

// Traits reads the traits of a case.
func Traits(c plan.Case) TraitSet {
	var set TraitSet
	seen := surveyOf(c)
	for i := range traits {
		if traits[i].has(&seen) {
			set[i/64] |= 1 << (i % 64)
		}
	}
	return set
}

// TraitTable lists every trait. A trait's number is its place in the table.
func TraitTable() []Trait { return slices.Clone(traits) }

var traits = slices.Concat(axesTraits, extentTraits, rankTraits, replicaTraits, pieceTraits, selectorTraits, budgetTraits, familyTraits())

var axesTraits = []Trait{
	{"axes-0", "the tensor is a scalar", 0.005, hasAxes(0)},
	{"axes-1", "the tensor has 1 axis", 0.08, hasAxes(1)},
	{"axes-2", "the tensor has 2 axes", 0.25, hasAxes(2)},
	{"axes-3", "the tensor has 3 axes", 0.12, hasAxes(3)},
	{"axes-4", "the tensor has 4 axes", 0.05, hasAxes(4)},
	{"axes-5", "the tensor has 5 axes", 0.015, hasAxes(5)},
	{"axes-6", "the tensor has 6 axes", 0.015, hasAxes(6)},
	{"axes-7", "the tensor has 7 axes", 0.015, hasAxes(7)},
	{"axes-8", "the tensor has 8 axes", 0.015, hasAxes(8)},
}

func hasAxes(n int) func(*survey) bool {
	return func(s *survey) bool { return len(s.Source.LogicalShape) == n }
}

func hasExtent(is func(int64) bool) func(*survey) bool {
	return func(s *survey) bool { return slices.ContainsFunc(s.Source.LogicalShape, is) }
}

var extentTraits = []Trait{
	{"extent-0", "an axis of the tensor is empty", 0.02, hasExtent(func(extent int64) bool { return extent == 0 })},
	{"extent-1", "an axis of the tensor has extent 1", 0.1, hasExtent(func(extent int64) bool { return extent == 1 })},
	{"extent-prime", "an axis has a prime extent above 3", 0.2, hasExtent(isPrime)},
	{"extent-huge", "an axis has an extent of 10^9 or more", 0.005, hasExtent(func(extent int64) bool { return extent >= 1e9 })},
	{"offset-far", "a block stands beyond 2^31 elements", 0.003, func(s *survey) bool { return s.source.farOffset || s.target.farOffset }},
}

// isPrime reports whether an extent is a prime from 5 to 251.
func isPrime(extent int64) bool {
	if extent < 5 || extent > 251 {
		return false
	}
	for _, factor := range [...]int64{2, 3, 5, 7, 11, 13} {
		if extent%factor == 0 && extent != factor {
			return false
		}
	}
	return true
}

// onEither reads a property of a map, of whichever side has it.
func onEither(has func(*sideSurvey) bool) func(*survey) bool {
	return func(s *survey) bool { return has(&s.source) || has(&s.target) }
}

var rankTraits = []Trait{
	{"ranks-above-rows", "a side has more ranks than the first axis has indices", 0.1, onEither(func(s *sideSurvey) bool { return s.moreThanRows })},
	{"ranks-empty-between", "an empty rank stands between two that hold something", 0.05, onEither(func(s *sideSurvey) bool { return s.emptyBetween })},
	{"ranks-sparse", "the rank ids of a side have gaps", 0.1, onEither(func(s *sideSurvey) bool { return s.sparse })},
	{"ranks-large", "a rank id is 2^31 or more", 0.05, onEither(func(s *sideSurvey) bool { return s.large })},
	{"ranks-unordered", "the shards do not stand by ascending rank", 0.1, onEither(func(s *sideSurvey) bool { return s.unordered })},
	{"ranks-overlap", "a source and a target rank share an id", 0.3, func(s *survey) bool { return s.sharedRank }},
	{"ranks-apart", "no source and target rank share an id", 0.1, func(s *survey) bool { return !s.sharedRank }},
}

var replicaTraits = []Trait{
	{"replicas", "several source ranks hold a block", 0.25, func(s *survey) bool { return s.source.replicas }},
	{"replicas-offset", "two replicas stand at different addresses of their shards", 0.05, onEither(func(s *sideSurvey) bool { return s.replicaOffsets })},
	{"replicas-order", "two shards hold the same two blocks in opposite order", 0.03, onEither(func(s *sideSurvey) bool { return s.replicaOrder })},
	{"replicas-cut-source", "two source replicas are cut differently", 0.03, func(s *survey) bool { return s.source.replicaCuts }},
	{"replicas-cut-target", "two target replicas are cut differently", 0.03, func(s *survey) bool { return s.target.replicaCuts }},
}

var pieceTraits = []Trait{
	{"pieces-refined", "two pieces could be one", 0.2, onEither(func(s *sideSurvey) bool { return s.refined })},
	{"pieces-strips", "three pieces could be one, but only two of them first", 0.02, onEither(func(s *sideSurvey) bool { return s.strips })},
	{"pieces-empty", "a piece places nothing", 0.1, onEither(func(s *sideSurvey) bool { return s.emptyPiece })},
	{"pieces-permuted", "a piece lists its axes in another order than the tensor", 0.02, onEither(func(s *sideSurvey) bool { return s.permutedPiece })},
	{"pieces-odd-stride", "an axis of extent 1 has a stride that is not row-major", 0.01, onEither(func(s *sideSurvey) bool { return s.oddStrides })},
	{"shards-permuted", "a shard stores its axes in another order than the tensor", 0.02, onEither(func(s *sideSurvey) bool { return s.permutedShard })},
	{"shards-flat", "a shard has another number of axes than the tensor", 0.05, onEither(func(s *sideSurvey) bool { return s.flat })},
}

var selectorTraits = []Trait{
	{"selector-none", "the lowest rank is read", 0.3, func(s *survey) bool { _, sent := s.Selector.Feature(); return !sent && s.Selector.Policy == "" }},
	{"selector-any", "the planner may read any candidate", 0.02, hasPolicy(plan.PolicyAny)},
	{"selector-balanced", "reads are to be spread over the holders", 0.02, hasPolicy(plan.PolicyBalanced)},
	{"selector-highest", "the highest rank is read", 0.02, hasPolicy(plan.PolicyHighest)},
	{"selector-local", "the target's own rank is read where it can be", 0.02, hasPolicy(plan.PolicyLocal)},
	{"selector-prefer", "targets prefer some ranks", 0.02, func(s *survey) bool { return s.Selector.Prefer != nil }},
	{"selector-cost", "pairs of ranks have prices", 0.02, func(s *survey) bool { return s.Selector.Cost != nil }},
	{"selector-returns", "the selector answers one value, and a plan is due", 0.01, func(s *survey) bool { return s.Selector.Returns != nil && s.Expect.Outcome != plan.Refused }},
	{"selector-wrong", "the selector answers no candidate, and that is refused", 0.01, isDue(plan.BadSelection)},
}

func hasPolicy(policy plan.Policy) func(*survey) bool {
	return func(s *survey) bool { return s.Selector.Policy == policy }
}

func isDue(kind plan.Kind) func(*survey) bool {
	return func(s *survey) bool { return slices.Contains(s.Expect.Kinds, kind) }
}

var budgetTraits = []Trait{
	{"budget-at", "a budget is sent and a plan is due", 0.05, func(s *survey) bool { return s.Budget.Set() && s.Expect.Outcome != plan.Refused }},
	{"budget-under", "every plan is over a limit, and that is refused", 0.01, isDue(plan.OverBudget)},
	{"budget-axes-under", "the tensor has more axes than the limit sent", 0.003, func(s *survey) bool {
		return over(int64(len(s.Target.LogicalShape)), s.Budget.MaxNdim)
	}},
}

// familyTraits has a trait for each family, and one for two families in one case.
func familyTraits() []Trait {
	table := []Trait{{"families-mixed", "the two sides are of different families", 0.2, func(s *survey) bool {
		return s.sourceFamily != s.targetFamily
	}}}
	for _, name := range Families() {
		least := 0.01
		if name == meshName {
			least = 0.4
		}
		table = append(table, Trait{"family-" + name, "a side is of the family " + name, least, func(s *survey) bool {
			return s.sourceFamily == name || s.targetFamily == name
		}})
	}
	return table
}
