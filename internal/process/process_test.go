//go:build unix

package process

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pollux/internal/process/processtest"
)

const system = "PATH=/usr/local/bin:/usr/bin:/bin"

// sh is a command of the shell in dir.
func sh(dir, script string) *Command {
	return &Command{Path: "/bin/sh", Args: []string{"-c", script}, Dir: dir, Env: []string{system}}
}

// A program gets the variables it is given, and none of ours.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	for _, env := range [][]string{nil, {}, {"B=2", "A=1", "EMPTY=", "B=3"}} {
		var out bytes.Buffer
		status, err := Launcher{}.Run(t.Context(), &Command{Path: "/usr/bin/env", Env: env, Stdout: &out})
		want := ""
		if len(env) > 0 {
			want = strings.Join(env, "\n") + "\n"
		}
		if out.String() != want || status != (Status{}) || err != nil {
			t.Errorf("%q: %q, %v, %v", env, out.String(), status, err)
		}
	}
}

func TestStreams(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var both, out, errs bytes.Buffer
	c := sh(dir, "cat; echo err >&2; echo out; pwd; echo $0 $1")
	c.Args, c.Stdin = append(c.Args, "zero", "one"), strings.NewReader("in\n")
	c.Stdout, c.Stderr = &both, &both
	if status, err := (Launcher{}).Run(t.Context(), c); err != nil || status != (Status{}) {
		t.Error(status, err)
	}
	real, _ := filepath.EvalSymlinks(dir)
	if got, want := both.String(), "in\nerr\nout\n"+real+"\nzero one\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	c = sh(dir, "cat; echo err >&2; echo out; exit 3") // no input
	c.Stdout, c.Stderr = &out, &errs
	if status, err := (Launcher{}).Run(t.Context(), c); err != nil || status != (Status{Code: 3}) || status.String() != "exit status 3" {
		t.Error(status, err)
	}
	if out.String() != "out\n" || errs.String() != "err\n" {
		t.Errorf("%q, %q", out.String(), errs.String())
	}
	c = sh(dir, "exec true") // which reads nothing of much input
	c.Stdin = bytes.NewReader(make([]byte, 10<<20))
	if status, err := (Launcher{}).Run(t.Context(), c); err != nil || status != (Status{}) {
		t.Error(status, err)
	}
}

// Files are given as they are, on the descriptors that they are wanted on.
func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, []byte("text\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	c := sh(dir, "cat <&5")
	c.Stdout, c.Files = out, map[int]*os.File{5: in}
	if status, err := (Launcher{}).Run(t.Context(), c); err != nil || status != (Status{}) {
		t.Error(status, err)
	}
	if text, err := os.ReadFile(out.Name()); string(text) != "text\n" {
		t.Errorf("%q, %v", text, err)
	}
	for _, fd := range []int{-1, 2, ReportFD, GateFD, 1 << 30} {
		c.Files = map[int]*os.File{fd: in}
		if _, err := (Launcher{}).Run(t.Context(), c); err == nil {
			t.Errorf("descriptor %d was accepted", fd)
		}
	}
}

func TestStdoutPipe(t *testing.T) {
	t.Parallel()
	c := sh("/", "printf 'one\ntwo\n'; exit 2")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	p, err := Launcher{}.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(out)
	status, waitErr := p.Wait()
	if string(text) != "one\ntwo\n" || err != nil || waitErr != nil || status.Code != 2 {
		t.Errorf("%q, %v, %v, %v", text, err, status, waitErr)
	}
}

// A program that does not start leaves nothing behind.
func TestStartFails(t *testing.T) {
	t.Parallel()
	for _, c := range []*Command{
		{Path: "/nonexistent"},
		{Path: "/bin/sh", Dir: "/nonexistent", Stdin: strings.NewReader("x"), Stdout: io.Discard, Stderr: &bytes.Buffer{}, Gate: true},
	} {
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		p, err := Launcher{}.Start(t.Context(), c)
		if p != nil || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v: %v", c, err)
		}
		if n, err := out.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("the pipe is open: %v", err)
		}
		_ = out.Close()
	}
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if _, err := (Launcher{}).Start(ctx, sh("/", "true")); !errors.Is(err, why) {
		t.Error(err)
	}
}

