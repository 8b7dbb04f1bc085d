package mutant

import (
	"cmp"
	"context"
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// steps is a planner as its steps, in the order in which they are taken. It compares every target block with
// every source block: slow on long maps, and simple enough to be seen right.
type steps struct {
	before  func(plan.Request) plan.Request // what is planned in place of the request
	checks  []check                         // what refuses a request, in order
	arrange func([]block)                   // fixes the order of blocks, whatever order the request has
	sources func([]block) []block           // the blocks that are read, out of those that were checked
	targets func([]block) []block           // the blocks that are written

	overlap func(target, source box) (box, bool)
	choose  func(question) (int, *plan.Refusal)
	held    func(region, int) []block // the blocks of a region that one holder has
	read    func(source, target block, common box) plan.View
	write   func(target block, common box) plan.View

	joins  func(a, b plan.Segment, axis int) bool
	fold   func([]plan.Segment, joining) []plan.Segment
	less   func(a, b plan.Segment) int
	limit  func(plan.Budget, plan.Plan) (plan.Plan, *plan.Refusal)
	answer func(plan.Request, plan.Plan) plan.Answer
}

// right is the planner with no step changed.
func right() steps {
	return steps{
		before:  func(request plan.Request) plan.Request { return request },
		checks:  checks(),
		arrange: arrange,
		sources: func(blocks []block) []block { return blocks },
		targets: func(blocks []block) []block { return blocks },
		overlap: overlap,
		choose:  choose,
		held:    held,
		read:    read,
		write:   write,
		joins:   joins,
		fold:    fold,
		less:    less,
		limit:   limit,
		answer:  answer,
	}
}

// Plan answers a request.
func (s steps) Plan(_ context.Context, request plan.Request) (plan.Answer, error) {
	request = s.before(request)
	source := side{name: "source", Map: &request.Source, request: &request}
	target := side{name: "target", Map: &request.Target, request: &request}
	if refusal := s.refuse(&source, &target); refusal != nil {
		return plan.Answer{}, refusal
	}
	segments, refusal := s.segments(request, source.blocks, target.blocks)
	if refusal != nil {
		return plan.Answer{}, refusal
	}
	segments = s.fold(segments, s.joins)
	slices.SortFunc(segments, s.less)
	answered, refusal := s.limit(request.Budget, plan.Plan{
		LogicalShape: slices.Clone(request.Source.LogicalShape),
		Segments:     segments,
	})
	if refusal != nil {
		return plan.Answer{}, refusal
	}
	return s.answer(request, answered), nil
}

// refuse asks every check about both sides, and resolves the pieces to blocks between the checks that need
// none and those that do.
func (s steps) refuse(source, target *side) *plan.Refusal {
	for _, placed := range []bool{false, true} {
		for _, check := range s.checks {
			if check.placed != placed {
				continue
			}
			if refusal := check.refuses(*source, *target); refusal != nil {
				return refusal
			}
		}
		if !placed {
			source.blocks = s.blocks(source.Map)
			target.blocks = s.blocks(target.Map)
		}
	}
	return nil
}

// blocks are the pieces of a map that place something.
func (s steps) blocks(m *plan.Map) []block {
	var all []block
	for i := range m.Shards {
		shard := &m.Shards[i]
		for j := range shard.Pieces {
			if !shard.Pieces[j].Empty() {
				all = append(all, resolve(m, shard, &shard.Pieces[j]))
			}
		}
	}
	s.arrange(all)
	return all
}

// segments are the copies before folding: for every target block and every region of the source that it
// meets, what both have in common, from the holder chosen.
func (s steps) segments(request plan.Request, source, target []block) ([]plan.Segment, *plan.Refusal) {
	var all []plan.Segment
	regions := regionsOf(s.sources(source))
	taken := map[int]int64{}
	for _, to := range s.targets(target) {
		for _, region := range regions {
			elements, meets := s.meet(to, region)
			if !meets {
				continue
			}
			holder := region.locations[0]
			if len(region.locations) > 1 {
				var refusal *plan.Refusal
				holder, refusal = s.choose(question{request.Selector, to.rank, region.locations, region, taken})
				if refusal != nil {
					return nil, refusal
				}
			}
			taken[holder] += elements
			for _, from := range s.held(region, holder) {
				if common, ok := s.overlap(to.box, from.box); ok {
					all = append(all, s.segment(from, to, common))
				}
			}
		}
	}
	return all, nil
}

// meet counts the elements that a target block has in common with a region.
func (s steps) meet(to block, from region) (elements int64, meets bool) {
	for _, block := range held(from, from.locations[0]) {
		if common, ok := s.overlap(to.box, block.box); ok {
			elements += common.elements()
			meets = true
		}
	}
	return elements, meets
}

func (s steps) segment(from, to block, common box) plan.Segment {
	return plan.Segment{
		Shape:  slices.Clone(common.shape),
		Source: plan.Endpoint{Rank: from.rank, View: s.read(from, to, common)},
		Target: plan.Endpoint{Rank: to.rank, View: s.write(to, common)},
	}
}

// A region is the source blocks with the same locations. Each holder has all of it, cut in its own way.
type region struct {
	locations []int
	blocks    []block
}

// regionsOf groups blocks by locations, ascending.
func regionsOf(blocks []block) []region {
	blocks = slices.Clone(blocks)
	slices.SortStableFunc(blocks, func(a, b block) int { return slices.Compare(a.locations, b.locations) })
	var regions []region
	for _, block := range blocks {
		last := len(regions) - 1
		if last < 0 || !slices.Equal(regions[last].locations, block.locations) {
			regions = append(regions, region{locations: block.locations})
			last++
		}
		regions[last].blocks = append(regions[last].blocks, block)
	}
	return regions
}

func held(from region, holder int) []block {
	var blocks []block
	for _, block := range from.blocks {
		if block.rank == holder {
			blocks = append(blocks, block)
		}
	}
	return blocks
}

// read places what two blocks have in common in the source's shard: where the source block stands, advanced.
func read(source, _ block, common box) plan.View { return advanced(source, common) }

// write places it in the target's shard.
func write(target block, common box) plan.View { return advanced(target, common) }

func advanced(from block, to box) plan.View {
	view := plan.View{Offset: from.address, Strides: slices.Clone(from.strides)}
	for axis, stride := range from.strides {
		view.Offset += (to.lo[axis] - from.lo[axis]) * stride
	}
	return view
}

// arrange sorts blocks by rank, then by corner: no two of one rank start at the same element.
func arrange(blocks []block) {
	slices.SortFunc(blocks, func(a, b block) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), slices.Compare(a.lo, b.lo))
	})
}

// answer states the plan and how many elements it moves.
func answer(_ plan.Request, answered plan.Plan) plan.Answer {
	var moved int64
	for _, segment := range answered.Segments {
		moved += volume(segment.Shape)
	}
	return plan.Answer{Plan: answered, MovedElements: &moved}
}
