package gpucheck

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/shardproof/shardproof/gen"
	"github.com/shardproof/shardproof/plan/reference"
)

// roleVariable makes the test binary a worker that misbehaves as its value says.
const roleVariable = "GPUCHECK_TEST_WORKER"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(playRole(role))
	}
	os.Exit(m.Run())
}

const culprit = 13 // the case that workers are lost on

func playRole(role string) int {
	if role == injected {
		return replayInjected()
	}
	backend := "host"
	if role == "other backend" {
		backend = "none"
	}
	err := Serve(context.Background(), os.Stdin, os.Stdout, backend, func(job Job) Drawn {
		inside := job.First <= culprit && culprit < job.First+job.Count
		switch {
		case role == "exits" && inside:
			fmt.Fprintln(os.Stderr, "the last words")
			os.Exit(7)
		case role == "hangs" && inside:
			time.Sleep(time.Hour)
		case role == "exits on many" && job.Count > 4:
			os.Exit(8)
		case role == "always exits":
			os.Exit(9)
		}
		return drawnFrom(job)
	})
	if err != nil {
		return 1
	}
	return 0
}

// drawnFrom plans generated cases: case 5 is said to be refused.
func drawnFrom(job Job) (drawn Drawn) {
	for number := job.First; number < job.First+job.Count; number++ {
		if number == 5 {
			drawn.Refused++
			continue
		}
		for draw := uint64(0); ; draw++ {
			c := gen.Case(gen.Seeded(gen.CaseSeed(number, draw)))
			answer, err := reference.Planner{}.Plan(context.Background(), c.Request)
			if elements, ok := Elements(c.Request); err == nil && ok && elements <= 1000 {
				drawn.Subjects = append(drawn.Subjects, Subject{fmt.Sprint("case ", number), c.Request, answer.Plan})
				break
			}
		}
	}
	return drawn
}

func supervisor(role string) *Supervisor {
	return &Supervisor{
		Name: func(number uint64) string { return fmt.Sprint("case ", number) },
		Worker: func() *exec.Cmd {
			command := exec.Command(os.Args[0])
			command.Env = append(os.Environ(), roleVariable+"="+role)
			return command
		},
		Patience: time.Minute,
	}
}

// Whatever a worker is lost on is named, and the other cases are replayed all the same.
func TestSupervisorNamesTheCulprit(t *testing.T) {
	const cases = 20
	for _, c := range []struct {
		role     string
		findings []string // part of each
		exact    int
		refused  int
	}{
		{"works", nil, cases - 1, 1},
		{"exits", []string{"case 13: fault: the replay's process has ended (exit status 7): the last words"}, cases - 2, 1},
		// The last case alone: each look at a worker that hangs takes all of its patience.
		{"hangs", []string{"case 13: fault: no answer in 3s"}, 0, 0},
		{"exits on many", []string{"case 0 to case 4: fault: together", "case 5 to case 9: fault: together",
			"case 10 to case 14: fault: together", "case 15 to case 19: fault: together"}, cases - 1, 1},
	} {
		t.Run(c.role, func(t *testing.T) {
			s := supervisor(c.role)
			job := Job{Count: cases, Options: Options{Widths: []int{1}}}
			if c.role == "hangs" {
				s.Patience = 3 * time.Second
				job.First, job.Count = culprit, 1
			}
			answer, err := s.Do(context.Background(), job)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if len(answer.Findings) != len(c.findings) || answer.Exact != c.exact || answer.Refused != c.refused {
				t.Errorf("findings %v, %d exact, %d refused; want %v, %d, %d", answer.Findings, answer.Exact, answer.Refused, c.findings, c.exact, c.refused)
				return
			}
			for i, finding := range answer.Findings {
				if !strings.Contains(finding.String(), c.findings[i]) {
					t.Errorf("finding %q, want %q", finding, c.findings[i])
				}
			}
		})
	}
}

func TestSupervisorGivesUp(t *testing.T) {
	s := supervisor("always exits")
	s.losses = maxLosses - 3 // it takes no more to show
	_, err := s.Do(context.Background(), Job{Count: 500})
	if err == nil || !strings.Contains(err.Error(), "workers were lost") {
		t.Errorf("error %v, want one that says how many workers were lost", err)
	}
	if _, err := supervisor("other backend").Open(context.Background()); err == nil || !strings.Contains(err.Error(), "no backend") {
		t.Errorf("error %v, want one that there is no such backend", err)
	}
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	s = supervisor("hangs")
	if _, err := s.Do(canceled, Job{Count: 20}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
}
