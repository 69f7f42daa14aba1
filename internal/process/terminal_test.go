//go:build unix

package process

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"pollux/internal/process/processtest"
)

// screen collects the output of a program in a terminal.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// await waits until the output has a text.
func (s *screen) await(t *testing.T, text string) {
	t.Helper()
	processtest.WaitUntil(t, "the terminal shows "+text, func() bool { return strings.Contains(s.String(), text) })
}

// inTerminal starts a shell script in a terminal of 80 columns and 24 rows.
func inTerminal(t *testing.T, script string) (*Process, *screen) {
	t.Helper()
	out := &screen{}
	c := sh(t.TempDir(), script)
	c.Stdout, c.Terminal, c.Grace = out, &TerminalSize{Columns: 80, Rows: 24}, 50*time.Millisecond
	c.Env = append(c.Env, "TERM=xterm-256color")
	p, err := Launcher{}.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Terminate()
		<-p.Gone()
		_, _ = p.Wait()
	})
	return p, out
}

// end waits for the end of a program and returns its output.
func end(t *testing.T, p *Process, out *screen) string {
	t.Helper()
	if status, err := p.Wait(); err != nil || status != (Status{}) {
		t.Errorf("%v, %v after %q", status, err, out)
	}
	return out.String()
}

func TestTerminal(t *testing.T) {
	t.Parallel()
	p, out := inTerminal(t, `for fd in 0 1 2; do [ -t $fd ] && echo yes $fd; done; stty size; exec 5<>/dev/tty && echo mine >&5; sleep 0.05; printf end`)
	if got, want := end(t, p, out), "yes 0\r\nyes 1\r\nyes 2\r\n24 80\r\nmine\r\nend"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := p.Type([]byte("late")); err != nil {
		t.Error(err) // it is taken, and dropped
	}
	processtest.WaitUntil(t, "a terminal that is closed takes no input", func() bool { return p.Type([]byte("later")) != nil })
	if err := p.Resize(TerminalSize{1, 1}); err == nil {
		t.Error("a terminal that is closed was resized")
	}
}

// Type is like the keys of a person: lines are edited and echoed, and Ctrl+C interrupts.
func TestTyped(t *testing.T) {
	t.Parallel()
	p, out := inTerminal(t, `printf 'name: '; read a; stty -echo; printf 'password: '; read b; stty echo; echo "[$a$b]"; trap 'echo int; exit 0' INT; echo wait; while :; do sleep 0.01; done`)
	for _, step := range []struct{ until, typed string }{{"name: ", "ax\x7fda\r"}, {"password: ", "secret\r"}, {"wait", "\x03"}} {
		out.await(t, step.until)
		if err := p.Type([]byte(step.typed)); err != nil {
			t.Fatal(err)
		}
	}
	got := end(t, p, out)
	if !strings.Contains(got, "[adasecret]") || strings.Count(got, "secret") != 1 || !strings.Contains(got, "^Cint") {
		t.Errorf("got %q", got)
	}
}

func TestResize(t *testing.T) {
	t.Parallel()
	p, out := inTerminal(t, `trap 'stty size; exit 0' WINCH; echo ready; while :; do sleep 0.01; done`)
	out.await(t, "ready")
	if err := p.Resize(TerminalSize{Columns: 101, Rows: 7}); err != nil {
		t.Fatal(err)
	}
	if got := end(t, p, out); !strings.HasSuffix(got, "7 101\r\n") {
		t.Errorf("got %q", got)
	}
}

// Input for a program that does not read it is kept up to a limit, and Type does not wait for the program.
func TestTypedTooMuch(t *testing.T) {
	t.Parallel()
	p, out := inTerminal(t, `stty raw -echo; echo ready; while [ ! -e go ]; do sleep 0.01; done; head -c 1000000 | wc -c`)
	out.await(t, "ready")
	much := bytes.Repeat([]byte("0123456789"), 100_000)
	if err := p.Type(much); err != nil {
		t.Fatal(err)
	}
	if err := p.Type(much); !errors.Is(err, ErrTypedTooMuch) {
		t.Errorf("another MB: %v", err)
	}
	if err := exec.Command("touch", filepath.Join(p.command.Dir, "go")).Run(); err != nil {
		t.Fatal(err)
	}
	if got := end(t, p, out); !strings.Contains(got, "1000000") {
		t.Errorf("got %q", got)
	}
}

// A program that never reads 1 MB of input ends as any other one.
func TestTypedAndKilled(t *testing.T) {
	t.Parallel()
	p, out := inTerminal(t, `trap '' HUP; stty raw -echo; echo ready; sleep 1000`)
	out.await(t, "ready")
	if err := p.Type(make([]byte, maxTyped)); err != nil {
		t.Fatal(err)
	}
	p.Terminate()
	if status, err := p.Wait(); status.Signal == 0 || err != nil {
		t.Error(status, err)
	}
}

