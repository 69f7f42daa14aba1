package shell

import (
	"bytes"
	"unicode/utf8"
)

// cleaner turns program output into plain text: it removes terminal escape sequences, except those that
// move the cursor up and down or erase lines, which become control characters for a [lineEditor], and a move
// to the first column, which becomes a carriage return. It replaces invalid UTF-8. Output arrives in pieces; a sequence or character may be split
// between two of them.
//
// A sequence without an end cannot hide all output after it: a title or link (OSC) ends at
// the end of its line, any other string after 1 MiB.
type cleaner struct {
	// DropsAlternate leaves out the drawing of a program on the alternate screen of its terminal, as editors and pagers do:
	// it is gone when they end.
	DropsAlternate bool

	isAlternate  bool // the program draws there
	hasAlternate bool // the program has drawn there since its start
	isPrivate    bool // the parameter of the current sequence begins with "?"
	state        escState
	skipped      int    // bytes of the current sequence skipped so far
	number       int    // the parameter of the current sequence, -1 if it has others than one number
	partial      []byte // the start of a character whose end is in the next piece
	lookAhead    int    // bytes that takeText checks at once for plain text
	joined       []byte // partial and the next piece; reused
	out          []byte // reused
}

type escState uint8

const (
	stateText         escState = iota
	stateEscape                // after ESC
	stateIntermediate          // after ESC and a byte that another must follow
	stateCSI                   // CSI: parameters until a letter
	stateOSC                   // OSC: until BEL, ST or the end of the line
	stateString                // DCS, SOS, PM, APC: until ST
)

// Bytes after which a sequence that has not ended is taken for text.
const (
	maxCSILen    = 256
	maxStringLen = 1 << 20
)

// clean returns the text of the next piece p of the output. The result may share memory with
// p and is valid until the next call.
func (c *cleaner) clean(p []byte) []byte {
	if len(c.partial) > 0 {
		c.joined = append(append(c.joined[:0], c.partial...), p...)
		p, c.partial = c.joined, c.partial[:0]
	}
	if c.state == stateText {
		if whole := p[:completeRunesLen(p)]; !c.isAlternate && isClean(whole) {
			c.partial = append(c.partial, p[len(whole):]...)
			return whole
		}
	}
	c.out = c.out[:0]
	for len(p) > 0 {
		if c.state == stateText {
			p = c.takeText(p)
		} else {
			p = c.skipSequence(p)
		}
	}
	return c.out
}

// finish returns the rest of the text when the output has ended.
func (c *cleaner) finish() []byte {
	c.out = c.out[:0]
	if len(c.partial) > 0 && c.state == stateText {
		c.emit([]byte(replacement))
	}
	c.partial = nil
	return c.out
}

func (c *cleaner) emit(p []byte) {
	if !c.isAlternate {
		c.out = append(c.out, p...)
	}
}

const replacement = "\uFFFD"

// isClean reports whether p is valid UTF-8 without escape sequences.
func isClean(p []byte) bool {
	return bytes.IndexByte(p, 0x1B) < 0 && utf8.Valid(p) && !hasC1(p)
}

// hasC1 reports whether p, valid UTF-8, contains a control character from U+0080 to U+009F.
func hasC1(p []byte) bool {
	for {
		i := bytes.IndexByte(p, 0xC2)
		if i < 0 {
			return false
		}
		if p[i+1] < 0xA0 {
			return true
		}
		p = p[i+2:]
	}
}

// completeRunesLen returns the length of p without an incomplete character at its end.
func completeRunesLen(p []byte) int {
	for i := len(p) - 1; i >= max(0, len(p)-utf8.UTFMax+1); i-- {
		if utf8.RuneStart(p[i]) {
			if !utf8.FullRune(p[i:]) {
				return i
			}
			break
		}
	}
	return len(p)
}

// takeText emits text from the start of p, up to the next escape sequence at most, and
// returns the rest of p.
func (c *cleaner) takeText(p []byte) []byte {
	// Checks small pieces, and doubles their size while they are plain text, so that one
	// bad byte does not cost a check of everything after it.
	c.lookAhead = min(max(2*c.lookAhead, 32), 4096)
	piece := p[:min(len(p), c.lookAhead)]
	if i := bytes.IndexByte(piece, 0x1B); i >= 0 {
		piece = piece[:i]
	} else if n := completeRunesLen(piece); n > 0 {
		piece = piece[:n]
	}
	if len(piece) > 0 && utf8.Valid(piece) && !hasC1(piece) {
		c.emit(piece)
		return p[len(piece):]
	}
	c.lookAhead = 0
	for len(p) > 0 && c.state == stateText {
		n := 0
		for n < len(p) && p[n] < utf8.RuneSelf && p[n] != 0x1B {
			n++
		}
		c.emit(p[:n])
		if p = p[n:]; len(p) > 0 {
			p = c.takeSpecial(p)
		}
	}
	return p
}

