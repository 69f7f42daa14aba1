package charset

import (
	"bytes"
	stdbinary "encoding/binary"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// HeadSize is the number of bytes that [DetectHead] needs.
	HeadSize = 512
	// maxSample is the number of bytes that are compared with usual characters, from the first line
	// on that is not ASCII.
	maxSample = 32 << 10
)

// Detect returns the encoding of data, the whole of a text or all of it that can be read. It
// depends on nothing but data.
func Detect(data []byte) Encoding {
	head := data[:min(len(data), HeadSize)]
	if e, ok := DetectHead(head, len(data) == len(head)); ok {
		return e
	}
	if utf8.Valid(data) {
		return Encoding{}
	}
	if isDamagedUTF8(data) {
		return Encoding{}
	}
	if e, ok := detectLegacy(data); ok {
		return e
	}
	if isNoise(head, len(data) == len(head)) {
		return binary
	}
	return Encoding{}
}

// DetectHead returns the encoding of a text that begins with head, the first HeadSize bytes of it
// or, if isWhole is set, all. It reports false if that depends on the rest: the text is in UTF-8
// if all of it is valid.
func DetectHead(head []byte, isWhole bool) (e Encoding, ok bool) {
	if e, ok := DetectMark(head); ok {
		return e, true
	}
	switch {
	case bytes.HasPrefix(head, []byte("%PDF-")):
		return binary, true
	case bytes.IndexByte(head, 0) >= 0:
		return detectWide(head, isWhole), true
	case utf8.Valid(trimPartial(head, isWhole)) && isNoise(head, isWhole):
		return binary, true
	}
	return Encoding{}, false
}

// DetectMark returns the encoding of a text that begins with a byte order mark.
func DetectMark(head []byte) (e Encoding, ok bool) {
	if len(head) == 0 || head[0] > 0 && head[0] < utf8.RuneSelf {
		return Encoding{}, false
	}
	for _, e := range marked() {
		if strings.HasPrefix(string(head[:min(len(head), 4)]), e.mark) {
			return e, true
		}
	}
	return Encoding{}, false
}

// trimPartial returns b without an incomplete UTF-8 character at its end, unless it is the whole text.
func trimPartial(b []byte, isWhole bool) []byte {
	if isWhole {
		return b
	}
	return b[:len(b)-partialLen(b)]
}

// partialLen returns the length of an incomplete UTF-8 character at the end of b.
func partialLen(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-n:]) {
				return n
			}
			break
		}
	}
	return 0
}

// detectWide returns the encoding of a text with zeros and without a mark: UTF-16 or UTF-32 if they
// are where these have them in Latin text.
func detectWide(head []byte, isWhole bool) Encoding {
	for _, e := range marked() {
		unit := 0
		switch {
		case strings.HasPrefix(e.name, "UTF-32"):
			unit = 4
		case strings.HasPrefix(e.name, "UTF-16"):
			unit = 2
		}
		if unit == 0 || len(head) < 2*unit || isWhole && len(head)%unit != 0 {
			continue
		}
		e.mark = ""
		if isWideText(e.Decode(head[:len(head)/unit*unit])) {
			return e
		}
	}
	return binary
}

// isWideText reports whether a text, decoded from UTF-16 or UTF-32, has printable characters only,
// a third of them ASCII. A surrogate at its end may have been cut off.
func isWideText(text string) bool {
	text = strings.TrimSuffix(text, "\uFFFD")
	all, ascii := 0, 0
	for _, r := range text {
		if !unicode.IsPrint(r) && !strings.ContainsRune("\t\n\v\f\r\u00a0\u3000", r) || r == utf8.RuneError {
			return false
		}
		all++
		if r < utf8.RuneSelf {
			ascii++
		}
	}
	return ascii > 1 && 3*ascii >= all
}

// isDamagedUTF8 reports whether most of the characters outside of ASCII are valid UTF-8. Text in other
// encodings has one now and then.
func isDamagedUTF8(data []byte) bool {
	valid, invalid := 0, 0
	for data = data[:len(data)-partialLen(data)]; len(data) > 0; {
		if data[0] < utf8.RuneSelf {
			data = data[asciiLen(data):]
			continue
		}
		r, n := utf8.DecodeRune(data)
		if r == utf8.RuneError && n == 1 {
			invalid++
		} else {
			valid++
		}
		data = data[n:]
	}
	return valid > 0 && valid >= 2*invalid
}

// asciiLen returns the number of ASCII characters at the beginning of b.
func asciiLen(b []byte) int {
	i := 0
	for ; len(b)-i >= 8 && stdbinary.LittleEndian.Uint64(b[i:])&0x8080808080808080 == 0; i += 8 { // the usual text
	}
	for ; i < len(b) && b[i] < utf8.RuneSelf; i++ {
	}
	return i
}

// isNoise reports whether a text that begins with head has so many control characters and invalid
// bytes that it is data of another kind.
func isNoise(head []byte, isWhole bool) bool {
	suspicious := 0
	for rest := head; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		switch {
		case r == utf8.RuneError && n == 1:
			if !isWhole && !utf8.FullRune(rest) {
				n = len(rest) // the character is only cut off
				break
			}
			suspicious++
		case isControl(r):
			suspicious++
		}
		rest = rest[n:]
	}
	if suspicious*100 > 10*len(head) {
		return true
	}
	return suspicious > 1 && isWhole && isProtobuf(head)
}

// isControl reports whether texts have r rarely.
func isControl(r rune) bool { return r < 7 || r > 14 && r < ' ' }

// isProtobuf reports whether b can be parsed as a protocol buffer.
func isProtobuf(b []byte) bool {
	for len(b) > 0 {
		tag, n := stdbinary.Uvarint(b)
		if n <= 0 || tag>>3 == 0 {
			return false
		}
		b = b[n:]
		var skip uint64
		switch tag & 7 {
		case 0:
			if _, n = stdbinary.Uvarint(b); n <= 0 {
				return false
			}
			skip = uint64(n)
		case 1:
			skip = 8
		case 2:
			length, n := stdbinary.Uvarint(b)
			if n <= 0 {
				return false
			}
			b, skip = b[n:], length
		case 5:
			skip = 4
		default:
			return false
		}
		if skip > uint64(len(b)) {
			return false
		}
		b = b[skip:]
	}
	return true
}
