package mention

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mention is a part of a prompt that may name a file.
type mention struct {
	start, end int    // including the @
	path       string // without quotes and escapes
	// endings are the ends that the name may have instead, the longest first: names of files may
	// contain spaces and punctuation, and text may follow them without a space.
	endings []ending
}

// ending is a possible end of a mention, and the path before it.
type ending struct {
	end  int
	path string
}

// parse returns the possible mentions in a prompt in order. An @ begins one unless it follows
// a letter, a digit, a character of an e-mail address or a backslash; Chinese, Japanese and Korean
// letters may precede it. The path ends at a space or a punctuation character; it may be quoted, or
// contain such characters with backslashes.
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
		m := mention{start: start}
		path, n := quoted(prompt[i:])
		if n == 0 {
			path, n, m.endings = unquoted(prompt[i:])
		}
		if path != "" {
			m.path, m.end = path, i+n
			for k := range m.endings {
				m.endings[k].end += i
			}
			found = append(found, m)
			i += n
		}
	}
	return found
}

func mayPrecede(r rune) bool {
	return isCJK(r) || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(`\._%+-@/`, r)
}

// isCJK reports whether a rune is a letter of a script that does not separate words with spaces, or of
// Korean, in which particles follow names directly.
func isCJK(r rune) bool {
	return r >= 0x1100 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Hangul) || r == 'ー')
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

// ends are the characters that end an unquoted path, and wideEnds those of Chinese and Japanese.
const (
	ends     = ",;!?()[]{}\"'`<>|" + wideEnds
	wideEnds = "，。、；：！？（）「」『』【】〔〕《》〈〉“”‘’…"
)

// maxEndings and maxLonger limit the other endings of a mention: their number, and the bytes behind
// its own end.
const (
	maxEndings = 16
	maxLonger  = 200
)

// unquoted parses a path without quotes, and returns its length in s and its other endings.
func unquoted(s string) (path string, n int, endings []ending) {
	var b strings.Builder
	end := -1 // of the path, before the first space or punctuation
	short := ending{}
	before := rune(0)
	for i := 0; i <= len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if isEnd := i == len(s) || unicode.IsSpace(r) || strings.ContainsRune(ends, r); isEnd && before != ' ' {
			if end < 0 {
				end = i
			}
			endings = append(endings, ending{i, b.String()})
		} else if isCJK(r) && !isCJK(before) || r == ':' && startsNumber(s[i+1:]) {
			endings = append(endings, ending{i, b.String()})
			if end < 0 && short.path == "" && isCJK(r) && hasFileExtension(b.String()) {
				short = ending{i, b.String()}
			}
		}
		if i == len(s) || r == '\n' || end >= 0 && (r == '@' || i-end > maxLonger || len(endings) > 2*maxEndings) {
			break
		}
		if before = r; unicode.IsSpace(r) {
			before = ' '
		}
		if r == '\\' && i+1 < len(s) {
			next, nextSize := utf8.DecodeRuneInString(s[i+1:])
			if next != '\n' && !unicode.IsLetter(next) && !unicode.IsDigit(next) {
				b.WriteString(s[i+1 : i+1+nextSize])
				i += 1 + nextSize
				continue
			}
		}
		b.WriteString(s[i : i+size])
		i += size
	}
	at := slices.IndexFunc(endings, func(e ending) bool { return e.end == end })
	for path, n = endings[at].path, end; ; {
		shorter, m := withoutPeriod(path, n)
		if m == n {
			break
		}
		path, n = shorter, m
		endings = append(endings, ending{n, path})
	}
	if short.path != "" {
		path, n = short.path, short.end
	}
	endings = slices.DeleteFunc(endings, func(e ending) bool { return e.end == n || e.path == "" })
	slices.SortFunc(endings, func(a, b ending) int { return cmp.Compare(b.end, a.end) })
	return path, n, endings[:min(len(endings), maxEndings)]
}

// withoutPeriod removes one character of the sentence's punctuation from the end of a path of n
// bytes.
func withoutPeriod(path string, n int) (string, int) {
	if !strings.HasSuffix(path, ".") && !strings.HasSuffix(path, ":") {
		return path, n
	}
	rest := path[:len(path)-1]
	if rest == "" || strings.HasSuffix(rest, "/") || rest == "." || strings.HasSuffix(rest, "/.") {
		return path, n // "@.", "@..", "@src/.."
	}
	return rest, n - 1
}

// startsNumber reports whether a text begins with a digit: that of a line behind a file's name.
func startsNumber(s string) bool { return s != "" && '0' <= s[0] && s[0] <= '9' }

func hasFileExtension(name string) bool {
	ext := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	return ext != "" && !strings.Contains(ext, " ") && strings.Contains(extensions, " "+ext+" ")
}
