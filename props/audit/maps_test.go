package audit

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/props"
)

// pieces holds a tensor of one axis on one rank, in so many pieces of one element.
func pieces(count int) plan.Map {
	m := split(int64(count), count)
	whole := &m.Shards[0]
	whole.Shape = []int64{int64(count)}
	for offset := 1; offset < count; offset++ {
		piece := m.Shards[offset].Pieces[0]
		piece.Dest.Offset, piece.Locations = int64(offset), []int{0}
		whole.Pieces = append(whole.Pieces, piece)
	}
	m.Shards = m.Shards[:1]
	return m
}

// auditMaps audits maps that are named in the order of the alphabet.
func auditMaps(known *Known, maps ...plan.Map) Report {
	var document plan.Document
	for i, m := range maps {
		document.Params = append(document.Params, plan.Param{Name: string(rune('a' + i)), Map: m})
	}
	return Maps(document, "checkpoint", known)
}

// outside ends one element past the tensor. Where a rule is broken the rest of the map is not judged.
func outside() plan.Map {
	m := split(4, 2)
	m.Shards[1].Pieces[0].Source.Offset = 3
	return m
}

// pastInt64 has more elements than an int64 counts, which the judge cannot say more of.
func pastInt64() plan.Map {
	m := split(4, 1)
	m.LogicalShape = []int64{math.MaxInt64, 2}
	m.Shards[0].Shape = m.LogicalShape
	m.Shards[0].Pieces[0] = plan.Piece{
		Shape: m.LogicalShape, Source: plan.View{Strides: []int64{2, 1}}, Dest: plan.View{Strides: []int64{2, 1}}, Locations: []int{0},
	}
	return m
}

func TestMapsAreJudgedByTheRulesOfMaps(t *testing.T) {
	report := auditMaps(nil, split(4, 2), outside(), pieces(2), pastInt64())
	if want := (Tally{Cases: 4, Exact: 2, Unsupported: 1, Broken: 1, Should: 1}); report.Tally != want {
		t.Errorf("tally %+v, want %+v", report.Tally, want)
	}
	var ids []string
	for _, rule := range report.Rules {
		ids = append(ids, rule.ID)
		want, level := map[Status]int64{Kept: 2, Unknown: 1}, props.Must
		switch rule.ID {
		case "map.bounds":
			want[Broken] = 1
		case "map.canonical":
			want, level = map[Status]int64{Kept: 1, Broken: 1, Unknown: 1}, props.Should
		}
		if !cmp.Equal(rule.Counts, want) || rule.Level != level {
			t.Errorf("%s, a %s: %v, want %v", rule.ID, rule.Level, rule.Counts, want)
		}
	}
	// That of two maps together is none of one map.
	want := append(slices.DeleteFunc(slices.Clone(refusedMapIDs), func(id string) bool { return id == "map.shape" }), "map.canonical")
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("rules, want, got:\n%s", diff)
	}
}

// Each parameter that breaks a rule is a finding, those of the first rules first.
func TestMapsThatBreakARuleAreFindings(t *testing.T) {
	report := auditMaps(nil, pieces(2), split(4, 2), outside())
	var got []string
	for _, finding := range report.Findings {
		got = append(got, finding.From+" "+finding.Cause+" "+string(finding.Phase))
	}
	if want := []string{"c map.bounds map", "a map.canonical map"}; !slices.Equal(got, want) {
		t.Errorf("findings %q, want %q", got, want)
	}
	for id, want := range map[string]int{"map.arity": -1, "map.bounds": 0, "map.canonical": 1} {
		if got := report.Rules[slices.IndexFunc(report.Rules, func(r RuleReport) bool { return r.ID == id })].Finding; got != want {
			t.Errorf("the finding of %s is %d, want %d", id, got, want)
		}
	}
	if report.Subject != "checkpoint" || !report.Maps || report.Elapsed <= 0 || report.Elapsed.Hours() > 1 {
		t.Errorf("the report is of %s, of maps: %t, after %s", report.Subject, report.Maps, report.Elapsed)
	}
}

func TestKnownFailuresOfMaps(t *testing.T) {
	known := parsed(t, "map.bounds it is old\na it is old too\nmap.tiling it was mended\n")
	report := auditMaps(known, pieces(2), outside())
	for i, want := range []string{"it is old too", "it is old"} {
		if got := report.Cases[i].Known; got != want {
			t.Errorf("%s is known because of %q, want %q", report.Cases[i].Case.Name, got, want)
		}
	}
	if want := (Tally{Cases: 2, Exact: 1, Broken: 1, Known: 1}); report.Tally != want || !slices.Equal(report.Stale, []string{"map.tiling"}) {
		t.Errorf("tally %+v, want %+v; stale %q", report.Tally, want, report.Stale)
	}
}

// A verdict names a rule once, however often it is broken, and tells of each way after the name of its rule.
func TestWhatIsToldOfAMap(t *testing.T) {
	undeclared := split(4, 2)
	undeclared.Shards[0] = plan.Shard{Undeclared: true}
	undeclared.Shards[1].Pieces = nil
	v := judgeMap(undeclared)
	if !slices.Equal(v.Broken, []string{"map.ranks"}) || strings.Count(v.Detail, "map.ranks: ") != 2 {
		t.Errorf("a rank without a shape and one without pieces break %v: %s", v.Broken, v.Detail)
	}
	if v := judgeMap(pastInt64()); !strings.HasPrefix(v.Detail, "logical shape: ") {
		t.Errorf("more elements than int64 counts: %s", v.Detail)
	}
	// Of n pieces in a row, each of the first n-1 could be one with the next.
	for count, want := range map[int]string{9: "", 10: "; and 1 more", 12: "; and 3 more"} {
		v := judgeMap(pieces(count))
		if told := strings.Count(v.Detail, "map.canonical: "); told != 8 || strings.Contains(v.Detail, "more") != (want != "") || !strings.HasSuffix(v.Detail, want) {
			t.Errorf("%d pieces that could be one: %d pairs told, want 8 and %q: %s", count, told, want, v.Detail)
		}
	}
}
