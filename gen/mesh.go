package gen

import (
	"math/bits"

	"github.com/shardproof/shardproof/plan"
)

// Limits of a mesh: enough for every arrangement to occur, few enough to plan in microseconds.
const (
	maxMesh      = 8  // coordinates along one axis
	maxIntervals = 10 // intervals of one axis
	maxRanks     = 16 // of one side, so that a set of them is a mask
	maxCells     = 6  // of one mesh
)

// A mesh spreads a box of the tensor over ranks that stand in a grid of their own: each axis is cut into
// intervals, each interval belongs to some of the mesh's coordinates on that axis, and a rank holds the
// products of its coordinates' intervals. All ranks of the mesh may be repeated as replicas.
//
// Even, uneven and cyclic splits, block gathers, expert placements and hybrid sharding are all meshes, in
// any number of axes, and so is every mixture of them.
type mesh struct {
	axes      []meshAxis
	firstRank int // index among the ranks of the side
	ranks     int // the product of the coordinates and the replicas
}

// A meshAxis is one axis of the box with its cuts and their owners.
type meshAxis struct {
	starts      [maxIntervals + 1]int64 // of the intervals, in the tensor; the last is the end
	intervals   int
	coordinates int
	held        [maxMesh][maxIntervals]uint8 // the intervals of a coordinate, in the order of its shards
	holds       [maxMesh]int                 // how many
	owners      [maxIntervals]uint64         // the mesh's ranks that hold an interval
}

func popcount(mask uint64) int { return bits.OnesCount64(mask) }

// meshSizes are the coordinates of an axis by share.
var meshSizes = []int{1, 1, 2, 2, 1, 1, 2, 3, 1, 2, 1, 1, 2, 4, 8}

// replicaCounts are the replicas of a whole mesh by share.
var replicaCounts = []int{1, 1, 1, 1, 1, 1, 2, 3}

// mesh draws a mesh over the whole tensor, except that axis 0 is the interval given.
func (d *draw) mesh(shape []int64, first, last int64, firstRank, ranksLeft int) mesh {
	m := mesh{axes: d.takeMeshAxes(len(shape)), firstRank: firstRank, ranks: 1}
	cells := maxCells
	start := 0
	if len(shape) > 1 {
		start = d.upTo("first axis to split", len(shape)-1)
	}
	for i := range shape {
		number := (start + i) % len(shape)
		lo, hi := int64(0), shape[number]
		if number == 0 {
			lo, hi = first, last
		}
		axis := &m.axes[number]
		d.meshAxis(axis, lo, hi, ranksLeft/m.ranks, cells)
		m.ranks *= axis.coordinates
		cells /= axis.intervals
	}
	if replicas := d.from("replicas", replicaCounts); replicas*m.ranks <= ranksLeft {
		m.ranks *= replicas
	}
	m.own()
	return m
}

// meshAxis draws the cuts of one axis and who owns what is between them.
func (d *draw) meshAxis(axis *meshAxis, lo, hi int64, ranksLeft, cellsLeft int) {
	*axis = meshAxis{coordinates: d.from("coordinates", meshSizes)}
	if axis.coordinates > min(ranksLeft, cellsLeft) {
		axis.coordinates = 1
	}
	more := min(cellsLeft, maxIntervals) - axis.coordinates
	axis.intervals = axis.coordinates + d.upTo("more intervals", min(more, 1))
	if axis.intervals == 1 {
		axis.starts[1] = hi
		axis.starts[0] = lo
		axis.hold(0, 0)
		return
	}
	d.cuts(axis, lo, hi)
	d.owners(axis)
}

// cuts draws where an axis is cut: evenly, at random, or at random with empty intervals among them.
func (d *draw) cuts(axis *meshAxis, lo, hi int64) {
	style, n := d.upTo("cuts", 3), int64(axis.intervals)
	axis.starts[0] = lo
	for i := int64(1); i < n; i++ {
		previous := axis.starts[i-1]
		switch {
		case style < 2 && hi-lo >= n:
			axis.starts[i] = lo + (hi-lo)*i/n
		case style == 2 && hi-previous > n-i:
			// One element at least for this interval and for each that is left.
			spare := hi - previous - (n - i) - 1
			axis.starts[i] = previous + 1 + d.choose("width", 0, min(spare, 2*spare/(n-i+1)))
		default:
			axis.starts[i] = previous + d.choose("width", 0, min(hi-previous, 2*(hi-previous)/(n-i+1)+1))
		}
	}
	axis.starts[n] = hi
}

// owners draws which coordinates hold each interval: blocks, dealt out, nested the other way round, each
// drawn, or each a set. An interval always has an owner, a coordinate not always an interval.
func (d *draw) owners(axis *meshAxis) {
	n, of := axis.intervals, axis.coordinates
	style := d.upTo("owners", 7)
	for i := range n {
		switch {
		case style < 2:
			axis.hold(i*of/n, i)
		case style == 2:
			axis.hold(i%of, i)
		case style == 3 && of%2 == 0:
			// The inner of two mesh axes was applied first.
			axis.hold(i%2*(of/2)+i/2%(of/2), i)
		case style == 7:
			set := d.choose("holders", 1, 1<<of-1)
			for c := range of {
				if set>>c&1 == 1 {
					axis.hold(c, i)
				}
			}
		default:
			axis.hold(d.upTo("holder", of-1), i)
		}
	}
	if d.oneIn("own order", 3) {
		for c := range of {
			held := axis.held[c][:axis.holds[c]]
			d.shuffle("interval", len(held), func(i, j int) { held[i], held[j] = held[j], held[i] })
		}
	}
}

