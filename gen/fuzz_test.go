package gen

import (
	"cmp"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/shardproof/shardproof/plan"
)

// Any bytes make a case of valid maps.
func FuzzCase(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 0, 31, 2, 200, 255, 17, 3, 9, 9, 9, 254, 253, 1, 0, 60, 61, 62, 63})
	f.Fuzz(func(t *testing.T, data []byte) {
		drawn := Case(FromBytes(data))
		for _, m := range []plan.Map{drawn.Source, drawn.Target} {
			if huge(m) {
				continue
			}
			if faults := bruteFaults(m); len(faults) > 0 {
				t.Errorf("%v\n%+v", faults, m)
			}
		}
	})
}

// An input that begins with a brace is a case file; others are choices. A case that was drawn reads back as
// the same case.
func TestFromInput(t *testing.T) {
	for n := range uint64(300) {
		want := Case(Seeded(CaseSeed(51, n)))
		want.Name = "drawn"
		got, err := FromInput(plan.EncodeCase(want))
		if err != nil {
			t.Fatalf("case %d does not read: %v", n, err)
		}
		got.Request, want.Request = sorted(got.Request), sorted(want.Request)
		if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("case %d reads as another: %s", n, diff)
		}
	}
	if _, err := FromInput([]byte("{")); err == nil {
		t.Error("half a case file is read without an error")
	}
	got, err := FromInput([]byte{3, 1})
	if diff := gocmp.Diff(Case(FromBytes([]byte{3, 1})), got); diff != "" || err != nil {
		t.Errorf("choices: %v %s", err, diff)
	}
}

// sorted is a request in an order that depends on nothing but what it says.
func sorted(request plan.Request) plan.Request {
	request.Source, request.Target = sortedMap(request.Source), sortedMap(request.Target)
	return request
}

func sortedMap(m plan.Map) plan.Map {
	m.Shards = slices.SortedFunc(slices.Values(m.Shards), func(a, b plan.Shard) int { return cmp.Compare(a.Rank, b.Rank) })
	for s := range m.Shards {
		pieces := slices.Clone(m.Shards[s].Pieces)
		for p := range pieces {
			pieces[p].Locations = slices.Sorted(slices.Values(pieces[p].Locations))
		}
		slices.SortFunc(pieces, func(a, b plan.Piece) int {
			return cmp.Or(
				cmp.Compare(a.Source.Offset, b.Source.Offset), cmp.Compare(a.Dest.Offset, b.Dest.Offset), slices.Compare(a.Shape, b.Shape),
				slices.Compare(a.Source.Strides, b.Source.Strides), slices.Compare(a.Dest.Strides, b.Dest.Strides), slices.Compare(a.Locations, b.Locations),
			)
		})
		m.Shards[s].Pieces = pieces
	}
	return m
}
