//go:build !cuda

package main

import (
	"strings"
	"testing"

	"github.com/shardproof/shardproof/props/report"
)

// Without a device there is one line and status 3, of a replay and of figures.
func TestGPUWithoutADevice(t *testing.T) {
	t.Setenv(commandVariable, "1") // the worker is this test binary
	for _, arguments := range [][]string{{"gpu"}, {"gpu", "--figures"}, {"gpu", "--json"}} {
		status, out, errText := shardproof(t, arguments...)
		if status != report.StatusCannotRun || out != "" || strings.Count(errText, "\n") != 1 || !strings.Contains(errText, "no device: ") {
			t.Errorf("%v: status %d, standard output %q, standard error %q", arguments, status, out, errText)
		}
	}
}
