package display

import (
	"bytes"
	"io"
	"strings"
	"time"

	"pollux/internal/crash"
	"pollux/internal/face/tui/keys"
	"pollux/internal/terminal"
)

// Chunk is input of the terminal, with the time at which it arrived.
type Chunk struct {
	bytes []byte
	at    time.Time
	// isHeld is set of input that may have come right after the previous one, and waited in the terminal because the loop was busy.
	isHeld bool
	Err    error // after it, nothing comes
}

// reader reads the terminal in the background, so that each key has the time at which it was pressed.
type reader struct {
	input  *terminal.Input
	chunks chan Chunk
	closed chan struct{}
}

// maxChunk is the size of one read, in bytes. The bytes of a large paste wait in the terminal while the loop is busy.
const maxChunk = 64 << 10

func newReader(t *terminal.Terminal) *reader {
	r := &reader{input: t.Input(), chunks: make(chan Chunk, 4), closed: make(chan struct{})}
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
		c := Chunk{bytes: bytes.Clone(b[:n]), at: time.Now(), isHeld: isHeld, Err: err}
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

// Chunks returns the channel with the input. The caller passes each chunk to [Display.Decode].
func (d *Display) Chunks() <-chan Chunk { return d.reader.chunks }

// Decode returns the keys and reports in a chunk.
func (d *Display) Decode(c Chunk) []keys.Event {
	if c.isHeld {
		d.decoder.Extend(c.at)
	}
	return d.decoder.Feed(c.bytes, c.at)
}

// Flush returns the keys that are complete because nothing has followed until now. It reports false while chunks wait, because the rest of a
// key may have come in time.
func (d *Display) Flush(now time.Time) ([]keys.Event, bool) {
	if len(d.reader.chunks) > 0 {
		return nil, false
	}
	return d.decoder.Flush(now), true
}

// awaitReplies gives read the input until isDone returns true, for at most a time.
func (d *Display) awaitReplies(most time.Duration, read func(Chunk), isDone func() bool) {
	late := time.NewTimer(most)
	defer late.Stop()
	for !isDone() {
		select {
		case c := <-d.reader.chunks:
			if read(c); c.Err != nil {
				return
			}
		case <-late.C:
			return
		}
	}
}

// isGreek reports whether the user writes Greek.
func isGreek(getenv func(string) string) bool {
	for _, name := range [...]string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := getenv(name); value != "" {
			return strings.HasPrefix(value, "el")
		}
	}
	return false
}
