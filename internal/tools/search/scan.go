package search

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// readSize is the initial size of the read buffer.
	readSize = 128 << 10
	// maxLine limits the length of a line, in bytes. A longer line is searched in pieces of
	// this size.
	maxLine = 4 << 20
	// keptLine limits the kept part of a line, in bytes. It is more than results show.
	keptLine = 16 << 10
)

// hit is a matching line.
type hit struct {
	line int // line number, from 1
	text string
}

// scanner searches one file at a time.
type scanner struct {
	open func(path string) (io.ReadCloser, error)
	buf  []byte
}

// eachChunk calls fn with the lines of a file, many at a time, and the number of the first.
// Each line ends with a line break, except possibly the last line of the file. The buffer is
// reused after fn returns. eachChunk returns errBinary if the file contains a NUL.
//
// A file with a UTF-16 byte order mark is converted to UTF-8.
func (s *scanner) eachChunk(ctx context.Context, path string, fn func(lines []byte, first int) error) error {
	f, err := s.open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if s.buf == nil {
		s.buf = make([]byte, readSize)
	}
	var r io.Reader = f
	n, eof, err := fill(r, s.buf)
	if err != nil {
		return err
	}
	if order := utf16Order(s.buf[:n]); order != nil {
		r = &utf16Reader{r: io.MultiReader(bytes.NewReader(bytes.Clone(s.buf[2:n])), f), order: order}
		if n, eof, err = fill(r, s.buf); err != nil {
			return err
		}
	} else if bytes.HasPrefix(s.buf[:n], []byte("\ufeff")) {
		n = copy(s.buf, s.buf[3:n])
	}
	checked, line := 0, 1
	for {
		if bytes.IndexByte(s.buf[checked:n], 0) >= 0 {
			return errBinary
		}
		whole := n
		if !eof {
			whole = bytes.LastIndexByte(s.buf[checked:n], '\n') + 1
			if whole > 0 {
				whole += checked
			} else if n >= maxLine {
				whole = n
			}
		}
		if whole > 0 {
			if err := fn(s.buf[:whole], line); err != nil {
				return err
			}
			line += bytes.Count(s.buf[:whole], []byte{'\n'})
		}
		if eof {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		n = copy(s.buf, s.buf[whole:n])
		checked = n
		if n == len(s.buf) {
			s.buf = append(s.buf, make([]byte, len(s.buf))...)
		}
		more, end, err := fill(r, s.buf[n:])
		if err != nil {
			return err
		}
		n, eof = n+more, end
	}
}

var (
	errBinary  = errors.New("the file is binary")
	errIgnored = errors.New("the file is hidden by the project's ignore files: set no_ignore to search it")
	errEnough  = errors.New("enough was found")
)

// fill reads until buf is full or the file ends.
func fill(r io.Reader, buf []byte) (n int, eof bool, err error) {
	for n < len(buf) {
		m, err := r.Read(buf[n:])
		n += m
		if errors.Is(err, io.EOF) {
			return n, true, nil
		}
		if err != nil {
			return n, false, err
		}
	}
	return n, false, nil
}

// skippedError is the reason why a file was not searched. Other errors end the search.
type skippedError struct{ err error }

func (u *skippedError) Error() string { return u.err.Error() }

func (u *skippedError) Unwrap() error { return u.err }

// search returns at most limit lines of a file that match p and do not match exclude. The
// error for a file that is binary or cannot be read is [*skippedError].
func (s *scanner) search(ctx context.Context, path string, p, exclude *pattern, limit int) ([]hit, error) {
	var hits []hit
	var failed error
	err := s.eachChunk(ctx, path, func(lines []byte, number int) error {
		counted := 0
		for at := 0; at < len(lines); {
			start, end, err := p.find(lines, at)
			if err != nil {
				failed = err
				return err
			}
			if start < 0 {
				return nil
			}
			if len(hits) == limit {
				return errEnough
			}
			number += bytes.Count(lines[counted:start], []byte{'\n'})
			counted, at = start, end+1
			text := lines[start:min(end, start+keptLine)]
			if excluded, err := exclude.matchesLine(text); err != nil {
				failed = err
				return err
			} else if excluded {
				continue
			}
			hits = append(hits, hit{number, lineText(text)})
		}
		return nil
	})
	if failed != nil {
		return nil, failed
	}
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil && !errors.Is(err, errEnough) {
		return nil, &skippedError{err}
	}
	return hits, nil
}

// confirm returns the hits, found by another program, that are in the file which s opens at
// path. The error is [*skippedError].
func (s *scanner) confirm(ctx context.Context, path string, hits []hit) ([]hit, error) {
	confirmed := hits[:0]
	next := 0
	err := s.eachChunk(ctx, path, func(lines []byte, number int) error {
		for ; len(lines) > 0 && next < len(hits); number++ {
			line, rest, _ := bytes.Cut(lines, []byte{'\n'})
			lines = rest
			if h := hits[next]; h.line == number {
				if lineText(line[:min(len(line), keptLine)]) == h.text {
					confirmed = append(confirmed, h)
				}
				next++
			}
		}
		if next == len(hits) {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, &skippedError{err}
	}
	return confirmed, nil
}

// matchesLine reports whether p matches the line. It returns false if p is nil.
func (p *pattern) matchesLine(line []byte) (bool, error) {
	if p == nil {
		return false, nil
	}
	return p.matchLine(line)
}

// lineText returns a line as valid UTF-8 without white space at its end.
func lineText(line []byte) string {
	return strings.TrimRightFunc(strings.ToValidUTF8(string(line), "\ufffd"), func(r rune) bool {
		return unicode.IsSpace(r) || r == '\ufeff'
	})
}

// utf16Order returns the function that combines two bytes in the byte order of b's byte order
// mark, or nil if b does not start with a UTF-16 byte order mark.
func utf16Order(b []byte) func(a, b byte) uint16 {
	switch {
	case bytes.HasPrefix(b, []byte{0xff, 0xfe}):
		return func(a, b byte) uint16 { return uint16(a) | uint16(b)<<8 }
	case bytes.HasPrefix(b, []byte{0xfe, 0xff}):
		return func(a, b byte) uint16 { return uint16(a)<<8 | uint16(b) }
	}
	return nil
}

// utf16Reader converts UTF-16 to UTF-8.
type utf16Reader struct {
	r     io.Reader
	order func(a, b byte) uint16
	out   []byte // not yet read
	in    [4096]byte
	rest  int // bytes at the start of in that are part of a character
	err   error
}

func (u *utf16Reader) Read(p []byte) (int, error) {
	for len(u.out) == 0 {
		if u.err != nil {
			return 0, u.err
		}
		u.decode()
	}
	n := copy(p, u.out)
	u.out = u.out[n:]
	return n, nil
}

func (u *utf16Reader) decode() {
	n, eof, err := fill(u.r, u.in[u.rest:])
	n += u.rest
	if u.err = err; eof {
		u.err = io.EOF
	}
	i := 0
	u.out = u.out[:0]
	for ; i+1 < n; i += 2 {
		r := rune(u.order(u.in[i], u.in[i+1]))
		if utf16.IsSurrogate(r) {
			if i+3 >= n && !eof {
				break
			}
			low := rune(0)
			if i+3 < n {
				low = rune(u.order(u.in[i+2], u.in[i+3]))
			}
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				i += 2
			}
		}
		u.out = utf8.AppendRune(u.out, r)
	}
	u.rest = copy(u.in[:], u.in[i:n])
}
