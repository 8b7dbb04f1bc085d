package main

import (
	"context"
	"fmt"

	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/props"
	"github.com/shardproof/shardproof/props/report"
)

var showCommand = command{
	name:    "show",
	summary: "draw a case, the plan for it and the verdict, for a person",
	usage:   "CASE [--found | --plan FILE | --planner COMMAND | --mutant NAME]",
	example: "shardproof show bigcode-2-to-4-lowest",
	run:     runShow,
}

func runShow(ctx context.Context, c *call) (int, error) {
	planFile := c.flags.String("plan", "", "show the plan in `FILE` in place of a planner's")
	found := c.flags.Bool("found", false, "show the plan that the case was found with")
	planner := addPlannerFlags(c)
	checks := addCheckFlags(c)
	arguments, err := c.parse()
	if err != nil {
		return 0, err
	}
	shown, err := loadCase(arguments)
	if err != nil {
		return 0, err
	}
	if *found && (shown.Found == nil || shown.Found.Plan == nil) {
		return 0, fmt.Errorf("%s holds no plan that it was found with", arguments[0])
	}
	judge, finish, err := openJudge(ctx, *planFile, planner, checks)
	if err != nil {
		return 0, err
	}
	if *found {
		judge = judgeFound
	}
	verdict := judge(shown)
	if verdict.CannotRun != nil {
		return 0, &cannotRun{verdict.CannotRun}
	}
	if c.json {
		report.WriteRecord(c.stdout, report.RecordOf(shown.Name, verdict))
	} else {
		report.Show(c.stdout, shown, verdict)
	}
	var tally report.Tally
	tally.Add(verdict)
	return report.ExitStatus(tally, checks.strict), finish()
}

// judgeFound judges the plan that a case was found with.
func judgeFound(c plan.Case) props.Verdict {
	return props.Judge(c, plan.Answer{Plan: *c.Found.Plan}, nil)
}
