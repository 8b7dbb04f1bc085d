package external

import (
	"bytes"
	"io"
	"strings"
	"sync"

	"github.com/shardproof/shardproof/plan"
)

// A lineReader cuts a planner's output into lines, each its own slice, and holds no more than one line that
// is within the limit.
type lineReader struct {
	file    io.ReadCloser
	limit   int64
	buffer  []byte
	start   int // of what is not yet taken
	scanned int // up to here there is no line end
}

// next returns a line without its end; io.EOF after the last, io.ErrUnexpectedEOF inside a line, a
// *plan.Fault for one that is too long.
func (r *lineReader) next() ([]byte, error) {
	for {
		if end := bytes.IndexByte(r.buffer[r.scanned:], '\n'); end >= 0 {
			line := bytes.Clone(r.buffer[r.start : r.scanned+end])
			r.start = r.scanned + end + 1
			r.scanned = r.start
			return bytes.TrimSuffix(line, []byte{'\r'}), nil
		}
		r.scanned = len(r.buffer)
		if int64(r.scanned-r.start) > r.limit {
			return nil, &plan.Fault{Name: "line too long", Detail: "more than " + byteText(r.limit) + " without a line end"}
		}
		if err := r.fill(); err != nil {
			if err == io.EOF && r.scanned > r.start {
				return nil, io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
}

// fill reads more, moving what is left to the front where the buffer is full.
func (r *lineReader) fill() error {
	if r.start > 0 && len(r.buffer) == cap(r.buffer) {
		r.buffer = append(r.buffer[:0], r.buffer[r.start:]...)
		r.scanned -= r.start
		r.start = 0
	}
	if len(r.buffer) == cap(r.buffer) {
		larger := make([]byte, len(r.buffer), max(readBytes, 2*cap(r.buffer)))
		copy(larger, r.buffer)
		r.buffer = larger
	}
	n, err := r.file.Read(r.buffer[len(r.buffer):cap(r.buffer)])
	r.buffer = r.buffer[:len(r.buffer)+n]
	if n > 0 {
		return nil
	}
	return err
}

// A ring keeps the last bytes that a planner logged.
type ring struct {
	mu    sync.Mutex
	bytes []byte
	limit int
	cut   bool
}

func newRing(limit int) *ring { return &ring{limit: limit} }

// Write keeps the last bytes and never fails.
func (r *ring) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bytes = append(r.bytes, p...)
	if surplus := len(r.bytes) - r.limit; surplus > 0 {
		r.bytes = append(r.bytes[:0], r.bytes[surplus:]...)
		r.cut = true
	}
	return len(p), nil
}

// String returns what is kept, with a mark where earlier bytes are gone.
func (r *ring) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := strings.ToValidUTF8(strings.TrimRight(string(r.bytes), "\n"), "�")
	if r.cut {
		return "... " + text
	}
	return text
}
