package kernel

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// What goes wrong comes up where a device would bring it up, stays where a device's fault stays, and leaves nothing
// behind. The statuses are CUDA's: 700 illegal address, 716 misaligned address, 719 launch failure.
func TestScenarios(t *testing.T) {
	needHarness(t)
	for _, test := range []struct {
		scenario string
		fail     string // SHARDPROOF_STANDIN_FAIL
		want     string // each call whose status is another than that of the call before
	}{
		{"none", "", "cuInit=0"},
		{"outside", "", "cuInit=0 cuStreamSynchronize=700"},
		{"misaligned", "", "cuInit=0 cuStreamSynchronize=716"},
		{"freed", "", "cuInit=0 cuStreamSynchronize=700"},
		{"peer", "", "cuInit=0 cuStreamSynchronize=700"},
		{"none", "cuMemAlloc:1:2", "cuInit=0 cuMemAlloc=2 cuCtxCreate=0"},
		{"none", "cuMemAlloc:4:2", "cuInit=0 cuMemAlloc=2 cuMemcpyHtoD=1 cuLaunchKernel=0 cuStreamSynchronize=700"},
		{"none", "cuLaunchKernel:1:719", "cuInit=0 cuStreamSynchronize=719"},
		{"none", "cuLaunchKernel:1:716", "cuInit=0 cuStreamSynchronize=716"},
		{"none", "cuLaunchKernel:1:701", "cuInit=0 cuLaunchKernel=701 cuMemsetD8=0"},
		{"none", "cuLaunchKernel:2:719", "cuInit=0"},
		{"none", "cuMemcpyHtoD:1:999", "cuInit=0 cuMemcpyHtoD=999"},
		{"none", "cuMemFree:4:700", "cuInit=0 cuMemFree=700"},
		{"none", "cuStreamCreate:1:2", "cuInit=0 cuStreamCreate=2 cuMemAlloc=0 cuStreamDestroy=400 cuMemFree=0"},
		{"none", "cuMemcpyDtoD:1:1,cuCtxDestroy:2:1", "cuInit=0 cuMemcpyDtoD=1 cuStreamDestroy=0 cuCtxDestroy=1"},
		{"none", "cuInit:1:100", "cuInit=100 cuCtxCreate=3"},
		{"none", "cuNothing:1:2", "cuInit=1 cuCtxCreate=3"},
		{"none", "cuMemAlloc:0:2", "cuInit=1 cuCtxCreate=3"},
	} {
		for _, engine := range engines {
			name := fmt.Sprintf("%s %s %s", test.scenario, test.fail, engine)
			extra := []string{"SHARDPROOF_STANDIN_DEVICES=2", "SHARDPROOF_STANDIN_FAIL=" + test.fail}
			output, err := run{engine: engine, extra: extra}.harness(t, "scenario", test.scenario)
			if err != nil {
				t.Errorf("%s: %v: %s", name, err, output)
			}
			if got := changes(output); got != test.want {
				t.Errorf("%s: got %s, want %s\n%s", name, got, test.want, output)
			}
			wantLeft := test.fail == "cuMemcpyDtoD:1:1,cuCtxDestroy:2:1"
			if got := left(output); (got != "") != wantLeft {
				t.Errorf("%s: left behind: %q", name, got)
			}
		}
	}
}

// changes lists the calls in an output whose status differs from the one before.
func changes(output string) string {
	var list []string
	last := ""
	for line := range strings.Lines(output) {
		call, status, found := strings.Cut(strings.TrimSpace(line), " ")
		if found && strings.HasPrefix(call, "cu") && status != last {
			list = append(list, call+"="+status)
			last = status
		}
	}
	return strings.Join(list, " ")
}

// left returns the lines that count something as live.
func left(output string) string {
	var list []string
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "live ") && !strings.HasSuffix(line, " 0") {
			list = append(list, line)
		}
	}
	return strings.Join(list, ", ")
}

// A module that the interpreter does not know in full does not load, and the problem says where.
func TestRefusedPTX(t *testing.T) {
	needHarness(t)
	for _, test := range []struct {
		from, to string // the first such text in the PTX is changed
		problem  string
	}{
		{"mul.wide.u32 ", "mul.hi.u32 ", "unknown instruction"},
		{"div.u64 ", "div.f64 ", "unknown instruction"},
		{"setp.ge.u64 ", "setp.geu.u64 ", "unknown instruction"},
		{"\tcvt.u64.u32", "\t@%p1 cvt.u64.u32", "a guard on other than a branch"},
		{"bra \t$L__BB0_", "bra \t$L__BB9_", "no such label"},
		{"[copy_segments_param_0]", "[copy_segments_param_9]", "operand [copy_segments_param_9]"},
		{"%ntid.x", "%laneid", "operand %laneid"},
		{".param .u64 copy_segments_param_1", ".param .u32 copy_segments_param_1", "not of 8 bytes"},
		{".visible .entry", ".global .u32 n = 1;\n.visible .entry", "outside kernels: .global"},
		{".maxntid 256", ".reqntid 256", "directive .reqntid"},
		{"ld.v2.u64 \t{", "ld.v4.u64 \t{", "not 4 values"},
	} {
		if !strings.Contains(PTX, test.from) {
			t.Errorf("%q is not in the PTX", test.from)
			continue
		}
		file := filepath.Join(t.TempDir(), "changed.ptx")
		write(t, file, strings.Replace(PTX, test.from, test.to, 1))
		output, _ := run{ptx: file, engine: "ptx"}.harness(t, "scenario", "none")
		if !strings.Contains(output, "cuModuleLoadData 218\n") || !strings.Contains(output, test.problem) {
			t.Errorf("%q for %q: got\n%swant status 218 and %q", test.to, test.from, output, test.problem)
		}
	}
}
