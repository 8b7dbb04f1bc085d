package audit

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/shardproof/shardproof/corpus"
	"github.com/shardproof/shardproof/oracle"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/props"
)

// A Judged is one case, with the verdict on it.
type Judged struct {
	Phase   Phase
	Path    string // of the file that the case was read from; "": drawn
	Case    plan.Case
	Verdict props.Verdict

	Broken []string // the IDs of the rules that the verdict breaks, in the order of the report's rules
	Known  string   // why a failure is expected; "": it is not

	rows      []int // of the table of refusals, that the case is about
	mapRules  []plan.RuleID
	relations bool // every relation was asked for
}

func nameOfDraw(corruption string, n int) string { return fmt.Sprintf("%s-%d", corruption, n) }

// rowsOf reads from a file's name which row of the table of refusals it is about: the corpus has them under
// refusals/row-NN-what.json. A legal neighbour of a row is about no row.
func rowsOf(file corpus.File) []int {
	_, name, found := strings.Cut(file.Path, "refusals/row-")
	if !found || len(name) < 2 || strings.Contains(name, "legal") {
		return nil
	}
	row, err := strconv.Atoi(name[:2])
	if err != nil {
		return nil
	}
	return []int{row}
}

// fixed judges cases and counts each by rule.
func (a *auditing) fixed(ctx context.Context, phase Phase, cases []Judged) {
	if a.CannotRun != nil || ctx.Err() != nil {
		return
	}
	if a.Progress != nil {
		a.Progress(phase, int64(len(cases)))
	}
	if err := a.judgeAll(ctx, cases); ctx.Err() == nil {
		a.CannotRun = err
	}
	for i := range cases {
		// What has no outcome was not asked.
		if j := &cases[i]; j.Verdict.Outcome != "" {
			a.take(j)
			a.Report.Cases = append(a.Report.Cases, *j)
		}
	}
}

// judgeAll asks the planner about every case. After the first error, which it returns, and after too many hangs it
// asks no more.
func (a *auditing) judgeAll(ctx context.Context, cases []Judged) error {
	asking, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var next, hangs atomic.Int64
	var workers sync.WaitGroup
	for range a.Workers {
		workers.Go(func() {
			for asking.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(cases) {
					return
				}
				j := &cases[i]
				if hangs.Load() >= maxHangs {
					j.Verdict = props.Verdict{Outcome: props.NotExercised, Detail: fmt.Sprintf("after %d hangs", maxHangs)}
				} else if err := a.judge(ctx, j); err != nil {
					stop(err)
					return
				}
				if isHang(j.Verdict.Fault) {
					hangs.Add(1)
				}
				j.mapRules = mapRulesOf(j.Case)
			}
		})
	}
	workers.Wait()
	return context.Cause(asking)
}

// judge asks the planner about a case. Where the planner cannot be run the case has no verdict.
func (a *auditing) judge(ctx context.Context, j *Judged) error {
	j.relations = crossings(j.Case) <= maxRelated
	options := a.Check
	options.Relations = j.relations
	verdict := props.Check(ctx, a.Planner, j.Case, options)
	if verdict.CannotRun != nil {
		return verdict.CannotRun
	}
	j.Verdict = verdict
	return nil
}

func isHang(fault *plan.Fault) bool { return fault != nil && fault.Name == "hang" }

// maxRelated is the most pairs of pieces of a saved case for which every relation is asked for: they ask for plans
// of several times its size.
const maxRelated = 4096

// crossings is the most intersections that a plan may have.
func crossings(c plan.Case) int { return piecesOf(c.Source) * piecesOf(c.Target) }

// mapRulesOf lists the rules that the maps of a request break, as enumerating their elements finds them. Maps that
// are too large for that are taken to break none.
func mapRulesOf(c plan.Case) []plan.RuleID {
	if c.Raw != nil {
		return nil
	}
	source, _ := oracle.ValidateMap(c.Source)
	target, _ := oracle.ValidateMap(c.Target)
	rules := slices.Concat(source, target)
	if !slices.Equal(c.Source.LogicalShape, c.Target.LogicalShape) {
		rules = append(rules, plan.RuleShape)
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}

// take counts a verdict, for all and for each rule that the case is about.
func (a *auditing) take(j *Judged) {
	readings := make([]Status, len(a.Rules))
	for i := range a.Rules {
		if rule := &a.Rules[i].Rule; rule.concerns(j) {
			if readings[i] = rule.reads(j); readings[i] == Broken {
				j.Broken = append(j.Broken, rule.ID)
			}
		}
	}
	j.Known = a.Options.Known.excuse(j, a.Options.Strict)
	for i, status := range readings {
		rule := &a.Rules[i]
		if status == Broken && a.Options.Known.excuses(j, rule.ID) {
			status = Excused
		}
		rule.count(status, 1, j.heldOff())
	}
	a.Tally.add(&j.Verdict, j.Known != "", a.Options.Known.excusesShould(j))
}

// heldOff says why a rule that the case is about was not exercised: the planner was not asked, or it is a relation
// that this plan does not exercise.
func (j *Judged) heldOff() string {
	if j.Verdict.Outcome == props.NotExercised {
		return j.Verdict.Detail
	}
	return "nothing derived to compare"
}

func (t *Tally) add(v *props.Verdict, known, shouldKnown bool) {
	t.Cases++
	if !shouldKnown {
		t.Should++
	}
	switch v.Outcome {
	case props.Exact:
		t.Exact++
	case props.Refused:
		t.Refused++
	case props.Unsupported:
		t.Unsupported++
	case props.Broken:
		t.Broken++
		if known {
			t.Known++
		}
	case props.NotExercised:
		t.NotExercised++
	default:
		t.Unknown++
	}
}
