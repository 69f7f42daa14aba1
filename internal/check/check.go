// Package check finds the syntax errors that an edit has made.
//
// A [Reviewer] belongs to an agent. When all calls of a response have run, it checks each file that they have changed,
// as it is after the last of them, and tells the model which errors were not there before. A [Checker] knows a
// language: Go, JSON, YAML, TOML and shell scripts are parsed here, Python and JavaScript by the interpreters of
// this machine, and other files by commands of the user (pollux.check).
package check

import (
	"context"
	"path/filepath"
	"strings"
	"sync"

	"pollux/internal/process"
)

// Checker finds the errors of a text in one language. A language server can be one.
type Checker interface {
	// Check returns the errors in the text of the file at path, which is absolute. It reports false if it cannot
	// say whether there are any. It may be called from several goroutines at once.
	Check(ctx context.Context, path, text string) (Report, bool)
}

// Report has the errors of a text.
type Report struct {
	Problems []Problem
	// IsPartial reports that the checker has read no further than the first problem.
	IsPartial bool
	// By is the name and the version of the program that has checked the text; "" if it needs none.
	By string
	// IsOwn reports that the program is the user's own check, whose problems need not be about syntax.
	IsOwn bool
}

// Problem is an error at a place.
type Problem struct {
	Line, Column int // from 1; 0 if unknown
	Text         string
}

// Options configure [New].
type Options struct {
	Dir string // the working directory: paths in notes are relative to it
	// Setting returns the value of pollux.check, nil for none, and who has set it. A project must not.
	Setting func() (value any, by process.Origin)
	// Find returns the path of a program, links followed, "" if there is none that may run.
	Find func(name string) string
	// Environ returns the user's environment without secrets.
	Environ  func() []string
	Launcher process.Launcher
	// Warn reports a check of the user's that cannot start.
	Warn func(text string)
}

// Checks are the checks of a session. They look for programs when a file needs one.
type Checks struct {
	Options
	slots chan struct{} // limits the programs that run at the same time

	mu     sync.Mutex
	paths  map[string]string // of programs that were looked for, by name
	warned bool
}

// New returns the checks of a session. It starts nothing.
func New(o Options) *Checks {
	const most = 4
	return &Checks{Options: o, slots: make(chan struct{}, most)}
}

// checker returns the checker for a file with a text, nil for none.
func (c *Checks) checker(path, text string) Checker {
	ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	if ext == "" || strings.Contains(path, "{{") { // the latter is a template of a file
		return nil
	}
	value, by := c.Setting()
	own, isObject := value.(map[string]any)
	if isObject {
		value = own[ext]
	}
	switch value {
	case false:
		return nil
	case nil, true:
		return c.builtIn(ext, path, text)
	}
	if !isObject {
		c.warnOnce("pollux.check must be true, false or an object.")
		return nil
	}
	return &ownCheck{checks: c, command: value, origin: by}
}

// builtIn returns the checker for files with an extension, nil for none.
func (c *Checks) builtIn(ext, path, text string) Checker {
	switch ext {
	case "go":
		return inProcess(parseGo)
	case "json", "jsonc", "code-workspace":
		return inProcess(parseJSON)
	case "yaml", "yml":
		return inProcess(parseYAML)
	case "toml":
		return inProcess(parseTOML)
	case "sh", "bash":
		return inProcess(parseShell)
	case "py", "pyi", "pyw":
		return c.python(text)
	case "js", "mjs", "cjs":
		return c.node(path, text)
	}
	return nil
}

// find returns the path of a program, links followed, "" if there is none. It looks for each program once.
func (c *Checks) find(name string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	path, isKnown := c.paths[name]
	if !isKnown {
		if c.paths == nil {
			c.paths = map[string]string{}
		}
		path = c.Find(name)
		c.paths[name] = path
	}
	return path
}

// warnOnce reports that the command of a setting cannot start. A session has one such warning.
func (c *Checks) warnOnce(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.warned {
		c.warned = true
		c.Warn(text)
	}
}
