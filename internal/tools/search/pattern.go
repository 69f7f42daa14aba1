package search

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
)

const (
	// maxPattern limits the length of a pattern, in bytes.
	maxPattern = 16 << 10
	// matchTimeout limits the time that the backtracking engine spends on one line.
	matchTimeout = 3 * time.Second
)

// pattern finds matching lines. It may be used concurrently.
//
// Models write patterns in JavaScript syntax. Go's regexp package runs nearly all of them, in
// time linear in the text. The others (look-around, back-references) run on a backtracking
// engine with a time limit.
type pattern struct {
	re   *regexp.Regexp
	lits *literals // each match of re contains one of them; nil if unknown
	// isLiteral reports whether re is just a literal, so that finding one of lits is a match.
	isLiteral bool
	// isASCII reports whether re matches only texts of ASCII, whatever is before and after them.
	isASCII bool
	// validOnly returns re for lines with invalid UTF-8.
	validOnly    func() *regexp.Regexp
	backtracking *regexp2.Regexp // set instead of re
	// source is the expression that means the same to ripgrep; "" if re is nil.
	source string
}

var errLineBreak = errors.New("the pattern contains a line break, but lines are searched one by one")

// compile compiles an expression, or literal text if fixed is set. If neither engine can
// compile it, the error is that of the JavaScript one.
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
	flags := syntax.Perl &^ syntax.OneLine // ^ and $ match at the ends of a line
	if !caseSensitive {
		flags |= syntax.FoldCase
	}
	tree, err := syntax.Parse(expr, flags)
	if err != nil {
		js, jsErr := compileBacktracking(expr, caseSensitive)
		if jsErr != nil {
			return nil, jsErr
		}
		return &pattern{backtracking: js}, nil
	}
	if !restrictToLine(tree) {
		return nil, errLineBreak
	}
	p := &pattern{source: tree.String()}
	if p.re, err = regexp.Compile(p.source); err != nil {
		return nil, err
	}
	p.isASCII = matchesASCII(tree)
	p.lits, p.isLiteral = requiredLiterals(tree.Simplify())
	p.validOnly = sync.OnceValue(func() *regexp.Regexp { return matchValidOnly(p.re) })
	p.source = asciiBoundaries(p.source)
	return p, nil
}

// matchesASCII reports whether an expression matches only texts of ASCII, whatever is before and after them. The sign for
// Kelvin and the long s, which ignoring case adds to k and s, are in no encoding but Unicode's.
func matchesASCII(re *syntax.Regexp) bool {
	isASCII := func(r rune) bool { return r < utf8.RuneSelf || r == '\u212a' || r == '\u017f' }
	switch re.Op {
	case syntax.OpLiteral:
		if slices.ContainsFunc(re.Rune, func(r rune) bool { return !isASCII(r) }) {
			return false
		}
	case syntax.OpCharClass:
		for i := 0; i+1 < len(re.Rune); i += 2 {
			if lo, hi := re.Rune[i], re.Rune[i+1]; !isASCII(hi) || hi >= utf8.RuneSelf && lo != hi {
				return false
			}
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return false
	}
	return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !matchesASCII(sub) })
}

// matchValidOnly returns an expression that matches like re, but whose dots and classes do not
// match invalid UTF-8. Go matches an invalid byte as U+FFFD, ripgrep does not match it.
func matchValidOnly(re *regexp.Regexp) *regexp.Regexp {
	tree, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil {
		return re // cannot happen: re was parsed before
	}
	removeRune(tree, utf8.RuneError)
	if strict, err := regexp.Compile(tree.String()); err == nil {
		return strict
	}
	return re
}

func removeRune(re *syntax.Regexp, r rune) {
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
		removeRune(sub, r)
	}
}

// cut returns the ranges of a class without a character.
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

