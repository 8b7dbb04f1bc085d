// Package props judges planners: a verdict on one answer, relations between several, and the reduction of a
// case that a planner fails. Test and Fuzz bring all of it to a planner's own Go tests in three lines.
package props

import (
	"github.com/shardproof/shardproof/oracle"
	"github.com/shardproof/shardproof/plan"
)

// An Outcome is what is concluded about a planner from one case.
type Outcome string

// The outcomes. Unsupported, Unknown and NotExercised are neither a pass nor a finding.
const (
	Exact        Outcome = "exact"         // a plan, and every must clause holds
	Refused      Outcome = "refused"       // a refusal, and it was due
	Unsupported  Outcome = "unsupported"   // legal geometry, or a limit of the planner's own, that it does not plan
	Broken       Outcome = "broken"        // a must clause is broken, or the outcome is not the one due
	Unknown      Outcome = "unknown"       // no oracle could tell
	NotExercised Outcome = "not_exercised" // the request needs a feature that the planner does not name
)

// What Verdict.Broken holds besides the clauses and the relations.
const (
	OutcomeID = "outcome" // a plan where a refusal was due, or a refusal that was not due
	FaultID   = "fault"   // neither a plan nor a refusal
)

// A Verdict is what one case showed about a planner.
type Verdict struct {
	Outcome Outcome
	Broken  []string // what of must level is broken, the cause first; empty unless Outcome is Broken
	Should  []string // what of should level is broken
	Detail  string   // one line on the first thing broken, or on why there is no plan; empty where all is well

	Related []string // the relations besides stable that were exercised, kept or broken

	Segments      int   // of the plan answered
	MovedElements int64 // what its segments move, counted; 0 where the count leaves int64

	Answer   plan.Answer     // as the planner gave it; meaningful where Answered
	Answered bool            // the planner gave a plan
	Refusal  *plan.Refusal   // in its place
	Fault    *plan.Fault     // in its place, or because of what the planner did besides
	Evidence oracle.Evidence // on the plan; meaningful where Answered

	// CannotRun is the reason where the planner could not be run at all: then nothing else is meaningful.
	CannotRun error
}

// Names reports whether the verdict names the clause, relation or other reason as broken, on either level.
func (v Verdict) Names(id string) bool {
	for _, level := range [2][]string{v.Broken, v.Should} {
		for _, broken := range level {
			if broken == id {
				return true
			}
		}
	}
	return false
}

// Cause is the first thing broken: of must level, or else of should level where strict. It is empty where nothing is.
func (v Verdict) Cause(strict bool) string {
	if len(v.Broken) > 0 {
		return v.Broken[0]
	}
	if strict && len(v.Should) > 0 {
		return v.Should[0]
	}
	return ""
}

// breaks adds what is broken of must level. The first thing added is the cause, and the detail is about it.
func (v *Verdict) breaks(id, detail string) {
	if len(v.Broken) == 0 && detail != "" {
		v.Detail = id + ": " + detail
	}
	v.Outcome = Broken
	v.Broken = append(v.Broken, id)
}

// falls adds what is broken of should level.
func (v *Verdict) falls(id, detail string) {
	if v.Detail == "" {
		v.Detail = id + ": " + detail
	}
	v.Should = append(v.Should, id)
}
