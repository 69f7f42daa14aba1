//go:build unix

package shell_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pollux/internal/process/processtest"
	"pollux/internal/tools/shell"
	"pollux/tool"
)

const cancelledText = "Command was cancelled by user before it could complete. "

// TestCancel cancels each command when it has written its PID to the file p. The call must
// then return and the process end.
func TestCancel(t *testing.T) {
	t.Parallel()
	requireBash(t)
	for _, c := range []struct {
		name, command string
		want          string
		needs         string
	}{
		{"never ends", "echo $$ >p; sleep 1000", "There was no output before it was cancelled.", ""},
		{"keeps what there was", "echo '  so far '; echo $$ >p; sleep 1000", "Below is the output before it was cancelled:\n<untrusted_context>\n  so far", ""},
		{"ignores SIGTERM", "trap '' TERM; echo $$ >p; while :; do sleep 1000; done", "There was no output", ""},
		{"child ignores SIGTERM", "bash -c 'trap \"\" TERM; echo $$ >p; while :; do sleep 1000; done'; true", "There was no output", ""},
		{"floods", "echo $$ >p; yes", "", ""},
		{"floods and ignores SIGTERM", "trap '' TERM; echo $$ >p; while :; do echo y; done", "", ""},
		{"grandchild holds the pipe", "sleep 1000 & echo $! >p; wait", "There was no output", ""},
		{"closes its streams and lives on", "exec >/dev/null 2>&1; echo $$ >p; sleep 1000", "There was no output", ""},
		{"double fork", "(sleep 1000 & echo $! >p) ; sleep 1001", "", ""}, // bash may report the end of the second
		{"setsid", "setsid bash -c 'echo $$ >p; exec sleep 1000' & wait", "There was no output", "setsid"},
		{"double fork and setsid", "(setsid bash -c 'echo $$ >p; exec sleep 1000' &) ; sleep 1001", "There was no output", "setsid"},
		{"daemon that ignores SIGTERM", "(setsid bash -c 'trap \"\" TERM; exec >/dev/null 2>&1; echo $$ >p; while :; do sleep 1000; done' &) ; sleep 1001", "There was no output", "setsid"},
		{"stopped", "bash -c 'echo $$ >p; kill -STOP $$'; true", "There was no output", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.needs != "" && runtime.GOOS != "linux" {
				t.Skip("only Linux tells who has left the process group")
			}
			if c.needs != "" {
				if _, err := exec.LookPath(c.needs); err != nil {
					t.Skipf("NOT TESTED: %s is not installed", c.needs)
				}
			}
			o := options(t)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan *tool.Result, 1)
			inv := build(t, shell.New(o), args{"command": c.command})
			go func() { done <- inv.Run(ctx, tool.Host{Limit: 1000}) }()
			pid := processtest.AwaitPID(t, filepath.Join(o.Workspace.Root(), "p"))
			cancel()
			r := <-done
			if got := text(r); !strings.Contains(got, c.want) ||
				c.want != "" && !strings.HasPrefix(got, cancelledText+c.want) || r.Error != nil {
				t.Errorf("got %q", got)
			}
			processtest.WaitUntil(t, "the process is gone", func() bool { return !processtest.IsRunning(pid) })
		})
	}
}

// BenchmarkCancel measures the time from a cancel until Run returns, at most 100 ms.
func BenchmarkCancel(b *testing.B) {
	requireBash(b)
	for name, command := range map[string]string{
		"normal":  "echo $$ >p; sleep 1000",
		"ignores": "trap '' TERM; echo $$ >p; while :; do sleep 1000; done",
	} {
		b.Run(name, func(b *testing.B) {
			var worst time.Duration
			for range b.N {
				b.StopTimer()
				o := options(b)
				ctx, cancel := context.WithCancel(b.Context())
				done := make(chan struct{})
				inv := build(b, shell.New(o), args{"command": command})
				go func() { inv.Run(ctx, tool.Host{}); close(done) }()
				processtest.AwaitPID(b, filepath.Join(o.Workspace.Root(), "p"))
				b.StartTimer()
				start := time.Now()
				cancel()
				<-done
				worst = max(worst, time.Since(start))
			}
			b.ReportMetric(float64(worst.Milliseconds()), "ms-worst")
		})
	}
}

