package files

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"pollux/internal/face/tui/buffer"
)

// token is the mention at the cursor.
type token struct {
	buffer.Range        // with the @
	query        string // the text behind the @ without quotes and backslashes
}

// tokenAt returns the mention that the cursor is in: from an @ in the line of the cursor, up to the cursor and the end
// of the word. There is none if a space without a backslash is between the @ and the cursor, or if the @ is part of an
// e-mail address or has a backslash.
//
// A mention in double quotes may have spaces.
func tokenAt(text string, cursor int) (token, bool) {
	start := strings.LastIndexByte(text[:cursor], '\n') + 1
	line := text[start:]
	if end := strings.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	cursor -= start
	at := lastAt(line, cursor)
	if at < 0 {
		return token{}, false
	}
	query, end := "", tail(line, at+1, cursor)
	if strings.HasPrefix(line[at+1:], `"`) && cursor > at+1 {
		if query, end = quoted(line, at+2, cursor); end < 0 {
			return token{}, false
		}
	} else {
		query = unescape(line[at+1 : end])
		if hasSpace(line[at+1 : cursor]) {
			return token{}, false
		}
	}
	return token{buffer.Range{Start: start + at, End: start + end}, query}, true
}

// lastAt returns the position of the last @ before the cursor that begins a mention, -1 if there is none. An @ within
// another mention begins none.
func lastAt(line string, cursor int) int {
	at := -1
	for i := 0; i < cursor; {
		if line[i] != '@' || !mayBegin(line[:i]) {
			i++
			continue
		}
		at = i
		if i = wordEnd(line, i+1); i == at+1 && strings.HasPrefix(line[i:], `"`) {
			i++
			if n := strings.IndexByte(line[i:], '"'); n >= 0 {
				i += n
			}
		}
	}
	return at
}

// quoted returns the path in quotes that begins at a position of a line, and its end behind the closing quote, or the
// cursor if there is no such quote. Text may follow the quotes around a directory. The end is -1 if the cursor is
// behind the path.
func quoted(line string, begin, cursor int) (query string, end int) {
	n := strings.IndexByte(line[begin:], '"')
	switch closing := begin + n; {
	case n < 0:
		return line[begin:cursor], cursor
	case closing >= cursor:
		return line[begin:closing], closing + 1
	case closing > begin && line[closing-1] == '/' && !hasSpace(line[closing+1:cursor]):
		end = tail(line, closing+1, cursor)
		return line[begin:closing] + unescape(line[closing+1:end]), end
	}
	return "", -1
}

// mayBegin reports whether an @ behind a text begins a mention.
func mayBegin(before string) bool {
	r, size := utf8.DecodeLastRuneInString(before)
	if size == 0 || isCJK(r) {
		return true
	}
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(`\._%+-@/`, r)
}

// isCJK reports whether a letter belongs to a script without spaces between words, or to Korean.
func isCJK(r rune) bool {
	return r >= 0x1100 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Hangul) || r == 'ー')
}

// wordEnd returns the end of a path without quotes that begins at i.
func wordEnd(line string, i int) int {
	for i < len(line) {
		r, size, isEscaped := next(line[i:])
		if !isEscaped && isEnd(r) {
			break
		}
		i += size
	}
	return i
}

// tail returns the end of the characters at the cursor up to the next one that ends a path.
func tail(line string, i, cursor int) int {
	for i < len(line) {
		r, size, isEscaped := next(line[i:])
		if i >= cursor && !isEscaped && isEnd(r) {
			break
		}
		i += size
	}
	return max(i, cursor)
}

func hasSpace(text string) bool {
	for len(text) > 0 {
		r, size, isEscaped := next(text)
		if !isEscaped && unicode.IsSpace(r) {
			return true
		}
		text = text[size:]
	}
	return false
}

// next returns the first character of a text without its backslash, and the length of both in bytes.
func next(text string) (r rune, size int, isEscaped bool) {
	r, size = utf8.DecodeRuneInString(text)
	if r != '\\' || len(text) == 1 {
		return r, size, false
	}
	second, n := utf8.DecodeRuneInString(text[1:])
	if unicode.IsLetter(second) || unicode.IsDigit(second) || second == '\n' {
		return r, size, false
	}
	return second, 1 + n, true
}

// unescape returns a text without backslashes.
func unescape(text string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size, isEscaped := next(text)
		if isEscaped {
			b.WriteRune(r)
		} else {
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
	return b.String()
}
