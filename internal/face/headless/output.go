package headless

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"pollux/internal/terminal"
)

// output is a buffered writer for small chunks. It writes a chunk after a pause at once, and joins chunks that follow
// within batchWindow, so that a user sees an answer grow and a burst of chunks needs few system calls. A slow reader
// blocks the run; the buffer stays small.
type output struct {
	mu      sync.Mutex
	w       io.Writer
	buf     []byte
	midLine bool        // the last byte was not a line feed
	err     error       // of the first failed write; no writes follow it
	failed  atomic.Bool // err is set; readable while a write blocks
	written time.Time   // time of the last write
	timer   *time.Timer
	armed   bool
	// width returns the columns at which text is broken, 0 to break none; nil is 0.
	width   func() int
	wrapper terminal.Wrapper
}

const (
	batchWindow = 5 * time.Millisecond
	maxBuffer   = 32 << 10
)

func newOutput(w io.Writer) *output { return &output{w: w} }

// writeString writes a piece of text, broken at the width of the terminal. It holds an incomplete word back.
func (o *output) writeString(s string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.width != nil {
		if columns := o.width(); columns > 0 {
			s = o.wrapper.Add(s, columns)
		} else {
			s = o.wrapper.Flush(0) + s
		}
	}
	add(o, s)
}

func add[T string | []byte](o *output, s T) {
	if len(s) == 0 || o.err != nil {
		return
	}
	o.buf = append(o.buf, s...)
	o.afterWrite(s[len(s)-1])
}

func (o *output) writeJSON(b []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	add(o, b)
}

// afterWrite writes the buffer if it is full or if some time has passed since the last write, else it starts the timer.
func (o *output) afterWrite(last byte) {
	o.midLine = last != '\n'
	if len(o.buf) >= maxBuffer {
		o.writeOut()
		return
	}
	if o.armed {
		return
	}
	idle := time.Since(o.written)
	switch {
	case idle >= batchWindow:
		o.writeOut()
		return
	case o.timer == nil:
		o.timer = time.AfterFunc(batchWindow-idle, o.flush)
	default:
		o.timer.Reset(batchWindow - idle)
	}
	o.armed = true
}

// endLine adds a line feed if the output does not end with one.
func (o *output) endLine() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.width != nil {
		add(o, o.wrapper.Flush(o.width()))
		o.wrapper = terminal.Wrapper{}
	}
	if o.midLine {
		add(o, "\n")
	}
}

func (o *output) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.writeOut()
}

func (o *output) writeOut() {
	if o.armed {
		o.timer.Stop()
		o.armed = false
	}
	if len(o.buf) > 0 && o.err == nil {
		_, o.err = o.w.Write(o.buf)
		o.failed.Store(o.err != nil)
	}
	o.buf = o.buf[:0]
	if cap(o.buf) > 2*maxBuffer {
		o.buf = nil
	}
	o.written = time.Now()
}

// close writes the buffer and returns the error of the first failed write.
func (o *output) close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.writeOut()
	return o.err
}

func (o *output) hasFailed() bool { return o.failed.Load() }

// isClosedPipe reports whether a write failed because the reader has closed the pipe.
func isClosedPipe(err error) bool {
	return terminal.IsClosedPipe(err) || errors.Is(err, io.ErrClosedPipe)
}

// errOutput writes whole lines and is safe for concurrent use. It ignores write errors.
type errOutput struct {
	w     *terminal.Writer
	width func() int // columns at which lines are broken, 0 to break none; nil is 0
}

func (e *errOutput) line(s string) { fmt.Fprintln(e.w, e.wrap(s)) }

func (e *errOutput) wrap(s string) string {
	if e.width == nil {
		return s
	}
	return terminal.Wrap(s, e.width())
}

// printFailure writes the message of a failure for people, in red if the failure is fatal and color is set.
func (e *errOutput) printFailure(x explanation, color bool) {
	line := terminal.Visible(x.line)
	if x.isFatal && color {
		fmt.Fprintln(e.w.Styled(), terminal.Style(terminal.Red, e.wrap(line)))
		return
	}
	e.line(line)
}
