package audit

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/shardproof/shardproof/corpus"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/props"
	"github.com/shardproof/shardproof/props/campaign"
)

// A Finding is the smallest case that is known to break some rule, reduced where it could be.
type Finding struct {
	Judged
	Cause   string // what it shows to be broken
	From    string // the case that it was reduced from
	Number  uint64 // of that case in the campaign
	Stats   props.ReduceStats
	Problem error // why it could not be saved
}

// conclude sees to it that each broken rule has a finding, and orders the findings by the first rule that is
// broken by them.
func (a *auditing) conclude(ctx context.Context) {
	for i := range a.Rules {
		rule := &a.Rules[i]
		if slices.ContainsFunc(a.Findings, func(f Finding) bool { return a.shows(&f.Judged, rule) }) {
			continue
		}
		if smallest := a.smallest(rule); smallest != nil {
			a.addFinding(a.reduce(ctx, smallest, causeOf(rule, &smallest.Verdict)))
		}
	}
	a.link()
	for i := range a.Report.Cases {
		if v := &a.Report.Cases[i].Verdict; v.Outcome == props.NotExercised {
			a.HeldOff = holdOff(a.HeldOff, campaign.HeldOff{Reason: v.Detail, Cases: 1})
		}
	}
}

// causeOf is what a case must still show when it is reduced: the rule itself where verdicts name it.
func causeOf(rule *RuleReport, v *props.Verdict) string {
	if v.Names(rule.ID) {
		return rule.ID
	}
	return v.Cause(true)
}

// addFinding adds a finding. Where its case is one already, that one breaks what both do.
func (a *auditing) addFinding(f Finding) {
	for i := range a.Findings {
		if first := &a.Findings[i]; first.Case.Name == f.Case.Name && first.Known == f.Known {
			first.Broken = a.inOrder(slices.Concat(first.Broken, f.Broken))
			return
		}
	}
	a.Findings = append(a.Findings, f)
}

// inOrder puts IDs in the order of the rules, each once.
func (a *auditing) inOrder(ids []string) []string {
	var ordered []string
	for _, rule := range a.Rules {
		if slices.Contains(ids, rule.ID) {
			ordered = append(ordered, rule.ID)
		}
	}
	return ordered
}

// shows reports whether a case shows a broken rule: one where that is expected only where no other breaks the rule.
func (a *auditing) shows(j *Judged, rule *RuleReport) bool {
	return slices.Contains(j.Broken, rule.ID) && (rule.Counts[Broken] == 0 || !a.Options.Known.excuses(j, rule.ID))
}

// smallest is the smallest of the fixed cases that show a broken rule; nil: there is none.
func (a *auditing) smallest(rule *RuleReport) *Judged {
	var best *Judged
	for i := range a.Report.Cases {
		j := &a.Report.Cases[i]
		if a.shows(j, rule) && (best == nil || compareSizes(j, best) < 0) {
			best = j
		}
	}
	return best
}

// compareSizes puts unexpected failures first, then small cases.
func compareSizes(a, b *Judged) int {
	return cmp.Or(
		cmp.Compare(min(len(a.Known), 1), min(len(b.Known), 1)),
		cmp.Compare(elementsOf(a.Case), elementsOf(b.Case)),
		cmp.Compare(piecesOf(a.Case.Source)+piecesOf(a.Case.Target), piecesOf(b.Case.Source)+piecesOf(b.Case.Target)),
		cmp.Compare(a.Verdict.Segments, b.Verdict.Segments),
		strings.Compare(a.Case.Name, b.Case.Name),
	)
}

func elementsOf(c plan.Case) int64 {
	elements, ok := plan.Elements(c.Target.LogicalShape)
	if !ok {
		return math.MaxInt64
	}
	return elements
}

func piecesOf(m plan.Map) int {
	n := 0
	for _, shard := range m.Shards {
		n += len(shard.Pieces)
	}
	return n
}

// reduce makes a finding of a fixed case. An expected one stays as it is.
func (a *auditing) reduce(ctx context.Context, j *Judged, cause string) Finding {
	f := Finding{Judged: *j, Cause: cause, From: j.Case.Name}
	if j.Known != "" || j.Case.Raw != nil || isHang(j.Verdict.Fault) {
		return f
	}
	limited, cancel := context.WithTimeout(ctx, a.ReduceFor)
	defer cancel()
	options := a.Check
	options.Relations = isRelation(cause)
	check := func(c plan.Case) props.Verdict {
		c.Request = props.CloneRequest(c.Request)
		return props.Check(ctx, a.Planner, c, options)
	}
	fails := func(c plan.Case) bool { return check(c).Names(cause) }
	var reduced plan.Case
	reduced, f.Stats = props.Reduce(limited, j.Case, fails, props.ReduceOptions{Workers: a.Workers})
	if after := check(reduced); after.Names(cause) {
		f.Case, f.Verdict = reduced, after
		f.save(a, j)
	}
	return f
}

func isRelation(id string) bool {
	return slices.ContainsFunc(props.Relations(), func(r props.Relation) bool { return r.ID == id && id != props.StableID })
}

// save names a reduced case after its request and saves it.
func (f *Finding) save(a *auditing, from *Judged) {
	v := &f.Verdict
	f.Case.Origin = strings.TrimPrefix(from.Case.Origin+"; ", "; ") + "reduced from " + from.Case.Name
	found := &plan.Found{Planner: a.Name, Seed: strconv.FormatUint(a.Options.Seed, 10)}
	found.Broken = slices.Concat(v.Broken, v.Should)
	switch {
	case v.Fault != nil:
		found.Fault = v.Fault.Name
	case v.Answered:
		found.Plan = &v.Answer.Plan
	}
	f.Case.Found = found
	f.Case.Name, f.Path = corpus.Name(f.Case.Request), ""
	if a.Out != "" {
		f.Path, f.Problem = corpus.Save(a.Out, f.Case)
	}
}

// link points each broken rule to its smallest finding.
func (a *auditing) link() {
	slices.SortStableFunc(a.Findings, func(x, y Finding) int {
		return cmp.Or(cmp.Compare(a.firstBroken(x), a.firstBroken(y)), compareSizes(&x.Judged, &y.Judged))
	})
	for i := range a.Rules {
		rule := &a.Rules[i]
		for n := range a.Findings {
			j := &a.Findings[n].Judged
			if a.shows(j, rule) && (rule.Finding < 0 || compareSizes(j, &a.Findings[rule.Finding].Judged) < 0) {
				rule.Finding = n
			}
		}
	}
}

func (a *auditing) firstBroken(f Finding) int {
	return slices.IndexFunc(a.Rules, func(r RuleReport) bool { return slices.Contains(f.Broken, r.ID) })
}
