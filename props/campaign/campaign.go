// Package campaign checks a planner on many cases over many workers: what is drawn from a seed, what is
// counted, when it stops, and what becomes of a finding.
package campaign

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shardproof/shardproof/gen"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/props"
)

// Options say what a campaign checks, and for how long. It ends at the first of Checks, For and a finding; with
// neither Checks nor For it ends at a finding or by its context.
type Options struct {
	Planners []plan.Planner // one or more of the same planner; workers share them in turn
	Check    props.Options  // how each case is judged
	Strict   bool           // what breaks of should level is a finding

	Source Source
	Seed   uint64 // that of the source, as findings name it
	First  uint64 // the number of the first case: shards of a campaign begin at different ones
	Checks uint64
	For    time.Duration

	Workers int  // 0: one a processor
	GoOn    bool // do not end at a finding: find the first case of each thing that is broken
	// Hang is how long a planner within this process may take for one case; 0: for ever. A worker that waits
	// longer is given up, and the case is a finding.
	Hang time.Duration

	Name      string // the planner's name and version, as saved cases state it
	Out       string // directory that findings are saved in; "": none is saved
	Reduce    props.ReduceOptions
	ReduceFor time.Duration // the most time for the reduction of one finding; 0: DefaultReduceFor

	// Progress is called about each Every with what is counted so far, from one goroutine; nil: never.
	Progress func(Counts, time.Duration)
	Every    time.Duration
}

// DefaultReduceFor is how long a reduction may take where Options do not say: a person still waits so long.
const DefaultReduceFor = 20 * time.Second

// A Result is what a campaign found. It is whole where the campaign was not interrupted, and what was found so
// far where it was.
type Result struct {
	Counts
	Elapsed     time.Duration // of the checking, without reductions
	Findings    []Finding     // by the number of their case
	Interrupted bool          // the context ended before the campaign did
	CannotRun   error         // the planner could not be run any more
}

// Run runs a campaign.
//
// Workers take case numbers from one counter. The finding of a campaign that ends at the first is the failing
// case of the lowest number, whatever the workers: those with lower numbers are finished first.
func Run(ctx context.Context, options Options) Result {
	r := &running{Options: options, found: map[string]Finding{}, started: time.Now()}
	if r.Workers == 0 {
		r.Workers = runtime.GOMAXPROCS(0)
	}
	r.next.Store(r.First)
	r.end.Store(r.First + r.Checks)
	if r.Checks == 0 {
		r.end.Store(math.MaxUint64)
	}
	if r.For > 0 {
		timer := time.AfterFunc(r.For, r.halt)
		defer timer.Stop()
	}
	r.work(ctx)
	result := r.result()
	result.Interrupted = ctx.Err() != nil
	for i := range result.Findings {
		r.conclude(ctx, &result.Findings[i])
	}
	return result
}

// running is a campaign on its way.
type running struct {
	Options
	started time.Time

	next    atomic.Uint64 // the next case that nobody has taken
	end     atomic.Uint64 // cases from this number on are not checked
	stopped atomic.Bool

	mutex     sync.Mutex // of what follows
	counts    Counts
	found     map[string]Finding // by what is broken
	cannotRun error
	elapsed   time.Duration
}

func (r *running) halt() { r.stopped.Store(true) }

// work runs the workers until all have ended or were given up.
func (r *running) work(ctx context.Context) {
	ended := make(chan int, r.Workers)
	workers := make([]*worker, r.Workers)
	for i := range workers {
		w := &worker{running: r, planner: r.Planners[i%len(r.Planners)], cases: r.Source.drawer()}
		workers[i] = w
		go func() {
			w.run(ctx)
			ended <- i
		}()
	}
	done := make(chan struct{})
	var reporting sync.WaitGroup
	if r.Progress != nil && r.Every > 0 {
		reporting.Go(func() { r.report(done) })
	}
	r.wait(workers, ended)
	r.elapsed = time.Since(r.started)
	close(done)
	reporting.Wait()
}

// wait waits for the workers. Where there is a limit it looks at them from time to time, and gives up those
// that have been at one case for as long as the limit.
func (r *running) wait(workers []*worker, ended <-chan int) {
	var look <-chan time.Time
	if r.Hang > 0 {
		ticker := time.NewTicker(r.Hang / 4)
		defer ticker.Stop()
		look = ticker.C
	}
	for left := len(workers); left > 0; {
		select {
		case i := <-ended:
			if workers[i] != nil {
				left--
			}
			workers[i] = nil
		case now := <-look:
			for i, w := range workers {
				if w != nil && w.hangs(now, r.Hang) {
					r.hung(w)
					workers[i] = nil
					left--
				}
			}
		}
	}
}

