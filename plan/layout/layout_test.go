package layout

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shardproof/shardproof/plan"
	"pgregory.net/rapid"
)

// Every family builds valid, maximally merged maps, whatever is drawn.
func TestFamiliesBuildValidMaps(t *testing.T) {
	for _, family := range Families() {
		t.Run(family.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				shape, degree := drawFitting(t, family)
				arguments := family.Draw(chooser(t), shape, degree)
				text := strings.Join(family.Text(arguments), " ")
				built, err := family.Build(arguments)
				if err != nil {
					t.Fatalf("%s %s: %v", family.Name, text, err)
				}
				if len(built.Shards) != degree || !slices.Equal(built.LogicalShape, shape) {
					t.Fatalf("%s %s: %d ranks of %v, want %d of %v", family.Name, text, len(built.Shards), built.LogicalShape, degree, shape)
				}
				if problem := bruteForce(built); problem != "" {
					t.Fatalf("%s %s: %s", family.Name, text, problem)
				}
				if pair := joinable(built); pair != "" && family.Name != "experts" {
					t.Fatalf("%s %s: %s could be one piece", family.Name, text, pair)
				}
			})
		})
	}
}

// What Text writes, Parse reads, and so a drawn map can be built again from the command line.
func TestTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		family := rapid.SampledFrom(Families()).Draw(t, "family")
		shape, degree := drawFitting(t, family)
		arguments := family.Draw(chooser(t), shape, degree)
		want, err := family.Build(arguments)
		if err != nil {
			t.Fatal(err)
		}
		texts := family.Text(arguments)
		parsed, err := family.Parse(texts)
		if err != nil {
			t.Fatalf("%s %q: %v", family.Name, texts, err)
		}
		got, err := family.Build(parsed)
		if err != nil {
			t.Fatalf("%s %q: %v", family.Name, texts, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s %q: built from text (-want +got):\n%s", family.Name, texts, diff)
		}
	})
}

// Storing the axes in another order and giving the ranks other ids leaves a map valid.
func TestPermuteAndRenumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		family := rapid.SampledFrom(Families()).Draw(t, "family")
		shape, degree := drawFitting(t, family)
		arguments := family.Draw(chooser(t), shape, degree)
		if family.Name != "flat" {
			arguments.Order = rapid.Permutation(counting(len(shape))).Draw(t, "order")
		}
		arguments.Ranks = rapid.SliceOfNDistinct(rapid.IntRange(0, 1000), degree, degree, rapid.ID).Draw(t, "ranks")
		built, err := family.Build(arguments)
		if err != nil {
			t.Fatalf("%s %v: %v", family.Name, arguments, err)
		}
		if problem := bruteForce(built); problem != "" {
			t.Fatalf("%s %v: %s", family.Name, arguments, problem)
		}
		for i, shard := range built.Shards {
			if shard.Rank != arguments.Ranks[i] {
				t.Fatalf("%s %v: shard %d is rank %d, want %d", family.Name, arguments, i, shard.Rank, arguments.Ranks[i])
			}
		}
	})
}

// A map's slices are its own: writing one number changes no other.
func TestSlicesAreApart(t *testing.T) {
	for _, family := range Families() {
		built, err := family.Build(family.Draw(simplest, []int64{6, 8}, 2))
		if err != nil {
			t.Fatal(err)
		}
		seen := map[*int64]bool{}
		apart := func(what string, numbers []int64) {
			_ = append(numbers, -7)
			for i := range numbers {
				if seen[&numbers[i]] {
					t.Errorf("%s: %s shares an element with another slice", family.Name, what)
				}
				seen[&numbers[i]] = true
			}
		}
		apart("the logical shape", built.LogicalShape)
		for _, shard := range built.Shards {
			apart("a shard's shape", shard.Shape)
			for _, piece := range shard.Pieces {
				apart("a piece's shape", piece.Shape)
				apart("source strides", piece.Source.Strides)
				apart("dest strides", piece.Dest.Strides)
			}
		}
		if problem := bruteForce(built); problem != "" {
			t.Errorf("%s: after appending to every slice: %s", family.Name, problem)
		}
	}
}

func TestFamiliesAreSortedAndDocumented(t *testing.T) {
	names := []string{}
	known := map[string]bool{}
	for _, parameter := range Parameters() {
		known[parameter.Name] = true
	}
	for _, family := range Families() {
		names = append(names, family.Name)
		if family.Doc == "" || strings.Contains(family.Doc, "\n") {
			t.Errorf("%s: doc %q, want one line", family.Name, family.Doc)
		}
		for _, name := range family.Parameters {
			if !known[name] {
				t.Errorf("%s reads the parameter %q, which is in no table", family.Name, name)
			}
		}
		if again, ok := FamilyOf(family.Name); !ok || again.Name != family.Name {
			t.Errorf("FamilyOf(%q) = %q, %v", family.Name, again.Name, ok)
		}
	}
	if !slices.IsSorted(names) {
		t.Errorf("families are not sorted: %v", names)
	}
	if _, ok := FamilyOf("none such"); ok {
		t.Error("FamilyOf finds a family that there is not")
	}
}

