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
	r := &reduction{ctx: ctx, fails: fails, due: due, known: map[key]knowledge{}}
	r.workers = max(options.Workers, 1)
	r.left = options.Evaluations
	if r.left == 0 {
		r.left = DefaultEvaluations
	}
	r.known[keyOf(c.Request)] = taken
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
	known   map[key]knowledge
	stats   ReduceStats
}

// A key stands for a request in the memory of a reduction.
type key [2]uint64

func keyOf(request plan.Request) key {
	return key{fingerprint(&request, 1), fingerprint(&request, 2)}
}

// knowledge is what is known of a request that was met.
type knowledge uint8

const (
	unmet   knowledge = iota
	waiting           // it is in the batch at hand
	passes            // it does not fail
	failed            // it fails, but another one evaluated along with it was taken
	taken             // it was what the reduction went on from
)

// A candidate is a request that a step proposes, as a case.
type candidate struct {
	plan.Case
	key   key
	fails bool
}

// advance replaces the case by the first candidate of a step that fails. It is false where there is none.
func (r *reduction) advance(c *plan.Case, step Step) bool {
	var batch []candidate
	for request := range step.candidates(c.Request, r.due.lenient()) {
		request.Budget = followingLimits(c.Request, request)
		next, ok := r.due.ask(*c, request)
		if !ok {
			continue
		}
		one := candidate{Case: next, key: keyOf(request)}
		known := r.known[one.key]
		if known != unmet {
			r.stats.Repeated++
		}
		if known != unmet && known != failed {
			continue
		}
		if known == unmet && r.over(len(batch)) {
			return r.take(c, batch)
		}
		one.fails = known == failed
		r.known[one.key] = waiting
		if batch = append(batch, one); len(batch) < r.workers && known == unmet {
			continue
		}
		if r.take(c, batch) {
			return true
		}
		batch = batch[:0]
	}
	return r.take(c, batch)
}

// over reports whether there may be no more evaluations than those of a batch.
func (r *reduction) over(batch int) bool {
	if r.left > batch && r.ctx.Err() == nil {
		return false
	}
	r.stats.Stopped = true
	return true
}

// take evaluates what is not known of a batch, and replaces the case by the first of it that fails.
func (r *reduction) take(c *plan.Case, batch []candidate) bool {
	r.evaluate(batch)
	for i := range batch {
		if batch[i].fails {
			*c = batch[i].Case
			r.known[batch[i].key] = taken
			r.stats.Taken++
			return true
		}
	}
	return false
}

// evaluate finds out which of a batch fail, all at a time.
func (r *reduction) evaluate(batch []candidate) {
	var running sync.WaitGroup
	for i := range batch {
		one := &batch[i]
		if one.fails {
			continue // as is known
		}
		r.left--
		r.stats.Tried++
		// A planner that changes its request must not change what the next candidates are made of.
		question := one.Case
		question.Request = CloneRequest(question.Request)
		running.Go(func() { one.fails = r.fails(question) })
	}
	running.Wait()
	for _, one := range batch {
		r.known[one.key] = passes
		if one.fails {
			r.known[one.key] = failed
		}
	}
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
	{"sides", "replace one side by a layout over one rank or two", simplerSides},
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
