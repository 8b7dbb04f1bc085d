package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shardproof/shardproof/gen"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/props/campaign"
	"github.com/shardproof/shardproof/props/report"
)

var fuzzCommand = command{
	name:    "fuzz",
	summary: "judge a planner on random layouts: by default the reference planner, for 10 s",
	usage:   "[--planner COMMAND | --mutant NAME] [--for TIME | --checks N] [--seed N]",
	example: "shardproof fuzz --mutant fold-joins-over-gap --seed 1",
	run:     runFuzz,
}

// The fuzz defaults: as long as a newcomer waits for a first answer.
const (
	defaultFuzzTime = 10 * time.Second
	hangLimit       = 10 * time.Second // for one case, of a planner within this process
	progressTime    = 500 * time.Millisecond
	plainTime       = 10 * time.Second // between lines where nobody watches
)

type fuzzFlags struct {
	checks, first uint64
	duration      time.Duration
	seed          string
	families, out string
	workers       int
}

func runFuzz(ctx context.Context, c *call) (int, error) {
	var f fuzzFlags
	c.flags.Uint64Var(&f.checks, "checks", 0, "judge `N` cases")
	c.flags.DurationVar(&f.duration, "for", 0, "go on for this `TIME`, such as 30s or 2h (default 10s unless --checks is given)")
	c.flags.StringVar(&f.seed, "seed", "", "draw the cases of this unsigned `NUMBER` (default a random one)")
	c.flags.Uint64Var(&f.first, "first", 0, "begin at case `N` of the seed, so that several machines can share one campaign")
	c.flags.StringVar(&f.families, "families", "", "draw layouts from these `NAMES` alone, separated by commas")
	c.flags.StringVar(&f.out, "out", "findings", "save what is found in this `FOLDER`")
	c.flags.IntVar(&f.workers, "workers", runtime.GOMAXPROCS(0), "run `N` workers; with --planner, N processes")
	flags := addPlannerFlags(c)
	checks := addCheckFlags(c)
	if err := c.parseNone(); err != nil {
		return 0, err
	}
	flags.processes = f.workers
	planner, err := flags.open(ctx)
	if err != nil {
		return 0, err
	}
	if flags.command == "" && flags.mutant == "" {
		checks.complete = true
	}
	options, err := f.options(planner, checks)
	if err != nil {
		return 0, err
	}
	return fuzz(ctx, c, options, planner, replayFlags(flags, checks))
}

// options are those of the campaign that the flags ask for.
func (f *fuzzFlags) options(planner judged, checks *checkFlags) (campaign.Options, error) {
	seed := rand.Uint64()
	if f.seed != "" {
		var err error
		if seed, err = strconv.ParseUint(f.seed, 10, 64); err != nil {
			return campaign.Options{}, fmt.Errorf("--seed %q is no unsigned decimal number", f.seed)
		}
	}
	var families []string
	if f.families != "" {
		families = strings.Split(f.families, ",")
	}
	source, err := campaign.NewSource(seed, families, 0)
	options := campaign.Options{
		Planners: []plan.Planner{planner.Planner},
		Check:    checks.options(planner),
		Strict:   checks.strict,
		Source:   source,
		Seed:     seed,
		First:    f.first,
		Checks:   f.checks,
		For:      f.duration,
		Workers:  max(f.workers, planner.inflight, 1),
		Name:     strings.TrimSpace(planner.info.Name + " " + planner.info.Version),
		Out:      f.out,
	}
	if f.checks == 0 && f.duration == 0 {
		options.For = defaultFuzzTime
	}
	if planner.inflight == 0 {
		options.Hang = hangLimit
	}
	options.Reduce.Workers = options.Workers
	return options, err
}

