package httpwire

import (
	"io"
	"unsafe"
)

// Body is a request body made of pieces: the cached encodings of messages, and
// the text between them. It does not copy the pieces.
type Body struct {
	pieces [][]byte
	size   int64
}

// NewBody returns an empty body with capacity for n pieces.
func NewBody(n int) *Body { return &Body{pieces: make([][]byte, 0, n)} }

// Add appends a piece. The caller must not modify it afterwards.
func (b *Body) Add(piece []byte) {
	if len(piece) > 0 {
		b.pieces = append(b.pieces, piece)
		b.size += int64(len(piece))
	}
}

// Text appends s.
func (b *Body) Text(s string) {
	b.Add(unsafe.Slice(unsafe.StringData(s), len(s))) // pieces are only read
}

// Size returns the number of bytes added so far.
func (b *Body) Size() int64 { return b.size }

// Reader returns a new reader of the whole body.
func (b *Body) Reader() io.ReadCloser { return &bodyReader{pieces: b.pieces} }

type bodyReader struct {
	pieces [][]byte
	offset int // within pieces[0]
}

func (r *bodyReader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(r.pieces) == 0 {
			if n == 0 && len(p) > 0 {
				return 0, io.EOF
			}
			return n, nil
		}
		copied := copy(p[n:], r.pieces[0][r.offset:])
		n += copied
		r.offset += copied
		if r.offset == len(r.pieces[0]) {
			r.pieces, r.offset = r.pieces[1:], 0
		}
	}
	return n, nil
}

func (r *bodyReader) Close() error { return nil }
