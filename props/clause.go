package props

import "github.com/shardproof/shardproof/oracle"

// A Level says how binding a clause or a relation is.
type Level string

// The levels. What breaks a should is reported, and fails a run only where it is strict.
const (
	Must   Level = "must"
	Should Level = "should"
)

// A Clause is a rule that one answer is judged by.
type Clause struct {
	ID       string
	Level    Level
	Rule     string // the rule in one sentence
	Canaries []Canary
}

// Clauses lists the clauses in judging order, the order of oracle.Evidence.
func Clauses() []Clause { return append([]Clause(nil), clauseRows...) }

var clauseRows = clauseTable()

// clauseTable puts the canaries to the clauses of the oracle.
func clauseTable() []Clause {
	var rows []Clause
	for _, rule := range oracle.Rules() {
		row := Clause{ID: string(rule.ID), Level: Should, Rule: rule.Rule}
		if rule.Must {
			row.Level = Must
		}
		for _, canary := range canaries {
			if canary.Catches == row.ID {
				row.Canaries = append(row.Canaries, canary)
			}
		}
		rows = append(rows, row)
	}
	return rows
}
