package shell

import "unicode/utf8"

// lineEditor turns plain text into a terminal's final display of it: of a line that is
// overwritten after a carriage return, such as a progress bar, the last state; of a backspace,
// the line without the character before it. It removes other control characters, except tabs
// and form feeds.
type lineEditor struct {
	line    []byte // the last line so far, which may still be overwritten
	rewinds bool   // the next character overwrites the line
	out     []byte // reused
}

// maxLine is the number of bytes after which a line is no longer overwritten.
const maxLine = 64 << 10

// edit returns the lines that p completes. The result may share memory with p and is valid until
// the next call.
func (e *lineEditor) edit(p []byte) []byte {
	e.out = e.out[:0]
	for len(p) > 0 {
		n := plainLen(p)
		if n == 0 {
			e.control(p[0])
			p = p[1:]
			continue
		}
		if e.rewinds {
			e.line, e.rewinds = e.line[:0], false
		}
		e.line = append(e.line, p[:n]...)
		if len(e.line) > maxLine {
			e.out = append(e.out, e.line...)
			e.line = e.line[:0]
		}
		p = p[n:]
	}
	return e.out
}

// plainLen returns the number of bytes before the first control character.
func plainLen(p []byte) int {
	for i, b := range p {
		if b < ' ' && b != '\t' && b != '\f' || b == 0x7F {
			return i
		}
	}
	return len(p)
}

func (e *lineEditor) control(b byte) {
	switch {
	case b == '\n':
		e.out = append(append(e.out, e.line...), '\n')
		e.line, e.rewinds = e.line[:0], false
	case b == '\r':
		e.rewinds = true
	case b == '\b' && !e.rewinds:
		_, n := utf8.DecodeLastRune(e.line)
		e.line = e.line[:len(e.line)-n]
	}
}

// finish returns the last line, if no line feed ended it.
func (e *lineEditor) finish() []byte {
	line := e.line
	e.line, e.rewinds = nil, false
	return line
}