func TestCancelledBeforeStart(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o := options(t)
	r := build(t, shell.New(o), args{"command": "touch was-run"}).Run(ctx, tool.Host{})
	if text(r) != "Command was cancelled by user before it could start." {
		t.Errorf("got %q", text(r))
	}
	if _, err := os.Stat(filepath.Join(o.Workspace.Root(), "was-run")); err == nil {
		t.Error("the command was run")
	}
}

func TestInactivityTimeout(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	o.InactivityTimeout = 300 * time.Millisecond
	r := run(t, o, "echo $$ >p; echo some; trap '' TERM; while :; do sleep 1000; done")
	want := "Command was automatically cancelled because it exceeded the timeout of 0.3 seconds without output." +
		" Commands get no input. Run one that is silent for longer, or does not end by itself, with is_background." +
		" Below is the output before it was cancelled:\n<untrusted_context>\nsome\n</untrusted_context>"
	if text(r) != want {
		t.Errorf("got %q", text(r))
	}
	shown := "Command was automatically cancelled because it exceeded the timeout of 0.3 seconds without output.\n\nOutput before cancellation:\nsome"
	if r.Display != tool.TerminalDisplay(shown) {
		t.Errorf("shows %q", r.Display)
	}
	pid := processtest.AwaitPID(t, filepath.Join(o.Workspace.Root(), "p"))
	processtest.WaitUntil(t, "the process is gone", func() bool { return !processtest.IsRunning(pid) })
}

// TestEndsWithoutItsGrandchildren checks that a call returns when its command ends, even if a
// process that the command started holds the output open.
func TestEndsWithoutItsGrandchildren(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	got := text(run(t, o, "echo before; bash -c 'echo $$ >p; exec sleep 1000' & while [ ! -s p ]; do :; done; echo after"))
	if !strings.Contains(got, "Output: before\nafter\nBackground PIDs: ") {
		t.Errorf("got %q", got)
	}
	pid := processtest.AwaitPID(t, filepath.Join(o.Workspace.Root(), "p"))
	if !processtest.IsRunning(pid) {
		t.Error("the background process is gone")
	}
	// A background process that prints without end does not delay the result.
	if got := text(run(t, o, "yes & echo $! >q; echo after")); !strings.Contains(got, "Background PIDs: ") {
		t.Errorf("flooded: got %d characters", len(got))
	}
	processtest.AwaitPID(t, filepath.Join(o.Workspace.Root(), "q"))
}

func TestCloseEndsEverything(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	tl := shell.New(o)
	done := make(chan *tool.Result, 1)
	fg := build(t, tl, args{"command": "echo $$ >fg; sleep 1000"})
	go func() { done <- fg.Run(t.Context(), tool.Host{}) }()
	build(t, tl, args{"command": "trap '' TERM; echo $$ >bg; while :; do sleep 1000; done", "is_background": true, "delay_ms": 0}).
		Run(t.Context(), tool.Host{})
	pids := []int{processtest.AwaitPID(t, filepath.Join(o.Workspace.Root(), "fg")), processtest.AwaitPID(t, filepath.Join(o.Workspace.Root(), "bg"))}
	o.Processes.Close()
	<-done
	for _, pid := range pids {
		processtest.WaitUntil(t, "the process is gone", func() bool { return !processtest.IsRunning(pid) })
	}
	if r := run(t, o, "touch was-run"); r.Error == nil || r.Error.Type != tool.ErrShell {
		t.Errorf("a command after the end: %q", text(r))
	}
}

