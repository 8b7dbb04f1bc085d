package kernel

import (
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var ptxMutants = flag.Int("ptx-mutants", 40, "about how many mutants of the PTX to draw; 0: all of them")

// A ptxRule changes one instruction into another of the same form. from is an expression for the whole instruction
// without its semicolon, to is what regexp's ReplaceAllString puts in its place.
type ptxRule struct {
	name     string
	from, to string
}

var ptxRules = []ptxRule{
	{"add for sub", `^sub\.`, "add."},
	{"sub for add", `^add\.`, "sub."},
	{"32-bit add", `^add\.s64`, "add.s32"},
	{"32-bit product", `^mul\.lo\.s64`, "mul.lo.s32"},
	{"narrow product", `^mul\.wide\.u32`, "mul.lo.s32"},
	{"sum for product", `^mul\.lo\.`, "add."},
	{"32-bit quotient", `^div\.u64`, "div.u32"},
	{"remainder for quotient", `^div\.`, "rem."},
	{"shifted by one more", `^(sh[lr]\.\S+\s.*), (\d+)$`, "$1, 1$2"},
	{"less for at most", `^setp\.le\.`, "setp.lt."},
	{"at most for less", `^setp\.lt\.`, "setp.le."},
	{"more for at least", `^setp\.ge\.`, "setp.gt."},
	{"at least for more", `^setp\.gt\.`, "setp.ge."},
	{"unequal for equal", `^setp\.eq\.`, "setp.ne."},
	{"equal for unequal", `^setp\.ne\.`, "setp.eq."},
	{"32-bit comparison", `^setp\.(..)\.u64`, "setp.$1.u32"},
	{"32-bit equality", `^setp\.(..)\.s64`, "setp.$1.s32"},
	{"branch the other way", `^@(%p\d+) bra`, "@!$1 bra"},
	{"branch not taken", `^@%p\d+ bra.*`, ""},
	{"choice the other way", `^selp\.(\S+)\s+(\S+) (\S+), (\S+), `, "selp.$1 $2 $4, $3, "},
	{"or for and", `^and\.`, "or."},
	{"and for or", `^or\.`, "and."},
	{"most for least", `^min\.`, "max."},
	{"least for most", `^max\.`, "min."},
	{"atomic most for least", `^atom\.min`, "atom.max"},
	{"atomic left out", `^atom\..*`, ""},
	{"store left out", `^st\..*`, ""},
	{"16-bit load", `^ld\.u32`, "ld.u16"},
	{"32-bit load", `^ld\.u64`, "ld.u32"},
	{"32-bit field", `^ld\.global\.u64`, "ld.global.u32"},
	{"next field", `^(ld\.global\.u64.*\[%rd\d+)\]`, "$1+8]"},
	{"32-bit store", `^st\.u64`, "st.u32"},
	{"constant one more", `^((?:add|mov)\.\S+\s.*, )(\d+)$`, "${1}1$2"},
}

// A ptxMutant is one rule at one line of the PTX.
type ptxMutant struct {
	rule ptxRule
	line int
}

var instructionLine = regexp.MustCompile(`^\t(@|[a-z])`)

// allPTXMutants lists every rule at every line where it changes something.
func allPTXMutants(lines []string) []ptxMutant {
	var mutants []ptxMutant
	for line, text := range lines {
		if !instructionLine.MatchString(text) {
			continue
		}
		for _, rule := range ptxRules {
			if mutated(text, rule) != text {
				mutants = append(mutants, ptxMutant{rule, line})
			}
		}
	}
	return mutants
}

// mutated applies a rule to one line.
func mutated(line string, rule ptxRule) string {
	instruction := strings.TrimSuffix(strings.TrimPrefix(line, "\t"), ";")
	to := regexp.MustCompile(rule.from).ReplaceAllString(instruction, rule.to)
	if to == instruction || to == "" && instruction == "" {
		return line
	}
	if to == "" {
		return ""
	}
	return "\t" + to + ";"
}

// describe names a mutant whatever its line: "32-bit add: add.s64 %rd3, %rd1, %rd2".
func (m ptxMutant) describe(lines []string) string {
	return m.rule.name + ": " + strings.Join(strings.Fields(strings.TrimSuffix(lines[m.line], ";")), " ")
}

// withoutEquivalents leaves out the mutants of the table in equivalents_test.go, each of which must be there.
func withoutEquivalents(t *testing.T, lines []string, mutants []ptxMutant) []ptxMutant {
	t.Helper()
	known := map[string]bool{}
	for _, group := range equivalents {
		for _, name := range group.mutants {
			known[name] = true
		}
	}
	left := slices.DeleteFunc(mutants, func(m ptxMutant) bool {
		name := m.describe(lines)
		found := known[name]
		delete(known, name)
		return found
	})
	for name := range known {
		t.Errorf("no such mutant: %s\nthe PTX has changed: find its equivalent mutants with -ptx-mutants 0", name)
	}
	return left
}

// Mutants of the PTX are told from the PTX by the harness, every one that can be.
func TestPTXMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the harness for every mutant")
	}
	needHarness(t)
	lines := strings.Split(PTX, "\n")
	all := withoutEquivalents(t, lines, allPTXMutants(lines))
	step := 1
	if *ptxMutants > 0 {
		step = max(1, len(all) / *ptxMutants)
	}
	t.Logf("one in %d of %d mutants", step, len(all))
	folder := t.TempDir()
	for i := 0; i < len(all); i += step {
		mutant := all[i]
		name := fmt.Sprintf("line %d, %s", mutant.line+1, mutant.rule.name)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changed := slices.Clone(lines)
			changed[mutant.line] = mutated(lines[mutant.line], mutant.rule)
			file := filepath.Join(folder, fmt.Sprintf("mutant%d.ptx", i))
			write(t, file, strings.Join(changed, "\n"))
			output, err := run{ptx: file, engine: "ptx", patience: mutantPatience}.harness(t, "all", "1", "150")
			if err == nil {
				t.Errorf("%s: not caught\nagain: go test ./gpucheck/kernel -run TestPTXMutants -ptx-mutants %d", mutant.describe(lines), *ptxMutants)
			}
			t.Logf("%s: %v: %s", mutant.describe(lines), err, firstLine(output))
		})
	}
}
