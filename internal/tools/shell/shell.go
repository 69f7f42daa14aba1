//go:build unix

// Package shell is the tool by which a model runs commands, and the two by
// which it looks after those it has put into the background.
//
// A command runs in bash, in a session of its own: nothing it starts gets at
// the terminal of the user, and all of it can be ended. Its output is cleaned,
// bounded and handed on while it is produced. When the command ends its
// result is there, even if something that it has started holds the output
// stream.
//
// On Linux a command in the foreground does not outlive this process, however
// that ends; on other systems a kill -9 leaves it running. Windows is not
// supported.
package shell

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"pollux/internal/shellcmd"
	"pollux/tool"
)

// Workspace is what the tool needs to know of the directories it may work in.
type Workspace interface {
	// Root is the directory that commands run in, absolute.
	Root() string
	// Resolve makes a model's path absolute.
	Resolve(path string) string
	// CheckWrite says why a command may not run in a directory.
	CheckWrite(abs string) error
}

// Options say how commands run.
type Options struct {
	Workspace Workspace
	// Environ is the environment that commands inherit ("NAME=value"), Redact
	// what they don't get of it.
	Environ []string
	Redact  Redaction
	// InactivityTimeout ends a command that prints nothing for so long; 0 or
	// less is never.
	InactivityTimeout time.Duration
	// Debug shows a person what the model gets.
	Debug bool
	// Processes keeps track of what runs.
	Processes *Processes
}

// New returns run_shell_command (spec/tools.md §3.9).
func New(o Options) tool.Tool {
	return &shellTool{
		Options: o,
		env: sync.OnceValue(func() []string {
			return childEnv(o.Redact.WithoutSensitive().Apply(o.Environ))
		}),
		shell: sync.OnceValues(func() (string, error) { return findShell(o.Environ) }),
	}
}

type shellTool struct {
	Options
	typed bool // by a person
	env   func() []string
	shell func() (string, error)
}

const name = "run_shell_command"

var spec = tool.Spec{
	Name:        name,
	DisplayName: "Shell",
	Aliases:     []string{"ShellTool"},
	Kind:        tool.KindExecute,
	Plain:       true,
	Description: `Runs a command with bash -c and returns what it prints, stdout and stderr together in the order of their arrival.

Each call is a shell of its own: a cd or a variable does not last until the next. Set dir_path rather than using cd. Nothing can be typed into the command: give it the flags that make it ask no questions, and keep its output small (quiet flags, head, grep) where you need a part only.

Command substitution - $(...), backticks, <(...), >(...) - is refused. Run the inner command first and use what it prints, or write a script file. Git runs without the user's own configuration: set user.name and the like with -c where a command needs them.

For a server, a watcher or anything else that does not end by itself set is_background, rather than a trailing &; then use read_background_output with its PID.

The result has these lines, all but Output and Process Group PGID only where they apply:
Output: what was printed, or (empty)
Exit Code: only if it is not 0
Signal: the signal that ended the command
Background PIDs: processes that the command has started and that still run
Process Group PGID: kill -- -PGID ends all that the command has started`,
	Brief: `Runs a command with bash -c in a new shell and returns its stdout and stderr, and its exit code if that is not 0. The command gets no input. Command substitution ($(...), backticks, <(...)) is refused. Use dir_path rather than cd, and is_background for commands that do not end by themselves.`,
	Schema: json.RawMessage(`{"type":"object","properties":{` +
		`"command":{"type":"string","description":"The command, as one would type it into bash."},` +
		`"description":{"type":"string","description":"What the command does and why, in one short sentence for the user."},` +
		`"dir_path":{"type":"string","description":"Directory to run it in, absolute or relative to the project root. Default: the project root. It must exist."},` +
		`"is_background":{"type":"boolean","description":"True for a command that goes on running, such as a server. The call returns its PID after delay_ms and the command runs on."},` +
		`"delay_ms":{"type":"integer","description":"With is_background: how long to wait before the call returns, in milliseconds. Default: 200."}` +
		`},"required":["command"]}`),
}

func (t *shellTool) Spec() *tool.Spec { return &spec }

type arguments struct {
	Command     string  `json:"command"`
	Description string  `json:"description"`
	Dir         string  `json:"dir_path"`
	Background  bool    `json:"is_background"`
	Delay       *millis `json:"delay_ms"`
}

// millis is a number of milliseconds, within reason.
type millis time.Duration

// maxDelay is the longest that a call waits because a model wants it to.
const maxDelay = 10 * time.Minute

func (m *millis) UnmarshalJSON(b []byte) error {
	var ms float64 // a schema's integer may be written 200.0
	if err := json.Unmarshal(b, &ms); err != nil {
		return err
	}
	ms = min(max(ms, 0), float64(maxDelay/time.Millisecond))
	*m = millis(time.Duration(math.Round(ms)) * time.Millisecond)
	return nil
}

func (t *shellTool) Build(args json.RawMessage) (tool.Invocation, error) {
	c := &call{tool: t, dir: t.Workspace.Root()}
	if err := json.Unmarshal(args, &c.args); err != nil {
		return nil, fmt.Errorf("read arguments: %w", err)
	}
	if strings.TrimSpace(c.args.Command) == "" {
		//lint:ignore ST1005 the text is a contract
		return nil, errors.New("Command cannot be empty.")
	}
	if strings.Contains(c.args.Command, "\x00") {
		//lint:ignore ST1005 as the one above
		return nil, errors.New("Command cannot contain NUL bytes.")
	}
	if c.args.Dir != "" {
		c.dir = t.Workspace.Resolve(c.args.Dir)
		if err := t.Workspace.CheckWrite(c.dir); err != nil {
			return nil, err
		}
	}
	c.command = shellcmd.StripWrapper(c.args.Command)
	return c, nil
}

// Summary is the command itself unless it is long and there is a shorter word for it.
func (c *call) Summary() string {
	text := c.args.Command
	if tool.Units(text) > 150 && c.args.Description != "" {
		text = c.args.Description
	}
	return strings.Join(strings.Fields(text), " ")
}

func (c *call) Locations() []tool.Location { return nil }

func (c *call) Confirmation(context.Context) (tool.Confirmation, error) {
	return &tool.ExecConfirmation{
		Title:   "Confirm Shell Command",
		Command: c.args.Command,
		Roots:   shellcmd.Roots(c.command),
	}, nil
}

// findShell returns the path of bash, or of sh where there is no bash.
func findShell(environ []string) (string, error) {
	for _, dirs := range []string{lookup(environ, "PATH"), "/bin:/usr/bin:/usr/local/bin"} {
		for _, name := range []string{"bash", "sh"} {
			for _, dir := range filepath.SplitList(dirs) {
				if !filepath.IsAbs(dir) {
					continue // the project's own bash is not what is meant
				}
				path := filepath.Join(dir, name)
				if fi, err := os.Stat(path); err == nil && fi.Mode().IsRegular() && fi.Mode()&0o111 != 0 {
					return path, nil
				}
			}
		}
	}
	return "", errors.New("neither bash nor sh found in PATH")
}
