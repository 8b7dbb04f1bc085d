package gpucheck

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/shardproof/shardproof/gen"
	"github.com/shardproof/shardproof/gpucheck/kernel"
	"github.com/shardproof/shardproof/oracle"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/layout"
)

// copiesOf lists what segments copy, by walking them.
func copiesOf(segments ...segment) (all [][2]int64) {
	for _, s := range segments {
		for _, p := range pairs(s.axes) {
			all = append(all, [2]int64{s.sourceOffset + p[0], s.targetOffset + p[1]})
		}
	}
	slices.SortFunc(all, func(a, b [2]int64) int { return slices.Compare(a[:], b[:]) })
	return all
}

// The parts of a segment in a window copy what the segment does there, and so do they when they are cut by what they read.
func TestPartsOfAWindowCopyTheSame(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 5000 {
		s := segment{sourceOffset: random.Int64N(1 << 40), targetOffset: 1<<32 - random.Int64N(50)}
		for range random.IntN(5) {
			s.axes = append(s.axes, axis{1 + random.Int64N(6), random.Int64N(200) - 100, random.Int64N(50) - 25})
		}
		lo := 1<<32 + random.Int64N(120) - 60
		hi := lo + 1 + random.Int64N(40)
		want := slices.DeleteFunc(copiesOf(s), func(p [2]int64) bool { return p[1] < lo || p[1] >= hi })
		parts, ok := s.within(lo, hi)
		if got := copiesOf(parts...); !ok || !slices.Equal(got, want) {
			t.Fatalf("%+v within %d to %d: %v of %+v, want the copies %v", s, lo, hi, ok, parts, want)
		}
		var cut []segment
		for _, part := range parts {
			for _, one := range part.gathered() {
				if lo, hi := one.reads(); hi-lo >= windowElements {
					t.Fatalf("%+v reads from %d to %d", one, lo, hi)
				}
				cut = append(cut, one)
			}
		}
		if got := copiesOf(cut...); !slices.Equal(got, want) {
			t.Fatalf("%+v cut by what they read: copies %v, want %v", parts, got, want)
		}
	}
}

// A few steps find what a segment of 2^62 elements writes in a window.
func TestPartsOfAHugeSegment(t *testing.T) {
	s := segment{axes: []axis{{1 << 20, 1, 1 << 42}, {1 << 21, 1 << 20, 1 << 21}, {1 << 21, 1 << 41, 1}}}
	const row = 5<<42 + 7<<21
	parts, ok := s.within(row-2, row+3)
	want := [][2]int64{
		{5 + 6<<20 + (1<<21-2)<<41, row - 2}, {5 + 6<<20 + (1<<21-1)<<41, row - 1},
		{5 + 7<<20, row}, {5 + 7<<20 + 1<<41, row + 1}, {5 + 7<<20 + 2<<41, row + 2},
	}
	got := copiesOf(parts...)
	slices.SortFunc(got, func(a, b [2]int64) int { return int(a[1] - b[1]) })
	if !ok || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", ok, got, want)
	}
	tangled := segment{axes: []axis{{1 << 18, 1, 3}, {1 << 18, 1 << 18, 2}}}
	if parts, ok := tangled.within(1<<18, 1<<18+8); ok {
		t.Errorf("%d parts of one that writes an address from everywhere", len(parts))
	}
}

// A stretch of a shard has the labels that the oracle cuts out for it.
func TestStretchesHoldWhatTheOracleExtracts(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	stretches := 0
	for _, s := range generated(t, 300) {
		if elements, ok := Elements(s.Request); !ok || elements > corpusElements {
			continue
		}
		full, err := oracle.Labels(s.Source)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []plan.Map{s.Source, s.Target} {
			want, err := oracle.Extract(m, full)
			if err != nil {
				t.Fatal(err)
			}
			shards, err := placedOf(m, shardsOf(m))
			if err != nil {
				t.Fatal(err)
			}
			for i, labels := range want {
				lo := random.Int64N(int64(len(labels)) + 1)
				hi := lo + random.Int64N(min(windowElements, int64(len(labels))-lo)+1)
				got, err := shards[i].stretch(lo, hi)
				if err != nil || got.begin != lo || !slices.Equal(got.labels, labels[lo:hi]) {
					t.Fatalf("%s, rank %d from %d to %d: %v, %v, want %v", s.Name, shards[i].rank, lo, hi, got, err, labels[lo:hi])
				}
				stretches++
			}
		}
	}
	if stretches < 1000 {
		t.Errorf("only %d stretches", stretches)
	}
}

