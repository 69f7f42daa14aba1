package plain

import (
	"bufio"
	"errors"
	"io"
	"sync"
	"time"

	"pollux/internal/terminal"
)

// inputLine is a line of input, or the error that ended the input.
type inputLine struct {
	text        string // without the line end
	at          time.Time
	isTruncated bool  // the line was longer than maxLine
	isCut       bool  // the terminal may have cut the line
	err         error // io.EOF for Ctrl+D; text is empty
}

const (
	// maxLine is the length of the longest line, in bytes.
	maxLine = 4 << 20
	// maxInbox is the size of unread lines, in bytes, at which reading pauses.
	maxInbox = 8 << 20
)

// inbox reads lines in the background, so that each line has the time at which it was
// typed.
type inbox struct {
	input *terminal.Input
	ready chan struct{} // receives a value when lines arrive

	mu     sync.Mutex
	space  sync.Cond
	lines  []inputLine
	bytes  int
	closed bool
}

func newInbox(t *terminal.Terminal) *inbox {
	b := &inbox{input: t.Input(), ready: make(chan struct{}, 1)}
	b.space.L = &b.mu
	go b.read(t.InTTY, t.LineLimit())
	return b
}

// read reads lines until the input ends or the inbox is closed. Ctrl+D does not end a
// terminal. A line of limit bytes may have been cut; 0 means that lines are not cut.
func (b *inbox) read(tty bool, limit int) {
	r := bufio.NewReaderSize(b.input, 64<<10)
	for {
		line := readLine(r)
		line.at = time.Now()
		line.isCut = limit > 0 && len(line.text) >= limit
		if !b.put(line) || line.err != nil && !(tty && errors.Is(line.err, io.EOF)) {
			return
		}
	}
}

// readLine reads a line, and discards what exceeds maxLine.
func readLine(r *bufio.Reader) inputLine {
	var text []byte
	var t inputLine
	for {
		part, err := r.ReadSlice('\n')
		if room := maxLine - len(text); len(part) > room+1 {
			part, t.isTruncated = part[:room], true
		}
		text = append(text, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && len(text) == 0:
			t.err = err
			return t
		}
		// Without a final line feed, the next read reports the end of the input.
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

func (b *inbox) put(t inputLine) bool {
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

// take removes and returns the next line.
func (b *inbox) take() (inputLine, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.lines) == 0 {
		return inputLine{}, false
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
