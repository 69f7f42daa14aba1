//go:build unix

package shell_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"pollux/internal/process/processtest"
	"pollux/internal/tools/shell"
	"pollux/tool"
)

// inBackground starts a command in the background and returns its PID.
func inBackground(t testing.TB, o shell.Options, a args) (int, *tool.Result) {
	t.Helper()
	a["is_background"] = true
	r := build(t, shell.New(o), a).Run(t.Context(), tool.Host{})
	pid, ok := r.Data["pid"].(int)
	head, _, _ := strings.Cut(text(r), "\n<untrusted_context>\nOutput so far:")
	how := fmt.Sprintf(" PID: %d. To read on, call read_background_output with this pid, and with pattern to wait until it is ready; to end it, stop_background_process.", pid)
	shown := tool.Display(tool.TerminalDisplay(fmt.Sprintf("Command moved to background (PID: %d).", pid)))
	if strings.Contains(text(r), "has ended") || strings.Contains(text(r), "was ended") {
		how, shown = fmt.Sprintf(" PID: %d.", pid), r.Display // see TestEndedAtOnceForPeople
	}
	if !ok || !strings.HasPrefix(head, "Command ") || !strings.HasSuffix(head, how) || r.Data["command"] != a["command"] ||
		r.Display != shown {
		t.Fatalf("got %q, %v", text(r), r.Data)
	}
	return pid, r
}

func list(t testing.TB, o shell.Options) string {
	t.Helper()
	return untimed(text(build(t, shell.NewListTool(o.Processes), args{}).Run(t.Context(), tool.Host{})))
}

var duration = regexp.MustCompile(`\) after [0-9.]+ (seconds?|minutes)\b`)

// untimed returns a text without how long commands ran.
func untimed(text string) string { return duration.ReplaceAllString(text, ")") }

func readBackground(t testing.TB, o shell.Options, a args) string {
	t.Helper()
	got := untimed(text(build(t, shell.NewReadTool(o.Processes), a).Run(t.Context(), tool.Host{})))
	const begin, end = "\n<untrusted_context>", "\n</untrusted_context>"
	if strings.Count(got, begin) != strings.Count(got, end) {
		t.Errorf("what a program printed is not marked: %q", got)
	}
	return strings.NewReplacer(begin, "", end, "").Replace(got)
}

