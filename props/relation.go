package props

import (
	"errors"

	"github.com/shardproof/shardproof/plan"
)

// A Relation is a rule about the answers to several requests that belong together.
//
// It is exercised on a case that the planner answers with an exact plan. Where a request that it derives is
// refused as unsupported or by a budget, or where its condition does not hold, it is not exercised.
type Relation struct {
	ID       string
	Level    Level
	Rule     string // the rule in one sentence
	Canaries []PlannerCanary

	// holds asks for the other plans and says how they break the rule, "" where they do not.
	holds func(*relating) string
}

// A PlannerCanary makes a planner that one relation must catch, and that no clause does on the case at hand.
type PlannerCanary struct {
	Name  string // what is wrong with the planner
	Case  func() plan.Case
	Spoil func(right plan.Planner) plan.Planner
}

// StableID names the one relation that every check exercises.
const StableID = "stable"

// Relations lists the relations in the order in which they are asked.
func Relations() []Relation { return append([]Relation(nil), relationRows...) }

// relationRows is the table. Stable has no function of its own: Check asks twice anyway.
var relationRows = []Relation{
	{StableID, Must, "The same request gives the same plan, also with shards, pieces and locations in another order.", stableCanaries, nil},
	{"round-trip", Must, "A plan to the target and one back restore what the source shards held.", roundTripCanaries, roundTrip},
	{"compose", Must, "A plan to the target and one on to a third layout leave what one straight to the third leaves.", composeCanaries, compose},
	{"flat-size", Should, "Doubling every extent, none being 1, leaves the number of segments alone.", flatSizeCanaries, flatSize},
	{"rename-ranks", Should, "Renaming ranks in their order renames them in the plan and changes nothing else.", renameRanksCanaries, renameRanks},
	{"insert-axis", Should, "An axis of extent 1 put in changes no segment but for that axis.", insertAxisCanaries, insertAxis},
	{"append-axis", Should, "An axis added at the end gives the same copies, each longer by that axis.", appendAxisCanaries, appendAxis},
	{"permute-axes", Should, "Axes in another order move as many elements between each two ranks, to the same end.", permuteAxesCanaries, permuteAxes},
	{"cut-piece", Should, "A target piece cut in two leaves what moves between each two ranks as it is, and the same end.", cutPieceCanaries, cutPiece},
}

// relate exercises every relation on a case that the verdict found exact.
func (v *Verdict) relate(ask asker, c plan.Case, anyHolder bool) {
	for _, relation := range relationRows {
		if relation.holds == nil {
			continue
		}
		r := relating{asker: ask, request: c.Request, answer: v.Answer, anyHolder: anyHolder}
		// Derived requests have more pieces, axes or elements: limits that fit the case say nothing about them.
		r.request.Budget = plan.Budget{}
		detail := relation.holds(&r)
		// Where holders are picked freely, what is compared between plans is skipped: those are not exercised.
		if r.answered && !r.held && !(relation.Level == Should && r.ownChoice()) {
			v.Related = append(v.Related, relation.ID)
		}
		switch {
		case r.cannotRun != nil:
			*v = Judge(c, plan.Answer{}, r.cannotRun)
			return
		case r.broken != nil:
			v.related(relation, r.broken.Error())
		case !r.held && detail != "":
			v.related(relation, detail)
		}
	}
}

func (v *Verdict) related(relation Relation, detail string) {
	if relation.Level == Must {
		v.breaks(relation.ID, detail)
	} else {
		v.falls(relation.ID, detail)
	}
}

// relating is one relation being exercised on one case.
type relating struct {
	asker
	request   plan.Request
	answer    plan.Answer // the exact plan for the request
	anyHolder bool

	answered  bool  // a derived request got a plan
	held      bool  // not exercised: a derived request was refused as it may be
	broken    error // a derived request was refused as it may not be, or met with a fault
	cannotRun error
}

// ask puts a derived request. It is false where no plan came of it; what that means is noted.
func (r *relating) ask(request plan.Request) (plan.Answer, bool) {
	answer, err := r.asker.ask(request)
	var refusal *plan.Refusal
	var fault *plan.Fault
	switch {
	case err == nil:
		r.answered = true
		return answer, true
	case errors.As(err, &fault):
		r.broken = err
	case !errors.As(err, &refusal):
		r.cannotRun = err
	case refusal.Kind == plan.Unsupported || refusal.Kind == plan.OverBudget:
		r.held = true
	default:
		r.broken = err
	}
	return plan.Answer{}, false
}

// ownChoice reports whether holders are picked by a rule that the request does not fix, so that plans for
// requests that belong together may read from other holders.
func (r *relating) ownChoice() bool {
	return r.anyHolder || r.request.Selector.Policy == plan.PolicyBalanced
}
