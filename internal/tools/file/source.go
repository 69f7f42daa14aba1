package file

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"pollux/internal/charset"
)

// source is the data of a file. A text that may be UTF-8 is read in pieces, everything else as a
// whole, because its encoding depends on all of it.
type source struct {
	rest  io.Reader
	again func() ([]byte, error) // reads the whole file again
	head  []byte                 // the first bytes of rest
	data  []byte                 // all, if it was read
	enc   charset.Encoding       // as far as it is known
	// isBegun reports that enc is known by the beginning of the file.
	isBegun bool
	err     error
}

// begin reads the first bytes of a file of about size bytes.
func (s *source) begin(size int64) error {
	in := bufio.NewReaderSize(s.rest, int(max(charset.HeadSize, min(size+1, 32<<10))))
	head, err := in.Peek(charset.HeadSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	s.rest, s.head = in, head
	return nil
}

// all reads the whole file, of about size bytes. It sets s.err.
func (s *source) all(size int64) []byte {
	if s.data == nil && s.err == nil {
		var b bytes.Buffer
		b.Grow(int(size) + bytes.MinRead)
		_, s.err = b.ReadFrom(s.rest)
		s.data = b.Bytes()
	}
	return s.data
}

// isBinary reports whether the file is not text. It sets s.err if it cannot be read.
func (s *source) isBinary() bool {
	isWhole := len(s.head) < charset.HeadSize
	e, ok := charset.DetectHead(s.head, isWhole)
	if !ok && !charset.BeginsUTF8(s.head, isWhole) {
		e = charset.Detect(s.all(int64(len(s.head))))
	}
	s.enc, s.isBegun = e, true
	return !e.IsText()
}

// text returns the lines from first to last.
func (s *source) text(ctx context.Context, first, last int) (window, error) {
	if !s.isBegun {
		s.enc, _ = charset.DetectHead(s.head, len(s.head) < charset.HeadSize)
	}
	if s.data == nil && s.enc.IsUTF8() {
		if s.enc.HasMark() {
			_, _ = io.CopyN(io.Discard, s.rest, int64(len(charset.UTF8Mark))) // head has it
		}
		w, err := readWindow(ctx, charset.NewUTF8Reader(s.rest), first, last)
		if !errors.Is(err, charset.ErrNotUTF8) {
			return w, err
		}
		if s.data, err = s.again(); err != nil {
			return window{}, err
		}
		s.enc = charset.Detect(s.data)
	}
	data := s.all(0)
	if s.err != nil {
		return window{}, s.err
	}
	return readWindow(ctx, strings.NewReader(s.enc.Decode(data)), first, last)
}