// compileBacktracking compiles a JavaScript expression for the backtracking engine.
func compileBacktracking(expr string, caseSensitive bool) (re *regexp2.Regexp, err error) {
	defer func() {
		if r := recover(); r != nil { // regexp2 may panic on hostile patterns
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

// restrictToLine changes an expression so that it matches within one line only: classes like
// \s and [^a] lose the line break. It returns false if the expression contains a literal line
// break.
func restrictToLine(re *syntax.Regexp) bool {
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
		if !restrictToLine(sub) {
			return false
		}
	}
	return true
}

// asciiBoundaries makes \b and \B mean ASCII word boundaries in ripgrep, as in Go and
// JavaScript.
func asciiBoundaries(source string) string {
	return regexp.MustCompile(`\\(?s:.)`).ReplaceAllStringFunc(source, func(escaped string) string {
		if escaped == `\b` || escaped == `\B` {
			return "(?-u:" + escaped + ")"
		}
		return escaped
	})
}

// matchLine reports whether a line matches. The error is a *patternError.
func (p *pattern) matchLine(line []byte) (bool, error) {
	if p.backtracking != nil {
		return p.matchBacktracking(line)
	}
	return p.matches(line), nil
}

func (p *pattern) matches(line []byte) bool {
	if utf8.Valid(line) {
		return p.re.Match(line)
	}
	return p.validOnly().Match(line)
}

// patternError is the error of an engine that cannot finish matching a pattern.
type patternError struct{ reason string }

func (e *patternError) Error() string { return e.reason }

func (p *pattern) matchBacktracking(line []byte) (found bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &patternError{fmt.Sprintf("the pattern cannot be matched: %v", r)}
		}
	}()
	found, err = p.backtracking.MatchString(string(bytes.TrimSuffix(line, []byte("\r"))))
	if err != nil { // replaced, because its text contains the line
		err = &patternError{fmt.Sprintf("the pattern takes too long (more than %v for one line)", matchTimeout)}
	}
	return found, err
}

// find returns the bounds of the first matching line of text, without its line break. It
// starts at the line that starts at at. It returns a negative start if no line matches.
func (p *pattern) find(text []byte, at int) (start, end int, err error) {
	switch {
	case p.backtracking != nil:
		return p.findBacktracking(text, at)
	case p.lits == nil:
		return p.findRE2(text, at)
	}
	for at < len(text) {
		hit := p.lits.index(text[at:])
		if hit < 0 {
			break
		}
		start, end = lineAround(text, at, at+hit)
		if p.isLiteral || p.matches(text[start:end]) {
			return start, end, nil
		}
		at = end + 1
	}
	return -1, -1, nil
}

// findRE2 is find for an expression without literals. It matches many lines at once.
func (p *pattern) findRE2(text []byte, at int) (start, end int, err error) {
	for at < len(text) {
		loc := p.re.FindIndex(text[at:])
		if loc == nil || (at+loc[0] == len(text) && text[len(text)-1] == '\n') { // after the last line
			break
		}
		start, end = lineAround(text, at, at+loc[0])
		if line := text[start:end]; utf8.Valid(line) || p.validOnly().Match(line) {
			return start, end, nil
		}
		at = end + 1
	}
	return -1, -1, nil
}

// findBacktracking is find on the backtracking engine. It matches line by line.
func (p *pattern) findBacktracking(text []byte, at int) (start, end int, err error) {
	for at < len(text) {
		start, end = lineAround(text, at, at)
		found, err := p.matchBacktracking(text[start:end])
		if found || err != nil {
			return start, end, err
		}
		at = end + 1
	}
	return -1, -1, nil
}

// lineAround returns the bounds of the line that contains text[hit]. The line starts at or
// after at.
func lineAround(text []byte, at, hit int) (start, end int) {
	start = at + bytes.LastIndexByte(text[at:hit], '\n') + 1
	if i := bytes.IndexByte(text[hit:], '\n'); i >= 0 {
		return start, hit + i
	}
	return start, len(text)
}
