package audit

import (
	"context"
	"strings"

	"github.com/shardproof/shardproof/gen"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/props"
	"github.com/shardproof/shardproof/props/campaign"
)

// campaign runs the campaign in two parts: most cases by the clauses and stable alone, the last ones by every
// relation too.
func (a *auditing) campaign(ctx context.Context) {
	if a.CannotRun != nil || ctx.Err() != nil || a.Options.Checks == 0 {
		return
	}
	if a.Progress != nil {
		a.Progress(Campaign, int64(a.Options.Checks))
	}
	related := a.Options.Checks / relationShare
	traits := gen.Shares{}
	for _, part := range []struct {
		first, checks uint64
		relations     bool
	}{
		{0, a.Options.Checks - related, false},
		{a.Options.Checks - related, related, true},
	} {
		if part.checks == 0 || a.CannotRun != nil || ctx.Err() != nil {
			continue
		}
		result := campaign.Run(ctx, a.part(part.first, part.checks, part.relations))
		a.takeCampaign(&result)
		if left := int64(part.checks) - result.Cases; left > 0 && a.CannotRun == nil && ctx.Err() == nil {
			// A worker that hangs leaves the cases that it had taken.
			a.HeldOff = holdOff(a.HeldOff, campaign.HeldOff{Reason: "left by a worker that hangs", Cases: left})
			a.Tally.Cases += left
			a.Tally.NotExercised += left
		}
		traits.Add(result.Traits)
	}
	for i, trait := range gen.TraitTable() {
		a.Traits = append(a.Traits, TraitShare{trait.Name, traits.Share(i), traits.Missed(i)})
	}
}

func (a *auditing) part(first, checks uint64, relations bool) campaign.Options {
	// Without named families there is no name that could be wrong.
	source, _ := campaign.NewSource(a.Options.Seed, nil, 0)
	options := campaign.Options{
		Planners: []plan.Planner{a.Planner}, Check: a.Check, Source: source, Seed: a.Options.Seed,
		First: first, Checks: checks, Workers: a.Workers, GoOn: true, Hang: a.Hang,
		Name: a.Name, Out: a.Out, ReduceFor: a.ReduceFor,
	}
	options.Check.Relations = relations
	options.Reduce.Workers = a.Workers
	return options
}

// takeCampaign counts what a campaign did. Its findings are counted by rule as they were reduced, one each.
func (a *auditing) takeCampaign(result *campaign.Result) {
	for i := range a.Rules {
		rule := &a.Rules[i]
		rule.count(Kept, keptPlans(&rule.Rule, result), "")
		if rule.Group == Conduct {
			rule.count(Kept, result.Exact, "")
			rule.count(Refused, result.Refused, "")
			rule.count(Unsupported, result.Unsupported, "")
		}
		for _, held := range result.HeldOff {
			if holdsBack(held.Reason, rule.ID) {
				rule.count(NotExercised, held.Cases, held.Reason)
			}
		}
	}
	for _, held := range result.HeldOff {
		a.HeldOff = holdOff(a.HeldOff, held)
	}
	mustKnown, shouldKnown := a.takeFindings(result.Findings)
	a.Tally.Cases += result.Cases
	a.Tally.Exact += result.Exact
	a.Tally.Refused += result.Refused
	a.Tally.Unsupported += result.Unsupported
	a.Tally.Broken += result.Broken
	a.Tally.Unknown += result.Unknown
	a.Tally.NotExercised += result.NotExercised
	if mustKnown {
		a.Tally.Known += result.Broken
	}
	if !shouldKnown {
		a.Tally.Should += result.Should
	}
	if result.CannotRun != nil {
		a.CannotRun = result.CannotRun
	}
}

// keptPlans is how many plans of a campaign are known to keep a rule. A plan that falls short of any should rule
// counts for none of them.
func keptPlans(rule *Rule, result *campaign.Result) int64 {
	switch {
	case !rule.everyPlan:
		return 0
	case rule.Group == Relations && rule.ID != props.StableID:
		return result.Related[rule.ID]
	case rule.Level == props.Should:
		return max(0, result.Exact-result.Should)
	}
	return result.Exact
}

// takeFindings counts findings by rule and reports of each level whether all that break it are expected.
func (a *auditing) takeFindings(found []campaign.Finding) (mustKnown, shouldKnown bool) {
	mustKnown, shouldKnown = true, true
	for _, f := range found {
		j := Judged{Phase: Campaign, Path: f.Path, Case: f.Reduced, Verdict: f.After, relations: true}
		j.rows, j.mapRules = rowsOfDraw(f.Case), mapRulesOf(f.Reduced)
		before := a.Tally
		a.take(&j)
		a.Tally = before // the campaign has counted the case
		mustKnown = mustKnown && (j.Known != "" || len(j.Verdict.Broken) == 0)
		shouldKnown = shouldKnown && a.Options.Known.excusesShould(&j)
		a.addFinding(Finding{Judged: j, Cause: f.Cause, From: f.Case.Origin, Number: f.Number, Stats: f.Stats, Problem: f.Problem})
	}
	return mustKnown, shouldKnown
}

// rowsOfDraw are the rows of the table of refusals that a drawn case with a fault is about: its origin names the fault.
func rowsOfDraw(c plan.Case) []int {
	_, name, found := strings.Cut(c.Origin, "corrupted: ")
	if !found {
		return nil
	}
	for _, corruption := range gen.CorruptionTable() {
		if corruption.Name == name {
			return corruption.Rows
		}
	}
	return nil
}

// holdsBack reports whether a rule is not exercised by the cases that are held back for a reason: a form of the
// selector that the planner does not name, or budgets.
func holdsBack(reason, id string) bool {
	feature, ok := strings.CutPrefix(reason, "needs ")
	switch {
	case !ok:
		return false
	case feature == string(plan.FeatureBudget):
		return id == "budget" || id == "plan.budget" || id == RowID(22)
	case feature == string(plan.FeatureReturns):
		return id == "plan.selector" || id == RowID(21)
	}
	return id == "plan.holder"
}
