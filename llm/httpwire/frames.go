package httpwire

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

// MaxFrame bounds one frame of a stream and one unframed answer.
const MaxFrame = 64 << 20

var (
	// ErrUnframed: the server sends something that is not an event stream.
	ErrUnframed = errors.New("not an event stream")
	// ErrLeftover: the stream ended inside a frame.
	ErrLeftover = errors.New("the stream ended inside a frame")
	// ErrHuge: a frame has more than MaxFrame bytes.
	ErrHuge = errors.New("frame too large")
)

// Frames splits a server-sent event stream into the data of its events. Lines
// end with \n, \r\n or \r, a blank line ends an event; where the network splits
// the bytes makes no difference. Comments and other fields are passed over.
//
// Several data lines make one event, joined without the line break that the
// standard puts between them: the data is JSON, to which a break between tokens
// is nothing and one inside a string is an error.
type Frames struct {
	r    io.Reader
	buf  []byte
	head int // buf[head:tail] is read and not used
	tail int
	seen int // how much of buf[head:tail] is known to hold no line end
	eof  error

	skipLF bool   // the last line ended with \r: a \n that follows belongs to it
	joined []byte // data of an event whose end was not in sight with its first line
	inside bool
	limit  int
}

// framePool keeps the buffers of streams that are over.
var framePool = sync.Pool{New: func() any { return &Frames{buf: make([]byte, 32<<10)} }}

// NewFrames returns the frames of r.
func NewFrames(r io.Reader) *Frames {
	f := framePool.Get().(*Frames)
	*f = Frames{r: r, buf: f.buf, joined: f.joined[:0], limit: MaxFrame}
	return f
}

// Release gives the buffers back. Nothing that Next returned may be used after it.
func (f *Frames) Release() {
	if len(f.buf) > 1<<20 || cap(f.joined) > 1<<20 {
		return
	}
	f.r = nil
	framePool.Put(f)
}

// Next returns the data of the next event that has any. It is good until the
// next call. At the end of the stream it returns io.EOF.
func (f *Frames) Next() ([]byte, error) {
	f.joined, f.inside = f.joined[:0], false
	for {
		line, err := f.line()
		if !f.inside && opensOther(line) {
			return nil, ErrUnframed
		}
		if err == io.EOF && (f.inside || len(bytes.TrimSpace(line)) > 0) {
			return nil, ErrLeftover
		}
		if err != nil {
			return nil, err
		}
		f.take(len(line))
		if len(line) == 0 {
			if len(f.joined) > 0 {
				return f.joined, nil
			}
			f.inside = false
			continue
		}
		data, ok := bytes.CutPrefix(line, []byte("data"))
		if !ok || len(data) > 0 && data[0] != ':' {
			continue
		}
		data = bytes.TrimPrefix(bytes.TrimPrefix(data, []byte(":")), []byte(" "))
		if !f.inside && f.blankFollows() {
			if len(data) > 0 {
				return data, nil // straight from the buffer
			}
			continue
		}
		f.inside = true
		f.joined = append(f.joined, data...)
		if len(f.joined) > f.limit {
			return nil, ErrHuge
		}
	}
}

// opensOther reports whether a line begins a JSON or HTML document, which no
// line of an event stream does.
func opensOther(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	return len(line) > 0 && (line[0] == '{' || line[0] == '[' || line[0] == '<')
}

// Rest returns all that is not used yet, at most limit bytes.
func (f *Frames) Rest(limit int) ([]byte, error) {
	data := bytes.Clone(f.buf[f.head:f.tail])
	f.head = f.tail
	if f.eof == nil {
		more, err := io.ReadAll(io.LimitReader(f.r, int64(limit+1)))
		data = append(data, more...)
		if err != nil {
			return data, err
		}
	}
	if len(data) > limit {
		return data[:limit], ErrHuge
	}
	return data, nil
}

// line returns the next line without its end. It stays where it is until take.
// With io.EOF it returns what is left behind the last line end.
func (f *Frames) line() ([]byte, error) {
	for {
		f.dropLF()
		if i := lineEnd(f.buf[f.head+f.seen : f.tail]); i >= 0 {
			return f.buf[f.head : f.head+f.seen+i], nil
		}
		f.seen = f.tail - f.head
		if f.eof != nil {
			return f.buf[f.head:f.tail], f.eof
		}
		if f.seen > f.limit {
			return nil, ErrHuge
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

// take uses up a line of n bytes and its end.
func (f *Frames) take(n int) {
	f.skipLF = f.buf[f.head+n] == '\r'
	f.head += n + 1
	f.seen = 0
}

// dropLF uses up the \n of a \r\n whose \r ended the last line. It reports
// whether that question is settled: the \n may not have arrived yet.
func (f *Frames) dropLF() bool {
	if f.skipLF && f.head < f.tail {
		f.skipLF = false
		if f.buf[f.head] == '\n' {
			f.head++
		}
	}
	return !f.skipLF
}

// blankFollows uses up the next line if it is known to be blank.
func (f *Frames) blankFollows() bool {
	if !f.dropLF() || f.head == f.tail {
		return false
	}
	if c := f.buf[f.head]; c != '\n' && c != '\r' {
		return false
	}
	f.take(0)
	return true
}

// fill reads more, once; an error is kept until what came before it is used.
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
	f.eof = err
}
