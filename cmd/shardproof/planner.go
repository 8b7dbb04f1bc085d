package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/external"
	"github.com/shardproof/shardproof/plan/mutant"
	"github.com/shardproof/shardproof/plan/reference"
	"github.com/shardproof/shardproof/props/report"
)

// plannerFlags choose the planner of a command: the reference planner unless they say otherwise.
type plannerFlags struct {
	command, mutant, folding string
	once                     bool
	features                 string
	hello, answer            time.Duration
	processes                int
}

func addPlannerFlags(c *call) *plannerFlags {
	p := &plannerFlags{processes: 1}
	c.flags.StringVar(&p.command, "planner", "", "judge the program `COMMAND`, which speaks the planner protocol; - is whoever started this program, over its standard streams")
	c.flags.BoolVar(&p.once, "once", false, "with --planner: the program answers one request and exits")
	c.flags.StringVar(&p.features, "features", "", "with --once: what the program takes, as `prefer,budget`; none by default")
	c.flags.DurationVar(&p.hello, "hello-limit", 10*time.Second, "with --planner: the time to say hello")
	c.flags.DurationVar(&p.answer, "answer-limit", 10*time.Second, "the time for one answer")
	c.flags.StringVar(&p.mutant, "mutant", "", "judge the broken planner `NAME`; shardproof mutants lists them")
	c.flags.StringVar(&p.folding, "folding", "addresses", "of the reference planner: pieces, addresses or stack, as `NAME`")
	c.planner = p
	return p
}

// A judged is an open planner, with what it says of itself.
type judged struct {
	plan.Planner
	info     plan.Info
	inflight int          // callers that it serves at a time; 0: any number
	close    func() error // the error is a fault that shows when it ends
}

// parentPlanner is the planner that started this program: requests go to standard output, and what would be
// printed there goes to standard error.
const parentPlanner = "-"

// open starts the planner that the flags choose.
func (p *plannerFlags) open(ctx context.Context) (judged, error) {
	switch {
	case p.command != "" && p.mutant != "":
		return judged{}, fmt.Errorf("--planner and --mutant exclude each other")
	case p.command != "":
		return p.openProgram(ctx)
	}
	planner, info, err := p.ours()
	return judged{Planner: planner, info: info, close: func() error { return nil }}, err
}

func (p *plannerFlags) openProgram(ctx context.Context) (judged, error) {
	features, err := parseFeatures(p.features)
	if err != nil {
		return judged{}, err
	}
	options := external.Options{
		Command:   []string{"/bin/sh", "-c", "exec " + p.command},
		Processes: p.processes,
		Once:      p.once,
		Info:      plan.Info{Name: p.command, Features: features},
		Limits:    external.Limits{Hello: p.hello, Answer: p.answer},
	}
	if p.command == parentPlanner {
		options.Streams, options.Processes = &external.Streams{Requests: os.Stdout, Answers: os.Stdin}, 1
	}
	program, err := external.Open(ctx, options)
	if err != nil {
		return judged{}, err
	}
	return judged{Planner: program, info: program.Info(), inflight: program.Inflight(), close: program.Close}, nil
}

func (p *plannerFlags) ours() (plan.Planner, plan.Info, error) {
	if p.mutant != "" {
		row, ok := mutant.Lookup(p.mutant)
		if !ok {
			return nil, plan.Info{}, fmt.Errorf("no mutant %q; shardproof mutants lists them", p.mutant)
		}
		return row.New(), plan.Info{Name: row.Name, Version: "mutant", Features: plan.AllFeatures()}, nil
	}
	for _, folding := range []reference.Folding{reference.Pieces, reference.Addresses, reference.Stack} {
		if folding.String() == p.folding {
			return reference.Planner{Folding: folding}, reference.Info(), nil
		}
	}
	return nil, plan.Info{}, fmt.Errorf("no folding %q: pieces, addresses and stack are", p.folding)
}

func parseFeatures(text string) ([]plan.Feature, error) {
	if text == "" {
		return nil, nil
	}
	var features []plan.Feature
	for name := range strings.SplitSeq(text, ",") {
		if !slices.Contains(plan.AllFeatures(), plan.Feature(name)) {
			return nil, fmt.Errorf("no feature %q: %v are", name, plan.AllFeatures())
		}
		features = append(features, plan.Feature(name))
	}
	return features, nil
}

var plannerCommand = command{
	name:    "planner",
	summary: "be a planner: speak the planner protocol on standard input and output",
	usage:   "[--mutant NAME | --folding NAME]",
	example: `shardproof fuzz --for 2s --planner "shardproof planner --mutant fold-joins-over-gap"`,
	run:     runPlanner,
}

// servedInflight is how many requests our own planner process takes at a time: enough that it never waits.
const servedInflight = 64

func runPlanner(ctx context.Context, c *call) (int, error) {
	var flags plannerFlags
	c.flags.StringVar(&flags.mutant, "mutant", "", "be the broken planner `NAME`")
	c.flags.StringVar(&flags.folding, "folding", "addresses", "of the reference planner: pieces, addresses or stack, as `NAME`")
	if err := c.parseNone(); err != nil {
		return 0, err
	}
	planner, info, err := flags.ours()
	if err != nil {
		return 0, err
	}
	err = external.Serve(ctx, c.stdin, c.stdout, planner, plan.Hello{Info: info, MaxInflight: servedInflight})
	return report.StatusPassed, err
}
