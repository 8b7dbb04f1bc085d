package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/shardproof/shardproof/gpucheck"
	"github.com/shardproof/shardproof/props/report"
)

var gpuCommand = command{
	name:    "gpu",
	summary: "replay plans on a GPU, element for element: the corpus, then random cases for 10 s",
	usage:   "[--for TIME | --checks N] [--seed N] [--figures] [--backend host]",
	example: "shardproof gpu --backend host --elements 2000 --checks 100",
	run:     runGPU,
}

// gpuBatch is how many cases go to the device together.
const gpuBatch = 500

// The elements that a case may have to be replayed whole, where no flag says otherwise: as many as the oracle lays out on a
// GPU, and fewer where a CPU does the work of one.
const (
	gpuElements     = 1 << 24
	standInElements = 1 << 17
)

type gpuFlags struct {
	backend  string
	duration time.Duration
	checks   uint64
	seedText string
	seed     uint64
	elements int64
	figures  bool
	worker   bool
}

func runGPU(ctx context.Context, c *call) (int, error) {
	var f gpuFlags
	c.flags.StringVar(&f.backend, "backend", "cuda", "replay on `cuda` or host, which is plain memory and no GPU")
	c.flags.DurationVar(&f.duration, "for", 0, "after the corpus, draw cases for this `TIME` (default 10s unless --checks is given)")
	c.flags.Uint64Var(&f.checks, "checks", 0, "after the corpus, draw `N` cases")
	c.flags.StringVar(&f.seedText, "seed", "", "draw the cases of this unsigned `NUMBER` (default a random one)")
	c.flags.Int64Var(&f.elements, "elements", 0, "replay cases of more than `N` elements in windows, not whole (default what suits the device)")
	c.flags.BoolVar(&f.figures, "figures", false, "measure direct transfers against rebuilding instead")
	c.flags.BoolVar(&f.worker, "worker", false, "serve jobs on the standard streams: how the command starts itself")
	if err := c.parseNone(); err != nil {
		return 0, err
	}
	if err := f.settle(); err != nil {
		return 0, err
	}
	cases := newGPUCases(f.seed)
	switch {
	case f.worker:
		return report.StatusPassed, gpucheck.Serve(ctx, c.stdin, c.stdout, f.backend, cases.draw)
	case f.figures:
		status, err := measureGPU(ctx, c, &f)
		return unableGPU(ctx, status, err)
	}
	status, err := replayGPU(ctx, c, &f, cases)
	return unableGPU(ctx, status, err)
}

// settle checks the flags, reads the seed, or draws one, and gives the time its default.
func (f *gpuFlags) settle() error {
	if f.backend != "cuda" && f.backend != "host" {
		return fmt.Errorf("--backend %q: there are cuda and host", f.backend)
	}
	f.seed = rand.Uint64()
	if f.seedText != "" {
		var err error
		if f.seed, err = strconv.ParseUint(f.seedText, 10, 64); err != nil {
			return fmt.Errorf("--seed %q is no unsigned decimal number", f.seedText)
		}
	}
	if f.duration == 0 && f.checks == 0 {
		f.duration = defaultFuzzTime
	}
	return nil
}

// unableGPU is the result of a command whose errors all mean that the device, or the process that holds it, fails.
func unableGPU(ctx context.Context, status int, err error) (int, error) {
	if err != nil && ctx.Err() == nil {
		err = &cannotRun{err}
	}
	return status, err
}

func replayGPU(ctx context.Context, c *call, f *gpuFlags, cases gpuCases) (int, error) {
	program, err := os.Executable()
	if err != nil {
		return 0, err
	}
	supervisor := gpucheck.Supervisor{Name: cases.name, Worker: func() *exec.Cmd { return f.workerOf(program) }}
	info, err := supervisor.Open(ctx)
	if err != nil {
		return 0, err
	}
	defer supervisor.Close()
	if f.elements == 0 {
		f.elements = standInElements
		if info.GPU() {
			f.elements = gpuElements
		}
	}
	if !c.json {
		fmt.Fprintf(c.stdout, "device: %v\nseed %d\n", info, f.seed)
	}
	run := gpuRun{call: c, corpus: uint64(len(cases.files)), info: info, supervisor: &supervisor, start: time.Now()}
	err = run.numbers(ctx, f, 0, run.corpus, 1, time.Time{})
	if err == nil {
		err = run.fuzz(ctx, f)
	}
	if err == nil {
		err = supervisor.Close()
	}
	if ctx.Err() != nil {
		run.finish(f)
		return report.StatusInterrupted, nil
	}
	if err != nil {
		return 0, err
	}
	return run.finish(f), nil
}

