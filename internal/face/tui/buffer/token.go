package buffer

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Token is a part of the shown text that means more than its characters.
type Token struct {
	Range
	Kind Kind
}

// Kind is the kind of a [Token].
type Kind int

// The kinds of tokens.
const (
	Command Kind = iota // a slash command at the start of the text
	Path                // @ and the name of a file or another source, perhaps quoted or with escapes
	Image               // [Image ...]
	Pasted              // the placeholder of pasted text
)

// Tokens returns the tokens of the text in order. The caller must not change them.
func (b *Buffer) Tokens() []Token {
	if b.hasTokens {
		return b.tokens
	}
	b.tokens, b.hasTokens = nil, true
	if n := command(b.text); n > 0 {
		b.addToken(0, n, Command)
	}
	for at := 0; at < len(b.text); {
		limit, isToken := b.span(at)
		if isToken {
			b.addToken(at, limit, Pasted)
		} else {
			b.scan(at, limit)
		}
		at = limit
	}
	return b.tokens
}

func (b *Buffer) addToken(start, end int, kind Kind) {
	b.tokens = append(b.tokens, Token{Range{start, end}, kind})
}

// scan adds the tokens between two placeholders.
func (b *Buffer) scan(at, end int) {
	for at < end {
		i := bytes.IndexAny(b.text[at:end], "@[")
		if i < 0 {
			return
		}
		at += i
		n, kind := 0, Path
		if b.text[at] == '[' {
			n, kind = image(b.text[at:end]), Image
		} else if before, _ := utf8.DecodeLastRune(b.text[:at]); at == 0 || mayPrecedePath(before) {
			n = path(b.text[at:end])
		}
		if n > 0 {
			b.addToken(at, at+n, kind)
		}
		at += max(n, 1)
	}
}

// command returns the length of a slash command at the start of a text, 0 if there is none. A path such as /usr/bin is
// no command.
func command(text []byte) int {
	if len(text) == 0 || text[0] != '/' {
		return 0
	}
	n := bytes.IndexFunc(text, unicode.IsSpace)
	if n < 0 {
		n = len(text)
	}
	isName := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-:.", r) }
	if n == 1 || bytes.IndexFunc(text[1:n], func(r rune) bool { return !isName(r) }) >= 0 {
		return 0
	}
	return n
}

// maxImageLabel is the length of the longest image token in bytes.
const maxImageLabel = 256

// image returns the length of an image token at the start of a text, 0 if there is none.
func image(text []byte) int {
	const prefix = "[Image "
	if !bytes.HasPrefix(text, []byte(prefix)) {
		return 0
	}
	n := bytes.IndexAny(text[1:min(len(text), maxImageLabel)], "[]\n")
	if n < 0 || text[1+n] != ']' {
		return 0
	}
	return n + 2
}

// mayPrecedePath reports whether an @ behind r may name a file. In an e-mail address or behind a backslash, it does
// not.
func mayPrecedePath(r rune) bool {
	if r > unicode.MaxLatin1 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Hangul) {
		return true
	}
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(`\._%+-@/`, r)
}

// pathEnds are the characters that end a path without quotes, in addition to white space.
const pathEnds = ",;!?()[]{}\"'`<>|，。、；：！？（）「」『』【】〔〕《》〈〉“”‘’…"

// path returns the length of an @ with a path at the start of a text, 0 if no path follows. The path is in double
// quotes, or ends before white space and punctuation that have no backslash.
func path(text []byte) int {
	if len(text) > 1 && text[1] == '"' {
		if n := bytes.IndexAny(text[2:], "\"\n"); n > 0 && text[2+n] == '"' {
			return n + 3
		}
		return 0
	}
	n := 1
	for n < len(text) {
		r, size := utf8.DecodeRune(text[n:])
		if unicode.IsSpace(r) || strings.ContainsRune(pathEnds, r) {
			break
		}
		if n += size; r == '\\' && n < len(text) && text[n] != '\n' {
			_, size = utf8.DecodeRune(text[n:])
			n += size
		}
	}
	return withoutPeriod(text[:n])
}

// withoutPeriod returns the length of an @ with a path, without the periods and colons of a sentence behind it; 0 if no
// path is left.
func withoutPeriod(text []byte) int {
	for {
		rest, isPeriod := bytes.CutSuffix(text, []byte("."))
		if !isPeriod {
			rest, isPeriod = bytes.CutSuffix(text, []byte(":"))
		}
		last := rest[len(rest)-1]
		if !isPeriod || last == '@' || last == '/' || last == '.' && len(rest) > 1 && strings.ContainsRune("@/", rune(rest[len(rest)-2])) {
			break
		}
		text = rest
	}
	if len(text) == 1 {
		return 0
	}
	return len(text)
}
