package plain

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"pollux/internal/crash"
	"pollux/internal/terminal"
)

// inputLine is a line of input, a paste, or the error that ended the input.
type inputLine struct {
	text        string // without the line end, except that of a paste
	at          time.Time
	pasted      int   // number of lines of a paste, 0 for a typed line
	isTruncated bool  // the input was longer than maxLine
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
// typed. It recognizes pasted text, which arrives faster than a person types.
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
	defer crash.Recover()
	r := bufio.NewReaderSize(b.input, 64<<10)
	for {
		line := readLine(r)
		line.at = time.Now()
		line.isCut = limit > 0 && len(line.text) >= limit
		var end error
		if tty && line.err == nil {
			end = b.readPaste(r, &line, limit)
		}
		if !b.put(line) || end != nil && !b.put(inputLine{at: time.Now(), err: end}) {
			return
		}
		if err := cmp.Or(line.err, end); err != nil && !(tty && errors.Is(err, io.EOF)) {
			return
		}
	}
}

// readPaste turns a line into a paste if more text follows at once: whole lines, or the beginning of a line. A single
// line between empty ones stays a typed line. readPaste returns the error that ended the input.
func (b *inbox) readPaste(r *bufio.Reader, line *inputLine, limit int) (err error) {
	var text strings.Builder
	text.WriteString(line.text + "\n")
	line.pasted = 1
	for err == nil && (r.Buffered() > 0 || b.input.Follows(batchWindow)) {
		next := readLine(r)
		if err = next.err; err != nil {
			break
		}
		line.isCut = line.isCut || limit > 0 && len(next.text) >= limit
		if line.isTruncated = line.isTruncated || next.isTruncated || text.Len()+len(next.text) > maxLine; !line.isTruncated {
			text.WriteString(next.text + "\n")
			line.pasted++
		}
	}
	rest := b.input.TakeUnfinished()
	line.isCut = line.isCut || limit > 0 && len(rest) >= limit
	if single := strings.Trim(text.String(), "\n"); len(rest) == 0 && !strings.Contains(single, "\n") {
		line.text, line.pasted = single, 0
		return err
	}
	if len(rest) > 0 {
		text.Write(rest)
		line.pasted++
	}
	line.text = text.String()
	return err
}

// readLine reads a line, and discards the part beyond maxLine.
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
		t.text = strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
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
	b.signal()
	return true
}

func (b *inbox) signal() {
	select {
	case b.ready <- struct{}{}:
	default:
	}
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
