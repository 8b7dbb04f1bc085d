package audit

import (
	"cmp"
	"slices"

	"github.com/shardproof/shardproof/props"
	"github.com/shardproof/shardproof/props/campaign"
)

// A Group is a part of the rules.
type Group string

// The groups, in the order of a report.
const (
	Plans     Group = "plans"
	Relations Group = "relations"
	Planning  Group = "planning"
	MapRules  Group = "maps"
	Refusals  Group = "refusals"
	Conduct   Group = "conduct"
)

// A Rule is one thing that planners, or maps, are held to. It is a row of a table.
type Rule struct {
	ID    string
	Level props.Level
	Group Group
	Text  string // the rule in one sentence

	// everyPlan: each exact plan of a campaign keeps the rule, or breaks it and is found.
	everyPlan bool
	concerns  func(*Judged) bool
	reads     func(*Judged) Status // of a case that concerns the rule
}

// A Status is what is known of a rule.
type Status string

// The statuses of a rule.
const (
	Kept         Status = "kept"
	Broken       Status = "broken"
	Excused      Status = "known"         // broken only where that is expected
	Refused      Status = "refused"       // every case was refused, and that was due
	Unsupported  Status = "unsupported"   // every case was refused as unsupported: neither a pass nor a finding
	Unknown      Status = "unknown"       // no oracle could tell
	NotExercised Status = "not exercised" // no case was about it, or each was held back
)

// A RuleReport is what an audit found out about one rule.
type RuleReport struct {
	Rule
	Status Status
	Counts map[Status]int64   // of the cases that are about the rule, each status but for those without a case
	Why    []campaign.HeldOff // of those not exercised, sorted by the reason
	// Finding is the place among the report's findings of the smallest case that breaks the rule; -1: none.
	Finding int
}

func ruleReports(rules []Rule) []RuleReport {
	reports := make([]RuleReport, len(rules))
	for i, rule := range rules {
		reports[i] = RuleReport{Rule: rule, Status: NotExercised, Counts: map[Status]int64{}, Finding: -1}
	}
	return reports
}

// Total is how many cases are about the rule.
func (r *RuleReport) Total() int64 {
	total := int64(0)
	for _, n := range r.Counts {
		total += n
	}
	return total
}

// count counts cases of one status. The zero status is that of a case that says nothing about the rule.
func (r *RuleReport) count(status Status, n int64, why string) {
	if status == "" || n == 0 {
		return
	}
	r.Counts[status] += n
	if status == NotExercised {
		r.Why = holdOff(r.Why, campaign.HeldOff{Reason: why, Cases: n})
	}
	for _, status := range statusOrder {
		if r.Counts[status] > 0 {
			r.Status = status
			return
		}
	}
}

// statusOrder says which status a rule has whose cases have several: the first of these.
var statusOrder = []Status{Broken, Excused, Unknown, Kept, Refused, Unsupported, NotExercised}

// holdOff adds to a list sorted by reasons.
func holdOff(list []campaign.HeldOff, more campaign.HeldOff) []campaign.HeldOff {
	at, found := slices.BinarySearchFunc(list, more, func(a, b campaign.HeldOff) int { return cmp.Compare(a.Reason, b.Reason) })
	if found {
		list[at].Cases += more.Cases
		return list
	}
	return slices.Insert(list, at, more)
}
