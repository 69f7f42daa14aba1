// Package charset detects the encoding of a text, and converts the text to UTF-8 and back.
//
// All code that reads texts of a project uses it, so that a file has the same text in a read, a
// search and an edit. The tables of encodings are those of golang.org/x/text.
//
// No library detects encodings reliably in source code, where a few characters stand among much
// ASCII. So detect.go first tries marks, valid UTF-8 and the zeros of UTF-16, which are certain.
// Otherwise legacy.go takes the encoding in which the text has the most usual characters:
// multibyte.go has those of East Asian encodings, letters.go those with one byte for each letter.
package charset

import (
	"bytes"
	"fmt"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"
)

// Encoding is the encoding of a text, with its byte order mark, if there is one. The zero value
// is UTF-8 without a mark.
type Encoding struct {
	name  string
	mark  string
	codec encoding.Encoding // nil for UTF-8 and data that is not text
}

// binary is the encoding of data that is not text.
var binary = Encoding{name: "binary"}

// Name returns the name of the encoding, such as "UTF-8" or "GB18030".
func (e Encoding) Name() string {
	if e.name == "" {
		return "UTF-8"
	}
	return e.name
}

// IsText reports whether the data is text.
func (e Encoding) IsText() bool { return e.name != binary.name }

// IsUTF8 reports whether text needs no conversion, except for invalid bytes and the mark.
func (e Encoding) IsUTF8() bool { return e.codec == nil && e.IsText() }

// HasMark reports whether the text begins with a byte order mark.
func (e Encoding) HasMark() bool { return e.mark != "" }

// IsUTF32 reports whether each character has four bytes.
func (e Encoding) IsUTF32() bool { return strings.HasPrefix(e.name, "UTF-32") }

// Decode returns the text of data without its mark. UTF-8, and data that is not text, is returned
// unchanged, even if invalid. Invalid bytes in other encodings become U+FFFD.
func (e Encoding) Decode(data []byte) string {
	data = bytes.TrimPrefix(data, []byte(e.mark))
	if e.codec != nil {
		data, _ = e.codec.NewDecoder().Bytes(data) // never fails
	}
	return string(data)
}

// Text returns data, a text in any encoding, as valid UTF-8. Invalid bytes become U+FFFD.
func Text(data []byte) string { return strings.ToValidUTF8(Detect(data).Decode(data), "\uFFFD") }

// Encode returns the bytes of text, with the mark. The error is an [*UnsupportedError].
func (e Encoding) Encode(text string) ([]byte, error) {
	if e.codec == nil {
		return []byte(e.mark + text), nil
	}
	encoded, n, err := transform.String(e.codec.NewEncoder(), text)
	if err != nil {
		return nil, &UnsupportedError{Encoding: e.Name(), Text: text, Offset: n}
	}
	return []byte(e.mark + encoded), nil
}

// IsExact reports whether the encoding turns the text of data into the same bytes again. Others
// would change when the text is written.
func (e Encoding) IsExact(data []byte) bool {
	if e.codec == nil {
		return true
	}
	again, err := e.Encode(e.Decode(data))
	return err == nil && bytes.Equal(again, data)
}

// NewDecoder returns a converter to UTF-8 for data that comes in pieces. It keeps the mark.
func (e Encoding) NewDecoder() transform.Transformer {
	if e.codec == nil {
		return transform.Nop
	}
	return e.codec.NewDecoder()
}

// UnsupportedError reports that a text has a character that its encoding lacks.
type UnsupportedError struct {
	Encoding string
	Text     string
	Offset   int // of the character in Text
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s has no character %s", e.Encoding, e.Char())
}

// Char returns the character and its number: "→" (U+2192).
func (e *UnsupportedError) Char() string {
	for _, r := range e.Text[min(e.Offset, len(e.Text)):] {
		return fmt.Sprintf("%q (U+%04X)", string(r), r)
	}
	return "?"
}

// Line returns the number of the line that has the character, counted from 1.
func (e *UnsupportedError) Line() int {
	return strings.Count(e.Text[:min(e.Offset, len(e.Text))], "\n") + 1
}

// marked returns the encodings with a byte order mark. The little-endian mark of UTF-32 begins with
// that of UTF-16, so it comes first.
func marked() []Encoding {
	return []Encoding{
		{"UTF-32LE", "\xff\xfe\x00\x00", utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)},
		{"UTF-32BE", "\x00\x00\xfe\xff", utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)},
		{"UTF-16LE", "\xff\xfe", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
		{"UTF-16BE", "\xfe\xff", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
		{"GB18030", "\x84\x31\x95\x33", simplifiedchinese.GB18030},
		{"", UTF8Mark, nil},
	}
}
