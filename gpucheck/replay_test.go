package gpucheck

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/shardproof/shardproof/corpus"
	"github.com/shardproof/shardproof/gen"
	"github.com/shardproof/shardproof/oracle"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/mutant"
	"github.com/shardproof/shardproof/plan/reference"
)

// corpusElements bounds the corpus cases that the tests replay whole, for time. The command's bound is higher.
const corpusElements = 1 << 16

// planned is the reference planner's plan for a case, where it has one.
func planned(t testing.TB, c plan.Case) (Subject, bool) {
	t.Helper()
	if c.Raw != nil {
		return Subject{}, false
	}
	answer, err := reference.Planner{}.Plan(context.Background(), c.Request)
	var refusal *plan.Refusal
	if errors.As(err, &refusal) {
		return Subject{}, false
	}
	if err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	return Subject{c.Name, c.Request, answer.Plan}, true
}

// generated are cases from a seed and their plans.
func generated(t testing.TB, n int) []Subject {
	var subjects []Subject
	for i := uint64(0); len(subjects) < n; i++ {
		c := gen.Case(gen.Seeded(gen.CaseSeed(1, i)))
		c.Name = fmt.Sprint("case ", i)
		if s, ok := planned(t, c); ok {
			subjects = append(subjects, s)
		}
	}
	return subjects
}

// corpusSubjects are the cases of the corpus that have a plan.
func corpusSubjects(t testing.TB) []Subject {
	var subjects []Subject
	for _, file := range corpus.All() {
		if s, ok := planned(t, file.Case); ok {
			subjects = append(subjects, s)
		}
	}
	return subjects
}

// onMachines runs a test on host memory as one device and as three, and on the driver's devices where there are any.
func onMachines(t *testing.T, test func(t *testing.T, machine *Machine)) {
	t.Helper()
	for _, devices := range []int{1, 3} {
		t.Run(fmt.Sprint("host ", devices), func(t *testing.T) {
			machine := Host(devices)
			test(t, machine)
			if memory := machine.Devices[0].(*hostDevice).memory; len(memory.allocations) > 0 || memory.used != 0 {
				t.Errorf("%d allocations are left", len(memory.allocations))
			}
		})
	}
	t.Run("cuda", func(t *testing.T) { onCUDA(t, test) })
}

