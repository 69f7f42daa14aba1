package policy

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/dlclark/regexp2"
)

// Pattern is a condition on a call's arguments: it must match a part of their stable form (see
// stable). A nil Pattern is no condition.
type Pattern struct {
	source string // an ECMAScript regular expression
	// literal, if set, is the text that source matches, which can be found without a regular
	// expression.
	literal string
	// required are texts that every match contains.
	required []string

	once sync.Once
	re   *regexp2.Regexp
	err  error
}

// matchTimeout is the time limit of one search: users' expressions may need backtracking.
const matchTimeout = time.Second

// maxPattern is the maximum length of an expression, in bytes.
const maxPattern = 2048

// Reasons for rejecting an expression.
var (
	errTooLong = fmt.Errorf("the pattern is longer than %d characters", maxPattern)
	errUnsafe  = errors.New("the pattern repeats a group that repeats something, which can take forever")
)

var nested = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\([^)]*[*+?{].*\)[*+?{]`) })

// NewPattern compiles a regular expression in JavaScript syntax. The error is not nil if it
// does not compile or may take forever.
func NewPattern(source string) (*Pattern, error) {
	// Gemini CLI saves a backslash and a zero for the NUL around top-level arguments.
	source = strings.ReplaceAll(source, `\\0"`, `\x00"`)
	source = strings.ReplaceAll(source, `"\\0`, `"\x00`)
	if len(source) > maxPattern {
		return nil, errTooLong
	}
	if nested().MatchString(source) {
		return nil, errUnsafe
	}
	p := &Pattern{source: source, required: requiredTexts(source)}
	if _, err := p.compiled(); err != nil {
		return nil, err
	}
	return p, nil
}

// CommandPattern returns the pattern of a commandRegex: r must match at the beginning of a
// shell command.
func CommandPattern(r string) (*Pattern, error) {
	p, err := NewPattern(r)
	if err != nil {
		return nil, err
	}
	// Use a group, so that every alternative must match at the beginning.
	return &Pattern{source: commandStart + p.source + `)`, required: p.required}, nil
}

const commandStart = `\x00"command":"(?:`

// command returns the commandRegex that the pattern was made of, "" if it was made of none.
func (p *Pattern) command() string {
	if rest, ok := strings.CutPrefix(p.String(), commandStart); ok {
		return strings.TrimSuffix(rest, ")")
	}
	return ""
}

// exactArg returns a pattern that matches one value of a top-level argument.
func exactArg(key, value string) *Pattern {
	return literal("\x00" + quote(key) + ":" + quote(value) + "\x00")
}

// literal returns a pattern that matches a text.
func literal(text string) *Pattern {
	return &Pattern{source: strings.ReplaceAll(regexp2.Escape(text), "\x00", `\x00`), literal: text}
}

// String returns the regular expression, "" if p is nil.
func (p *Pattern) String() string {
	if p == nil {
		return ""
	}
	return p.source
}

// found searches args. The error is not nil if the search fails or takes too long.
func (p *Pattern) found(args string) (bool, error) {
	if p.literal != "" {
		return strings.Contains(args, p.literal), nil
	}
	for _, text := range p.required {
		if !strings.Contains(args, text) {
			return false, nil
		}
	}
	re, err := p.compiled()
	if err != nil {
		return false, err
	}
	return re.MatchString(args)
}

// searches keeps the results of searches, because those of slow expressions take a second.
type searches map[search]searchResult

type search struct {
	pattern *Pattern
	args    string
}

type searchResult struct {
	found bool
	err   error
}

// found is [Pattern.found], once for each pattern and arguments.
func (s searches) found(p *Pattern, args string) (bool, error) {
	if r, ok := s[search{p, args}]; ok {
		return r.found, r.err
	}
	found, err := p.found(args)
	if s != nil {
		s[search{p, args}] = searchResult{found, err}
	}
	return found, err
}

func (p *Pattern) compiled() (*regexp2.Regexp, error) {
	p.once.Do(func() {
		p.re, p.err = regexp2.Compile(p.source, regexp2.ECMAScript)
		if p.err == nil {
			p.re.MatchTimeout = matchTimeout
		}
	})
	return p.re, p.err
}
