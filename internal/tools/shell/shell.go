//go:build unix

// Package shell implements the tools that run shell commands and that list and read
// background commands.
//
// A command runs in bash, in a process session of its own: its processes have no access to
// the user's terminal, and Pollux can end all of them. Output is cleaned, limited in size
// and shown while the command runs. When the command exits, the call returns, even if a
// process that the command started keeps the output stream open.
//
// On Linux no command outlives Pollux, however Pollux ends, and neither do processes that a command
// leaves running, except those in a session of their own; on other systems a kill -9 of Pollux
// leaves all running. Windows is not supported.
package shell

import (
	"cmp"
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
	"pollux/internal/shellcmd/readonly"
	"pollux/tool"
)

// New returns the tool run_shell_command.
func New(o Options) tool.Tool {
	inherited := sync.OnceValue(func() []string { return o.Redact.WithoutSensitive().Apply(o.Environ) })
	inTrusted := sync.OnceValue(func() []string { return childEnv(inherited(), true) })
	return &shellTool{
		Options: o,
		spec:    o.describe(),
		origin:  process.OriginModel,
		env: func(unasked bool) []string {
			isTrusted := o.Trusted != nil && o.Trusted()
			if unasked && o.Keys != nil {
				return childEnv(secret.Without(inherited(), o.Keys()), isTrusted)
			}
			if isTrusted {
				return inTrusted()
			}
			return childEnv(inherited(), false)
		},
		shell: sync.OnceValues(func() (string, error) { return findShell(o.Environ) }),
	}
}

