package search

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
)

const (
	// maxPattern bounds what is compiled, in bytes.
	maxPattern = 16 << 10
	// matchTimeout is how long one line may take the backtracking engine.
	matchTimeout = 3 * time.Second
)

// pattern finds lines. It is used by several goroutines at once.
//
// Models write patterns as for JavaScript. What RE2 understands too, nearly
// everything, runs on it, in time linear in the text. The rest (look-around,
// back-references) runs on a backtracking engine with a time limit.
type pattern struct {
	re   *regexp.Regexp
	lits *literals // what re can't match without; nil if unknown
	// whole says that finding one of lits is a match already.
	whole bool
	// text is re for lines with bytes that are no text.
	text func() *regexp.Regexp
	js   *regexp2.Regexp // in place of re
	// source is re for ripgrep, which then means the same; "" if there is only js.
	source string
}

var errLineBreak = errors.New("the pattern contains a line break, but lines are searched one by one")

// compile compiles an expression, or literal text if fixed is set. The error
// says what is wrong with it as JavaScript would.
func compile(expr string, fixed, caseSensitive bool) (*pattern, error) {
	if len(expr) > maxPattern {
		return nil, fmt.Errorf("the pattern is longer than %d bytes", maxPattern)
	}
	if !utf8.ValidString(expr) {
		return nil, errors.New("the pattern is not valid UTF-8")
	}
	if fixed {
		expr = regexp.QuoteMeta(expr)
	}
	flags := syntax.Perl &^ syntax.OneLine // ^ and $ are those of a line
	if !caseSensitive {
		flags |= syntax.FoldCase
	}
	tree, err := syntax.Parse(expr, flags)
	if err != nil {
		js, jsErr := compileJS(expr, caseSensitive)
		if jsErr != nil {
			return nil, jsErr
		}
		return &pattern{js: js}, nil
	}
	if !oneLine(tree) {
		return nil, errLineBreak
	}
	p := &pattern{source: tree.String()}
	if p.re, err = regexp.Compile(p.source); err != nil {
		return nil, err
	}
	p.lits, p.whole = required(tree.Simplify())
	p.text = sync.OnceValue(func() *regexp.Regexp { return textOnly(p.re) })
	p.source = asciiBoundaries(p.source)
	return p, nil
}

// textOnly returns an expression that matches as re does, but no bytes that are no
// text: those are to Go what U+FFFD is, and to ripgrep nothing that a dot or a class
// could match.
func textOnly(re *regexp.Regexp) *regexp.Regexp {
	tree, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil {
		return re // it was parsed before
	}
	without(tree, utf8.RuneError)
	if strict, err := regexp.Compile(tree.String()); err == nil {
		return strict
	}
	return re
}

// without takes a character out of all classes of an expression.
func without(re *syntax.Regexp, r rune) {
	switch re.Op {
	case syntax.OpAnyChar:
		re.Op, re.Rune = syntax.OpCharClass, []rune{0, utf8.MaxRune}
	case syntax.OpAnyCharNotNL:
		re.Op, re.Rune = syntax.OpCharClass, []rune{0, '\n' - 1, '\n' + 1, utf8.MaxRune}
	}
	if re.Op == syntax.OpCharClass {
		if re.Rune = cut(re.Rune, r); len(re.Rune) == 0 {
			re.Op = syntax.OpNoMatch
		}
	}
	for _, sub := range re.Sub {
		without(sub, r)
	}
}

// cut takes a character out of the ranges of a class.
func cut(ranges []rune, r rune) []rune {
	var kept []rune
	for i := 0; i+1 < len(ranges); i += 2 {
		lo, hi := ranges[i], ranges[i+1]
		if r < lo || hi < r {
			kept = append(kept, lo, hi)
			continue
		}
		if lo < r {
			kept = append(kept, lo, r-1)
		}
		if hi > r {
			kept = append(kept, r+1, hi)
		}
	}
	return kept
}

func compileJS(expr string, caseSensitive bool) (re *regexp2.Regexp, err error) {
	defer func() {
		if r := recover(); r != nil { // a foreign parser and foreign text
			err = fmt.Errorf("the pattern cannot be compiled: %v", r)
		}
	}()
	options := regexp2.RegexOptions(regexp2.ECMAScript)
	if !caseSensitive {
		options |= regexp2.IgnoreCase
	}
	if re, err = regexp2.Compile(expr, options); err == nil {
		re.MatchTimeout = matchTimeout
	}
	return re, err
}

