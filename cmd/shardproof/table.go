package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/shardproof/shardproof/oracle"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/layout"
	"github.com/shardproof/shardproof/plan/reference"
	"github.com/shardproof/shardproof/props"
	"github.com/shardproof/shardproof/props/report"
)

var tableCommand = command{
	name:    "table",
	summary: "print the segments that the seed's request needs: BigCode TP2 to TP4, 48x8",
	usage:   "",
	example: "shardproof table",
	run:     runTable,
}

// A tableRow is a record of the table: one folding under one rule for the holder that is read.
type tableRow struct {
	Folding       string `json:"folding"`
	Holder        string `json:"holder"`
	Segments      int    `json:"segments"`
	MovedElements int64  `json:"moved_elements"`
	Exact         bool   `json:"exact"`
	Guards        string `json:"guards"` // intact: nothing is read or written outside a shard
}

func runTable(ctx context.Context, c *call) (int, error) {
	if err := c.parseNone(); err != nil {
		return 0, err
	}
	request, err := seedRequest()
	if err != nil {
		return 0, err
	}
	if !c.json {
		fmt.Fprintf(c.stdout, "%-10s %-10s %8s %14s %6s %7s\n", "folding", "holder", "segments", "moved elements", "exact", "guards")
	}
	allExact := true
	for _, row := range []struct {
		folding  reference.Folding
		holder   string
		selector plan.Selector
	}{
		{reference.Pieces, "lowest", plan.Selector{}},
		{reference.Addresses, "lowest", plan.Selector{}},
		// Targets 0 and 1 hold the q rows that are private to source 0, targets 2 and 3 those of source 1.
		{reference.Addresses, "private-q", plan.Selector{Prefer: map[int][]int{0: {0}, 1: {0}, 2: {1}, 3: {1}}}},
		{reference.Addresses, "highest", plan.Selector{Policy: plan.PolicyHighest}},
	} {
		request.Selector = row.selector
		result, err := measure(ctx, row.folding, request)
		if err != nil {
			return 0, err
		}
		result.Folding, result.Holder = row.folding.String(), row.holder
		allExact = allExact && result.Exact && result.Guards == "intact"
		printTableRow(c, result)
	}
	if c.json {
		fmt.Fprintf(c.stdout, "{\"summary\":{\"exact\":%t}}\n", allExact)
	}
	if !allExact {
		return report.StatusBroken, nil
	}
	return report.StatusPassed, nil
}

func seedRequest() (plan.Request, error) {
	source, err := layout.BigCode([]int64{48, 8}, 16, 2)
	if err != nil {
		return plan.Request{}, err
	}
	target, err := layout.BigCode([]int64{48, 8}, 16, 4)
	return plan.Request{Source: source, Target: target}, err
}

func measure(ctx context.Context, folding reference.Folding, request plan.Request) (tableRow, error) {
	answer, err := reference.Planner{Folding: folding}.Plan(ctx, request)
	if err != nil {
		return tableRow{}, err
	}
	verdict := props.Judge(plan.Case{Request: request, Expect: plan.Expect{Outcome: plan.Exact}}, answer, nil)
	row := tableRow{
		Segments:      verdict.Segments,
		MovedElements: verdict.MovedElements,
		Exact:         verdict.Outcome == props.Exact,
		Guards:        "broken",
	}
	if verdict.Evidence.Of(oracle.Bounds).Status == oracle.Kept {
		row.Guards = "intact"
	}
	return row, nil
}

func printTableRow(c *call, row tableRow) {
	if c.json {
		record, _ := json.Marshal(row)
		fmt.Fprintf(c.stdout, "%s\n", record)
		return
	}
	exact := "no"
	if row.Exact {
		exact = "yes"
	}
	fmt.Fprintf(c.stdout, "%-10s %-10s %8d %14d %6s %7s\n", row.Folding, row.Holder, row.Segments, row.MovedElements, exact, row.Guards)
}
