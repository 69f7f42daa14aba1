package httpwire

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

// MaxFrame is the largest size of a frame, and of a response without frames, in
// bytes.
const MaxFrame = 64 << 20

var (
	// ErrUnframed means that the server sends something other than an event
	// stream.
	ErrUnframed = errors.New("not an event stream")
	// ErrIncomplete means that the stream ended inside a frame.
	ErrIncomplete = errors.New("the stream ended inside a frame")
	// ErrBadLine means that a line of the stream is neither a field nor a comment.
	ErrBadLine = errors.New("a line is no field of an event")
	// ErrTooLarge means that a frame is larger than MaxFrame bytes.
	ErrTooLarge = errors.New("frame too large")
)

// Frames splits a stream of server-sent events into the data of its events.
// Lines end with \n, \r\n or \r, and a blank line ends an event. The result
// does not depend on how the network splits the stream. Comments and other
// fields are ignored; a line that is neither is an error.
//
// A field named "error" is read as data, which llama.cpp has put there.
//
// Several data lines of an event are joined without the line breaks that the
// standard requires: the data is JSON, where a line break between tokens has no
// meaning and one inside a string is an error.
type Frames struct {
	r       io.Reader
	buf     []byte
	head    int // buf[head:tail] is unread
	tail    int
	scanned int // bytes of buf[head:tail] that contain no line end
	readErr error

	hasRead bool   // a line was returned
	skipLF  bool   // the last line ended with \r, so a following \n belongs to it
	data    []byte // data of an event that was not complete with its first line
	inEvent bool
	limit   int
}

// framePool reuses the buffers of finished streams.
var framePool = sync.Pool{New: func() any { return &Frames{buf: make([]byte, 32<<10)} }}

// NewFrames returns a splitter of the stream r. Call Release when done.
func NewFrames(r io.Reader) *Frames {
	f := framePool.Get().(*Frames)
	*f = Frames{r: r, buf: f.buf, data: f.data[:0], limit: MaxFrame}
	return f
}

// Limit sets the largest size of a frame, in bytes. It is MaxFrame at first.
func (f *Frames) Limit(n int) { f.limit = n }

// Release returns the buffers for reuse. Data returned by Next is invalid
// afterwards.
func (f *Frames) Release() {
	if len(f.buf) > 1<<20 || cap(f.data) > 1<<20 {
		return
	}
	f.r = nil
	framePool.Put(f)
}

// Next returns the data of the next event that has any. The data is valid until
// the next call. At the end of the stream Next returns io.EOF; other errors are
// ErrUnframed, ErrIncomplete, ErrBadLine, ErrTooLarge and those of the reader.
func (f *Frames) Next() ([]byte, error) {
	f.data, f.inEvent = f.data[:0], false
	for {
		line, err := f.peekLine()
		if !f.inEvent && isDocumentStart(line) {
			return nil, ErrUnframed
		}
		if err == io.EOF && (f.inEvent || len(bytes.TrimSpace(line)) > 0) {
			return nil, ErrIncomplete
		}
		if err != nil {
			return nil, err
		}
		f.skipLine(len(line))
		if len(line) == 0 {
			if len(f.data) > 0 {
				return f.data, nil
			}
			f.inEvent = false
			continue
		}
		data, ok := bytes.CutPrefix(line, []byte("data"))
		if !ok {
			data, ok = bytes.CutPrefix(line, []byte("error"))
		}
		if !ok || len(data) > 0 && data[0] != ':' {
			if !isField(line) {
				return nil, ErrBadLine
			}
			continue
		}
		data = bytes.TrimPrefix(bytes.TrimPrefix(data, []byte(":")), []byte(" "))
		if !f.inEvent && f.skipBlankLine() {
			if len(data) > 0 {
				return data, nil // directly from the buffer
			}
			continue
		}
		f.inEvent = true
		f.data = append(f.data, data...)
		if len(f.data) > f.limit {
			return nil, ErrTooLarge
		}
	}
}

