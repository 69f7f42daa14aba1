package search

import (
	"bytes"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// literals are texts of which every match of an expression contains at least one. Finding
// them is much cheaper than matching the expression.
type literals struct {
	lits []literal
}

// literal is a text to find.
type literal struct {
	text       []byte // lower case if fold is set
	ignoreCase bool   // the case of ASCII letters is ignored
	rarest     int    // index of the least common byte
}

// maxLiterals limits the number of literals of an expression.
const maxLiterals = 8

// requiredLiterals returns the literals of an expression, or nil if it has none, and reports
// whether the expression is just a literal.
func requiredLiterals(re *syntax.Regexp) (l *literals, isLiteral bool) {
	lits := findLiterals(re)
	if len(lits) == 0 {
		return nil, false
	}
	isLiteral = re.Op == syntax.OpLiteral && utf8.RuneCount(lits[0].text) == len(re.Rune)
	return &literals{lits}, isLiteral
}

// findLiterals returns texts of which every match of re contains at least one, or nil if it
// finds none.
func findLiterals(re *syntax.Regexp) []literal {
	switch re.Op {
	case syntax.OpLiteral:
		if l, ok := newLiteral(re.Rune, re.Flags&syntax.FoldCase != 0); ok {
			return []literal{l}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return findLiterals(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return findLiterals(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []literal
		for _, sub := range re.Sub {
			if lits := findLiterals(sub); selectivity(lits) > selectivity(best) {
				best = lits
			}
		}
		return best
	case syntax.OpAlternate:
		var all []literal
		for _, sub := range re.Sub {
			lits := findLiterals(sub)
			if len(lits) == 0 || len(all)+len(lits) > maxLiterals {
				return nil
			}
			all = append(all, lits...)
		}
		return all
	}
	return nil
}

// selectivity ranks sets of literals: a higher value is likely to be found less often.
func selectivity(lits []literal) int {
	if len(lits) == 0 {
		return 0
	}
	shortest := len(lits[0].text)
	for _, l := range lits {
		shortest = min(shortest, len(l.text))
	}
	return 1 + shortest*maxLiterals - len(lits)
}

// newLiteral returns the literal for text. If case is ignored, it uses the longest ASCII part
// of text without k and s, which have a third form outside ASCII. It reports false if
// nothing is left.
func newLiteral(text []rune, ignoreCase bool) (literal, bool) {
	s := string(text)
	if ignoreCase {
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
	l := literal{text: []byte(s), ignoreCase: ignoreCase}
	for i, c := range l.text {
		if rarity(c) > rarity(l.text[l.rarest]) {
			l.rarest = i
		}
	}
	return l, true
}

// rarity ranks bytes: a higher value is less common in source code and prose.
func rarity(c byte) int {
	const common = " etaoinsrlcdpumfhgbyv_\t.,()\"=-/0:;1x'w{}2k"
	if i := strings.IndexByte(common, c); i >= 0 {
		return i
	}
	return len(common)
}

// index returns the position of the first literal in text, or a negative number if there is
// none.
func (l *literals) index(text []byte) int {
	first := -1
	for i := range l.lits {
		if first == 0 {
			break
		}
		within := text
		if first > 0 { // only a match that starts before first matters
			within = text[:min(len(text), first+len(l.lits[i].text)-1)]
		}
		if at := l.lits[i].index(within); at >= 0 {
			first = at
		}
	}
	return first
}

func (l *literal) index(text []byte) int {
	if !l.ignoreCase {
		return bytes.Index(text, l.text)
	}
	c := l.text[l.rarest]
	lower := byteFinder{c: c}
	upper := byteFinder{c: c, done: true}
	if 'a' <= c && c <= 'z' {
		upper = byteFinder{c: c - 'a' + 'A'}
	}
	for at := l.rarest; at < len(text); at++ {
		i, j := lower.next(text, at), upper.next(text, at)
		at = i
		if i < 0 || (j >= 0 && j < i) {
			at = j
		}
		if at < 0 {
			return -1
		}
		start := at - l.rarest
		if start+len(l.text) <= len(text) && l.equal(text[start:start+len(l.text)]) {
			return start
		}
	}
	return -1
}

// byteFinder finds the occurrences of a byte in a text, and caches the last one.
type byteFinder struct {
	c    byte
	done bool
	at   int
	set  bool
}

func (c *byteFinder) next(text []byte, from int) int {
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

// equal reports whether text equals the literal, ignoring the case of ASCII letters.
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
