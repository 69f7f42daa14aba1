package history

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSearched is the length of the part of an input that is searched, in bytes.
const maxSearched = 16 << 10

// match is an input with the part of its text that matches the query.
type match struct {
	*entry
	start, end int
}

// find returns the first part of a text that equals the query if case does not matter. An empty query matches at the
// start.
func find(text string, query []rune) (start, end int, ok bool) {
	if len(query) == 0 {
		return 0, 0, true
	}
	text = head(text, maxSearched)
	for i, r := range text {
		if fold(r) != query[0] {
			continue
		}
		if n := matchLength(text[i:], query); n > 0 {
			return i, i + n, true
		}
	}
	return 0, 0, false
}

// matchLength returns the length of the query at the start of a text, with the marks on its last character; 0 if the
// text begins differently.
func matchLength(text string, query []rune) (n int) {
	for _, q := range query {
		r, size := utf8.DecodeRuneInString(text[n:])
		if size == 0 || fold(r) != q {
			return 0
		}
		n += size
	}
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		if !unicode.In(r, unicode.Mn, unicode.Me) {
			break
		}
		n += size
	}
	return n
}

// folded returns the characters of a query in the case that [find] compares.
func folded(query string) []rune {
	return []rune(strings.Map(fold, query))
}

// fold returns one character for all that differ only in case.
func fold(r rune) rune {
	if r >= utf8.RuneSelf {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		r = least
	}
	if 'A' <= r && r <= 'Z' {
		r += 'a' - 'A'
	}
	return r
}

// head returns the first bytes of a text, at most n, without a part of a character at the end.
func head(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// tail returns the last bytes of a text, at most n, without a part of a character at the start.
func tail(text string, n int) string {
	from := max(len(text)-n, 0)
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return text[from:]
}