// takeSpecial handles the ESC or non-ASCII character at the start of p, and returns the rest
// of p.
func (c *cleaner) takeSpecial(p []byte) []byte {
	if p[0] == 0x1B {
		c.state = stateEscape
		return p[1:]
	}
	if !utf8.FullRune(p) {
		c.partial = append(c.partial, p...)
		return nil
	}
	r, n := utf8.DecodeRune(p)
	switch {
	case r == utf8.RuneError && n == 1:
		c.emit([]byte(replacement))
	case r == 0x9B, r == 0x9D, r == 0x90, r == 0x98, r == 0x9E, r == 0x9F:
		c.beginSequence(byte(r) - 0x40) // the 8-bit form of ESC and this letter
	case r >= 0x80 && r < 0xA0:
	default:
		c.emit(p[:n])
	}
	return p[n:]
}

// beginSequence sets the state after ESC and b.
func (c *cleaner) beginSequence(b byte) {
	c.skipped, c.number, c.isPrivate = 0, 0, false
	switch {
	case b == '[':
		c.state = stateCSI
	case b == ']':
		c.state = stateOSC
	case b == 'P', b == 'X', b == '^', b == '_':
		c.state = stateString
	case b >= 0x20 && b < 0x30:
		c.state = stateIntermediate
	default:
		c.state = stateText
	}
}

// skipSequence drops bytes of a sequence from the start of p and returns the rest. Each call
// drops at least one byte or changes the state.
func (c *cleaner) skipSequence(p []byte) []byte {
	b := p[0]
	switch c.state {
	case stateEscape:
		if b < 0x20 || b > 0x7E { // ESC alone, not a sequence
			c.state = stateText
			return p
		}
		c.beginSequence(b)
		return p[1:]
	case stateIntermediate:
		if b < 0x20 || b > 0x7E {
			c.state = stateText
			return p
		}
		if b >= 0x30 {
			c.state = stateText
		}
		return p[1:]
	case stateCSI:
		n := 0
		for n < len(p) && p[n] >= 0x20 && p[n] < 0x40 && c.skipped+n <= maxCSILen {
			n++
		}
		if n > 0 {
			c.addParameter(p[:n])
			if c.skipped += n; c.skipped > maxCSILen {
				c.state = stateText
			}
			return p[n:]
		}
		switch {
		case b >= 0x40 && b <= 0x7E:
			c.state = stateText
			c.move(b)
			return p[1:]
		case b == '\n' || b == '\r' || b == '\t': // terminals obey these within a sequence
			c.emit(p[:1])
			return p[1:]
		}
		c.state = stateText
		return p
	}
	return c.skipString(p)
}

// addParameter adds bytes of the current sequence to its number.
func (c *cleaner) addParameter(p []byte) {
	const most = 1000
	if c.skipped == 0 && p[0] == '?' {
		c.isPrivate, p = true, p[1:]
	}
	for _, b := range p {
		if b < '0' || b > '9' || c.number < 0 || c.number > most {
			c.number = -1
			return
		}
		c.number = 10*c.number + int(b-'0')
	}
}

// move emits the control characters for a sequence that ends in this letter, if it moves the cursor or erases.
func (c *cleaner) move(final byte) {
	n := c.number
	if c.isPrivate {
		if c.DropsAlternate && (n == 47 || n == 1047 || n == 1049) && (final == 'h' || final == 'l') {
			c.isAlternate = final == 'h'
			c.hasAlternate = c.hasAlternate || c.isAlternate
		}
		return
	}
	if n < 0 {
		return
	}
	times := min(max(n, 1), maxFrame)
	repeat := func(b byte) { c.emit(bytes.Repeat([]byte{b}, times)) }
	switch {
	case final == 'G' && n <= 1:
		c.emit([]byte{'\r'})
	case final == 'A':
		repeat(cursorUp)
	case final == 'B':
		repeat(cursorDown)
	case final == 'F':
		repeat(cursorUp)
		c.emit([]byte{'\r'})
	case final == 'E':
		repeat(cursorDown)
		c.emit([]byte{'\r'})
	case final == 'K' && n == 0:
		c.emit([]byte{eraseRight})
	case final == 'K' && n == 2:
		c.emit([]byte{eraseLine})
	case final == 'J' && n == 0:
		c.emit([]byte{eraseBelow})
	}
}

// skipString drops bytes of an OSC, DCS, SOS, PM or APC string from the start of p, and
// returns the rest.
func (c *cleaner) skipString(p []byte) []byte {
	n := 0
	for n < len(p) && !c.endsString(p[n]) {
		n++
	}
	if c.skipped += n; c.skipped > maxStringLen {
		c.state = stateText
		return p[n-min(n, c.skipped-maxStringLen):]
	}
	if p = p[n:]; len(p) == 0 {
		return nil
	}
	switch p[0] {
	case 0x1B: // ST is ESC \, and any other sequence ends the string too
		c.state = stateEscape
	case 0xC2:
		if len(p) == 1 {
			c.partial = append(c.partial, 0xC2)
			return nil
		}
		if p[1] == 0x9C { // the 8-bit ST
			c.state = stateText
			return p[2:]
		}
		c.skipped++
	case '\n':
		c.state = stateText
		return p
	default:
		c.state = stateText
	}
	return p[1:]
}

// endsString reports whether the current string may end at b.
func (c *cleaner) endsString(b byte) bool {
	switch b {
	case 0x1B, 0x18, 0x1A, 0xC2:
		return true
	case '\a', '\n':
		return c.state == stateOSC
	}
	return false
}
