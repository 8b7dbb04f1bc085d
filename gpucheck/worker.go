package gpucheck

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
)

// A Job asks a worker to replay a range of cases, which both sides know by their numbers.
type Job struct {
	First   uint64  `json:"first"`
	Count   uint64  `json:"count"`
	Options Options `json:"options"`
}

// A Drawn is the cases of a job: plans to replay, and what is to be said of cases that have none.
type Drawn struct {
	Subjects []Subject
	Refused  int       // cases that were refused, as was due
	Skipped  []Skip    // cases that nothing is known of
	Findings []Finding // cases that are wrong before any replay
}

// An Answer is what became of a job.
type Answer struct {
	Result
	Refused int `json:"refused"`
}

// A reply is a line that a worker writes: what machine it has or why none, then a line a job.
type reply struct {
	Info     *Info   `json:"info,omitempty"`
	NoDevice string  `json:"no_device,omitempty"`
	Answer   *Answer `json:"answer,omitempty"`
	Error    string  `json:"error,omitempty"`
	Memory   bool    `json:"memory,omitempty"`  // the error is that the device ran out of it
	Lasting  bool    `json:"lasting,omitempty"` // the worker ends with it
}

// Serve is a worker: it opens the devices of a backend and replays jobs, an object a line, until the input ends.
//
// A device that faults stays so until its process ends, and a fault can end the process. So the cases of a long
// run are replayed in a worker, and a Supervisor starts another when one is lost.
func Serve(ctx context.Context, in io.Reader, out io.Writer, backend string, draw func(Job) Drawn) error {
	write := json.NewEncoder(out)
	machine, err := Open(backend)
	var none *NoDevice
	if errors.As(err, &none) {
		return write.Encode(reply{NoDevice: none.Problem})
	}
	if err != nil {
		return write.Encode(reply{Error: err.Error()})
	}
	defer machine.Close()
	if err := write.Encode(reply{Info: &machine.Info}); err != nil {
		return err
	}
	lines := json.NewDecoder(bufio.NewReader(in))
	for {
		var job Job
		if err := lines.Decode(&job); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		reply := do(ctx, machine, job, draw(job))
		if err := write.Encode(reply); err != nil || reply.Lasting {
			return err
		}
	}
}

func do(ctx context.Context, machine *Machine, job Job, drawn Drawn) reply {
	result, err := Replay(ctx, machine, drawn.Subjects, job.Options)
	if err != nil {
		var failed *DeviceError
		memory := errors.As(err, &failed) && failed.Code == codeOutOfMemory
		return reply{Error: err.Error(), Memory: memory, Lasting: Lasting(err)}
	}
	result.Skipped = append(drawn.Skipped, result.Skipped...)
	result.Findings = append(drawn.Findings, result.Findings...)
	return reply{Answer: &Answer{Result: result, Refused: drawn.Refused}}
}
