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
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// Script is a parsed command.
type Script struct {
	// Commands are the simple commands at any depth, including those in substitutions,
	// heredocs, functions and loops, in the order of the text.
	Commands []Command
	// Redirections are all redirections, in the order of the text.
	Redirections []Redirection
	// Substitutions are the scripts in the command and process substitutions that are in no other one,
	// in the order of the text. Their commands are among Commands, too. A substitution that only
	// prints a text of the command line, such as $(cat <<'EOF' ... EOF), is not among them.
	Substitutions []string
	// Evaluates is the text of a construct with which bash evaluates a text for a second time,
	// for example "eval", or changes how it runs the commands after it, for example by an
	// assignment to PATH; "" if there is none. If there is one, Commands and Substitutions do not
	// show everything that runs.
	Evaluates string
	// IsList reports whether the script consists of simple commands, one after the other or in pipes: without
	// substitution, second evaluation, grouping, negation, "&", and assignments that stay.
	IsList bool
	// IsListOutside is IsList, but for substitutions.
	IsListOutside bool
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
	// Pipe is the number of the pipe that the command is part of, whose commands run at the same time; 0 for none.
	Pipe int
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
	// IsNested reports whether the command is in a substitution.
	IsNested bool
	// Computed reports whether a word may hold output of a substitution; see [Word].
	Computed bool
	// PrintsText reports whether the command only prints a text of the command line, as cat does in
	// $(cat <<'EOF' ... EOF).
	PrintsText bool
}

// Known returns Plain up to the first word that may hold output of a substitution, without the space before it.
func (c *Command) Known() string {
	if !c.Computed {
		return c.Plain
	}
	args := c.Args()
	return strings.Join(args[:max(0, slices.IndexFunc(c.Words, func(w Word) bool { return w.Computed }))], " ")
}

// Args returns the words as the program gets them, and those that the shell expands as written.
func (c *Command) Args() []string {
	args := make([]string, len(c.Words))
	for i, w := range c.Words {
		args[i] = w.Text
		if w.Static {
			args[i] = w.Value
		}
	}
	return args
}

// Redirection is one redirection of a [Script].
type Redirection struct {
	Op     string // the operator, such as ">>"
	Target Word   // the word behind it: a file, a descriptor, the end of a heredoc
}

// IsNeutral reports whether the redirection opens no file but /dev/null: it joins descriptors, as 2>&1 does, or discards
// output. Heredocs and herestrings are not neutral.
func (r *Redirection) IsNeutral() bool {
	if !r.Target.Static {
		return false
	}
	switch r.Op {
	case ">&", "<&":
		return r.Target.Value == "/dev/null" || r.Target.Value != "" && strings.Trim(r.Target.Value, "0123456789-") == ""
	case ">", ">>", ">|", "&>", "&>>", "<":
		return r.Target.Value == "/dev/null"
	}
	return false
}

// MayConnect reports whether bash may connect to a server for the redirection: to a path such as /dev/tcp/HOST/PORT, also if
// an expansion may result in one.
func (r *Redirection) MayConnect() bool {
	if strings.HasPrefix(r.Op, "<<") {
		return false // text, not a file
	}
	return slices.ContainsFunc([]string{"/dev/tcp/", "/dev/udp/"}, func(prefix string) bool {
		if r.Target.Static {
			return strings.HasPrefix(r.Target.Value, prefix)
		}
		text := r.Target.Text
		known := text[:len(text)-len(strings.TrimLeftFunc(text, isLiteral))]
		return strings.HasPrefix(known, prefix) || strings.HasPrefix(prefix, known)
	})
}

// isLiteral reports whether the shell takes a character as it is.
func isLiteral(r rune) bool {
	return strings.ContainsRune("/._-+@%", r) || unicode.IsLetter(r) || unicode.IsDigit(r)
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
	// Computed reports whether the word may hold output of a substitution of the script, directly or by a variable.
	Computed bool
	// IsNumber reports whether a computed word holds only text as written and numbers: -j$(nproc).
	IsNumber bool
	// Splits reports whether the shell may make no word of a computed one, or several.
	Splits bool
	// Begins is the known beginning of a computed word that is one word.
	Begins string
}

