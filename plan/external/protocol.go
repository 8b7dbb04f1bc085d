package external

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/shardproof/shardproof/plan"
)

// connect starts a process and greets it. The error says why the program cannot be run.
func connect(ctx context.Context, options Options) (*process, plan.Hello, error) {
	started, lines, err := open(options)
	if err != nil {
		return nil, plan.Hello{}, &StartError{Detail: err.Error()}
	}
	started.outbox <- append(plan.AppendHelloRequest(nil), '\n')
	stop := context.AfterFunc(ctx, func() { started.breakWith(faultOf("interrupted", "before it said hello")) })
	late := time.AfterFunc(options.Limits.Hello, func() {
		started.breakWith(faultOf("hang", "no hello within %v", options.Limits.Hello))
	})
	line, err := lines.next()
	late.Stop()
	stop()
	if err == nil {
		hello, formErr := plan.DecodeHello(line)
		if formErr == nil {
			go started.read(lines)
			return started, hello, nil
		}
		err = faultOf("no hello", "%v: %s", formErr, excerpt(line))
	}
	started.breakWith(started.outputFault(err))
	lines.file.Close()
	if ctx.Err() != nil {
		return nil, plan.Hello{}, ctx.Err()
	}
	return nil, plan.Hello{}, &StartError{Detail: started.fault.Error(), Log: started.fault.Log}
}

func open(options Options) (*process, *lineReader, error) {
	if options.Streams != nil {
		attached, lines := attach(*options.Streams, options.Limits)
		return attached, lines, nil
	}
	return start(options)
}

// askOnce runs a program that reads one request, answers it and exits with status 0.
func askOnce(ctx context.Context, options Options, makeLine func(id int64) []byte) (plan.Answer, error) {
	started, lines, err := start(options)
	if err != nil {
		return plan.Answer{}, &StartError{Detail: err.Error()}
	}
	defer lines.file.Close()
	const id = firstID
	stop := context.AfterFunc(ctx, func() { started.breakWith(faultOf("interrupted", "before it answered")) })
	late := time.AfterFunc(options.Limits.Answer, func() {
		started.breakWith(faultOf("hang", "no answer and exit within %v", options.Limits.Answer))
	})
	defer stop()
	defer late.Stop()
	started.outbox <- makeLine(id)
	started.outbox <- nil
	line, err := lines.next()
	if errors.Is(err, io.ErrUnexpectedEOF) {
		line, err = lines.buffer[lines.start:], nil // a plain command may leave out the last line end
	}
	if err == nil {
		if second, more := lines.next(); more == nil {
			err = faultOf("answered twice", "more output after the answer: %s", excerpt(second))
		}
	}
	if err == nil {
		select {
		case <-started.exited:
		case <-started.broken:
		}
	}
	if err == nil && (started.isBroken() || started.status != nil) {
		err = io.EOF
	}
	if err != nil {
		started.breakWith(started.outputFault(err))
		if ctx.Err() != nil {
			return plan.Answer{}, ctx.Err()
		}
		return plan.Answer{}, started.fault
	}
	answered, answer, err := readAnswer(line)
	if answered != id && answered != 0 {
		err = faultOf("another id", "an answer to request %d, which was never asked", answered)
	}
	return answer, err
}

// readAnswer reads the line of an answer. The id is 0 where the line names none; the error is the
// *plan.Refusal that the line states, or the *plan.Fault that it is.
func readAnswer(text []byte) (int64, plan.Answer, error) {
	line, err := plan.DecodeAnswerLine(text)
	switch {
	case err != nil:
		err = faultOf("not an answer", "%v: %s", err, excerpt(text))
	case line.Refusal != nil:
		err = line.Refusal
	case line.Failed:
		err = faultOf("error", "%s", excerpt([]byte(line.Error)))
	}
	return line.ID, line.Answer, err
}

const excerptBytes = 120 // of a planner's text, so that a report stays a line

// excerpt is the beginning of a text as one printable line.
func excerpt(text []byte) string {
	cut := len(text) > excerptBytes
	quoted := strconv.QuoteToGraphic(strings.ToValidUTF8(string(text[:min(len(text), excerptBytes)]), "�"))
	if cut {
		return fmt.Sprintf("%s... (%s)", quoted, byteText(int64(len(text))))
	}
	return quoted
}

func lastLine(log string) string { return log[strings.LastIndexByte(log, '\n')+1:] }

func byteText(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
