//go:build unix

package shell

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"pollux/internal/charset"
	"pollux/internal/process"
	"pollux/internal/shellcmd"
	"pollux/tool"
)

// NewForUser returns the tool that runs the commands a user types after "!". It is not
// offered to models: it allows command substitution, git uses the user's configuration, a
// silent command is never ended, and the user and the model get the same text. Secret
// variables are still removed from the environment, because the model sees the output.
func NewForUser(o Options) tool.Tool {
	o.InactivityTimeout = 0
	return &shellTool{
		Options: o,
		spec:    &spec,
		caller:  user,
		origin:  process.OriginUser,
		env: func(bool) []string {
			quiet := []string{"GEMINI_CLI=1", "PAGER=cat", "GIT_PAGER=cat", gitAsksNothing}
			env := slices.DeleteFunc(slices.Clone(charset.ForShell(o.Redact.WithoutSensitive().Apply(o.Environ))), func(v string) bool {
				return strings.HasPrefix(v, "PWD=") || strings.Contains(v, "\x00")
			})
			return append(env, quiet...)
		},
		shell: sync.OnceValues(func() (string, error) { return findShell(o.Environ) }),
	}
}

// gitAsksNothing makes git fail instead of asking for a password.
const gitAsksNothing = "GIT_TERMINAL_PROMPT=0"

// inTerminal returns the environment of a command in a pseudo-terminal. The person can answer git's questions, and
// use their pager.
func (t *shellTool) inTerminal(env []string) []string {
	env = append(slices.Clip(env), "TERM=xterm-256color")
	if t.caller != user {
		return env
	}
	pager := cmp.Or(t.Pager, "cat")
	env = slices.DeleteFunc(env, func(v string) bool { return v == gitAsksNothing })
	return append(env, "PAGER="+pager, "GIT_PAGER="+pager)
}

const noOutput = "(Command produced no output)"

// userText returns the result text of a command that the user typed.
func (r *runningCall) userText(end outcome, shown string) string {
	switch {
	case r.out.binarySize() > 0:
		shown = "[Command produced binary output, which is not shown.]"
	case shown == "":
		shown = noOutput
	}
	code, signal := 0, 0
	if end == exited {
		code, signal = r.Status().Code, int(r.Status().Signal)
	}
	switch {
	case end != exited:
		return "Command was cancelled.\n" + shown
	case signal != 0:
		return fmt.Sprintf("Command terminated by signal: %d.\n%s", signal, shown)
	case code != 0:
		return fmt.Sprintf("Command exited with code %d.\n%s", code, shown)
	}
	dir, changes := lastDirectory(r.command)
	if !changes {
		return shown
	}
	warning := fmt.Sprintf("WARNING: shell mode is stateless; the directory change to '%s' will not persist.", dir)
	if shown == noOutput {
		return warning
	}
	return warning + "\n\n" + shown
}

// lastDirectory returns the directory, as written, to which a successful command changes last. changes is false if the command
// ends where it began, or may have changed the directory of a part of it only.
func lastDirectory(command string) (dir string, changes bool) {
	script, err := shellcmd.Parse(command)
	if err != nil || !strings.Contains(command, "cd") || strings.Contains(command, "||") {
		return "", false
	}
	at, before := ".", "."
	for _, c := range script.Commands {
		place := strings.Index(command, c.Text)
		if c.Name != "cd" || c.IsNested || c.Pipe != 0 || strings.Contains(command[:max(place, 0)], "(") { // a subshell
			continue
		}
		dir = strings.TrimSpace(strings.TrimPrefix(c.Text, "cd"))
		args := c.Args()[1:]
		switch {
		case len(args) != 1:
			before, at = at, "/"+dir // somewhere else
		case args[0] == "-":
			before, at = at, before
		case filepath.IsAbs(args[0]), !c.Words[1].Static:
			before, at = at, "/"+args[0]
		default:
			before, at = at, filepath.Join(at, args[0])
		}
	}
	return dir, at != "."
}
