// Package shellcmd reads shell commands: it is the one place in Pollux that
// parses them. The policy asks it which programs a command runs, the shell
// tool which command is inside a wrapper and whether it substitutes others.
//
// Commands are bash's, whatever the user's shell is, because bash runs them
// (spec/tools.md §3.9). They come from a model, so they may be anything:
// reading one takes bounded time, memory and stack, and where a command can't
// be read, the answer is the one that trusts it least.
package shellcmd

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Script is a command taken apart (spec/safety.md §2.6.2).
type Script struct {
	// Commands are the simple commands at any depth, those in substitutions,
	// heredocs, functions and loops included, in the order of their text.
	Commands []Command
	// Redirections are the operators of the redirections, in the same order.
	Redirections []string
	// Substitutes says that there is a command or process substitution.
	Substitutes bool
	// Plain says that the whole script is its one command: nothing is
	// redirected, substituted, chained, grouped, negated or left running.
	Plain bool
}

// Command is one simple command of a [Script].
type Command struct {
	// Name is the program, quotes removed; for compound commands that work as
	// one, their first word: "export", "[[", "((".
	Name string
	// Text is the command as written, assignments before it included, and
	// without redirections, except herestrings.
	Text string
	// Redirected says that Text itself holds a redirection.
	Redirected bool
	// Words are the command's words. There are none in "[[", "((" and the like.
	Words []Word
	// Assigns says that there are assignments before the command.
	Assigns bool
	// Plain is the command with what does not change its meaning taken away:
	// assignments, quotes, "time". It is for comparing, not for running.
	Plain string
	// Inner is the script that the command hands to another shell (see
	// [StripWrapper]), "" if it does not.
	Inner string
}

// Word is one word of a command.
type Word struct {
	Text  string // as written
	Value string // what the program gets, if Static
	// Static says that the shell has nothing to expand in the word.
	Static bool
}

// What can't be read.
var (
	errTooLong  = errors.New("command is too long to read")
	errTooDeep  = errors.New("command is nested too deeply to read")
	errNUL      = errors.New("command holds a NUL byte")
	errPrompt   = errors.New("command expands a variable as a prompt")
	errExtGlob  = errors.New("command holds an extended glob, which the shell reads as something else")
	errSplit    = errors.New("command splits an operator over lines")
	errNothing  = errors.New("command runs nothing")
	errNotShell = errors.New("command is not bash")
)

const (
	// maxLength is what Linux takes as one argument, and bash gets a command as one.
	maxLength = 128 << 10
	// maxDepth is in stack frames of the parser, some ten for a level of nesting.
	maxDepth = 4000
	// maxTree is in levels of the tree; a chain of commands nests to the left.
	maxTree = 10_000
)

// Parse takes a command apart. The error says why it can't be read; scripts
// that run nothing and those that only a running shell can judge are errors too.
func Parse(command string) (*Script, error) {
	file, err := read(command)
	if err != nil {
		return nil, err
	}
	c := collector{source: command}
	if err := c.walk(file); err != nil {
		return nil, err
	}
	if len(c.commands) == 0 {
		return nil, errNothing
	}
	s := &Script{Substitutes: c.substitutes}
	slices.SortStableFunc(c.commands, func(a, b found) int { return a.at - b.at })
	slices.SortStableFunc(c.redirects, func(a, b redirect) int { return a.at - b.at })
	for _, f := range c.commands {
		f.Redirected = slices.ContainsFunc(c.redirects, func(r redirect) bool {
			return r.at >= f.at && r.end <= f.end && !slices.Contains(f.cut, r)
		})
		s.Commands = append(s.Commands, f.Command)
	}
	for _, r := range c.redirects {
		s.Redirections = append(s.Redirections, r.op)
	}
	s.Plain = plain(file) && !s.Substitutes
	return s, nil
}

// read parses a command within bounds.
func read(command string) (*syntax.File, error) {
	if len(command) > maxLength {
		return nil, errTooLong
	}
	if strings.IndexByte(command, 0) >= 0 {
		return nil, errNUL
	}
	if split(command) {
		return nil, errSplit
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(&bounded{rest: command}, "")
	switch {
	case errors.Is(err, errTooDeep):
		return nil, errTooDeep
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errNotShell, err)
	}
	return file, nil
}

// bounded feeds the parser in small pieces and ends the feast when the parser,
// which recurses as deeply as its input tells it to, has called too deep.
type bounded struct{ rest string }

func (b *bounded) Read(p []byte) (int, error) {
	if b.rest == "" {
		return 0, io.EOF
	}
	var frame [1]uintptr
	if runtime.Callers(maxDepth, frame[:]) > 0 {
		return 0, errTooDeep
	}
	n := copy(p, b.rest[:min(len(b.rest), 256)])
	b.rest = b.rest[n:]
	return n, nil
}

// plain reports whether the file is one simple command and nothing else.
func plain(file *syntax.File) bool {
	if len(file.Stmts) != 1 {
		return false
	}
	stmt := file.Stmts[0]
	_, call := stmt.Cmd.(*syntax.CallExpr)
	return call && len(stmt.Redirs) == 0 && !stmt.Negated && !stmt.Background && !stmt.Coprocess && !stmt.Disown
}