// workerOf is this program again, to hold the device: a fault there ends that process and not this one.
func (f *gpuFlags) workerOf(program string) *exec.Cmd {
	return exec.Command(program, "gpu", "--worker", "--backend", f.backend, "--seed", strconv.FormatUint(f.seed, 10))
}

// A gpuRun is the replays of one command.
type gpuRun struct {
	*call
	corpus     uint64 // cases of it, which come first
	info       gpucheck.Info
	supervisor *gpucheck.Supervisor
	start      time.Time
	total      gpucheck.Answer
	cases      uint64
}

// driverEvery is how many batches of drawn cases there are to one that goes the driver's way as well, which costs a
// call of the driver a segment.
const driverEvery = 8

// fuzz replays drawn cases: as many as the flags say, or for as long.
func (r *gpuRun) fuzz(ctx context.Context, f *gpuFlags) error {
	if f.checks > 0 {
		return r.numbers(ctx, f, r.corpus, r.corpus+f.checks, driverEvery, time.Time{})
	}
	return r.numbers(ctx, f, r.corpus, math.MaxUint64, driverEvery, time.Now().Add(f.duration))
}

// maxGPUFindings is how many findings end a run: the device or a planner is broken, and more would say the same.
const maxGPUFindings = 10

// numbers replays the cases from first to end in batches, until the deadline where there is one. One batch in
// driverEvery goes every way.
func (r *gpuRun) numbers(ctx context.Context, f *gpuFlags, first, end, driverEvery uint64, deadline time.Time) error {
	for batch := uint64(0); first < end && len(r.total.Findings) < maxGPUFindings; batch++ {
		if !deadline.IsZero() && time.Now().After(deadline) {
			return nil
		}
		options := gpucheck.Options{Seed: f.seed + batch, MaxElements: f.elements}
		if batch%driverEvery != 0 {
			options.Ways = []string{"elements", "windows", "wide"}
		}
		count := min(gpuBatch, end-first)
		answer, err := r.supervisor.Do(ctx, gpucheck.Job{First: first, Count: count, Options: options})
		r.take(answer)
		if err != nil {
			return err
		}
		first += count
		r.cases += count
	}
	return nil
}

// take adds an answer, and prints what was found.
func (r *gpuRun) take(answer gpucheck.Answer) {
	r.total.Add(answer.Result)
	r.total.Refused += answer.Refused
	for _, finding := range answer.Findings {
		if r.json {
			record, _ := json.Marshal(struct {
				gpucheck.Finding
				Verdict string `json:"verdict"`
			}{finding, "broken"})
			fmt.Fprintf(r.stdout, "%s\n", record)
		} else {
			fmt.Fprintf(r.stdout, "broken: %v\n", finding)
		}
	}
}

// finish prints the summary and returns the exit status.
func (r *gpuRun) finish(f *gpuFlags) int {
	verdict, status := "exact", report.StatusPassed
	switch {
	case len(r.total.Findings) > 0:
		verdict, status = "broken", report.StatusBroken
	case r.total.Exact == 0:
		verdict, status = "nothing replayed whole", report.StatusInconclusive
	}
	elapsed := time.Since(r.start)
	if r.json {
		report.WriteSummary(r.stdout, map[string]any{
			"backend": r.info.Backend, "driver": r.info.Driver, "devices": r.info.Names, "gpu": r.info.GPU(), "stand_in": r.info.StandIn,
			"verdict": verdict, "cases": r.cases, "exact": r.total.Exact, "sampled": r.total.Sampled, "refused": r.total.Refused, "broken": len(r.total.Findings),
			"skipped": len(r.total.Skipped), "runs": r.total.Runs, "plans_carried_out": r.total.Carried, "segments": r.total.Segments,
			"elements": r.total.Elements, "device_seconds": r.total.Device.Seconds(), "seconds": elapsed.Seconds(),
			"seed": strconv.FormatUint(f.seed, 10),
		})
		return status
	}
	fmt.Fprintf(r.stdout, "%d cases in %.1f s: %d replayed exact, %d right in windows, %d refused as due, %d left out, %d broken\n",
		r.cases, elapsed.Seconds(), r.total.Exact, r.total.Sampled, r.total.Refused, len(r.total.Skipped), len(r.total.Findings))
	fmt.Fprintf(r.stdout, "%d plans carried out in %d runs, %d elements compared; %.0f plans a second of the launches' time\n",
		r.total.Carried, r.total.Runs, r.total.Elements, float64(r.total.Carried)/max(r.total.Device.Seconds(), 1e-9))
	note := ""
	if !r.info.GPU() {
		note = " on " + r.info.Names[0] + ": no GPU was used, and nothing is said of one"
	}
	fmt.Fprintf(r.stdout, "verdict: %s%s\n", verdict, note)
	return status
}