// oneLine makes an expression match within lines only, whatever classes like
// \s and [^a] hold. It reports false if it asks for a line break outright.
func oneLine(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if r == '\n' {
				return false
			}
		}
	case syntax.OpCharClass:
		if re.Rune = cut(re.Rune, '\n'); len(re.Rune) == 0 {
			re.Op = syntax.OpNoMatch
		}
	case syntax.OpAnyChar:
		re.Op = syntax.OpAnyCharNotNL
	case syntax.OpBeginText:
		re.Op = syntax.OpBeginLine
	case syntax.OpEndText:
		re.Op, re.Flags = syntax.OpEndLine, re.Flags&^syntax.WasDollar
	}
	for _, sub := range re.Sub {
		if !oneLine(sub) {
			return false
		}
	}
	return true
}

// asciiBoundaries makes ripgrep's \b know the letters that Go's and
// JavaScript's know.
func asciiBoundaries(source string) string {
	if !strings.Contains(source, `\b`) && !strings.Contains(source, `\B`) {
		return source
	}
	var b strings.Builder
	for i := 0; i < len(source); i++ {
		if source[i] != '\\' || i+1 == len(source) {
			b.WriteByte(source[i])
			continue
		}
		switch escaped := source[i : i+2]; escaped {
		case `\b`, `\B`:
			b.WriteString("(?-u:" + escaped + ")")
		default:
			b.WriteString(escaped)
		}
		i++
	}
	return b.String()
}

// matchLine reports whether there is a match in a line.
func (p *pattern) matchLine(line []byte) (bool, error) {
	if p.js != nil {
		return p.matchJS(line)
	}
	return p.matches(line), nil
}

// matches is matchLine for re.
func (p *pattern) matches(line []byte) bool {
	if utf8.Valid(line) {
		return p.re.Match(line)
	}
	return p.text().Match(line)
}

// patternError says that an engine gave up on a pattern.
type patternError struct{ why string }

func (e *patternError) Error() string { return e.why }

func (p *pattern) matchJS(line []byte) (found bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &patternError{fmt.Sprintf("the pattern cannot be matched: %v", r)}
		}
	}()
	found, err = p.js.MatchString(string(bytes.TrimSuffix(line, []byte("\r"))))
	if err != nil { // its text holds the line
		err = &patternError{fmt.Sprintf("the pattern takes too long (more than %v for one line)", matchTimeout)}
	}
	return found, err
}

// find returns the first line of text from at on that matches, without its
// end; at is the start of a line. It returns a negative start if there is none.
func (p *pattern) find(text []byte, at int) (start, end int, err error) {
	switch {
	case p.js != nil:
		return p.findEach(text, at)
	case p.lits == nil:
		return p.findFree(text, at)
	}
	for at < len(text) {
		hit := p.lits.index(text[at:])
		if hit < 0 {
			break
		}
		start, end = lineAround(text, at, at+hit)
		if p.whole || p.matches(text[start:end]) {
			return start, end, nil
		}
		at = end + 1
	}
	return -1, -1, nil
}

// findFree lets the expression run over the lines at once.
func (p *pattern) findFree(text []byte, at int) (start, end int, err error) {
	for at < len(text) {
		loc := p.re.FindIndex(text[at:])
		if loc == nil || (at+loc[0] == len(text) && text[len(text)-1] == '\n') { // behind the last line
			break
		}
		start, end = lineAround(text, at, at+loc[0])
		if line := text[start:end]; utf8.Valid(line) || p.text().Match(line) {
			return start, end, nil
		}
		at = end + 1
	}
	return -1, -1, nil
}

// findEach asks about line by line.
func (p *pattern) findEach(text []byte, at int) (start, end int, err error) {
	for at < len(text) {
		start, end = lineAround(text, at, at)
		found, err := p.matchJS(text[start:end])
		if found || err != nil {
			return start, end, err
		}
		at = end + 1
	}
	return -1, -1, nil
}

// lineAround returns the bounds of the line that holds text[hit], which is not
// before at.
func lineAround(text []byte, at, hit int) (start, end int) {
	start = at + bytes.LastIndexByte(text[at:hit], '\n') + 1
	if i := bytes.IndexByte(text[hit:], '\n'); i >= 0 {
		return start, hit + i
	}
	return start, len(text)
}
