package gen

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/shardproof/shardproof/plan"
)

// The rules that the brute-force walk finds broken for a row of the refusal table.
var rulesOfRow = map[int][]string{
	1: {"shape"}, 5: {"tiling"}, 6: {"ranks"}, 7: {"bounds"}, 8: {"arity"}, 9: {"extent"}, 10: {"locations"},
	11: {"scale"}, 12: {"once", "tiling", "bounds", "coverage"}, 13: {"bounds"}, 14: {"tiling", "bounds"}, 15: {"tiling", "bounds"}, 16: {"once"},
	17: {"locations"}, 19: {"coverage"}, 20: {"coverage"}, 23: {"product"},
}

// seedsOfAFault is how often each fault is drawn by a test.
const seedsOfAFault = 200

// Every fault is real, whatever is drawn: the map is wrong by the walk over its elements, by a rule of the
// corruption's rows, and the other map is right. Legal geometry is right by the same walk.
func TestFaultsAreReal(t *testing.T) {
	for _, corruption := range CorruptionTable() {
		for seed := range uint64(seedsOfAFault) {
			drawn := corruption.Draw(Seeded(CaseSeed(seed, 11)))
			faults := requestFaults(drawn.Request)
			if wrong := judgeCorruption(corruption, drawn, faults); wrong != "" {
				t.Errorf("%s, seed %d: %s; the walk finds %v\n%+v", corruption.Name, seed, wrong, faults, drawn.Request)
				break
			}
		}
	}
}

func requestFaults(request plan.Request) []string {
	if !slices.Equal(request.Source.LogicalShape, request.Target.LogicalShape) {
		return append(bruteFaults(request.Source), append(bruteFaults(request.Target), "shape: differs")...)
	}
	if pastInt64(request.Source) || pastInt64(request.Target) {
		return []string{"product: past int64"}
	}
	source, target := bruteFaults(request.Source), bruteFaults(request.Target)
	if len(source) > 0 && len(target) > 0 {
		return append(append(source, target...), "both: the maps of both sides are wrong")
	}
	return append(source, target...)
}

func pastInt64(m plan.Map) bool {
	shapes := [][]int64{m.LogicalShape}
	for _, shard := range m.Shards {
		shapes = append(shapes, shard.Shape)
	}
	return slices.ContainsFunc(shapes, func(shape []int64) bool {
		product := big.NewInt(1)
		for _, extent := range shape {
			product.Mul(product, big.NewInt(extent))
		}
		return !product.IsInt64()
	})
}

func judgeCorruption(c Corruption, drawn plan.Case, faults []string) string {
	switch {
	case c.kinds == nil:
		return judgeLegal(c, drawn, faults)
	case drawn.Expect.Outcome != plan.Refused:
		return "no refusal is due"
	case !slices.Equal(drawn.Expect.Kinds[:len(c.kinds)], c.kinds):
		return "other kinds are due"
	case !slices.Contains(c.kinds, plan.Invalid):
		return judgeLimits(c, drawn, faults)
	case slices.ContainsFunc(faults, func(f string) bool { return strings.HasPrefix(f, "both:") }):
		return "more than one side is wrong"
	}
	for _, row := range c.Rows {
		for _, rule := range rulesOfRow[row] {
			if slices.ContainsFunc(faults, func(f string) bool { return strings.HasPrefix(f, rule) }) {
				return ""
			}
		}
	}
	return "no fault of its rows"
}

func judgeLegal(c Corruption, drawn plan.Case, faults []string) string {
	if drawn.Expect.Outcome != plan.ExactOrUnsupported {
		return "expects " + string(drawn.Expect.Outcome)
	}
	if c.Name == "product-past-int64" {
		if len(faults) != 1 || drawn.Expect.MovedElements != nil {
			return "not past int64"
		}
		return ""
	}
	if len(faults) > 0 {
		return "is wrong"
	}
	return ""
}

