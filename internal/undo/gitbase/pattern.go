package gitbase

import (
	"path"
	"slices"
	"strings"
)

// pattern is a pattern of a file of attributes. It matches all paths that git matches, and some more: letters in any
// case, and any byte where git wants none of some.
type pattern struct {
	isName bool // it matches the last name of a path
	tokens []token
	last   int // index of the last token that is a star, -1 if there is none
}

// token matches one byte of a set, or any number of bytes.
type token struct {
	set  [4]uint64
	star star
}

type star uint8

const (
	noStar   star = iota
	inName        // any bytes but slashes
	anywhere      // any bytes
)

func (t *token) add(c byte)      { t.set[c>>6] |= 1 << (c & 63) }
func (t *token) has(c byte) bool { return t.set[c>>6]&(1<<(c&63)) != 0 }

// anything matches all paths.
var anything = pattern{tokens: []token{{star: anywhere}}}

func compile(text string) pattern {
	if text == "" || text[0] == '!' || strings.HasSuffix(text, "/") { // no pattern of git's
		return anything
	}
	p := pattern{isName: !strings.Contains(text, "/")}
	text = strings.TrimPrefix(text, "/")
	p.last = -1
	for text != "" {
		var t token
		t, text = nextToken(text)
		if t.star != noStar {
			p.last = len(p.tokens)
		}
		p.tokens = append(p.tokens, t)
	}
	return p
}

// nextToken parses the first token of a pattern.
func nextToken(text string) (t token, rest string) {
	c, rest := text[0], text[1:]
	switch {
	case strings.HasPrefix(text, "**"):
		return token{star: anywhere}, strings.TrimPrefix(strings.TrimLeft(text, "*"), "/")
	case c == '*':
		return token{star: inName}, rest
	case c == '?':
		return anyByte(), rest
	case c == '[':
		return parseSet(text)
	case c == '\\' && rest != "":
		c, rest = rest[0], rest[1:]
	}
	t.add(lowerByte(c))
	return t, rest
}

func anyByte() (t token) {
	for i := range t.set {
		t.set[i] = ^uint64(0)
	}
	return t
}

// parseSet parses a set in brackets. The token has any byte for a set of those that are not listed, and for one with the name of
// a class. One without an end matches anything.
func parseSet(text string) (t token, rest string) {
	body := text[1:]
	if strings.HasPrefix(body, "!") || strings.HasPrefix(body, "^") {
		t, body = anyByte(), body[1:]
	}
	for i := 0; i < len(body); i++ {
		c := body[i]
		switch {
		case c == ']' && i > 0:
			return t, body[i+1:]
		case c == '[' && strings.HasPrefix(body[i:], "[:"):
			end := strings.Index(body[i:], ":]")
			if end < 0 {
				return token{star: anywhere}, ""
			}
			t = anyByte()
			i += end + 1
			continue
		case c == '\\' && i+1 < len(body):
			i++
			c = body[i]
		}
		last := c
		if i+2 < len(body) && body[i+1] == '-' && body[i+2] != ']' {
			i += 2
			if body[i] == '\\' && i+1 < len(body) {
				i++
			}
			last = body[i]
		}
		for b := int(c); b <= int(last); b++ {
			t.add(lowerByte(byte(b)))
		}
	}
	return token{star: anywhere}, ""
}

func lowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// lower returns a text with ASCII letters in lower case. Other bytes stay, whatever the text is.
func lower(text string) string {
	for i := range len(text) {
		if c := text[i]; c >= 'A' && c <= 'Z' {
			b := []byte(text)
			for j := range b {
				b[j] = lowerByte(b[j])
			}
			return string(b)
		}
	}
	return text
}

// matches reports whether the pattern may match a path in lower case, relative to the directory of its file.
func (p *pattern) matches(text string) bool {
	if p.isName {
		text = path.Base(text)
	}
	if !p.matchesEnd(text) {
		return false
	}
	// open[i] reports whether the first i tokens match the text so far.
	open, next := make([]bool, len(p.tokens)+1), make([]bool, len(p.tokens)+1)
	open[0] = true
	p.skipStars(open)
	for i := range len(text) {
		c := text[i]
		clear(next)
		for j := range p.tokens {
			t := &p.tokens[j]
			switch {
			case !open[j]:
			case t.star == anywhere, t.star == inName && c != '/':
				next[j] = true
			case t.star == noStar && t.has(c):
				next[j+1] = true
			}
		}
		p.skipStars(next)
		open, next = next, open
		if !slices.Contains(open, true) {
			return false
		}
	}
	return open[len(p.tokens)]
}

// matchesEnd reports whether the tokens behind the last star match the end of a text. Most texts need no further look.
func (p *pattern) matchesEnd(text string) bool {
	end := p.tokens[p.last+1:]
	if len(text) < len(end) || p.last < 0 && len(text) > len(end) {
		return false
	}
	for i := len(end) - 1; i >= 0; i-- {
		if !end[i].has(text[len(text)-len(end)+i]) {
			return false
		}
	}
	return true
}

// skipStars opens the tokens behind stars that match nothing.
func (p *pattern) skipStars(open []bool) {
	for i := range p.tokens {
		if open[i] && p.tokens[i].star != noStar {
			open[i+1] = true
		}
	}
}
