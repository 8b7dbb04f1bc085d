package plan

import "encoding/json"

// A Case is one question for a planner, with what a right answer looks like.
type Case struct {
	Name string
	Request
	Expect Expect
	Origin string // one line: where the case comes from and what it shows
	Raw    *Raw   // two values that are no maps, in place of the request's; only a planner process sees it
	Found  *Found // what happened when a campaign found the case; a check never reads it
}

// An Outcome is the kind of answer that is due.
type Outcome string

const (
	Exact              Outcome = "exact"                // a plan, right in every element
	Refused            Outcome = "refused"              // a refusal of one of the kinds due
	ExactOrUnsupported Outcome = "exact-or-unsupported" // either, as the planner is wide or narrow
)

// Expect says what a right answer looks like. The counts are optional, and nil where they are not given.
type Expect struct {
	Outcome       Outcome
	Kinds         []Kind // for Refused: the kinds that are right; none: any kind
	Segments      *int64 // what folding by addresses gives
	MaxSegments   *int64 // a bound for any planner
	MovedElements *int64 // the elements of the target shards
}

// Raw is a source and a target that are JSON values but no maps: an extent 4.7, a rank "-1".
type Raw struct{ Source, Target json.RawMessage }

// Found is what a planner did when a campaign found a case: a plan and the rules that it broke, or a fault.
type Found struct {
	Planner string // name and version
	Seed    string // the campaign's, unsigned decimal
	Broken  []string
	Plan    *Plan  // as the planner gave it
	Fault   string // in place of a plan
}