// TestCloseLeft checks that Close ends leftover processes of commands, except those in a session of
// their own.
func TestCloseLeft(t *testing.T) {
	t.Parallel()
	requireBash(t)
	if _, err := exec.LookPath("setsid"); err != nil || runtime.GOOS != "linux" {
		t.Skip("NOT TESTED: needs Linux and setsid")
	}
	o := options(t)
	run(t, o, "trap '' TERM; sh -c 'echo $$ >p; exec sleep 1000' & while [ ! -s p ]; do :; done")
	run(t, o, "setsid sh -c 'echo $$ >apart; exec sleep 1000' >/dev/null 2>&1 & while [ ! -s apart ]; do :; done")
	run(t, o, "sleep 0.01 &")
	pid, apart := processtest.AwaitPID(t, filepath.Join(o.Workspace.Root(), "p")), processtest.AwaitPID(t, filepath.Join(o.Workspace.Root(), "apart"))
	t.Cleanup(func() { _ = syscall.Kill(apart, syscall.SIGKILL) })
	left := o.Processes.Left()
	if len(left) < 2 || !left[0].Runs() || len(left[0].Apart()) > 0 || left[1].Runs() || !slices.Equal(left[1].Apart(), []int{apart}) {
		t.Errorf("left: %+v", left)
	}
	o.Processes.Close()
	processtest.WaitUntil(t, "the process is gone", func() bool { return !processtest.IsRunning(pid) })
	if !processtest.IsRunning(apart) {
		t.Error("the process with a session of its own is gone")
	}
}

// TestCloseWhileStarting checks that Close misses no command that starts at the same time.
func TestCloseWhileStarting(t *testing.T) {
	t.Parallel()
	requireBash(t)
	for range 20 {
		o := options(t)
		tl := shell.New(o)
		var wg sync.WaitGroup
		for range 5 {
			inv := build(t, tl, args{"command": "exec sleep 1000"})
			wg.Go(func() { inv.Run(t.Context(), tool.Host{}) })
		}
		o.Processes.Close()
		wg.Wait() // never returns if Close missed a command
	}
}

// TestKilledProgram checks that a kill -9 of the program that runs a command ends the command and
// its background processes.
func TestKilledProgram(t *testing.T) {
	t.Parallel()
	requireBash(t)
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends children with their parent")
	}
	dir := t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := exec.Command(exe, "-test.run=^TestHelperProgram$")
	program.Env = append(os.Environ(), "POLLUX_TEST_DIR="+dir)
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("helper says %q, %v", line, err)
	}
	left := processtest.AwaitPID(t, filepath.Join(dir, "left"))
	shellPID, child, bg := processtest.AwaitPID(t, filepath.Join(dir, "shell")), processtest.AwaitPID(t, filepath.Join(dir, "child")), processtest.AwaitPID(t, filepath.Join(dir, "bg"))
	t.Cleanup(func() { _ = syscall.Kill(-bg, syscall.SIGKILL) }) // it leads a group
	_ = program.Process.Kill()
	_ = program.Wait() // it was killed
	processtest.WaitUntil(t, "the shell is gone", func() bool { return !processtest.IsRunning(shellPID) })
	processtest.WaitUntil(t, "its child is gone", func() bool { return !processtest.IsRunning(child) })
	processtest.WaitUntil(t, "the command in the background is gone", func() bool { return !processtest.IsRunning(bg) })
	processtest.WaitUntil(t, "what a command left running is gone", func() bool { return !processtest.IsRunning(left) })
}

// TestHelperProgram is the program that is killed in TestKilledProgram.
func TestHelperProgram(t *testing.T) {
	dir := os.Getenv("POLLUX_TEST_DIR")
	if dir == "" {
		t.Skip("only for TestKilledProgram")
	}
	o := shell.Options{
		Workspace: place(dir), Environ: os.Environ(),
		Processes: shell.NewProcesses(filepath.Join(dir, "logs")),
	}
	tl := shell.New(o)
	build(t, tl, args{"command": "echo $$ >bg; exec sleep 1000", "is_background": true, "delay_ms": 0}).
		Run(t.Context(), tool.Host{})
	fg := build(t, tl, args{"command": "echo $$ >shell; bash -c 'echo $$ >child; exec sleep 1000'; true"})
	go fg.Run(t.Context(), tool.Host{})
	run(t, o, "nohup sh -c 'echo $$ >left; exec sleep 1000' >/dev/null & while [ ! -s left ]; do :; done")
	for _, file := range []string{"bg", "shell", "child"} {
		processtest.WaitUntil(t, file, func() bool {
			b, _ := os.ReadFile(filepath.Join(dir, file))
			return strings.HasSuffix(string(b), "\n")
		})
	}
	fmt.Println("ready")
	select {}
}
