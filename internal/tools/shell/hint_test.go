//go:build unix

package shell_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"pollux/internal/process"
	"pollux/internal/process/processtest"
	"pollux/internal/tools/shell"
	"pollux/tool"
)

// denied is a command that the sandbox of refusing stops.
const denied = "echo one; echo 'touch: /x: Permission denied'"

// refusing returns options with advice about output that ends with the reason, as a sandbox gives it. Each advice has whether the
// command has failed.
func refusing(t testing.TB) shell.Options {
	t.Helper()
	o := options(t)
	o.Advise = func(ctx context.Context, output string, hasFailed bool) string {
		if ctx.Err() != nil || !strings.HasSuffix(output, "/x: Permission denied") {
			return ""
		}
		return fmt.Sprintf("no /x, failed %v", hasFailed)
	}
	return o
}

// TestHint checks that the model gets advice about a command that the sandbox has refused something, also where the command
// ends in the background, and not about one that it has stopped.
func TestHint(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := refusing(t)
	const hint, failed = "\nHint: no /x, failed false", "\nHint: no /x, failed true"
	for command, want := range map[string]string{
		denied: hint, denied + "; exit 1": failed, denied + "; false | true": failed,
		"(" + denied + "; exit 1) | cat": failed, "echo fine; exit 1": "",
	} {
		for _, isBackground := range []bool{false, true} {
			got := text(build(t, shell.New(o), args{"command": command, "is_background": isBackground, "delay_ms": 60_000}).Run(t.Context(), tool.Host{}))
			_, found, _ := strings.Cut(got, "\n</untrusted_context>\nHint: ")
			if found != strings.TrimPrefix(want, "\nHint: ") {
				t.Errorf("%s, in the background %v: %q, want %q", command, isBackground, got, want)
			}
		}
	}

	ctx, cancel := context.WithCancel(t.Context())
	r := build(t, shell.New(o), args{"command": untilGo + "; " + denied + "; exit 1", "is_background": true}).Run(ctx, tool.Host{})
	cancel()
	pid, _ := r.Data["pid"].(int)
	touch(t, o)
	want := fmt.Sprintf("[PID %d] EXITED (Exit Code: 1)\n", pid)
	if got := readBackground(t, o, args{"pid": pid, "timeout_seconds": 600}); got != want+"Full Log Output:\none\ntouch: /x: Permission denied"+failed {
		t.Errorf("at the end: %q", got)
	}
	if got := readBackground(t, o, args{"pid": pid}); got != want+"No new output."+failed {
		t.Errorf("again: %q", got)
	}

	pid, _ = inBackground(t, o, args{"command": denied + "; exec sleep 1000"})
	if got := readBackground(t, o, args{"pid": pid, "pattern": "denied"}); !strings.HasSuffix(got, hint) {
		t.Errorf("while it runs: %q", got)
	}
	if got := readBackground(t, o, args{"pid": pid}); !strings.HasSuffix(got, "No new output.") {
		t.Errorf("the hint is repeated: %q", got)
	}
	stop(t, o, pid)
	if got := readBackground(t, o, args{"pid": pid}); strings.Contains(got, "Hint: ") {
		t.Errorf("after it was stopped: %q", got)
	}
}

// TestHintWithoutOutput checks that the model gets advice about a command in the background that has failed and printed nothing, whether it has
// ended before the result or later.
func TestHintWithoutOutput(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	o.Advise = func(_ context.Context, output string, hasFailed bool) string {
		return fmt.Sprintf("printed %q, failed %v", output, hasFailed)
	}
	const hint = "\nHint: printed \"\", failed true"
	if got := text(build(t, shell.New(o), args{"command": "exit 6", "is_background": true, "delay_ms": 60_000}).Run(t.Context(), tool.Host{})); !strings.HasSuffix(got, "</untrusted_context>"+hint) {
		t.Errorf("at once: %q", got)
	}
	r := build(t, shell.New(o), args{"command": untilGo + "; exit 6", "is_background": true, "delay_ms": 0}).Run(t.Context(), tool.Host{})
	touch(t, o)
	if got := readBackground(t, o, args{"pid": r.Data["pid"], "timeout_seconds": 600}); !strings.HasSuffix(got, " (Exit Code: 6)\nLog is empty."+hint) {
		t.Errorf("later: %q", got)
	}
}

