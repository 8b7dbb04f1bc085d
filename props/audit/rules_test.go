package audit

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/oracle"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/props"
)

// The rules of planners as the tables of rules and of refusals publish them, in the order of a report.
var (
	clauseIDs   = []string{"valid", "bounds", "cover", "once", "values", "holder", "moved", "budget", "folded", "ordered"}
	relationIDs = []string{
		"stable", "round-trip", "compose", "flat-size", "rename-ranks", "insert-axis", "append-axis", "permute-axes", "cut-piece",
	}
	planningIDs = []string{
		"plan.read", "plan.scale1", "plan.holder", "plan.selector", "plan.every-holder", "plan.metadata",
		"plan.deterministic", "plan.order", "plan.fold", "plan.budget", "plan.serial",
	}
	refusedMapIDs = []string{
		"map.arity", "map.extent", "map.bounds", "map.tiling", "map.once", "map.coverage", "map.locations",
		"map.holder", "map.scale", "map.ranks", "map.shape",
	}
	rowIDs = []string{
		"row.1", "row.2", "row.3", "row.4", "row.5", "row.6", "row.7", "row.8", "row.9", "row.10", "row.11", "row.12",
		"row.13", "row.14", "row.15", "row.16", "row.17", "row.18", "row.19", "row.20", "row.21", "row.22", "row.23",
	}
	conductIDs = []string{"outcome", "fault"}
	shouldIDs  = []string{
		"folded", "ordered", "flat-size", "rename-ranks", "insert-axis", "append-axis", "permute-axes", "cut-piece",
		"plan.order", "plan.fold",
	}
)

func TestPlannersAreHeldToEveryPublishedRule(t *testing.T) {
	var ids, should []string
	for _, rule := range plannerRules() {
		ids = append(ids, rule.ID)
		if rule.Level == props.Should {
			should = append(should, rule.ID)
		}
		if rule.Text == "" {
			t.Errorf("%s says nothing", rule.ID)
		}
	}
	want := slices.Concat(clauseIDs, relationIDs, planningIDs, refusedMapIDs, rowIDs, conductIDs)
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("rules, want, got:\n%s", diff)
	}
	if diff := cmp.Diff(shouldIDs, should); diff != "" {
		t.Errorf("rules of should level, want, got:\n%s", diff)
	}
}

// split cuts a tensor of one axis evenly over so many ranks.
func split(elements int64, ranks int) plan.Map {
	m := plan.Map{LogicalShape: []int64{elements}}
	extent := elements / int64(ranks)
	for rank := range ranks {
		m.Shards = append(m.Shards, plan.Shard{Rank: rank, Shape: []int64{extent}, Pieces: []plan.Piece{{
			Shape:  []int64{extent},
			Source: plan.View{Offset: int64(rank) * extent, Strides: []int64{1}}, Dest: plan.View{Strides: []int64{1}},
			Locations: []int{rank},
		}}})
	}
	return m
}

// replicate puts the whole of a tensor of one axis on two ranks.
func replicate(elements int64) plan.Map {
	m := split(elements, 1)
	m.Shards = append(m.Shards, split(elements, 1).Shards...)
	for rank := range m.Shards {
		m.Shards[rank].Rank = rank
		m.Shards[rank].Pieces[0].Locations = []int{0, 1}
	}
	return m
}

// planned is a right request that got a plan, right as far as the verdict says. The plan states no count.
func planned() Judged {
	var j Judged
	j.Case.Source, j.Case.Target = split(4, 2), split(4, 1)
	j.Case.Expect.Outcome = plan.Exact
	j.Verdict = props.Verdict{Outcome: props.Exact, Answered: true}
	return j
}

