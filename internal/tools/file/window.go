package file

import (
	"bufio"
	"context"
	"io"
	"strings"
	"unicode/utf8"

	"pollux/internal/charset"
	"pollux/llm"
	"pollux/tool"
)

// Limits of one window of a text file.
const (
	windowLines = 2000 // unless the call gives the last line
	lineUnits   = 2000 // UTF-16 units of a line
)

// cutMark is the end of a line that was cut.
const cutMark = "... [truncated]"

// shortenedNote tells the model how to see more of such lines.
const shortenedNote = `Lines that end in "` + cutMark + `" are cut: grep_search shows the part around a match.`

// window is a range of lines of a text.
type window struct {
	text        string // valid UTF-8, with "\n" between lines; the whole text has its final one too
	first, last int    // from 1; last is less than first if the window has no lines
	total       int    // number of lines of the whole text; a final line end begins no other line
	shortened   bool   // lines were cut
}

func (w *window) partial() bool { return w.first > 1 || w.hasMore() || w.shortened }

func (w *window) hasMore() bool { return w.last < w.total }

// isPastEnd reports whether the window begins after the last line. No text, from its beginning,
// is no such window.
func (w *window) isPastEnd() bool { return w.first > max(w.total, 1) }

// keep drops the lines after the first n.
func (w *window) keep(n int) {
	at := 0
	for i := range n {
		end := strings.IndexByte(w.text[at:], '\n')
		if end < 0 {
			return
		}
		if i == n-1 {
			w.text = w.text[:at+end]
			w.last = w.first + n - 1
			return
		}
		at += end + 1
	}
}

// fit drops lines at the end of the window so that its text has at most about the given number
// of tokens; 0 or less is no limit. A single line that is longer is cut. fit reports whether the
// text has changed.
func (w *window) fit(tokens int) (changed bool) {
	if tokens <= 0 {
		return false
	}
	for range 4 { // lines differ in their tokens
		size := llm.EstimateTokens([]llm.Part{{Text: w.text}})
		if size <= tokens {
			break
		}
		changed = true
		keep := int(int64(len(w.text)) * int64(tokens) / int64(size))
		if end := strings.LastIndexByte(w.text[:keep+1], '\n'); end >= 0 {
			w.text = w.text[:end]
			w.last = w.first + strings.Count(w.text, "\n")
			continue
		}
		w.text = strings.ToValidUTF8(w.text[:keep], "") + cutMark
		w.last, w.shortened = w.first, true
	}
	return changed
}

// readWindow reads r to its end and keeps the lines from first to last; 0 means not given. Its
// memory use is close to the size of the result.
func readWindow(ctx context.Context, r io.Reader, first, last int) (window, error) {
	first = max(first, 1)
	if last == 0 {
		last = first + windowLines - 1
	}
	in := bufio.NewReaderSize(r, charset.HeadSize) // is r itself if r has a buffer
	var out []byte
	line := cutter{}
	w := window{first: first}
	isTerminated, isBegun := false, false // the last line has a line end; a piece of the next one was read
	for number := 1; ; {
		piece, err := in.ReadSlice('\n')
		if err != nil && err != bufio.ErrBufferFull && err != io.EOF {
			return window{}, err
		}
		if err == io.EOF && len(piece) == 0 && !isBegun {
			break
		}
		w.total = number
		isEnd := err == nil || err == io.EOF
		isBegun = !isEnd
		if first <= number && number <= last {
			line.add(piece)
			if isEnd {
				if number > first {
					out = append(out, '\n')
				}
				out = line.finish(out, err == nil)
			}
		}
		if err == io.EOF {
			isTerminated = false
			break
		}
		if isEnd {
			isTerminated = true
			if number++; number%4096 == 0 && ctx.Err() != nil {
				return window{}, ctx.Err()
			}
		}
	}
	w.last = min(last, w.total)
	if first == 1 && w.last == w.total && isTerminated {
		out = append(out, '\n')
	}
	w.shortened = line.cut
	w.text = validText(out)
	return w, nil
}

// validText returns b as a valid UTF-8 string.
func validText(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

// cutter assembles a line from pieces without keeping the part that will be cut.
type cutter struct {
	line []byte
	over bool // the line was longer than keepBytes
	cut  bool // a line was cut
}

// keepBytes is more than lineUnits can need in UTF-8, so that lines that are too long are
// detected.
const keepBytes = 3*lineUnits + utf8.UTFMax

func (c *cutter) add(piece []byte) {
	room := max(0, keepBytes-len(c.line))
	if len(piece) > room {
		// A line end is not part of the text, and may not fit.
		c.over = c.over || len(strings.TrimRight(string(piece[room:min(len(piece), room+3)]), "\r\n")) > 0
		piece = piece[:room]
	}
	c.line = append(c.line, piece...)
}

// finish appends the line without its line end to out, and resets the cutter.
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
		n = len(tool.First(string(line), lineUnits))
	}
	out = append(out, line[:n]...)
	if c.over || n < len(line) {
		out = append(out, cutMark...)
		c.cut = true
	}
	c.line, c.over = c.line[:0], false
	return out
}
