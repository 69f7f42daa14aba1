// Package urltext finds URLs in texts of people and models, with or without spaces around them. A URL ends before the
// punctuation of a sentence, also before that of Chinese and Japanese, which has no spaces.
package urltext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Span is the place of a URL in a text.
type Span struct{ Start, End int }

// Find returns the places of the URLs in a text, in their order. It finds each text with "://", with any scheme or none.
func Find(text string) (list []Span) {
	const mark = "://"
	for from := 0; ; {
		n := strings.Index(text[from:], mark)
		if n < 0 {
			return list
		}
		at := from + n
		start := at - schemeLength(text[from:at])
		from = at + max(Length(text[at:]), len(mark))
		list = append(list, Span{start, from})
	}
}

// schemeLength returns the length of the scheme at the end of a text, 0 if there is none.
func schemeLength(text string) int {
	n := len(text)
	for n > 0 && (isAlphanumeric(text[n-1]) || strings.IndexByte("+.-", text[n-1]) >= 0) {
		n--
	}
	return len(text) - n
}

func isAlphanumeric(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9'
}

// Length returns the length of the rest of a URL at the beginning of a text. The rest begins behind the scheme, with "://", or
// with the dot behind "www".
func Length(text string) int {
	begin := len(text) - len(strings.TrimLeft(text, ":/."))
	end := begin + hostLength(text[begin:])
	if n := begin + strings.IndexFunc(text[begin:end], isWide); n >= begin && isStuckToHost(text[begin:n], text[n:end]) {
		return trim(text[:n])
	}
	if end < len(text) && strings.IndexByte("/?#", text[end]) >= 0 {
		end += pathLength(text[end:])
	}
	return trim(text[:end])
}

// hostLength returns the length of the host at the beginning of a text, with its port, and with the user before it.
func hostLength(text string) int {
	begin := 0
	if strings.HasPrefix(text, "[") { // an address of IPv6
		begin = max(strings.IndexByte(text, ']')+1, 1)
	}
	n := strings.IndexFunc(text[begin:], func(r rune) bool { return isOutside(r) || strings.ContainsRune("/?#()[]{}", r) })
	if n < 0 {
		return len(text)
	}
	return begin + n
}

// isStuckToHost reports whether the rest of a host, in another script, is the text behind it: a port is a number, and the last
// label of a host has one script.
func isStuckToHost(host, rest string) bool {
	label := host[strings.LastIndexByte(host, '.')+1:]
	if label == "" || strings.ContainsAny(rest, ".@") {
		return false
	}
	return isAlphanumeric(label[len(label)-1])
}

// pathLength returns the length of the part of a URL from the end of its host on.
func pathLength(text string) int {
	round, square, wide := 0, 0, -1 // open brackets, and the place where wide characters begin
	for i, size := 0, 0; i < len(text); i += size {
		var r rune
		r, size = utf8.DecodeRuneInString(text[i:])
		next, _ := utf8.DecodeRuneInString(text[i+size:])
		switch {
		case isOutside(r):
			return i
		case strings.ContainsRune(",;!", r) && isWide(next):
			return i
		case r == '(':
			round++
		case r == ')':
			if round--; round < 0 && isWide(next) {
				return i
			}
		case r == '[':
			if square++; isLinkText(text[i:]) {
				return i
			}
		case r == ']':
			if square--; square < 0 {
				return i
			}
		}
		switch {
		case !isWide(r):
			if wide >= 0 && hasScheme(text[i:]) {
				return wide
			}
			wide = -1
		case wide < 0:
			wide = i
		}
	}
	return len(text)
}

// isLinkText reports whether a text that begins with "[" begins with the text of a Markdown link, or has no end of the bracket.
func isLinkText(text string) bool {
	const longest = 1000
	n := strings.IndexByte(text[:min(len(text), longest)], ']')
	return n < 0 || strings.HasPrefix(text[n+1:], "(")
}

// hasScheme reports whether a text begins with a URL of the web.
func hasScheme(text string) bool {
	return strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://")
}

// isOutside reports whether a character is never a part of a URL in a text.
func isOutside(r rune) bool {
	switch {
	case r <= ' ', unicode.IsSpace(r), unicode.IsControl(r), strings.ContainsRune("<>\"`|“”‘’…—、。〃", r):
		return true
	case 0x3008 <= r && r <= 0x3011, 0x3014 <= r && r <= 0x301f: // brackets and quotation marks of Chinese and Japanese
		return true
	case 0xff01 <= r && r <= 0xff65: // wide forms of ASCII: its letters, digits and underscore may be in a path
		return unicode.IsPunct(r) && r != '＿' || unicode.IsSymbol(r)
	}
	return false
}

// isWide reports whether a character is a letter of a script that has no spaces between words.
func isWide(r rune) bool {
	return r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// trim returns the length of the rest of a URL without the punctuation at its end, which belongs to the sentence.
func trim(text string) int {
	const opening, closing = "([{", ")]}"
	var excess [len(closing)]int // of closing brackets
	for i := range excess {
		excess[i] = strings.Count(text, closing[i:i+1]) - strings.Count(text, opening[i:i+1])
	}
	n := len(text)
	for n > 0 {
		last := text[n-1]
		switch i := strings.IndexByte(closing, last); {
		case i >= 0 && excess[i] > 0:
			excess[i]--
		case strings.IndexByte("?!.,:;*_~'\\", last) >= 0:
		default:
			return n
		}
		n--
	}
	return n
}
