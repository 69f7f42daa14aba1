//go:build unix

package shell_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/secret"
	"pollux/internal/tools/shell"
	"pollux/tool"
)

// TestForUser checks that a command typed by the user runs unchanged, and its result text.
func TestForUser(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	o.Redact = secret.Redaction{Enabled: true}
	o.Environ = append(o.Environ, "SOME_API_KEY=sk-123", "GIT_CONFIG_COUNT=0", "MINE=ada")
	if err := os.Mkdir(filepath.Join(o.Workspace.Root(), "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{
		"echo $(echo out; echo err >&2) `echo more`": "err\nout more",
		" echo spaced":                      "spaced",
		"true":                              "(Command produced no output)",
		"echo no; exit 3":                   "Command exited with code 3.\nno",
		"kill -9 $$":                        "Command terminated by signal: 9.\n(Command produced no output)",
		"printf 'a\\0b'":                    "[Command produced binary output, which is not shown.]",
		"printf '\\033[31mred\\033[0m'":     "red",
		"cd sub":                            "WARNING: shell mode is stateless; the directory change to 'sub' will not persist.",
		"cd sub && pwd | tail -c4":          "WARNING: shell mode is stateless; the directory change to 'sub' will not persist.\n\nsub",
		"echo a; cd 'sub'":                  "WARNING: shell mode is stateless; the directory change to ''sub'' will not persist.\n\na",
		"cd sub && echo b && cd ..":         "b",
		"(cd sub && echo c)":                "c",
		"cd sub | echo d":                   "d",
		"cd nowhere 2>/dev/null || echo e":  "e",
		"echo $(cd sub && echo f)":          "f",
		"cd nowhere 2>/dev/null":            "Command exited with code 1.\n(Command produced no output)",
		"echo \"$GEMINI_CLI$SOME_API_KEY\"": "1",
		"echo $MINE$GIT_CONFIG_GLOBAL$GIT_CONFIG_COUNT": "ada0",
		"if": "",
	} {
		r := build(t, shell.NewForUser(o), args{"command": command}).Run(t.Context(), tool.Host{})
		got := text(r)
		if command == "if" {
			if !strings.HasPrefix(got, "Command exited with code 2.\n") {
				t.Errorf("%s: %q", command, got)
			}
			continue
		}
		if got != want || r.Display != tool.TerminalDisplay(want) {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	host := tool.Host{Started: func(int) { cancel() }}
	if got := text(build(t, shell.NewForUser(o), args{"command": "sleep 100"}).Run(ctx, host)); !strings.HasPrefix(got, "Command was cancelled.\n") { // bash may print "Terminated"
		t.Errorf("cancelled: %q", got)
	}
}
