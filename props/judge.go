package props

import (
	"errors"
	"fmt"
	"slices"

	"github.com/shardproof/shardproof/oracle"
	"github.com/shardproof/shardproof/plan"
)

// Judge is the verdict on one answer to a case, by what the case expects and by what an oracle finds.
//
// The rules, in order. An error that is no refusal and no fault means that the planner cannot be run. A fault
// is broken. A refusal is judged by its kind and by what is due (see judgeRefusal). A plan where only a
// refusal was due breaks "outcome". Any plan is judged by every clause: executed on labelled elements, or
// proved by geometry where there are too many. Where nothing is broken and some must clause could not be told,
// the verdict is unknown. More segments than the case expects break "folded".
func Judge(c plan.Case, answer plan.Answer, err error) Verdict {
	return judge(c, answer, err, oracle.MaxElements)
}

// judge is Judge with the most elements of each side that are laid out.
func judge(c plan.Case, answer plan.Answer, err error, laidOut int64) Verdict {
	var refusal *plan.Refusal
	var fault *plan.Fault
	switch {
	case err == nil:
		return judgePlan(c, answer, laidOut)
	case errors.As(err, &refusal):
		return judgeRefusal(c, refusal)
	case errors.As(err, &fault):
		return judgeFault(fault)
	}
	return Verdict{Outcome: Unknown, CannotRun: err, Detail: err.Error()}
}

func judgeFault(fault *plan.Fault) Verdict {
	v := Verdict{Fault: fault}
	v.breaks(FaultID, fault.Error())
	return v
}

// judgePlan judges a plan by every clause, and by whether a plan was due at all.
func judgePlan(c plan.Case, answer plan.Answer, laidOut int64) Verdict {
	v := Verdict{Outcome: Exact, Answered: true, Answer: answer, Segments: len(answer.Plan.Segments)}
	v.MovedElements = moved(answer.Plan)
	if c.Raw == nil {
		v.Evidence = examine(c.Request, answer, laidOut)
	}
	if c.Expect.Outcome == plan.Refused {
		v.breaks(OutcomeID, "planned where "+dueRefusal(c.Expect)+" was due")
	}
	unknown := ""
	for i := range clauseRows {
		row := &clauseRows[i]
		switch finding := &v.Evidence[i]; {
		case finding.Status == oracle.Kept:
		case finding.Status == oracle.Broken && row.Level == Must:
			v.breaks(row.ID, finding.Detail)
		case finding.Status == oracle.Broken:
			v.falls(row.ID, finding.Detail)
		case row.Level == Must && unknown == "":
			unknown = row.ID + ": " + finding.Detail
		}
	}
	if v.Outcome == Exact && unknown != "" {
		v.Outcome, v.Detail = Unknown, unknown
	}
	judgeCounts(c, &v)
	return v
}

// judgeCounts holds a plan to the counts that the case expects. A plan that is wrong already is told no more.
func judgeCounts(c plan.Case, v *Verdict) {
	expect := c.Expect
	if v.Outcome == Broken {
		return
	}
	if n := expect.MovedElements; n != nil && *n != v.MovedElements {
		v.breaks(string(oracle.Moved), fmt.Sprintf("moves %d elements, the case expects %d", v.MovedElements, *n))
		return
	}
	for _, n := range [2]*int64{expect.Segments, expect.MaxSegments} {
		if n != nil && int64(v.Segments) > *n && !slices.Contains(v.Should, string(oracle.Folded)) {
			v.falls(string(oracle.Folded), fmt.Sprintf("%d segments, the case expects at most %d", v.Segments, *n))
		}
	}
}

