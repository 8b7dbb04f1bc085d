package kernel

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A sourceMutant is replay.cu with one fault.
type sourceMutant struct {
	name     string
	from, to string // from is in the source once
}

var sourceMutants = []sourceMutant{
	{"32-bit extent", "u64 extent = load(&segment->extent[axis - 1]);", "u64 extent = u32(load(&segment->extent[axis - 1]));"},
	{"wrong axis order", "for (u32 axis = axes; axis-- > 1;) {", "for (u32 axis = 1; axis < axes; axis++) {"},
	{"source and target strides exchanged", "target += along * load(&segment->target_stride[axis - 1]);", "target += along * load(&segment->source_stride[axis - 1]);"},
	{"32-bit source offset", "u64(source) * run.width", "u64(u32(source)) * run.width"},
	{"32-bit target offset", "u64(target) * run.width", "u64(u32(target)) * run.width"},
	{"32-bit bytes of an offset", "u64(target) * run.width", "u64(i64(int(target * i64(run.width))))"},
	{"32-bit counter", "counts + u64(target) * sizeof(u32)", "counts + u32(target) * u32(sizeof(u32))"},
	{"32-bit innermost step", "run.target_step = target_stride * i64(run.width)", "run.target_step = int(target_stride) * int(run.width)"},
	{"32-bit item", "u64 index = (item - load(&segment->first)) / items_per_run;", "u64 index = u32(item - load(&segment->first)) / u32(items_per_run);"},
	{"32-bit index along an axis", "index /= extent;", "index = u32(index) / u32(extent);"},
	{"missing tail", "        hi = run_end;", "        return;"},
	{"skipped misaligned head", "u64 lo = window_begin < run.target ? run.target : window_begin;", "u64 lo = window_begin; if (lo < run.target) return;"},
	{"head not cut", "u64 lo = window_begin < run.target ? run.target : window_begin;", "u64 lo = window_begin;"},
	{"misaligned sources moved whole", "run.by_window && run.source % wide_bytes == cut;", "run.by_window;"},
	{"whole windows not counted", "        count_bytes(run, target + i * stride, target + i * stride + wide_bytes);\n", "        ;\n"},
	{"cut windows not counted", "    count_bytes(run, lo, hi);\n", ""},
	{"head moved whole", "run.begin + (cut != 0)", "run.begin"},
	{"tail moved whole", "(cut + run.bytes) / wide_bytes", "(cut + run.bytes + wide_bytes - 1) / wide_bytes"},
	{"past the last whole window", "last < run.whole_end && last < end", "last < end"},
	{"past the launch's last item", "last < run.whole_end && last < end", "last < run.whole_end"},
	{"before the first whole window", "one >= run.whole_begin && one", "one"},
	{"windows by their begin in the run", "u64 target = run.target / wide_bytes * wide_bytes + (item", "u64 target = run.target + (item"},
	{"one item more between tiles", "next_tile = thread_count() * tile_steps;", "next_tile = thread_count() * tile_steps + 1;"},
	{"last step of a tile left out", "one <= last && one < end", "one < last && one < end"},
	{"tile past the launch's end", "one <= last && one < end", "one <= last"},
	{"begin of a copy ignored", "u64 item = begin + thread", "u64 item = thread"},
	{"begin ignored", "return begin + u64(blockIdx.x)", "return u64(blockIdx.x)"},
	{"run not left", "if (one >= run.end)\n", "if (run.end == 0)\n"},
	{"entries found one too early", "<= item)\n            lo = middle;", "< item)\n            lo = middle;"},
	{"elements not counted", "        count_one(at<u32>(run.counter + index * u64(run.counter_step)));", "        ;"},
	{"one counter a window", "        counter += sizeof(u32);\n", ""},
	{"two bytes as one", "case 2: return copy_as<u16>(source, target);", "case 2: return copy_as<u8>(source, target);"},
	{"16 bytes as eight", "default: return copy_as<Wide>(source, target);", "default: return copy_as<u64>(source, target);"},
	{"half of 16 bytes compared", "return a.lo == b.lo && a.hi == b.hi;", "return a.lo == b.lo;"},
	{"sentinel not cut to the width", "return {sentinel & ((u64(1) << (8 * width)) - 1), 0};", "return {sentinel, 0};"},
	{"sentinel in half of 16 bytes", "width > sizeof(u64) ? sentinel : 0}", "0}"},
	{"two writes as good as one", "!= writes;", "< writes;"},
	{"one write as good as none", "!= writes;", "> 1;"},
	{"wrong counts not located", "if ((wrong_value || wrong_count) && item", "if (wrong_value && item"},
	{"least index not kept", "    lower(&to->first, tally.first);\n", ""},
	{"last index reported", "&& item < tally.first)", ")"},
	{"shard left too late", "if (item >= shard_end) {", "if (item > shard_end) {"},
	{"findings lost between shards", "            if (shard != nullptr)\n                report(load(&shard->verdict), tally);\n", ""},
	{"nothing counted as compared", "    tally.compared++;\n", ""},
}