// isField reports whether line is a comment or a field with any name that consists
// of letters, digits, hyphens and underscores. A line of another kind is foreign
// text in the stream, which may hide a frame.
func isField(line []byte) bool {
	name, _, _ := bytes.Cut(line, []byte(":"))
	for _, c := range name {
		isLetter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !isLetter && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// isDocumentStart reports whether line begins a JSON or HTML document. No line
// of an event stream does.
func isDocumentStart(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	return len(line) > 0 && (line[0] == '{' || line[0] == '[' || line[0] == '<')
}

// Rest returns the unread rest of the stream. If it is longer than limit bytes,
// Rest returns the first limit bytes and ErrTooLarge.
func (f *Frames) Rest(limit int) ([]byte, error) {
	data := bytes.Clone(f.buf[f.head:f.tail])
	f.head = f.tail
	if f.readErr == nil {
		more, err := io.ReadAll(io.LimitReader(f.r, int64(limit+1)))
		data = append(data, more...)
		if err != nil {
			return data, err
		}
	}
	if len(data) > limit {
		return data[:limit], ErrTooLarge
	}
	return data, nil
}

// peekLine returns the next line without its end, and does not advance. With
// io.EOF it returns the text after the last line end. A byte order mark before the
// first line is skipped.
func (f *Frames) peekLine() ([]byte, error) {
	line, err := f.peekRawLine()
	if !f.hasRead {
		f.hasRead = true
		if rest, found := bytes.CutPrefix(line, []byte(byteOrderMark)); found {
			f.head += len(line) - len(rest)
			f.scanned = max(0, f.scanned-len(line)+len(rest))
			line = rest
		}
	}
	return line, err
}

const byteOrderMark = "\ufeff"

func (f *Frames) peekRawLine() ([]byte, error) {
	for {
		f.dropLF()
		if i := lineEnd(f.buf[f.head+f.scanned : f.tail]); i >= 0 {
			return f.buf[f.head : f.head+f.scanned+i], nil
		}
		f.scanned = f.tail - f.head
		if f.readErr != nil {
			return f.buf[f.head:f.tail], f.readErr
		}
		if f.scanned > f.limit {
			return nil, ErrTooLarge
		}
		f.fill()
	}
}

// lineEnd returns the index of the first \n or \r in b, or -1.
func lineEnd(b []byte) int {
	i := bytes.IndexByte(b, '\n')
	if i < 0 {
		return bytes.IndexByte(b, '\r')
	}
	if j := bytes.IndexByte(b[:i], '\r'); j >= 0 {
		return j
	}
	return i
}

// skipLine advances past a line of n bytes and its end.
func (f *Frames) skipLine(n int) {
	f.skipLF = f.buf[f.head+n] == '\r'
	f.head += n + 1
	f.scanned = 0
}

// dropLF advances past the \n of a \r\n whose \r ended the last line. It
// returns false if the next byte has not arrived yet.
func (f *Frames) dropLF() bool {
	if f.skipLF && f.head < f.tail {
		f.skipLF = false
		if f.buf[f.head] == '\n' {
			f.head++
		}
	}
	return !f.skipLF
}

// skipBlankLine advances past the next line if it is already known to be blank,
// and reports whether it did.
func (f *Frames) skipBlankLine() bool {
	if !f.dropLF() || f.head == f.tail {
		return false
	}
	if c := f.buf[f.head]; c != '\n' && c != '\r' {
		return false
	}
	f.skipLine(0)
	return true
}

// fill reads once. It stores an error until the data before it is used.
func (f *Frames) fill() {
	switch {
	case f.head == f.tail:
		f.head, f.tail = 0, 0
	case f.tail == len(f.buf) && f.head > 0:
		f.tail = copy(f.buf, f.buf[f.head:])
		f.head = 0
	}
	if f.tail == len(f.buf) {
		f.buf = append(f.buf, make([]byte, len(f.buf))...)
	}
	n, err := f.r.Read(f.buf[f.tail:])
	f.tail += n
	f.readErr = err
}