// Most rules are about some cases alone; those of the first list are about every right request.
func TestWhatACaseIsAbout(t *testing.T) {
	right := []string{
		"valid", "bounds", "cover", "once", "values", "holder", "folded", "ordered",
		"stable", "round-trip", "compose", "flat-size", "rename-ranks", "insert-axis", "append-axis", "permute-axes", "cut-piece",
		"plan.read", "plan.deterministic", "plan.order", "plan.fold", "plan.serial", "outcome", "fault",
	}
	one, scale, noScale := int64(1), 2.0, 1.0
	for _, test := range []struct {
		what   string
		change func(*Judged)
		base   []string
		more   []string
	}{
		{"a right request", func(*Judged) {}, right, nil},
		{"its plan states a count", func(j *Judged) { j.Verdict.Answer.MovedElements = &one }, right, []string{"moved"}},
		{"it got no plan", func(j *Judged) { j.Verdict.Answered = false }, right, []string{"moved"}},
		{"a refusal is due", func(j *Judged) { j.Case.Expect.Outcome = plan.Refused }, conductIDs, nil},

		{"max_segments", func(j *Judged) { j.Case.Budget.MaxSegments = &one }, right, []string{"budget", "plan.budget"}},
		{"max_plan_bytes", func(j *Judged) { j.Case.Budget.MaxPlanBytes = &one }, right, []string{"budget", "plan.budget"}},
		{"max_ndim", func(j *Judged) { j.Case.Budget.MaxNdim = &one }, right, []string{"plan.budget"}},
		{"max_segments that is due a refusal", func(j *Judged) {
			j.Case.Budget.MaxSegments = &one
			j.Case.Expect.Outcome = plan.Refused
		}, conductIDs, []string{"plan.budget"}},

		{"a selector that returns a value", func(j *Judged) { j.Case.Selector.Returns = []byte("true") }, right, []string{"plan.selector"}},
		{"a selector of another form", func(j *Judged) { j.Case.Selector.Policy = plan.PolicyHighest }, right, nil},

		{"a replicated source", func(j *Judged) { j.Case.Source = replicate(4) }, right, []string{"plan.holder"}},
		{"a replicated target", func(j *Judged) { j.Case.Target = replicate(4) }, right, []string{"plan.every-holder"}},
		{"replicas that place nothing", func(j *Judged) { j.Case.Source, j.Case.Target = replicate(0), replicate(0) }, right, nil},
		{"replicas where a refusal is due", func(j *Judged) {
			j.Case.Source, j.Case.Target = replicate(4), replicate(4)
			j.Case.Expect.Outcome = plan.Refused
		}, conductIDs, nil},

		{"a scaled source", func(j *Judged) { j.Case.Source.Shards[1].Pieces[0].Scale = &scale }, right, []string{"plan.scale1"}},
		{"a scaled target", func(j *Judged) { j.Case.Target.Shards[0].Pieces[0].Scale = &scale }, right, []string{"plan.scale1"}},
		{"a scale of 1", func(j *Judged) { j.Case.Target.Shards[0].Pieces[0].Scale = &noScale }, right, nil},

		{"10^9 elements", func(j *Judged) { j.Case.Source = split(1e9, 1) }, right, []string{"plan.metadata"}},
		{"10^9 elements less one", func(j *Judged) { j.Case.Source = split(1e9-1, 1) }, right, nil},
		{"elements past int64", func(j *Judged) { j.Case.Source.LogicalShape = []int64{math.MaxInt64, 2} }, right, nil},

		{"rows of the table of refusals", func(j *Judged) { j.rows = []int{1, 23} }, right, []string{"row.1", "row.23"}},
		{"maps that break rules", func(j *Judged) { j.mapRules = []plan.RuleID{"map.arity", "map.shape"} }, right, []string{"map.arity", "map.shape"}},
		{"a map that is not canonical", func(j *Judged) { j.mapRules = []plan.RuleID{"map.canonical"} }, right, nil},
	} {
		j := planned()
		test.change(&j)
		var got []string
		for _, rule := range plannerRules() {
			if rule.concerns(&j) {
				got = append(got, rule.ID)
			}
		}
		want := slices.Concat(test.base, test.more)
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s is about, want, got:\n%s", test.what, diff)
		}
	}
}

// read is what a rule reads from a case.
func read(t *testing.T, id string, j Judged) Status {
	t.Helper()
	for _, rule := range plannerRules() {
		if rule.ID == id {
			return rule.reads(&j)
		}
	}
	t.Fatalf("no rule %s", id)
	return ""
}

// unknown is evidence that could not tell of one clause.
func unknown(id oracle.ClauseID) oracle.Evidence {
	var evidence oracle.Evidence
	evidence[slices.Index(oracle.Clauses(), id)].Status = oracle.Unknown
	return evidence
}

