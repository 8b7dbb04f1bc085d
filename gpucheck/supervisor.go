package gpucheck

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// A Supervisor has jobs done by a worker process, starts another when one is lost, and names the case that it was
// lost on.
type Supervisor struct {
	Worker   func() *exec.Cmd           // a process that calls Serve on its standard streams
	Name     func(number uint64) string // of a case
	Patience time.Duration              // with one job; 0: defaultPatience

	worker *worker
	losses int
}

// defaultPatience is far longer than any job takes: a kernel that hangs never ends.
const defaultPatience = 10 * time.Minute

// maxLosses is how many workers may be lost: the search for a case among a few hundred takes some ten, and a machine on
// which one case after another fails is itself at fault.
const maxLosses = 30

// closePatience is how long a worker may take to free its devices and end.
const closePatience = 20 * time.Second

// Open starts a worker, and says what machine it has. The error is a *NoDevice where there is none.
func (s *Supervisor) Open(ctx context.Context) (Info, error) {
	if s.worker != nil {
		return s.worker.info, nil
	}
	w, err := startWorker(s.Worker())
	if err != nil {
		return Info{}, err
	}
	reply, err := w.receive(ctx, s.patience())
	switch {
	case err != nil:
		return Info{}, w.end(err)
	case reply.NoDevice != "":
		w.end(nil)
		return Info{}, &NoDevice{reply.NoDevice}
	case reply.Info == nil:
		w.end(nil)
		return Info{}, errors.New(reply.Error)
	}
	w.info = *reply.Info
	s.worker = w
	return w.info, nil
}

func (s *Supervisor) patience() time.Duration {
	if s.Patience > 0 {
		return s.Patience
	}
	return defaultPatience
}

// Do has a job done. A case that a worker is lost on, or that its device fails on, is a Finding of clause Fault; the
// others are replayed all the same. The error is about the context, or says that no more workers can be had.
func (s *Supervisor) Do(ctx context.Context, job Job) (Answer, error) {
	reply, err := s.try(ctx, job)
	switch {
	case err == nil && reply.Answer != nil:
		return *reply.Answer, nil
	case ctx.Err() != nil:
		return Answer{}, ctx.Err()
	case err == nil:
		err = errors.New(reply.Error)
	}
	if s.losses > maxLosses {
		return Answer{}, fmt.Errorf("%d workers were lost, the last on %s: %w", s.losses, s.Name(job.First), err)
	}
	if job.Count > 1 {
		return s.search(ctx, job, err, reply.Memory)
	}
	name := s.Name(job.First)
	if reply.Memory {
		return Answer{Result: Result{Skipped: []Skip{{name, err.Error()}}}}, nil
	}
	return Answer{Result: Result{Subjects: 1, Findings: []Finding{{Case: name, Clause: Fault, Detail: oneLine(err.Error())}}}}, nil
}

// search does the two halves of a job that failed. Where neither fails by itself, the whole is what is found, unless
// that is explained: two halves may fit into memory where the whole does not.
func (s *Supervisor) search(ctx context.Context, job Job, cause error, explained bool) (Answer, error) {
	lower, upper := job, job
	lower.Count = job.Count / 2
	upper.First, upper.Count = job.First+lower.Count, job.Count-lower.Count
	answer, err := s.Do(ctx, lower)
	if err != nil {
		return answer, err
	}
	other, err := s.Do(ctx, upper)
	answer.Add(other.Result)
	answer.Refused += other.Refused
	for _, finding := range answer.Findings {
		explained = explained || finding.Clause == Fault
	}
	if err == nil && !explained {
		name := fmt.Sprintf("%s to %s", s.Name(job.First), s.Name(job.First+job.Count-1))
		answer.Findings = append(answer.Findings, Finding{Case: name, Clause: Fault,
			Detail: "together, and not in halves: " + oneLine(cause.Error())})
	}
	return answer, err
}

// try has a worker do a job. After an error, and after one that lasts, there is no worker.
func (s *Supervisor) try(ctx context.Context, job Job) (reply, error) {
	if _, err := s.Open(ctx); err != nil {
		s.losses = maxLosses + 1 // there will be no other
		return reply{}, err
	}
	answer, err := s.worker.ask(ctx, job, s.patience())
	if err == nil && !answer.Lasting {
		return answer, nil
	}
	ended := s.worker.end(err)
	s.worker = nil
	s.losses++
	if err != nil {
		err = ended
	}
	return answer, err
}

// Close ends the worker. The error is how it ended, where not well.
func (s *Supervisor) Close() error {
	if s.worker == nil {
		return nil
	}
	w := s.worker
	s.worker = nil
	return w.end(nil)
}

var errEnded = errors.New("the replay's process has ended")

// A worker is a process that Serve runs in.
type worker struct {
	command *exec.Cmd
	in      io.WriteCloser
	replies chan []byte // closed at the end of its output
	words   *lastWords
	info    Info
}

func startWorker(command *exec.Cmd) (*worker, error) {
	w := &worker{command: command, replies: make(chan []byte), words: new(lastWords)}
	var err error
	if w.in, err = command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	command.Stderr = w.words
	if err := command.Start(); err != nil {
		return nil, err
	}
	go w.read(out)
	return w, nil
}

func (w *worker) read(out io.Reader) {
	defer close(w.replies)
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		w.replies <- line
	}
}

func (w *worker) ask(ctx context.Context, job Job, patience time.Duration) (reply, error) {
	line, err := json.Marshal(job)
	if err != nil {
		return reply{}, err
	}
	if _, err := w.in.Write(append(line, '\n')); err != nil {
		return reply{}, errEnded
	}
	return w.receive(ctx, patience)
}

func (w *worker) receive(ctx context.Context, patience time.Duration) (reply, error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return reply{}, ctx.Err()
	case <-timer.C:
		return reply{}, fmt.Errorf("no answer in %v", patience)
	case line, ok := <-w.replies:
		if !ok {
			return reply{}, errEnded
		}
		var r reply
		return r, json.Unmarshal(line, &r)
	}
}

// end ends the process: when it is done, unless the error is that it hangs or must not go on. It returns the error with
// how the process ended and its last words.
func (w *worker) end(err error) error {
	w.in.Close()
	patience := closePatience
	if err != nil && !errors.Is(err, errEnded) {
		patience = 0
	}
	kill := time.AfterFunc(patience, func() { w.command.Process.Kill() })
	for range w.replies {
	}
	ended := w.command.Wait()
	if kill.Stop() && ended == nil {
		return err
	}
	switch {
	case err != nil && w.words.text() != "":
		return fmt.Errorf("%w (%v): %s", err, ended, w.words.text())
	case err != nil && ended != nil:
		return fmt.Errorf("%w (%v)", err, ended)
	case err != nil:
		return err
	}
	if ended != nil {
		return fmt.Errorf("the replay's process did not end well (%w): %s", ended, w.words.text())
	}
	return nil
}

// lastWords keeps the end of what a worker writes to its standard error.
type lastWords struct{ kept []byte }

const lastWordsBytes = 2000

func (l *lastWords) Write(text []byte) (int, error) {
	l.kept = append(l.kept, text...)
	if len(l.kept) > lastWordsBytes {
		l.kept = l.kept[len(l.kept)-lastWordsBytes:]
	}
	return len(text), nil
}

func (l *lastWords) text() string { return oneLine(string(l.kept)) }

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
