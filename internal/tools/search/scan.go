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
	// keptLine limits the part of a line that is compared and that excluded patterns see, in
	// bytes.
	keptLine = 16 << 10
	// maxBinary is the number of bytes of a file after which a NUL does not make it binary, if
	// the search needs no more of the file.
	maxBinary = 16 << 20
)

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

// search returns the lines of a file that match q.pattern and do not match q.exclude. The error
// for a file that is binary or cannot be read is [*skippedError].
func (s *scanner) search(ctx context.Context, q *query, path string) (fileHits, error) {
	var hits []hit
	var failed error
	count, size, limit := 0, 0, q.countLimit()
	goesOn := false // the line that begins the chunk began before it
	err := s.eachChunk(ctx, path, func(lines []byte, number int) error {
		size += len(lines)
		counted, isPiece := 0, goesOn
		goesOn = !bytes.HasSuffix(lines, []byte{'\n'})
		for at := 0; at < len(lines) && count < limit; {
			start, end, err := q.pattern.find(lines, at)
			if err != nil {
				failed = err
				return err
			}
			if start < 0 {
				return nil
			}
			at = end + 1
			line := lines[start:end]
			if excluded, err := q.exclude.matchesLine(line[:min(len(line), keptLine)]); err != nil {
				failed = err
				return err
			} else if excluded {
				continue
			}
			if count++; len(hits) < q.keep() {
				number += bytes.Count(lines[counted:start], []byte{'\n'})
				counted = start
				h := newHit(number, line, q.pattern)
				h.piece = isPiece && start == 0 || len(line) >= maxLine
				hits = append(hits, h)
			}
		}
		if count >= limit && size > maxBinary {
			return errEnough
		}
		return nil
	})
	if failed != nil {
		return fileHits{}, failed
	}
	if err != nil && ctx.Err() != nil {
		return fileHits{}, ctx.Err()
	}
	if err != nil && !errors.Is(err, errEnough) {
		return fileHits{}, &skippedError{err}
	}
	return q.fileHits(path, hits, count), nil
}

// confirm returns f, found by another program, with the hits that are in the file which s
// opens; p matches them. readOn reads the rest of the file too, to find out whether it is
// binary. The error is [*skippedError].
func (s *scanner) confirm(ctx context.Context, p *pattern, f fileHits, readOn bool) (fileHits, error) {
	confirmed := f.hits[:0]
	next, size := 0, 0
	isPiece := false // the line of the next hit is searched in pieces
	err := s.eachChunk(ctx, f.path, func(lines []byte, number int) error {
		size += len(lines)
		for ; len(lines) > 0 && next < len(f.hits); number++ {
			line, rest, _ := bytes.Cut(lines, []byte{'\n'})
			lines = rest
			for next < len(f.hits) && f.hits[next].line < number { // in no piece, or gone
				next, isPiece = next+1, false
			}
			if next == len(f.hits) || f.hits[next].line > number {
				continue
			}
			if h := f.hits[next]; isPiece || lineText(line[:min(len(line), keptLine)]) == h.text {
				if isPiece = isPiece || len(line) >= maxLine; isPiece && !p.finds(line) {
					continue // the match is in another piece
				}
				c := newHit(number, line, p)
				c.piece = isPiece
				confirmed = append(confirmed, c)
			}
			isPiece = false
			next++
		}
		if next == len(f.hits) && (!readOn || size > maxBinary) {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return fileHits{}, &skippedError{err}
	}
	if len(confirmed) < len(f.hits) { // the file has changed
		f.count, f.more = len(confirmed), false
	}
	f.hits = confirmed
	return f, nil
}

// finds reports whether p matches the line. An error of the engine counts as no match.
func (p *pattern) finds(line []byte) bool {
	found, err := p.matchLine(line)
	return err == nil && found
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
