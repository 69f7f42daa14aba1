package plain

import (
	"bufio"
	"errors"
	"io"
	"sync"
	"time"

	"pollux/internal/terminal"
)

// typed is a line that a person has entered.
type typed struct {
	text string // without the line end
	at   time.Time
	cut  bool  // it was longer
	err  error // there is no line; io.EOF for Ctrl+D
}

const (
	// maxLine is how long a line may be, in bytes.
	maxLine = 4 << 20
	// maxInbox is how much may lie in the inbox before no more is read.
	maxInbox = 8 << 20
)

// inbox reads lines as they come, so that it is known when each was typed.
type inbox struct {
	input *terminal.Input
	ready chan struct{} // has a value if there may be lines

	mu     sync.Mutex
	space  sync.Cond
	lines  []typed
	bytes  int
	closed bool
}

func newInbox(t *terminal.Terminal) *inbox {
	b := &inbox{input: t.Input(), ready: make(chan struct{}, 1)}
	b.space.L = &b.mu
	go b.read(t.InTTY)
	return b
}

// read reads until the input ends. A terminal goes on after Ctrl+D.
func (b *inbox) read(tty bool) {
	r := bufio.NewReaderSize(b.input, 64<<10)
	for {
		line := readLine(r)
		line.at = time.Now()
		if !b.put(line) || line.err != nil && !(tty && errors.Is(line.err, io.EOF)) {
			return
		}
	}
}

// readLine reads a line; what is too long of it is thrown away.
func readLine(r *bufio.Reader) typed {
	var text []byte
	var t typed
	for {
		part, err := r.ReadSlice('\n')
		if room := maxLine - len(text); len(part) > room+1 {
			part, t.cut = part[:room], true
		}
		text = append(text, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && len(text) == 0:
			t.err = err
			return t
		}
		// An input that does not end with a line end is over at the next read.
		if n := len(text); n > 0 && text[n-1] == '\n' {
			text = text[:n-1]
		}
		if n := len(text); n > 0 && text[n-1] == '\r' {
			text = text[:n-1]
		}
		t.text = string(text)
		return t
	}
}

func (b *inbox) put(t typed) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.bytes > maxInbox && !b.closed {
		b.space.Wait()
	}
	if b.closed {
		return false
	}
	b.lines = append(b.lines, t)
	b.bytes += len(t.text)
	select {
	case b.ready <- struct{}{}:
	default:
	}
	return true
}

// take returns the next line.
func (b *inbox) take() (typed, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.lines) == 0 {
		return typed{}, false
	}
	t := b.lines[0]
	b.lines = b.lines[1:]
	b.bytes -= len(t.text)
	b.space.Signal()
	return t, true
}

func (b *inbox) close() {
	b.input.Close()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.space.Broadcast()
}
