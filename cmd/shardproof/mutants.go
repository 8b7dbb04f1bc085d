package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/mutant"
	"github.com/shardproof/shardproof/props"
	"github.com/shardproof/shardproof/props/campaign"
	"github.com/shardproof/shardproof/props/report"
)

var mutantsCommand = command{
	name:    "mutants",
	summary: "measure the judge: the matrix of broken planners, and what catches each, how soon",
	usage:   "[--list] [NAME ...]",
	example: "shardproof mutants --seeds 1 fold-joins-over-gap",
	run:     runMutants,
}

// A mutantRow is a record of the kill matrix: medians over the seeds.
type mutantRow struct {
	Mutant  string   `json:"mutant"`
	Killed  bool     `json:"killed"` // by every seed, and by a rule that should catch it
	Broken  []string `json:"broken"` // what the seeds saw broken first
	Cases   uint64   `json:"cases"`
	Seconds float64  `json:"seconds"`
	Slowest float64  `json:"slowest_seconds"` // of all seeds
	Reduced struct {
		Segments int   `json:"segments"`
		Elements int64 `json:"elements"`
	} `json:"reduced"`
}

func runMutants(ctx context.Context, c *call) (int, error) {
	list := c.flags.Bool("list", false, "list the mutants and what should catch each")
	seeds := c.flags.Int("seeds", 3, "take the median of `N` campaigns")
	first := c.flags.Uint64("seed", 1, "the first campaign's seed is this `NUMBER`, the others' follow")
	limit := c.flags.Duration("limit", time.Minute, "give a campaign up after this `TIME`")
	names, err := c.parse()
	if err != nil {
		return 0, err
	}
	rows, err := mutantsNamed(names)
	if err != nil {
		return 0, err
	}
	if *list {
		for _, row := range rows {
			fmt.Fprintf(c.stdout, "%-40s %-20s %s\n", row.Name, strings.Join(row.Clauses, ","), row.Doc)
		}
		return report.StatusPassed, nil
	}
	if !c.json {
		fmt.Fprintf(c.stdout, "%-44s %-12s %9s %9s %9s  %s\n", "mutant", "caught by", "cases", "seconds", "slowest", "reduced to")
	}
	collectRarely()
	killed := 0
	for _, row := range rows {
		result := measureMutant(ctx, row, *first, *seeds, *limit)
		if ctx.Err() != nil {
			return report.StatusInterrupted, nil
		}
		if result.Killed {
			killed++
		}
		printMutant(c, result)
	}
	if c.json {
		report.WriteSummary(c.stdout, map[string]int{"mutants": len(rows), "killed": killed})
	} else {
		fmt.Fprintf(c.stdout, "%d of %d mutants killed\n", killed, len(rows))
	}
	if killed < len(rows) {
		return report.StatusBroken, nil
	}
	return report.StatusPassed, nil
}

func mutantsNamed(names []string) ([]mutant.Mutant, error) {
	if len(names) == 0 {
		return mutant.Mutants(), nil
	}
	var rows []mutant.Mutant
	for _, name := range names {
		row, ok := mutant.Lookup(name)
		if !ok {
			return nil, fmt.Errorf("no mutant %q; shardproof mutants --list lists them", name)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// measureMutant runs a campaign a seed against a mutant.
func measureMutant(ctx context.Context, row mutant.Mutant, first uint64, seeds int, limit time.Duration) mutantRow {
	result := mutantRow{Mutant: row.Name, Killed: true, Broken: []string{}}
	var cases []uint64
	var seconds []float64
	var segments []int
	var elements []int64
	for i := range uint64(seeds) {
		source, _ := campaign.NewSource(first+i, nil, 0)
		run := campaign.Run(ctx, campaign.Options{
			Planners: []plan.Planner{row.New()},
			Check:    props.Options{Complete: true},
			Strict:   row.Strict,
			Source:   source,
			Seed:     first + i,
			For:      limit,
			Hang:     hangLimit,
		})
		seconds = append(seconds, run.Elapsed.Seconds())
		if len(run.Findings) == 0 {
			result.Killed = false
			cases = append(cases, uint64(run.Cases))
			continue
		}
		finding := run.Findings[0]
		// What breaks elsewhere does not show that the check due works.
		if !slices.ContainsFunc(row.Clauses, finding.After.Names) {
			result.Killed = false
		}
		cases = append(cases, finding.Number+1)
		segments = append(segments, finding.After.Segments)
		elements = append(elements, targetElements(finding.Reduced))
		if !slices.Contains(result.Broken, finding.Cause) {
			result.Broken = append(result.Broken, finding.Cause)
		}
	}
	result.Cases, result.Seconds, result.Slowest = median(cases), median(seconds), slices.Max(seconds)
	if len(segments) > 0 {
		result.Reduced.Segments, result.Reduced.Elements = median(segments), median(elements)
	}
	return result
}

// targetElements is what a right plan for the case would move.
func targetElements(c plan.Case) int64 {
	sum := int64(0)
	for _, shard := range c.Target.Shards {
		elements, _ := plan.Elements(shard.Shape)
		sum += elements
	}
	return sum
}

func median[N uint64 | float64 | int | int64](values []N) N {
	slices.Sort(values)
	return values[len(values)/2]
}

func printMutant(c *call, row mutantRow) {
	if c.json {
		record, _ := json.Marshal(row)
		fmt.Fprintf(c.stdout, "%s\n", record)
		return
	}
	caught := strings.Join(row.Broken, ",")
	if !row.Killed {
		caught += " ALIVE"
	}
	fmt.Fprintf(c.stdout, "%-44s %-12s %9d %9.3f %9.3f  %d segments, %d elements\n", row.Mutant, caught, row.Cases, row.Seconds,
		row.Slowest, row.Reduced.Segments, row.Reduced.Elements)
}
