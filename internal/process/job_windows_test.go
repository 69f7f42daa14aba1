package process_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/windows"

	"pollux/internal/process"
)

// TestHelper is no test, but the program that the tests below start. It prints the number of the process that it has
// started itself.
func TestHelper(t *testing.T) {
	role := os.Getenv("POLLUX_TEST_ROLE")
	switch role {
	case "":
		t.Skip("it is started by other tests")
	case "child":
		untilKilled()
		return
	case "pollux":
		c := helper("parent")
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		var launcher process.Launcher
		if _, err := launcher.Start(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		fmt.Println(readPID(t, bufio.NewReader(out)))
		untilKilled()
		return
	}
	c := exec.Command(os.Args[0], "-test.run=^TestHelper$")
	c.Env = append(os.Environ(), "POLLUX_TEST_ROLE=child")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Println("PID", c.Process.Pid)
	if role == "parent" {
		_ = c.Wait()
	}
}

// untilKilled waits for the end. Without a timer, Go would end the process, because nothing could wake it.
func untilKilled() { time.Sleep(time.Hour) }

// helper returns the command that runs TestHelper in a role: child, parent, leaver or pollux.
func helper(role string) *process.Command {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "POLLUX_TEST_ROLE=") })
	return &process.Command{
		For:  process.Purpose{Kind: process.KindProbe, Origin: process.OriginPollux},
		Path: os.Args[0], Args: []string{"-test.run=^TestHelper$"}, Env: append(env, "POLLUX_TEST_ROLE="+role),
	}
}

// readPID returns the number that a helper prints.
func readPID(t *testing.T, out *bufio.Reader) string {
	t.Helper()
	for {
		line, err := out.ReadString('\n')
		if pid, ok := strings.CutPrefix(strings.TrimSpace(line), "PID "); ok {
			return "PID " + pid
		}
		if err != nil {
			t.Fatal("the helper has printed no number: ", err)
		}
	}
}

// child is a process that a helper has started.
type child struct{ handle windows.Handle }

// open opens a process by the line that a helper prints.
func open(t *testing.T, line string) child {
	t.Helper()
	pid, err := strconv.Atoi(strings.TrimPrefix(line, "PID "))
	if err != nil {
		t.Fatal(err)
	}
	handle, err := windows.OpenProcess(windows.SYNCHRONIZE|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		t.Fatal("open the process: ", err)
	}
	t.Cleanup(func() {
		_ = windows.TerminateProcess(handle, 1) // it should have ended
		_ = windows.CloseHandle(handle)
	})
	return child{handle}
}

// runs reports whether the process runs. It waits for its end, at most for so many milliseconds.
func (c child) runs(ms uint32) bool {
	event, _ := windows.WaitForSingleObject(c.handle, ms)
	return event != windows.WAIT_OBJECT_0
}

const patience = 20_000 // milliseconds for an end that must come

func startHelper(t *testing.T, role string) (*process.Process, child) {
	t.Helper()
	c := helper(role)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	var launcher process.Launcher
	p, err := launcher.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return p, open(t, readPID(t, bufio.NewReader(out)))
}

func TestTerminateEndsDescendants(t *testing.T) {
	p, c := startHelper(t, "parent")
	p.Terminate()
	if _, err := p.Wait(); err != nil {
		t.Error(err)
	}
	if c.runs(patience) {
		t.Error("a process that the program has started runs on")
	}
	if p.Status().Code == 0 {
		t.Errorf("the program has ended with %s", p.Status())
	}
}

// The processes of a command end with Pollux, even if it is killed.
func TestJobEndsWithPollux(t *testing.T) {
	pollux := helper("pollux")
	own := exec.Command(pollux.Path, pollux.Args...)
	own.Env = pollux.Env
	out, err := own.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := own.Start(); err != nil {
		t.Fatal(err)
	}
	c := open(t, readPID(t, bufio.NewReader(out)))
	if err := own.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = own.Wait()
	if c.runs(patience) {
		t.Error("a process outlives Pollux")
	}
}

// The processes that a program leaves are known, and go on when the process is released.
func TestReleaseLeavesDescendants(t *testing.T) {
	p, c := startHelper(t, "leaver")
	<-p.Exited()
	if !p.GroupRuns() {
		t.Error("what the program has left is not known")
	}
	p.Release()
	if p.GroupRuns() {
		t.Error("a released process still knows its group")
	}
	if !c.runs(0) {
		t.Error("the process has ended with the release")
	}
}

func TestLeftoversTerminate(t *testing.T) {
	p, c := startHelper(t, "leaver")
	<-p.Exited()
	var left process.Leftovers
	left.Add(p, "leaver")
	if n := len(left.List()); n != 1 {
		t.Fatalf("%d programs have left processes", n)
	}
	left.Terminate()
	if c.runs(patience) {
		t.Error("the process runs on")
	}
}

func TestSweepEndsDescendants(t *testing.T) {
	var launcher process.Launcher
	text, err := launcher.Ask(t.Context(), helper("leaver"))
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(text, "\n")
	pid, err := strconv.Atoi(strings.TrimPrefix(strings.TrimSpace(line), "PID "))
	if err != nil {
		t.Fatal(err)
	}
	if handle, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid)); err == nil {
		defer windows.CloseHandle(handle)
		if (child{handle}).runs(patience) {
			t.Error("the process runs on")
		}
	}
}

// A program that does not exist leaves nothing open.
func TestCommandFails(t *testing.T) {
	c := helper("child")
	c.Path += ".missing"
	var launcher process.Launcher
	if _, err := launcher.Start(t.Context(), c); err == nil {
		t.Error("a program that does not exist has started")
	}
}

// A batch file gets its arguments as they are, and none of them begins another command.
func TestBatchArguments(t *testing.T) {
	path := filepath.Join(t.TempDir(), "say it.cmd")
	if err := os.WriteFile(path, []byte("@echo off\r\necho [%~1][%~2][%~3]\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var launcher process.Launcher
	text, err := launcher.Ask(t.Context(), &process.Command{
		For:  process.Purpose{Kind: process.KindProbe, Origin: process.OriginPollux},
		Path: path, Args: []string{"plain", "two words", "-y"}, Env: os.Environ(),
	})
	if want := "[plain][two words][-y]"; text != want || err != nil {
		t.Errorf("%q, %v, want %q", text, err, want)
	}
	text, err = launcher.Ask(t.Context(), &process.Command{
		For:  process.Purpose{Kind: process.KindProbe, Origin: process.OriginPollux},
		Path: path, Args: []string{"a&echo begun"}, Env: os.Environ(),
	})
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "begun" {
			t.Errorf("an argument is a command: %q, %v", text, err)
		}
	}
	if _, err := launcher.Ask(t.Context(), &process.Command{
		For:  process.Purpose{Kind: process.KindProbe, Origin: process.OriginPollux},
		Path: path, Args: []string{"a\nb"}, Env: os.Environ(),
	}); err == nil || !strings.Contains(err.Error(), "several lines") {
		t.Errorf("an argument of two lines: %v", err)
	}
}
