// Package shellcmd parses shell commands. No other package of Pollux does. The policy engine
// uses it to find out which programs a command runs, the shell tool to find the command inside
// a wrapper and command substitutions.
//
// Commands are parsed as bash, whatever the user's shell is, because bash runs them. They come
// from a model and may be anything: parsing takes bounded time, memory and stack, and if a
// command cannot be parsed, the result is the one with the least trust.
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

// Script is a parsed command.
type Script struct {
	// Commands are the simple commands at any depth, including those in substitutions,
	// heredocs, functions and loops, in the order of the text.
	Commands []Command
	// Redirections are all redirections, in the order of the text.
	Redirections []Redirection
	// Substitutes reports whether there is a command or process substitution.
	Substitutes bool
	// Evaluates is the text of a construct with which bash evaluates a text for a second time,
	// for example "eval", or changes how it runs the commands after it, for example by an
	// assignment to PATH; "" if there is none. If there is one, Commands and Substitutes do not
	// show everything that runs.
	Evaluates string
	// Plain reports whether the script is a single simple command: without redirection,
	// substitution, second evaluation, chaining, grouping, negation and "&".
	Plain bool
}

// Command is one simple command of a [Script].
type Command struct {
	// Name is the program without quotes. For shell syntax that works like a command it is the
	// first word: "export", "[[", "((".
	Name string
	// Text is the command as written, including the assignments before it, without
	// redirections except herestrings.
	Text string
	// Redirected reports whether Text contains a redirection.
	Redirected bool
	// Words are the command's words. "[[", "((" and the like have none.
	Words []Word
	// Assigns reports whether there are assignments before the command.
	Assigns bool
	// Plain is the command without assignments, quotes and "time", which do not change its
	// meaning. Compare it, do not run it.
	Plain string
	// Inner is the script that the command passes to another shell (see [StripWrapper]), "" if
	// there is none.
	Inner string
}

// Redirection is one redirection of a [Script].
type Redirection struct {
	Op     string // the operator, such as ">>"
	Target Word   // the word behind it: a file, a descriptor, the end of a heredoc
}

// Word is one word of a command.
type Word struct {
	Text  string // as written
	Value string // the argument that the program gets; set only if Static
	// Static reports whether the shell has nothing to expand in the word.
	Static bool
	// Variables are the names of the variables in a word that is not static, if the shell expands
	// nothing but $NAME and ${NAME} in it; otherwise nil.
	Variables []string
}

// The errors of Parse.
var (
	errTooLong  = errors.New("command is too long to read")
	errTooDeep  = errors.New("command is nested too deeply to read")
	errNUL      = errors.New("command holds a NUL byte")
	errPrompt   = errors.New("command expands a variable as a prompt")
	errExtGlob  = errors.New("command holds an extended glob, which the shell reads as something else")
	errSplit    = errors.New("command splits an operator over lines")
	errComment  = errors.New("command continues a comment on the next line, which bash does not")
	errHeredoc  = errors.New("command has a heredoc that ends where bash does not end it")
	errNothing  = errors.New("command runs nothing")
	errNotShell = errors.New("command is not bash")
)

const (
	// maxLength is the length in bytes that Linux allows for one argument, as bash gets a command.
	maxLength = 128 << 10
	// maxDepth is in stack frames of the parser; a level of nesting takes about ten.
	maxDepth = 4000
	// maxTree is in levels of the tree. A chain of commands nests to the left.
	maxTree = 10_000
)

// Parse parses a command. It returns an error for commands that cannot be parsed, that run
// nothing, or whose effect only a running shell can determine.
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
	s := &Script{Substitutes: c.substitutes, Evaluates: c.evaluated}
	slices.SortStableFunc(c.commands, func(a, b found) int { return a.at - b.at })
	slices.SortStableFunc(c.redirects, func(a, b redirect) int { return a.at - b.at })
	for _, f := range c.commands {
		f.Redirected = slices.ContainsFunc(c.redirects, func(r redirect) bool {
			return r.at >= f.at && r.end <= f.end && !slices.ContainsFunc(f.cut, func(cut redirect) bool { return cut.at == r.at })
		})
		s.Commands = append(s.Commands, f.Command)
	}
	for _, r := range c.redirects {
		s.Redirections = append(s.Redirections, r.Redirection)
	}
	s.Plain = isPlain(file) && !s.Substitutes && s.Evaluates == ""
	return s, nil
}

// read parses a command of bounded length and depth.
func read(command string) (*syntax.File, error) {
	if len(command) > maxLength {
		return nil, errTooLong
	}
	if strings.IndexByte(command, 0) >= 0 {
		return nil, errNUL
	}
	if splitsOperator(command) {
		return nil, errSplit
	}
	if continuesComment(command) {
		return nil, errComment
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(&boundedReader{rest: command}, "")
	switch {
	case errors.Is(err, errTooDeep):
		return nil, errTooDeep
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errNotShell, err)
	case endsHeredocEarly(file, command):
		return nil, errHeredoc
	}
	return file, nil
}

// endsHeredocEarly reports whether a heredoc ends elsewhere than at a line that is its delimiter. The
// parser takes the text after an expansion for the beginning of a line, so that "${x}E" ends a
// heredoc up to E in its reading. For bash the next lines still belong to the heredoc, and are
// expanded.
func endsHeredocEarly(file *syntax.File, command string) (early bool) {
	syntax.Walk(file, func(n syntax.Node) bool {
		r, ok := n.(*syntax.Redirect)
		if !ok || r.Hdoc == nil || early {
			return !early
		}
		delimiter, isStatic := static(r.Word)
		at, end := span(r.Hdoc)
		last := command[at:end]
		last = last[strings.LastIndexByte(last, '\n')+1:]
		if r.Op == syntax.DashHdoc {
			last = strings.TrimLeft(last, "\t")
		}
		early = !isStatic || last != delimiter
		return true
	})
	return early
}

// continuesComment reports whether a line that may have a comment ends with a backslash. For bash the
// next line is a command of its own; the parser takes its words for arguments of the command before
// the comment.
func continuesComment(command string) bool {
	for i := strings.Index(command, "\\\n"); i >= 0; {
		line := command[strings.LastIndexByte(command[:i], '\n')+1 : i]
		for at, c := range []byte(line) {
			if c == '#' && (at == 0 || strings.IndexByte(" \t;&|()<>`\\", line[at-1]) >= 0) {
				return true
			}
		}
		next := strings.Index(command[i+2:], "\\\n")
		if next < 0 {
			return false
		}
		i += 2 + next
	}
	return false
}

// boundedReader feeds the parser in small pieces and returns an error when the parser, which
// recurses as deeply as its input is nested, is too deep in the stack.
type boundedReader struct{ rest string }

func (b *boundedReader) Read(p []byte) (int, error) {
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

// isPlain reports whether the file is a single simple command and nothing else.
func isPlain(file *syntax.File) bool {
	if len(file.Stmts) != 1 {
		return false
	}
	stmt := file.Stmts[0]
	_, call := stmt.Cmd.(*syntax.CallExpr)
	return call && len(stmt.Redirs) == 0 && !stmt.Negated && !stmt.Background && !stmt.Coprocess && !stmt.Disown
}
