//go:build unix

package shell_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pollux/internal/process"
	"pollux/internal/process/processtest"
	"pollux/internal/tools/shell"
	"pollux/llm"
	"pollux/tool"
)

// face is a console that types an answer into each command.
type face struct {
	mu     sync.Mutex
	output bytes.Buffer
	typed  string
	closed int
	hidden int

	process *process.Process
}

func (f *face) Open(string) shell.Screen { return f }

func (f *face) Size() process.TerminalSize { return process.TerminalSize{Columns: 33, Rows: 7} }

func (f *face) Started(p *process.Process) {
	f.process = p
	_ = p.Type([]byte(f.typed))
}

func (f *face) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.output.Write(p)
}

func (f *face) Hide() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hidden++
}

func (f *face) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed++
}

// TestConsole checks commands in pseudo-terminals: the output for the model is as plain as from a pipe.
func TestConsole(t *testing.T) {
	t.Parallel()
	requireBash(t)
	for _, c := range []struct{ command, want string }{
		{"stty -echo; stty size; read a; echo \"[$a]\"", "Output: 7 33\n[answer]"},
		{"stty -echo; printf '1%%\\r2%%\\n\\033[31mred\\033[0m\\n\\033[?1049hhidden\\033[?1049lshown\\n'", "Output: 2%\nred\nshown"},
		{"stty -echo; (sleep 1000) & exit", "Background PIDs: "},
		{"stty -echo; echo $PAGER $TERM; read a; exit 3", "Output: cat xterm-256color\nExit Code: 3"},
	} {
		o, f := options(t), &face{typed: "answer\r"}
		o.Processes.SetConsole(f)
		got := llm.PartsText(run(t, o, c.command).Content)
		got = strings.Replace(got, "answer\n", "", 1) // echoed before stty, or not
		if !strings.Contains(got, c.want) || strings.Contains(got, "input") || f.closed != 1 {
			t.Errorf("%s: %q, closed %d times", c.command, got, f.closed)
		}
	}
}

// TestFullScreen checks that the model gets a hint about a program on a full screen, whose output is not kept.
func TestFullScreen(t *testing.T) {
	t.Parallel()
	requireBash(t)
	const draws, hint = "stty -echo; printf '\\033[?1049hhidden'; ", "\nHint: The program showed a full screen, which is not kept. For text use read_file, or a program that only prints, such as cat."
	o := options(t)
	o.Processes.SetConsole(&face{})
	if got := llm.PartsText(run(t, o, draws+"printf '\\033[?1049l'").Content); got != "<untrusted_context>\nOutput: (empty)\n</untrusted_context>"+hint {
		t.Errorf("got %q", got)
	}
	if got := llm.PartsText(run(t, o, "echo text").Content); strings.Contains(got, "Hint: ") {
		t.Errorf("another command: %q", got)
	}
	r := build(t, shell.New(o), args{"command": draws + untilGo, "is_background": true}).Run(t.Context(), tool.Host{})
	const shows = "\nLog is empty. The program shows a full screen, which is not kept."
	processtest.WaitUntil(t, "it shows its screen", func() bool {
		return strings.HasSuffix(readBackground(t, o, args{"pid": r.Data["pid"]}), shows)
	})
	touch(t, o)
	if got := readBackground(t, o, args{"pid": r.Data["pid"], "timeout_seconds": 600}); !strings.HasSuffix(got, "\nLog is empty."+hint) {
		t.Errorf("at the end: %q", got)
	}
}

// TestConsoleBackground checks that a background command keeps its terminal, which closes when the command ends.
func TestConsoleBackground(t *testing.T) {
	t.Parallel()
	requireBash(t)
	for name, isBackground := range map[string]bool{"started": true, "sent": false} {
		o, f := options(t), &face{}
		o.Processes.SetConsole(f)
		a := args{"command": "stty -echo; stty size; read -p 'name? ' a; printf '\\n1%%\\r2%%\\n\\033[31mred\\033[0m\\n'; echo \"[$a]\"; " + untilGo, "is_background": isBackground, "delay_ms": 1}
		r := build(t, shell.New(o), a).Run(t.Context(), tool.Host{Output: func(tool.Display) { o.Processes.MoveToBackground() }})
		pid, _ := r.Data["pid"].(int)
		if f.hidden != 1 || f.closed != 0 {
			t.Errorf("%s: %d times hidden, %d times closed: %s", name, f.hidden, f.closed, text(r))
		}
		processtest.WaitUntil(t, "it asks", func() bool {
			f.mu.Lock()
			defer f.mu.Unlock()
			return strings.Contains(f.output.String(), "name?")
		})
		if err := f.process.Type([]byte("Ada\r")); err != nil {
			t.Fatal(err)
		}
		got := readBackground(t, o, args{"pid": pid, "pattern": `\[Ada\]`, "lines": 100})
		if !strings.Contains(got, "7 33\nname? \n2%\nred\n[Ada]") {
			t.Errorf("%s: the log is %q", name, got)
		}
		touch(t, o)
		processtest.WaitUntil(t, "the screen is closed", func() bool {
			f.mu.Lock()
			defer f.mu.Unlock()
			return f.closed == 1
		})
	}
}

// TestNoTerminal checks that a command runs on pipes where there are no pseudo-terminals, with nothing of a terminal, and says why.
func TestNoTerminal(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o, f := options(t), &face{}
	o.Pager = "less"
	o.Environ = append(o.Environ, "TERM=dumb")
	o.Launcher = process.NewLauncher(func(next process.Handler) process.Handler {
		return func(ctx context.Context, c *process.Command) (*process.Process, error) {
			if c.Terminal != nil {
				return nil, errors.New("no pseudo-terminals")
			}
			return next(ctx, c)
		}
	})
	o.Processes.SetConsole(f)
	got := text(build(t, shell.NewForUser(o), args{"command": `echo "$TERM $PAGER $GIT_PAGER $GIT_TERMINAL_PROMPT"; printf 'a\033[?1049hb\n'; read x; cat`}).Run(t.Context(), tool.Host{}))
	if got != "[This command has no terminal: no pseudo-terminals]\ndumb cat cat 0\nab" || f.closed != 1 || f.output.Len() > 0 {
		t.Errorf("got %q, closed %d times, shown %q", got, f.closed, &f.output)
	}
	build(t, shell.NewForUser(o), args{"command": "echo done", "is_background": true}).Run(t.Context(), tool.Host{})
	log := o.Processes.List()[0].Log
	processtest.WaitUntil(t, "the log has the reason and the output", func() bool {
		text, err := os.ReadFile(log)
		return err == nil && string(text) == "[This command has no terminal: no pseudo-terminals]\ndone\n"
	})
}

// TestConsoleLeaves checks that the end of a command is no hang-up for a process that it leaves running.
func TestConsoleLeaves(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	o.Processes.SetConsole(&face{})
	run(t, o, "(while [ ! -e ended ]; do sleep 0.01; done; echo >alive) & exit")
	at := func(name string) string { return filepath.Join(o.Workspace.Root(), name) }
	if err := os.WriteFile(at("ended"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	processtest.WaitUntil(t, "the process is alive", func() bool {
		_, err := os.Stat(at("alive"))
		return err == nil
	})
}
