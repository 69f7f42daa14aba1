package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/terminal"
)

// TestMain runs the program instead of the tests if CLI_TEST_CHILD is set. Tests of
// signals, closed pipes and exit codes need a separate process.
func TestMain(m *testing.M) {
	if mode := config.Environ().Get("CLI_TEST_CHILD"); mode != "" {
		env := config.Environ()
		os.Exit(int(newProgram(terminal.New(os.Stdin, os.Stdout, os.Stderr, env.Get), env, children[mode]).start(os.Args[1:])))
	}
	os.Exit(m.Run())
}

var children = map[string]runner{
	"panic":           func(_ context.Context, req request) error { return fail(req) },
	"panic aside":     func(_ context.Context, req request) error { return failAside(req, 1) },
	"panics aside":    func(_ context.Context, req request) error { return failAside(req, 20) },
	"panic unasked":   func(context.Context, request) error { panic("hunter22 sk-0123456789abcdefghij\nsecond line") },
	"panic in folder": func(ctx context.Context, req request) error { return failInFolder(ctx, req, "hunter33") },
	// waits until its context ends
	"wait": func(ctx context.Context, req request) error {
		fmt.Fprintln(req.Terminal.Out, "ready")
		<-ctx.Done()
		return fmt.Errorf("run: %w", ctx.Err())
	},
	// does not stop when its context ends
	"stubborn": func(ctx context.Context, req request) error {
		fmt.Fprintln(req.Terminal.Out, "ready")
		<-ctx.Done()
		fmt.Fprintln(req.Terminal.Out, "cancelled")
		select {}
	},
	// ignores its context and blocks writing to a full pipe
	"stuck": func(_ context.Context, req request) error {
		gracePeriod = 10 * time.Millisecond
		for {
			fmt.Fprintln(req.Terminal.Out, "ready")
		}
	},
	// catches interrupts but never reads them
	"deaf": func(_ context.Context, req request) error {
		_, release := req.CatchInterrupts()
		defer release()
		fmt.Fprintln(req.Terminal.Out, "ready")
		select {}
	},
	// starts a child that SIGPIPE must kill
	"child": func(_ context.Context, req request) error {
		cmd := exec.Command("sh", "-c", `trap '' USR1; yes | head -1; kill -PIPE $$; echo survived`)
		cmd.Stdout = req.Terminal.Out
		return cmd.Run()
	},
	// prints until its context ends
	"flood": func(ctx context.Context, req request) error {
		for ctx.Err() == nil {
			if _, err := fmt.Fprintln(req.Terminal.Out, strings.Repeat("x", 1000)); err != nil {
				<-ctx.Done() // the context ends too
				return err
			}
		}
		return context.Cause(ctx)
	},
	// loses the connection to a server
	"network": func(context.Context, request) error {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		go func() {
			if conn, err := l.Accept(); err == nil {
				conn.Close()
			}
		}()
		conn, err := net.Dial("tcp", l.Addr().String())
		for err == nil {
			_, err = conn.Write(make([]byte, 1<<16))
		}
		return &net.OpError{Op: "write", Err: os.NewSyscallError("write", syscall.EPIPE)}
	},
}

func child(t *testing.T, mode string, args ...string) (*exec.Cmd, io.ReadCloser, *bytes.Buffer) {
	t.Helper()
	cmd := exec.Command(os.Args[0], append(args, "-p", "x")...)
	cmd.Env = append(os.Environ(), "CLI_TEST_CHILD="+mode)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	errs := &bytes.Buffer{}
	cmd.Stderr = errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, out, errs
}

func codeOf(err error) exit.Code {
	var e *exec.ExitError
	if errors.As(err, &e) {
		return exit.Code(e.ExitCode())
	}
	return exit.OK
}

