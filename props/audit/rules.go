package audit

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/shardproof/shardproof/oracle"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/props"
)

// plannerRules is the table of what planners are held to, in the order of a report.
func plannerRules() []Rule {
	return slices.Concat(clauseRules(), relationRules(), planningRules, refusedMapRules(), refusalRules(), conductRules)
}

func clauseRules() []Rule {
	var rules []Rule
	for _, clause := range props.Clauses() {
		rule := Rule{
			ID: clause.ID, Level: clause.Level, Group: Plans, Text: clause.Rule,
			everyPlan: true, concerns: planDue, reads: byClauses(clause.ID),
		}
		switch oracle.ClauseID(clause.ID) {
		case oracle.Moved:
			rule.everyPlan, rule.concerns = false, countStated
		case oracle.BudgetClause:
			rule.everyPlan, rule.concerns = false, planLimited
		}
		rules = append(rules, rule)
	}
	return rules
}

func relationRules() []Rule {
	var rules []Rule
	for _, relation := range props.Relations() {
		rules = append(rules, Rule{
			ID: relation.ID, Level: relation.Level, Group: Relations, Text: relation.Rule,
			everyPlan: true, concerns: planDue, reads: byRelation(relation.ID),
		})
	}
	return rules
}

// planningRules are shown by the clauses and relations that a planner breaks where it breaks them.
var planningRules = []Rule{
	planning("plan.read", props.Must, "Reads are addressed by the dest side of a source piece, with the shard's strides.",
		true, planDue, byClauses("valid", "bounds", "values")),
	planning("plan.scale1", props.Must, "Only scale 1 is planned; any other is refused as unsupported, 0 as invalid.",
		false, hasScale, byNames(props.OutcomeID)),
	planning("plan.holder", props.Must, "A replicated region is read from the lowest holder, or from the selector's choice.",
		false, replicated, byClauses("holder")),
	planning("plan.selector", props.Must, "A selection that is no integer or no candidate is refused with kind selector.",
		false, selects, byNames(props.OutcomeID, "holder")),
	planning("plan.every-holder", props.Must, "Each target holder receives its own copy, also where source and target are the same.",
		false, targetReplicated, byClauses("cover")),
	planning("plan.metadata", props.Must, "Planning costs nothing per element: a tensor of 10^9 elements is planned like a small one.",
		false, huge, byNames(props.FaultID)),
	planning("plan.deterministic", props.Must, "Equal requests give equal plans, whatever the order of pieces, ranks and keys.",
		true, planDue, byRelation(props.StableID)),
	planning("plan.order", props.Should, "Segments stand in one order.", true, planDue, byClauses("ordered")),
	planning("plan.fold", props.Should, "No two segments left can still join.", true, planDue, byClauses("folded")),
	planning("plan.budget", props.Must, "A plan past a limit is refused whole.", false, limited, byNames(props.OutcomeID, "budget")),
	planning("plan.serial", props.Must, "A plan survives its JSON round trip unchanged.", false, planDue, survivesJSON),
}

func planning(id string, level props.Level, text string, everyPlan bool, concerns func(*Judged) bool, reads func(*Judged) Status) Rule {
	return Rule{id, level, Planning, text, everyPlan, concerns, reads}
}

// mapRuleTexts are the rules of maps. A planner must refuse a map that breaks one of must level.
var mapRuleTexts = []struct {
	id   plan.RuleID
	text string
}{
	{plan.RuleArity, "A piece has an extent, a source stride and a dest stride for each axis of the tensor."},
	{plan.RuleExtent, "No extent is negative."},
	{plan.RuleBounds, "Pieces lie inside the tensor and inside their shard, and never wrap round an axis."},
	{plan.RuleTiling, "The pieces of a rank fill its shard, each address once."},
	{plan.RuleOnce, "A rank holds an element of the tensor at most once."},
	{plan.RuleCoverage, "Every element of the tensor is held by some rank."},
	{plan.RuleLocations, "A piece's locations are the ranks that hold each element of it."},
	{plan.RuleHolder, "A named holder has a shard and holds all of the piece."},
	{plan.RuleScale, "A scale is finite and not zero."},
	{plan.RuleRanks, "Rank ids are distinct and not negative; a shard is declared, and has the pieces that it needs."},
	{plan.RuleShape, "Source and target describe the same logical shape."},
	{plan.RuleCanonical, "Pieces are merged as far as they can be."},
}

