package tui

import (
	"bytes"
	"io"
	"time"

	"pollux/internal/crash"
	"pollux/internal/terminal"
)

// chunk is input of the terminal, with the time at which it arrived.
type chunk struct {
	bytes []byte
	at    time.Time
	// isHeld is set of input that may have come right after the previous one, and waited in the terminal because the loop was busy.
	isHeld bool
	err    error // after it, nothing comes
}

// reader reads the terminal in the background, so that each key has the time at which it was pressed.
type reader struct {
	input  *terminal.Input
	chunks chan chunk
	closed chan struct{}
}

// maxChunk is the size of one read, in bytes. The bytes of a large paste wait in the terminal while the loop is busy.
const maxChunk = 64 << 10

func newReader(t *terminal.Terminal) *reader {
	r := &reader{input: t.Input(), chunks: make(chan chunk, 4), closed: make(chan struct{})}
	go r.read()
	return r
}

func (r *reader) read() {
	defer crash.Recover()
	b := make([]byte, maxChunk)
	isHeld := false
	for {
		n, err := r.input.Read(b)
		if n == 0 && err == nil {
			err = io.EOF // in raw mode, Ctrl+D is a byte
		}
		c := chunk{bytes: bytes.Clone(b[:n]), at: time.Now(), isHeld: isHeld, err: err}
		isHeld = len(r.chunks) == cap(r.chunks)
		select {
		case r.chunks <- c:
		case <-r.closed:
			return
		}
		isHeld = isHeld && r.input.Follows(0)
		if err != nil {
			return
		}
	}
}

func (r *reader) close() {
	close(r.closed)
	r.input.Close()
}
