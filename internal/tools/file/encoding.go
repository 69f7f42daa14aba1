package file

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// encoding is the encoding of a text file according to its byte order mark. A file without one
// is UTF-8.
type encoding int

const (
	plainUTF8 encoding = iota
	markedUTF8
	utf16LE
	utf16BE
	utf32LE
	utf32BE
)

// marks lists the byte order marks. The little-endian mark of UTF-32 begins with the one of
// UTF-16, so it comes first.
var marks = []struct {
	mark string
	encoding
}{
	{"\xff\xfe\x00\x00", utf32LE},
	{"\x00\x00\xfe\xff", utf32BE},
	{"\xff\xfe", utf16LE},
	{"\xfe\xff", utf16BE},
	{"\xef\xbb\xbf", markedUTF8},
}

// detectEncoding returns the encoding of a file that begins with head, and its mark.
func detectEncoding(head []byte) (encoding, string) {
	for _, m := range marks {
		if len(head) >= len(m.mark) && string(head[:len(m.mark)]) == m.mark {
			return m.encoding, m.mark
		}
	}
	return plainUTF8, ""
}

// wide reports whether e is not UTF-8.
func (e encoding) wide() bool { return e > markedUTF8 }

func (e encoding) order() binary.ByteOrder {
	if e == utf16BE || e == utf32BE {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// decode returns the text of data, which must not include the mark. UTF-8 is returned
// unchanged, even if invalid; invalid text in other encodings becomes U+FFFD.
func (e encoding) decode(data []byte) string {
	var b strings.Builder
	order := e.order()
	switch e {
	case utf16LE, utf16BE:
		b.Grow(len(data))
		for len(data) >= 2 {
			r := rune(order.Uint16(data))
			data = data[2:]
			if utf16.IsSurrogate(r) {
				low := rune(utf8.RuneError)
				if len(data) >= 2 {
					low = rune(order.Uint16(data))
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					data = data[2:]
				}
			}
			b.WriteRune(r)
		}
	case utf32LE, utf32BE:
		b.Grow(len(data) / 2)
		for len(data) >= 4 {
			r := utf8.RuneError
			if u := order.Uint32(data); u <= utf8.MaxRune {
				r = rune(u)
			}
			b.WriteRune(r) // surrogates become U+FFFD
			data = data[4:]
		}
	default:
		return string(data)
	}
	if len(data) > 0 {
		b.WriteRune(utf8.RuneError)
	}
	return b.String()
}

// encode is the inverse of decode, including the mark.
func (e encoding) encode(text string) []byte {
	if !e.wide() {
		if e == markedUTF8 {
			return append([]byte("\xef\xbb\xbf"), text...)
		}
		return []byte(text)
	}
	var out []byte
	for _, m := range marks {
		if m.encoding == e {
			out = append(make([]byte, 0, 2*len(text)+4), m.mark...)
		}
	}
	order := e.order().(binary.AppendByteOrder)
	for _, r := range text {
		if e == utf32LE || e == utf32BE {
			out = order.AppendUint32(out, uint32(r))
			continue
		}
		for _, u := range utf16.AppendRune(nil, r) {
			out = order.AppendUint16(out, u)
		}
	}
	return out
}

// sniffed is the number of bytes that looksBinary needs.
const sniffed = 512

// looksBinary reports whether a file that begins with head is not a text. isWhole reports
// whether head is the complete file.
func looksBinary(head []byte, isWhole bool) bool {
	if e, _ := detectEncoding(head); e != plainUTF8 || bytes.HasPrefix(head, []byte("\x84\x31\x95\x33")) {
		return false // the last one is the mark of GB18030
	}
	if bytes.HasPrefix(head, []byte("%PDF-")) || bytes.IndexByte(head, 0) >= 0 {
		return true
	}
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
		case r < 7, r > 14 && r < ' ':
			suspicious++
		}
		rest = rest[n:]
	}
	if suspicious*100 > 10*len(head) {
		return true
	}
	return suspicious > 1 && isWhole && isProtobuf(head)
}

// isProtobuf reports whether b can be parsed as a protocol buffer.
func isProtobuf(b []byte) bool {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 || tag>>3 == 0 {
			return false
		}
		b = b[n:]
		var skip uint64
		switch tag & 7 {
		case 0:
			if _, n = binary.Uvarint(b); n <= 0 {
				return false
			}
			skip = uint64(n)
		case 1:
			skip = 8
		case 2:
			length, n := binary.Uvarint(b)
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
