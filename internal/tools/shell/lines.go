package shell

import (
	"bytes"
	"encoding/binary"
	"slices"
	"unicode/utf8"
)

// lineEditor turns plain text into a terminal's final display of it: of a line that is
// overwritten after a carriage return, such as a progress bar, the last state; of a backspace,
// the line without the character before it; of lines that are written again after a move of the
// cursor, such as the layers of an image, the last frame. It removes other control characters,
// except tabs and form feeds.
type lineEditor struct {
	hold int // number of complete lines that it holds back, which a move of the cursor may reach; at most maxFrame

	held    []byte   // these lines, with their line ends
	count   int      // number of lines in held
	line    []byte   // the line of the cursor, the last line so far unless there are lines below it
	below   [][]byte // lines below the cursor
	rewinds bool     // the next character overwrites the line
	out     []byte   // reused
}

const (
	// maxLine is the number of bytes after which a line is no longer overwritten.
	maxLine = 64 << 10
	// maxFrame is the number of lines that a terminal would show, and maxHeld the limit of their bytes.
	maxFrame, maxHeld = 50, 256 << 10
)

// Control characters by which a cleaner passes movements of the cursor to a lineEditor.
const (
	cursorUp   = 0x11
	cursorDown = 0x12
	eraseRight = 0x13
	eraseLine  = 0x14
	eraseBelow = 0x15
)

// edit returns the lines that p completes, apart from those held back. The result may share memory with p and is valid
// until the next call.
func (e *lineEditor) edit(p []byte) []byte {
	e.out = e.out[:0]
	if !e.rewinds && e.below == nil && isPlain(p) { // the usual output, at the speed of memory
		if end := bytes.LastIndexByte(p, '\n') + 1; end > 0 {
			e.take(p[:end])
			p = p[end:]
		}
		e.grow(p)
		return e.out
	}
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
		e.grow(p[:n])
		p = p[n:]
	}
	return e.out
}

// take completes the line and adds whole lines.
func (e *lineEditor) take(lines []byte) {
	start, n := len(lines), 0 // of the last lines that are held back, and their number
	for ; n < e.hold && start > 0; n++ {
		start = bytes.LastIndexByte(lines[:start-1], '\n') + 1
	}
	if start > 0 || e.hold == 0 { // the lines before them are complete
		e.release(e.count)
		e.out = append(append(e.out, e.line...), lines[:start]...)
		e.held, e.count = append(e.held, lines[start:]...), n
	} else {
		e.held, e.count = append(append(e.held, e.line...), lines...), e.count+n
	}
	e.line = e.line[:0]
	e.release(e.count - e.hold)
	for len(e.held) > maxHeld {
		e.release(1)
	}
}

// release emits the first n lines held back.
func (e *lineEditor) release(n int) {
	end := 0
	for range n {
		end += bytes.IndexByte(e.held[end:], '\n') + 1
	}
	if n <= 0 {
		return
	}
	e.out = append(e.out, e.held[:end]...)
	e.held, e.count = append(e.held[:0], e.held[end:]...), e.count-n
}

// grow appends to the line, or to the output if the line is too long to be edited.
func (e *lineEditor) grow(p []byte) {
	e.line = append(e.line, p...)
	if len(e.line) > maxLine {
		e.release(e.count)
		e.out = append(e.out, e.line...)
		e.line = e.line[:0]
	}
}

// isPlain reports whether p has no control character but tabs, line feeds and form feeds.
func isPlain(p []byte) bool {
	whole := len(p) &^ (4*8 - 1)
	controls := whole - countPrinted(p[:whole], 0x7F*eachByte, (0x80-' ')*eachByte)
	for _, b := range p[whole:] {
		if b < ' ' {
			controls++
		}
	}
	count := func(b byte) int { return bytes.Count(p, []byte{b}) } // which looks at 32 bytes at a time
	feeds := count('\n')
	return (controls == feeds || controls == feeds+count('\t')+count('\f')) && bytes.IndexByte(p, 0x7F) < 0
}

const eachByte = 0x0101010101010101

// countPrinted returns the number of bytes of p that are no control characters below the space. It looks at four words of 8 bytes at a time, so that
// the length of p is a multiple of that. low has 0x7F in each byte, and space the distance of a space from 0x80: as parameters, they stay in registers.
//
//go:noinline
func countPrinted(p []byte, low, space uint64) (n int) {
	const high = 0x80 * eachByte
	isPrinted := func(word uint64) uint64 { return (word&low + space | word) & high >> 7 } // 1 in each byte that is
	for len(p) > 0 {
		sums := uint64(0) // of the bytes at each place of a word, which overflow above 255
		for range min(60, len(p)/32) {
			sums += isPrinted(binary.LittleEndian.Uint64(p)) + isPrinted(binary.LittleEndian.Uint64(p[8:])) +
				isPrinted(binary.LittleEndian.Uint64(p[16:])) + isPrinted(binary.LittleEndian.Uint64(p[24:]))
			p = p[32:]
		}
		const pairs = 0x00FF00FF00FF00FF
		sums = sums&pairs + sums>>8&pairs
		n += int(sums * 0x0001000100010001 >> 48) // the sum of the pairs
	}
	return n
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
	switch b {
	case '\n':
		if len(e.below) > 0 {
			e.down()
			return
		}
		e.take([]byte{'\n'})
		e.rewinds = false
	case '\r':
		e.rewinds = true
	case '\b':
		if !e.rewinds {
			_, n := utf8.DecodeLastRune(e.line)
			e.line = e.line[:len(e.line)-n]
		}
	case cursorUp:
		e.up()
	case cursorDown:
		if len(e.below) > 0 {
			e.down()
		}
	case eraseRight, eraseBelow:
		if e.rewinds {
			e.line = e.line[:0]
		}
		if b == eraseBelow {
			e.below = nil
		}
	case eraseLine:
		e.line = e.line[:0]
	}
}

// up moves the cursor to the beginning of the line above.
func (e *lineEditor) up() {
	if e.count == 0 {
		return
	}
	if len(e.line) > 0 || len(e.below) > 0 {
		e.below = slices.Insert(e.below, 0, bytes.Clone(e.line))
	}
	start := bytes.LastIndexByte(e.held[:len(e.held)-1], '\n') + 1
	e.line = append(e.line[:0], e.held[start:len(e.held)-1]...)
	e.held, e.count, e.rewinds = e.held[:start], e.count-1, true
	if e.below == nil {
		e.below = [][]byte{{}} // the empty line that the cursor has left
	}
}

// down moves the cursor to the beginning of the line below.
func (e *lineEditor) down() {
	e.held, e.count = append(append(e.held, e.line...), '\n'), e.count+1
	e.line, e.below = append(e.line[:0], e.below[0]...), e.below[1:]
	if e.rewinds = true; len(e.below) == 0 {
		e.below, e.rewinds = nil, len(e.line) > 0
	}
}

// pending returns the lines held back and the last line as they are now.
func (e *lineEditor) pending() []byte {
	text := append(bytes.Clone(e.held), e.line...)
	for i, line := range e.below {
		if i == len(e.below)-1 && len(line) == 0 {
			return append(text, '\n')
		}
		text = append(append(text, '\n'), line...)
	}
	return text
}

// finish returns the lines held back and the last line, if no line feed ended it.
func (e *lineEditor) finish() []byte {
	text := e.pending()
	*e = lineEditor{hold: e.hold}
	return text
}
