package search

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
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
	js    *regexp2.Regexp // in place of re
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
	p.source = asciiBoundaries(p.source)
	return p, nil
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
		var kept []rune
		for i := 0; i+1 < len(re.Rune); i += 2 {
			lo, hi := re.Rune[i], re.Rune[i+1]
			if '\n' < lo || hi < '\n' {
				kept = append(kept, lo, hi)
				continue
			}
			if lo < '\n' {
				kept = append(kept, lo, '\n'-1)
			}
			if hi > '\n' {
				kept = append(kept, '\n'+1, hi)
			}
		}
		re.Rune = kept
		if len(kept) == 0 {
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
	return p.re.Match(line), nil
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
		if p.whole || p.re.Match(text[start:end]) {
			return start, end, nil
		}
		at = end + 1
	}
	return -1, -1, nil
}

// findFree lets the expression run over the lines at once.
func (p *pattern) findFree(text []byte, at int) (start, end int, err error) {
	if at >= len(text) {
		return -1, -1, nil
	}
	loc := p.re.FindIndex(text[at:])
	if loc == nil || (at+loc[0] == len(text) && text[len(text)-1] == '\n') { // behind the last line
		return -1, -1, nil
	}
	start, end = lineAround(text, at, at+loc[0])
	return start, end, nil
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
