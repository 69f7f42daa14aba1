//go:build unix

package shell

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"pollux/tool"
)

// NewTyped returns the tool for what a person types behind a "!" (spec/tui.md §5.1).
// It is no tool for a model: substitutions are run, git has the person's
// configuration, nothing is ended because it is silent, and the result is one text,
// for the person and the model alike. But what is secret in the environment is kept
// from the command all the same, as the model hears what it prints.
func NewTyped(o Options) tool.Tool {
	o.InactivityTimeout = 0
	return &shellTool{
		Options: o,
		typed:   true,
		env: sync.OnceValue(func() []string {
			quiet := []string{"GEMINI_CLI=1", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0"}
			env := slices.DeleteFunc(slices.Clone(o.Redact.WithoutSensitive().Apply(o.Environ)), func(v string) bool {
				return strings.HasPrefix(v, "PWD=") || strings.Contains(v, "\x00")
			})
			return append(env, quiet...)
		}),
		shell: sync.OnceValues(func() (string, error) { return findShell(o.Environ) }),
	}
}

// typedText is what came of a command that a person has typed.
func (r *running) typedText(end ending, shown string) string {
	switch {
	case r.out.isBinary():
		shown = "[Command produced binary output, which is not shown.]"
	case shown == "":
		shown = "(Command produced no output)"
	}
	code, signal := 0, 0
	if end == exited {
		c, s := r.status()
		code, signal = c, int(s)
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
