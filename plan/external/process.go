package external

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/shardproof/shardproof/plan"
)

// A reply is what came back for one request: an answer or a refusal or a fault of its own, or else the
// window of requests that were in flight when the process broke.
type reply struct {
	answer plan.Answer
	err    error
	window *window
}

// A window is the requests that were in flight when a process broke: one of them may be the culprit.
type window struct {
	fault   *plan.Fault
	members int
	left    int  // not yet run again alone
	blamed  bool // one of them has failed again
}

// A process is one run of a planner program. It is broken for good at its first fault: whatever is in
// flight then is answered with that fault, and the process group is killed.
type process struct {
	input  io.WriteCloser
	kill   func() // ends it for good, with all its children
	log    *ring
	limits Limits
	outbox chan []byte // lines to write; a line is dropped where the process is broken
	exited chan struct{}
	status error // of Wait, once exited is closed

	attached bool // to streams: there is no program, and exited is closed from the beginning

	mu      sync.Mutex
	pending map[int64]chan reply
	next    int64       // the id of the next request
	timer   *time.Timer // runs while anything is in flight: an answer is due
	fault   *plan.Fault
	ending  bool // a fault was found: it is being ended
	untold  bool // it broke with nothing in flight: the next request is to know of it
	broken  chan struct{}
}

// firstID is the id of a process's first request; 0 is that of a line that names none.
const firstID = 1

// start runs the program in a process group of its own, so that its children end with it.
func start(options Options) (*process, *lineReader, error) {
	command := exec.Command(options.Command[0], options.Command[1:]...)
	command.Dir, command.Env = options.Dir, options.Env
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	childInput, input, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	output, childOutput, err := os.Pipe()
	if err != nil {
		return nil, nil, errors.Join(err, childInput.Close(), input.Close())
	}
	logReader, childLog, err := os.Pipe()
	if err != nil {
		return nil, nil, errors.Join(err, childInput.Close(), input.Close(), output.Close(), childOutput.Close())
	}
	command.Stdin, command.Stdout, command.Stderr = childInput, childOutput, childLog
	err = command.Start()
	childInput.Close()
	childOutput.Close()
	childLog.Close()
	if err != nil {
		return nil, nil, errors.Join(err, input.Close(), output.Close(), logReader.Close())
	}
	p := newProcess(input, options.Limits)
	p.log = newRing(options.Limits.LogBytes)
	p.kill = func() { syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	logDone := make(chan struct{})
	go func() {
		io.Copy(p.log, logReader)
		logReader.Close()
		close(logDone)
	}()
	go p.reap(command, logDone)
	go p.write()
	return p, &lineReader{file: output, limit: options.Limits.LineBytes}, nil
}

func newProcess(input io.WriteCloser, limits Limits) *process {
	p := &process{
		input: input, log: newRing(0), limits: limits,
		outbox: make(chan []byte, outboxLines), exited: make(chan struct{}), broken: make(chan struct{}),
		pending: map[int64]chan reply{}, next: firstID,
	}
	p.timer = time.AfterFunc(time.Hour, p.hang)
	p.timer.Stop()
	return p
}

// attach takes streams in place of a program: whoever is at their other end is not ours to end or to start again.
func attach(streams Streams, limits Limits) (*process, *lineReader) {
	p := newProcess(streams.Requests, limits)
	p.kill = func() { streams.Requests.Close(); streams.Answers.Close() }
	p.attached = true
	close(p.exited)
	go p.write()
	return p, &lineReader{file: streams.Answers, limit: limits.LineBytes}
}

// reap waits for the program, then ends what is left of its group: a child that kept the pipes open would
// otherwise keep the reader waiting.
func (p *process) reap(command *exec.Cmd, logDone <-chan struct{}) {
	err := command.Wait()
	p.kill()
	select {
	case <-logDone:
	case <-time.After(graceTime):
	}
	p.status = err
	close(p.exited)
}

// write sends lines, many in one call where many wait: a call to the system costs more than a small request.
func (p *process) write() {
	var batch []byte
	for {
		var line []byte
		select {
		case line = <-p.outbox:
		case <-p.broken:
			return
		}
		if line == nil {
			p.input.Close()
			return
		}
		batch = append(batch[:0], line...)
		for len(batch) < writeBytes {
			select {
			case line = <-p.outbox:
				if line == nil {
					p.input.Write(batch)
					p.input.Close()
					return
				}
				batch = append(batch, line...)
				continue
			default:
			}
			break
		}
		// A closed pipe shows as the end of the process or of its output, which says more.
		p.input.Write(batch)
	}
}

// send puts a request in flight. The line is of the form that protocol.go makes for the id.
func (p *process) send(makeLine func(id int64) []byte) <-chan reply {
	answer := make(chan reply, 1)
	p.mu.Lock()
	if p.fault != nil {
		answer <- reply{window: &window{fault: p.fault, members: 1}}
		p.untold = false
		p.mu.Unlock()
		return answer
	}
	id := p.next
	p.next++
	p.pending[id] = answer
	if len(p.pending) == 1 {
		p.timer.Reset(p.limits.Answer)
	}
	p.mu.Unlock()
	select {
	case p.outbox <- makeLine(id):
	case <-p.broken:
	}
	return answer
}

// read takes answers until the process breaks or ends.
func (p *process) read(lines *lineReader) {
	defer lines.file.Close()
	for {
		line, err := lines.next()
		if err != nil {
			p.breakWith(p.outputFault(err))
			return
		}
		if fault := p.deliver(line); fault != nil {
			p.breakWith(fault)
			return
		}
	}
}

// deliver hands a line to the request that it answers. A line that names a request but is no right answer
// to it is that request's fault alone.
func (p *process) deliver(line []byte) *plan.Fault {
	id, answer, err := readAnswer(line)
	p.mu.Lock()
	defer p.mu.Unlock()
	waiting, ok := p.pending[id]
	switch {
	case !ok && id == 0 && err != nil:
		return err.(*plan.Fault)
	case !ok && id >= firstID && id < p.next:
		return faultOf("answered twice", "request %d has its answer already", id)
	case !ok:
		return faultOf("another id", "an answer to request %d, which was never asked", id)
	}
	delete(p.pending, id)
	if len(p.pending) == 0 {
		p.timer.Stop()
	} else {
		p.timer.Reset(p.limits.Answer)
	}
	waiting <- reply{answer: answer, err: err}
	return nil
}

func (p *process) hang() {
	p.mu.Lock()
	idle := len(p.pending) == 0
	p.mu.Unlock()
	if !idle {
		p.breakWith(faultOf("hang", "no answer within %v", p.limits.Answer))
	}
}

func (p *process) isBroken() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fault != nil
}