// A terminal changes nothing about the end of a command with all that it has started.
func TestTerminalEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	dir, out := t.TempDir(), &screen{}
	c := sh(dir, `trap '' HUP TERM; (trap '' HUP TERM; while :; do sleep 0.01; done) & echo $! >child; echo ready; while :; do sleep 0.01; done`)
	c.Stdout, c.Terminal, c.Grace = out, &TerminalSize{80, 24}, 20*time.Millisecond
	p, err := Launcher{}.Start(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	child := processtest.AwaitPID(t, filepath.Join(dir, "child"))
	out.await(t, "ready")
	cancel()
	if status, err := p.Wait(); status.Signal != syscall.SIGKILL || !errors.Is(err, context.Canceled) {
		t.Error(status, err)
	}
	processtest.WaitUntil(t, "the child is killed", func() bool { return !processtest.IsRunning(child) })
}

// A process that the program leaves running holds the terminal open: Drained does not wait for it, Closed does.
func TestTerminalHeld(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("NOT TESTED: this system takes the terminal away from them")
	}
	t.Parallel()
	p, out := inTerminal(t, `echo one; (trap '' HUP; : >ready; while [ ! -e go ]; do sleep 0.01; done; echo two) & while [ ! -e ready ]; do sleep 0.01; done`)
	<-p.Drained()
	if isClosed(p.Closed()) || out.String() != "one\r\n" {
		t.Errorf("closed: %v after %q", isClosed(p.Closed()), out)
	}
	if err := exec.Command("touch", filepath.Join(p.command.Dir, "go")).Run(); err != nil {
		t.Fatal(err)
	}
	<-p.Closed()
	if got := out.String(); got != "one\r\ntwo\r\n" {
		t.Errorf("got %q", got)
	}
}

// All that the program has printed is read when Drained is closed.
func TestTerminalDrained(t *testing.T) {
	t.Parallel()
	for range 20 {
		p, out := inTerminal(t, `i=0; while [ $i -lt 300 ]; do echo 0123456789; i=$((i+1)); done`)
		<-p.Drained()
		if n := len(out.String()); n != 300*12 {
			t.Fatalf("%d bytes", n)
		}
	}
}

// endsEarly is a terminal that once says that there is no more to read before the last of it, as Linux does rarely.
type endsEarly struct{ rest io.Reader }

func (e *endsEarly) Read(p []byte) (int, error) {
	if e.rest == nil {
		e.rest = io.MultiReader(strings.NewReader("last"), iotest.ErrReader(syscall.EIO))
		return 0, &os.PathError{Op: "read", Path: "/dev/ptmx", Err: syscall.EIO}
	}
	return e.rest.Read(p)
}

func TestReadTwice(t *testing.T) {
	t.Parallel()
	terminal, buf := &endsEarly{}, make([]byte, 10)
	if n, err := readTwice(terminal, buf); string(buf[:n]) != "last" || err != nil {
		t.Errorf("%q, %v", buf[:n], err)
	}
	if n, err := readTwice(terminal, buf); n != 0 || !errors.Is(err, syscall.EIO) {
		t.Errorf("%q, %v", buf[:n], err)
	}
}

func TestTerminalIdle(t *testing.T) {
	t.Parallel()
	c := sh(t.TempDir(), "echo ready; sleep 1000")
	c.Terminal, c.Idle = &TerminalSize{80, 24}, 100*time.Millisecond
	if _, err := (Launcher{}).Run(t.Context(), c); !errors.Is(err, ErrIdle) {
		t.Error(err)
	}
}

func TestTerminalRefused(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Command){
		"input":  func(c *Command) { c.Stdin = strings.NewReader("") },
		"errors": func(c *Command) { c.Stderr = &bytes.Buffer{} },
		"tty":    func(c *Command) { c.TTY = true },
		"detach": func(c *Command) { c.Detach = true },
	} {
		c := sh(t.TempDir(), "true")
		c.Terminal = &TerminalSize{80, 24}
		change(c)
		if _, err := (Launcher{}).Run(t.Context(), c); err == nil {
			t.Error(name, "was taken")
		}
	}
	p, err := Launcher{}.Start(t.Context(), sh(t.TempDir(), "true"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(p.Type(nil), p.Resize(TerminalSize{})); !errors.Is(p.Type([]byte("x")), ErrNoTerminal) || !errors.Is(err, ErrNoTerminal) {
		t.Error(err)
	}
	_, _ = p.Wait()
}