// hung records the case that a worker is given up at.
func (r *running) hung(w *worker) {
	n := w.at.Load() - 1
	fault := &plan.Fault{Name: "hang", Detail: "no answer within " + r.Hang.String()}
	verdict := props.Judge(plan.Case{}, plan.Answer{}, fault)
	r.mutex.Lock()
	r.counts.count(&verdict)
	r.mutex.Unlock()
	r.record(n, &verdict)
}

// record notes a verdict in which something is broken. Of each thing the case of the lowest number is kept.
//
// The verdict's plan may share memory with the case, which the next one takes, so it is copied.
func (r *running) record(n uint64, v *props.Verdict) {
	causes := []string{v.Cause(r.Strict)}
	if r.GoOn {
		causes = slices.Concat(v.Broken, v.Should)
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, cause := range causes {
		if first, ok := r.found[cause]; !ok || n < first.Number {
			kept := *v
			kept.Answer.Plan = clonePlan(v.Answer.Plan)
			r.found[cause] = Finding{Number: n, Cause: cause, Verdict: kept}
		}
	}
	if !r.GoOn {
		r.end.Store(min(r.end.Load(), n))
	}
}

func (r *running) report(done <-chan struct{}) {
	ticker := time.NewTicker(r.Every)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
			r.mutex.Lock()
			var counts Counts
			counts.add(&r.counts)
			r.mutex.Unlock()
			r.Progress(counts, time.Since(r.started))
		}
	}
}

func (r *running) result() Result {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	result := Result{Elapsed: r.elapsed, CannotRun: r.cannotRun}
	result.Counts.add(&r.counts)
	for _, finding := range r.found {
		if r.GoOn || finding.Number == r.end.Load() {
			result.Findings = append(result.Findings, finding)
		}
	}
	slices.SortFunc(result.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Cause, b.Cause))
	})
	return result
}

// A worker checks cases, one after another.
type worker struct {
	*running
	planner plan.Planner
	cases   *drawer
	own     Counts
	at      atomic.Uint64 // one more than the number of the case at hand; 0: none

	seenAt    uint64 // what hangs saw last, and when first
	seenSince time.Time
}

// block is how many cases a worker takes at a time, so that the counter that all share is rarely touched. It
// also counts them together.
const block = 32

// traitSample is how many cases there are to each whose traits are counted: reading them takes about as long
// as planning the case.
const traitSample = 16

func (w *worker) run(ctx context.Context) {
	defer w.flush()
	for {
		first := w.next.Add(block) - block
		for n := first; n < first+block; n++ {
			if n >= w.end.Load() || w.stopped.Load() || ctx.Err() != nil {
				return
			}
			if !w.check(ctx, n) {
				return
			}
		}
		w.flush()
	}
}

// check checks one case. It is false where the planner cannot be run any more.
func (w *worker) check(ctx context.Context, n uint64) bool {
	w.at.Store(n + 1)
	defer w.at.Store(0)
	c, corrupted := w.cases.draw(n)
	verdict := props.Check(ctx, w.planner, c, w.Check)
	if verdict.CannotRun != nil {
		if ctx.Err() == nil {
			w.giveUp(verdict.CannotRun)
		}
		return false
	}
	w.own.count(&verdict)
	if verdict.Outcome == props.Unknown {
		w.own.tellUnknown(&Untold{n, verdict.Detail})
	}
	if !corrupted && n%traitSample == 0 {
		w.own.Traits.Count(gen.Traits(c))
	}
	if verdict.Cause(w.Strict || w.GoOn) != "" {
		w.record(n, &verdict)
	}
	return true
}

func (w *worker) giveUp(err error) {
	w.halt()
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.cannotRun == nil {
		w.cannotRun = err
	}
}

// flush adds what the worker counted to what all did.
func (w *worker) flush() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.counts.add(&w.own)
	w.own = Counts{}
}

// hangs reports whether the worker has been seen at the same case for as long as the limit.
func (w *worker) hangs(now time.Time, limit time.Duration) bool {
	at := w.at.Load()
	if at == 0 || at != w.seenAt {
		w.seenAt, w.seenSince = at, now
		return false
	}
	return now.Sub(w.seenSince) >= limit
}
