package gen

// A draw is a case being drawn: the source of choices and the memory that the case will live in.
type draw struct {
	choose Choose
	slab
}

// upTo chooses a number from 0 to hi.
func (d *draw) upTo(label string, hi int) int { return int(d.choose(label, 0, int64(hi))) }

// oneIn is true once in n times. The simplest choice is false.
func (d *draw) oneIn(label string, n int) bool { return d.choose(label, 0, int64(n-1)) == int64(n-1) }

// from chooses an entry of a short table whose first entry is the simplest. Entries that stand in it more
// often are chosen more often.
func (d *draw) from(label string, table []int) int {
	return table[d.choose(label, 0, int64(len(table)-1))]
}

// shuffle puts n things in any order through swaps, the simplest choice leaving them as they are.
func (d *draw) shuffle(label string, n int, swap func(i, j int)) {
	for i := range n - 1 {
		if j := i + d.upTo(label, n-1-i); j != i {
			swap(i, j)
		}
	}
}
