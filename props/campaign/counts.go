package campaign

import (
	"cmp"
	"slices"

	"github.com/shardproof/shardproof/gen"
	"github.com/shardproof/shardproof/props"
)

// Counts are what a campaign counts. Those of several workers add up.
type Counts struct {
	Cases, Exact, Refused, Unsupported, Broken, Unknown, NotExercised int64

	Should   int64 // verdicts with something broken of should level
	Plans    int64 // cases answered with a plan
	Segments int64 // of all plans
	Elements int64 // moved by the plans that move at most MeanLimit elements, and how many plans those are
	Counted  int64

	Related map[string]int64 // plans that keep a relation besides stable, of those shown to, by its ID

	Traits  gen.Shares // of a sample of the right requests
	HeldOff []HeldOff  // why cases were not exercised, sorted by the reason
	Untold  *Untold    // the first case of an unknown verdict; nil: there was none
}

// Untold is a case that no oracle could judge.
type Untold struct {
	Number uint64 // of the case in its campaign
	Reason string
}

// HeldOff counts the cases that a planner was not asked for one reason: a feature that it does not name.
type HeldOff struct {
	Reason string
	Cases  int64
}

// MeanLimit is the most elements of a plan that count for the mean: one plan of 10^10 would drown all others.
const MeanLimit = 1 << 16

// MeanElements is the mean of the elements that a plan moves, of the plans that count for it.
func (c *Counts) MeanElements() float64 { return ratio(c.Elements, c.Counted) }

// MeanSegments is the mean of the segments of a plan.
func (c *Counts) MeanSegments() float64 { return ratio(c.Segments, c.Plans) }

func ratio(sum, n int64) float64 {
	if n == 0 {
		return 0
	}
	return float64(sum) / float64(n)
}

// count counts a verdict.
func (c *Counts) count(v *props.Verdict) {
	c.Cases++
	switch v.Outcome {
	case props.Exact:
		c.Exact++
	case props.Refused:
		c.Refused++
	case props.Unsupported:
		c.Unsupported++
	case props.Broken:
		c.Broken++
	case props.NotExercised:
		c.NotExercised++
		c.holdOff(HeldOff{v.Detail, 1})
	default:
		c.Unknown++
	}
	if len(v.Should) > 0 {
		c.Should++
	}
	for _, id := range v.Related {
		if !v.Names(id) {
			c.relate(id, 1)
		}
	}
	if v.Answered {
		c.Plans++
		c.Segments += int64(v.Segments)
		if v.MovedElements <= MeanLimit {
			c.Elements += v.MovedElements
			c.Counted++
		}
	}
}

func (c *Counts) holdOff(more HeldOff) {
	at, found := slices.BinarySearchFunc(c.HeldOff, more, func(a, b HeldOff) int { return cmp.Compare(a.Reason, b.Reason) })
	if found {
		c.HeldOff[at].Cases += more.Cases
		return
	}
	c.HeldOff = slices.Insert(c.HeldOff, at, more)
}

func (c *Counts) relate(id string, plans int64) {
	if c.Related == nil {
		c.Related = map[string]int64{}
	}
	c.Related[id] += plans
}

// tellUnknown keeps the first of the cases that could not be judged.
func (c *Counts) tellUnknown(untold *Untold) {
	if untold != nil && (c.Untold == nil || untold.Number < c.Untold.Number) {
		c.Untold = untold
	}
}

// add adds the counts of another worker.
func (c *Counts) add(other *Counts) {
	c.Cases += other.Cases
	c.Exact += other.Exact
	c.Refused += other.Refused
	c.Unsupported += other.Unsupported
	c.Broken += other.Broken
	c.Unknown += other.Unknown
	c.NotExercised += other.NotExercised
	c.Should += other.Should
	c.Plans += other.Plans
	c.Segments += other.Segments
	c.Elements += other.Elements
	c.Counted += other.Counted
	c.Traits.Add(other.Traits)
	c.tellUnknown(other.Untold)
	for id, plans := range other.Related {
		c.relate(id, plans)
	}
	for _, held := range other.HeldOff {
		c.holdOff(held)
	}
}
