package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/shardproof/shardproof/corpus"
	"github.com/shardproof/shardproof/gen"
	"github.com/shardproof/shardproof/gpucheck"
	"github.com/shardproof/shardproof/oracle"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/reference"
)

// gpuCases are the cases of a replay by number: those of the corpus, then a campaign's.
type gpuCases struct {
	seed  uint64
	files []corpus.File
}

func newGPUCases(seed uint64) gpuCases { return gpuCases{seed, corpus.All()} }

func (g gpuCases) at(number uint64) plan.Case {
	if number < uint64(len(g.files)) {
		return g.files[number].Case
	}
	number -= uint64(len(g.files))
	drawn := gen.Case(gen.Seeded(gen.CaseSeed(g.seed, number)))
	drawn.Name = fmt.Sprintf("case %d of seed %d", number, g.seed)
	return drawn
}

func (g gpuCases) name(number uint64) string { return g.at(number).Name }

// draw plans a job's cases and has the oracle judge the plans on the CPU first, on every core.
func (g gpuCases) draw(job gpucheck.Job) gpucheck.Drawn {
	parts := make([]gpucheck.Drawn, job.Count)
	var begun atomic.Uint64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for {
				i := begun.Add(1) - 1
				if i >= job.Count {
					return
				}
				parts[i] = planForGPU(g.at(job.First+i), job.Options.MaxElements)
			}
		})
	}
	workers.Wait()
	var drawn gpucheck.Drawn
	for _, part := range parts {
		drawn.Subjects = append(drawn.Subjects, part.Subjects...)
		drawn.Refused += part.Refused
		drawn.Skipped = append(drawn.Skipped, part.Skipped...)
		drawn.Findings = append(drawn.Findings, part.Findings...)
	}
	return drawn
}

// planForGPU is the reference planner's plan for one case, if the oracle finds it exact.
func planForGPU(c plan.Case, limit int64) gpucheck.Drawn {
	if c.Raw != nil {
		return gpucheck.Drawn{Skipped: []gpucheck.Skip{{Case: c.Name, Why: "no maps"}}}
	}
	elements, ok := gpucheck.Elements(c.Request)
	if !ok {
		return gpucheck.Drawn{Skipped: []gpucheck.Skip{{Case: c.Name, Why: "more elements than 64 bits count"}}}
	}
	answer, err := reference.Planner{}.Plan(context.Background(), c.Request)
	var refusal *plan.Refusal
	if errors.As(err, &refusal) {
		return gpucheck.Drawn{Refused: 1}
	}
	if err != nil {
		return gpucheck.Drawn{Findings: []gpucheck.Finding{{Case: c.Name, Clause: gpucheck.Fault, Detail: oneLine(err.Error())}}}
	}
	judge := oracle.Execute
	if elements > limit {
		judge = oracle.Prove
	}
	evidence := judge(c.Request, answer)
	for _, clause := range []oracle.ClauseID{oracle.Valid, oracle.Bounds, oracle.Cover, oracle.Once, oracle.Values} {
		switch found := evidence.Of(clause); found.Status {
		case oracle.Broken:
			return gpucheck.Drawn{Findings: []gpucheck.Finding{{Case: c.Name, Clause: clause, Detail: "on the CPU already: " + found.Detail}}}
		case oracle.Unknown:
			return gpucheck.Drawn{Skipped: []gpucheck.Skip{{Case: c.Name, Why: found.Detail}}}
		}
	}
	return gpucheck.Drawn{Subjects: []gpucheck.Subject{{Name: c.Name, Request: c.Request, Plan: answer.Plan}}}
}
