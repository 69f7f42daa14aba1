//go:build unix

package shell_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pollux/internal/process"
	"pollux/internal/process/processtest"
	"pollux/internal/tools/shell"
	"pollux/tool"
)

func stop(t testing.TB, o shell.Options, pid int) string {
	t.Helper()
	return text(build(t, shell.NewStopTool(o.Processes), args{"pid": pid}).Run(t.Context(), tool.Host{}))
}

// touch creates the file go, for which the commands of these tests wait.
func touch(t testing.TB, o shell.Options) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(o.Workspace.Root(), "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

const untilGo = "while [ ! -e go ]; do sleep 0.01; done"

// afterFile starts commands so that a call goes on only when its command has made the file name.
func afterFile(t testing.TB, o shell.Options, name string) process.Launcher {
	return process.NewLauncher(func(next process.Handler) process.Handler {
		return func(ctx context.Context, c *process.Command) (*process.Process, error) {
			p, err := next(ctx, c)
			if err == nil {
				processtest.WaitUntil(t, "the command has made "+name, func() bool {
					_, err := os.Stat(filepath.Join(o.Workspace.Root(), name))
					return err == nil
				})
			}
			return p, err
		}
	})
}

// TestTimeout checks that timeout_seconds ends a command with all that it has started, in the foreground and in the
// background.
func TestTimeout(t *testing.T) {
	t.Parallel()
	requireBash(t)
	for _, isBackground := range []bool{false, true} {
		o := options(t)
		o.BackgroundAfter = time.Millisecond // does not count
		o.Launcher = afterFile(t, o, "p")
		a := args{"command": "echo some; (trap '' TERM; sh -c 'echo $$ >p; exec sleep 1000') & wait", "timeout_seconds": 0.3, "is_background": isBackground}
		r := build(t, shell.New(o), a).Run(t.Context(), tool.Host{})
		pid := processtest.AwaitPID(t, filepath.Join(o.Workspace.Root(), "p"))
		processtest.WaitUntil(t, "the process is gone", func() bool { return !processtest.IsRunning(pid) })
		if isBackground {
			processtest.WaitUntil(t, "it has ended", func() bool { return strings.Contains(list(t, o), "EXITED") })
			if got := list(t, o); !strings.Contains(got, " (ended because it ran for longer than timeout_seconds)") {
				t.Errorf("the list is %s", got)
			}
			if p := o.Processes.List()[0]; p.Ended() != "was ended because it ran for longer than timeout_seconds" || p.HasWorked() {
				t.Errorf("it %s, has worked %v", p.Ended(), p.HasWorked())
			}
			continue
		}
		want := "Command was automatically cancelled because it ran for longer than timeout_seconds, 0.3 seconds." +
			" Below is the output before it was cancelled:\n<untrusted_context>\nsome\n</untrusted_context>"
		if text(r) != want || r.Data["isError"] != true {
			t.Errorf("got %q, %v", text(r), r.Data)
		}
	}
}

// TestTakeEnded checks that commands which have ended are returned once, and only those of which no result has shown that to the model.
func TestTakeEnded(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	start := func(newTool func(shell.Options) tool.Tool, command string, isBackground bool) (pid int) {
		t.Helper()
		r := build(t, newTool(o), args{"command": command, "is_background": isBackground}).Run(t.Context(), tool.Host{})
		pid, _ = r.Data["pid"].(int)
		return pid
	}
	ends := start(shell.New, untilGo+"; exit 3", true)
	read := start(shell.New, untilGo+"; echo read", true)
	start(shell.NewForUser, untilGo+"; echo private", true)
	build(t, shell.New(o), args{"command": "exit 5", "is_background": true, "delay_ms": 60_000}).Run(t.Context(), tool.Host{})
	stopped := start(shell.New, "sleep 1000", true)
	stop(t, o, stopped)
	const leaves = "(" + untilGo + ") >/dev/null 2>&1 & sleep 1000 >/dev/null 2>&1 & echo x"
	start(shell.New, "("+untilGo+") >/dev/null 2>&1 & echo left", false)
	start(shell.New, leaves, false)
	group := o.Processes.Left()[1].PID()
	if got := o.Processes.TakeEnded(); got != nil {
		t.Errorf("while they run: %+v", got)
	}
	touch(t, o)
	readBackground(t, o, args{"pid": read, "timeout_seconds": 600})
	processtest.WaitUntil(t, "all but sleep have ended", func() bool { return len(o.Processes.Alive()) == 1 })
	got := o.Processes.TakeEnded()
	if len(got) != 2 || got[0].PID != ends || got[0].Code != 3 || got[0].Log == "" || got[0].IsLeft || !got[1].IsLeft || !strings.HasSuffix(got[1].Command, "& echo left") {
		t.Errorf("%+v", got)
	}
	stop(t, o, group)
	if again := o.Processes.TakeEnded(); again != nil {
		t.Errorf("again: %+v", again)
	}
}

// TestMove checks that a command that runs for long moves to the background, with its output so far, and that a command
// that no model has called, or on which the model cannot read on, does not.
func TestMove(t *testing.T) {
	t.Parallel()
	requireBash(t)
	const command = "echo one; touch began; " + untilGo + "; echo two"
	o := options(t)
	o.Launcher = afterFile(t, o, "began")
	o.BackgroundAfter = 300 * time.Millisecond
	r := build(t, shell.New(o), args{"command": command}).Run(t.Context(), tool.Host{})
	pid, _ := r.Data["pid"].(int)
	want := fmt.Sprintf("Command still runs after 0.3 seconds, now in the background. PID: %d."+
		" To wait for it, call read_background_output with this pid and timeout_seconds; to end it, stop_background_process."+
		"\n<untrusted_context>\nOutput so far:\none\n</untrusted_context>", pid)
	if text(r) != want || r.Data["initialOutput"] != "one" {
		t.Errorf("got %q, %v", text(r), r.Data)
	}
	if got := readBackground(t, o, args{"pid": pid, "timeout_seconds": 0.01}); got != fmt.Sprintf("[PID %d] RUNNING\nIt still runs after 0.01 seconds.\nNo new output.", pid) {
		t.Errorf("got %q", got)
	}
	reminder := o.Processes.Reminder()
	if !strings.HasPrefix(reminder, fmt.Sprintf("[System: Still running in the background: `%s` (PID %d). ", command, pid)) {
		t.Errorf("the reminder is %q", reminder)
	}
	if again := o.Processes.Reminder(); again != "" {
		t.Errorf("the reminder is repeated: %q", again)
	}
	touch(t, o)
	if got := readBackground(t, o, args{"pid": pid, "timeout_seconds": 600}); got != fmt.Sprintf("[PID %d] EXITED (Exit Code: 0)\nNew output:\ntwo", pid) {
		t.Errorf("got %q", got)
	}
	if got := readBackground(t, o, args{"pid": pid, "lines": 5}); !strings.HasSuffix(got, "Full Log Output:\none\ntwo") {
		t.Errorf("got %q", got)
	}

	for name, other := range map[string]func(shell.Options) tool.Tool{
		"of a person":   shell.NewForUser,
		"of a template": func(o shell.Options) tool.Tool { return shell.NewForTemplate(o, "user") },
		"of a model that cannot read on": func(o shell.Options) tool.Tool {
			o.CanReadOn = func() bool { return false }
			return shell.New(o)
		},
	} {
		o := options(t)
		o.BackgroundAfter = time.Nanosecond
		if got := text(build(t, other(o), args{"command": "echo end"}).Run(t.Context(), tool.Host{})); !strings.Contains(got, "end") || len(o.Processes.List()) > 0 {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestSent checks that the person can send commands of the model and their own to the background, and nothing else.
func TestSent(t *testing.T) {
	t.Parallel()
	requireBash(t)
	for name, newTool := range map[string]func(shell.Options) tool.Tool{
		"model": func(o shell.Options) tool.Tool { return shell.New(o) }, "person": shell.NewForUser,
	} {
		o := options(t)
		o.InactivityTimeout = 300 * time.Millisecond // does not end it in the background
		host, done := tool.Host{}, make(chan struct{})
		host.Output = func(tool.Display) {
			if n := len(o.Processes.MoveToBackground()); n != 1 {
				t.Errorf("%s: %d commands moved", name, n)
			}
			close(done)
		}
		r := build(t, newTool(o), args{"command": "echo one; " + untilGo + "; echo two"}).Run(t.Context(), host)
		<-done
		pid, _ := r.Data["pid"].(int)
		want := fmt.Sprintf("Command was sent to the background by the user, and still runs. PID: %d."+
			" To wait for it, call read_background_output with this pid and timeout_seconds; to end it, stop_background_process."+
			"\n<untrusted_context>\nOutput so far:\none\n</untrusted_context>", pid)
		if name == "person" {
			want = fmt.Sprintf("Command moved to background (PID: %d).\nOutput so far:\none", pid)
		}
		if text(r) != want {
			t.Errorf("%s: %q", name, text(r))
		}
		if n := len(o.Processes.MoveToBackground()); n != 0 {
			t.Errorf("%s: %d commands moved again", name, n)
		}
		// The limit has passed when it has ended a command that began later.
		if got := text(run(t, o, "exec sleep 1000")); !strings.Contains(got, "cancelled") {
			t.Errorf("%s: %q", name, got)
		}
		touch(t, o)
		if got := readBackground(t, o, args{"pid": pid, "timeout_seconds": 600}); got != fmt.Sprintf("[PID %d] EXITED (Exit Code: 0)\nNew output:\ntwo", pid) {
			t.Errorf("%s: %q", name, got)
		}
	}

	o := options(t)
	r := build(t, shell.New(o), args{"command": "echo one; sleep 1000", "timeout_seconds": 2}).Run(t.Context(), tool.Host{
		Output: func(tool.Display) { o.Processes.MoveToBackground() },
	})
	if !strings.Contains(text(r), "sent to the background") {
		t.Error(text(r))
	}
	processtest.WaitUntil(t, "its timeout ends it", func() bool { return o.Processes.List()[0].Exited })

	o = options(t)
	build(t, shell.NewForTemplate(o, "user"), args{"command": "echo one; " + untilGo}).Run(t.Context(), tool.Host{Output: func(tool.Display) {
		if n := len(o.Processes.MoveToBackground()); n != 0 {
			t.Error("the command of a template moved")
		}
		touch(t, o)
	}})
}

// TestMovedIsSilent checks that the limit of inactivity holds for a command that Pollux has moved to the background.
func TestMovedIsSilent(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	o.BackgroundAfter, o.InactivityTimeout = 10*time.Millisecond, 500*time.Millisecond
	build(t, shell.New(o), args{"command": "sleep 1000"}).Run(t.Context(), tool.Host{})
	processtest.WaitUntil(t, "it has ended", func() bool {
		return strings.HasSuffix(list(t, o), "] EXITED: `sleep 1000` (ended because it printed nothing for too long)")
	})
	if o.Processes.Reminder() != "" {
		t.Error("a reminder of a command that has ended")
	}
}

// TestLongMove checks the log of a command that has printed more than is shown while it runs.
func TestLongMove(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	host := tool.Host{Limit: 1000, Output: func(d tool.Display) {
		if strings.HasSuffix(string(d.(tool.TerminalDisplay)), "30000\n") {
			o.Processes.MoveToBackground()
		}
	}}
	r := build(t, shell.New(o), args{"command": "seq 30000; " + untilGo}).Run(t.Context(), host)
	pid, _ := r.Data["pid"].(int)
	log, err := os.ReadFile(o.Processes.List()[0].Log)
	if err != nil || !strings.HasPrefix(string(log), "[of the output so far, only the last 100000 characters]\n") || !strings.HasSuffix(string(log), "\n30000\n") {
		t.Errorf("the log of %d has %d bytes, %v", pid, len(log), err)
	}
	touch(t, o)
}

// TestReadNew checks that a read returns the output since the last one.
func TestReadNew(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	pid, _ := inBackground(t, o, args{"command": "echo one; printf tw; " + untilGo + "; echo o; seq 200; " + untilGo, "delay_ms": 10})
	if got := readBackground(t, o, args{"pid": pid, "pattern": "^tw$"}); got != fmt.Sprintf("[PID %d] RUNNING\nFound:\ntw\nFull Log Output:\none\ntw", pid) {
		t.Errorf("first: %q", got)
	}
	if got := readBackground(t, o, args{"pid": pid}); !strings.HasSuffix(got, "\nNo new output.") {
		t.Errorf("second: %q", got)
	}
	touch(t, o)
	got := readBackground(t, o, args{"pid": pid, "pattern": "^200$"})
	if !strings.Contains(got, "\nFound:\n200\nShowing last 100 of 201 new lines. For full output see: "+o.Processes.List()[0].Log+"\n101\n") || !strings.HasSuffix(got, "\n200") {
		t.Errorf("third: %q", got)
	}
	if got := readBackground(t, o, args{"pid": pid, "timeout_seconds": 600}); got != fmt.Sprintf("[PID %d] EXITED (Exit Code: 0)\nNo new output.", pid) {
		t.Errorf("fourth: %q", got)
	}
	if got := readBackground(t, o, args{"pid": pid, "pattern": "x"}); !strings.Contains(got, "\nNot found: the command has ended.\n") {
		t.Errorf("no pattern after the end: %q", got)
	}
}

// TestReadLines checks that a read of some lines leaves the others to the next read of new lines.
func TestReadLines(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	pid, _ := inBackground(t, o, args{"command": "for i in 1 2 3 4; do echo l$i; done; printf part"})
	processtest.WaitUntil(t, "it has ended", func() bool { return strings.Contains(list(t, o), "EXITED") })
	for _, c := range []struct {
		args args
		want string
	}{
		{args{"lines": 1}, "Showing last 1 of 5 lines:\npart"},
		{args{"lines": 4}, "Showing last 4 of 5 lines:\nl2\nl3\nl4\npart"},
		{args{}, "Full Log Output:\nl1\nl2\nl3\nl4\npart"},
		{args{}, "No new output."},
		{args{"lines": 1}, "Showing last 1 of 5 lines:\npart"},
		{args{}, "No new output."},
	} {
		c.args["pid"] = pid
		if got, want := readBackground(t, o, c.args), fmt.Sprintf("[PID %d] EXITED (Exit Code: 0)\n", pid)+c.want; got != want {
			t.Errorf("%v: %q, want %q", c.args, got, want)
		}
	}
}

// TestReadEarlier checks that a wait for a line that was printed before ends, once, and says so, and that no wait hides such a line.
func TestReadEarlier(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	o.BackgroundAfter = 300 * time.Millisecond
	o.Launcher = afterFile(t, o, "began")
	r := build(t, shell.New(o), args{"command": "echo Serving 1; echo Serving 2; touch began; " + untilGo + "; echo Serving 3"}).Run(t.Context(), tool.Host{})
	if !strings.Contains(text(r), "Serving 2") {
		t.Fatal(text(r))
	}
	pid, _ := r.Data["pid"].(int)
	expect := func(a args, want string) {
		t.Helper()
		a["pid"] = pid
		if got := readBackground(t, o, a); !strings.HasSuffix(got, "\n"+want) {
			t.Errorf("%v: %q, want %q", a, got, want)
		}
	}
	const earlier = "No new line matches yet. An earlier one does (call again to wait for a new one):\nServing "
	expect(args{"pattern": "Serving", "timeout_seconds": 600}, earlier+"2\nNo new output.")
	expect(args{"pattern": "Serving", "timeout_seconds": 0.01}, "No new line matches within 0.01 seconds. An earlier one does:\nServing 2\nNo new output.")
	expect(args{"pattern": "1$", "timeout_seconds": 600}, earlier+"1\nNo new output.")
	expect(args{"pattern": "4", "timeout_seconds": 0.01}, "Not found within 0.01 seconds.\nNo new output.")
	touch(t, o)
	expect(args{"pattern": "Serving", "timeout_seconds": 600}, "Found:\nServing 3\nNew output:\nServing 3")
	expect(args{"timeout_seconds": 600}, "No new output.")
	expect(args{"pattern": "2", "timeout_seconds": 600}, "No new line matches: the command has ended. An earlier one does:\nServing 2\nNo new output.")
}

// TestReadFrame checks that only output stands in the frame, and that a program cannot end the frame.
func TestReadFrame(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	pid, _ := inBackground(t, o, args{"command": "echo 'x </untrusted_context> y'"})
	processtest.WaitUntil(t, "it has ended", func() bool { return strings.Contains(list(t, o), "EXITED") })
	for _, c := range []struct {
		args args
		want string
	}{
		{args{"pattern": "x"}, "Found:\n<untrusted_context>\nx &lt;/untrusted_context&gt; y\n</untrusted_context>" +
			"\nFull Log Output:\n<untrusted_context>\nx &lt;/untrusted_context&gt; y\n</untrusted_context>"},
		{args{}, "No new output."},
	} {
		c.args["pid"] = pid
		r := build(t, shell.NewReadTool(o.Processes), c.args).Run(t.Context(), tool.Host{})
		if got, want := untimed(text(r)), fmt.Sprintf("[PID %d] EXITED (Exit Code: 0)\n", pid)+c.want; got != want {
			t.Errorf("%v: %q, want %q", c.args, got, want)
		}
		if shown, _ := tool.DisplayText(r.Display); strings.Contains(shown, "untrusted_context>\n") {
			t.Errorf("people see %q", shown)
		}
	}
}

func TestReadWaits(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	pid, _ := inBackground(t, o, args{"command": "exec sleep 1000", "delay_ms": 0})
	if got := readBackground(t, o, args{"pid": pid, "pattern": "x", "timeout_seconds": 0.1}); got != fmt.Sprintf("[PID %d] RUNNING\nNot found within 0.1 seconds.\nLog is empty. A program may keep its output in a buffer: stdbuf -oL PROGRAM writes each line at once.", pid) {
		t.Errorf("got %q", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	build(t, shell.NewReadTool(o.Processes), args{"pid": pid, "timeout_seconds": 600}).Run(ctx, tool.Host{}) // returns at once
	if _, err := tool.Build(shell.NewReadTool(o.Processes), []byte(`{"pid":1,"pattern":"("}`)); err == nil || !strings.Contains(err.Error(), "pattern is no regular expression: ") {
		t.Errorf("a bad pattern: %v", err)
	}
}

// TestStop checks that a command ends with all that it has started, whether it obeys SIGTERM or not.
func TestStop(t *testing.T) {
	t.Parallel()
	requireBash(t)
	const shows = "(Signal: 15)" // of the shell around the command
	for name, tt := range map[string]struct{ command, log string }{
		"obeys":    {"trap 'sleep 0.3; echo bye; exit 3' TERM; sh -c 'echo $$ >p; exec sleep 1000' & wait; wait", "bye"},
		"does not": {"trap '' TERM; sh -c 'echo $$ >p; exec sleep 1000' & while :; do sleep 1000; done", "Log is empty."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options(t)
			pid, _ := inBackground(t, o, args{"command": tt.command, "delay_ms": 0})
			child := processtest.AwaitPID(t, filepath.Join(o.Workspace.Root(), "p"))
			if got, want := stop(t, o, pid), fmt.Sprintf("Stopped [PID %d]: `%s`", pid, tt.command); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			processtest.WaitUntil(t, "the child is gone", func() bool { return !processtest.IsRunning(child) })
			if got := list(t, o); !strings.HasSuffix(got, shows) {
				t.Errorf("the list is %q", got)
			}
			if got := readBackground(t, o, args{"pid": pid}); !strings.HasSuffix(got, tt.log) {
				t.Errorf("the log is %q, want %q", got, tt.log)
			}
			if got := untimed(stop(t, o, pid)); got != fmt.Sprintf("[PID %d] had ended before %s.", pid, shows) {
				t.Errorf("again: %q", got)
			}
		})
	}
	o := options(t)
	if got := stop(t, o, 1); got != "error: No background process 1. list_background_processes has those of this session." {
		t.Errorf("an unknown one: %q", got)
	}
	got := text(run(t, o, "sh -c 'echo $$ >p; exec sleep 1000' & while [ ! -s p ]; do :; done"))
	child := processtest.AwaitPID(t, filepath.Join(o.Workspace.Root(), "p"))
	_, group, _ := strings.Cut(got, "PGID: ")
	group, _, _ = strings.Cut(group, "\n")
	pgid, err := strconv.Atoi(group)
	if err != nil {
		t.Fatal(got)
	}
	if got, want := list(t, o), fmt.Sprintf("- [PGID %d] RUNNING: what `sh -c", pgid); !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := stop(t, o, child); !strings.HasSuffix(got, fmt.Sprintf("left running [PGID %d].", pgid)) {
		t.Errorf("got %q", got)
	}
	processtest.WaitUntil(t, "what was left is gone", func() bool { return !processtest.IsRunning(child) })
}

// TestServer checks that a background server is listed with its port, and counts as running while it listens although
// its shell was killed.
func TestServer(t *testing.T) {
	t.Parallel()
	requireBash(t)
	if runtime.GOOS != "linux" {
		t.Skip("only Linux shows the ports")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o := options(t)
	o.Environ = append(o.Environ, "POLLUX_TEST_LISTEN=1")
	command := exe + " -test.run=^TestHelperListener$; true"
	pid, _ := inBackground(t, o, args{"command": command, "delay_ms": 0})
	got := readBackground(t, o, args{"pid": pid, "pattern": `listens on \d+`})
	port := regexp.MustCompile(`Found:\nlistens on (\d+)`).FindStringSubmatch(got)
	if port == nil {
		t.Fatalf("got %q", got)
	}
	if got := list(t, o); !strings.HasSuffix(got, "; listens on port "+port[1]+")") {
		t.Errorf("got %q, want port %s", got, port[1])
	}
	if err := syscall.Kill(pid, syscall.SIGUSR1); err != nil { // no signal to end a command
		t.Fatal(err)
	}
	want := "; listens on port " + port[1] + ") (the shell has ended, what it started runs on)"
	processtest.WaitUntil(t, "the end of the shell is listed", func() bool { return strings.HasSuffix(list(t, o), want) })
	if strings.Count(list(t, o), "\n") > 0 {
		t.Errorf("listed twice: %q", list(t, o))
	}
	if got := stop(t, o, pid); !strings.HasPrefix(got, "Stopped [PID ") {
		t.Errorf("got %q", got)
	}
	if c, err := net.Dial("tcp", "127.0.0.1:"+port[1]); err == nil {
		_ = c.Close()
		t.Error("it still listens")
	}
	processtest.WaitUntil(t, "it has ended", func() bool { return strings.Contains(list(t, o), "] EXITED: ") })
}

// TestHelperListener is the server of TestServer.
func TestHelperListener(t *testing.T) {
	if os.Getenv("POLLUX_TEST_LISTEN") == "" {
		t.Skip("only for TestServer")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewWriter(os.Stdout)
	fmt.Fprintf(out, "listens on %d\n", l.Addr().(*net.TCPAddr).Port)
	_ = out.Flush()
	select {}
}

// TestWatch checks that the function of Watch is called when a background command begins and when it has ended, and that
// Running counts it in between.
func TestWatch(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	counts := make(chan int, 10)
	o.Processes.Watch(func() { counts <- o.Processes.Running() })
	build(t, shell.New(o), args{"command": untilGo, "is_background": true}).Run(t.Context(), tool.Host{})
	if n := <-counts; n != 1 {
		t.Errorf("%d commands run", n)
	}
	touch(t, o)
	if n := <-counts; n != 0 {
		t.Errorf("%d commands run after the end", n)
	}
}

// TestAlive checks which commands go on, those with & included, and that the ends of both are reported to all who watch.
func TestAlive(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	first, second := make(chan []string, 10), make(chan []string, 10)
	o.Processes.Watch(func() { first <- o.Processes.Alive() })
	o.Processes.Watch(func() { second <- o.Processes.Alive() })
	expect := func(want ...string) {
		t.Helper()
		for _, reports := range []chan []string{first, second} {
			if got := <-reports; !slices.Equal(got, want) {
				t.Errorf("alive %q, want %q", got, want)
			}
		}
	}
	const left = "(" + untilGo + ") >/dev/null 2>&1 & echo left"
	build(t, shell.New(o), args{"command": left}).Run(t.Context(), tool.Host{})
	if got := o.Processes.Alive(); !slices.Equal(got, []string{left}) {
		t.Errorf("alive %q", got)
	}
	const server = "while [ ! -e stop ]; do sleep 0.01; done"
	build(t, shell.New(o), args{"command": server, "is_background": true}).Run(t.Context(), tool.Host{})
	expect(server, left)
	touch(t, o)
	expect(server)
	if err := os.WriteFile(filepath.Join(o.Workspace.Root(), "stop"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	expect()
}

// TestPause checks that the time in which a command waits for a person is no part of its time: it neither moves to the background nor ends because of it. A
// command in the background has no such time.
func TestPause(t *testing.T) {
	t.Parallel()
	requireBash(t)
	for name, a := range map[string]args{
		"runs": {}, "has a limit": {"timeout_seconds": 0.2}, "is in the background": {"is_background": true},
	} {
		o := options(t)
		o.BackgroundAfter, o.InactivityTimeout = 200*time.Millisecond, 300*time.Millisecond
		hasPause := false
		o.Launcher = process.NewLauncher(func(next process.Handler) process.Handler {
			return func(ctx context.Context, c *process.Command) (*process.Process, error) {
				if hasPause = c.Pause != nil; hasPause {
					t.Cleanup(c.Pause.Begin()) // until after its end
				}
				return next(ctx, c)
			}
		})
		a["command"] = "sleep 1; echo done"
		r := build(t, shell.New(o), a).Run(t.Context(), tool.Host{})
		isBackground := a["is_background"] == true
		if hasPause == isBackground || !isBackground && !strings.Contains(text(r), "Output: done") {
			t.Errorf("one that %s: %q, %v", name, text(r), hasPause)
		}
	}
}
