// Package fence distinguishes code from text in Markdown that streams: which places are at the
// start of a line, inside a fenced code block, or inside a code span.
package fence

import "strings"

// Tracker follows a Markdown text. Its answers are about the place behind all text
// added so far and do not depend on how the text is cut into chunks. It uses constant
// memory. The zero value is at the start of a text.
type Tracker struct {
	line lineState
	char byte   // of the run that may be a fence
	size int    // of that run
	info []byte // behind that run, up to maxInfo bytes

	fenceChar byte // of the open fence, 0 if none is open
	fenceSize int
	fenceInfo string

	quoted bool // the line is one of a quotation or a table

	span int // backticks that opened the current code span, 0 if there is none
	run  int // backticks directly before this place, on a line of text
}

// lineState is the kind of the current line, from its text so far.
type lineState uint8

const (
	lineBlank  lineState = iota // white space
	linePrefix                  // the mark of a list item or quotation
	lineRun                     // a run of backticks or tildes
	lineInfo                    // a run of three or more, and words
	lineText                    // anything else
)

// maxInfo limits the bytes of an info string that are kept.
const maxInfo = 64

// IsLineStart reports whether only white space precedes this place on its line.
func (t *Tracker) IsLineStart() bool { return t.line == lineBlank }

// IsLineHead reports whether only white space and marks of lists and quotations precede this place
// on its line.
func (t *Tracker) IsLineHead() bool { return t.line == lineBlank || t.line == linePrefix }

// InFence reports whether this place is inside a fenced code block. The line that opens
// or closes the block is not.
func (t *Tracker) InFence() bool { return t.fenceChar != 0 }

// Info returns the first word of the info string of the open block, in lower case: ""
// if there is none.
func (t *Tracker) Info() string { return t.fenceInfo }

// InQuote reports whether this place is on a line of a quotation or a table: one that begins with
// > or |.
func (t *Tracker) InQuote() bool { return t.quoted }

// Closes reports whether a run of size characters c, followed by words on the same line,
// closes the open block.
func (t *Tracker) Closes(c byte, size int, words string) bool {
	return t.fenceChar == c && size >= t.fenceSize && strings.TrimSpace(words) == ""
}

// InSpan reports whether this place follows a backtick that opens a code span on the
// same line.
func (t *Tracker) InSpan() bool {
	if t.line == lineRun && t.char == '`' && t.fenceChar == 0 {
		return true
	}
	span := t.span
	if t.run > 0 {
		span = afterRun(span, t.run)
	}
	return span > 0
}

// afterRun returns the size of the code span behind a run of backticks.
func afterRun(span, run int) int {
	switch span {
	case 0:
		return run
	case run:
		return 0
	}
	return span
}

// Add adds a chunk.
func (t *Tracker) Add(s string) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '\n' {
			t.endLine()
			continue
		}
		switch t.line {
		case lineText:
			n := t.skipText(s[i:])
			i += n - 1
		case lineBlank, linePrefix:
			t.beginLine(c)
		case lineRun:
			if c == t.char {
				t.size++
				continue
			}
			t.endRun(c)
		case lineInfo:
			if c == '`' && t.char == '`' { // a code span of three or more backticks
				t.line, t.span, t.run = lineText, t.size, 1
				continue
			}
			if len(t.info) < maxInfo {
				t.info = append(t.info, c)
			}
		}
	}
}

// skipText reads text up to the end of the line, at least one byte, and returns how many
// it read.
func (t *Tracker) skipText(s string) int {
	if s[0] == '`' {
		t.run++
		return 1
	}
	if t.run > 0 {
		t.span, t.run = afterRun(t.span, t.run), 0
	}
	if n := strings.IndexAny(s, "`\n"); n >= 0 {
		return n
	}
	return len(s)
}

// beginLine reads a byte before the first word of a line.
func (t *Tracker) beginLine(c byte) {
	switch {
	case c == ' ' || c == '\t' || c == '\r':
	case c == '`' || c == '~':
		t.line, t.char, t.size, t.info = lineRun, c, 1, t.info[:0]
	case c == '|' && t.line == lineBlank:
		t.quoted, t.line = true, lineText
	case c == '>':
		t.quoted, t.line = true, linePrefix
	case strings.IndexByte("-*+", c) >= 0, '0' <= c && c <= '9', (c == '.' || c == ')') && t.line == linePrefix:
		t.line = linePrefix
	default:
		t.line = lineText
	}
}

// endRun reads the byte behind a run of backticks or tildes that begins a line.
func (t *Tracker) endRun(c byte) {
	if t.size >= 3 {
		t.line, t.info = lineInfo, append(t.info, c)
		return
	}
	t.line = lineText
	if t.char == '`' {
		t.span = t.size
	}
}

func (t *Tracker) endLine() {
	if (t.line == lineRun || t.line == lineInfo) && t.size >= 3 {
		info := strings.TrimSpace(string(t.info))
		switch {
		case t.fenceChar == 0:
			word, _, _ := strings.Cut(info, " ")
			t.fenceChar, t.fenceSize, t.fenceInfo = t.char, t.size, strings.ToLower(word)
		case t.Closes(t.char, t.size, info):
			t.fenceChar, t.fenceInfo = 0, ""
		}
	}
	t.line, t.size, t.info, t.span, t.run, t.quoted = lineBlank, 0, t.info[:0], 0, 0, false
}
