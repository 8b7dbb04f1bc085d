package main

import (
	"context"
	"fmt"
	"runtime"

	"github.com/shardproof/shardproof/corpus"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/props"
	"github.com/shardproof/shardproof/props/report"
)

var reduceCommand = command{
	name:    "reduce",
	summary: "shrink a case that a planner fails, as long as it fails in the same way",
	usage:   "CASE [--planner COMMAND | --mutant NAME] [--out FOLDER]",
	example: "shardproof reduce bigcode-2-to-4-lowest --mutant address-logical-offset",
	run:     runReduce,
}

func runReduce(ctx context.Context, c *call) (int, error) {
	out := c.flags.String("out", "", "save the reduced case in this `FOLDER` rather than print it")
	evaluations := c.flags.Int("evaluations", props.DefaultEvaluations, "try `N` cases at most")
	workers := c.flags.Int("workers", runtime.GOMAXPROCS(0), "try `N` cases at a time; with --planner, in N processes")
	flags := addPlannerFlags(c)
	checks := addCheckFlags(c)
	arguments, err := c.parse()
	if err != nil {
		return 0, err
	}
	failing, err := loadCase(arguments)
	if err != nil {
		return 0, err
	}
	flags.processes = *workers
	judge, finish, err := openJudge(ctx, "", flags, checks)
	if err != nil {
		return 0, err
	}
	verdict := judge(failing)
	cause := verdict.Cause(checks.strict)
	switch {
	case verdict.CannotRun != nil:
		return 0, &cannotRun{verdict.CannotRun}
	case cause == "":
		fmt.Fprintf(c.stderr, "shardproof reduce: %s does not fail: %s\n", failing.Name, report.Line(failing.Name, verdict))
		return report.StatusInconclusive, finish()
	}
	fails := func(candidate plan.Case) bool { return judge(candidate).Cause(checks.strict) == cause }
	reduced, stats := props.Reduce(ctx, failing, fails, props.ReduceOptions{Workers: *workers, Evaluations: *evaluations})
	reduced.Name = corpus.Name(reduced.Request)
	note := ""
	if stats.Stopped {
		note = "; stopped early, a simpler case may exist"
	}
	fmt.Fprintf(c.stderr, "%s still breaks after %d steps of %d tried%s\n", cause, stats.Taken, stats.Tried, note)
	if *out == "" {
		c.stdout.Write(plan.EncodeCase(reduced))
		return report.StatusBroken, finish()
	}
	path, err := corpus.Save(*out, reduced)
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(c.stdout, "saved as %s\n", path)
	return report.StatusBroken, finish()
}
