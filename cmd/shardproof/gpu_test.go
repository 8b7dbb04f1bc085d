package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shardproof/shardproof/props/report"
)

// What host memory says is told as that of host memory, in both forms.
func TestGPUOnHostClaimsNoGPU(t *testing.T) {
	t.Setenv(commandVariable, "1") // the worker is this test binary
	status, out, errText := shardproof(t, "gpu", "--backend", "host", "--elements", "300", "--checks", "20", "--seed", "1", "--json")
	var record struct {
		Summary struct {
			GPU     bool   `json:"gpu"`
			Backend string `json:"backend"`
			Verdict string `json:"verdict"`
			Seed    string `json:"seed"`
			Cases   int    `json:"cases"`
			Exact   int    `json:"exact"`
			Sampled int    `json:"sampled"`
			Refused int    `json:"refused"`
			Skipped int    `json:"skipped"`
		} `json:"summary"`
	}
	if err := json.Unmarshal([]byte(out), &record); err != nil {
		t.Fatalf("%v\n%s%s", err, out, errText)
	}
	got := record.Summary
	if status != report.StatusPassed || got.GPU || got.Backend != "host" || got.Verdict != "exact" || got.Seed != "1" {
		t.Errorf("status %d, summary %+v", status, got)
	}
	if got.Exact < 100 || got.Sampled < 10 || got.Exact+got.Sampled+got.Refused+got.Skipped != got.Cases {
		t.Errorf("summary %+v: want every case exact, right in windows, refused or skipped", got)
	}
	_, out, _ = shardproof(t, "gpu", "--backend", "host", "--elements", "20", "--checks", "1")
	if !strings.Contains(out, "no GPU was used") || !strings.Contains(out, "device: no GPU: host memory") {
		t.Errorf("host memory is not named as such:\n%s", out)
	}
}

func TestGPUFiguresOnHost(t *testing.T) {
	status, out, errText := shardproof(t, "gpu", "--backend", "host", "--figures", "--elements", "4096")
	if status != report.StatusPassed || !strings.Contains(out, "rows to columns 64x64 2 to 8") || !strings.Contains(out, "no GPU was used") {
		t.Errorf("status %d\n%s%s", status, out, errText)
	}
}

// Without a device there is one line and status 3, of a replay and of figures: in a binary with the tag cuda because
// there is no driver, in any other because it has none.
func TestGPUWithoutADevice(t *testing.T) {
	t.Setenv(commandVariable, "1") // the worker is this test binary
	t.Setenv("SHARDPROOF_CUDA_LIBRARY", filepath.Join(t.TempDir(), "libcuda.so.1"))
	for _, arguments := range [][]string{{"gpu"}, {"gpu", "--figures"}, {"gpu", "--json"}} {
		status, out, errText := shardproof(t, arguments...)
		if status != report.StatusCannotRun || out != "" || strings.Count(errText, "\n") != 1 || !strings.Contains(errText, "no device: ") {
			t.Errorf("%v: status %d, standard output %q, standard error %q", arguments, status, out, errText)
		}
	}
}