func TestBackground(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	if got := list(t, o); got != "No background processes found." {
		t.Errorf("at first: %q", got)
	}
	if got := readBackground(t, o, args{"pid": 42}); !strings.HasPrefix(got, "error: Background process history lookup failed for PID 42") {
		t.Errorf("an unknown one: %q", got)
	}
	const command = "echo one; while [ ! -e go ]; do sleep 0.01; done; printf '\\033[1mtwo\\033[0m\\n'; exit 3"
	pid, r := inBackground(t, o, args{"command": command, "delay_ms": 0})
	if got, want := list(t, o), fmt.Sprintf("- [PID %d] RUNNING: `%s` (since ", pid, command); !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if s := r.Data["initialOutput"]; s != "" && s != "one" {
		t.Errorf("initial output %q", s)
	}
	if err := os.WriteFile(filepath.Join(o.Workspace.Root(), "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("- [PID %d] EXITED: `%s` (Exit Code: 3)", pid, command)
	processtest.WaitUntil(t, "it has ended", func() bool { return list(t, o) == want })
	processtest.WaitUntil(t, "its log is complete", func() bool {
		return readBackground(t, o, args{"pid": pid, "lines": 100}) == fmt.Sprintf("[PID %d] EXITED (Exit Code: 3)\nFull Log Output:\none\ntwo", pid)
	})
	if got := readBackground(t, o, args{"pid": pid, "lines": 1, "delay_ms": 1}); got != fmt.Sprintf("[PID %d] EXITED (Exit Code: 3)\n", pid)+"Showing last 1 of 2 lines:\ntwo" {
		t.Errorf("the last line: %q", got)
	}
	if got := text(build(t, shell.NewListTool(o.Processes), args{}).Run(t.Context(), tool.Host{})); !strings.HasPrefix(got, want+" after ") {
		t.Errorf("how long it ran: %q", got)
	}
	log := o.Processes.List()[0].Log
	fi, err := os.Stat(filepath.Dir(log))
	if err != nil || fi.Mode().Perm() != 0o700 || filepath.Base(log) != fmt.Sprintf("background-%d.log", pid) {
		t.Errorf("log %s in a directory %v, %v", log, fi.Mode(), err)
	}
}

func TestBackgroundThatEndsAtOnce(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	pid, r := inBackground(t, o, args{"command": "echo '  all'; exit 4", "delay_ms": 10_000})
	if got := text(r); !strings.Contains(got, fmt.Sprintf("Command has ended with exit code 4. PID: %d.\n<untrusted_context>\nOutput so far:", pid)) || !strings.HasSuffix(got, "\nOutput so far:\n  all\n</untrusted_context>") {
		t.Errorf("got %q", got)
	}
	if r.Data["initialOutput"] != "  all" {
		t.Errorf("initial output %q", r.Data["initialOutput"])
	}
	processtest.WaitUntil(t, "it has ended", func() bool {
		return list(t, o) == fmt.Sprintf("- [PID %d] EXITED: `echo '  all'; exit 4` (Exit Code: 4)", pid)
	})
	o.CanReadOn = func() bool { return false }
	r = build(t, shell.New(o), args{"command": "sleep 1000", "is_background": true}).Run(t.Context(), tool.Host{})
	list := o.Processes.List()
	last := list[len(list)-1]
	if got, want := text(r), fmt.Sprintf(" What it prints goes to %s. To read on, call read_file with that path. To end it, run kill -- -%d.\n<untrusted_context>\nOutput so far:", last.Log, last.PID); !strings.Contains(got, want) {
		t.Errorf("got %q, want %q in it", got, want)
	}
	o.CanReadOn = nil
	_, r = inBackground(t, o, args{"command": "kill -9 $$", "delay_ms": 10_000})
	if got := text(r); !strings.Contains(got, "Command was ended by SIGKILL. PID: ") || !strings.HasSuffix(got, "\nOutput so far: (empty)\n</untrusted_context>") {
		t.Errorf("got %q", got)
	}
	_, r = inBackground(t, o, args{"command": "sleep 1000 & echo $! >p", "delay_ms": 10_000})
	pid = processtest.AwaitPID(t, filepath.Join(o.Workspace.Root(), "p"))
	if got := text(r); !strings.Contains(got, fmt.Sprintf("\nBackground PIDs: %d\nProcess Group PGID: %d\n", pid, r.Data["pid"])) {
		t.Errorf("got %q", got)
	}
	read := build(t, shell.NewReadTool(o.Processes), args{"pid": pid}).Run(t.Context(), tool.Host{})
	if want := fmt.Sprintf("PID %d was started with &: its output is not kept.", pid); read.Error == nil || !strings.HasPrefix(read.Error.Message, want) {
		t.Errorf("got %v, want %s", read.Error, want)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	pid, _ = inBackground(t, o, args{"command": "true"})
	if got := readBackground(t, o, args{"pid": pid}); !strings.Contains(got, "\nLog is empty.") {
		t.Errorf("got %q", got)
	}
}

// TestEndedAtOnceForPeople checks that people see how a background command has ended that has ended before its result, and whether it has failed.
func TestEndedAtOnceForPeople(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	for command, want := range map[string]string{
		"true": "Command has ended with exit code 0 (PID: %d).", "exit 6": "Command has ended with exit code 6 (PID: %d).",
		"echo a; kill -9 $$": "a\nCommand was ended by SIGKILL (PID: %d).", "false | true": "Command has ended with exit codes 1, 0 in the pipe (PID: %d).",
	} {
		pid, r := inBackground(t, o, args{"command": command, "delay_ms": 60_000})
		if want := tool.TerminalDisplay(fmt.Sprintf(want, pid)); r.Display != want {
			t.Errorf("%s: %q, want %q", command, r.Display, want)
		}
		if isError := r.Data["isError"] == true; isError != (command == "exit 6" || strings.Contains(command, "kill")) {
			t.Errorf("%s: is an error %v", command, isError)
		}
	}
}

// TestKill checks that kill with the PID of a background command ends what runs in its process group, and nothing else.
func TestKill(t *testing.T) {
	t.Parallel()
	requireBash(t)
	for name, c := range map[string]struct {
		command string // writes the PID of a process to the file p
		signal  syscall.Signal
		ends    bool
		needs   string
	}{
		"SIGTERM":         {"bash -c 'echo $$ >p; exec sleep 1000'; true", syscall.SIGTERM, true, ""},
		"SIGKILL":         {"bash -c 'echo $$ >p; exec sleep 1000'; true", syscall.SIGKILL, true, ""},
		"nohup":           {"nohup bash -c 'echo $$ >p; exec sleep 1000' >/dev/null & wait", syscall.SIGTERM, true, ""},
		"other signal":    {"bash -c 'trap : USR1; echo $$ >p; sleep 1000'; true", syscall.SIGUSR1, false, ""},
		"another session": {"setsid bash -c 'echo $$ >p; exec sleep 1000' & wait", syscall.SIGTERM, false, "setsid"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(c.needs); c.needs != "" && err != nil {
				t.Skipf("NOT TESTED: %s is not installed", c.needs)
			}
			o := options(t)
			pid, _ := inBackground(t, o, args{"command": c.command, "delay_ms": 0})
			child := processtest.AwaitPID(t, filepath.Join(o.Workspace.Root(), "p"))
			if err := syscall.Kill(pid, c.signal); err != nil {
				t.Fatal(err)
			}
			if c.ends {
				processtest.WaitUntil(t, "it has ended", func() bool {
					return list(t, o) == fmt.Sprintf("- [PID %d] EXITED: `%s` (Signal: %d)", pid, c.command, c.signal)
				})
			} else {
				processtest.WaitUntil(t, "the shell has ended", func() bool { return o.Processes.Left() != nil })
			}
			if processtest.IsRunning(child) == c.ends {
				t.Errorf("the process runs: %v", !c.ends)
			}
		})
	}
}

// TestKilledAtOnce checks the result of a command that ends itself by its PID while the call waits.
func TestKilledAtOnce(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	_, r := inBackground(t, o, args{"command": "bash -c 'echo $$ >p; exec sleep 1000' & while [ ! -s p ]; do sleep 0.01; done; kill $$; wait", "delay_ms": 10_000})
	if got := text(r); !strings.Contains(got, "Command was ended by SIGTERM. PID: ") || !strings.HasSuffix(got, "\nOutput so far: (empty)\n</untrusted_context>") {
		t.Errorf("got %q", got)
	}
}

// TestStopIsOneSignal checks that a command that is stopped, and its shell, get SIGTERM once.
func TestStopIsOneSignal(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	pid, _ := inBackground(t, o, args{"command": "bash -c 'trap \"echo term; sleep 0.3; exit\" TERM; echo $$ >p; while :; do sleep 0.01; done'; true", "delay_ms": 0})
	processtest.AwaitPID(t, filepath.Join(o.Workspace.Root(), "p"))
	stop(t, o, pid)
	processtest.WaitUntil(t, "it has ended", func() bool { return strings.Contains(list(t, o), "] EXITED: ") })
	if got := readBackground(t, o, args{"pid": pid, "lines": 9}); strings.Count(got, "term") != 1 {
		t.Errorf("got %q", got)
	}
}

func TestBadLogs(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	pid, _ := inBackground(t, o, args{"command": "echo one"})
	log := o.Processes.List()[0].Log
	processtest.WaitUntil(t, "the log is written", func() bool { return strings.Contains(readBackground(t, o, args{"pid": pid}), "one") })

	long := strings.Repeat("a line\n", 20_000)
	for _, c := range []struct {
		name string
		make func() error
		want string
	}{
		{"huge", func() error { return os.WriteFile(log, []byte(long), 0o600) }, "Showing last 2 of 20000 lines:\na line\na line"},
		{"huge lines", func() error {
			return os.WriteFile(log, []byte(strings.Repeat("x", 40_000)+"\n"+strings.Repeat("y", 40_000)+"\n"), 0o600)
		}, "Showing last 1 of 2 lines. For full output see: " + log + "\nyyy"},
		{"one line", func() error { return os.WriteFile(log, []byte(strings.Repeat("x", 100_000)), 0o600) }, "Showing last 1 of 1 lines. For full output see: " + log + "\n" + strings.Repeat("x", 64<<10)},
		{"gone", func() error { return nil }, "error: Log file not found at " + log},
		{"link", func() error { return os.Symlink("/etc/passwd", log) }, "error: Error reading background log: "},
		{"FIFO", func() error { return syscall.Mkfifo(log, 0o600) }, "error: Error reading background log: "},
		{"directory", func() error { return os.Mkdir(log, 0o700) }, "error: Error reading background log: "},
	} {
		if err := os.RemoveAll(log); err != nil {
			t.Fatal(err)
		}
		if err := c.make(); err != nil {
			t.Fatal(err)
		}
		_, got, _ := strings.Cut("\n"+readBackground(t, o, args{"pid": pid, "lines": 2}), "\n")
		if strings.HasPrefix(got, "[PID ") {
			_, got, _ = strings.Cut(got, "\n")
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %.100q, want %.100q", c.name, got, c.want)
		}
	}
}

func TestHistoryIsBounded(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	first, _ := inBackground(t, o, args{"command": "exec sleep 1000", "delay_ms": 0})
	for range 101 {
		inBackground(t, o, args{"command": "true", "delay_ms": 10_000})
	}
	all := o.Processes.List()
	if len(all) != 100 || all[0].PID != first || all[0].Exited {
		t.Errorf("%d in the history, the first is %+v", len(all), all[0])
	}
}
