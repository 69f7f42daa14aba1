package search

import (
	"bytes"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// literals are texts of which one is in every match of an expression. Looking
// for them is far cheaper than the expression.
type literals struct {
	lits []literal
}

// literal is one text to look for.
type literal struct {
	text []byte // lower case if fold is set
	fold bool   // ASCII letters of either case match
	rare int    // the place of its rarest byte
}

// maxLiterals is how many are looked for at once.
const maxLiterals = 8

// required returns the literals of an expression, nil if it has none; whole
// says that it is nothing but one of them.
func required(re *syntax.Regexp) (l *literals, whole bool) {
	lits := requiredOf(re)
	if len(lits) == 0 {
		return nil, false
	}
	whole = re.Op == syntax.OpLiteral && utf8.RuneCount(lits[0].text) == len(re.Rune)
	return &literals{lits}, whole
}

func requiredOf(re *syntax.Regexp) []literal {
	switch re.Op {
	case syntax.OpLiteral:
		if l, ok := newLiteral(re.Rune, re.Flags&syntax.FoldCase != 0); ok {
			return []literal{l}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return requiredOf(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return requiredOf(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []literal
		for _, sub := range re.Sub {
			if lits := requiredOf(sub); worth(lits) > worth(best) {
				best = lits
			}
		}
		return best
	case syntax.OpAlternate:
		var all []literal
		for _, sub := range re.Sub {
			lits := requiredOf(sub)
			if len(lits) == 0 || len(all)+len(lits) > maxLiterals {
				return nil
			}
			all = append(all, lits...)
		}
		return all
	}
	return nil
}

// worth compares sets of literals: how seldom they will be found.
func worth(lits []literal) int {
	if len(lits) == 0 {
		return 0
	}
	shortest := len(lits[0].text)
	for _, l := range lits {
		shortest = min(shortest, len(l.text))
	}
	return 1 + shortest*maxLiterals - len(lits)
}

// newLiteral makes a literal of text. Without regard to case it takes the
// longest piece whose letters have two forms only: k and s have a third
// outside of ASCII.
func newLiteral(text []rune, fold bool) (literal, bool) {
	s := string(text)
	if fold {
		best := ""
		for piece := range strings.FieldsFuncSeq(s, func(r rune) bool { return r >= utf8.RuneSelf || strings.ContainsRune("kKsS", r) }) {
			if len(piece) > len(best) {
				best = piece
			}
		}
		s = strings.ToLower(best)
	}
	if s == "" {
		return literal{}, false
	}
	l := literal{text: []byte(s), fold: fold}
	for i, c := range l.text {
		if rarity(c) > rarity(l.text[l.rare]) {
			l.rare = i
		}
	}
	return l, true
}

// rarity says how seldom a byte is met in source code and prose.
func rarity(c byte) int {
	const common = " etaoinsrlcdpumfhgbyv_\t.,()\"=-/0:;1x'w{}2k"
	if i := strings.IndexByte(common, c); i >= 0 {
		return i
	}
	return len(common)
}

// index returns where the first of the literals is in text, negative if none is.
func (l *literals) index(text []byte) int {
	first := -1
	for i := range l.lits {
		if first == 0 {
			break
		}
		within := text
		if first > 0 { // only what begins before the first so far counts
			within = text[:min(len(text), first+len(l.lits[i].text)-1)]
		}
		if at := l.lits[i].index(within); at >= 0 {
			first = at
		}
	}
	return first
}

func (l *literal) index(text []byte) int {
	if !l.fold {
		return bytes.Index(text, l.text)
	}
	c := l.text[l.rare]
	lower := cursor{c: c}
	upper := cursor{c: c, done: true}
	if 'a' <= c && c <= 'z' {
		upper = cursor{c: c - 'a' + 'A'}
	}
	for at := l.rare; at < len(text); at++ {
		i, j := lower.next(text, at), upper.next(text, at)
		at = i
		if i < 0 || (j >= 0 && j < i) {
			at = j
		}
		if at < 0 {
			return -1
		}
		start := at - l.rare
		if start+len(l.text) <= len(text) && l.equal(text[start:start+len(l.text)]) {
			return start
		}
	}
	return -1
}

// cursor finds a byte again and again, and remembers where it was found last.
type cursor struct {
	c    byte
	done bool
	at   int
	set  bool
}

func (c *cursor) next(text []byte, from int) int {
	if c.done {
		return -1
	}
	if !c.set || c.at < from {
		i := bytes.IndexByte(text[from:], c.c)
		if i < 0 {
			c.done = true
			return -1
		}
		c.at, c.set = from+i, true
	}
	return c.at
}

// equal compares text with the literal, letters of either case.
func (l *literal) equal(text []byte) bool {
	for i, c := range l.text {
		t := text[i]
		if 'A' <= t && t <= 'Z' {
			t += 'a' - 'A'
		}
		if t != c {
			return false
		}
	}
	return true
}