func (a *meshAxis) hold(coordinate, interval int) {
	a.held[coordinate][a.holds[coordinate]] = uint8(interval)
	a.holds[coordinate]++
}

// own notes for each interval which of the mesh's ranks hold it.
func (m *mesh) own() {
	step := 1
	for number := len(m.axes) - 1; number >= 0; number-- {
		axis := &m.axes[number]
		var ranksAt [maxMesh]uint64
		for rank := range m.ranks {
			ranksAt[rank/step%axis.coordinates] |= 1 << (m.firstRank + rank)
		}
		for c := range axis.coordinates {
			for _, interval := range axis.held[c][:axis.holds[c]] {
				axis.owners[interval] |= ranksAt[c]
			}
		}
		step *= axis.coordinates
	}
}

// A placing says how the pieces of one rank are laid into its shard.
type placing struct {
	keepEmpty bool // empty intervals become empty pieces
	flat      bool // one after another in a shard of one axis
}

// meshShard lays out what one rank of the mesh holds: side by side, each axis on its own, or flat.
func (d *draw) meshShard(of tensor, m *mesh, rank int, ids []int, how placing) plan.Shard {
	var mine [mostAxes]meshRow
	shape := d.takeInts(len(of.shape))
	pieces, step := 1, 1
	for number := len(m.axes) - 1; number >= 0; number-- {
		axis := &m.axes[number]
		row := &mine[number]
		row.axis, row.coordinate = axis, rank/step%axis.coordinates
		shape[number] = row.measure(how.keepEmpty)
		pieces *= row.count
		step *= axis.coordinates
	}
	shard := plan.Shard{Rank: ids[m.firstRank+rank], Shape: shape, Pieces: d.takePieces(pieces)}
	d.meshPieces(of, m, mine[:len(m.axes)], &shard, ids)
	if how.flat {
		d.layFlat(&shard)
	}
	return shard
}

// A meshRow is what one coordinate of an axis holds, with where each interval starts in the shard.
type meshRow struct {
	axis       *meshAxis
	coordinate int
	held       [maxIntervals]uint8
	positions  [maxIntervals]int64
	count      int
	at         int // the interval of the piece being laid
}

func (r *meshRow) measure(keepEmpty bool) int64 {
	extent := int64(0)
	for _, interval := range r.axis.held[r.coordinate][:r.axis.holds[r.coordinate]] {
		width := r.axis.starts[interval+1] - r.axis.starts[interval]
		if width == 0 && !keepEmpty {
			continue
		}
		r.held[r.count], r.positions[r.count] = interval, extent
		r.count++
		extent += width
	}
	return extent
}

func (d *draw) meshPieces(of tensor, m *mesh, rows []meshRow, shard *plan.Shard, ids []int) {
	strides := d.rowMajor(shard.Shape)
	var lastMask uint64
	var locations []int
	for p := range shard.Pieces {
		piece := &shard.Pieces[p]
		*piece = plan.Piece{
			Shape:  d.takeInts(len(rows)),
			Source: plan.View{Strides: of.strides},
			Dest:   plan.View{Strides: strides},
		}
		mask := (uint64(1)<<m.ranks - 1) << m.firstRank // all: a scalar has no axes to tell them apart
		for number := range rows {
			row := &rows[number]
			interval := row.held[row.at]
			start := row.axis.starts[interval]
			piece.Shape[number] = row.axis.starts[interval+1] - start
			piece.Source.Offset += start * of.strides[number]
			piece.Dest.Offset += row.positions[row.at] * strides[number]
			mask &= row.axis.owners[interval]
		}
		if mask != lastMask {
			locations, lastMask = d.locations(mask, ids), mask
		}
		piece.Locations = locations
		turn(rows)
	}
}

// turn goes to the next piece, the last axis fastest.
func turn(rows []meshRow) {
	for number := len(rows) - 1; number >= 0; number-- {
		if rows[number].at++; rows[number].at < rows[number].count {
			return
		}
		rows[number].at = 0
	}
}

// layFlat lays the pieces one after another, each row-major, in a shard of one axis and in any order.
func (d *draw) layFlat(shard *plan.Shard) {
	pieces := shard.Pieces
	d.shuffle("piece", len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
	end := int64(0)
	for p := range pieces {
		pieces[p].Dest = plan.View{Offset: end, Strides: d.rowMajor(pieces[p].Shape)}
		elements, _ := plan.Elements(pieces[p].Shape)
		end += elements
	}
	shard.Shape = d.takeInts(1)
	shard.Shape[0] = end
}