// TestHintIsForModels checks that a person's command in the background gets no advice.
func TestHintIsForModels(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := refusing(t)
	r := build(t, shell.NewForUser(o), args{"command": denied + "; exit 1", "is_background": true}).Run(t.Context(), tool.Host{})
	pid, _ := r.Data["pid"].(int)
	if got := readBackground(t, o, args{"pid": pid, "timeout_seconds": 600, "lines": 9}); !strings.HasSuffix(got, "/x: Permission denied") {
		t.Errorf("got %q", got)
	}
}

// TestPipeInBackground checks that a command in a pipe that fails before the last one is reported, too, if the pipe ends in the
// background.
func TestPipeInBackground(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	o.BackgroundAfter = time.Millisecond
	o.Launcher = afterFile(t, o, "began")
	const command = "touch began; (" + untilGo + "; exit 3) | cat"
	r := build(t, shell.New(o), args{"command": command}).Run(t.Context(), tool.Host{})
	pid, _ := r.Data["pid"].(int)
	touch(t, o)
	const how = " (Exit Codes in the pipe: 3, 0)"
	want := fmt.Sprintf("[PID %d] EXITED%s\nLog is empty.", pid, how)
	if got := readBackground(t, o, args{"pid": pid, "timeout_seconds": 600}); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := list(t, o), fmt.Sprintf("- [PID %d] EXITED: `%s`%s", pid, command, how); got != want {
		t.Errorf("the list is %q, want %q", got, want)
	}

	o = options(t)
	for command, want := range map[string]string{
		"false | true":               "Output so far: (empty)\nExit Codes in the pipe: 1, 0\n",
		"false | true; exit 4":       "Output so far: (empty)\n</",
		"false | true >&87":          "Output so far: (empty)\nExit Codes in the pipe: 1, 0\n",
		"echo x-9 p1000 pq >&87":     "Output so far: (empty)\n</",
		"true | true":                "Output so far: (empty)\n</",
		"false | true & wait; :":     "Output so far: (empty)\n</",
		"yes | head -n 1 >/dev/null": "Output so far: (empty)\n</",
	} {
		_, r := inBackground(t, o, args{"command": command, "delay_ms": 60_000})
		if !strings.Contains(text(r), want) {
			t.Errorf("%s: %q", command, text(r))
		}
	}
}

// TestInspectors checks that the model learns why fuser and lsof find nothing, if they are confined.
func TestInspectors(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	const command = "fuser() { return 1; }; fuser 80/tcp | cat"
	if got := text(run(t, o, command)); strings.Contains(got, "Hint: ") {
		t.Errorf("without a sandbox: %q", got)
	}
	o.Launcher = process.NewLauncher(func(next process.Handler) process.Handler {
		return func(ctx context.Context, c *process.Command) (*process.Process, error) {
			c.Confine = func() error { return nil }
			return next(ctx, c)
		}
	})
	const hint = "\nHint: In the sandbox, fuser and lsof see only the processes of this command."
	const others = " list_background_processes and stop_background_process know the others."
	if got := text(run(t, o, command)); !strings.HasSuffix(got, "\n</untrusted_context>"+hint+others) {
		t.Errorf("got %q", got)
	}
	o.CanReadOn = func() bool { return false }
	if got := text(run(t, o, command)); !strings.HasSuffix(got, "\n</untrusted_context>"+hint) {
		t.Errorf("without the tools: %q", got)
	}
	if got := text(run(t, o, "echo lsof; false")); strings.Contains(got, "Hint: ") {
		t.Errorf("another command: %q", got)
	}
}

// TestDenials checks that the model gets a part of many lines that say the same of different paths, also from a log.
func TestDenials(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	const command = `for i in {1..300}; do echo "Cannot stat file /proc/1/fd/$i: Permission denied"; done; echo "80/tcp: 17"`
	var kept strings.Builder
	for i := range 20 {
		fmt.Fprintf(&kept, "Cannot stat file /proc/1/fd/%d: Permission denied\n", i+1)
	}
	kept.WriteString("... [280 more lines such as the last one] ...\n80/tcp: 17")
	r := run(t, o, command)
	if got, want := text(r), "<untrusted_context>\nOutput: "+kept.String()+"\n</untrusted_context>"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if shown := string(r.Display.(tool.TerminalDisplay)); strings.Count(shown, "\n") != 300 {
		t.Errorf("a person sees %d lines", strings.Count(shown, "\n"))
	}
	pid, _ := inBackground(t, o, args{"command": command})
	processtest.WaitUntil(t, "it has ended", func() bool { return strings.Contains(list(t, o), "EXITED") })
	if got := readBackground(t, o, args{"pid": pid, "lines": 1000}); !strings.HasSuffix(got, "\nFull Log Output:\n"+kept.String()) {
		t.Errorf("the log: %q", got)
	}
}
