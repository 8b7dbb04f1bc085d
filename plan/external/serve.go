package external

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/shardproof/shardproof/plan"
)

// Serve is the other end of the protocol: it answers the requests that come in with a planner of ours, one
// after another, until the input ends. Answers are written when no further request is waiting.
//
// A request whose maps are no maps is refused as invalid under its id; a line without an id ends Serve, since
// nobody is waiting for an answer to it.
func Serve(ctx context.Context, input io.Reader, output io.Writer, planner plan.Planner, hello plan.Hello) error {
	reader := bufio.NewReaderSize(input, readBytes)
	writer := bufio.NewWriterSize(output, writeBytes)
	for {
		line, err := reader.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			reply, replyErr := replyTo(ctx, line, planner, hello)
			if replyErr != nil {
				return errors.Join(replyErr, writer.Flush())
			}
			writer.Write(append(reply, '\n'))
		}
		if err == io.EOF {
			return writer.Flush()
		}
		if err != nil {
			return errors.Join(err, writer.Flush())
		}
		if reader.Buffered() == 0 {
			if err := writer.Flush(); err != nil {
				return err
			}
		}
	}
}

func replyTo(ctx context.Context, text []byte, planner plan.Planner, hello plan.Hello) ([]byte, error) {
	line, err := plan.DecodeRequestLine(text)
	if err != nil {
		if line.ID == 0 {
			return nil, fmt.Errorf("not a request: %w: %s", err, excerpt(text))
		}
		// The request's values are no maps: what a map contradicts itself with is refused as invalid.
		return plan.AppendRefusal(nil, line.ID, plan.Refuse(plan.Invalid, "%v", err)), nil
	}
	if line.Hello {
		return plan.AppendHello(nil, hello), nil
	}
	answer, err := planner.Plan(ctx, line.Request)
	var refusal *plan.Refusal
	switch {
	case errors.As(err, &refusal):
		return plan.AppendRefusal(nil, line.ID, refusal), nil
	case err != nil:
		return plan.AppendError(nil, line.ID, err.Error()), nil
	}
	return plan.AppendAnswer(nil, line.ID, answer), nil
}