func fuzz(ctx context.Context, c *call, options campaign.Options, planner judged, replay string) (int, error) {
	progress := io.Discard
	if !c.json {
		fmt.Fprintf(c.stdout, "seed %d, planner %s\n", options.Seed, options.Name)
		progress = c.stdout
	}
	live := isTerminal(progress)
	options.Every = plainTime
	if live {
		options.Every = progressTime
	}
	options.Progress = func(counts campaign.Counts, elapsed time.Duration) {
		if live {
			fmt.Fprint(progress, "\r\x1b[K"+progressText(counts, elapsed))
		} else {
			fmt.Fprintln(progress, progressText(counts, elapsed))
		}
	}
	collectRarely()
	result := campaign.Run(ctx, options)
	if live {
		fmt.Fprint(progress, "\r\x1b[K")
	}
	closeErr := planner.close()
	if c.json {
		fuzzRecords(c.stdout, options, result)
	} else {
		fuzzText(c.stdout, options, result, replay)
	}
	switch {
	case result.Interrupted:
		return report.StatusInterrupted, nil
	case result.CannotRun != nil:
		return 0, &cannotRun{result.CannotRun}
	case len(result.Findings) > 0:
		return report.StatusBroken, nil
	case closeErr != nil:
		fmt.Fprintf(c.stderr, "shardproof fuzz: at its end the planner was at fault: %v\n", closeErr)
		return report.StatusBroken, nil
	}
	return report.ExitStatus(tallyOf(result.Counts), options.Strict), nil
}

// collectRarely lets a campaign's garbage grow, up to main's limit: cases live shortly, so that collecting at the
// usual rate takes about a fifth of the time.
func collectRarely() { debug.SetGCPercent(800) }

func progressText(counts campaign.Counts, elapsed time.Duration) string {
	reached := 0
	for i := range gen.TraitTable() {
		if counts.Traits.Share(i) > 0 {
			reached++
		}
	}
	return fmt.Sprintf("%6.1fs  %d cases  %.0f a second  %d of %d traits  %d broken", elapsed.Seconds(), counts.Cases,
		float64(counts.Cases)/elapsed.Seconds(), reached, len(gen.TraitTable()), counts.Broken)
}

// fuzzText tells a person what a campaign found.
func fuzzText(w io.Writer, options campaign.Options, result campaign.Result, replay string) {
	fmt.Fprintln(w, report.SummaryLine(tallyOf(result.Counts)))
	fmt.Fprintf(w, "%.0f cases a second over %.1f s; a plan moves %.0f elements in %.1f segments, on average\n",
		float64(result.Cases)/result.Elapsed.Seconds(), result.Elapsed.Seconds(), result.MeanElements(), result.MeanSegments())
	if result.Untold != nil {
		fmt.Fprintf(w, "case %d of seed %d could not be judged: %s\n", result.Untold.Number, options.Seed, result.Untold.Reason)
	}
	for _, held := range result.HeldOff {
		fmt.Fprintf(w, "not exercised: %d cases, %s\n", held.Cases, held.Reason)
	}
	if len(result.Findings) == 0 {
		traitsText(w, &result)
	}
	for _, finding := range result.Findings {
		fmt.Fprintf(w, "\ncase %d of seed %d breaks %s; reduced in %d steps of %d tried%s:\n\n", finding.Number, options.Seed,
			finding.Cause, finding.Stats.Taken, finding.Stats.Tried, stoppedText(finding))
		report.Show(w, finding.Reduced, finding.After)
		if fault := finding.After.Fault; fault != nil && fault.Log != "" {
			fmt.Fprintf(w, "\nthe planner's last words:\n%s\n", fault.Log)
		}
		if finding.Problem != nil {
			fmt.Fprintf(w, "\nnot saved: %v\n", finding.Problem)
		} else {
			fmt.Fprintf(w, "\nsaved as %s; to see it again:\n  %s show %s%s\n", finding.Path, programName(), finding.Path, replay)
		}
	}
	if result.Interrupted {
		fmt.Fprintln(w, "interrupted: this is what was found so far")
	}
}

