package kernel

import (
	"flag"
	"fmt"
	"testing"
)

var (
	cases = flag.Uint64("cases", 1000, "random batches of segments, and as many of shards, for each engine")
	seed  = flag.Uint64("seed", 1, "of the random batches")
)

// engines are the two ways in which the stand-in runs a kernel.
var engines = []string{"source", "ptx"}

// Both engines equal a plain loop on the same random cases, so they agree with each other too.
func TestEngines(t *testing.T) {
	needHarness(t)
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			output, err := run{engine: engine}.harness(t, "all", fmt.Sprint(*seed), fmt.Sprint(*cases))
			if err != nil {
				t.Errorf("%v: %s\nagain: go test ./gpucheck/kernel -run TestEngines/%s -seed %d -cases %d", err, output, engine, *seed, *cases)
			}
		})
	}
}
