package oracle

import (
	"fmt"
	"go/parser"
	"go/token"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shardproof/shardproof/plan"
)

// Long plans are searched for joins by sorting, short ones pair by pair: both find the same pair.
func TestBothWaysToFindJoins(t *testing.T) {
	joins := 0
	for seed := range uint64(20000) {
		d := draw(seed)
		l := look{source: make([]ranked, 2), target: make([]ranked, 2)}
		for range 1 + d.IntN(8) {
			shape, offset := []int64{1 + d.upTo(2), 1 + d.upTo(1)}, d.upTo(8)
			s := segment(shape, d.IntN(8)/7, offset+d.upTo(4)/4, []int64{2, d.upTo(8) / 8}, d.IntN(8)/7, offset, []int64{2, 1})
			l.answer.Plan.Segments = append(l.answer.Plan.Segments, s)
			l.copies = append(l.copies, copyAt{source: int32(s.Source.Rank) - int32(d.IntN(8)/7)*9, volume: 1})
			if l.copies[len(l.copies)-1].source < 0 {
				l.copies[len(l.copies)-1].source = absent
			}
		}
		a, b, axis := l.joinAmongPairs()
		x, y, along := l.joinAmongSorted()
		if a != x || b != y || axis != along {
			t.Fatalf("seed %d: pair by pair %d %d along %d, sorted %d %d along %d\n%+v", seed, a, b, axis, x, y, along, l.answer.Plan)
		}
		if a >= 0 {
			joins++
		}
	}
	if joins < 1000 || joins > 15000 {
		t.Errorf("%d of 20000 plans had a join", joins)
	}
}

// The rule of plan.fold: two copies between the same two ranks, with equal strides on every axis, join where both
// sides go on along one axis and the other extents are equal.
func TestWhatJoins(t *testing.T) {
	const least, most = math.MinInt64, math.MaxInt64
	type list = []int64
	first := segment(list{2, 3}, 1, 10, list{8, 1}, 2, 100, list{6, 1})
	// Along axis 0 the next one stands at 10 + 2*8 and 100 + 2*6, along axis 1 at 10 + 3 and 100 + 3.
	for _, test := range []struct {
		name          string
		first, second plan.Segment
		axis          int // or absent
	}{
		{"along axis 0", first, segment(list{2, 3}, 1, 26, list{8, 1}, 2, 112, list{6, 1}), 0},
		{"along axis 1", first, segment(list{2, 3}, 1, 13, list{8, 1}, 2, 103, list{6, 1}), 1},
		{"along axis 0, and longer", first, segment(list{5, 3}, 1, 26, list{8, 1}, 2, 112, list{6, 1}), 0},
		{"along axis 1, and longer", first, segment(list{2, 4}, 1, 13, list{8, 1}, 2, 103, list{6, 1}), 1},
		{"wider than the rows above", first, segment(list{2, 4}, 1, 26, list{8, 1}, 2, 112, list{6, 1}), absent},
		{"higher than the rows beside", first, segment(list{3, 3}, 1, 13, list{8, 1}, 2, 103, list{6, 1}), absent},
		{"a gap in the source", first, segment(list{2, 3}, 1, 27, list{8, 1}, 2, 112, list{6, 1}), absent},
		{"a gap in the target", first, segment(list{2, 3}, 1, 26, list{8, 1}, 2, 113, list{6, 1}), absent},
		{"along another axis on either side", first, segment(list{2, 3}, 1, 26, list{8, 1}, 2, 103, list{6, 1}), absent},
		{"of another source rank", first, segment(list{2, 3}, 0, 26, list{8, 1}, 2, 112, list{6, 1}), absent},
		{"to another target rank", first, segment(list{2, 3}, 1, 26, list{8, 1}, 3, 112, list{6, 1}), absent},
		{"by another source stride", first, segment(list{2, 3}, 1, 26, list{8, 2}, 2, 112, list{6, 1}), absent},
		{"by another target stride", first, segment(list{2, 3}, 1, 26, list{8, 1}, 2, 112, list{6, 2}), absent},
		{"itself", segment(list{2}, 0, 0, list{0}, 0, 0, list{0}), segment(list{3}, 0, 9, list{0}, 0, 9, list{0}), absent},
		// Where a segment leaves int64 nothing goes on.
		{"from the end of int64", segment(list{4}, 0, 0, list{1 << 62}, 0, 0, list{1}), segment(list{1}, 0, most, list{1 << 62}, 0, 4, list{1}), absent},
		{"to the end of int64", segment(list{4}, 0, 0, list{1}, 0, 0, list{1 << 62}), segment(list{1}, 0, 4, list{1}, 0, most, list{1 << 62}), absent},
		{"from the start of int64", segment(list{4}, 0, 0, list{-1 << 62}, 0, 0, list{1}), segment(list{1}, 0, least, list{-1 << 62}, 0, 4, list{1}), absent},
		{"to the start of int64", segment(list{4}, 0, 0, list{1}, 0, 0, list{-1 << 62}), segment(list{1}, 0, 4, list{1}, 0, least, list{-1 << 62}), absent},
	} {
		for order, segments := range [][]plan.Segment{{test.first, test.second}, {test.second, test.first}} {
			l := look{answer: plan.Answer{Plan: plan.Plan{Segments: segments}}, copies: []copyAt{{volume: 1}, {volume: 1}}}
			want := [3]int{order, 1 - order, test.axis}
			if test.axis == absent {
				want = [3]int{-1, -1, 0}
			}
			for name, join := range map[string]func() (int, int, int){"pair by pair": l.joinAmongPairs, "sorted": l.joinAmongSorted} {
				if a, b, axis := join(); [3]int{a, b, axis} != want {
					t.Errorf("%s, %s, order %d: got %d and %d along %d, want %v", test.name, name, order, a, b, axis, want)
				}
			}
		}
	}
}

