package campaign

import "testing"

// Whatever the order in which workers are added, the first case that could not be judged is told.
func TestTheFirstUnknownIsTold(t *testing.T) {
	workers := []Counts{{}, {Untold: &Untold{9, "later"}}, {Untold: &Untold{4, "first"}}, {Untold: &Untold{7, "later"}}}
	var forth, back Counts
	for i := range workers {
		forth.add(&workers[i])
		back.add(&workers[len(workers)-1-i])
	}
	for _, all := range []Counts{forth, back} {
		if all.Untold == nil || *all.Untold != (Untold{4, "first"}) {
			t.Errorf("told: %+v, want case 4", all.Untold)
		}
	}
}