// A status of "" is that of a case that says nothing about the rule, for or against.
func TestHowACaseIsReadForARule(t *testing.T) {
	broken := func(ids ...string) props.Verdict {
		return props.Verdict{Outcome: props.Broken, Broken: ids, Answered: true}
	}
	unanswered := func(outcome props.Outcome) props.Verdict { return props.Verdict{Outcome: outcome} }
	for _, test := range []struct {
		rule    string
		what    string
		verdict props.Verdict
		want    Status
	}{
		{"values", "an exact plan", props.Verdict{Outcome: props.Exact, Answered: true}, Kept},
		{"values", "a plan with wrong values", broken("values"), Broken},
		{"values", "a plan that breaks something else", broken("cover"), Kept},
		{"values", "no oracle could tell", props.Verdict{Outcome: props.Unknown, Answered: true, Evidence: unknown(oracle.Values)}, Unknown},
		{"values", "no oracle could tell of another clause", props.Verdict{Outcome: props.Unknown, Answered: true, Evidence: unknown(oracle.Cover)}, Kept},
		{"values", "no oracle could tell, and another clause is broken", props.Verdict{
			Outcome: props.Broken, Broken: []string{"bounds"}, Answered: true, Evidence: unknown(oracle.Values),
		}, ""},
		{"values", "a request held back", unanswered(props.NotExercised), NotExercised},
		{"values", "unsupported", unanswered(props.Unsupported), Unsupported},
		{"values", "a due refusal", unanswered(props.Refused), ""},
		{"values", "a fault", props.Verdict{Outcome: props.Broken, Broken: []string{"fault"}}, ""},
		{"ordered", "a plan out of order", props.Verdict{Outcome: props.Exact, Should: []string{"ordered"}, Answered: true}, Broken},
		{"plan.read", "a plan that reads outside a shard", broken("bounds"), Broken},
		{"plan.read", "a plan that leaves elements out", broken("cover"), Kept},
		{"plan.every-holder", "a plan that leaves elements out", broken("cover"), Broken},

		{"stable", "an exact plan", props.Verdict{Outcome: props.Exact, Answered: true}, Kept},
		{"stable", "another plan for the same request", broken("stable"), Broken},
		{"stable", "a plan that breaks something else", broken("values"), Kept},
		{"stable", "unsupported", unanswered(props.Unsupported), Unsupported},
		{"compose", "a plan that breaks it", broken("compose"), Broken},
		{"compose", "exercised", props.Verdict{Outcome: props.Exact, Answered: true, Related: []string{"compose"}}, Kept},
		{"compose", "another one was exercised", props.Verdict{Outcome: props.Exact, Answered: true, Related: []string{"flat-size"}}, NotExercised},
		{"compose", "a plan that is broken already", broken("values"), ""},
		{"compose", "a due refusal", unanswered(props.Refused), ""},
		{"plan.deterministic", "another plan for the same request", broken("stable"), Broken},

		{"row.1", "a due refusal", unanswered(props.Refused), Refused},
		{"row.1", "a plan", props.Verdict{Outcome: props.Exact, Answered: true}, Kept},
		{"row.1", "unsupported", unanswered(props.Unsupported), Unsupported},
		{"row.1", "a request held back", unanswered(props.NotExercised), NotExercised},
		{"row.1", "a plan where none was due", broken("outcome"), Broken},
		{"row.1", "no oracle could tell", props.Verdict{Outcome: props.Unknown, Answered: true}, Unknown},
		{"map.bounds", "a plan where none was due", broken("outcome"), Broken},

		{"outcome", "a plan where none was due", broken("outcome"), Broken},
		{"outcome", "a plan that breaks something else", broken("values"), Kept},
		{"outcome", "no oracle could tell of a plan", props.Verdict{Outcome: props.Unknown, Answered: true}, Kept},
		{"outcome", "a due refusal", unanswered(props.Refused), Refused},
		{"outcome", "a request held back", unanswered(props.NotExercised), NotExercised},
		{"fault", "a fault", props.Verdict{Outcome: props.Broken, Broken: []string{"fault"}}, Broken},
		{"plan.budget", "a plan past its limit", broken("budget"), Broken},

		{"plan.serial", "a plan", props.Verdict{Outcome: props.Exact, Answered: true}, Kept},
		{"plan.serial", "unsupported", unanswered(props.Unsupported), Unsupported},
	} {
		j := planned()
		j.Verdict, j.relations = test.verdict, true
		if got := read(t, test.rule, j); got != test.want {
			t.Errorf("%s, %s: %q, want %q", test.rule, test.what, got, test.want)
		}
	}
}

// A relation is read where it was asked for; two values that are no maps have no other order.
func TestRelationsThatWereNotAskedForSayNothing(t *testing.T) {
	j := planned()
	j.Verdict.Related = []string{"compose"}
	if got := read(t, "compose", j); got != "" {
		t.Errorf("compose is %q without being asked for", got)
	}
	if got := read(t, "stable", j); got != Kept {
		t.Errorf("stable is %q, want kept: it is asked for always", got)
	}
	j.relations = true
	j.Case.Raw = &plan.Raw{}
	for _, id := range []string{"stable", "compose"} {
		if got := read(t, id, j); got != "" {
			t.Errorf("%s is %q for values that are no maps", id, got)
		}
	}
}
