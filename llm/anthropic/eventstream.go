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

// A frame of an AWS event stream has this layout, with numbers in big endian:
//
//	4 bytes  length of the frame
//	4 bytes  length of the headers
//	4 bytes  CRC-32 of the first eight bytes
//	         headers: names and typed values
//	         payload
//	4 bytes  CRC-32 of all previous bytes
const (
	framePrelude = 12
	minFrame     = framePrelude + 4
	maxHeaders   = 128 << 10
	maxFrame     = minFrame + maxHeaders + 16<<20
)

var (
	errBadFrame  = errors.New("not a frame of an event stream")
	errChecksum  = errors.New("the checksum of a frame is wrong")
	errTruncated = errors.New("the stream ended inside a frame")
)

// frameReader reads the events of the protocol from an AWS event stream.
type frameReader struct {
	r          io.Reader
	buf        []byte
	head, tail int // buf[head:tail] is read but not parsed
	err        error

	headers, payload []byte // of the current frame
	data             []byte
	d                *jx.Decoder
	member           func(*jx.Decoder, []byte) error
}

// frameBuffers pools the buffers of finished streams.
var frameBuffers = sync.Pool{New: func() any { return &frameReader{buf: make([]byte, 32<<10)} }}

func newFrameReader(r io.Reader) *frameReader {
	f := frameBuffers.Get().(*frameReader)
	*f = frameReader{r: r, buf: f.buf, data: f.data[:0], d: jx.GetDecoder()}
	f.member = f.decodeBytes // made once, not for each frame
	return f
}

// release returns the buffers to the pool. No event may be used after that.
func (f *frameReader) release() {
	jx.PutDecoder(f.d)
	f.d = nil
	if len(f.buf) <= 1<<20 && cap(f.data) <= 1<<20 {
		f.r = nil
		frameBuffers.Put(f)
	}
}

// nextEvent returns the event in the next frame, nil if the frame holds no event. The
// event is valid until the next call. The error is io.EOF at the end of the stream,
// and an [*llm.Error] for an exception.
func (f *frameReader) nextEvent() ([]byte, error) {
	if err := f.readFrame(); err != nil {
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
		return f.decodeChunk()
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

// decodeChunk returns the event in the payload {"bytes":"<base64>"}.
func (f *frameReader) decodeChunk() ([]byte, error) {
	f.data = f.data[:0]
	f.d.ResetBytes(f.payload)
	if err := f.d.ObjBytes(f.member); err != nil {
		return nil, httpwire.Malformed("chunk", err, f.payload)
	}
	return f.data, nil
}

func (f *frameReader) decodeBytes(d *jx.Decoder, key []byte) error {
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

// readFrame reads the next frame. Its headers and payload are valid until the next
// call.
func (f *frameReader) readFrame() error {
	if err := f.fill(framePrelude); err != nil {
		return err
	}
	prelude := f.buf[f.head : f.head+framePrelude]
	all, headers := int64(binary.BigEndian.Uint32(prelude)), int64(binary.BigEndian.Uint32(prelude[4:]))
	if crc32.ChecksumIEEE(prelude[:8]) != binary.BigEndian.Uint32(prelude[8:]) || headers > all-minFrame {
		return errBadFrame
	}
	if headers > maxHeaders || all > maxFrame {
		return httpwire.ErrTooLarge
	}
	if err := f.fill(int(all)); err != nil {
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

// fill reads until n bytes are buffered. The buffer grows only with bytes that have
// arrived, whatever length a frame claims.
func (f *frameReader) fill(n int) error {
	for f.tail-f.head < n {
		if f.err == io.EOF && f.tail > f.head {
			return errTruncated
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

// header returns the string value of a header of the frame, nil if there is none. If
// the name occurs several times, the last value counts.
func (f *frameReader) header(name string) (text []byte, err error) {
	for rest := f.headers; len(rest) > 0; {
		n := int(rest[0])
		if len(rest) < n+2 {
			return nil, errBadFrame
		}
		key, kind := rest[1:1+n], rest[1+n]
		size, prefix := headerSize(kind, rest[2+n:])
		if size < 0 || len(rest) < 2+n+prefix+size {
			return nil, errBadFrame
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

// headerSize returns the size of a header value of this type and the size of its
// length prefix. The size is -1 for an unknown type.
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
	case 5, 8: // 64-bit integer, timestamp
		return 8, 0
	case 9: // UUID
		return 16, 0
	case 6, 7: // bytes, string
		if len(rest) < 2 {
			return -1, 0
		}
		return int(binary.BigEndian.Uint16(rest)), 2
	}
	return -1, 0
}

// frameError returns the [llm.Error] for an error while reading a stream.
func frameError(r *httpwire.Response, err error) error {
	var apiErr *llm.Error
	switch {
	case errors.As(err, &apiErr):
		return err
	case err == errTruncated:
		return &llm.Error{Kind: llm.KindIncomplete, Message: "Incomplete JSON segment at the end of the stream", Err: err}
	case err == errBadFrame, err == errChecksum, err == httpwire.ErrTooLarge:
		return httpwire.Malformed("frame", err, nil)
	}
	return r.NetworkError(err)
}