// judgeRefusal judges a refusal by its kind. It is due where the case expects one of that kind. Otherwise:
//
//   - unsupported, where a plan or that was due: unsupported, which is neither a pass nor a finding;
//   - budget, where the request sends a limit that planners count each in their own way: unsupported likewise,
//     as a judge only records what was refused so;
//   - budget, where the request sends no limit: unsupported, as the planner met a limit of its own;
//   - anything else: the outcome is broken. That includes budget where only max_ndim and max_pieces_per_map
//     are sent, which mean the same to every planner, and unsupported where another kind was due.
func judgeRefusal(c plan.Case, refusal *plan.Refusal) Verdict {
	v := Verdict{Outcome: Unsupported, Refusal: refusal, Detail: refusal.Error()}
	expect := c.Expect
	switch {
	case expect.Outcome == plan.Refused && (len(expect.Kinds) == 0 || slices.Contains(expect.Kinds, refusal.Kind)):
		v.Outcome = Refused
	case refusal.Kind == plan.Unsupported && expect.Outcome != plan.Refused:
	case refusal.Kind == plan.OverBudget && (ownCount(c.Budget) || !c.Budget.Set()):
	default:
		v.breaks(OutcomeID, refusal.Error()+"; due was "+dueAnswer(expect))
	}
	return v
}

// ownCount reports whether the budget sends a limit that planners count each in their own way.
func ownCount(b plan.Budget) bool {
	return b.MaxSegments != nil || b.MaxPlanBytes != nil ||
		b.MaxPairChecks != nil || b.MaxMergeChecks != nil || b.MaxMergePasses != nil
}

// requireComplete counts an unsupported verdict as broken: the planner is held to plan every layout of boxes.
// Where a limit of the request may have cut, and where the case leaves open geometry of another kind, the
// verdict stays.
func requireComplete(c plan.Case, v *Verdict) {
	switch {
	case v.Outcome != Unsupported:
	case v.Refusal.Kind == plan.OverBudget && ownCount(c.Budget):
	case v.Refusal.Kind == plan.Unsupported && c.Expect.Outcome == plan.ExactOrUnsupported && beyondBoxes(c.Request):
	default:
		v.breaks(OutcomeID, v.Refusal.Error()+"; due was a plan from a complete planner")
	}
}

// beyondBoxes reports whether a request has geometry that even a complete planner may leave out: more than
// plan.MaxAxes axes, a scale, sizes past int64, or a piece that is no box of the tensor, or that no grid or
// run of addresses of its shard holds.
func beyondBoxes(request plan.Request) bool {
	for _, m := range [2]plan.Map{request.Source, request.Target} {
		if _, ok := plan.Elements(m.LogicalShape); !ok || len(m.LogicalShape) > plan.MaxAxes {
			return true
		}
		for _, shard := range m.Shards {
			if placed := placeShard(m.LogicalShape, shard); placed.placement == opaque || scaled(shard) {
				return true
			}
		}
	}
	return false
}

func scaled(shard plan.Shard) bool {
	return slices.ContainsFunc(shard.Pieces, func(p plan.Piece) bool { return p.Scale != nil && *p.Scale != 1 })
}

func dueAnswer(expect plan.Expect) string {
	switch expect.Outcome {
	case plan.Refused:
		return dueRefusal(expect)
	case plan.ExactOrUnsupported:
		return "a plan or a refusal as unsupported"
	}
	return "a plan"
}

func dueRefusal(expect plan.Expect) string {
	if len(expect.Kinds) == 0 {
		return "a refusal"
	}
	text := "a refusal as " + string(expect.Kinds[0])
	for _, kind := range expect.Kinds[1:] {
		text += " or " + string(kind)
	}
	return text
}

// moved counts the elements that the segments move: 0 where the count leaves int64.
func moved(p plan.Plan) int64 {
	total := int64(0)
	for i := range p.Segments {
		elements, ok := plan.Elements(p.Segments[i].Shape)
		if !ok || total+elements < 0 {
			return 0
		}
		total += elements
	}
	return total
}

// examine looks at a plan with the oracle that suits its size: on labelled elements where each side has at most
// so many, by geometry where it has more.
func examine(request plan.Request, answer plan.Answer, laidOut int64) oracle.Evidence {
	if fits(&request.Source, laidOut) && fits(&request.Target, laidOut) {
		return oracle.Execute(request, answer)
	}
	return oracle.Prove(request, answer)
}

// fits reports whether a tensor, and the shards of its map together, have at most so many elements.
func fits(m *plan.Map, most int64) bool {
	if elements, ok := plan.Elements(m.LogicalShape); !ok || elements > most {
		return false
	}
	for i := range m.Shards {
		elements, ok := plan.Elements(m.Shards[i].Shape)
		if !ok || elements > most {
			return false
		}
		most -= elements
	}
	return true
}