func mustReplay(t testing.TB, machine *Machine, subjects []Subject, options Options) Result {
	t.Helper()
	result, err := Replay(context.Background(), machine, subjects, options)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestReplayConfirmsTheCorpus(t *testing.T) {
	subjects := corpusSubjects(t)
	onMachines(t, func(t *testing.T, machine *Machine) {
		result := mustReplay(t, machine, subjects, Options{MaxElements: corpusElements})
		for _, finding := range result.Findings {
			t.Error(finding)
		}
		for _, skip := range result.Skipped {
			t.Error(skip)
		}
		if result.Exact < 150 || result.Exact+result.Sampled != len(subjects) {
			t.Errorf("%d exact and %d sampled of %d subjects", result.Exact, result.Sampled, len(subjects))
		}
		t.Logf("%v: %d exact, %d sampled, %d runs, %d elements", machine.Info, result.Exact, result.Sampled, result.Runs, result.Elements)
	})
}

// generatedCases is how many cases TestReplayConfirmsGeneratedCases draws, unless SHARDPROOF_GPU_CASES says otherwise.
const generatedCases = 500

func TestReplayConfirmsGeneratedCases(t *testing.T) {
	n := generatedCases
	if text := os.Getenv("SHARDPROOF_GPU_CASES"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	subjects := generated(t, n)
	onMachines(t, func(t *testing.T, machine *Machine) {
		result := mustReplay(t, machine, subjects, Options{Rounds: 2, Seed: 7})
		for _, finding := range result.Findings {
			t.Error(finding)
		}
		// A few of the cases are far too large, on purpose.
		if result.Sampled > n/20 || result.Exact+result.Sampled != n {
			t.Errorf("%d exact and %d sampled of %d subjects", result.Exact, result.Sampled, n)
		}
	})
}

// Of each planner mutant the replay gets a few plans that the oracle finds wrong and a few that it finds right, out of
// as many cases as that takes, up to a limit.
const (
	wrongPlans  = 5
	rightPlans  = 20
	mutantCases = 4000
)

// A planner mutant that the judge on the CPU catches by what lands where is caught on a device too, and nothing is
// found in a plan that it calls exact. Where the plan is too large to be replayed whole, that holds of some of the
// mutant's plans and not of each.
func TestReplayFindsWhatTheOracleFinds(t *testing.T) {
	overflowing := overflowingCases()
	var subjects []Subject
	of := map[string]string{} // the mutant that a subject's plan is of
	wrong := map[string]oracle.ClauseID{}
	due := map[string]bool{} // mutants that have wrong plans
	killers := map[oracle.ClauseID]int{}
	for _, m := range mutant.Mutants() {
		planner, wrongs, rights := m.New(), 0, 0
		for i := uint64(0); i < mutantCases && wrongs < wrongPlans; i++ {
			var c plan.Case
			if i < uint64(len(overflowing)) {
				c = overflowing[i]
			} else {
				c = gen.Case(gen.Seeded(gen.CaseSeed(2, i)))
			}
			answer, ok := answerOf(planner, c.Request)
			if !ok {
				continue
			}
			judge := oracle.Execute
			if elements, fits := Elements(c.Request); fits && elements > corpusElements {
				judge = oracle.Prove
			}
			s := Subject{fmt.Sprint(m.Name, " on case ", i), c.Request, answer.Plan}
			if clause, ok := wrongElement(judge(c.Request, answer)); ok {
				wrong[s.Name], due[m.Name] = clause, true
				killers[clause]++
				wrongs++
			} else if rights++; rights > rightPlans {
				continue
			}
			of[s.Name] = m.Name
			subjects = append(subjects, s)
			if !writesWrong(m) && rights == rightPlans {
				break
			}
		}
		if wrongs == 0 && writesWrong(m) {
			t.Errorf("%s: the oracle finds no plan wrong in %d cases", m.Name, mutantCases)
		}
	}
	for _, clause := range []oracle.ClauseID{oracle.Valid, oracle.Values, oracle.Bounds, oracle.Cover, oracle.Once} {
		if killers[clause] == 0 {
			t.Errorf("no mutant breaks %s: this test shows nothing of it", clause)
		}
	}
	onMachines(t, func(t *testing.T, machine *Machine) {
		result := mustReplay(t, machine, subjects, Options{Seed: 3, Widths: []int{2}, MaxElements: corpusElements})
		found, killed := map[string]Finding{}, map[string]bool{}
		for _, finding := range result.Findings {
			found[finding.Case], killed[of[finding.Case]] = finding, true
		}
		missed := 0
		for _, s := range subjects {
			want, isWrong := wrong[s.Name]
			got, isFound := found[s.Name]
			elements, _ := Elements(s.Request)
			if isWrong && !isFound && elements > corpusElements {
				missed++
			} else if isFound != isWrong {
				t.Errorf("%s: the replay finds %v; the oracle finds %q", s.Name, got, want)
			}
		}
		for name := range due {
			if !killed[name] {
				t.Errorf("%s: the oracle finds wrong plans, the replay finds none of them wrong", name)
			}
		}
		t.Logf("%v: %d of %d mutants killed; of %d wrong plans windows miss %d", machine.Info, len(killed), len(due), len(wrong), missed)
	})
	t.Logf("%d plans; %d of %d mutants have wrong ones, first by: %v", len(subjects), len(due), len(mutant.Mutants()), killers)
}

// overflowingCases are requests for a tensor of more elements than 64 bits count. Of such a request a plan can be wrong
// by the clause valid alone, on the CPU as well: a mutant that answers it states another logical shape than was asked for.
func overflowingCases() (cases []plan.Case) {
	for i := uint64(0); len(cases) < wrongPlans; i++ {
		c := gen.Corrupted(gen.Seeded(gen.CaseSeed(2, i)))
		if _, fits := plan.Elements(c.Source.LogicalShape); !fits {
			cases = append(cases, c)
		}
	}
	return cases
}

// writesWrong reports whether a mutant is to be caught by what lands where.
func writesWrong(m mutant.Mutant) bool {
	for _, clause := range []oracle.ClauseID{oracle.Valid, oracle.Bounds, oracle.Cover, oracle.Once, oracle.Values} {
		if slices.Contains(m.Clauses, string(clause)) {
			return true
		}
	}
	return false
}

// answerOf is a mutant's plan; false where it has none. Some mutants fail outright.
func answerOf(planner plan.Planner, request plan.Request) (answer plan.Answer, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	answer, err := planner.Plan(context.Background(), request)
	return answer, err == nil
}

// wrongElement is the first clause about elements that is broken.
func wrongElement(evidence oracle.Evidence) (oracle.ClauseID, bool) {
	for _, clause := range []oracle.ClauseID{oracle.Valid, oracle.Bounds, oracle.Cover, oracle.Once, oracle.Values} {
		if evidence.Of(clause).Status == oracle.Broken {
			return clause, true
		}
	}
	return "", false
}
