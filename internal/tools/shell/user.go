//go:build unix

package shell

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"pollux/internal/charset"
	"pollux/internal/process"
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

// userText returns the result text of a command that the user typed.
func (r *runningCall) userText(end outcome, shown string) string {
	switch {
	case r.out.binarySize() > 0:
		shown = "[Command produced binary output, which is not shown.]"
	case shown == "":
		shown = "(Command produced no output)"
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
	dir, cd := strings.CutPrefix(strings.TrimSpace(r.command)+" ", "cd ")
	if dir = strings.TrimSpace(dir); cd && !strings.ContainsAny(dir, ";&|\n") {
		return fmt.Sprintf("WARNING: shell mode is stateless; the directory change to '%s' will not persist.", dir)
	}
	return shown
}