// Middleware sees the whole command, the first one first, and may rewrite or refuse it.
// The caller's command stays as it was.
func TestMiddleware(t *testing.T) {
	t.Parallel()
	var seen []string
	note := func(name string) Middleware {
		return func(next Handler) Handler {
			return func(ctx context.Context, c *Command) (*Process, error) {
				seen = append(seen, fmt.Sprint(name, ": ", c, ", ", c.Path, c.Args, c.Env, c.Dir, ", ", c.TTY, len(c.Files)))
				return next(ctx, c)
			}
		}
	}
	confine := func(next Handler) Handler {
		return func(ctx context.Context, c *Command) (*Process, error) {
			c.Args = append([]string{"INSIDE=1", c.Path}, c.Args...)
			c.Path, c.Dir = "/usr/bin/env", "/"
			c.Env[0] = "OUTSIDE=1"
			return next(ctx, c)
		}
	}
	c := &Command{Name: "question", Path: "/bin/sh", Args: []string{"-c", "echo $INSIDE $OUTSIDE $A; pwd"}, Env: []string{"A=1"}, Dir: "/usr"}
	said, err := NewLauncher(note("first"), confine, note("last")).Ask(t.Context(), c)
	if said != "1 1\n/" || err != nil {
		t.Errorf("%q, %v", said, err)
	}
	want := []string{
		"first: question, /bin/sh[-c echo $INSIDE $OUTSIDE $A; pwd] [A=1]/usr, false 0",
		"last: question, /usr/bin/env[INSIDE=1 /bin/sh -c echo $INSIDE $OUTSIDE $A; pwd] [OUTSIDE=1]/, false 0",
	}
	if fmt.Sprint(seen) != fmt.Sprint(want) {
		t.Errorf("seen %q", seen)
	}
	if c.Path != "/bin/sh" || len(c.Args) != 2 || c.Env[0] != "A=1" || c.Dir != "/usr" {
		t.Errorf("the caller's command is %+v", c)
	}
	refused := errors.New("refused")
	no := func(Handler) Handler {
		return func(context.Context, *Command) (*Process, error) { return nil, refused }
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if _, err := NewLauncher(no).Start(t.Context(), c); !errors.Is(err, refused) {
		t.Error(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the pipe of a refused command is open: %v", err)
	}
}

// Each program writes process numbers to files; when its context ends, Wait returns the cause
// and all processes are gone.
func TestCancel(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, script string
		files        string
		grace        time.Duration
		linux        bool
	}{
		{"alone", "echo $$ >p; exec sleep 1000", "p", 0, false},
		{"grandchild", "sh -c 'echo $$ >q; sleep 1000; true' & echo $$ >p; wait", "p q", 0, false},
		{"grandchild, with grace", "sh -c 'echo $$ >q; sleep 1000; true' & echo $$ >p; wait", "p q", time.Second, false},
		{"ignores SIGTERM", "trap '' TERM; echo $$ >p; while :; do sleep 1000; done", "p", 50 * time.Millisecond, false},
		{"grandchild ignores SIGTERM", "sh -c 'trap \"\" TERM; exec >/dev/null 2>&1; echo $$ >q; while :; do sleep 1000; done' & echo $$ >p; wait", "p q", 50 * time.Millisecond, false},
		{"has left the group", "setsid sh -c 'echo $$ >q; exec sleep 1000' & echo $$ >p; wait", "p q", 0, true},
		{"has left the group and its parent", "(setsid sh -c 'trap \"\" TERM; echo $$ >q; while :; do sleep 1000; done' &); echo $$ >p; sleep 1000", "p q", 50 * time.Millisecond, true},
		{"stopped", "echo $$ >p; kill -STOP $$", "p", time.Second, false},
		{"floods", "echo $$ >p; yes", "p", 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.linux && runtime.GOOS != "linux" {
				t.Skip("only Linux shows who has left the process group")
			}
			dir := t.TempDir()
			why := errors.New("enough")
			ctx, cancel := context.WithCancelCause(t.Context())
			c := sh(dir, tt.script)
			c.Grace, c.Stdout, c.Stderr = tt.grace, io.Discard, io.Discard
			p, err := Launcher{}.Start(ctx, c)
			if err != nil {
				t.Fatal(err)
			}
			var pids []int
			for _, file := range strings.Fields(tt.files) {
				pids = append(pids, processtest.AwaitPID(t, filepath.Join(dir, file)))
			}
			if pids[0] != p.PID() || p.Cause() != nil || p.Status() != (Status{}) {
				t.Errorf("%d is not %d, or it has ended: %v, %v", p.PID(), pids[0], p.Cause(), p.Status())
			}
			cancel(why)
			status, err := p.Wait()
			if !errors.Is(err, why) || !errors.Is(p.Cause(), why) || status.Signal == 0 || status.SignalName() == "" || status != p.Status() {
				t.Errorf("%v, %v", status, err)
			}
			for _, pid := range pids {
				processtest.WaitUntil(t, "the process is gone", func() bool { return !processtest.IsRunning(pid) })
			}
		})
	}
}

