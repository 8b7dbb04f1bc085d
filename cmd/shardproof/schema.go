package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/shardproof/shardproof/plan/schema"
	"github.com/shardproof/shardproof/props/report"
)

var schemaCommand = command{
	name:    "schema",
	summary: "print the JSON Schema of a file or a line of the protocol or, given none, the names of all",
	usage:   "[" + strings.Join(schema.Names(), " | ") + "]",
	example: "shardproof schema case",
	run:     runSchema,
}

func runSchema(_ context.Context, c *call) (int, error) {
	names, err := c.parse()
	if err != nil {
		return 0, err
	}
	switch {
	case len(names) > 1:
		return 0, fmt.Errorf("one name is due, not %d", len(names))
	case len(names) == 0 && c.json:
		return report.StatusPassed, json.NewEncoder(c.stdout).Encode(schema.Names())
	case len(names) == 0:
		fmt.Fprintln(c.stdout, strings.Join(schema.Names(), "\n"))
		return report.StatusPassed, nil
	}
	text, ok := schema.Of(names[0])
	if !ok {
		return 0, fmt.Errorf("no schema %q: %s are", names[0], strings.Join(schema.Names(), ", "))
	}
	_, err = c.stdout.Write(text)
	return report.StatusPassed, err
}
