package props

import (
	"context"
	"iter"
	"sync"

	"github.com/shardproof/shardproof/plan"
)

// ReduceOptions bound a reduction.
type ReduceOptions struct {
	Workers     int // candidates tried at a time; 0: one. The result is the same for any number
	Evaluations int // calls of fails; 0: DefaultEvaluations
}

// DefaultEvaluations lets a planner that takes 2 ms, asked twice a case, finish within 20 s on two workers. Most
// reductions need a few hundred.
const DefaultEvaluations = 8000

// ReduceStats says what a reduction did.
type ReduceStats struct {
	Tried    int  // candidates evaluated, each another one
	Repeated int  // candidates met again, which are never evaluated twice
	Taken    int  // candidates that failed too, each simpler than the one before
	Stopped  bool // it ended by its budget or its context, and a simpler case may exist
}

// Reduce finds a simpler case for which fails is true, given one for which it is.
//
// The steps of Steps are tried one after another, each until it gains nothing, the whole round again until no
// step gains anything. The first candidate in a step's order that fails is taken, so the result depends on the case
// and on fails alone. Every candidate is a sound question: maps that were valid stay valid, maps that were broken stay
// broken in the same way, and what is due is worked out again. fails may be called from several goroutines.
//
// Counts that the case expects are dropped, but for the elements moved, which are counted again.
func Reduce(ctx context.Context, c plan.Case, fails func(plan.Case) bool, options ReduceOptions) (plan.Case, ReduceStats) {
	due, ok := dueBy(c)
	if !ok {
		return c, ReduceStats{Stopped: true}
	}
	r := &reduction{ctx: ctx, fails: fails, due: due, seen: map[[2]uint64]bool{}}
	r.workers = max(options.Workers, 1)
	r.left = options.Evaluations
	if r.left == 0 {
		r.left = DefaultEvaluations
	}
	r.isNew(c.Request)
	for gained := true; gained; {
		gained = false
		for _, step := range steps {
			for r.advance(&c, step) {
				gained = true
			}
		}
	}
	return c, r.stats
}

// A reduction is the state of one call of Reduce.
type reduction struct {
	ctx     context.Context
	fails   func(plan.Case) bool
	due     due
	workers int
	left    int // evaluations
	seen    map[[2]uint64]bool
	stats   ReduceStats
}

// advance replaces the case by the first candidate of a step that fails. It is false where there is none.
func (r *reduction) advance(c *plan.Case, step Step) bool {
	var batch []plan.Case
	for request := range step.candidates(c.Request, r.due.lenient()) {
		if r.over() {
			return false
		}
		request.Budget = followingLimits(c.Request, request)
		candidate, ok := r.due.ask(*c, request)
		if !ok || !r.isNew(request) {
			continue
		}
		if batch = append(batch, candidate); len(batch) < r.workers {
			continue
		}
		if r.take(c, batch) {
			return true
		}
		batch = batch[:0]
	}
	return r.take(c, batch)
}

func (r *reduction) over() bool {
	if r.left > 0 && r.ctx.Err() == nil {
		return false
	}
	r.stats.Stopped = true
	return true
}

// isNew reports whether a request was not met before, and remembers it.
func (r *reduction) isNew(request plan.Request) bool {
	key := [2]uint64{fingerprint(&request, 1), fingerprint(&request, 2)}
	if r.seen[key] {
		r.stats.Repeated++
		return false
	}
	r.seen[key] = true
	return true
}

// take evaluates a batch, and replaces the case by the first of it that fails.
func (r *reduction) take(c *plan.Case, batch []plan.Case) bool {
	r.left -= len(batch)
	r.stats.Tried += len(batch)
	failed := make([]bool, len(batch))
	evaluate := func(i int) {
		// A planner that changes its request must not change what the next candidates are made of.
		candidate := batch[i]
		candidate.Request = CloneRequest(candidate.Request)
		failed[i] = r.fails(candidate)
	}
	var running sync.WaitGroup
	for i := range batch {
		if i == len(batch)-1 {
			evaluate(i)
		} else {
			running.Go(func() { evaluate(i) })
		}
	}
	running.Wait()
	for i, candidate := range batch {
		if failed[i] {
			*c = candidate
			r.stats.Taken++
			return true
		}
	}
	return false
}

// A Step is one way of making a request simpler.
type Step struct {
	Name string
	Doc  string // what it does, in a few words

	// candidates yields simpler requests, the simplest first. Of valid maps it makes valid maps; of others, for
	// which lenient is set, anything.
	candidates func(request plan.Request, lenient bool) iter.Seq[plan.Request]
}

// Steps lists the steps in the order in which they are tried: what removes most comes first.
func Steps() []Step { return append([]Step(nil), steps...) }

var steps = []Step{
	{"selector", "drop the selector, or entries of it", simplerSelectors},
	{"budget", "drop limits", fewerLimits},
	{"sides", "replace one side by a single rank that holds everything", singleRanks},
	{"cells", "let each run of coordinates that no piece cuts be one long", unitCells},
	{"slabs", "remove runs of coordinates from an axis", fewerCells},
	{"axes", "drop axes of extent 1", fewerAxes},
	{"ranks", "drop ranks that hold nothing, or nothing alone", fewerRanks},
	{"holders", "take a replicated region from one of its holders", fewerHolders},
	{"pieces", "join pieces, and drop those that place nothing", fewerPieces},
	{"shards", "of broken maps, drop shards and pieces", dropAnything},
	{"widths", "shorten the runs of coordinates that no piece cuts", narrowerCells},
	{"plain", "renumber ranks, and put order, strides and placement as they usually are", plainer},
}
