// Package external runs a program, in any language, as a plan.Planner: a child process that reads requests
// on standard input and answers on standard output, one JSON object a line (planner protocol, version 1).
//
// Whatever the program does is an answer or a finding. It may exit, crash, hang, write half a line or noise,
// answer another request or the same one twice, flood its output or its log: each is a *plan.Fault with a
// name, the program is ended with all its children, and started again for the next request. Only a program
// that does not start, or that keeps dying before it answers anything, is an error: it cannot be judged.
package external

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/shardproof/shardproof/plan"
)

// Limits bound what one planner process may take. A zero field stands for its default.
type Limits struct {
	Hello     time.Duration // to answer the greeting: 10 s
	Answer    time.Duration // for one answer, counted from when it could start: 10 s
	LineBytes int64         // one line of its output: 256 MiB
	LogBytes  int           // its last standard error that is kept: 16 KiB
	Restarts  int           // starts in a row without one answer, after which it cannot be run: 10
}

const (
	outboxLines = 256                    // lines waiting to be written; a full window is smaller
	writeBytes  = 1 << 16                // written at once, as a pipe holds
	readBytes   = 1 << 16                // read at once
	graceTime   = 200 * time.Millisecond // between a program's end and that of its output, or the reverse
	maxInflight = 1024                   // requests that a planner is taken at its word to hold
)

func (l Limits) withDefaults() Limits {
	if l.Hello == 0 {
		l.Hello = 10 * time.Second
	}
	if l.Answer == 0 {
		l.Answer = 10 * time.Second
	}
	if l.LineBytes == 0 {
		l.LineBytes = 256 << 20
	}
	if l.LogBytes == 0 {
		l.LogBytes = 16 << 10
	}
	if l.Restarts == 0 {
		l.Restarts = 10
	}
	return l
}

// Options say which program to run, and how.
type Options struct {
	Command   []string  // the program and its arguments
	Dir       string    // its working folder; empty: this process's
	Env       []string  // its environment; nil: this process's
	Processes int       // how many to run at a time; 0: one
	Streams   *Streams  // in place of a program: whoever speaks the protocol at their other end
	Once      bool      // the program answers one request and exits: no greeting, one process a request
	Info      plan.Info // with Once: what the program would say of itself
	Limits    Limits
}

// Streams are the two directions of the protocol to a planner that was not started here. When they break they
// are closed, and the planner cannot be run again.
type Streams struct {
	Requests io.WriteCloser
	Answers  io.ReadCloser
}

// A Planner is a program behind the planner protocol. Its methods may be called from several goroutines.
type Planner struct {
	options Options
	info    plan.Info
	window  int        // requests in flight in one process
	free    chan *slot // a slot stands here once for each request that it still takes
	slots   []*slot
	solo    sync.Mutex // one request at a time is run again alone
}

// A slot is a place for one process at a time.
type slot struct {
	mu      sync.Mutex
	process *process
	starts  int // in a row without an answer
}

// Open starts the program and greets it. The error says why it cannot be run, with its last words.
func Open(ctx context.Context, options Options) (*Planner, error) {
	if len(options.Command) == 0 && options.Streams == nil {
		return nil, fmt.Errorf("no planner command given")
	}
	options.Limits = options.Limits.withDefaults()
	options.Processes = max(options.Processes, 1)
	p := &Planner{options: options, info: options.Info, window: 1}
	for range options.Processes {
		p.slots = append(p.slots, &slot{})
	}
	if !options.Once {
		first, hello, err := connect(ctx, options)
		if err != nil {
			return nil, err
		}
		p.info, p.window = hello.Info, int(min(hello.MaxInflight, maxInflight))
		p.slots[0].process = first
	} else if p.info.Name == "" {
		p.info.Name = options.Command[0]
	}
	p.free = make(chan *slot, len(p.slots)*p.window)
	for range p.window {
		for _, s := range p.slots {
			p.free <- s
		}
	}
	return p, nil
}

// Info is what the planner said of itself.
func (p *Planner) Info() plan.Info { return p.info }

// Inflight is how many requests the processes take at a time: more callers than that wait.
func (p *Planner) Inflight() int { return cap(p.free) }

// Plan asks the program.
func (p *Planner) Plan(ctx context.Context, request plan.Request) (plan.Answer, error) {
	return p.ask(ctx, func(id int64) []byte { return append(plan.AppendPlanRequest(nil, id, request), '\n') })
}

