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

// Pattern is a condition on a call's arguments: it is searched for in their
// stable form (see stable). A nil Pattern is no condition.
type Pattern struct {
	source string // an ECMAScript regular expression
	// literal, where set, is the text that source describes: finding it needs
	// no regular expression.
	literal string

	once sync.Once
	re   *regexp2.Regexp
	err  error
}

// matchTimeout bounds one search. Users' expressions backtrack.
const matchTimeout = time.Second

// maxPattern is the longest expression, in bytes.
const maxPattern = 2048

// Why an expression is not even tried.
var (
	errTooLong = fmt.Errorf("the pattern is longer than %d characters", maxPattern)
	errUnsafe  = errors.New("the pattern repeats a group that repeats something, which can take forever")
)

var nested = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\([^)]*[*+?{].*\)[*+?{]`) })

// NewPattern reads a regular expression that a user wrote for JavaScript. It
// refuses those that don't compile or may take forever.
func NewPattern(source string) (*Pattern, error) {
	// Saved by Gemini CLI, which writes a backslash and a zero where it means
	// the NUL that surrounds top-level arguments (spec/safety.md §2.11).
	source = strings.ReplaceAll(source, `\\0"`, `\x00"`)
	source = strings.ReplaceAll(source, `"\\0`, `"\x00`)
	if len(source) > maxPattern {
		return nil, errTooLong
	}
	if nested().MatchString(source) {
		return nil, errUnsafe
	}
	p := &Pattern{source: source}
	if _, err := p.compiled(); err != nil {
		return nil, err
	}
	return p, nil
}

// CommandPattern returns the pattern of a commandRegex: r, at the beginning of
// a shell command.
func CommandPattern(r string) (*Pattern, error) {
	p, err := NewPattern(r)
	if err != nil {
		return nil, err
	}
	// In a group, so that every alternative is at the beginning.
	return &Pattern{source: `\x00"command":"(?:` + p.source + `)`}, nil
}

// pinned returns the pattern of one top-level argument with one text as value.
func pinned(key, value string) *Pattern {
	return literal("\x00" + quote(key) + ":" + quote(value) + "\x00")
}

// literal returns the pattern that finds text.
func literal(text string) *Pattern {
	return &Pattern{source: strings.ReplaceAll(regexp2.Escape(text), "\x00", `\x00`), literal: text}
}

// String returns the regular expression.
func (p *Pattern) String() string {
	if p == nil {
		return ""
	}
	return p.source
}

// found searches args. An expression that fails or takes too long is an error.
func (p *Pattern) found(args string) (bool, error) {
	if p.literal != "" {
		return strings.Contains(args, p.literal), nil
	}
	re, err := p.compiled()
	if err != nil {
		return false, err
	}
	return re.MatchString(args)
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
