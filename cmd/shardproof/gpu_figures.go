package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/shardproof/shardproof/gpucheck"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/layout"
	"github.com/shardproof/shardproof/plan/reference"
	"github.com/shardproof/shardproof/props/report"
)

// The figures' element width, that of most weights while they are trained, and the rounds that medians are taken of.
const (
	figureWidth  = 4
	figureRounds = 9
)

// A transfer is one change of layout that figures are made of.
type transfer struct {
	name           string
	elements       int64
	source, target func() (plan.Map, error)
}

// transfers are parameters of growing size over more ranks, then BigCode's fused attention at the width of a large model.
func transfers() []transfer {
	var all []transfer
	for _, side := range []int64{64, 256, 1024, 4096, 16384} {
		for _, ranks := range []int{4, 8} {
			rows := func(n int) func() (plan.Map, error) {
				return func() (plan.Map, error) { return layout.Contiguous([]int64{side, side}, 0, even(side, n)) }
			}
			columns := func(n int) func() (plan.Map, error) {
				return func() (plan.Map, error) { return layout.Contiguous([]int64{side, side}, 1, even(side, n)) }
			}
			all = append(all,
				transfer{fmt.Sprintf("rows %dx%d 2 to %d", side, side, ranks), side * side, rows(2), rows(ranks)},
				transfer{fmt.Sprintf("rows to columns %dx%d 2 to %d", side, side, ranks), side * side, rows(2), columns(ranks)})
		}
	}
	const width, heads = 8192, 128 // columns of the model, and the rows of one head
	for _, ranks := range []int{4, 8} {
		bigCode := func(n int) func() (plan.Map, error) {
			return func() (plan.Map, error) { return layout.BigCode([]int64{width + 2*heads, width}, heads, n) }
		}
		all = append(all, transfer{fmt.Sprintf("BigCode %dx%d 2 to %d", width+2*heads, width, ranks), (width + 2*heads) * width, bigCode(2), bigCode(ranks)})
	}
	return all
}

// even cuts an axis into parts of one width.
func even(side int64, parts int) []int64 { return slices.Repeat([]int64{side / int64(parts)}, parts) }

func (t transfer) subject(ctx context.Context) (gpucheck.Subject, error) {
	source, err := t.source()
	if err != nil {
		return gpucheck.Subject{}, err
	}
	target, err := t.target()
	if err != nil {
		return gpucheck.Subject{}, err
	}
	request := plan.Request{Source: source, Target: target}
	answer, err := reference.Planner{}.Plan(ctx, request)
	return gpucheck.Subject{Name: t.name, Request: request, Plan: answer.Plan}, err
}

// measureGPU prints a figure a transfer. It holds the device itself: its plans are the reference planner's for right
// requests, and a fault ends the command.
func measureGPU(ctx context.Context, c *call, f *gpuFlags) (int, error) {
	machine, err := gpucheck.Open(f.backend)
	if err != nil {
		return 0, err
	}
	defer machine.Close()
	if f.elements == 0 && !machine.GPU() {
		f.elements = 1 << 20
	}
	if !c.json {
		fmt.Fprintf(c.stdout, "device: %v\n", machine.Info)
		fmt.Fprintf(c.stdout, "%-34s %8s %10s %10s %10s %8s %8s %10s %10s\n", "transfer, 4 bytes an element", "segments",
			"direct us", "rebuild us", "copy us", "rebuild/", "copy/", "direct MB", "rebuild MB")
	}
	figures := 0
	for _, t := range transfers() {
		if f.elements > 0 && t.elements > f.elements {
			continue
		}
		subject, err := t.subject(ctx)
		if err != nil {
			return 0, err
		}
		figure, err := gpucheck.Measure(ctx, machine, subject, figureWidth, figureRounds)
		if err != nil {
			return 0, err
		}
		figures++
		printFigure(c, figure)
	}
	if c.json {
		report.WriteSummary(c.stdout, map[string]any{"backend": machine.Backend, "driver": machine.Driver, "devices": machine.Names,
			"gpu": machine.GPU(), "stand_in": machine.StandIn, "figures": figures})
	} else if !machine.GPU() {
		fmt.Fprintln(c.stdout, "no GPU was used, and nothing is said of one")
	}
	return report.StatusPassed, nil
}

func printFigure(c *call, f gpucheck.Figure) {
	if c.json {
		record, _ := json.Marshal(f)
		fmt.Fprintf(c.stdout, "%s\n", record)
		return
	}
	const megabyte = 1e6
	fmt.Fprintf(c.stdout, "%-34s %8d %10d %10d %10d %8.2f %8.2f %10.1f %10.1f\n", f.Name, f.Segments, f.Direct.Microseconds(), f.Rebuild.Microseconds(),
		f.Copy.Microseconds(), f.RebuildOverDirect, f.CopyOverDirect, float64(f.DirectPeakBytes)/megabyte, float64(f.RebuildPeakBytes)/megabyte)
}