// The errors of Parse.
var (
	errTooLong  = errors.New("command is too long to read")
	errTooDeep  = errors.New("command is nested too deeply to read")
	errNUL      = errors.New("command holds a NUL byte")
	errPrompt   = errors.New("command expands a variable as a prompt")
	errExtGlob  = errors.New("command holds an extended glob, which the shell reads as something else")
	errSplit    = errors.New("command splits an operator over lines")
	errReturn   = errors.New("command has a carriage return outside of quotes, which is a part of a word for bash")
	errComment  = errors.New("command continues a comment on the next line, which bash does not")
	errHeredoc  = errors.New("command has a heredoc that ends where bash does not end it")
	errHidden   = errors.New("command has characters of a substitution in a place where bash may read them differently")
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
// nothing, or whose effect only a running shell can determine. Callers share the script, and must not
// change it.
func Parse(command string) (*Script, error) {
	if r, ok := recall(command); ok {
		return r.script, r.err
	}
	script, err := parse(command)
	remember(reading{command, script, err})
	return script, err
}

func parse(command string) (*Script, error) {
	file, err := read(command)
	if err != nil {
		return nil, err
	}
	c := collector{source: command, readsTexts: !redefines(file)}
	if err := c.walk(file); err != nil {
		return nil, err
	}
	if c.texts && c.evaluated != "" { // which may change what cat means
		c = collector{source: command}
		if err := c.walk(file); err != nil {
			return nil, err
		}
	}
	switch {
	case c.hidesSubstitution(file):
		return nil, errHidden
	case len(c.commands) == 0:
		return nil, errNothing
	}
	s := &Script{Substitutions: c.substitutions, Evaluates: c.evaluated}
	c.followVariables()
	slices.SortStableFunc(c.commands, func(a, b found) int { return a.at - b.at })
	slices.SortStableFunc(c.redirects, func(a, b redirect) int { return a.at - b.at })
	for _, f := range c.commands {
		f.Redirected = slices.ContainsFunc(c.redirects, func(r redirect) bool {
			return r.in == f.in && r.at >= f.at && r.end <= f.end && !slices.ContainsFunc(f.cut, func(cut redirect) bool { return cut.at == r.at })
		})
		f.Pipe = 1 + slices.IndexFunc(c.pipes, func(p place) bool { return p.at <= f.at && f.at < p.end })
		s.Commands = append(s.Commands, f.Command)
	}
	for _, r := range c.redirects {
		s.Redirections = append(s.Redirections, r.Redirection)
	}
	s.IsListOutside = s.Evaluates == "" && !slices.ContainsFunc(file.Stmts, func(stmt *syntax.Stmt) bool { return !isList(stmt) })
	s.IsList = s.IsListOutside && len(s.Substitutions) == 0
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
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(&boundedReader{rest: command}, "")
	switch {
	case errors.Is(err, errTooDeep):
		return nil, errTooDeep
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errNotShell, err)
	case endsHeredocEarly(file, command):
		return nil, errHeredoc
	case hasReturn(file, command):
		return nil, errReturn
	}
	return file, nil
}

// hasReturn reports whether a carriage return is outside of quotes and heredocs, or in the end of a line that the parser continues on the next
// one. For the parser it is a space or nothing, so that a comment may begin behind it, and for bash it is a character as others.
func hasReturn(file *syntax.File, command string) bool {
	if strings.IndexByte(command, '\r') < 0 {
		return false
	}
	c := collector{source: command}
	kinds, ok := c.kinds(file)
	if !ok || strings.Contains(command, "\\\r\n") {
		return true
	}
	for i := range len(command) {
		if command[i] == '\r' && kinds[i] != inert && kinds[i] != doubled {
			return true
		}
	}
	return false
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
	for line := range strings.Lines(command) {
		line, continues := strings.CutSuffix(line, "\\\n")
		if !continues {
			continue
		}
		for at, c := range []byte(line) {
			if c == '#' && (at == 0 || strings.IndexByte(" \t;&|()<>`\\", line[at-1]) >= 0) {
				return true
			}
		}
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

// isList reports whether a statement is a simple command, or several with "&&", "||" or pipes between them.
func isList(stmt *syntax.Stmt) bool {
	if stmt.Negated || stmt.Background || stmt.Coprocess || stmt.Disown {
		return false
	}
	switch cmd := stmt.Cmd.(type) {
	case *syntax.CallExpr:
		return len(cmd.Args) > 0
	case *syntax.BinaryCmd:
		return isList(cmd.X) && isList(cmd.Y)
	}
	return false
}

// isPlain reports whether the file is a single simple command and nothing else.
func isPlain(file *syntax.File) bool {
	if len(file.Stmts) != 1 || len(file.Stmts[0].Redirs) > 0 || !isList(file.Stmts[0]) {
		return false
	}
	_, isCall := file.Stmts[0].Cmd.(*syntax.CallExpr)
	return isCall
}
