package external

import (
	"context"
	"time"

	"github.com/shardproof/shardproof/plan"
)

// A Talk is one run of a program, line by line and without judging what it says: for those who explain the
// protocol, or look for what is wrong with a program that a Planner would only call at fault.
type Talk struct {
	process *process
	lines   *lineReader
}

// StartTalk starts the program and says nothing. The error is a *StartError.
func StartTalk(options Options) (*Talk, error) {
	options.Limits = options.Limits.withDefaults()
	if len(options.Command) == 0 {
		return nil, &StartError{Detail: "no planner command given"}
	}
	started, lines, err := start(options)
	if err != nil {
		return nil, &StartError{Detail: err.Error()}
	}
	return &Talk{started, lines}, nil
}

// Say sends a line. It is dropped where the program has ended.
func (t *Talk) Say(line []byte) {
	select {
	case t.process.outbox <- append(line[:len(line):len(line)], '\n'):
	case <-t.process.broken:
	}
}

// CloseInput says that no more lines follow.
func (t *Talk) CloseInput() {
	select {
	case t.process.outbox <- nil:
	case <-t.process.broken:
	}
}

// Hear takes the next line of output. The error is the *plan.Fault that came in its place, after which the
// program has been ended: what it wrote of a line that it never finished is returned beside it.
func (t *Talk) Hear(ctx context.Context, limit time.Duration) ([]byte, error) {
	stop := context.AfterFunc(ctx, func() { t.process.breakWith(faultOf("interrupted", "before it answered")) })
	late := time.AfterFunc(limit, func() { t.process.breakWith(faultOf("hang", "no line within %v", limit)) })
	line, err := t.lines.next()
	late.Stop()
	stop()
	if err == nil {
		return line, nil
	}
	t.process.breakWith(t.process.outputFault(err))
	return t.lines.buffer[t.lines.start:], t.process.tell()
}

// Ended reports whether the program has ended by itself, with status 0.
func (t *Talk) Ended() bool {
	select {
	case <-t.process.exited:
		return t.process.status == nil
	default:
		return false
	}
}

// End closes the input, after which the program is to exit with status 0, and returns how it failed to, or nil.
func (t *Talk) End() *plan.Fault {
	defer t.lines.file.Close()
	fault := t.process.finish()
	t.process.breakWith(faultOf("ended", "by its user"))
	return fault
}

// Log is what the program wrote last to its standard error.
func (t *Talk) Log() string { return t.process.log.String() }
