package fs

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// The limits of what a model gets of a text file at once (spec/tools.md §3.2).
const (
	windowLines = 2000 // unless the call names the last line itself
	lineUnits   = 2000 // UTF-16 units of a line
)

// cutMark ends a line that was cut.
const cutMark = "... [truncated]"

// window is some of the lines of a text.
type window struct {
	text        string // with "\n" between lines, valid UTF-8
	first, last int    // from 1; last is first-1 if there are none
	total       int    // lines of the whole text; an end of line begins one more
	shortened   bool   // lines were cut
}

// partial reports whether a reader of the window has not seen it all.
func (w *window) partial() bool { return w.first > 1 || w.last < w.total || w.shortened }

// readWindow reads r to its end and keeps the lines from first to last, where
// 0 stands for not given. It holds little more in memory than it returns.
func readWindow(ctx context.Context, r io.Reader, first, last int) (window, error) {
	first = max(first, 1)
	if last == 0 {
		last = first + windowLines - 1
	}
	in := bufio.NewReaderSize(r, sniffed) // r itself, if it has a buffer
	var out []byte
	line := cutter{}
	w := window{first: first}
	for w.total = 1; ; {
		piece, err := in.ReadSlice('\n')
		if err != nil && err != bufio.ErrBufferFull && err != io.EOF {
			return window{}, err
		}
		end := err == nil || err == io.EOF
		if first <= w.total && w.total <= last {
			line.add(piece)
			if end {
				out = line.finish(out, err == nil)
				if err == nil && w.total < last {
					out = append(out, '\n')
				}
			}
		}
		if err == io.EOF {
			break
		}
		if end {
			w.total++
			if w.total%4096 == 0 && ctx.Err() != nil {
				return window{}, ctx.Err()
			}
		}
	}
	w.last = min(last, w.total)
	if first > w.total {
		w.first, w.last = w.total+1, w.total
	}
	w.shortened = line.cut
	w.text = validText(out)
	return w, nil
}

// validText returns b as a string that JSON can hold.
func validText(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

// cutter assembles a line from pieces, without keeping what will be cut.
type cutter struct {
	line []byte
	over bool // there was more than line holds
	cut  bool // some line was cut
}

// keepBytes is more than lineUnits can take in UTF-8, so that a line is known
// to be too long.
const keepBytes = 3*lineUnits + utf8.UTFMax

func (c *cutter) add(piece []byte) {
	room := max(0, keepBytes-len(c.line))
	if len(piece) > room {
		// What ends the line is not text and may not fit.
		c.over = c.over || len(strings.TrimRight(string(piece[room:min(len(piece), room+3)]), "\r\n")) > 0
		piece = piece[:room]
	}
	c.line = append(c.line, piece...)
}

// finish appends the line to out, without its end, and is ready for the next.
func (c *cutter) finish(out []byte, terminated bool) []byte {
	line := c.line
	if terminated && !c.over {
		if n := len(line); n > 0 && line[n-1] == '\n' {
			line = line[:n-1]
		}
		if n := len(line); n > 0 && line[n-1] == '\r' {
			line = line[:n-1]
		}
	}
	n := len(line)
	if c.over || n > lineUnits {
		n = unitPrefix(line, lineUnits)
	}
	out = append(out, line[:n]...)
	if c.over || n < len(line) {
		out = append(out, cutMark...)
		c.cut = true
	}
	c.line, c.over = c.line[:0], false
	return out
}

// unitPrefix returns how many bytes of b are at most n UTF-16 units, no
// character cut in two.
func unitPrefix(b []byte, n int) int {
	i := 0
	for i < len(b) {
		r, size := utf8.DecodeRune(b[i:])
		if n--; r > 0xffff {
			n--
		}
		if n < 0 {
			break
		}
		i += size
	}
	return i
}

// errTooLarge says that a file is larger than what is read of one.
var errTooLarge = errors.New("larger than the limit")

// limited fails with errTooLarge after n bytes: a file may grow while it is read.
type limited struct {
	r io.Reader
	n int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.n < 0 {
		return 0, errTooLarge
	}
	n, err := l.r.Read(p[:min(int64(len(p)), l.n+1)])
	if l.n -= int64(n); l.n < 0 {
		return n, errTooLarge
	}
	return n, err
}
