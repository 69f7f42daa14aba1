package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// MaxLine is the size of the longest line that is read, in bytes.
const MaxLine = 64 << 20

// errTooLong is the error for a line longer than the limit. The reader has skipped it.
var errTooLong = errors.New("the line is too long")

// lines reads lines of at most limit bytes.
type lines struct {
	in    *bufio.Reader
	limit int
}

func newLines(in io.Reader, limit int) *lines { return &lines{bufio.NewReaderSize(in, 64<<10), limit} }

// next returns the next line that is not blank, without space around it. The last line need not end with a line break.
func (l *lines) next() ([]byte, error) {
	for {
		line, err := l.read()
		if line = bytes.TrimSpace(line); len(line) > 0 || err != nil {
			return line, err
		}
	}
}

func (l *lines) read() (line []byte, err error) {
	for isTooLong := false; ; {
		piece, err := l.in.ReadSlice('\n')
		if isTooLong = isTooLong || len(line)+len(bytes.TrimRight(piece, "\r\n")) > l.limit; !isTooLong {
			line = append(line, piece...)
		} else {
			line = nil
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case isTooLong && (err == nil || errors.Is(err, io.EOF)):
			return nil, errTooLong
		case errors.Is(err, io.EOF) && len(bytes.TrimSpace(line)) > 0:
			return line, nil // the end comes with the next call
		}
		return line, err
	}
}
