package props

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/shardproof/shardproof/gen"
	"github.com/shardproof/shardproof/plan"
)

// Fuzz lets Go's fuzzer look for cases that a planner fails. It is all of a fuzz test:
//
//	func FuzzPlanner(f *testing.F) {
//		props.Fuzz(f, planner{})
//	}
//
// An input that begins with { is a case file; any other is the choices that a case is drawn from. Cases saved
// under testdata/shardproof are among the first inputs. A failing case is reduced and saved there.
func Fuzz(f *testing.F, planner plan.Planner) {
	f.Helper()
	Options{}.Fuzz(f, planner)
}

// Fuzz is the function Fuzz with options.
func (o Options) Fuzz(f *testing.F, planner plan.Planner) {
	f.Helper()
	o = o.withTimeLimit()
	files, err := savedCases()
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		f.Add(plan.EncodeCase(file.Case))
	}
	for seed := range uint64(firstInputs) {
		f.Add(inputOf(gen.Seeded(seed)))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		c, ok := caseOf(input)
		if !ok {
			t.Skip("no case file")
		}
		o.fuzzOne(t, planner, c)
	})
}

// Inputs that the fuzzer starts from, and the bytes of each: choices for a mean case.
const (
	firstInputs = 16
	inputBytes  = 256
)

func inputOf(choose gen.Choose) []byte {
	input := make([]byte, inputBytes)
	for i := range input {
		input[i] = byte(choose("byte", 0, 255))
	}
	return input
}

// caseOf reads an input. It is false where it is a case file that cannot be read, or is not for a planner of
// this process.
func caseOf(input []byte) (plan.Case, bool) {
	if len(input) > 0 && input[0] == '{' {
		c, err := plan.DecodeCase(input)
		return c, err == nil && c.Raw == nil
	}
	return drawCase(gen.FromBytes(input)), true
}

// reduceTime bounds the reduction of a failing input: the fuzzer meets many on its way to a small one.
const reduceTime = 5 * time.Second

func (o Options) fuzzOne(t *testing.T, planner plan.Planner, c plan.Case) {
	t.Helper()
	pristine := c
	pristine.Request = CloneRequest(c.Request)
	v := Check(t.Context(), planner, c, o)
	cause := v.Cause(o.Strict)
	if cause != "" {
		ctx, cancel := context.WithTimeout(t.Context(), reduceTime)
		defer cancel()
		reduced, _ := Reduce(ctx, pristine, func(c plan.Case) bool {
			return Check(ctx, planner, c, o).Cause(o.Strict) == cause
		}, ReduceOptions{})
		// Saved cases are inputs with numbers of their own, which each further one shifts: only the whole test is sure.
		fuzzTest, _, _ := strings.Cut(t.Name(), "/")
		save(t, reduced, func(string) string { return fuzzTest })
	}
	fail(t, v, o.Strict)
}
