// Package mutant holds planners that are each wrong in one way, to measure what a judge of planners notices.
//
// A mutant is a right planner with one step changed: the planner of this package, whose steps are values that
// can be replaced, or plan/reference with its request or its answer tampered with. Each is one row of one
// table, and every row must be caught: a judge that lets a mutant live has a hole in just the place that the
// row describes.
package mutant

import (
	"slices"
	"strings"

	"github.com/shardproof/shardproof/plan"
)

// A Mutant is a planner that is wrong in one way.
type Mutant struct {
	Name string // what is wrong, in words joined by hyphens; the first word names the step
	Doc  string // one sentence: what is wrong, and what a user would suffer

	// Clauses are the rules of which at least one must break on a request that shows the fault: clauses and
	// relations by their ID, outcome where another answer was due, fault where none was given or where the
	// planner changed what it was asked.
	Clauses []string

	Strict bool // the plans stay right and only should clauses break: caught by a strict judge only
	Small  bool // some request of the exhaustive run shows it: a few elements, at most three ranks, valid maps

	// New makes the planner. Each may be called from several goroutines, and shares nothing with another.
	New func() plan.Planner
}

// Mutants returns every mutant, sorted by name.
func Mutants() []Mutant {
	all := slices.Concat(
		addresses(), intersections(), shards(), holders(), selections(), foldings(),
		orders(), numbers(), validations(), refusals(), budgets(), conducts(),
	)
	slices.SortFunc(all, func(a, b Mutant) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Lookup returns the mutant of that name, and whether there is one.
func Lookup(name string) (Mutant, bool) {
	for _, mutant := range Mutants() {
		if mutant.Name == name {
			return mutant, true
		}
	}
	return Mutant{}, false
}

// changed makes the right planner with one change to its steps.
func changed(change func(*steps)) func() plan.Planner {
	return func() plan.Planner {
		s := right()
		change(&s)
		return s
	}
}
