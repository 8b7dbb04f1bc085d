package gen

import (
	"flag"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/shardproof/shardproof/plan"
)

// Rapid shrinks what is drawn to a map without anything that the failure does not need. Here one fails with a
// replicated block of two elements or more: an axis and two ranks are needed.
func TestRapidShrinks(t *testing.T) {
	for seed := 1; seed <= 5; seed++ {
		var smallest plan.Map
		failed := runRapid(t, seed, func(t *rapid.T) {
			m := Maps().Draw(t, "map")
			for _, shard := range m.Shards {
				for _, piece := range shard.Pieces {
					if elements, _ := plan.Elements(piece.Shape); elements > 1 && len(piece.Locations) > 1 {
						smallest = m
						t.Fatalf("replicated")
					}
				}
			}
		})
		elements, _ := plan.Elements(smallest.LogicalShape)
		if !failed || elements > 3 || len(smallest.Shards) != 2 || pieceCount(&smallest) != 2 {
			t.Errorf("seed %d: failed: %v; shrunk to %+v", seed, failed, smallest)
		}
	}
}

// runRapid checks a property that is to fail, and reports whether it did.
func runRapid(t *testing.T, seed int, property func(*rapid.T)) bool {
	for name, value := range map[string]string{"rapid.seed": strconv.Itoa(seed), "rapid.nofailfile": "true"} {
		was := flag.Lookup(name).Value.String()
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
		defer flag.Set(name, was)
	}
	run := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		rapid.Check(run, property)
	}()
	<-done
	return run.failed
}

// A recorder is a test that notes its failure and keeps it to itself.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) Error(...any)          { r.failed = true }
func (r *recorder) Fail()                 { r.failed = true }
func (r *recorder) Failed() bool          { return r.failed }
func (r *recorder) Logf(string, ...any)   {}
func (r *recorder) Log(...any)            {}
func (r *recorder) Fatalf(string, ...any) { r.FailNow() }
func (r *recorder) Fatal(...any)          { r.FailNow() }
func (r *recorder) FailNow() {
	r.failed = true
	runtime.Goexit()
}

// The generators compose: a request of drawn maps and a selector for them.
func TestGeneratorsDraw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		request := Requests().Draw(t, "request")
		request.Selector = Selectors(request.Source, request.Target).Draw(t, "selector")
		for target := range request.Selector.Prefer {
			if _, ok := request.Target.Shard(target); !ok {
				t.Fatalf("a preference of target rank %d, which the map lacks", target)
			}
		}
		if c := Cases().Draw(t, "case"); c.Expect.Outcome == "" || !slices.Equal(c.Source.LogicalShape, c.Target.LogicalShape) {
			t.Fatalf("a case without an outcome or of two shapes: %+v", c)
		}
		if c := Corruptions().Draw(t, "corruption"); c.Expect.Outcome == plan.Exact {
			t.Fatalf("a corruption that is due a plan: %+v", c)
		}
	})
}
