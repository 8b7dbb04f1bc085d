package gpucheck

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/shardproof/shardproof/oracle"
)

// Options say how much a replay does. The zero value is the most there is.
type Options struct {
	Seed        uint64   // of storage offsets and of the order of segments
	Rounds      int      // each with its own offsets and orders; 0: one
	Widths      []int    // of Widths; none: all
	Ways        []string // names of Ways; none: all
	MaxElements int64    // of a subject to be replayed whole, and not in windows; 0: oracle.MaxElements
}

// batchElements is how many elements are replayed together, unless one subject alone has more: some hundred megabytes
// on the device at the widest.
const batchElements = 1 << 20

// Replay carries plans out on a machine and confirms there what they wrote. A plan that the judge on the CPU finds
// exact must be exact here too; another that has a wrong element on the CPU has one here.
//
// The source and target shards of each subject stand at random offsets between guards, on all devices in turn. A run
// copies a batch of plans in one launch a device, their segments shuffled, and compares on the device. There is a run for
// each round, width, digit of the labels at that width, and way. What leaves its shard is not launched but found. A
// subject of more than MaxElements is replayed in windows, which tell of a wrong element only where they meet one.
//
// The error is about the machine or the options, and then the result counts what came before; or it is the context's.
func Replay(ctx context.Context, machine *Machine, subjects []Subject, options Options) (Result, error) {
	var result Result
	ways, err := options.ways()
	if err != nil {
		return result, err
	}
	if options.Widths, err = options.widths(); err != nil {
		return result, err
	}
	var batch []*subject
	size := int64(0)
	for _, s := range subjects {
		prepared, err := prepare(s, options)
		if err != nil {
			result.Skipped = append(result.Skipped, Skip{s.Name, err.Error()})
			continue
		}
		if prepared.finding != nil {
			result.count([]*subject{prepared})
			continue
		}
		if len(batch) > 0 && size+prepared.slabElements() > batchElements {
			if err := replayBatch(ctx, machine, batch, ways, options, &result); err != nil {
				return result, err
			}
			batch, size = nil, 0
		}
		batch, size = append(batch, prepared), size+prepared.slabElements()
	}
	return result, replayBatch(ctx, machine, batch, ways, options, &result)
}

func (o Options) ways() ([]Way, error) {
	if len(o.Ways) == 0 {
		return Ways(), nil
	}
	var ways []Way
	for _, name := range o.Ways {
		i := slices.IndexFunc(Ways(), func(w Way) bool { return w.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("no way %q", name)
		}
		ways = append(ways, Ways()[i])
	}
	return ways, nil
}

func (o Options) widths() ([]int, error) {
	if len(o.Widths) == 0 {
		return Widths, nil
	}
	for _, width := range o.Widths {
		if !slices.Contains(Widths, width) {
			return nil, fmt.Errorf("no width of %d bytes", width)
		}
	}
	return o.Widths, nil
}

func (o Options) maxElements() int64 {
	if o.MaxElements > 0 {
		return o.MaxElements
	}
	return oracle.MaxElements
}

// randomOf draws a subject's windows: the same ones whatever it is replayed with.
func (o Options) randomOf(name string) *rand.Rand {
	hash := fnv.New64a()
	io.WriteString(hash, name)
	return rand.New(rand.NewPCG(o.Seed, hash.Sum64()))
}

// replayBatch makes every run that a batch is due. A subject that is found wrong takes no part in the runs after.
func replayBatch(ctx context.Context, machine *Machine, batch []*subject, ways []Way, o Options, result *Result) error {
	random := rand.New(rand.NewPCG(o.Seed, uint64(result.Subjects)))
	for range max(o.Rounds, 1) {
		for _, width := range o.Widths {
			for digit := 0; ; digit++ {
				due := withDigit(batch, width, digit)
				if len(due) == 0 {
					break
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				r := &run{arena: arena{machine: machine}, random: random, width: width, digit: digit, subjects: due, result: result}
				if err := r.replay(ways); err != nil {
					return fmt.Errorf("%s, %d bytes, digit %d: %w", namesOf(due), width, digit, err)
				}
			}
		}
	}
	result.count(batch)
	return nil
}

// namesOf names a batch in few words.
func namesOf(batch []*subject) string {
	if len(batch) == 1 {
		return batch[0].name
	}
	return fmt.Sprintf("%s and %d more", batch[0].name, len(batch)-1)
}

// withDigit are the subjects that nothing is found in yet and whose labels have a digit.
func withDigit(batch []*subject, width, digit int) []*subject {
	var due []*subject
	for _, s := range batch {
		if s.finding == nil && digitsOf(s.largest, width) > digit {
			due = append(due, s)
		}
	}
	return due
}

// count takes in subjects that are done.
func (r *Result) count(batch []*subject) {
	for _, s := range batch {
		r.Subjects++
		switch {
		case s.finding != nil:
			r.Findings = append(r.Findings, *s.finding)
		case s.sampled:
			r.Sampled++
		default:
			r.Exact++
		}
	}
}