// judgeLimits looks at a request that is right, or a scaled one, and at what its selector or budget asks.
func judgeLimits(c Corruption, drawn plan.Case, faults []string) string {
	if len(faults) > 0 {
		return "is wrong"
	}
	pieces, filled := 0, int64(0)
	for _, m := range []plan.Map{drawn.Source, drawn.Target} {
		n := 0
		for _, shard := range m.Shards {
			n += len(shard.Pieces)
		}
		pieces = max(pieces, n)
	}
	for _, shard := range drawn.Target.Shards {
		if bruteCount(shard.Shape) > 0 {
			filled++
		}
	}
	budget := drawn.Budget
	switch c.Name {
	case "axes-over-limit":
		return unless(*budget.MaxNdim < int64(len(drawn.Target.LogicalShape)))
	case "pieces-over-limit":
		return unless(*budget.MaxPiecesPerMap < int64(pieces))
	case "segments-over-limit":
		return unless(0 <= *budget.MaxSegments && *budget.MaxSegments < filled)
	case "plan-bytes-over-limit":
		return unless(*budget.MaxPlanBytes < int64(len(leastPlan(filled))))
	case "scale-other":
		return unless(hasScale(drawn.Source) != hasScale(drawn.Target))
	case "selection-wrong":
		return unless(selectionIsWrong(drawn.Request))
	}
	return "has no check of its own"
}

func unless(ok bool) string {
	if ok {
		return ""
	}
	return "is within its limits"
}

// leastPlan is a shortest plan text of so many segments: of scalars, without a logical shape.
func leastPlan(segments int64) string {
	segment := `{"shape":[],"source":[0,0,[]],"target":[0,0,[]]}`
	return `{"segments":[` + strings.TrimSuffix(strings.Repeat(segment+",", int(segments)), ",") + `]}`
}

func hasScale(m plan.Map) bool {
	for _, shard := range m.Shards {
		for _, piece := range shard.Pieces {
			if piece.Scale != nil && *piece.Scale != 1 && *piece.Scale != 0 {
				return true
			}
		}
	}
	return false
}

func selectionIsWrong(request plan.Request) bool {
	number := json.Number("")
	isNumber := json.Unmarshal(request.Selector.Returns, &number) == nil && request.Selector.Returns[0] != '"'
	for _, shard := range request.Source.Shards {
		for _, piece := range shard.Pieces {
			if len(piece.Locations) < 2 || bruteCount(piece.Shape) == 0 {
				continue
			}
			rank, err := number.Int64()
			if !isNumber || err != nil || !slices.Contains(piece.Locations, int(rank)) {
				return true
			}
		}
	}
	return false
}

// The table is sorted, and covers every row of the refusal table.
func TestCorruptionTable(t *testing.T) {
	table := CorruptionTable()
	if !slices.IsSortedFunc(table, func(a, b Corruption) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("the table is not sorted by name")
	}
	for row := 1; row <= 23; row++ {
		if !slices.ContainsFunc(table, func(c Corruption) bool { return slices.Contains(c.Rows, row) }) {
			t.Errorf("no corruption for row %d", row)
		}
	}
}

// Corrupted draws each row of the table.
func TestCorruptedDrawsEach(t *testing.T) {
	drawn := map[string]bool{}
	for seed := range uint64(2000) {
		drawn[Corrupted(Seeded(CaseSeed(seed, 5))).Origin] = true
	}
	for _, corruption := range CorruptionTable() {
		if !drawn[corruptedPrefix+corruption.Name] {
			t.Errorf("%s is never drawn", corruption.Name)
		}
	}
}

func BenchmarkCorrupted(b *testing.B) {
	b.ReportAllocs()
	n := uint64(0)
	for b.Loop() {
		if Corrupted(Seeded(CaseSeed(1, n))).Expect.Outcome == plan.Exact {
			b.Fatal("a corruption that is due a plan")
		}
		n++
	}
}
