package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/shardproof/shardproof/corpus"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/props/audit"
	"github.com/shardproof/shardproof/props/report"
)

var auditCommand = command{
	name:    "audit",
	summary: "report by rule: what a planner keeps and breaks, or what the maps of a checkpoint do",
	usage:   "[CASE ...] [--planner COMMAND | --mutant NAME | --maps FILE] [--known FILE] [--format NAME[=FILE] ...]",
	example: "shardproof audit --checks 500 --format html=audit.html",
	run:     runAudit,
}

// defaultAuditChecks is a campaign that a planner of 2 ms finishes within a minute.
const defaultAuditChecks = 2000

// auditHangLimit is for a planner within this process. It is long, as the corpus has cases of tens of thousands of
// copies, which a slow planner on a busy machine takes its time for.
const auditHangLimit = time.Minute

type auditFlags struct {
	checks, seed      uint64
	out, known, kills string
	update            bool
	workers           int
	maps              string
	outputs           outputFlag
	output            string
}

func runAudit(ctx context.Context, c *call) (int, error) {
	var f auditFlags
	c.flags.Uint64Var(&f.checks, "checks", defaultAuditChecks, "judge `N` drawn cases besides the saved and the corrupted ones")
	c.flags.Uint64Var(&f.seed, "seed", 1, "draw the cases of this unsigned `NUMBER`")
	c.flags.StringVar(&f.out, "out", "findings", "save the smallest case for each broken rule in this `FOLDER`")
	c.flags.StringVar(&f.known, "known", "", "expect the failures that `FILE` lists: a rule or a case a line, then a reason")
	c.flags.BoolVar(&f.update, "update-known", false, "rewrite the file of known failures as they are now; reasons stay")
	c.flags.StringVar(&f.kills, "kills", "", "show the kill matrix that mutants --json wrote to `FILE`, in the HTML page")
	c.flags.IntVar(&f.workers, "workers", runtime.GOMAXPROCS(0), "run `N` workers; with --planner, N processes")
	c.flags.StringVar(&f.maps, "maps", "", "audit the maps of the affine map document `FILE` alone, and no planner")
	c.flags.Var(&f.outputs, "format", "write `NAME[=FILE]`: "+formatNames()+"; may be given several times")
	c.flags.StringVar(&f.output, "output", "", "write the one format without a file of its own to `FILE`")
	flags := addPlannerFlags(c)
	checks := addAuditChecks(c)
	cases, err := c.parse()
	if err != nil {
		return 0, err
	}
	if err := f.settle(c, flags, len(cases)); err != nil {
		return 0, err
	}
	known, err := f.loadKnown()
	if err != nil {
		return 0, err
	}
	if f.maps != "" {
		return f.auditMaps(c, known)
	}
	return f.auditPlanner(ctx, c, flags, checks, known, cases)
}

// addAuditChecks are the flags of checks that an audit has: it exercises every relation anyway.
func addAuditChecks(c *call) *checkFlags {
	checks := &checkFlags{}
	c.flags.BoolVar(&checks.complete, "complete", false, "count a right request that is refused as unsupported as broken")
	c.flags.BoolVar(&checks.strict, "strict", false, "fail on broken rules of should level as well")
	return checks
}

func (f *auditFlags) auditPlanner(
	ctx context.Context, c *call, flags *plannerFlags, checks *checkFlags, known *audit.Known, cases []string,
) (int, error) {
	files := corpus.All()
	if len(cases) > 0 {
		more, err := loadCases(cases)
		if err != nil {
			return 0, err
		}
		files = append(files, more...)
	}
	kills, err := loadKills(f.kills)
	if err != nil {
		return 0, err
	}
	flags.processes = f.workers
	planner, err := flags.open(ctx)
	if err != nil {
		return 0, err
	}
	checks.complete = checks.complete || flags.command == "" && flags.mutant == ""
	options := audit.Options{
		Planner: planner.Planner, Name: strings.TrimSpace(planner.info.Name + " " + planner.info.Version),
		Check: checks.options(planner), Strict: checks.strict, Replay: replayFlags(flags, checks), Cases: files, Seed: f.seed, Checks: f.checks,
		Known: known, Out: f.out, Workers: max(f.workers, planner.inflight, 1),
		Progress: func(phase audit.Phase, cases int64) {
			fmt.Fprintf(c.stderr, "shardproof audit: %s, %d cases\n", phase, cases)
		},
	}
	if planner.inflight == 0 {
		options.Hang = auditHangLimit
	}
	found := audit.Audit(ctx, options)
	found.Kills = kills
	closeErr := planner.close()
	status, err := f.finish(c, found, known)
	if err == nil && closeErr != nil && status == report.StatusPassed {
		fmt.Fprintf(c.stderr, "shardproof audit: at its end the planner was at fault: %v\n", closeErr)
		status = report.StatusBroken
	}
	return status, err
}

