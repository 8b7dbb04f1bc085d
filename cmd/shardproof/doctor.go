package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/external"
	"github.com/shardproof/shardproof/props/doctor"
	"github.com/shardproof/shardproof/props/report"
)

var doctorCommand = command{
	name:    "doctor",
	summary: "talk the author of a planner process through the protocol: what was sent, what came back, what to mend",
	usage:   "--planner COMMAND [--once]",
	example: `shardproof doctor --planner "shardproof planner"`,
	run:     runDoctor,
}

func runDoctor(ctx context.Context, c *call) (int, error) {
	flags := addPlannerFlags(c)
	if err := c.parseNone(); err != nil {
		return 0, err
	}
	if flags.command == "" || flags.mutant != "" {
		return 0, fmt.Errorf("--planner COMMAND is due: the program to talk to")
	}
	features, err := parseFeatures(flags.features)
	if err != nil {
		return 0, err
	}
	options := external.Options{
		Command: []string{"/bin/sh", "-c", "exec " + flags.command}, Once: flags.once,
		Info:   plan.Info{Name: flags.command, Features: features},
		Limits: external.Limits{Hello: flags.hello, Answer: flags.answer},
	}
	steps, failed := 0, 0
	tell := func(step doctor.Step) {
		steps++
		if !step.OK() {
			failed++
		}
		if c.json {
			report.WriteRecord(c.stdout, doctorRecord(step))
		} else {
			doctorText(c.stdout, steps, step)
		}
	}
	healthy := doctor.Examine(ctx, options, tell)
	switch {
	case c.json:
		report.WriteSummary(c.stdout, map[string]int{"steps": steps, "failed": failed})
	case healthy:
		fmt.Fprintf(c.stdout, "all is well; next: shardproof audit --planner %q\n", flags.command)
	default:
		fmt.Fprintf(c.stdout, "%d of %d steps failed\n", failed, steps)
	}
	switch {
	case ctx.Err() != nil:
		return report.StatusInterrupted, nil
	case !healthy:
		return report.StatusBroken, nil
	}
	return report.StatusPassed, nil
}

// doctorRecord is a step as a record: exact where all is well, and broken where something is wrong.
func doctorRecord(step doctor.Step) report.Record {
	record := report.Record{Case: step.Title, Verdict: "exact", Broken: []string{}, Should: []string{}, Detail: step.Result}
	if !step.OK() {
		record.Verdict, record.Broken, record.Detail = "broken", []string{"fault"}, step.Problem
	}
	return record
}

func doctorText(w io.Writer, number int, step doctor.Step) {
	mark := "ok"
	if !step.OK() {
		mark = "WRONG"
	}
	fmt.Fprintf(w, "%d. %s: %s\n   %s\n", number, step.Title, mark, step.Why)
	for _, line := range []struct{ label, text string }{
		{"sent    ", step.Sent}, {"received", step.Received}, {"result  ", step.Result},
		{"problem ", step.Problem}, {"advice  ", step.Advice},
		{"its log ", strings.ReplaceAll(step.Log, "\n", "\n            ")},
	} {
		if line.text != "" {
			fmt.Fprintf(w, "   %s %s\n", line.label, line.text)
		}
	}
	fmt.Fprintln(w)
}
