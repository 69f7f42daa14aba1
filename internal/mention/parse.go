package mention

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// mention is a part of a prompt that may name a file.
type mention struct {
	start, end int    // including the @
	path       string // without quotes and escapes
}

// parse returns the possible mentions in a prompt in order. An @ begins one unless it follows
// a letter, a digit, a character of an e-mail address or a backslash. The path ends at a space
// or a punctuation character; it may be quoted, or contain such characters with backslashes.
func parse(prompt string) []mention {
	var found []mention
	for i := 0; i < len(prompt); {
		at := strings.IndexByte(prompt[i:], '@')
		if at < 0 {
			break
		}
		start := i + at
		i = start + 1
		if before, _ := utf8.DecodeLastRuneInString(prompt[:start]); start > 0 && !mayPrecede(before) {
			continue
		}
		path, n := quoted(prompt[i:])
		if n == 0 {
			path, n = unquoted(prompt[i:])
		}
		if path != "" {
			found = append(found, mention{start, i + n, path})
			i += n
		}
	}
	return found
}

func mayPrecede(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(`\._%+-@/`, r)
}

// quoted parses a path in double quotes, and returns its length in s, 0 if there is none.
func quoted(s string) (path string, n int) {
	if !strings.HasPrefix(s, `"`) {
		return "", 0
	}
	end := strings.IndexAny(s[1:], "\"\n")
	if end < 0 || s[1+end] != '"' {
		return "", 0
	}
	return s[1 : 1+end], end + 2
}

// ends are the characters that end an unquoted path.
const ends = ",;!?()[]{}\"'`<>|"

// unquoted parses a path without quotes.
func unquoted(s string) (path string, n int) {
	var b strings.Builder
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		if r == '\\' && n+1 < len(s) {
			next, nextSize := utf8.DecodeRuneInString(s[n+1:])
			if next != '\n' && !unicode.IsLetter(next) && !unicode.IsDigit(next) {
				b.WriteString(s[n+1 : n+1+nextSize])
				n += 1 + nextSize
				continue
			}
		}
		if unicode.IsSpace(r) || strings.ContainsRune(ends, r) {
			break
		}
		b.WriteString(s[n : n+size])
		n += size
	}
	path = b.String()
	for strings.HasSuffix(path, ".") || strings.HasSuffix(path, ":") { // punctuation of the sentence
		if rest := path[:len(path)-1]; rest == "" || strings.HasSuffix(rest, "/") || rest == "." || strings.HasSuffix(rest, "/.") {
			break // "@.", "@..", "@src/.."
		}
		path, n = path[:len(path)-1], n-1
	}
	return path, n
}