// Of a map that is no map a stretch says so, as the oracle does of the whole.
func TestStretchesOfBrokenMaps(t *testing.T) {
	right := func() plan.Map {
		m, err := layout.Contiguous([]int64{64}, 0, []int64{64})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, c := range []struct {
		name  string
		spoil func(shard *plan.Shard, piece *plan.Piece)
	}{
		{"a gap", func(_ *plan.Shard, p *plan.Piece) { p.Shape[0] = 20 }},
		{"all at one address", func(_ *plan.Shard, p *plan.Piece) { p.Dest.Strides[0] = 0 }},
		{"an element twice", func(s *plan.Shard, p *plan.Piece) {
			one := *p
			one.Shape = []int64{1}
			s.Pieces = append(s.Pieces, one)
		}},
		{"outside the tensor", func(_ *plan.Shard, p *plan.Piece) { p.Source.Offset = 1 }},
		{"outside the shard", func(_ *plan.Shard, p *plan.Piece) { p.Dest.Offset = -1 }},
		{"a stride too many", func(_ *plan.Shard, p *plan.Piece) { p.Dest.Strides = []int64{1, 1} }},
	} {
		m := right()
		c.spoil(&m.Shards[0], &m.Shards[0].Pieces[0])
		for _, s := range []Subject{
			{c.name, plan.Request{Source: m, Target: right()}, straight(0, 0, 64)},
			{c.name, plan.Request{Source: right(), Target: m}, straight(0, 0, 64)},
		} {
			for _, elements := range []int64{1, 64} {
				result := mustReplay(t, Host(1), []Subject{s}, Options{MaxElements: elements})
				if len(result.Skipped) != 1 || result.Runs != 0 {
					t.Errorf("%s, up to %d elements: %+v, want it skipped", c.name, elements, result)
				}
			}
		}
	}
}

// straight is a plan that copies elements between the ranks 0: from, to and how many, again and again.
func straight(numbers ...int64) (p plan.Plan) {
	at := func(offset int64) plan.Endpoint {
		return plan.Endpoint{View: plan.View{Offset: offset, Strides: []int64{1}}}
	}
	for segment := range slices.Chunk(numbers, 3) {
		p.Segments = append(p.Segments, plan.Segment{Shape: segment[2:], Source: at(segment[0]), Target: at(segment[1])})
	}
	return p
}

// What is wrong past 2^32 elements is found there, at the address that it has in the shard, and by the clause that it breaks.
func TestWindowsFindWhatIsWrongFarOut(t *testing.T) {
	const half, whole = 1 << 33, 1 << 34
	m, err := layout.Contiguous([]int64{whole}, 0, []int64{whole})
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name    string
		plan    plan.Plan
		clause  oracle.ClauseID // "": right
		address int64           // of the one wrong element; -1: one of many, or not launched
	}{
		{"right", straight(0, 0, half, half, half, half), "", 0},
		{"the first half again", straight(0, 0, half, 0, half, half), oracle.Values, -1},
		{"one element too few", straight(0, 0, half, half+1, half+1, half-1), oracle.Cover, half},
		{"one element twice", straight(0, 0, half+1, half, half, half), oracle.Once, half},
		{"one past the end", straight(0, 0, half, half, half+1, half), oracle.Bounds, -1},
		{"one element from its neighbour", straight(0, 0, half, half-1, half, 1, half+1, half+1, half-1), oracle.Values, half},
	}
	onMachines(t, func(t *testing.T, machine *Machine) {
		for _, c := range cases {
			result := mustReplay(t, machine, []Subject{{c.name, plan.Request{Source: m, Target: m}, c.plan}}, Options{})
			if c.clause == "" {
				if result.Sampled != 1 || result.Exact != 0 || len(result.Findings) != 0 {
					t.Errorf("%s: %+v, want it sampled", c.name, result)
				}
				continue
			}
			if len(result.Findings) != 1 || result.Sampled != 0 {
				t.Errorf("%s: %+v, want one finding of %s", c.name, result, c.clause)
				continue
			}
			found := result.Findings[0]
			if found.Clause != c.clause || c.address >= 0 && found.Address != c.address || found.Way != "" && found.Address < half {
				t.Errorf("%s: %v, want %s at %d", c.name, found, c.clause, c.address)
			}
		}
	})
}

// A plan that writes one element without end is not launched.
func TestWindowsAreNotWrittenForEver(t *testing.T) {
	const n = 1 << 12
	m, err := layout.Contiguous([]int64{n}, 0, []int64{n})
	if err != nil {
		t.Fatal(err)
	}
	again := straight(0, 0, n, 0, n-1, n)
	again.Segments[1].Target.Strides[0] = 0
	machine := Host(1)
	machine.Devices[0] = &broken{hostDevice: machine.Devices[0].(*hostDevice), t: t,
		afterCopy: func(*testing.T, *hostDevice, []kernel.Segment) { t.Error("launched") }}
	result := mustReplay(t, machine, []Subject{{"again", plan.Request{Source: m, Target: m}, again}}, Options{MaxElements: 1})
	if len(result.Findings) != 1 || result.Findings[0].Clause != oracle.Once {
		t.Errorf("%+v, want one finding of once", result)
	}
}

// hugeCases is how many cases TestReplayConfirmsHugeCases draws: some hundredth are huge.
const hugeCases = 6000

// Cases of any size are right in every window that is looked at; where the limit is one element, small ones too.
func TestReplayConfirmsHugeCases(t *testing.T) {
	var subjects []Subject
	for i := range uint64(hugeCases) {
		c := gen.Case(gen.Seeded(gen.CaseSeed(5, i)))
		if elements, ok := Elements(c.Request); ok && (elements > 1<<30 || i < 100) {
			if s, ok := planned(t, c); ok {
				subjects = append(subjects, s)
			}
		}
	}
	onMachines(t, func(t *testing.T, machine *Machine) {
		result := mustReplay(t, machine, subjects, Options{MaxElements: 1, Widths: []int{1, 8, 16}})
		for _, finding := range result.Findings {
			t.Error(finding)
		}
		if result.Sampled < 100 || len(result.Skipped) > len(subjects)/50 {
			t.Errorf("%d subjects: %d sampled, %d exact, %d skipped", len(subjects), result.Sampled, result.Exact, len(result.Skipped))
		}
		t.Logf("%d subjects: %d sampled, %d exact, %d runs, %d elements", len(subjects), result.Sampled, result.Exact, result.Runs, result.Elements)
	})
}