// refusedMapRules are the must rules of maps, each as what a planner must refuse.
func refusedMapRules() []Rule {
	var rules []Rule
	for _, row := range mapRuleTexts {
		if row.id == plan.RuleCanonical {
			continue // right to plan, however it is cut
		}
		rules = append(rules, Rule{
			ID: string(row.id), Level: props.Must, Group: MapRules, Text: row.text,
			concerns: func(j *Judged) bool { return slices.Contains(j.mapRules, row.id) }, reads: byOutcome,
		})
	}
	return rules
}

// refusalTexts are the conditions of the table of refusals, by row from 1.
var refusalTexts = [...]string{
	"Logical shapes differ, equal element counts included.",
	"More axes than the planner's limit.",
	"A shard has another number of axes than the tensor.",
	"More pieces in a map than the limit, empty pieces counted.",
	"A shard with elements and no piece that places any.",
	"A rank without a shard shape.",
	"A shard without elements holds a piece that places some.",
	"Extents, source strides and dest strides differ in length.",
	"A negative extent.",
	"No locations.",
	"A scale other than 1.",
	"A block that is permuted, stepped, reversed, diagonal or broadcast.",
	"A block that leaves or wraps round the tensor or its shard.",
	"Two pieces of one rank on the same shard addresses.",
	"Pieces whose volume is not the shard's.",
	"One rank holds an element twice.",
	"Locations that differ from the ranks that hold the piece.",
	"Source replicas of one region cut at different boundaries.",
	"The source does not cover the tensor.",
	"The target does not cover the tensor.",
	"A selection that is no candidate.",
	"A limit is exceeded.",
	"A product of extents past int64.",
}

// RowID names a row of the table of refusals.
func RowID(row int) string { return fmt.Sprintf("row.%d", row) }

func refusalRules() []Rule {
	var rules []Rule
	for i, text := range refusalTexts {
		row := i + 1
		rules = append(rules, Rule{
			ID: RowID(row), Level: props.Must, Group: Refusals, Text: text,
			concerns: func(j *Judged) bool { return slices.Contains(j.rows, row) }, reads: byOutcome,
		})
	}
	return rules
}

var conductRules = []Rule{
	{
		ID: props.OutcomeID, Level: props.Must, Group: Conduct,
		Text:     "A right request is planned, or refused as it may be; a wrong one is refused by a kind that is due.",
		concerns: always, reads: byNames(props.OutcomeID),
	},
	{
		ID: props.FaultID, Level: props.Must, Group: Conduct,
		Text:     "Every request gets a plan or a refusal: no crash, no hang, no output that is neither.",
		concerns: always, reads: byNames(props.FaultID),
	},
}

// What concerns a rule.

func always(*Judged) bool { return true }

func planDue(j *Judged) bool { return j.Case.Expect.Outcome != plan.Refused }

// countStated leaves out plans that state no count, but not requests that a planner was not asked.
func countStated(j *Judged) bool {
	return planDue(j) && (!j.Verdict.Answered || j.Verdict.Answer.MovedElements != nil)
}

func limited(j *Judged) bool { return j.Case.Budget.Set() }

func planLimited(j *Judged) bool {
	b := j.Case.Budget
	return planDue(j) && (b.MaxSegments != nil || b.MaxPlanBytes != nil)
}

func selects(j *Judged) bool { return j.Case.Selector.Returns != nil }