// Terminate and Kill have no cause. They may come when everything is over.
func TestTerminate(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*Process){"TERM": (*Process).Terminate, "KILL": (*Process).Kill} {
		c := sh("/", "exec sleep 1000")
		c.Grace = time.Second
		p, err := Launcher{}.Start(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		end(p)
		<-p.Stopped()
		status, err := p.Wait()
		if err != nil || status.SignalName() != "SIG"+name || status.Code != -1 {
			t.Errorf("%s: %v, %v", name, status, err)
		}
		<-p.Gone()
		if p, err = (Launcher{}).Start(t.Context(), sh("/", "true")); err != nil {
			t.Fatal(err)
		}
		if status, err = p.Wait(); err != nil || status != (Status{}) {
			t.Error(status, err)
		}
		end(p)
		<-p.Gone()
	}
}

// A process that prints now and then is not silent, one that prints no more is ended.
func TestIdle(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var out bytes.Buffer
	c := sh(dir, "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo $i; sleep 0.1; done; echo $$ >p; sleep 1000")
	c.Stdout, c.Idle = &out, time.Second
	status, err := Launcher{}.Run(t.Context(), c)
	if !errors.Is(err, ErrIdle) || status.Signal != syscall.SIGKILL || strings.Count(out.String(), "\n") != 12 {
		t.Errorf("%v, %v, %q", status, err, out.String())
	}
	pid := processtest.AwaitPID(t, filepath.Join(dir, "p"))
	processtest.WaitUntil(t, "the process is gone", func() bool { return !processtest.IsRunning(pid) })
}

// All output until the end of a process is read, however much it is, and only that: the reader
// waits for descendants that hold the output only with Linger.
func TestOutput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	count := &counter{}
	head := &Head{Max: 10}
	c := sh(dir, "head -c 5000000 /dev/zero | tr '\\0' x; head -c 5000000 /dev/zero | tr '\\0' y >&2")
	c.Stdout, c.Stderr = count, head
	if status, err := (Launcher{}).Run(t.Context(), c); err != nil || status != (Status{}) || count.n != 5_000_000 || head.Text() != "yyyyyyyyyy" {
		t.Errorf("%v, %v, %d, %q", status, err, count.n, head.Text())
	}

	var out bytes.Buffer
	c = sh(dir, "sh -c 'echo $$ >p; exec sleep 1000' & while [ ! -s p ]; do :; done; echo done")
	c.Stdout = &out
	if status, err := (Launcher{}).Run(t.Context(), c); err != nil || status != (Status{}) || out.String() != "done\n" {
		t.Errorf("%v, %v, %q", status, err, out.String())
	}
	if pid := processtest.AwaitPID(t, filepath.Join(dir, "p")); !processtest.IsRunning(pid) {
		t.Error("its leftover processes are gone")
	}

	out.Reset()
	c = sh(dir, "{ sleep 0.2; echo later; } & echo done")
	c.Stdout, c.Linger = &out, time.Minute
	if status, err := (Launcher{}).Run(t.Context(), c); err != nil || status != (Status{}) || out.String() != "done\nlater\n" {
		t.Errorf("%v, %v, %q", status, err, out.String())
	}
}