// describe returns the description of the tool with its limits.
func (o *Options) describe() *tool.Spec {
	limits, short := noInput, *compact
	if o.RefuseSubstitution {
		short.Description += " $(...) and backticks outside single quotes are refused."
		limits += " Command substitution ($(...), backticks, <(...) outside single quotes) is refused: run the inner command first."
	}
	if o.InactivityTimeout > 0 {
		limits += " A command that prints nothing for " + describeTime(o.InactivityTimeout) + " is ended."
	}
	if o.BackgroundAfter > 0 {
		limits += " After " + describeTime(o.BackgroundAfter) + " it goes on in the background, unless timeout_seconds is set."
	}
	s := spec
	if o.AnyOutput {
		s.Description = strings.Replace(s.Description, smallOutput, "", 1)
	}
	s.Description = strings.Replace(s.Description, noInput, limits, 1)
	s.Brief = strings.Replace(s.Brief, noInput, limits, 1)
	if o.AsksForMore {
		s.Schema, short.Schema = withPermissions(s.Schema), withPermissions(short.Schema)
	}
	s.Compact = &short
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

// caller is the kind of the tool's caller.
type caller int

const (
	model    caller = iota
	user            // see NewForUser
	template        // see NewForTemplate
)

const name = "run_shell_command"

// Unavailable is why models do not get the tools of this package, as sentences. It is "" where they do.
const Unavailable = ""

// smallOutput is the advice about output, see [Options].AnyOutput.
const smallOutput = ", and keep its output small (quiet flags, head, grep) where you need a part only"

var spec = tool.Spec{
	Name:        name,
	DisplayName: "Shell",
	Aliases:     []string{"ShellTool"},
	Kind:        tool.KindExecute,
	Plain:       true,
	Description: `Runs a command with bash -c and returns what it prints, stdout and stderr together in the order of their arrival.

Each call is a shell of its own: a cd or a variable does not last until the next. Set dir_path rather than using cd. The command gets no input. Give it the flags that make it ask no questions` + smallOutput + `.

Commands of one answer run one after another, unless they only read.

Git runs without an editor and without prompts: pass messages with -m or -F.

For a server, a watcher or anything else that does not end by itself set is_background, rather than a trailing &. The result has its PID and the way to read on.

The result has these lines, all but Output only where they apply:
Output: what was printed, or (empty)
Encoding: of output that was not UTF-8
Exit Code: only if it is not 0
Exit Codes in the pipe: if the last command of a pipe worked and one before it did not
Signal: the signal that ended the command
Background PIDs: processes that the command has started and that still run
Process Group PGID: kill -- -PGID ends all that the command has started and that still runs
Hint: last, for a command that needs a terminal, a person, or something that the sandbox refuses`,
	Brief:   `Runs a command with bash -c in a new shell and returns its stdout and stderr, and its exit code if that is not 0. The command gets no input. Use dir_path rather than cd. For a command that does not end by itself set is_background: the result has its PID and the way to read on.`,
	Compact: compact,
	Schema: json.RawMessage(`{"type":"object","properties":{` +
		`"command":{"type":"string","description":"The command, as one would type it into bash."},` +
		`"description":{"type":"string","description":"What the command does and why, in one short sentence for the user."},` +
		`"dir_path":{"type":"string","description":"Directory of the workspace to run it in, absolute or relative to the project root. Default: the project root. It must exist. For another directory, begin the command with cd."},` +
		`"is_background":{"type":"boolean","description":"For a server, or a long command beside other work. The call returns its PID after delay_ms and the command runs on."},` +
		`"delay_ms":{"type":"integer","description":"With is_background: how long to wait before the call returns, in milliseconds. Default: 200."},` +
		`"timeout_seconds":{"type":"number","description":"End it, with all that it has started, after this time."}` +
		`},"required":["command"]}`),
}

func (t *shellTool) Spec() *tool.Spec { return t.spec }

// Effect implements [tool.Foreseeable].
func (t *shellTool) Effect(raw json.RawMessage) tool.Effect {
	var args arguments
	if json.Unmarshal(raw, &args) != nil || args.Background {
		return tool.Effect{}
	}
	script, err := shellcmd.Parse(shellcmd.StripWrapper(args.Command))
	if err != nil {
		return tool.Effect{}
	}
	var others []string
	if t.Parallel != nil {
		others = t.Parallel()
	}
	return tool.Effect{Reads: readonly.Script(script, others)}
}

type arguments struct {
	Command     string  `json:"command"`
	Description string  `json:"description"`
	Dir         string  `json:"dir_path"`
	Background  bool    `json:"is_background"`
	Delay       *millis `json:"delay_ms"`
	Timeout     seconds `json:"timeout_seconds"`
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

// seconds is a duration that JSON holds in seconds, limited to maxTimeout.
type seconds time.Duration

// maxTimeout limits the timeout_seconds of a call.
const maxTimeout = 24 * time.Hour

func (s *seconds) UnmarshalJSON(b []byte) error {
	var n float64
	if err := json.Unmarshal(b, &n); err != nil {
		return err
	}
	*s = seconds(min(max(n, 0), maxTimeout.Seconds()) * float64(time.Second))
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
			stop := "."
			if strings.HasSuffix(err.Error(), stop) {
				stop = ""
			}
			return nil, fmt.Errorf("%w%s To run the command there, leave dir_path out and begin it with cd", err, stop)
		}
	}
	c.command = shellcmd.StripWrapper(c.args.Command)
	if t.caller != model {
		return c, nil
	}
	if err := cmp.Or(t.checkSubstitution(c.command), checkEditor(c.command)); err != nil {
		return nil, err
	}
	return c, nil
}

// checkSubstitution returns an error for a model's command with a substitution that cannot be read, so
// that neither the policy nor the user sees what it runs, and for every substitution if the user
// wants that.
func (t *shellTool) checkSubstitution(command string) error {
	find, what, instead := shellcmd.Unreadable, "cannot be read", "else write it as $(...) in a command without syntax errors."
	if t.RefuseSubstitution {
		find, what, instead = shellcmd.Substitution, "is not run here", "else run the inner command first and put its output into the next command."
	}
	text, found := find(command)
	if !found {
		return nil
	}
	if !strings.HasPrefix(text, "`") {
		text = "`" + text + "`"
	}
	//lint:ignore ST1005 the text is for the model
	return fmt.Errorf("Command substitution %s (found at %s). If it is meant as text, put it in single quotes; %s", what, text, instead)
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
