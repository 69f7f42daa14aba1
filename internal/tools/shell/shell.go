//go:build unix

// Package shell implements the tools that run shell commands and that list and read
// background commands.
//
// A command runs in bash, in a process session of its own: its processes have no access to
// the user's terminal, and Pollux can end all of them. Output is cleaned, limited in size
// and shown while the command runs. When the command exits, the call returns, even if a
// process that the command started keeps the output stream open.
//
// On Linux no command outlives Pollux, however Pollux ends, and neither does what a command leaves
// running, unless it has moved to a session of its own; on other systems a kill -9 of Pollux leaves
// both running. Windows is not supported.
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

	"pollux/internal/process"
	"pollux/internal/secret"
	"pollux/internal/shellcmd"
	"pollux/tool"
)

// Workspace resolves and checks the directories that commands run in.
type Workspace interface {
	// Root returns the absolute path of the default directory.
	Root() string
	// Resolve returns the absolute form of a path from a tool call.
	Resolve(path string) string
	// CheckWrite returns an error if commands may not run in the directory.
	CheckWrite(abs string) error
}

// Options configure the shell tool. Workspace and Processes are required.
type Options struct {
	Workspace Workspace
	// Environ is the environment that commands inherit, as "NAME=value". Redact removes
	// secret variables from it.
	Environ []string
	Redact  secret.Redaction
	// Trusted reports whether the folder is trusted, so that git uses the user's
	// configuration and the project's hooks. nil means that it is not.
	Trusted func() bool
	// InactivityTimeout ends a command that prints nothing for this long. Zero or less
	// means no limit.
	InactivityTimeout time.Duration
	// CanReadOn reports whether read_background_output is declared to the model; nil means that it
	// is. If it is not, the result names the file with the output.
	CanReadOn func() bool
	// Keys, if set, returns the variables of Environ that hold secrets. A call
	// that neither the user nor a rule of theirs has allowed does not get them.
	Keys func() []string
	// Debug shows the user the text that the model gets.
	Debug bool
	// Summarizer summarizes long output for the model; nil leaves it as it is.
	Summarizer *Summarizer
	// Launcher starts commands.
	Launcher process.Launcher
	// Processes is the table of the session's commands.
	Processes *Processes
}

// New returns the tool run_shell_command.
func New(o Options) tool.Tool {
	inherited := sync.OnceValue(func() []string { return o.Redact.WithoutSensitive().Apply(o.Environ) })
	return &shellTool{
		Options: o,
		spec:    describe(o.InactivityTimeout),
		origin:  process.OriginModel,
		env: func(unasked bool) []string {
			base := inherited()
			if unasked && o.Keys != nil {
				base = secret.Without(base, o.Keys())
			}
			return childEnv(base, o.Trusted != nil && o.Trusted())
		},
		shell: sync.OnceValues(func() (string, error) { return findShell(o.Environ) }),
	}
}

// describe returns the description of the tool with the limit of inactivity.
func describe(limit time.Duration) *tool.Spec {
	if limit <= 0 {
		return &spec
	}
	s := spec
	sentence := "A command that prints nothing for " + strings.Replace(describeLimit(limit), ".0 ", " ", 1) + " is ended."
	s.Description = strings.Replace(s.Description, noInput, noInput+" "+sentence, 1)
	s.Brief = strings.Replace(s.Brief, noInput, noInput+" "+sentence, 1)
	return &s
}

type shellTool struct {
	Options
	spec   *tool.Spec
	caller caller
	origin process.Origin // of the commands
	env    func(unasked bool) []string
	shell  func() (string, error)
}

// caller is what calls the tool.
type caller int

const (
	model    caller = iota
	user            // see NewForUser
	template        // see NewForTemplate
)

const (
	name    = "run_shell_command"
	noInput = "The command gets no input."
)

var spec = tool.Spec{
	Name:        name,
	DisplayName: "Shell",
	Aliases:     []string{"ShellTool"},
	Kind:        tool.KindExecute,
	Plain:       true,
	Description: `Runs a command with bash -c and returns what it prints, stdout and stderr together in the order of their arrival.

Each call is a shell of its own: a cd or a variable does not last until the next. Set dir_path rather than using cd. The command gets no input. Give it the flags that make it ask no questions, and keep its output small (quiet flags, head, grep) where you need a part only.

Command substitution - $(...), backticks, <(...), >(...) outside single quotes - is refused. Run the inner command first and use what it prints. Git runs without an editor and without prompts: pass messages with -m or -F.

For a server, a watcher or anything else that does not end by itself set is_background, rather than a trailing &; then use read_background_output with its PID.

The result has these lines, all but Output only where they apply:
Output: what was printed, or (empty)
Exit Code: only if it is not 0
Exit Codes in the pipe: if the last command of a pipe worked and one before it did not
Signal: the signal that ended the command
Background PIDs: processes that the command has started and that still run
Process Group PGID: kill -- -PGID ends all that the command has started and that still runs`,
	Brief:   `Runs a command with bash -c in a new shell and returns its stdout and stderr, and its exit code if that is not 0. The command gets no input. Command substitution ($(...), backticks, <(...) outside single quotes) is refused: run the inner command first. Use dir_path rather than cd. For a command that does not end by itself set is_background; read_background_output returns what it prints.`,
	Compact: compact,
	Schema: json.RawMessage(`{"type":"object","properties":{` +
		`"command":{"type":"string","description":"The command, as one would type it into bash."},` +
		`"description":{"type":"string","description":"What the command does and why, in one short sentence for the user."},` +
		`"dir_path":{"type":"string","description":"Directory to run it in, absolute or relative to the project root. Default: the project root. It must exist."},` +
		`"is_background":{"type":"boolean","description":"True for a command that goes on running, such as a server. The call returns its PID after delay_ms and the command runs on."},` +
		`"delay_ms":{"type":"integer","description":"With is_background: how long to wait before the call returns, in milliseconds. Default: 200."}` +
		`},"required":["command"]}`),
}

func (t *shellTool) Spec() *tool.Spec { return t.spec }

type arguments struct {
	Command     string  `json:"command"`
	Description string  `json:"description"`
	Dir         string  `json:"dir_path"`
	Background  bool    `json:"is_background"`
	Delay       *millis `json:"delay_ms"`
}

// millis is a duration that JSON holds in milliseconds, limited to maxDelay.
type millis time.Duration

// maxDelay limits the delay_ms of a call.
const maxDelay = 10 * time.Minute

func (m *millis) UnmarshalJSON(b []byte) error {
	var ms float64 // JSON Schema's integers include 200.0
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
	if text, found := shellcmd.Substitution(c.command); found && t.caller == model {
		if !strings.HasPrefix(text, "`") {
			text = "`" + text + "`"
		}
		//lint:ignore ST1005 the text is for the model
		return nil, fmt.Errorf("Command substitution is not run here (found at %s). If it is meant as text, put it in single quotes; "+
			"else run the inner command first and put its output into the next command.", text)
	}
	return c, nil
}

// Summary returns the command, or the call's description if the command is long.
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
	for _, dirs := range []string{process.Getenv(environ, "PATH"), "/bin:/usr/bin:/usr/local/bin"} {
		for _, name := range []string{"bash", "sh"} {
			for _, dir := range filepath.SplitList(dirs) {
				if !filepath.IsAbs(dir) {
					continue // never run a bash from the project
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