func stoppedText(finding campaign.Finding) string {
	if finding.Stats.Stopped {
		return ", stopped early"
	}
	return ""
}

// traitsText tells the shares of traits, and which were missed; a campaign of some families alone misses many.
func traitsText(w io.Writer, result *campaign.Result) {
	var reached, missed []string
	for i, trait := range gen.TraitTable() {
		if result.Traits.Missed(i) {
			missed = append(missed, trait.Name)
		}
		if share := result.Traits.Share(i); share > 0 {
			reached = append(reached, trait.Name+" "+percentText(share))
		}
	}
	listText(w, "traits met, as shares of the right requests", reached)
	if len(missed) > 0 {
		listText(w, "traits met less often than they must be", missed)
	}
}

func percentText(share float64) string {
	if share >= 0.1 {
		return fmt.Sprintf("%.0f%%", 100*share)
	}
	return fmt.Sprintf("%.2g%%", 100*share)
}

// lineWidth is how wide lists are printed.
const lineWidth = 110

func listText(w io.Writer, title string, entries []string) {
	fmt.Fprintf(w, "%s:", title)
	width := lineWidth
	for i, entry := range entries {
		if i < len(entries)-1 {
			entry += ","
		}
		if width+1+len(entry) > lineWidth {
			fmt.Fprint(w, "\n ")
			width = 1
		}
		fmt.Fprint(w, " "+entry)
		width += 1 + len(entry)
	}
	fmt.Fprintln(w)
}

func fuzzRecords(w io.Writer, options campaign.Options, result campaign.Result) {
	seed := strconv.FormatUint(options.Seed, 10)
	for _, finding := range result.Findings {
		record := report.RecordOf(finding.Reduced.Name, finding.After)
		record.File, record.Seed = finding.Path, seed
		report.WriteRecord(w, record)
	}
	summary := report.CampaignSummary{
		Summary:        tallyOf(result.Counts).Summary,
		Seed:           seed,
		Seconds:        result.Elapsed.Seconds(),
		CasesPerSecond: float64(result.Cases) / result.Elapsed.Seconds(),
		Traits:         map[string]float64{},
	}
	for i, trait := range gen.TraitTable() {
		summary.Traits[trait.Name] = result.Traits.Share(i)
	}
	report.WriteSummary(w, summary)
}

func tallyOf(counts campaign.Counts) report.Tally {
	return report.Tally{
		Summary: report.Summary{
			Cases: counts.Cases, Exact: counts.Exact, Refused: counts.Refused, Unsupported: counts.Unsupported,
			Broken: counts.Broken, Unknown: counts.Unknown, NotExercised: counts.NotExercised,
		},
		Should: counts.Should,
	}
}

// replayFlags are the flags that make another command judge the same planner in the same way.
func replayFlags(flags *plannerFlags, checks *checkFlags) string {
	var text strings.Builder
	add := func(set bool, words ...string) {
		if set {
			text.WriteString(" " + strings.Join(words, " "))
		}
	}
	// The parent of this program cannot be asked again from a shell: what it answered is in the file.
	add(flags.command == parentPlanner, "--found")
	add(flags.command != "" && flags.command != parentPlanner, "--planner", strconv.Quote(flags.command))
	add(flags.once, "--once")
	add(flags.features != "", "--features", flags.features)
	add(flags.mutant != "", "--mutant", flags.mutant)
	add(flags.folding != "addresses", "--folding", flags.folding)
	add(checks.complete, "--complete")
	add(checks.strict, "--strict")
	add(checks.relations, "--relations")
	return text.String()
}

// programName is how this program is called again.
func programName() string {
	program, err := os.Executable()
	if err == nil && strings.Contains(program, "go-build") {
		return "go run ./cmd/shardproof"
	}
	if found, err := exec.LookPath("shardproof"); err == nil && slices.Contains([]string{program, filepath.Clean(program)}, found) {
		return "shardproof"
	}
	return os.Args[0]
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