func (f *auditFlags) auditMaps(c *call, known *audit.Known) (int, error) {
	text, err := os.ReadFile(f.maps)
	if err != nil {
		return 0, err
	}
	document, err := plan.DecodeDocument(text)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", f.maps, err)
	}
	return f.finish(c, audit.Maps(document, f.maps, known), known)
}

// finish writes the reports and the known failures, and says how the audit ended.
func (f *auditFlags) finish(c *call, found audit.Report, known *audit.Known) (int, error) {
	for _, output := range f.outputs {
		if err := output.write(c, found); err != nil {
			return 0, err
		}
	}
	if found.CannotRun != nil && !found.Interrupted {
		return 0, &cannotRun{found.CannotRun}
	}
	if f.update && !found.Interrupted {
		if err := os.WriteFile(f.known, []byte(known.Updated(found)), 0o644); err != nil {
			return 0, err
		}
		fmt.Fprintf(c.stderr, "shardproof audit: wrote %s; each entry is to have its reason\n", f.known)
		return report.StatusPassed, nil
	}
	return report.AuditStatus(found), nil
}

// settle checks the flags against each other and gives each format its file.
func (f *auditFlags) settle(c *call, flags *plannerFlags, cases int) error {
	switch {
	case f.maps != "" && (flags.command != "" || flags.mutant != "" || cases > 0):
		return fmt.Errorf("--maps audits maps alone, and no planner on cases")
	case f.update && f.known == "":
		return fmt.Errorf("--update-known needs --known FILE")
	case c.json:
		f.outputs = append(f.outputs, output{format: "json"})
	case len(f.outputs) == 0:
		f.outputs = outputFlag{{format: "text"}}
	}
	plain := 0
	for i := range f.outputs {
		if f.outputs[i].path == "" {
			plain++
			f.outputs[i].path = f.output
		}
	}
	switch {
	case plain > 1:
		return fmt.Errorf("%d formats without a file of their own; write --format NAME=FILE", plain)
	case plain == 0 && f.output != "":
		return fmt.Errorf("--output %s: every format has a file of its own", f.output)
	case plain == 0:
		f.outputs = append(f.outputs, output{format: "text"})
	}
	return nil
}

func (f *auditFlags) loadKnown() (*audit.Known, error) {
	if f.known == "" {
		return &audit.Known{}, nil
	}
	text, err := os.ReadFile(f.known)
	if f.update && errors.Is(err, fs.ErrNotExist) {
		return &audit.Known{}, nil
	}
	if err != nil {
		return nil, err
	}
	known, err := audit.ParseKnown(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.known, err)
	}
	return known, nil
}

// loadKills reads the lines of mutants --json; the last one, the summary, is no mutant's.
func loadKills(path string) ([]audit.Kill, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var kills []audit.Kill
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var kill audit.Kill
		if err := json.Unmarshal(lines.Bytes(), &kill); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if kill.Mutant != "" {
			kills = append(kills, kill)
		}
	}
	return kills, nil
}

// An output is a format and the file that it is written to; none: standard output.
type output struct{ format, path string }

func (o output) write(c *call, found audit.Report) error {
	format, _ := report.AuditFormatOf(o.format)
	if o.path == "" {
		return format.Write(c.stdout, found)
	}
	var text bytes.Buffer
	if err := format.Write(&text, found); err != nil {
		return err
	}
	return os.WriteFile(o.path, text.Bytes(), 0o644)
}

// An outputFlag is the values of --format.
type outputFlag []output

// String is what flag prints as the default: nothing.
func (f *outputFlag) String() string { return "" }

// Set reads NAME or NAME=FILE.
func (f *outputFlag) Set(text string) error {
	name, path, _ := strings.Cut(text, "=")
	if _, ok := report.AuditFormatOf(name); !ok {
		return fmt.Errorf("no format %q: %s are", name, formatNames())
	}
	*f = append(*f, output{name, path})
	return nil
}

func formatNames() string {
	var names []string
	for _, format := range report.AuditFormats() {
		names = append(names, format.Name)
	}
	return strings.Join(names, ", ")
}
