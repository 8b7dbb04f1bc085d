package report

import (
	"fmt"
	"io"

	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/props"
)

// Show explains a case and its verdict to a person: both layouts, the copies, what each target shard ends up
// with, and the first thing that is wrong.
func Show(w io.Writer, c plan.Case, v props.Verdict) {
	fmt.Fprintf(w, "case %s\n", nameOf(c))
	if c.Origin != "" {
		fmt.Fprintf(w, "  %s\n", c.Origin)
	}
	fmt.Fprintf(w, "  due: %s\n", dueText(c.Expect))
	if form := selectorText(c.Selector); form != "" {
		fmt.Fprintf(w, "  read from: %s\n", form)
	}
	fmt.Fprintln(w)
	if c.Raw != nil {
		fmt.Fprintf(w, "source and target are JSON values but no maps:\n  %s\n  %s\n\n", c.Raw.Source, c.Raw.Target)
	} else {
		DrawRequest(w, c.Request)
		fmt.Fprintln(w)
	}
	if v.Answered {
		DrawAnswer(w, c.Request, v.Answer)
		fmt.Fprintln(w)
	}
	if v.Refusal != nil {
		fmt.Fprintf(w, "%v\n\n", v.Refusal)
	}
	fmt.Fprintln(w, Line(nameOf(c), v))
	for _, clause := range props.Clauses() {
		if v.Names(clause.ID) {
			fmt.Fprintf(w, "  %s (%s): %s\n", clause.ID, clause.Level, clause.Rule)
		}
	}
	for _, relation := range props.Relations() {
		if v.Names(relation.ID) {
			fmt.Fprintf(w, "  %s (%s): %s\n", relation.ID, relation.Level, relation.Rule)
		}
	}
}

func nameOf(c plan.Case) string {
	if c.Name == "" {
		return "(unnamed)"
	}
	return c.Name
}

func dueText(e plan.Expect) string {
	text := string(e.Outcome)
	for i, kind := range e.Kinds {
		separator := " as "
		if i > 0 {
			separator = " or "
		}
		text += separator + string(kind)
	}
	if e.Segments != nil {
		text += fmt.Sprintf(", %d segments", *e.Segments)
	}
	if e.MovedElements != nil {
		text += fmt.Sprintf(", %d elements", *e.MovedElements)
	}
	return text
}

func selectorText(s plan.Selector) string {
	switch {
	case s.Prefer != nil:
		return fmt.Sprintf("for each target rank the first listed holder: %v", s.Prefer)
	case s.Cost != nil:
		return fmt.Sprintf("the holder of the least cost: %v", s.Cost)
	case s.Returns != nil:
		return fmt.Sprintf("whatever the selector answers: %s", s.Returns)
	case s.Policy != "":
		return "policy " + string(s.Policy)
	}
	return ""
}