// Every mutant of the source is told from a right kernel by the harness, and the source itself is not.
func TestSourceMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the harness for every mutant")
	}
	needHarness(t)
	library := buildMutants(t)
	runMutant := func(t *testing.T, variant int) (string, error) {
		return run{library: library, engine: "source", extra: []string{fmt.Sprint("VARIANT=", variant)}, patience: mutantPatience}.harness(t, "all", "1", "500")
	}
	if output, err := runMutant(t, 0); err != nil {
		t.Fatalf("the source itself fails: %v: %s", err, output)
	}
	for i, mutant := range sourceMutants {
		output, err := runMutant(t, i+1)
		if err == nil {
			t.Errorf("%s: not caught", mutant.name)
		}
		t.Logf("%s: %v: %s", mutant.name, err, firstLine(output))
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// buildMutants compiles the source and its mutants into one stand-in, which takes the variant that VARIANT numbers,
// 0 being the source.
func buildMutants(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	source, err := os.ReadFile("replay.cu")
	if err != nil {
		t.Fatal(err)
	}
	var namespaces, tables strings.Builder
	for i, mutant := range append([]sourceMutant{{}}, sourceMutants...) {
		if n := strings.Count(string(source), mutant.from); mutant.from != "" && n != 1 {
			t.Fatalf("%s: %q is in the source %d times, want once", mutant.name, mutant.from, n)
		}
		file := filepath.Join(folder, fmt.Sprintf("mutant%d.cu", i))
		write(t, file, strings.Replace(string(source), mutant.from, mutant.to, 1))
		fmt.Fprintf(&namespaces, "namespace mutant%d {\n#include %q\n}\n", i, file)
		fmt.Fprintf(&tables, "    case %d: return {source_kernel<mutant%d::%s>(%[3]q), source_kernel<mutant%[2]d::%[4]s>(%[4]q)};\n", i, i, CopySegments, CompareShards)
	}
	headers, err := filepath.Abs("../standin/shim.h")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "table.cpp"), fmt.Sprintf(`#include %q
#include <cstdlib>
namespace standin {
%sstd::vector<SourceKernel> source_table() {
    switch (std::atoi(std::getenv("VARIANT"))) {
%s    }
    return {};
}
}
`, headers, &namespaces, &tables))
	return linkTable(t, folder)
}

// linkTable links the stand-in with folder/table.cpp in place of its own table of kernels.
func linkTable(t *testing.T, folder string) string {
	t.Helper()
	library := filepath.Join(folder, "libcuda-mutants.so")
	parts, err := filepath.Glob(objects + "/*.o")
	if err != nil {
		t.Fatal(err)
	}
	arguments := []string{"-std=c++17", "-O1", "-w", "-shared", "-fPIC", "-fvisibility=hidden", "-fno-strict-aliasing", "-o", library, filepath.Join(folder, "table.cpp")}
	for _, part := range parts {
		if filepath.Base(part) != "source_table.o" {
			arguments = append(arguments, part)
		}
	}
	if output, err := exec.Command("g++", arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	return library
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
