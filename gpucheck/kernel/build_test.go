package kernel

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Paths from this folder.
const (
	root    = "../.."
	library = root + "/build/gpu/libcuda-standin.so"
	harness = root + "/build/gpu/harness"
	objects = root + "/build/gpu/standin"
)

// A run of the harness may take so much of the processor's time: past it, the kernel under test does not end. A right
// kernel takes less than a second in the tests of mutants.
const (
	patience       = 5 * time.Minute
	mutantPatience = 8 * time.Second
)

// makeTargets makes targets of gpu.mk, and skips the test where that takes what the machine lacks.
func makeTargets(t *testing.T, tools []string, targets ...string) {
	t.Helper()
	for _, tool := range append(tools, "make") {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("needs %s: %v", tool, err)
		}
	}
	unlock := lockBuild(t)
	defer unlock()
	command := exec.Command("make", append([]string{"-s", "-f", "gpucheck/gpu.mk"}, targets...)...)
	command.Dir = root
	if output, err := command.CombinedOutput(); err != nil {
		if strings.Contains(string(output), "pip download") || strings.Contains(string(output), "No module named pip") {
			t.Skipf("the wheels cannot be had: %s", output)
		}
		t.Fatalf("make %s: %v\n%s", strings.Join(targets, " "), err, output)
	}
}

// lockBuild keeps other packages' tests from making the same files at the same time.
func lockBuild(t *testing.T) (unlock func()) {
	t.Helper()
	folder := filepath.Join(root, "build")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(folder, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	return func() { file.Close() }
}

var built sync.Once

// needHarness makes the harness and the stand-in, once.
func needHarness(t *testing.T) {
	t.Helper()
	built.Do(func() { makeTargets(t, []string{"g++", "gcc"}, "build/gpu/harness", "build/gpu/libcuda-standin.so") })
	if _, err := os.Stat(harness); err != nil {
		t.Skip("there is no harness: an earlier test says why")
	}
}

// A run of the harness.
type run struct {
	library  string        // "" for the stand-in
	ptx      string        // "" for the committed one
	engine   string        // source or ptx
	extra    []string      // of the environment
	patience time.Duration // 0: patience
}

func (r run) harness(t *testing.T, arguments ...string) (output string, err error) {
	t.Helper()
	if r.library == "" {
		r.library = library
	}
	if r.ptx == "" {
		r.ptx = "replay.ptx"
	}
	if r.patience == 0 {
		r.patience = patience
	}
	command := exec.Command(harness, append([]string{r.library, r.ptx}, arguments...)...)
	command.Env = append(os.Environ(), "SHARDPROOF_STANDIN_ENGINE="+r.engine, fmt.Sprint("HARNESS_SECONDS=", r.patience.Seconds()))
	command.Env = append(command.Env, r.extra...)
	bytes, err := command.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("the harness did not run: %v", err)
	}
	return string(bytes), err
}
