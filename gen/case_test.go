package gen

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shardproof/shardproof/plan"
)

func TestMapsAreValid(t *testing.T) {
	for n := range uint64(6000) {
		drawn := Case(Seeded(CaseSeed(1, n)))
		for side, m := range map[string]plan.Map{"source": drawn.Source, "target": drawn.Target} {
			if huge(m) {
				continue
			}
			if faults := bruteFaults(m); len(faults) > 0 {
				t.Fatalf("case %d, %s, %s: %v\n%+v", n, drawn.Origin, side, faults[0], m)
			}
		}
	}
}

func huge(m plan.Map) bool {
	elements, ok := elementsOf(&m)
	return !ok || elements > 1<<16
}

func BenchmarkCase(b *testing.B) {
	b.ReportAllocs()
	var pieces, elements, counted int64
	n := uint64(0)
	for b.Loop() {
		drawn := Case(Seeded(CaseSeed(1, n)))
		n++
		pieces += pieceCount(&drawn.Source) + pieceCount(&drawn.Target)
		if e, _ := elementsOf(&drawn.Target); e < 1<<24 {
			elements += e
			counted++
		}
	}
	b.ReportMetric(float64(pieces)/float64(n)/2, "pieces/side")
	b.ReportMetric(float64(elements)/float64(counted), "elements/case")
}

// A generator of some families draws those and no others, on both sides.
func TestOnly(t *testing.T) {
	for _, name := range Families() {
		only, err := Only(name)
		if err != nil {
			t.Fatal(err)
		}
		for n := range uint64(100) {
			drawn := only.Case(Seeded(CaseSeed(4, n)))
			if want := originPrefix + name + originTo + name; drawn.Origin != want {
				t.Errorf("%s: case %d has origin %q, want %q", name, n, drawn.Origin, want)
			}
			for side, m := range map[string]plan.Map{"source": drawn.Source, "target": drawn.Target} {
				if huge(m) {
					continue
				}
				if faults := bruteFaults(m); len(faults) > 0 {
					t.Fatalf("%s: case %d, %s: %v\n%+v", name, n, side, faults, m)
				}
			}
		}
	}
	for _, names := range [][]string{{}, {"mesh", "no family"}} {
		if _, err := Only(names...); err == nil {
			t.Errorf("a generator of %q", names)
		}
	}
}

// The elements that a case says are moved are those of its target shards.
func TestMovedElements(t *testing.T) {
	for n := range uint64(3000) {
		drawn := Case(Seeded(CaseSeed(17, n)))
		if drawn.Expect.Outcome == plan.Refused {
			if drawn.Expect.MovedElements != nil || len(drawn.Expect.Kinds) == 0 {
				t.Fatalf("case %d is refused and expects %+v", n, drawn.Expect)
			}
			continue
		}
		want := int64(0)
		for _, shard := range drawn.Target.Shards {
			want += int64(bruteCount(shard.Shape))
		}
		if got := *drawn.Expect.MovedElements; got != want {
			t.Errorf("case %d: %d elements, want %d", n, got, want)
		}
	}
}

// A drawer draws the same cases, whatever it drew before.
func TestDrawerDrawsTheSame(t *testing.T) {
	drawer := Everything().Drawer()
	for n := range uint64(1000) {
		seed := CaseSeed(33, n)
		if diff := cmp.Diff(Case(Seeded(seed)), drawer.Case(Seeded(seed))); diff != "" {
			t.Fatalf("case %d: %s", n, diff)
		}
	}
}

func BenchmarkDrawer(b *testing.B) {
	b.ReportAllocs()
	drawer, n := Everything().Drawer(), uint64(0)
	for b.Loop() {
		if drawn := drawer.Case(Seeded(CaseSeed(1, n))); drawn.Expect.Outcome == "" {
			b.Fatal("a case without an outcome")
		}
		n++
	}
}

// No block has the tensor's own strides and yet leaves it, which could be read as permuted or as out of bounds.
func TestNoBlockIsTied(t *testing.T) {
	for n := range uint64(40000) {
		drawn := Case(Seeded(CaseSeed(17, n)))
		for _, m := range []plan.Map{drawn.Source, drawn.Target} {
			for _, shard := range m.Shards {
				for _, piece := range shard.Pieces {
					if !piece.Empty() && (tied(piece.Shape, piece.Source.Strides, m.LogicalShape) || tied(piece.Shape, piece.Dest.Strides, shard.Shape)) {
						t.Fatalf("case %d: a piece of %v in a shard of %v and a tensor of %v", n, piece, shard.Shape, m.LogicalShape)
					}
				}
			}
		}
	}
}
