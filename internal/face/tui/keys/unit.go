package keys

import (
	"strings"
	"unicode/utf8"
)

// unit is the first part of the input that can be decoded alone.
type unit struct {
	kind unitKind
	n    int // length in bytes
}

type unitKind uint8

const (
	unitIncomplete  unitKind = iota // more bytes decide
	unitUnknown                     // neither key nor report
	unitRune                        // a character in UTF-8
	unitAltRune                     // ESC and a character in UTF-8 of several bytes
	unitEscape                      // the Esc key
	unitSequence                    // a control character or a complete escape sequence
	unitAltSequence                 // ESC and a complete CSI or SS3 sequence
	unitString                      // the introducer of an OSC, DCS, APC, PM or SOS string
	unitLong                        // the beginning of a CSI sequence that is too long
)

const (
	esc        = 0x1B
	del        = 0x7F
	cancel     = 0x18 // CAN and SUB abort a sequence
	substitute = 0x1A
	bell       = 0x07
	backspace  = 0x08
)

// maxCSI is the maximum length of a CSI sequence in bytes; the longest real ones are kitty keys with text.
const maxCSI = 128

// firstUnit returns the first unit of b, which is not empty. The result for a complete unit does not depend on the
// bytes after it.
func firstUnit(b []byte) unit {
	c := b[0]
	switch {
	case c == esc:
		return escapedUnit(b)
	case c < ' ' || c == del:
		return unit{unitSequence, 1}
	case c >= 0x80 && c < 0xA0:
		return c1Unit(b)
	}
	return runeUnit(b, unitRune)
}

// runeUnit returns the unit of a character, or of an invalid byte.
func runeUnit(b []byte, kind unitKind) unit {
	if !utf8.FullRune(b) {
		return unit{}
	}
	if r, n := utf8.DecodeRune(b); r != utf8.RuneError || n > 1 {
		return unit{kind, n}
	}
	return unit{unitUnknown, 1}
}

// escapedUnit returns the first unit of b, which begins with ESC.
func escapedUnit(b []byte) unit {
	if len(b) == 1 {
		return unit{}
	}
	switch c := b[1]; {
	case c == '[':
		return csiUnit(b, 2)
	case c == 'O':
		return ss3Unit(b, 2)
	case isStringIntro(c):
		if len(b) == 2 {
			return unit{}
		}
		if b[2] < ' ' || b[2] == del { // Alt and the key, then another one
			return unit{unitSequence, 2}
		}
		return unit{unitString, 2}
	case c == esc:
		return twiceEscapedUnit(b)
	case c >= 0x80 && c < 0xA0:
		return unit{unitEscape, 1}
	case c >= 0xA0:
		u := runeUnit(b[1:], unitAltRune)
		if u.kind != unitIncomplete {
			u.n++
		}
		return u
	}
	return unit{unitSequence, 2}
}

// twiceEscapedUnit returns the first unit of b, which begins with ESC ESC: Alt and a key that sends a sequence, or the
// Esc key.
func twiceEscapedUnit(b []byte) unit {
	if len(b) == 2 {
		return unit{}
	}
	if b[2] == '[' || b[2] == 'O' {
		u := escapedUnit(b[1:])
		if u.kind == unitIncomplete {
			return u
		}
		if u.kind == unitSequence && u.n > 2 {
			return unit{unitAltSequence, 1 + u.n}
		}
	}
	return unit{unitEscape, 1}
}

// c1Unit returns the first unit of b, which begins with a control character of 8 bits.
func c1Unit(b []byte) unit {
	switch b[0] {
	case 0x9B:
		return csiUnit(b, 1)
	case 0x8F:
		return ss3Unit(b, 1)
	case 0x90, 0x98, 0x9D, 0x9E, 0x9F:
		return unit{unitString, 1}
	}
	return unit{unitUnknown, 1}
}

// isStringIntro reports whether ESC and c begin a string: OSC, DCS, APC, PM or SOS.
func isStringIntro(c byte) bool { return strings.IndexByte("]P_^X", c) >= 0 }

// csiUnit returns the unit of a CSI sequence with an introducer of the given length.
func csiUnit(b []byte, intro int) unit {
	if len(b) > intro {
		switch b[intro] {
		case 'M':
			return x10Unit(b, intro)
		case '[': // F1 to F5 of the Linux console have one more byte
			return finalUnit(b, intro, intro+1)
		}
	}
	for i := intro; i < len(b); i++ {
		if i >= maxCSI {
			return unit{unitLong, i}
		}
		c := b[i]
		if c == '$' && isShiftedByRxvt(b[intro:i]) {
			return unit{unitSequence, i + 1}
		}
		if c < ' ' || c >= '@' {
			return finalUnit(b, intro, i)
		}
	}
	return unit{}
}

// finalUnit returns the unit of a sequence whose final byte is expected at the index i.
func finalUnit(b []byte, intro, i int) unit {
	if i >= len(b) {
		return unit{}
	}
	switch c := b[i]; {
	case c >= '@' && c < del:
		return unit{unitSequence, i + 1}
	case c == cancel || c == substitute:
		return unit{unitUnknown, i + 1}
	case i == 2 && intro == 2: // Alt+[, or Alt+O, then another key
		return unit{unitSequence, 2}
	}
	return unit{unitUnknown, i}
}

// x10Unit returns the unit of a mouse report of the old form: CSI M and three bytes.
func x10Unit(b []byte, intro int) unit {
	for i := intro + 1; i <= intro+3; i++ {
		if i >= len(b) {
			return unit{}
		}
		if b[i] < ' ' {
			return unit{unitUnknown, i}
		}
	}
	return unit{unitSequence, intro + 4}
}

// isShiftedByRxvt reports whether params and a dollar sign are a key with Shift as rxvt sends it: a sequence that ends
// without a final byte.
func isShiftedByRxvt(params []byte) bool {
	if len(params) == 0 || len(params) > 2 {
		return false
	}
	for _, c := range params {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// ss3Unit returns the unit of an SS3 sequence with an introducer of the given length: an optional modifier and one
// byte.
func ss3Unit(b []byte, intro int) unit {
	i := intro
	for i < len(b) && i < intro+2 && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	if i < len(b) && b[i] >= ' ' && b[i] < '@' {
		return unit{unitSequence, i + 1}
	}
	return finalUnit(b, intro, i)
}
