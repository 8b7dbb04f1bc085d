package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/layout"
	"github.com/shardproof/shardproof/props/report"
)

var layoutCommand = command{
	name:    "layout",
	summary: "print the map of a layout family, or list the families",
	usage:   "[--draw] [FAMILY NAME=VALUE ...]",
	example: "shardproof layout --draw segmented shape=48,8 sizes=32,16 replicated=1 degree=2",
	run:     runLayout,
}

func runLayout(_ context.Context, c *call) (int, error) {
	draw := c.flags.Bool("draw", false, "draw the layout for a person instead")
	arguments, err := c.parse()
	if err != nil {
		return 0, err
	}
	if len(arguments) == 0 {
		listFamilies(c)
		return report.StatusPassed, nil
	}
	family, ok := layout.FamilyOf(arguments[0])
	if !ok {
		return 0, fmt.Errorf("no family %q; shardproof layout lists them", arguments[0])
	}
	parsed, err := family.Parse(arguments[1:])
	if err != nil {
		return 0, err
	}
	m, err := family.Build(parsed)
	if err != nil {
		return 0, err
	}
	switch {
	case *draw:
		report.DrawLayout(c.stdout, family.Name, m)
	case c.json:
		fmt.Fprintf(c.stdout, "%s\n", plan.AppendMap(nil, m))
	default:
		c.stdout.Write(plan.EncodeMap(m))
	}
	return report.StatusPassed, nil
}

func listFamilies(c *call) {
	for _, family := range layout.Families() {
		fmt.Fprintf(c.stdout, "%-14s %s\n%14s parameters: %s\n", family.Name, family.Doc, "", strings.Join(family.Parameters, ", "))
	}
	fmt.Fprintln(c.stdout, "\nparameters, besides order and ranks, which every family takes:")
	for _, parameter := range layout.Parameters() {
		fmt.Fprintf(c.stdout, "%-14s %s\n", parameter.Name, parameter.Doc)
	}
}
