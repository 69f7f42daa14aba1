package markdown

import (
	"html"
	"strings"
)

// decode replaces backslash escapes and character references.
func decode(text string) string {
	if !strings.ContainsAny(text, `\&`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && isPunctuation(text[i+1]) {
			i++
		} else if c, n := reference(text[i:]); n > 0 {
			b.WriteString(c)
			i += n - 1
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// reference returns the characters of the reference that a text begins with, such as "&lt;" or "&#x3C;", and the
// length of the reference, 0 for none.
func reference(text string) (characters string, length int) {
	if text[0] != '&' {
		return "", 0
	}
	n := 1
	for n < len(text) && containsOnly(text[n:n+1], "#") {
		n++
	}
	if n == len(text) || text[n] != ';' || strings.EqualFold(text[:n], "&#x") {
		return "", 0
	}
	n++
	characters = html.UnescapeString(text[:n])
	// The package html also decodes the beginning of a longer name.
	if characters == text[:n] || strings.HasSuffix(characters, ";") && characters != ";" {
		return "", 0
	}
	return characters, n
}

// isPunctuation reports whether a backslash before a character makes the character text.
func isPunctuation(b byte) bool {
	return '!' <= b && b <= '/' || ':' <= b && b <= '@' || '[' <= b && b <= '`' || '{' <= b && b <= '~'
}