type counter struct{ n int }

func (c *counter) Write(p []byte) (int, error) {
	c.n += len(p)
	return len(p), errors.New("which is ignored")
}

// Only a program that uses the terminal is in our group and session.
func TestGroup(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	for _, tty := range []bool{false, true} {
		var out bytes.Buffer
		c := sh("/", "read -r _ _ _ _ group session _ </proc/$$/stat; echo $$ $group $session")
		c.Stdout, c.TTY = &out, tty
		if status, err := (Launcher{}).Run(t.Context(), c); err != nil || status != (Status{}) {
			t.Fatal(status, err)
		}
		var pid, group, session int
		if _, err := fmt.Sscan(out.String(), &pid, &group, &session); err != nil {
			t.Fatal(err)
		}
		if tty != (group == syscall.Getpgrp()) || !tty && (group != pid || session != pid) {
			t.Errorf("terminal %v: %s", tty, out.String())
		}
	}
}

// A program that uses the terminal is asked to end, and killed alone.
func TestEndTTY(t *testing.T) {
	t.Parallel()
	for _, trap := range []string{"", "trap '' TERM; "} {
		dir := t.TempDir()
		ctx, cancel := context.WithCancel(t.Context())
		c := sh(dir, trap+"echo $$ >p; exec sleep 1000")
		c.TTY, c.Grace = true, 50*time.Millisecond
		p, err := Launcher{}.Start(ctx, c)
		if err != nil {
			t.Fatal(err)
		}
		processtest.AwaitPID(t, filepath.Join(dir, "p"))
		cancel()
		want := syscall.SIGTERM
		if trap != "" {
			want = syscall.SIGKILL
		}
		if status, err := p.Wait(); status.Signal != want || !errors.Is(err, context.Canceled) {
			t.Error(status, err)
		}
	}
}

// Processes report the processes that they leave running, and are released.
func TestLeft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	c := &Command{
		Path: "/bin/sh", Dir: dir, Env: []string{system},
		Args: []string{"-c", "sh -c 'echo $$ >p; exec sleep 1000' >/dev/null 2>&1 & while [ ! -s p ]; do :; done; echo 1 $$ nonsense $! >/dev/fd/" + strconv.Itoa(ReportFD)},
	}
	p, err := Launcher{}.Start(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	<-p.Exited()
	pid := processtest.AwaitPID(t, filepath.Join(dir, "p"))
	if left, words := p.Left(); len(left) != 1 || left[0] != pid || !slices.Equal(words, []string{"nonsense"}) {
		t.Errorf("left %v and %v, want %d", left, words, pid)
	}
	if !p.GroupRuns() {
		t.Error("no process of the group runs")
	}
	if left, words := p.Left(); len(left) != 0 || len(words) != 0 {
		t.Errorf("left again: %v, %v", left, words)
	}
	cancel()
	p.Release()
	p.Release()
	if left, _ := p.Left(); len(left) != 0 || !processtest.IsRunning(pid) {
		t.Errorf("left when released: %v", left)
	}
}

// Terminate ends the leftover processes of a program, except those in a session of their own.
func TestKeep(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("setsid"); err != nil || runtime.GOOS != "linux" {
		t.Skip("NOT TESTED: needs Linux and setsid")
	}
	dir := t.TempDir()
	c := sh(dir, "sh -c 'echo $$ >p; exec sleep 1000' & setsid sh -c 'echo $$ >apart; exec sleep 1000' & while [ ! -s p ] || [ ! -s apart ]; do :; done")
	p, err := Launcher{}.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	<-p.Exited()
	pid, apart := processtest.AwaitPID(t, filepath.Join(dir, "p")), processtest.AwaitPID(t, filepath.Join(dir, "apart"))
	t.Cleanup(func() { _ = syscall.Kill(apart, syscall.SIGKILL) })
	p.Keep()
	if got := p.Apart(); !slices.Equal(got, []int{apart}) || !p.Runs() {
		t.Errorf("apart %v, runs %v", got, p.Runs())
	}
	p.Terminate()
	<-p.Gone()
	processtest.WaitUntil(t, "the process is gone", func() bool { return !processtest.IsRunning(pid) })
	if p.Runs() || !processtest.IsRunning(apart) {
		t.Error("something runs that should not, or the reverse")
	}
	p.Release()
}