// isUsable reports whether a request may be sent: the process is whole, or it is still to be told how it broke.
func (p *process) isUsable() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fault == nil || p.untold
}

// tell is the fault that the process broke with, for somebody who is told of it now.
func (p *process) tell() *plan.Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.untold = false
	return p.fault
}

// untoldFault is the fault that the process broke with, if nobody was told of it.
func (p *process) untoldFault() *plan.Fault {
	<-p.broken
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.untold {
		return nil
	}
	return p.fault
}

// breakWith ends the process for a fault; the first one stays. It returns once the process is gone and
// everyone who waited has been told, so that the fault and its log may then be read freely.
func (p *process) breakWith(fault *plan.Fault) {
	p.mu.Lock()
	first := !p.ending
	p.ending = true
	p.mu.Unlock()
	if !first {
		<-p.broken
		return
	}
	p.kill()
	<-p.exited
	fault.Log = p.log.String()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault = fault
	p.timer.Stop()
	p.untold = len(p.pending) == 0
	shared := &window{fault: fault, members: len(p.pending), left: len(p.pending)}
	for _, waiting := range p.pending {
		waiting <- reply{window: shared}
	}
	p.pending = nil
	close(p.broken)
	p.input.Close()
}

// outputFault says why the output ended: the end of the process says more than the end of its output.
func (p *process) outputFault(err error) *plan.Fault {
	var broken *plan.Fault
	if errors.As(err, &broken) {
		return broken
	}
	select {
	case <-p.exited:
	case <-time.After(graceTime):
		return faultOf("closed its output", "and goes on running")
	}
	detail := p.exitText()
	if errors.Is(err, io.ErrUnexpectedEOF) {
		detail += ", within a line"
	}
	var exit *exec.ExitError
	if errors.As(p.status, &exit) && exit.Sys().(syscall.WaitStatus).Signaled() {
		return faultOf("signal", "%s", detail)
	}
	return faultOf("exit", "%s", detail)
}

func (p *process) exitText() string {
	switch {
	case p.attached:
		return "its stream ended"
	case p.status == nil:
		return "ended with exit status 0"
	}
	return "ended with " + p.status.Error()
}

func faultOf(name, format string, arguments ...any) *plan.Fault {
	return &plan.Fault{Name: name, Detail: fmt.Sprintf(format, arguments...)}
}

// finish closes the input: the planner is to exit with status 0. It returns how it failed to, or how it broke before
// if nobody was told; nil otherwise.
func (p *process) finish() *plan.Fault {
	if p.isBroken() {
		return p.untoldFault()
	}
	select {
	case p.outbox <- nil:
	case <-p.broken:
		return p.untoldFault()
	}
	select {
	case <-p.exited:
	case <-time.After(p.limits.Answer):
		p.breakWith(faultOf("hang", "still running %v after the end of its input", p.limits.Answer))
		return p.fault
	}
	if p.status != nil {
		fault := faultOf("exit", "at the end of its input it %s", p.exitText())
		fault.Log = p.log.String()
		return fault
	}
	return nil
}
