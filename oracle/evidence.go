// Package oracle judges an answer to a planning request: which clauses of a right plan it keeps, which it
// breaks, and where first. It shares the types of package plan with the judged, and no code.
//
// Every element is labelled with its row-major index in the logical tensor. A plan only copies, so a plan
// that puts every label where it belongs is right for all data of any width.
//
// There are three oracles, and each fills the same Evidence. Execute lays labelled shards into guarded
// buffers and runs the plan. Algebra multiplies selection matrices, and is for small cases. Prove reasons
// about blocks, at any size. ValidateMap judges a map by enumerating its elements.
package oracle

// A Status says what an oracle found out about one clause.
type Status uint8

const (
	Kept    Status = iota // the clause holds
	Broken                // it does not
	Unknown               // the oracle could not tell: past a limit, or a map that is no map
)

// String names the status in a word.
func (s Status) String() string {
	switch s {
	case Kept:
		return "kept"
	case Broken:
		return "broken"
	}
	return "unknown"
}

// A Finding is what an oracle found out about one clause.
type Finding struct {
	Status Status
	Detail string // one line; empty where the clause is kept
	// Element is the first wrong element: that of the lowest target rank, then of the lowest shard address.
	// It is nil where the clause is not about elements, or where none could be named.
	Element *Element
}

// Evidence is what one look at an answer found, a finding a clause, in judging order.
type Evidence [clauseCount]Finding

// Of is the finding about a clause. It panics on a clause that is none of Clauses.
func (e Evidence) Of(id ClauseID) Finding {
	for i := range clauses {
		if clauses[i].ID == id {
			return e[i]
		}
	}
	panic("oracle: no clause " + string(id))
}

// Broken lists the clauses that are broken, in judging order.
func (e Evidence) Broken() []ClauseID { return e.with(Broken) }

// Unknown lists the clauses that could not be judged, in judging order.
func (e Evidence) Unknown() []ClauseID { return e.with(Unknown) }

func (e Evidence) with(status Status) []ClauseID {
	var ids []ClauseID
	for i := range e {
		if e[i].Status == status {
			ids = append(ids, clauses[i].ID)
		}
	}
	return ids
}