func replicated(j *Judged) bool { return planDue(j) && anyPiece(j.Case.Source, isReplica) }

func targetReplicated(j *Judged) bool { return planDue(j) && anyPiece(j.Case.Target, isReplica) }

func isReplica(p *plan.Piece) bool { return len(p.Locations) > 1 && !p.Empty() }

func hasScale(j *Judged) bool {
	scaled := func(p *plan.Piece) bool { return p.Scale != nil && *p.Scale != 1 }
	return anyPiece(j.Case.Source, scaled) || anyPiece(j.Case.Target, scaled)
}

func anyPiece(m plan.Map, is func(*plan.Piece) bool) bool {
	for s := range m.Shards {
		for p := range m.Shards[s].Pieces {
			if is(&m.Shards[s].Pieces[p]) {
				return true
			}
		}
	}
	return false
}

// hugeElements is from how many elements on a planner that does anything for each would be seen to.
const hugeElements = 1e9

func huge(j *Judged) bool {
	elements, ok := plan.Elements(j.Case.Source.LogicalShape)
	return planDue(j) && ok && elements >= hugeElements
}

// How a verdict is read.

// byClauses reads a rule that these clauses show.
func byClauses(ids ...string) func(*Judged) Status {
	return func(j *Judged) Status {
		v := &j.Verdict
		if slices.ContainsFunc(ids, v.Names) {
			return Broken
		}
		if !v.Answered {
			return unanswered(v)
		}
		for _, id := range ids {
			if v.Evidence.Of(oracle.ClauseID(id)).Status == oracle.Unknown {
				return unclear(v)
			}
		}
		return Kept
	}
}

// unclear reads a clause that no oracle could judge: that counts only where nothing else is known to be broken.
func unclear(v *props.Verdict) Status {
	if v.Outcome == props.Broken {
		return ""
	}
	return Unknown
}

// byRelation reads a relation: stable always is exercised, the others where the verdict says so.
func byRelation(id string) func(*Judged) Status {
	return func(j *Judged) Status {
		v := &j.Verdict
		switch {
		case v.Names(id):
			return Broken
		case !v.Answered:
			return unanswered(v)
		case j.Case.Raw != nil || id != props.StableID && (v.Outcome != props.Exact || !j.relations):
			return ""
		case id != props.StableID && !slices.Contains(v.Related, id):
			return NotExercised
		}
		return Kept
	}
}

// unanswered reads a request that got no plan: a due refusal and a fault say nothing about plans.
func unanswered(v *props.Verdict) Status {
	switch v.Outcome {
	case props.NotExercised:
		return NotExercised
	case props.Unsupported:
		return Unsupported
	}
	return ""
}

// byOutcome reads a rule about what the answer is: right in whatever way, or not.
func byOutcome(j *Judged) Status {
	switch j.Verdict.Outcome {
	case props.Exact:
		return Kept
	case props.Refused:
		return Refused
	case props.Unsupported:
		return Unsupported
	case props.NotExercised:
		return NotExercised
	case props.Broken:
		return Broken
	}
	return Unknown
}

// byNames reads a rule that is broken where a verdict names any of these. Another broken verdict keeps the rule.
func byNames(ids ...string) func(*Judged) Status {
	return func(j *Judged) Status {
		if slices.ContainsFunc(ids, j.Verdict.Names) {
			return Broken
		}
		if j.Verdict.Outcome == props.Broken || j.Verdict.Outcome == props.Unknown {
			return Kept
		}
		return byOutcome(j)
	}
}

func survivesJSON(j *Judged) Status {
	if !j.Verdict.Answered {
		return unanswered(&j.Verdict)
	}
	read, _, err := plan.DecodePlan(plan.EncodePlan(j.Verdict.Answer))
	if err != nil || !bytes.Equal(plan.CompactPlan(read.Plan), plan.CompactPlan(j.Verdict.Answer.Plan)) {
		return Broken
	}
	return Kept
}
