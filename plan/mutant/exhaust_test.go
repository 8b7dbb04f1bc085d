package mutant_test

import (
	"flag"
	"runtime"
	"sync"
	"testing"

	"github.com/shardproof/shardproof/gen"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/mutant"
	"github.com/shardproof/shardproof/plan/reference"
	"github.com/shardproof/shardproof/props"
)

var exhaust = flag.Bool("exhaust", false, "run every small case, and not a sample of them")

// sampled is which of the small cases run where -exhaust is not given: one in so many.
const sampled = 101

// TestExhaust runs every small case: plan/reference is exact on each and keeps every should clause, and no
// mutant that a small case can show is alive at the end.
func TestExhaust(t *testing.T) {
	cases := make(chan []plan.Case, 8)
	hunted := &hunt{alive: smallMutants()}
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for batch := range cases {
				for _, c := range batch {
					exactOn(t, reference.Planner{}, c)
					hunted.with(c)
				}
			}
		})
	}
	run, made := feed(cases)
	workers.Wait()
	for _, m := range hunted.alive {
		t.Errorf("%s is alive after %d small cases", m.Name, run)
	}
	t.Logf("%d of %d small cases: plan/reference exact, %d of %d mutants killed",
		run, made, len(smallMutants())-len(hunted.alive), len(smallMutants()))
}

// feed sends the cases in batches and closes the channel.
func feed(cases chan<- []plan.Case) (run, made int) {
	step := sampled
	if *exhaust {
		step = 1
	}
	const batchSize = 256
	var batch []plan.Case
	made = gen.EachSmall(gen.SmallGrids(), func(c plan.Case) bool {
		if run++; run%step == 0 {
			batch = append(batch, c)
		}
		if len(batch) == batchSize {
			cases <- batch
			batch = nil
		}
		return true
	})
	cases <- batch
	close(cases)
	return made / step, made
}

func exactOn(t *testing.T, planner plan.Planner, c plan.Case) {
	if v := check(planner, c); v.Outcome != props.Exact || len(v.Should) > 0 {
		t.Errorf("%T: got %s %v; want exact\n%s\n%s", planner, v.Outcome, v.Should, v.Detail, plan.EncodeCase(c))
	}
}

func smallMutants() (small []mutant.Mutant) {
	for _, m := range mutant.Mutants() {
		if m.Small {
			small = append(small, m)
		}
	}
	return small
}

// A hunt is the mutants that no case has killed yet, each with one planner for all its cases.
type hunt struct {
	mutex    sync.Mutex
	alive    []mutant.Mutant
	planners map[string]plan.Planner
}

// with takes out the mutants that a case kills. Most die on the first few cases, so one lock is enough.
func (h *hunt) with(c plan.Case) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	var alive []mutant.Mutant
	for _, m := range h.alive {
		// Small cases share their maps, and some mutants change them.
		own := c
		own.Request = mutant.Copied(c.Request)
		if !named(check(h.planner(m), own), m) {
			alive = append(alive, m)
		}
	}
	h.alive = alive
}

func (h *hunt) planner(m mutant.Mutant) plan.Planner {
	if h.planners == nil {
		h.planners = map[string]plan.Planner{}
	}
	if h.planners[m.Name] == nil {
		h.planners[m.Name] = m.New()
	}
	return h.planners[m.Name]
}
