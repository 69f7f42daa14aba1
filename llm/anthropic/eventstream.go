package anthropic

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"sync"

	"github.com/go-faster/jx"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// A frame of Amazon's event stream is, its numbers in big endian:
//
//	4 bytes  length of all of it
//	4 bytes  length of the headers
//	4 bytes  CRC-32 of these eight
//	         headers: name and value, of a type each
//	         payload
//	4 bytes  CRC-32 of all before
const (
	framePrelude = 12
	frameLeast   = framePrelude + 4
	maxHeaders   = 128 << 10
	maxFrame     = frameLeast + maxHeaders + 16<<20
)

var (
	errFrame    = errors.New("not a frame of an event stream")
	errChecksum = errors.New("the checksum of a frame is wrong")
	errCut      = errors.New("the stream ended inside a frame")
)

// frames splits Amazon's event stream into the events of the protocol.
type frames struct {
	r          io.Reader
	buf        []byte
	head, tail int // buf[head:tail] is read and not used
	err        error

	headers, payload []byte // of the frame that was read last
	data             []byte
	d                *jx.Decoder
	member           func(*jx.Decoder, []byte) error
}

// frameBuffers keeps the buffers of streams that are over.
var frameBuffers = sync.Pool{New: func() any { return &frames{buf: make([]byte, 32<<10)} }}

func newFrames(r io.Reader) *frames {
	f := frameBuffers.Get().(*frames)
	*f = frames{r: r, buf: f.buf, data: f.data[:0], d: jx.GetDecoder()}
	f.member = f.takeBytes // made once, not for each frame
	return f
}

// release gives the buffers back. No event may be used after it.
func (f *frames) release() {
	jx.PutDecoder(f.d)
	f.d = nil
	if len(f.buf) <= 1<<20 && cap(f.data) <= 1<<20 {
		f.r = nil
		frameBuffers.Put(f)
	}
}

// event returns the event in the next frame, none where it has another purpose.
// It is good until the next call. io.EOF is the end of the stream, an
// [*llm.Error] what an exception says.
func (f *frames) event() ([]byte, error) {
	if err := f.next(); err != nil {
		return nil, err
	}
	kind, err := f.header(":message-type")
	if err != nil {
		return nil, err
	}
	switch string(kind) {
	case "event":
		if name, err := f.header(":event-type"); string(name) != "chunk" || err != nil {
			return nil, err
		}
		return f.chunk()
	case "exception":
		name, err := f.header(":exception-type")
		if err != nil {
			return nil, err
		}
		return nil, namedError(parseException(string(name), f.payload), f.payload)
	case "error":
		name, err := f.header(":error-code")
		if err != nil {
			return nil, err
		}
		message, err := f.header(":error-message")
		if err != nil {
			return nil, err
		}
		return nil, namedError(apiError{Type: string(name), Message: string(message)}, nil)
	}
	return nil, nil
}

// chunk decodes {"bytes":"<base64>"}.
func (f *frames) chunk() ([]byte, error) {
	f.data = f.data[:0]
	f.d.ResetBytes(f.payload)
	if err := f.d.ObjBytes(f.member); err != nil {
		return nil, httpwire.Malformed("chunk", err, f.payload)
	}
	return f.data, nil
}

func (f *frames) takeBytes(d *jx.Decoder, key []byte) error {
	if string(key) != "bytes" || d.Next() != jx.String {
		return d.Skip()
	}
	text, err := d.StrBytes()
	if err != nil {
		return err
	}
	f.data, err = base64.StdEncoding.AppendDecode(f.data[:0], text)
	return err
}

// next reads a frame, whose headers and payload are good until the next one.
func (f *frames) next() error {
	if err := f.need(framePrelude); err != nil {
		return err
	}
	prelude := f.buf[f.head : f.head+framePrelude]
	all, headers := int64(binary.BigEndian.Uint32(prelude)), int64(binary.BigEndian.Uint32(prelude[4:]))
	if crc32.ChecksumIEEE(prelude[:8]) != binary.BigEndian.Uint32(prelude[8:]) || headers > all-frameLeast {
		return errFrame
	}
	if headers > maxHeaders || all > maxFrame {
		return httpwire.ErrHuge
	}
	if err := f.need(int(all)); err != nil {
		return err
	}
	frame := f.buf[f.head : f.head+int(all)]
	body := frame[:all-4]
	if crc32.ChecksumIEEE(body) != binary.BigEndian.Uint32(frame[all-4:]) {
		return errChecksum
	}
	f.headers, f.payload = body[framePrelude:framePrelude+headers], body[framePrelude+headers:]
	f.head += int(all)
	return nil
}

// need reads until there are n bytes. Memory grows with what has arrived, not
// with what a frame says of itself.
func (f *frames) need(n int) error {
	for f.tail-f.head < n {
		if f.err == io.EOF && f.tail > f.head {
			return errCut
		}
		if f.err != nil {
			return f.err
		}
		if f.head > 0 && len(f.buf)-f.head < n {
			f.tail = copy(f.buf, f.buf[f.head:f.tail])
			f.head = 0
		}
		if f.tail == len(f.buf) {
			f.buf = append(f.buf, make([]byte, len(f.buf))...)
		}
		var read int
		read, f.err = f.r.Read(f.buf[f.tail:])
		f.tail += read
	}
	return nil
}

// header returns the text of a frame's header, nothing where it has none of this
// name; the last one counts.
func (f *frames) header(name string) (text []byte, err error) {
	for rest := f.headers; len(rest) > 0; {
		n := int(rest[0])
		if len(rest) < n+2 {
			return nil, errFrame
		}
		key, kind := rest[1:1+n], rest[1+n]
		size, prefix := headerSize(kind, rest[2+n:])
		if size < 0 || len(rest) < 2+n+prefix+size {
			return nil, errFrame
		}
		if string(key) == name {
			text = nil
			if kind == 7 {
				text = rest[2+n+prefix:][:size]
			}
		}
		rest = rest[2+n+prefix+size:]
	}
	return text, nil
}

// headerSize returns how long a value of this type is, -1 where there is no such
// type, and how many bytes before it say so.
func headerSize(kind byte, rest []byte) (size, prefix int) {
	switch kind {
	case 0, 1: // true, false
		return 0, 0
	case 2:
		return 1, 0
	case 3:
		return 2, 0
	case 4:
		return 4, 0
	case 5, 8: // a long number, a time
		return 8, 0
	case 9: // a UUID
		return 16, 0
	case 6, 7: // bytes, text
		if len(rest) < 2 {
			return -1, 0
		}
		return int(binary.BigEndian.Uint16(rest)), 2
	}
	return -1, 0
}

// frameError says what went wrong with a stream.
func frameError(r *httpwire.Response, err error) error {
	var said *llm.Error
	switch {
	case errors.As(err, &said):
		return err
	case err == errCut:
		return &llm.Error{Kind: llm.KindIncomplete, Message: "Incomplete JSON segment at the end of the stream", Err: err}
	case err == errFrame, err == errChecksum, err == httpwire.ErrHuge:
		return httpwire.Malformed("frame", err, nil)
	}
	return r.NetworkError("read the answer from", err)
}