// A thousand segments of which the last two join.
func TestFoldedOfLongPlans(t *testing.T) {
	var l look
	for i := range int64(1000) {
		l.answer.Plan.Segments = append(l.answer.Plan.Segments, segment([]int64{1}, 0, 3*i, []int64{1}, 0, 2*i, []int64{1}))
		l.copies = append(l.copies, copyAt{volume: 1})
	}
	if got := folded(&l); got != (Finding{}) {
		t.Errorf("no two join: got %+v", got)
	}
	l.answer.Plan.Segments[999].Source.Offset, l.answer.Plan.Segments[999].Target.Offset = 3*500+1, 2*500+1
	l.answer.Plan.Segments[7].Source.Offset = 1<<63 - 1
	if got, want := folded(&l).Detail, "segments 500 and 999 join along axis 0"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Each key of plan.order, from the first to the last, outweighs all after it.
func TestOrderOfSegments(t *testing.T) {
	low, high := int64(1), int64(2)
	for key := range 7 {
		at := func(k int, first bool) int64 {
			if k < key {
				return low
			}
			if (k == key) == first {
				return low
			}
			return high
		}
		form := func(first bool) plan.Segment {
			return segment([]int64{at(4, first)}, int(at(2, first)), at(3, first), []int64{at(5, first)}, int(at(0, first)), at(1, first), []int64{at(6, first)})
		}
		before, after := form(true), form(false)
		if got := compare(&before, &after); got != -1 {
			t.Errorf("key %d: %+v against %+v: got %d", key, before, after, got)
		}
		if got := compare(&after, &before); got != 1 {
			t.Errorf("key %d, the other way round: got %d", key, got)
		}
		if got := compare(&before, &before); got != 0 {
			t.Errorf("key %d, against itself: got %d", key, got)
		}
		inOrder := func(segments ...plan.Segment) Finding {
			return ordered(&look{answer: plan.Answer{Plan: plan.Plan{Segments: segments}}})
		}
		if got := inOrder(before, before, after, after); got != (Finding{}) {
			t.Errorf("key %d, equals side by side: got %+v", key, got)
		}
		if got, want := inOrder(before, after, before).Detail, "segment 2 belongs before segment 1"; got != want {
			t.Errorf("key %d: got %q, want %q", key, got, want)
		}
	}
}

// The bytes of a plan are those that the codec writes.
func TestPlanBytesAreTheCodecs(t *testing.T) {
	for seed := range uint64(3000) {
		d := draw(seed)
		answer := d.answer(d.request())
		d.spoil(&answer)
		if seed%3 == 0 {
			answer.Plan.LogicalShape = nil
		}
		if got, text := planBytes(&answer.Plan), plan.CompactPlan(answer.Plan); got != int64(len(text)) {
			t.Fatalf("seed %d: got %d bytes, want %d: %s", seed, got, len(text), text)
		}
	}
}

// A stated count is held to the sum of the volumes; one past int64 is no count that can be stated.
func TestMoved(t *testing.T) {
	for _, test := range []struct {
		stated  *int64
		volumes []int64
		want    string
	}{
		{nil, []int64{5}, ""},
		{number(0), nil, ""},
		{number(12), []int64{5, 0, 7}, ""},
		{number(5), []int64{5, 0, 7}, "states 5 elements, the segments move 12"},
		{number(math.MaxInt64), []int64{math.MaxInt64, 1}, "states 9223372036854775807 elements, the segments move more than int64 holds"},
		{number(5), []int64{1 << 62, 1 << 62}, "states 5 elements, the segments move more than int64 holds"},
	} {
		l := look{answer: plan.Answer{MovedElements: test.stated}}
		for _, volume := range test.volumes {
			l.copies = append(l.copies, copyAt{volume: volume})
		}
		if got := moved(&l).Detail; got != test.want {
			t.Errorf("%v: got %q, want %q", test.volumes, got, test.want)
		}
	}
}

// A plan at its limits is within them.
func TestBudgetAtTheLimit(t *testing.T) {
	request, answer := small()
	request.Budget.MaxSegments, request.Budget.MaxPlanBytes = number(8), number(planBytes(&answer.Plan))
	if got := Execute(request, answer).Of(BudgetClause); got != (Finding{}) {
		t.Errorf("got %+v", got)
	}
}

// A write that lands in a guard is found, and a source that changes is our own fault.
func TestBuffersAreChecked(t *testing.T) {
	laid := func() *run {
		r := new(run)
		request, answer := small()
		r.inspect(request, answer)
		if p := r.lay(); p != "" {
			t.Fatal(p)
		}
		r.copyAll()
		return r
	}
	for _, at := range []int64{-1, -guardElements, 60, 60 + guardElements - 1} {
		r := laid()
		r.targetBuffer[r.targetBase[2]+at].writes++
		r.checkBuffers()
		if got, want := r.wrong[isBounds].detail, "target rank 2: the guard round the shard was written"; got != want {
			t.Errorf("guard at %d: got %q, want %q", at, got, want)
		}
	}
	r := laid()
	r.sourceBuffer[r.sourceBase[1]+5]++
	defer func() {
		if got := fmt.Sprint(recover()); got != "oracle: a plan changed the source shards" {
			t.Errorf("a changed source: got %s", got)
		}
	}()
	r.checkBuffers()
}

// Shards start at a non-zero offset of their buffers, and what stands round and in them is no label.
func TestGuards(t *testing.T) {
	r := new(run)
	request, answer := small()
	r.inspect(request, answer)
	r.lay()
	for at, base := range r.sourceBase {
		if base == 0 || r.sourceBuffer[base-1] != guard || r.sourceBuffer[base+r.source[at].elements] != guard {
			t.Errorf("source shard %d has no guards", at)
		}
	}
	for at, base := range r.targetBase {
		if base == 0 || r.targetBuffer[base-1].value != guard || r.targetBuffer[base+r.target[at].elements].value != guard {
			t.Errorf("target shard %d has no guards", at)
		}
	}
	for _, value := range []int32{guard, unplaced, outside} {
		if value >= 0 {
			t.Errorf("%d is a label", value)
		}
	}
}

// The judge shares no code with the judged: of this module it imports plan, and of plan it uses no judgement.
func TestImports(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	allowed := []string{"github.com/shardproof/shardproof/plan", "gonum.org/v1/gonum/mat"}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			if path := strings.Trim(spec.Path.Value, `"`); strings.Contains(path, ".") && !slices.Contains(allowed, path) {
				t.Errorf("%s imports %s", file, path)
			}
		}
		for _, name := range []string{".Validate(", ".Canonical(", ".Blocks(", "plan.ValidateRequest"} {
			if strings.Contains(string(text), name) {
				t.Errorf("%s uses plan's %s", file, name)
			}
		}
	}
}
