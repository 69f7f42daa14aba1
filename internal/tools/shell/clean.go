package shell

import (
	"bytes"
	"unicode/utf8"
)

// cleaner turns the output of programs into plain text, as it comes: it takes
// out terminal escape sequences and makes the rest valid UTF-8. What is split
// between two pieces is put together.
//
// A sequence that does not end is not believed for ever, so no output can
// hide all that follows it: a title or link (OSC) ends with its line, any other
// string after 1 MiB.
type cleaner struct {
	state  escState
	length int    // of the string that is being skipped
	rest   []byte // beginning of a character that the next piece ends
	look   int    // how far to look ahead for plain text
	joined []byte // rest and the next piece; reused
	out    []byte // reused
}

type escState uint8

const (
	ground       escState = iota
	escaped               // after ESC
	intermediate          // after ESC and a byte that asks for one more
	control               // CSI: parameters until a letter
	command               // OSC: until BEL, ST or the end of the line
	opaque                // DCS, SOS, PM, APC: until ST
)

// How long a sequence may be before it is not believed to be one.
const (
	maxControl = 256
	maxOpaque  = 1 << 20
)

// clean returns what p adds to the text. The result is p or a part of it, or
// is overwritten by the next call.
func (c *cleaner) clean(p []byte) []byte {
	if len(c.rest) > 0 {
		c.joined = append(append(c.joined[:0], c.rest...), p...)
		p, c.rest = c.joined, c.rest[:0]
	}
	if c.state == ground {
		if whole := p[:wholeRunes(p)]; isClean(whole) {
			c.rest = append(c.rest, p[len(whole):]...)
			return whole
		}
	}
	c.out = c.out[:0]
	for len(p) > 0 {
		if c.state == ground {
			p = c.text(p)
		} else {
			p = c.skip(p)
		}
	}
	return c.out
}

// finish returns what is left when the output has ended.
func (c *cleaner) finish() []byte {
	c.out = c.out[:0]
	if len(c.rest) > 0 && c.state == ground {
		c.emit([]byte(replacement))
	}
	c.rest = nil
	return c.out
}

func (c *cleaner) emit(p []byte) { c.out = append(c.out, p...) }

const replacement = "\uFFFD"

// isClean reports whether p can go through as it is.
func isClean(p []byte) bool {
	return bytes.IndexByte(p, 0x1B) < 0 && utf8.Valid(p) && !hasC1(p)
}

// hasC1 looks for the 8-bit control characters U+0080 to U+009F in valid UTF-8.
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

// wholeRunes is how many bytes p has without a character that p ends within.
func wholeRunes(p []byte) int {
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

// text takes text from the beginning of p, up to the next sequence.
func (c *cleaner) text(p []byte) []byte {
	// In small pieces, larger ones as long as it goes well: one bad byte must
	// not cost a look at all that follows.
	c.look = min(max(2*c.look, 32), 4096)
	piece := p[:min(len(p), c.look)]
	if i := bytes.IndexByte(piece, 0x1B); i >= 0 {
		piece = piece[:i]
	} else if n := wholeRunes(piece); n > 0 {
		piece = piece[:n]
	}
	if len(piece) > 0 && utf8.Valid(piece) && !hasC1(piece) {
		c.emit(piece)
		return p[len(piece):]
	}
	c.look = 0
	for len(p) > 0 && c.state == ground {
		n := 0
		for n < len(p) && p[n] < utf8.RuneSelf && p[n] != 0x1B {
			n++
		}
		c.emit(p[:n])
		if p = p[n:]; len(p) > 0 {
			p = c.special(p)
		}
	}
	return p
}

// special takes the ESC or the character beyond ASCII that p begins with.
func (c *cleaner) special(p []byte) []byte {
	if p[0] == 0x1B {
		c.state = escaped
		return p[1:]
	}
	if !utf8.FullRune(p) {
		c.rest = append(c.rest, p...)
		return nil
	}
	r, n := utf8.DecodeRune(p)
	switch {
	case r == utf8.RuneError && n == 1:
		c.emit([]byte(replacement))
	case r == 0x9B, r == 0x9D, r == 0x90, r == 0x98, r == 0x9E, r == 0x9F:
		c.begin(byte(r) - 0x40) // the 8-bit form of ESC and this letter
	case r >= 0x80 && r < 0xA0:
	default:
		c.emit(p[:n])
	}
	return p[n:]
}

// begin goes on after ESC and b.
func (c *cleaner) begin(b byte) {
	c.length = 0
	switch {
	case b == '[':
		c.state = control
	case b == ']':
		c.state = command
	case b == 'P', b == 'X', b == '^', b == '_':
		c.state = opaque
	case b >= 0x20 && b < 0x30:
		c.state = intermediate
	default:
		c.state = ground
	}
}

// skip takes bytes of a sequence from p, at least one or a change of state.
func (c *cleaner) skip(p []byte) []byte {
	b := p[0]
	switch c.state {
	case escaped:
		if b < 0x20 || b > 0x7E { // not a sequence: ESC alone
			c.state = ground
			return p
		}
		c.begin(b)
		return p[1:]
	case intermediate:
		if b < 0x20 || b > 0x7E {
			c.state = ground
			return p
		}
		if b >= 0x30 {
			c.state = ground
		}
		return p[1:]
	case control:
		n := 0
		for n < len(p) && p[n] >= 0x20 && p[n] < 0x40 && c.length+n <= maxControl {
			n++
		}
		if n > 0 {
			if c.length += n; c.length > maxControl {
				c.state = ground
			}
			return p[n:]
		}
		switch {
		case b >= 0x40 && b <= 0x7E:
			c.state = ground
			return p[1:]
		case b == '\n' || b == '\r' || b == '\t': // terminals obey these within a sequence
			c.emit(p[:1])
			return p[1:]
		}
		c.state = ground
		return p
	}
	return c.skipString(p)
}

// skipString takes what p has of an OSC, DCS, SOS, PM or APC string.
func (c *cleaner) skipString(p []byte) []byte {
	n := 0
	for n < len(p) && !c.ends(p[n]) {
		n++
	}
	if c.length += n; c.length > maxOpaque {
		c.state = ground
		return p[n-min(n, c.length-maxOpaque):]
	}
	if p = p[n:]; len(p) == 0 {
		return nil
	}
	switch p[0] {
	case 0x1B: // ST is ESC \, and any other sequence ends the string too
		c.state = escaped
	case 0xC2:
		if len(p) == 1 {
			c.rest = append(c.rest, 0xC2)
			return nil
		}
		if p[1] == 0x9C { // the 8-bit ST
			c.state = ground
			return p[2:]
		}
		c.length++
	case '\n':
		c.state = ground
		return p
	default:
		c.state = ground
	}
	return p[1:]
}

// ends reports whether the string may end at b.
func (c *cleaner) ends(b byte) bool {
	switch b {
	case 0x1B, 0x18, 0x1A, 0xC2:
		return true
	case '\a', '\n':
		return c.state == command
	}
	return false
}
