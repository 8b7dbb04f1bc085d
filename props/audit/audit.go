// Package audit runs everything there is against a planner, and reports by rule: the corpus, each way to corrupt
// a request, and a seeded campaign. A report says of every rule whether it was kept or broken, or why nothing can
// be said, with the smallest case that breaks it. Maps judges the maps of a document in the same form.
package audit

import (
	"context"
	"runtime"
	"time"

	"github.com/shardproof/shardproof/corpus"
	"github.com/shardproof/shardproof/gen"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/props"
	"github.com/shardproof/shardproof/props/campaign"
)

// Options say what is audited, and how.
type Options struct {
	Planner plan.Planner
	Name    string        // the planner's name and version, as reports and saved cases state it
	Check   props.Options // how each case is judged; Relations is set by the audit itself
	Strict  bool          // what breaks of should level is a failure, for the known failures too
	Replay  string        // the flags by which a command judges the same planner, as reports tell them; may be empty

	Cases  []corpus.File // the saved cases; nil: the embedded corpus
	Draws  int           // requests drawn for each way to corrupt one; 0: DefaultDraws
	Seed   uint64        // of the corruptions and of the campaign
	Checks uint64        // cases of the campaign; 0: no campaign

	Known   *Known // failures that are expected; nil: none
	Out     string // directory that the smallest cases are saved in; "": none is saved
	Workers int    // callers of the planner at a time; 0: one a processor
	// Hang is how long a planner within this process may take for one case; 0: for ever.
	Hang      time.Duration
	ReduceFor time.Duration // the most time for the reduction of one case; 0: campaign.DefaultReduceFor

	Progress func(phase Phase, cases int64) // called when a phase begins, with the cases that it has; nil: never
}

// DefaultDraws is how many requests are drawn for each way to corrupt one, where Options do not say: enough that
// both sides and several families are met.
const DefaultDraws = 8

// relationShare is the part of a campaign, one in so many, that is also judged by every relation: each costs one
// to three more plans.
const relationShare = 10

// maxHangs is how often a planner may hang on the fixed cases. The rest of them are not asked then, as each
// would take the whole time limit.
const maxHangs = 5

// A Report is what an audit found.
type Report struct {
	Subject string // the planner's name and version, or the document of maps
	Seed    uint64
	Checks  uint64 // asked of the campaign
	Strict  bool
	Replay  string // the flags by which a command judges the same planner
	Maps    bool   // maps were audited, and not a planner

	Rules    []RuleReport
	Cases    []Judged // those of the corpus and the corruptions, as they were asked, or the parameters of a document
	Findings []Finding
	Tally    Tally

	HeldOff []campaign.HeldOff // why cases were not exercised, sorted by the reason
	Traits  []TraitShare       // of the campaign's right requests; none where there was no campaign
	Kills   []Kill             // what catches broken planners, where the caller knows it; an audit does not measure it

	Stale       []string // known failures that are none any more, in the order of their file
	Elapsed     time.Duration
	Interrupted bool
	CannotRun   error // the planner could not be run any more
}

// A Tally counts verdicts. Known counts those of the broken ones that are expected.
type Tally struct {
	Cases, Exact, Refused, Unsupported, Broken, Known, Unknown, NotExercised int64

	Should int64 // verdicts with something broken of should level that is not expected
}

// A TraitShare is the part of a campaign's right requests that has a trait.
type TraitShare struct {
	Name   string
	Share  float64
	Missed bool // met less often than it must be
}

// A Kill says what catches one planner that is broken on purpose, how soon, and on how small a case: a row of
// shardproof mutants --json.
type Kill struct {
	Mutant  string   `json:"mutant"`
	Killed  bool     `json:"killed"`
	Broken  []string `json:"broken"`
	Cases   int64    `json:"cases"`
	Seconds float64  `json:"seconds"`
	Reduced struct {
		Segments int   `json:"segments"`
		Elements int64 `json:"elements"`
	} `json:"reduced"`
}

// A Phase is a part of an audit.
type Phase string

// The phases, in order. Parameters are what an audit of maps judges.
const (
	Saved      Phase = "corpus"
	Corrupted  Phase = "corruption"
	Campaign   Phase = "campaign"
	Parameters Phase = "map"
)

// Audit audits a planner.
//
// The saved cases and the corruptions are judged with every relation and counted by rule, one by one. Of the
// campaign the first case of each thing that is broken is kept, reduced; its right plans count for the rules
// that every plan is judged by. For each broken rule there is a finding, the smallest case that is known to break it.
func Audit(ctx context.Context, options Options) Report {
	a := &auditing{Options: options, started: time.Now()}
	a.setDefaults()
	a.Report = Report{Subject: a.Name, Seed: a.Options.Seed, Checks: a.Options.Checks, Strict: a.Options.Strict, Replay: a.Options.Replay}
	a.Rules = ruleReports(plannerRules())
	a.fixed(ctx, Saved, a.savedCases())
	a.fixed(ctx, Corrupted, a.corruptedCases())
	a.campaign(ctx)
	a.conclude(ctx)
	a.Interrupted = ctx.Err() != nil
	if !a.Interrupted && a.CannotRun == nil {
		a.Stale = a.Options.Known.stale()
	}
	a.Elapsed = time.Since(a.started)
	return a.Report
}

// auditing is an audit on its way.
type auditing struct {
	Options
	Report
	started time.Time
}

func (a *auditing) setDefaults() {
	if a.Options.Cases == nil {
		a.Options.Cases = corpus.All()
	}
	if a.Draws == 0 {
		a.Draws = DefaultDraws
	}
	if a.Workers == 0 {
		a.Workers = runtime.GOMAXPROCS(0)
	}
	if a.ReduceFor == 0 {
		a.ReduceFor = campaign.DefaultReduceFor
	}
	if a.Options.Known == nil {
		a.Options.Known = &Known{}
	}
	a.Check.TimeLimit = a.Hang
}

// savedCases are the cases of files.
func (a *auditing) savedCases() []Judged {
	var cases []Judged
	for _, file := range a.Options.Cases {
		cases = append(cases, Judged{Phase: Saved, Path: file.Path, Case: file.Case, rows: rowsOf(file)})
	}
	return cases
}

// corruptedCases draws requests with each fault.
func (a *auditing) corruptedCases() []Judged {
	var cases []Judged
	for i, corruption := range gen.CorruptionTable() {
		for n := range a.Draws {
			c := corruption.Draw(gen.Seeded(gen.CaseSeed(a.Options.Seed, uint64(i*a.Draws+n))))
			c.Name = nameOfDraw(corruption.Name, n)
			cases = append(cases, Judged{Phase: Corrupted, Case: c, rows: corruption.Rows})
		}
	}
	return cases
}
