package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/props"
	"github.com/shardproof/shardproof/props/report"
)

var checkCommand = command{
	name:    "check",
	summary: "judge a planner on saved cases: files, folders, names or, given none, the whole embedded corpus",
	usage:   "[CASE ...] [--planner COMMAND | --mutant NAME | --plan FILE]",
	example: "shardproof check bigcode-2-to-4-lowest --mutant address-logical-offset",
	run:     runCheck,
}

// checkFlags say how verdicts are reached and what fails a run.
type checkFlags struct {
	complete, strict, relations bool
}

func addCheckFlags(c *call) *checkFlags {
	f := &checkFlags{}
	c.flags.BoolVar(&f.complete, "complete", false, "count a right request that is refused as unsupported as broken")
	c.flags.BoolVar(&f.strict, "strict", false, "fail on broken rules of should level as well")
	c.flags.BoolVar(&f.relations, "relations", false, "exercise every relation, which costs more plans a case")
	return f
}

func (f *checkFlags) options(planner judged) props.Options {
	return props.Options{Info: &planner.info, Complete: f.complete, Relations: f.relations}
}

func runCheck(ctx context.Context, c *call) (int, error) {
	planFile := c.flags.String("plan", "", "judge the plan in `FILE` in place of a planner's: of one case")
	all := c.flags.Bool("all", false, "print a line for every case, not only for those that are not as due")
	flags := addPlannerFlags(c)
	checks := addCheckFlags(c)
	paths, err := c.parse()
	if err != nil {
		return 0, err
	}
	files, err := loadCases(paths)
	if err != nil {
		return 0, err
	}
	judge, finish, err := openJudge(ctx, *planFile, flags, checks)
	if err != nil {
		return 0, err
	}
	if *planFile != "" && len(files) != 1 {
		return 0, fmt.Errorf("--plan judges one case, not %d", len(files))
	}
	writer := c.writer()
	var tally report.Tally
	heldOff := map[string]int{}
	for _, file := range files {
		verdict := judge(file.Case)
		if ctx.Err() != nil {
			break
		}
		if verdict.CannotRun != nil {
			return 0, &cannotRun{verdict.CannotRun}
		}
		tally.Add(verdict)
		switch {
		case *all || c.json || !asDue(verdict) && verdict.Outcome != props.NotExercised:
			writer.Case(file.Case.Name, verdict)
		case verdict.Outcome == props.NotExercised:
			heldOff[verdict.Detail]++
		}
	}
	writer.Summary(tally)
	for _, reason := range slices.Sorted(maps.Keys(heldOff)) {
		fmt.Fprintf(c.stdout, "not exercised: %d cases, %s\n", heldOff[reason], reason)
	}
	if ctx.Err() != nil {
		return report.StatusInterrupted, nil
	}
	if err := finish(); err != nil {
		fmt.Fprintf(c.stderr, "shardproof check: at its end the planner was at fault: %v\n", err)
		return report.StatusBroken, nil
	}
	return report.ExitStatus(tally, checks.strict), nil
}

// asDue reports whether there is nothing to tell of a verdict beyond its count.
func asDue(v props.Verdict) bool {
	return (v.Outcome == props.Exact || v.Outcome == props.Refused) && len(v.Should) == 0
}

// openJudge returns what judges a case: the plan in a file, or what the chosen planner answers. finish ends the
// planner, and its error is a fault of its own.
func openJudge(ctx context.Context, planFile string, flags *plannerFlags, checks *checkFlags) (
	judge func(plan.Case) props.Verdict, finish func() error, err error,
) {
	if planFile != "" {
		given, err := loadPlan(planFile)
		return func(c plan.Case) props.Verdict { return props.Judge(c, given.answer, given.err) }, func() error { return nil }, err
	}
	planner, err := flags.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	options := checks.options(planner)
	return func(c plan.Case) props.Verdict { return props.Check(ctx, planner.Planner, c, options) }, planner.close, nil
}
