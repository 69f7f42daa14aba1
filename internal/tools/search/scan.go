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
	// readSize is how much of a file is read at a time, at first.
	readSize = 128 << 10
	// maxLine is how long a line is taken whole, in bytes. What is longer is
	// searched in pieces of this size.
	maxLine = 4 << 20
	// keptLine is how much of a line is kept, in bytes: more than is shown.
	keptLine = 16 << 10
)

// hit is a line that was found.
type hit struct {
	line int // from 1
	text string
}

// scanner searches files, one after the other.
type scanner struct {
	open func(path string) (io.ReadCloser, error)
	buf  []byte
}

// each calls fn with the lines of a file, many at a time: whole lines, the
// number of the first, and each ended by a line break but perhaps the last.
// Nothing is kept of them. It returns errBinary when it meets a NUL.
//
// Text in UTF-16 that says so in a byte order mark is turned into UTF-8.
func (s *scanner) each(ctx context.Context, path string, fn func(lines []byte, first int) error) error {
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

// unsearched is why a file was not searched, as opposed to why a search failed.
type unsearched struct{ why error }

func (u *unsearched) Error() string { return u.why.Error() }

func (u *unsearched) Unwrap() error { return u.why }

// search returns the lines of a file that p finds and exclude does not, at
// most limit. The error of a file that is binary or cannot be read is
// [*unsearched].
func (s *scanner) search(ctx context.Context, path string, p, exclude *pattern, limit int) ([]hit, error) {
	var hits []hit
	var failed error
	err := s.each(ctx, path, func(lines []byte, number int) error {
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
			if excluded, err := exclude.drops(text); err != nil {
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
		return nil, &unsearched{err}
	}
	return hits, nil
}

// confirm returns those of hits, which another program has found in a file,
// that are in what we can open under that name. The error is [*unsearched].
func (s *scanner) confirm(ctx context.Context, path string, hits []hit) ([]hit, error) {
	confirmed := hits[:0]
	next := 0
	err := s.each(ctx, path, func(lines []byte, number int) error {
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
		return nil, &unsearched{err}
	}
	return confirmed, nil
}

// drops reports whether p, an exclusion that may be nil, matches the line.
func (p *pattern) drops(line []byte) (bool, error) {
	if p == nil {
		return false, nil
	}
	return p.matchLine(line)
}

// lineText makes text of a line: valid, and without space at its end.
func lineText(line []byte) string {
	return strings.TrimRightFunc(strings.ToValidUTF8(string(line), "\ufffd"), func(r rune) bool {
		return unicode.IsSpace(r) || r == '\ufeff'
	})
}

// utf16Order returns how the bytes of UTF-16 text are ordered, nil if it
// is none.
func utf16Order(b []byte) func(a, b byte) uint16 {
	switch {
	case bytes.HasPrefix(b, []byte{0xff, 0xfe}):
		return func(a, b byte) uint16 { return uint16(a) | uint16(b)<<8 }
	case bytes.HasPrefix(b, []byte{0xfe, 0xff}):
		return func(a, b byte) uint16 { return uint16(a)<<8 | uint16(b) }
	}
	return nil
}

// utf16Reader turns UTF-16 into UTF-8.
type utf16Reader struct {
	r     io.Reader
	order func(a, b byte) uint16
	out   []byte // not yet read
	in    [4096]byte
	rest  int // bytes at the start of in that are half a character
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
