package oracle

import "github.com/shardproof/shardproof/plan"

// A ClauseID names a clause of a right plan, as tests, reports and case files do.
type ClauseID string

// The clauses.
const (
	Valid        ClauseID = "valid"
	Bounds       ClauseID = "bounds"
	Cover        ClauseID = "cover"
	Once         ClauseID = "once"
	Values       ClauseID = "values"
	Holder       ClauseID = "holder"
	Moved        ClauseID = "moved"
	BudgetClause ClauseID = "budget"
	Folded       ClauseID = "folded"
	Ordered      ClauseID = "ordered"
)

// A Clause is one rule of a right plan.
type Clause struct {
	ID   ClauseID
	Must bool   // a plan that breaks it is wrong; otherwise it is only not as good as it should be
	Rule string // the rule in one sentence
	// judge reads the finding out of what an oracle saw.
	judge func(*look) Finding
}

const clauseCount = 10

// clauses is the table, in judging order. An element found wrong by one clause is passed over by the later
// ones, so that a broken plan breaks few of them and the first names the cause.
var clauses = [clauseCount]Clause{
	{Valid, true, "Every segment names ranks that exist, has extents of at least 1 and as many strides as extents, and a stated logical shape is the request's.", valid},
	{Bounds, true, "Every read and every write lies inside its shard.", bounds},
	{Cover, true, "Every element of every target shard is written.", cover},
	{Once, true, "No target element is written twice.", once},
	{Values, true, "Every element written holds the logical element that the target map wants there.", values},
	{Holder, true, "Every element with the right value is read from a rank that the rule or the selector allows.", holder},
	{Moved, true, "A stated element count equals what the segments move.", moved},
	{BudgetClause, true, "A plan that is answered fits max_segments and max_plan_bytes.", budget},
	{Folded, false, "No two segments can still join.", folded},
	{Ordered, false, "Segments ascend by target rank, target offset, source rank, source offset, shape, source strides and target strides.", ordered},
}

// Clauses lists the clauses in judging order.
func Clauses() []ClauseID {
	ids := make([]ClauseID, clauseCount)
	for i := range clauses {
		ids[i] = clauses[i].ID
	}
	return ids
}

// Rules lists the clauses with their level and their rule, in judging order.
func Rules() []Clause { return append([]Clause(nil), clauses[:]...) }

// A look is what one oracle saw of an answer: what the clauses judge.
type look struct {
	request plan.Request
	answer  plan.Answer

	source, target []ranked // the shards of each side, ascending by rank
	copies         []copyAt // one a segment
	fault          string   // the first way in which the plan is not valid

	wrong [elementClauses]wrong
}

// The clauses about elements, by their place in a look.
const (
	isBounds = iota
	isCover
	isOnce
	isValues
	isHolder
	elementClauses
)

// A wrong is what an oracle saw of one clause about elements. The zero wrong is that nothing is wrong.
type wrong struct {
	element *Element
	detail  string // of a broken clause
	unknown string // why the oracle cannot tell; counts only where nothing was found broken
}

// unknowable marks every clause about elements, from one on, that nothing was found about.
func (l *look) unknowable(from int, why string) {
	for i := from; i < elementClauses; i++ {
		l.wrong[i].unknown = why
	}
}

// judge reads every clause's finding out of the look.
func (l *look) judge() Evidence {
	var evidence Evidence
	for i := range clauses {
		evidence[i] = clauses[i].judge(l)
	}
	return evidence
}

func bounds(l *look) Finding { return l.wrong[isBounds].finding() }
func cover(l *look) Finding  { return l.wrong[isCover].finding() }
func once(l *look) Finding   { return l.wrong[isOnce].finding() }
func values(l *look) Finding { return l.wrong[isValues].finding() }
func holder(l *look) Finding { return l.wrong[isHolder].finding() }

func (w wrong) finding() Finding {
	switch {
	case w.detail != "":
		return Finding{Status: Broken, Detail: w.detail, Element: w.element}
	case w.unknown != "":
		return Finding{Status: Unknown, Detail: w.unknown}
	}
	return Finding{}
}