// PlanRaw asks the program about two JSON values that are no maps.
func (p *Planner) PlanRaw(ctx context.Context, raw plan.Raw) (plan.Answer, error) {
	var source, target bytes.Buffer
	if err := errors.Join(json.Compact(&source, raw.Source), json.Compact(&target, raw.Target)); err != nil {
		return plan.Answer{}, err
	}
	line := plan.Raw{Source: source.Bytes(), Target: target.Bytes()}
	return p.ask(ctx, func(id int64) []byte { return append(plan.AppendRawRequest(nil, id, line), '\n') })
}

// Close ends the input of every process. A program that does not exit with status 0 then is at fault.
func (p *Planner) Close() error {
	var first error
	for _, s := range p.slots {
		s.mu.Lock()
		if s.process != nil {
			if fault := s.process.finish(); fault != nil && first == nil {
				first = fault
			}
			s.process = nil
		}
		s.mu.Unlock()
	}
	return first
}

func (p *Planner) ask(ctx context.Context, makeLine func(id int64) []byte) (plan.Answer, error) {
	var s *slot
	select {
	case s = <-p.free:
	case <-ctx.Done():
		return plan.Answer{}, ctx.Err()
	}
	defer func() { p.free <- s }()
	if p.options.Once {
		return askOnce(ctx, p.options, makeLine)
	}
	running, err := s.running(ctx, p.options)
	if err != nil {
		return plan.Answer{}, err
	}
	answer := await(ctx, running, makeLine)
	if answer.window == nil {
		s.answered()
		return answer.answer, answer.err
	}
	return p.alone(ctx, answer, makeLine)
}

// alone runs a member of a window that broke again, by itself: only the culprit is to be blamed. Where none
// of the members fails alone, the last one to know reports what happened to them together.
func (p *Planner) alone(ctx context.Context, broken reply, makeLine func(id int64) []byte) (plan.Answer, error) {
	window := broken.window
	if window.members == 1 || p.options.Streams != nil {
		return plan.Answer{}, window.fault
	}
	p.solo.Lock()
	defer p.solo.Unlock()
	running, _, err := connect(ctx, p.options)
	if err != nil {
		return plan.Answer{}, err
	}
	defer running.finish()
	answer := await(ctx, running, makeLine)
	if answer.window != nil {
		window.blamed = true
		return plan.Answer{}, answer.window.fault
	}
	if window.left--; window.left == 0 && !window.blamed {
		fault := *window.fault
		fault.Detail += fmt.Sprintf(" (with %d requests in flight; not seen again with any of them alone)", window.members)
		return plan.Answer{}, &fault
	}
	return answer.answer, answer.err
}

// await sends a request and takes its answer.
func await(ctx context.Context, running *process, makeLine func(id int64) []byte) reply {
	select {
	case answer := <-running.send(makeLine):
		return answer
	case <-ctx.Done():
		return reply{err: ctx.Err()}
	}
}

// running returns the slot's process, started anew where the last one broke.
func (s *slot) running(ctx context.Context, options Options) (*process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process != nil && s.process.isUsable() {
		return s.process, nil
	}
	if options.Streams != nil {
		return nil, &StartError{Detail: fmt.Sprintf("its streams are closed after a fault: %v", s.process.fault)}
	}
	if s.starts++; s.starts > options.Limits.Restarts {
		return nil, &StartError{
			Detail: fmt.Sprintf("died %d times in a row without one answer: %v", options.Limits.Restarts, s.process.fault),
			Log:    s.process.fault.Log,
		}
	}
	started, _, err := connect(ctx, options)
	if err != nil {
		return nil, err
	}
	s.process = started
	return started, nil
}

func (s *slot) answered() {
	s.mu.Lock()
	s.starts = 0
	s.mu.Unlock()
}

// A StartError is a program that cannot be run as a planner.
type StartError struct {
	Detail string
	Log    string // its last words on standard error
}

// Error states what went wrong and the program's last words.
func (e *StartError) Error() string {
	if e.Log == "" {
		return "the planner cannot be run: " + e.Detail
	}
	return "the planner cannot be run: " + e.Detail + "; its last words: " + excerpt([]byte(lastLine(e.Log)))
}