// The brute-force check is itself shown to fire: each fault below is one it has to name.
func TestBruteForceFires(t *testing.T) {
	fault := func(change func(m *plan.Map)) plan.Map {
		m, err := BigCode([]int64{48, 8}, 16, 2)
		if err != nil {
			t.Fatal(err)
		}
		change(&m)
		return m
	}
	for name, m := range map[string]plan.Map{
		"locations": fault(func(m *plan.Map) { m.Shards[1].Pieces[1].Locations = []int{1} }),
		"gap":       fault(func(m *plan.Map) { m.Shards[1].Pieces = m.Shards[1].Pieces[1:]; m.Shards[1].Shape[0] = 16 }),
		"tiling":    fault(func(m *plan.Map) { m.Shards[0].Pieces[0].Dest.Offset = 8 }),
		"twice":     fault(func(m *plan.Map) { m.Shards[0].Pieces[0].Source.Offset = 256 }),
		"bounds":    fault(func(m *plan.Map) { m.Shards[0].Pieces[1].Dest.Offset = 136 }),
		"box":       fault(func(m *plan.Map) { m.Shards[0].Pieces[1].Source.Strides[0] = 7 }),
	} {
		if bruteForce(m) == "" {
			t.Errorf("%s: a map with this fault passes", name)
		}
	}
	split, err := Contiguous([]int64{48, 8}, 0, []int64{48})
	if err != nil {
		t.Fatal(err)
	}
	lower := split.Shards[0].Pieces[0]
	lower.Shape, lower.Source.Offset, lower.Dest.Offset = []int64{24, 8}, 192, 192
	split.Shards[0].Pieces[0].Shape = []int64{24, 8}
	split.Shards[0].Pieces = append(split.Shards[0].Pieces, lower)
	if bruteForce(split) != "" || joinable(split) == "" {
		t.Errorf("a piece in two halves: brute force says %q, joinable %q", bruteForce(split), joinable(split))
	}
}

// chooser draws from rapid so that it shrinks to lo.
func chooser(t *rapid.T) Choose {
	return func(label string, lo, hi int64) int64 {
		if lo > hi {
			t.Fatalf("%s: drawn from %d to %d", label, lo, hi)
		}
		return lo + rapid.Int64Range(0, hi-lo).Draw(t, label)
	}
}

func simplest(_ string, lo, _ int64) int64 { return lo }

// drawFitting draws a small shape and a degree that a family can take.
func drawFitting(t *rapid.T, family Family) (shape []int64, degree int) {
	degree = rapid.IntRange(1, 6).Draw(t, "degree")
	shape = rapid.SliceOfN(rapid.Int64Range(0, 5), family.Axes, 4).Draw(t, "shape")
	if !family.Fits(shape, degree) {
		shape[0] = family.Grain(degree) * rapid.Int64Range(0, 3).Draw(t, "grains")
	}
	return shape, degree
}

func counting(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// Validation in package plan, which knows nothing of the families either, finds every map right; and, but for
// experts, which keep replicated ones apart, canonical.
func TestFamiliesPassValidation(t *testing.T) {
	for _, family := range Families() {
		t.Run(family.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				shape, degree := drawFitting(t, family)
				arguments := family.Draw(chooser(t), shape, degree)
				built, err := family.Build(arguments)
				if err != nil {
					t.Fatal(err)
				}
				text := strings.Join(family.Text(arguments), " ")
				if found := built.Validate(); len(found) > 0 {
					t.Fatalf("%s %s: %v", family.Name, text, found)
				}
				if found := built.Canonical(); len(found) > 0 && family.Name != "experts" {
					t.Fatalf("%s %s: %v", family.Name, text, found)
				}
			})
		})
	}
}

// Flat fragments may overlap in any way.
func TestOverlappingFragments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := rapid.SliceOfN(rapid.Int64Range(1, 4), 0, 4).Draw(t, "shape")
		elements := product(shape)
		fragments := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Fragment {
			lo := rapid.Int64Range(0, elements).Draw(t, "lo")
			return Fragment{lo, lo + rapid.Int64Range(0, elements-lo).Draw(t, "length")}
		}), 0, 5).Draw(t, "fragments")
		fragments = append(fragments, Fragment{0, elements})
		built, err := Flat(shape, fragments)
		if err != nil {
			t.Fatalf("%v %v: %v", shape, fragments, err)
		}
		if problem := bruteForce(built); problem != "" {
			t.Fatalf("%v %v: %s", shape, fragments, problem)
		}
		if found := append(built.Validate(), built.Canonical()...); len(found) > 0 {
			t.Fatalf("%v %v: %v", shape, fragments, found)
		}
	})
}
