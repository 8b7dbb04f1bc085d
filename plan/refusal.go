package plan

import "fmt"

// A Kind says why a request is refused.
type Kind string

// The kinds of a refusal.
const (
	Invalid      Kind = "invalid"     // a map contradicts itself or the other: falling back would hide corruption
	Unsupported  Kind = "unsupported" // legitimate geometry that the planner does not express
	BadSelection Kind = "selector"    // the selector named no candidate
	OverBudget   Kind = "budget"      // the plan would exceed a limit
)

// A Refusal is a planner's answer to a request that it cannot answer with a right plan.
type Refusal struct {
	Kind    Kind
	Message string
}

// Error states the kind and the message.
func (r *Refusal) Error() string { return fmt.Sprintf("refused as %s: %s", r.Kind, r.Message) }

// Refuse builds a refusal.
func Refuse(kind Kind, format string, arguments ...any) *Refusal {
	return &Refusal{Kind: kind, Message: fmt.Sprintf(format, arguments...)}
}

// A Fault is a planner that gave neither a plan nor a refusal: a panic, an exit, a hang, an answer that is
// none. It is a finding about the planner, as a wrong plan is.
type Fault struct {
	Name   string // in a word or two: "panic", "exit", "hang", "not an answer"
	Detail string // one line
	Log    string // the planner's last words, where it has any
}

// Error states the name and the detail.
func (f *Fault) Error() string { return f.Name + ": " + f.Detail }
