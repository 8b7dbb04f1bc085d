package gen

import (
	"testing"

	"github.com/google/go-cmp/cmp"
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
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("case %d reads as another: %s", n, diff)
		}
	}
	if _, err := FromInput([]byte("{")); err == nil {
		t.Error("half a case file is read without an error")
	}
	got, err := FromInput([]byte{3, 1})
	if diff := cmp.Diff(Case(FromBytes([]byte{3, 1})), got); diff != "" || err != nil {
		t.Errorf("choices: %v %s", err, diff)
	}
}
