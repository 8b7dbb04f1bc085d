package props

import (
	"slices"

	"github.com/shardproof/shardproof/oracle"
	"github.com/shardproof/shardproof/plan"
)

// A due works out what a right answer to a simpler request is, from what was due for the first one.
type due struct {
	expect plan.Expect // of the first case
	faults faults      // of the first case's maps
	beyond bool        // the refusal was due because of geometry
}

// faults are the rules that a request's maps break, as enumerating their elements finds them.
type faults struct {
	source, target []plan.RuleID
	shapesDiffer   bool
}

func (f faults) any() bool { return len(f.source)+len(f.target) > 0 || f.shapesDiffer }

func (f faults) equal(other faults) bool {
	return slices.Equal(f.source, other.source) && slices.Equal(f.target, other.target) && f.shapesDiffer == other.shapesDiffer
}

// dueBy reads from a case why its outcome is due. It is false where that cannot be told: maps that may be
// broken and are too large to enumerate, or values that are no maps.
func dueBy(c plan.Case) (due, bool) {
	d := due{expect: c.Expect}
	if c.Raw != nil {
		return d, false
	}
	if c.Expect.Outcome != plan.Refused {
		return d, true
	}
	if d.faults = faultsOf(c.Request); d.faults.any() {
		return d, true
	}
	d.beyond = len(limitKinds(c.Request)) == 0
	return d, enumerable(c.Request) || !d.beyond
}

// lenient reports whether the maps are broken, and have to stay so.
func (d due) lenient() bool { return d.faults.any() }

// ask makes a case of a simpler request. It is false where what was due for the first case would be due no more.
func (d due) ask(c plan.Case, request plan.Request) (plan.Case, bool) {
	c.Request = request
	c.Expect = plan.Expect{Outcome: d.expect.Outcome, Kinds: d.expect.Kinds}
	c.Found = nil
	if d.lenient() {
		return c, enumerable(request) && faultsOf(request).equal(d.faults)
	}
	if enumerable(request) && faultsOf(request).any() {
		return c, false
	}
	kinds := limitKinds(request)
	switch {
	case d.beyond:
		return c, len(kinds) == 0 && beyondBoxes(request)
	case len(kinds) > 0:
		c.Expect.Outcome = plan.Refused
		c.Expect.Kinds = d.withUnsupported(kinds)
		return c, true
	case d.expect.Outcome == plan.Refused:
		c.Expect = plan.Expect{Outcome: plan.Exact}
		if slices.Contains(d.expect.Kinds, plan.Unsupported) {
			c.Expect.Outcome = plan.ExactOrUnsupported
		}
	}
	c.Expect.MovedElements = number(targetElements(request))
	return c, true
}

// withUnsupported adds the kind where the first case allowed it: its geometry may be left out by a narrower planner.
func (d due) withUnsupported(kinds []plan.Kind) []plan.Kind {
	allowed := d.expect.Outcome == plan.ExactOrUnsupported || slices.Contains(d.expect.Kinds, plan.Unsupported)
	if allowed && !slices.Contains(kinds, plan.Unsupported) {
		kinds = append(kinds, plan.Unsupported)
	}
	return kinds
}

func targetElements(request plan.Request) int64 {
	total := int64(0)
	for _, shard := range request.Target.Shards {
		elements, _ := plan.Elements(shard.Shape)
		total += elements
	}
	return total
}

// maxEnumerated is the most elements of a tensor and its shards, together, for which a candidate's maps are
// checked element by element: it takes about a millisecond.
const maxEnumerated = 1 << 14

// enumerable reports whether the maps can be checked element by element. Sizes that make no sense count as
// nothing: they are faults that are seen before any element is.
func enumerable(request plan.Request) bool {
	for _, m := range [2]plan.Map{request.Source, request.Target} {
		left := int64(maxEnumerated)
		for _, shape := range append(shapes(m), m.LogicalShape) {
			elements, _ := plan.Elements(shape)
			if left -= elements; left < 0 {
				return false
			}
		}
	}
	return true
}

func faultsOf(request plan.Request) faults {
	if !enumerable(request) {
		return faults{}
	}
	f := faults{shapesDiffer: !slices.Equal(request.Source.LogicalShape, request.Target.LogicalShape)}
	f.source, _ = oracle.ValidateMap(request.Source)
	f.target, _ = oracle.ValidateMap(request.Target)
	return f
}

// limitKinds lists the refusals that selector and budget call for: of a request that no plan can answer
// within its limits, or whose selector names no candidate where it is asked.
func limitKinds(request plan.Request) []plan.Kind {
	var kinds []plan.Kind
	b := request.Budget
	if over(int64(len(request.Source.LogicalShape)), b.MaxNdim) {
		kinds = append(kinds, plan.Unsupported)
	}
	segments := leastSegments(request.Target)
	if over(mostPieces(request), b.MaxPiecesPerMap) || over(segments, b.MaxSegments) || over(leastBytes(segments), b.MaxPlanBytes) {
		kinds = append(kinds, plan.OverBudget)
	}
	if badSelection(request) {
		kinds = append(kinds, plan.BadSelection)
	}
	return kinds
}

// followingLimits are the limits of a simpler request that stand to what they bound as those of the first do,
// where they stand at it or next to it: so a planner that is wrong right at a limit still is.
func followingLimits(first, simpler plan.Request) plan.Budget {
	b := simpler.Budget
	follow := func(limit **int64, was, is int64) {
		if *limit == nil {
			return
		}
		if apart := **limit - was; apart >= -1 && apart <= 1 && is+apart >= 0 {
			*limit = number(is + apart)
		}
	}
	follow(&b.MaxNdim, int64(len(first.Source.LogicalShape)), int64(len(simpler.Source.LogicalShape)))
	follow(&b.MaxPiecesPerMap, mostPieces(first), mostPieces(simpler))
	follow(&b.MaxSegments, leastSegments(first.Target), leastSegments(simpler.Target))
	follow(&b.MaxPlanBytes, leastBytes(leastSegments(first.Target)), leastBytes(leastSegments(simpler.Target)))
	return b
}

func mostPieces(request plan.Request) int64 {
	return max(pieces(request.Source), pieces(request.Target))
}

func over(count int64, limit *int64) bool { return limit != nil && count > *limit }

func pieces(m plan.Map) int64 {
	n := 0
	for _, shard := range m.Shards {
		n += len(shard.Pieces)
	}
	return int64(n)
}

// leastSegments is what any exact plan has at least: one for each shard with elements.
func leastSegments(target plan.Map) int64 {
	n := int64(0)
	for _, shard := range target.Shards {
		if !slices.Contains(shard.Shape, 0) {
			n++
		}
	}
	return n
}

// leastBytes is less than the compact form of any plan of so many segments.
func leastBytes(segments int64) int64 {
	const frame = len(`{"logical_shape":[],"segments":[]}`)
	const segment = len(`{"shape":[],"source":[0,0,[]],"target":[0,0,[]]}`)
	return int64(frame) + segments*int64(segment)
}

// badSelection reports whether the selector answers something that is no candidate where it is asked: for any
// region that several source ranks hold.
func badSelection(request plan.Request) bool {
	if request.Selector.Returns == nil {
		return false
	}
	rank, isRank := returnedRank(request.Selector)
	for _, shard := range request.Source.Shards {
		for _, piece := range shard.Pieces {
			if len(piece.Locations) > 1 && !piece.Empty() && !(isRank && slices.Contains(piece.Locations, rank)) {
				return true
			}
		}
	}
	return false
}
