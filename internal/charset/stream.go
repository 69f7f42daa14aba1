package charset

import (
	"bytes"
	"errors"
	"unicode/utf8"

	"golang.org/x/text/transform"
)

// Limits of a stream.
const (
	// maxHeld is the number of bytes that wait for more of the text, to detect its encoding.
	maxHeld = 4 << 10
	// maxContext is the number of bytes before a text of which it is detected.
	maxContext = 64
	// maxTries is the number of pieces in no known encoding after which a stream is not converted any more.
	maxTries = 4
)

// Stream converts text that comes in pieces to UTF-8. It passes on valid UTF-8 at once. From the
// first line in another encoding on it holds the text back until there is enough of it to detect
// that encoding, which the stream then keeps, except for lines of UTF-8. Bytes in no known encoding
// are passed on unchanged. The zero value is a new stream.
type Stream struct {
	// Locale is the encoding of text that is not valid UTF-8, if it is known.
	Locale Encoding
	// NoWait makes the stream detect the encoding by the text that is there.
	NoWait bool

	hasBegun bool
	isWide   bool // UTF-16 or UTF-32
	tries    int
	found    Encoding // the zero value if none was detected
	held     []byte
	context  []byte // the end of the text that was passed on
	out      []byte
}

// Convert returns the next part of the text. It may share memory with p, and is valid until the
// next call.
func (s *Stream) Convert(p []byte) []byte {
	if !s.hasBegun && len(p) > 0 {
		p = s.begin(p)
	}
	if len(s.held) == 0 && !s.isWide && s.passes(p) {
		s.keepContext(p)
		return p
	}
	return s.convert(p, false)
}

// passes reports whether p is text that needs no conversion: ASCII or, as long as no other encoding was found, UTF-8.
func (s *Stream) passes(p []byte) bool {
	if s.found.IsUTF8() {
		return utf8.Valid(p)
	}
	return asciiLen(p) == len(p)
}

// Finish returns the rest of the text.
func (s *Stream) Finish() []byte { return s.convert(nil, true) }

// Held returns the text that waits for more, as Finish would return it.
func (s *Stream) Held() string {
	if len(s.held) < utf8.UTFMax || s.isWide { // the beginning of a character
		return ""
	}
	rest := *s
	rest.held, rest.out = bytes.Clone(s.held), nil
	return string(rest.convert(nil, true))
}

// Encoding returns that of the text which was converted, UTF-8 if none was.
func (s *Stream) Encoding() Encoding { return s.found }

// IsWide reports whether the text is UTF-16 or UTF-32, in which zeros are no sign of binary data.
func (s *Stream) IsWide() bool { return s.isWide }

// begin detects encodings of which the first bytes are certain, and returns p without a mark.
func (s *Stream) begin(p []byte) []byte {
	s.hasBegun = true
	e, ok := DetectHead(p[:min(len(p), HeadSize)], false)
	if !ok || e.codec == nil {
		return p
	}
	s.found, s.isWide = e, e.Name() != "GB18030"
	return p[len(e.mark):]
}

func (s *Stream) convert(p []byte, isEnd bool) []byte {
	data := append(s.held, p...)
	s.held, s.out = nil, s.out[:0]
	for len(data) > 0 {
		if s.isWide {
			data = s.decode(data, isEnd)
			break
		}
		if !s.found.IsUTF8() {
			data = s.convertLines(data, isEnd)
			break
		}
		n := validLen(data, isEnd)
		if n == len(data) || !isEnd && n+partialLen(data) == len(data) {
			s.out = append(s.out, data[:n]...)
			data = data[n:]
			break
		}
		n = bytes.LastIndexByte(data[:n], '\n') + 1
		s.out = append(s.out, data[:n]...)
		if data = data[n:]; !s.detect(data, isEnd) {
			break
		}
		if s.found.IsUTF8() {
			s.out = append(s.out, data...)
			data = nil
		}
	}
	s.held = data
	s.keepContext(s.out)
	return s.out
}

// keepContext keeps the end of a text that was passed on.
func (s *Stream) keepContext(p []byte) {
	if s.found.IsUTF8() && len(p) > 0 {
		s.context = append(s.context[:0], p[max(0, len(p)-maxContext):]...)
	}
}

// validLen returns the number of bytes before the first invalid one.
func validLen(data []byte, isEnd bool) int {
	if whole := trimPartial(data, isEnd); utf8.Valid(whole) {
		return len(whole)
	}
	for at := 0; at < len(data); {
		r, n := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && n == 1 {
			return at
		}
		at += n
	}
	return len(data)
}

// detect sets the encoding of a text that is not valid UTF-8. It reports false if the text should
// wait for more.
func (s *Stream) detect(data []byte, isEnd bool) bool {
	switch {
	case !s.Locale.IsUTF8():
		s.found = s.Locale
	case s.tries >= maxTries:
	case !isEnd && !s.NoWait && len(data) < maxHeld:
		return false
	default:
		s.found = Encoding{}
		if e := Detect(append(s.lineContext(), data...)); e.codec != nil {
			s.found = e
		} else {
			s.tries++
		}
	}
	return true
}

// lineContext returns the beginning of the line that goes on, as far as it is known and ASCII.
func (s *Stream) lineContext() []byte {
	line := s.context[bytes.LastIndexByte(s.context, '\n')+1:]
	for i := len(line) - 1; i >= 0; i-- {
		if line[i] >= utf8.RuneSelf {
			line = line[i+1:]
			break
		}
	}
	return bytes.Clone(line)
}

// convertLines converts text in the detected encoding, and returns an incomplete character at its end.
func (s *Stream) convertLines(data []byte, isEnd bool) (rest []byte) {
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n') + 1
		isWhole := end > 0 || isEnd
		if end == 0 {
			end = len(data)
		}
		line := data[:end]
		data = data[end:]
		if s.isUTF8Line(line) {
			s.out = append(s.out, line...)
		} else if rest = s.decode(line, isWhole); len(rest) > 0 {
			return rest // only of the last line
		}
	}
	return nil
}

// isUTF8Line reports whether a line is UTF-8. Text in East Asian encodings can be valid UTF-8 by chance, but
// hardly with characters of three bytes.
func (s *Stream) isUTF8Line(line []byte) bool {
	if !utf8.Valid(line) {
		return false
	}
	isMultibyte := false
	for _, m := range multibytes() {
		isMultibyte = isMultibyte || m.name == s.found.name
	}
	return !isMultibyte || asciiLen(line) == len(line) || bytes.ContainsFunc(line, func(r rune) bool { return r >= 0x800 })
}

// decode appends the text of data to s.out, and returns an incomplete character at its end.
func (s *Stream) decode(data []byte, isWhole bool) (rest []byte) {
	decoder := s.found.NewDecoder()
	var buf [1 << 10]byte
	for {
		n, used, err := decoder.Transform(buf[:], data, isWhole)
		s.out = append(s.out, buf[:n]...)
		data = data[used:]
		if !errors.Is(err, transform.ErrShortDst) {
			return data
		}
	}
}
