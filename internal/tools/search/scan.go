package search

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/transform"

	"pollux/internal/charset"
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
	// maxDetected is the part of a file in which its encoding is detected, in bytes: as much as other tools read.
	maxDetected = 20 << 20
)

// scanner searches one file at a time.
type scanner struct {
	open func(path string) (io.ReadCloser, error)
	buf  []byte
	// isNamed reports that the call names the file. UTF-32, and UTF-16 without a byte order mark, which ripgrep
	// takes for binary data, are searched only then.
	isNamed bool

	enc     charset.Encoding // of the current file, as far as it is known
	isKnown bool
}

// eachChunk calls fn with the lines of a file, many at a time, and the number of the first.
// Each line ends with a line break, except possibly the last line of the file. The buffer is
// reused after fn returns. eachChunk returns errBinary if the file contains a NUL.
//
// The lines are in UTF-8. They may not be if s.isKnown is not set: fn then checks those that matter with
// mustConvert, and returns errConvert to get the same lines and all later ones converted.
func (s *scanner) eachChunk(ctx context.Context, path string, fn func(lines []byte, first int) error) error {
	f, err := s.open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if s.buf == nil {
		s.buf = make([]byte, readSize)
	}
	s.enc, s.isKnown = charset.Encoding{}, false
	var r io.Reader = f
	n, eof, err := fill(r, s.buf)
	if err != nil {
		return err
	}
	e, ok := charset.DetectMark(s.buf[:n])
	if s.isNamed {
		e, ok = charset.DetectHead(s.buf[:min(n, charset.HeadSize)], n < charset.HeadSize)
	}
	if ok && e.IsText() && (s.isNamed || !e.IsUTF32()) {
		if s.enc, s.isKnown = e, !e.IsUTF8(); s.isKnown {
			if r, n, eof, err = s.convert(f, n); err != nil {
				return err
			}
		} else {
			n = copy(s.buf, s.buf[len(charset.UTF8Mark):n])
		}
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
			err := fn(s.buf[:whole], line)
			if errors.Is(err, errConvert) && !s.isKnown {
				if err = s.detect(path); err == nil && s.enc.IsText() && !s.enc.IsUTF8() {
					r, n, eof, err = s.convert(f, n)
				}
				if err != nil {
					return err
				}
				checked = 0
				continue
			}
			if err != nil {
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

// mustConvert reports whether lines of the current file are not UTF-8, although their encoding is not known yet.
func (s *scanner) mustConvert(lines []byte) bool { return !s.isKnown && !utf8.Valid(lines) }

// detect sets the encoding of a file by the whole of it, as tools that read or change it do.
func (s *scanner) detect(path string) error {
	f, err := s.open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxDetected))
	if err != nil {
		return err
	}
	s.enc, s.isKnown = charset.Detect(data), true
	return nil
}

// convert returns a reader of the text that the first n bytes of the buffer and f have, without a byte order mark. It fills the
// buffer with the text.
func (s *scanner) convert(f io.Reader, n int) (r io.Reader, filled int, eof bool, err error) {
	r = transform.NewReader(io.MultiReader(bytes.NewReader(bytes.Clone(s.buf[:n])), f), s.enc.NewDecoder())
	filled, eof, err = fill(r, s.buf)
	if s.enc.HasMark() && bytes.HasPrefix(s.buf[:filled], []byte(charset.UTF8Mark)) {
		filled = copy(s.buf, s.buf[len(charset.UTF8Mark):filled])
	}
	return r, filled, eof, err
}

// encodingName returns the name of the encoding of the current file if it is known, and not UTF-8.
func (s *scanner) encodingName() string {
	if s.enc.IsUTF8() || !s.enc.IsText() {
		return ""
	}
	return s.enc.Name()
}

var (
	errConvert = errors.New("the text is not UTF-8")
	errLegacy  = errors.New("the encoding of the file is not UTF-8")
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
		// A match of ASCII has the same bytes in all encodings: only lines with one must be converted.
		isChecked := !q.pattern.isASCII
		if isChecked && s.mustConvert(lines) {
			return errConvert
		}
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
			if !isChecked && s.mustConvert(lines) {
				size, goesOn = size-len(lines), isPiece
				return errConvert
			}
			isChecked = true
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
	f := q.fileHits(path, hits, count)
	f.encoding = s.encodingName()
	return f, nil
}

// confirm returns f, found by another program, with the hits that are in the file which s
// opens; p matches them. readOn reads the rest of the file too, to find out whether it is
// binary. The error is errLegacy if the file is not UTF-8, else [*skippedError].
func (s *scanner) confirm(ctx context.Context, p *pattern, f fileHits, readOn bool) (fileHits, error) {
	confirmed := f.hits[:0]
	next, size := 0, 0
	isPiece := false // the line of the next hit is searched in pieces
	err := s.eachChunk(ctx, f.path, func(lines []byte, number int) error {
		if s.mustConvert(lines) {
			return errConvert
		}
		if s.encodingName() != "" {
			return errLegacy
		}
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
	if errors.Is(err, errLegacy) {
		return fileHits{}, err
	}
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
