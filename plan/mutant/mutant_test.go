package mutant_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/shardproof/shardproof/oracle"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/mutant"
)

// The issue of this package asks for so many.
const leastMutants = 60

func TestTable(t *testing.T) {
	mutants := mutant.Mutants()
	if len(mutants) < leastMutants {
		t.Errorf("got %d mutants; want %d at least", len(mutants), leastMutants)
	}
	for i, m := range mutants {
		if i > 0 && mutants[i-1].Name >= m.Name {
			t.Errorf("%q does not stand after %q", m.Name, mutants[i-1].Name)
		}
		if !strings.HasSuffix(m.Doc, ".") || strings.Count(m.Doc, ". ") > 0 {
			t.Errorf("%s: the doc is not one sentence: %q", m.Name, m.Doc)
		}
		if len(m.Clauses) == 0 {
			t.Errorf("%s: no clause catches it", m.Name)
		}
		for _, clause := range m.Clauses {
			if !slices.Contains(clauses(), clause) {
				t.Errorf("%s: no clause is called %q", m.Name, clause)
			}
			if should := clause == "folded" || clause == "ordered"; should != m.Strict {
				t.Errorf("%s: clause %s, strict %t", m.Name, clause, m.Strict)
			}
		}
	}
}

// clauses are what a judge may name: the clauses of a plan, and what is not about one.
func clauses() []string {
	names := []string{"stable", "outcome", "fault"}
	for _, id := range oracle.Clauses() {
		names = append(names, string(id))
	}
	return names
}

func TestLookup(t *testing.T) {
	if m, ok := mutant.Lookup("fold-none"); !ok || m.Name != "fold-none" {
		t.Errorf(`Lookup("fold-none") = %q, %t; want the mutant`, m.Name, ok)
	}
	if m, ok := mutant.Lookup("fold"); ok {
		t.Errorf(`Lookup("fold") = %q; want none`, m.Name)
	}
}

// TestNewSharesNothing asks two planners of a row that counts its calls in turn: each begins anew.
func TestNewSharesNothing(t *testing.T) {
	m, _ := mutant.Lookup("conduct-order-every-other-time")
	first := segmentsOf(t, m.New(), rowsToColumns())
	second := segmentsOf(t, m.New(), rowsToColumns())
	if first[0].Target.Rank != 0 || second[0].Target.Rank != 0 {
		t.Errorf("got plans that begin with target ranks %d and %d; want 0 twice", first[0].Target.Rank, second[0].Target.Rank)
	}
}

func segmentsOf(t *testing.T, planner plan.Planner, request plan.Request) []plan.Segment {
	t.Helper()
	answer, err := planner.Plan(context.Background(), request)
	if err != nil {
		t.Fatal(err)
	}
	return answer.Plan.Segments
}
