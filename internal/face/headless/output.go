package headless

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"pollux/internal/terminal"
)

// output gathers small writes. What comes after a pause is written at once;
// what follows within a few milliseconds is written together, when they are
// over or the buffer is full. So a person sees an answer grow, and twenty
// thousand tiny chunks that come faster than anyone reads are not twenty
// thousand system calls. A slow reader slows the run down; nothing piles up.
type output struct {
	mu      sync.Mutex
	w       io.Writer
	buf     []byte
	midLine bool        // the last byte was not a line feed
	err     error       // of the first write that failed; there is none after it
	failed  atomic.Bool // err is set; known without waiting for a write that hangs
	written time.Time   // when the buffer was last emptied
	timer   *time.Timer
	armed   bool
}

const (
	window = 5 * time.Millisecond
	full   = 32 << 10
)

func newOutput(w io.Writer) *output { return &output{w: w} }

func (o *output) writeString(s string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(s) == 0 || o.err != nil {
		return
	}
	o.buf = append(o.buf, s...)
	o.wrote(s[len(s)-1])
}

func (o *output) write(b []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(b) == 0 || o.err != nil {
		return
	}
	o.buf = append(o.buf, b...)
	o.wrote(b[len(b)-1])
}

// wrote decides when the buffer goes out.
func (o *output) wrote(last byte) {
	o.midLine = last != '\n'
	if len(o.buf) >= full {
		o.empty()
		return
	}
	if o.armed {
		return
	}
	idle := time.Since(o.written)
	switch {
	case idle >= window:
		o.empty()
		return
	case o.timer == nil:
		o.timer = time.AfterFunc(window-idle, o.flush)
	default:
		o.timer.Reset(window - idle)
	}
	o.armed = true
}

// endLine makes sure that what was written ends with a line feed.
func (o *output) endLine() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.midLine && o.err == nil {
		o.buf = append(o.buf, '\n')
		o.wrote('\n')
	}
}

func (o *output) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.empty()
}

func (o *output) empty() {
	if o.armed {
		o.timer.Stop()
		o.armed = false
	}
	if len(o.buf) > 0 && o.err == nil {
		_, o.err = o.w.Write(o.buf)
		o.failed.Store(o.err != nil)
	}
	o.buf = o.buf[:0]
	if cap(o.buf) > 2*full {
		o.buf = nil
	}
	o.written = time.Now()
}

// close writes what is left, and returns why the output could not be written.
func (o *output) close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.empty()
	return o.err
}

// broken reports whether nothing can be written any more.
func (o *output) broken() bool { return o.failed.Load() }

// closedPipe reports whether a write failed because the reader has gone.
func closedPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}

// errOutput writes whole lines, from any goroutine. Its errors are ignored:
// there is nowhere to tell them.
type errOutput struct {
	mu sync.Mutex
	w  io.Writer
}

func (e *errOutput) line(s string) { e.write(append([]byte(s), '\n')) }

// failure writes a failure for a person.
func (e *errOutput) failure(x explanation, color bool) {
	line := terminal.Clean(x.line)
	if x.fatal && color {
		line = "\x1b[31m" + line + "\x1b[0m"
	}
	e.line(line)
}

func (e *errOutput) write(b []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, _ = e.w.Write(b)
}
