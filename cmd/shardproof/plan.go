package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/props/report"
)

var planCommand = command{
	name:    "plan",
	summary: "print a planner's plan for a case, or for the maps in two files",
	usage:   "CASE | --source FILE --target FILE",
	example: "shardproof plan bigcode-2-to-4-lowest",
	run:     runPlan,
}

func runPlan(ctx context.Context, c *call) (int, error) {
	source := c.flags.String("source", "", "the map of the source layout, in `FILE`")
	target := c.flags.String("target", "", "the map of the target layout, in `FILE`")
	flags := addPlannerFlags(c)
	arguments, err := c.parse()
	if err != nil {
		return 0, err
	}
	request, err := requestOf(arguments, *source, *target)
	if err != nil {
		return 0, err
	}
	planner, err := flags.open(ctx)
	if err != nil {
		return 0, err
	}
	answer, err := planner.Plan(ctx, request)
	var refusal *plan.Refusal
	var fault *plan.Fault
	switch {
	case errors.As(err, &refusal):
		c.stdout.Write(plan.EncodeRefusal(refusal))
		return report.StatusBroken, planner.close()
	case errors.As(err, &fault):
		fmt.Fprintf(c.stderr, "shardproof plan: the planner is at fault: %v\n", fault)
		return report.StatusBroken, nil
	case err != nil:
		return 0, &cannotRun{err}
	case c.json:
		c.stdout.Write(append(plan.CompactPlan(answer.Plan), '\n'))
	default:
		c.stdout.Write(plan.EncodePlan(answer))
	}
	return report.StatusPassed, planner.close()
}

// requestOf is the request of a case, or of the maps in two files.
func requestOf(arguments []string, source, target string) (plan.Request, error) {
	if source == "" && target == "" {
		c, err := loadCase(arguments)
		if err == nil && c.Raw != nil {
			err = fmt.Errorf("%s: its source and target are no maps", c.Name)
		}
		return c.Request, err
	}
	if len(arguments) > 0 || source == "" || target == "" {
		return plan.Request{}, fmt.Errorf("a case, or both --source and --target, are due")
	}
	var request plan.Request
	var err error
	if request.Source, err = loadMap(source); err != nil {
		return request, err
	}
	request.Target, err = loadMap(target)
	return request, err
}

func loadMap(path string) (plan.Map, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return plan.Map{}, err
	}
	m, err := plan.DecodeMap(text)
	if err != nil {
		return m, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}