func TestSignals(t *testing.T) {
	t.Parallel()
	for sig, want := range map[syscall.Signal]exit.Code{
		syscall.SIGINT: exit.Interrupted, syscall.SIGTERM: exit.Terminated, syscall.SIGHUP: exit.HungUp,
	} {
		if signal.Ignored(sig) {
			t.Logf("NOT TESTED with %v: these tests were started with it ignored, as nohup and shell jobs are", sig)
			continue
		}
		cmd, out, errs := child(t, "wait", "-o", "json", "--session-id", "s")
		lines := bufio.NewReader(out)
		if line, err := lines.ReadString('\n'); line != "ready\n" {
			t.Fatalf("%v: got %q, %v, %s", sig, line, err, errs)
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		rest, _ := io.ReadAll(lines)
		if code := codeOf(cmd.Wait()); code != want {
			t.Errorf("%v: code %d, want %d", sig, code, want)
		}
		object := fmt.Sprintf("\"type\": \"FatalCancellationError\",\n    \"message\": \"Operation cancelled.\",\n    \"code\": %d", want)
		if !strings.Contains(string(rest), object) || errs.String() != string(rest) {
			t.Errorf("%v: stdout %s, stderr %s", sig, rest, errs)
		}
	}
}

func TestSecondInterruptEndsAtOnce(t *testing.T) {
	t.Parallel()
	if signal.Ignored(syscall.SIGINT) {
		t.Skip("these tests were started with SIGINT ignored, as a shell's background jobs are")
	}
	cmd, out, _ := child(t, "stubborn")
	lines := bufio.NewReader(out)
	for _, want := range []string{"ready\n", "cancelled\n"} {
		if line, err := lines.ReadString('\n'); line != want {
			t.Fatalf("got %q, %v", line, err)
		}
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
	}
	if code := codeOf(cmd.Wait()); code != exit.Interrupted {
		t.Errorf("code %d", code)
	}
}

// TestStuckRunEnds checks that a run that ignores its context still ends, with the exit
// code of the signal.
func TestStuckRunEnds(t *testing.T) {
	t.Parallel()
	for sig, want := range map[syscall.Signal]exit.Code{syscall.SIGTERM: exit.Terminated, syscall.SIGHUP: exit.HungUp} {
		if signal.Ignored(sig) {
			t.Logf("NOT TESTED with %v: these tests were started with it ignored", sig)
			continue
		}
		cmd, out, _ := child(t, "stuck")
		if _, err := io.ReadFull(out, make([]byte, 6)); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if code := codeOf(cmd.Wait()); code != want {
			t.Errorf("%v: code %d, want %d", sig, code, want)
		}
	}
}

// TestUnheardInterruptsEnd checks that repeated SIGINTs end a run that does not read its
// interrupts.
func TestUnheardInterruptsEnd(t *testing.T) {
	t.Parallel()
	if signal.Ignored(syscall.SIGINT) {
		t.Skip("these tests were started with SIGINT ignored, as a shell's background jobs are")
	}
	cmd, out, _ := child(t, "deaf")
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("got %q, %v", line, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for pressed := 0; ; pressed++ {
		select {
		case err := <-ended:
			if code := codeOf(err); code != exit.Interrupted || pressed < 3 {
				t.Errorf("code %d after %d times", code, pressed)
			}
			return
		case <-time.After(10 * time.Millisecond): // simultaneous signals are merged into one
			_ = cmd.Process.Signal(syscall.SIGINT) // the process may have ended already
		}
	}
}

// TestIgnoredSignal checks that a signal that is ignored at the start, as with nohup, stays
// ignored.
func TestIgnoredSignal(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("sh", "-c", `trap '' HUP; exec "$0" -p x`, os.Args[0])
	cmd.Env = append(os.Environ(), "CLI_TEST_CHILD=wait")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skipf("no shell: %v", err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("got %q, %v", line, err)
	}
	for _, sig := range []os.Signal{syscall.SIGHUP, syscall.SIGTERM} {
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
	}
	if code := codeOf(cmd.Wait()); code != exit.Terminated {
		t.Errorf("code %d: the hangup was not ignored", code)
	}
}

// TestClosedOutput checks that a closed standard output is not an error.
func TestClosedOutput(t *testing.T) {
	t.Parallel()
	cmd, out, errs := child(t, "flood")
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	out.Close()
	if err := cmd.Wait(); err != nil || errs.Len() > 0 {
		t.Errorf("got %v, stderr %q", err, errs)
	}
}

// TestBrokenConnection checks that a broken connection to a server is an error, unlike a
// closed standard output.
func TestBrokenConnection(t *testing.T) {
	t.Parallel()
	cmd, out, errs := child(t, "network")
	_, _ = io.Copy(io.Discard, out)
	if code := codeOf(cmd.Wait()); code != exit.General || !strings.Contains(errs.String(), "broken pipe") {
		t.Errorf("code %d, stderr %q", code, errs)
	}
}

// TestChildrenGetSIGPIPE checks that SIGPIPE kills child processes as usual.
func TestChildrenGetSIGPIPE(t *testing.T) {
	t.Parallel()
	cmd, out, _ := child(t, "child")
	printed, _ := io.ReadAll(out)
	_ = cmd.Wait()
	if string(printed) != "y\n" {
		t.Errorf("the child printed %q", printed)
	}
}

// TestMainLeavesNothing checks that the context of the run ends when Main returns.
func TestMainLeavesNothing(t *testing.T) {
	t.Parallel()
	var ctx context.Context
	(&start{args: []string{"-p", "x"}, run: func(c context.Context, _ request) error {
		ctx = c
		return nil
	}}).do()
	select {
	case <-ctx.Done():
	case <-time.After(time.Minute):
		t.Error("the context of the run is still alive")
	}
}
