package highlight

import (
	"strings"
	"unicode/utf8"
)

// numberLength returns the length of a number with its base, exponent and suffix.
func numberLength(rest string) (n int) {
	isHex := len(rest) > 1 && (rest[1] == 'x' || rest[1] == 'X')
	for n < len(rest) {
		c := rest[n]
		switch {
		case isDigit(c), c == '_', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '%' && n+1 == len(rest):
		case c == '.' && n+1 < len(rest) && isDigit(rest[n+1]):
		case (c == '+' || c == '-') && !isHex && (rest[n-1] == 'e' || rest[n-1] == 'E') && n+1 < len(rest) && isDigit(rest[n+1]):
		default:
			return n
		}
		n++
	}
	return n
}

// directiveLength returns the length of a directive: a word behind its mark, or a bracket.
func directiveLength(rest string) int {
	n := 1
	if strings.HasPrefix(rest[1:], "[") || strings.HasPrefix(rest[1:], "![") {
		if end := strings.IndexByte(rest, ']'); end >= 0 {
			return end + 1
		}
		return len(rest)
	}
	if rest[0] == '[' {
		if end := strings.LastIndexByte(rest, ']'); end >= 0 {
			return end + 1
		}
	}
	for n < len(rest) && rest[n] == ' ' {
		n++
	}
	for n < len(rest) && ('a' <= rest[n] && rest[n] <= 'z' || rest[n] == '!' || rest[n] == '?') {
		n++
	}
	return n
}

// characterLength returns the length of a character literal, 0 if the quote begins none.
func characterLength(rest string) int {
	if len(rest) < 3 {
		return 0
	}
	if rest[1] == '\\' {
		if end := strings.IndexByte(rest[3:min(len(rest), 14)], '\''); end >= 0 {
			return end + 4
		}
		return 0
	}
	_, n := utf8.DecodeRuneInString(rest[1:])
	if rest[1] != '\'' && 1+n < len(rest) && rest[1+n] == '\'' {
		return n + 2
	}
	return 0
}