// A kill -9 of the program that has started processes ends them and their descendants, except
// those that it was to leave.
func TestKilledParent(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends processes with their parent")
	}
	if signal.Ignored(syscall.SIGHUP) {
		t.Skip("NOT TESTED: SIGHUP is ignored, as under nohup, so it ends no command that has the terminal")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	parent := exec.Command(exe, "-test.run=^TestParent$")
	parent.Env = append(os.Environ(), "PROCESS_TEST_DIR="+dir)
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("the parent prints %q, %v", line, err)
	}
	pids := map[string]int{}
	for _, file := range parentStarts {
		pids[file] = processtest.AwaitPID(t, filepath.Join(dir, file))
	}
	_ = parent.Process.Kill()
	_ = parent.Wait() // it was killed
	for _, file := range []string{"alone", "child", "tty", "disowned", "reported", "screen"} {
		processtest.WaitUntil(t, file+" is gone", func() bool { return !processtest.IsRunning(pids[file]) })
	}
	for _, file := range []string{"detached", "released"} {
		if !processtest.IsRunning(pids[file]) {
			t.Error(file + " is gone")
		}
	}
}

// parentStarts are the files in which the processes of TestParent write their numbers.
var parentStarts = []string{"alone", "child", "tty", "detached", "disowned", "released", "reported", "screen"}

// TestParent is the program that is killed in TestKilledParent.
func TestParent(t *testing.T) {
	dir := os.Getenv("PROCESS_TEST_DIR")
	if dir == "" {
		t.Skip("only for TestKilledParent")
	}
	start := func(script string, change func(*Command)) *Process {
		c := sh(dir, script)
		change(c)
		p, err := Launcher{}.Start(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	start("echo $$ >alone; exec sleep 1000", func(*Command) {})
	start("read _ </dev/fd/"+strconv.Itoa(GateFD)+"; sh -c 'echo $$ >child; exec sleep 1000'; true", func(c *Command) { c.Gate = true })
	start("echo $$ >tty; exec sleep 1000", func(c *Command) { c.TTY = true })
	start("sh -c 'trap \"\" HUP; echo $$ >screen; while :; do sleep 1; done' & wait", func(c *Command) { c.Terminal = &TerminalSize{80, 24} })
	start("echo $$ >detached; exec sleep 1000", func(c *Command) { c.Detach = true })
	start("sh -c 'echo $$ >disowned; exec sleep 1000' & wait", func(*Command) {}).Disown()
	start("sh -c 'echo $$ >released; exec sleep 1000' & while [ ! -s released ]; do :; done", func(*Command) {}).Release()
	reported := start("sh -c 'echo $$ >reported; exec sleep 1000' & while [ ! -s reported ]; do :; done; echo $! >/dev/fd/"+strconv.Itoa(ReportFD), func(*Command) {})
	<-reported.Exited()
	if left, _ := reported.Left(); len(left) != 1 {
		t.Error("reported", left)
	}
	for _, file := range parentStarts {
		processtest.WaitUntil(t, file, func() bool {
			b, _ := os.ReadFile(filepath.Join(dir, file))
			return strings.HasSuffix(string(b), "\n")
		})
	}
	fmt.Println("ready")
	select {}
}

// A program whose file is still open for writing, as a child that is being forked has it
// for a moment, starts as soon as the file is closed.
func TestStartBusyFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "program")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o700)
	if err == nil {
		_, err = f.WriteString("#!/bin/sh\necho ran\n")
	}
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, func() { _ = f.Close() })
	var out bytes.Buffer
	if _, err := (Launcher{}).Run(t.Context(), &Command{Path: path, Env: []string{system}, Stdout: &out}); err != nil || out.String() != "ran\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}
