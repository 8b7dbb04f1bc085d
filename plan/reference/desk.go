package reference

import (
	"sync"

	"github.com/shardproof/shardproof/plan/internal/box"
)

// A desk is where one request is worked on. What lies there is read by nobody once the answer is written, and the
// next request is worked on over it: for a small request, getting the memory takes as long as planning.
type desk struct {
	held       []held
	regions    []region
	candidates [][]int
	boxes      []box.Box
	crossings  []crossing
	moves      []move
	shapes     []int64 // of the moves
}

var desks = sync.Pool{New: func() any { return new(desk) }}

// maxKept is the most crossings whose desk is kept, so that one huge request does not occupy memory for ever.
const maxKept = 1 << 12

func (d *desk) leave() {
	if cap(d.crossings) <= maxKept && cap(d.held) <= maxKept {
		desks.Put(d)
	}
}
