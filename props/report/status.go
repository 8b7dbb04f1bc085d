package report

import "github.com/shardproof/shardproof/props"

// The exit statuses of every command, in the order in which the first that applies is taken.
const (
	StatusUsage        = 2   // bad usage or unreadable input
	StatusInterrupted  = 130 // ended by its user
	StatusCannotRun    = 3   // the planner or the device could not be run
	StatusBroken       = 1   // something is broken
	StatusInconclusive = 4   // nothing can be concluded
	StatusPassed       = 0
)

// A Tally counts verdicts.
type Tally struct {
	Summary
	Should int64 // verdicts with something broken of should level
}

// Add counts a verdict.
func (t *Tally) Add(v props.Verdict) {
	t.Cases++
	if len(v.Should) > 0 {
		t.Should++
	}
	switch v.Outcome {
	case props.Exact:
		t.Exact++
	case props.Refused:
		t.Refused++
	case props.Unsupported:
		t.Unsupported++
	case props.Broken:
		t.Broken++
	case props.NotExercised:
		t.NotExercised++
	default:
		t.Unknown++
	}
}

// ExitStatus is the status of a run that came to its end: broken where a verdict is, or where one of should
// level is and the run is strict; inconclusive where a verdict is unknown, or where no case was answered with
// an exact plan or a due refusal; passed otherwise.
func ExitStatus(t Tally, strict bool) int {
	switch {
	case t.Broken > 0 || strict && t.Should > 0:
		return StatusBroken
	case t.Unknown > 0 || t.Exact+t.Refused == 0:
		return StatusInconclusive
	}
	return StatusPassed
}
