package kernel

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const driver = "../driver"

// A program linked with libcuda.a runs where there is no driver, and says so itself.
func TestDriverOpensAtRunTime(t *testing.T) {
	needHarness(t)
	program := buildProgram(t)
	standin, err := filepath.Abs(library)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name        string
		environment []string
		want        []string // lines of the output
	}{
		{"no driver", []string{"SHARDPROOF_CUDA_LIBRARY=/nowhere/libcuda.so"}, []string{
			"before cuInit: 3", "cuInit: 0", "status: -1", "path: ",
			"problem: /nowhere/libcuda.so: cannot open shared object file: No such file or directory", "version: 3 0", "stand-in: 0",
		}},
		{"stand-in", []string{"SHARDPROOF_CUDA_LIBRARY=" + standin}, []string{
			"before cuInit: 3", "cuInit: 0", "status: 0", "path: " + standin, "problem: ", "version: 0 11080", "stand-in: 1",
		}},
		{"driver without a device", []string{"SHARDPROOF_CUDA_LIBRARY=" + standin, "SHARDPROOF_STANDIN_FAIL=cuInit:1:100"}, []string{
			"before cuInit: 3", "cuInit: 0", "status: 100", "path: " + standin, "problem: ", "version: 0 11080", "stand-in: 1",
		}},
	} {
		command := exec.Command(program)
		command.Env = test.environment
		got, err := command.CombinedOutput()
		if want := strings.Join(test.want, "\n") + "\n"; err != nil || string(got) != want {
			t.Errorf("%s: %v, got\n%swant\n%s", test.name, err, got, want)
		}
	}
}

func buildProgram(t *testing.T) string {
	t.Helper()
	makeTargets(t, []string{"gcc", "ar"}, "build/gpu/lib/libcuda.a")
	program := filepath.Join(t.TempDir(), "check")
	output, err := exec.Command("gcc", "-o", program, driver+"/check/main.c", "-L"+root+"/build/gpu/lib", "-lcuda").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	return program
}

// symbols reads symbols.inc.
func symbols(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(driver + "/symbols.inc")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, match := range regexp.MustCompile(`(?m)^SYMBOL\((\w+)\)$`).FindAllStringSubmatch(string(text), -1) {
		names = append(names, match[1])
	}
	return names
}

// cu v0.9.6 references 159 calls: counted when it was chosen, by the linker's complaints without a libcuda.
func TestSymbols(t *testing.T) {
	if got := len(symbols(t)); got != 159 {
		t.Errorf("got %d calls in symbols.inc, want 159", got)
	}
}

// symbols.inc is what symbols.sh reads off cu as compiled.
func TestSymbolsAreThoseOfCu(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles cu")
	}
	makeTargets(t, []string{"python3", "gcc", "nm"}, "build/gpu/include/cuda.h")
	include, err := filepath.Abs(root + "/build/gpu/include")
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command("sh", driver+"/symbols.sh")
	command.Env = append(os.Environ(), "CGO_CFLAGS=-I"+include)
	got, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	if want, _ := os.ReadFile(driver + "/symbols.inc"); string(got) != string(want) {
		t.Error("symbols.inc is not what cu calls: make gpu-symbols")
	}
}

// The stand-in exports every call, so nothing that cu calls can be missing at run time.
func TestStandinExportsEveryCall(t *testing.T) {
	needHarness(t)
	file, err := elf.Open(library)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	dynamic, err := file.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	exported := map[string]bool{}
	for _, symbol := range dynamic {
		exported[symbol.Name] = symbol.Section != elf.SHN_UNDEF
	}
	for _, name := range symbols(t) {
		if !exported[name] {
			t.Errorf("%s: not exported", name)
		}
	}
}
