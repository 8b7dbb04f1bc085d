//go:build cuda

package gpucheck

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/shardproof/shardproof/plan/layout"
)

// The stand-in's failures are those of a process, so each is met in a process of its own.
const injected = "injected"

// replayInjected is such a process: a replay and a measurement on the stand-in, then what they left there.
func replayInjected() int {
	var subjects []Subject
	for _, make := range []func() (Subject, error){makeSmallRows, makeSmallColumns, makeSmallCube} {
		subject, err := make()
		if err != nil {
			return 1
		}
		subjects = append(subjects, subject)
	}
	machine, err := Open("cuda")
	if err == nil {
		_, err = Replay(context.Background(), machine, subjects, Options{Widths: []int{4}})
		if err == nil {
			_, err = Measure(context.Background(), machine, subjects[0], 4, 1)
		}
		fmt.Printf("allocations %d\n", standInLive("allocations"))
		if closed := machine.Close(); err == nil && closed != nil {
			err = fmt.Errorf("close: %w", closed)
		}
	}
	var failed *DeviceError
	var none *NoDevice
	switch {
	case errors.As(err, &none):
		fmt.Printf("no device: %v\n", err)
	case errors.As(err, &failed):
		fmt.Printf("code %d lasting %v: %v\n", failed.Code, Lasting(err), err)
	case err != nil:
		fmt.Printf("another error: %v\n", err)
	}
	fmt.Printf("left %d contexts, %d allocations, %d modules\n", standInLive("contexts"), standInLive("allocations"), standInLive("modules"))
	return 0
}

// Each call of the driver fails in turn, with errors that pass and errors that last: every one is told by its call and
// code, and nothing is left on the devices.
func TestInjectedFailures(t *testing.T) {
	if machine, err := Open("cuda"); err != nil {
		t.Skip(err)
	} else if machine.Close(); !machine.StandIn {
		t.Skip("the driver is a real one")
	}
	lasting := map[int]bool{700: true, 716: true, 719: true, 999: true}
	for _, c := range []struct {
		call  string
		nths  []int
		codes []int
	}{
		{"cuDeviceGetCount", []int{1}, []int{999}},
		{"cuDeviceGetName", []int{1, 2}, []int{999}},
		{"cuDeviceGetAttribute", []int{1}, []int{1}},
		{"cuCtxCreate", []int{1, 2}, []int{2, 999}},
		{"cuModuleLoadData", []int{1, 2}, []int{2, 218}},
		{"cuModuleGetFunction", []int{1, 2, 3}, []int{500}},
		{"cuCtxEnablePeerAccess", []int{1, 2}, []int{217}},
		{"cuMemAlloc", []int{1, 2, 5, 9}, []int{2, 719}},
		{"cuMemFree", []int{1, 4}, []int{1, 719}},
		{"cuMemsetD8", []int{1, 3}, []int{1, 700}},
		{"cuMemcpyHtoD", []int{1, 2, 7}, []int{1, 999}},
		{"cuMemcpyDtoH", []int{1, 3}, []int{1, 999}},
		{"cuLaunchKernel", []int{1, 2, 5}, []int{701, 719}},
		{"cuCtxSynchronize", []int{1, 8, 9, 20}, []int{700, 716, 719}},
		{"cuMemcpyDtoD", []int{1}, []int{1, 719}},
		{"cuMemcpyPeer", []int{1}, []int{1, 719}},
		{"cuMemcpy2D", []int{1}, []int{1, 719}},
		{"cuMemcpy3D", []int{1}, []int{1, 719}},
		{"cuMemcpy3DPeer", []int{1, 2}, []int{1, 719}},
		{"cuModuleUnload", []int{1}, []int{999}},
		{"cuCtxDestroy", []int{1}, []int{999}},
	} {
		for _, nth := range c.nths {
			for _, code := range c.codes {
				failure := fmt.Sprintf("%s:%d:%d", c.call, nth, code)
				out := runInjected(t, failure)
				want := fmt.Sprintf("code %d lasting %v: ", code, lasting[code])
				if !strings.Contains(out, want) || !strings.Contains(out, c.call) {
					t.Errorf("%s: got\n%swant %q and the call", failure, out, want)
				}
				if left := leftBy(c.call, code); !strings.Contains(out, left) {
					t.Errorf("%s: want %q:\n%s", failure, left, out)
				}
			}
		}
	}
	if out := runInjected(t, ""); out != "allocations 0\nleft 0 contexts, 0 allocations, 0 modules\n" {
		t.Errorf("without a failure: got\n%s", out)
	}
	if out := runInjected(t, "cuInit:1:100"); !strings.Contains(out, "no device") {
		t.Errorf("a driver that sees no device: got\n%s", out)
	}
}

// leftBy is what a failure leaves on the stand-in: nothing, but for the one thing that a failed call was to free.
func leftBy(call string, code int) string {
	contexts, allocations, modules := 0, 0, 0
	switch {
	case call == "cuCtxDestroy":
		contexts++
	case call == "cuMemFree" && !Lasting(&DeviceError{call, code}):
		allocations++
	}
	return fmt.Sprintf("left %d contexts, %d allocations, %d modules\n", contexts, allocations, modules)
}

func runInjected(t *testing.T, failure string) string {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), roleVariable+"="+injected, "SHARDPROOF_STANDIN_FAIL="+failure, "SHARDPROOF_STANDIN_DEVICES=2")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v", failure, err)
	}
	return string(out)
}

// makeSmallCube is 4x4x6 from 2 halves to the 4 cells of a grid, by copies of three axes.
func makeSmallCube() (Subject, error) {
	source, err := layout.Contiguous([]int64{4, 4, 6}, 0, []int64{2, 2})
	if err != nil {
		return Subject{}, err
	}
	target, err := layout.Grid([]int64{4, 4, 6}, [][]int64{{4}, {2, 2}, {3, 3}})
	if err != nil {
		return Subject{}, err
	}
	return referencePlan("4x4x6 cube", source, target)
}

// makeSmallColumns is 4x6 from 2 halves of rows to 2 halves of columns, by copies of two axes.
func makeSmallColumns() (Subject, error) {
	source, err := layout.Contiguous([]int64{4, 6}, 0, []int64{2, 2})
	if err != nil {
		return Subject{}, err
	}
	target, err := layout.Contiguous([]int64{4, 6}, 1, []int64{3, 3})
	if err != nil {
		return Subject{}, err
	}
	return referencePlan("4x6 columns", source, target)
}
