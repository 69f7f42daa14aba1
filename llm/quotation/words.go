package quotation

import (
	"html"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// words returns the words of a text, with a space before and behind each. An opening parenthesis
// is a word, so that a call such as f() has two.
func words(text string) string {
	b := append(make([]byte, 0, len(text)+2), ' ')
	for i := 0; i < len(text); {
		c, size := text[i], 1
		switch {
		case c < utf8.RuneSelf && isWordByte[c]:
			b = append(b, c)
		case c == '(':
			b = append(endWord(b), '(', ' ')
		case c < utf8.RuneSelf:
			b = endWord(b)
		default:
			var r rune
			r, size = utf8.DecodeRuneInString(text[i:])
			switch {
			case unicode.IsLetter(r) || unicode.IsDigit(r):
				b = append(b, text[i:i+size]...)
			case unicode.In(r, unicode.Cf, unicode.Mn): // invisible
			default:
				b = endWord(b)
			}
		}
		i += size
	}
	return string(endWord(b))
}

func endWord(b []byte) []byte {
	if b[len(b)-1] != ' ' {
		b = append(b, ' ')
	}
	return b
}

// isWordByte has the bytes of ASCII that words consist of.
var isWordByte = [utf8.RuneSelf]bool{
	'0': true, '1': true, '2': true, '3': true, '4': true, '5': true, '6': true, '7': true, '8': true, '9': true, '_': true,
	'a': true, 'b': true, 'c': true, 'd': true, 'e': true, 'f': true, 'g': true, 'h': true, 'i': true, 'j': true, 'k': true, 'l': true, 'm': true,
	'n': true, 'o': true, 'p': true, 'q': true, 'r': true, 's': true, 't': true, 'u': true, 'v': true, 'w': true, 'x': true, 'y': true, 'z': true,
	'A': true, 'B': true, 'C': true, 'D': true, 'E': true, 'F': true, 'G': true, 'H': true, 'I': true, 'J': true, 'K': true, 'L': true, 'M': true,
	'N': true, 'O': true, 'P': true, 'Q': true, 'R': true, 'S': true, 'T': true, 'U': true, 'V': true, 'W': true, 'X': true, 'Y': true, 'Z': true,
}

// allWords returns the words of a text as it stands, and as a model may read it: without the
// numbers before its lines, without escapes. The variants are separated.
func allWords(text string) string {
	out := words(text)
	add := func(variant string) {
		if variant != text {
			out += "\n" + words(variant)
		}
	}
	add(withoutNumbers(text))
	for i, t := 0, text; i < maxEscapes && hasEscapes(t); i++ {
		t = unescape(t)
		add(t)
	}
	if strings.Contains(text, "&") {
		add(html.UnescapeString(text))
	}
	return out
}

// maxEscapes is the number of times that a text may be escaped: JSON in JSON.
const maxEscapes = 2

func hasEscapes(text string) bool {
	for rest := text; ; {
		n := strings.IndexByte(rest, '\\')
		if n < 0 || n+1 == len(rest) {
			return false
		}
		if strings.IndexByte(`"\/nrtu`, rest[n+1]) >= 0 {
			return true
		}
		rest = rest[n+2:]
	}
}

// unescape replaces the escapes of JSON strings.
func unescape(text string) string {
	var b strings.Builder
	for {
		n := strings.IndexByte(text, '\\')
		if n < 0 || n+1 == len(text) {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:n])
		size := 2
		switch c := text[n+1]; c {
		case 'n', 'r', 't':
			b.WriteByte('\n')
		case '"', '\\', '/':
			b.WriteByte(c)
		case 'u':
			code, err := strconv.ParseUint(text[n+2:min(len(text), n+6)], 16, 32)
			if err != nil {
				b.WriteByte('\\')
				size = 1
				break
			}
			b.WriteRune(rune(code))
			size = 6
		default:
			b.WriteByte('\\')
			size = 1
		}
		text = text[n+size:]
	}
}

// withoutNumbers returns a text without the numbers and file names that tools write before lines,
// such as "12:", "L12:", "12\t" and "README.md:12:".
func withoutNumbers(text string) string {
	var b strings.Builder
	changed := false
	for line := range strings.Lines(text) {
		n := numberSize(line)
		changed = changed || n > 0
		b.WriteString(line[n:])
	}
	if !changed {
		return text
	}
	return b.String()
}

// numberSize returns the size of the number before a line, with the characters before it.
func numberSize(line string) int {
	rest := strings.TrimLeft(line, " \t>|+-")
	at := len(line) - len(rest)
	if n := numberEnd(strings.TrimPrefix(rest, "L")); n > 0 {
		return len(line) - len(strings.TrimPrefix(rest, "L")) + n
	}
	for i, c := range []byte(rest[:min(len(rest), maxName)]) {
		switch c {
		case ' ', '\t', '\n':
			return 0
		case ':', '-':
			if n := numberEnd(rest[i+1:]); n > 0 && i > 0 {
				return at + i + 1 + n
			}
		}
	}
	return 0
}

// maxName is the maximum size of a file name before a line, in bytes.
const maxName = 300

// numberEnd returns the size of a number and the mark behind it, 0 if s does not begin with them.
func numberEnd(s string) int {
	n := 0
	for n < len(s) && n < 9 && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	if n == 0 || n == len(s) {
		return 0
	}
	for _, mark := range [...]string{":", "\t", "|", "-", "→", " |", " →", " \t"} {
		if strings.HasPrefix(s[n:], mark) {
			return n + len(mark)
		}
	}
	return 0
}
