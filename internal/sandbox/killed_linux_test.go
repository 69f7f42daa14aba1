//go:build amd64 || arm64

package sandbox_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"pollux/internal/process"
	"pollux/internal/process/processtest"
	"pollux/internal/sandbox"
)

// init makes this process one that starts a confined program, for TestKilledStart.
func init() {
	work := os.Getenv("STARTS_CONFINED")
	if work == "" {
		return
	}
	s, err := sandbox.New(sandbox.Options{
		Dirs: func() []string { return nil }, Family: &sandbox.Family{},
		Profile: func([]string) sandbox.Profile { return sandbox.Profile{Write: []string{work}} },
	})
	if err != nil {
		panic(err)
	}
	_, err = process.NewLauncher(s.Confine).Start(context.Background(), &process.Command{
		For:  process.Purpose{Kind: process.KindShell, Origin: process.OriginModel},
		Path: "/bin/sleep", Args: []string{"1000"}, Dir: work,
	})
	if err != nil {
		panic(err)
	}
	select {}
}

// TestKilledStart checks that the child which is to become a confined program ends when Pollux is killed before the child could ask the
// kernel for a signal then: it may need no answer from Pollux for that.
func TestKilledStart(t *testing.T) {
	t.Parallel()
	requireSignals(t)
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("NOT TESTED: strace is missing")
	}
	if out, err := exec.Command(strace, "-e", "trace=none", "true").CombinedOutput(); err != nil {
		t.Skipf("NOT TESTED: strace does not work here: %v\n%s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The child stays for a moment where it has a session of its own, and does not know of Pollux's end.
	cmd := exec.Command(strace, "-f", "-qq", "-e", "trace=setsid", "-e", "inject=setsid:delay_exit=1000000", self)
	cmd.Env = append(os.Environ(), "STARTS_CONFINED="+t.TempDir())
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var parent, child int
	processtest.WaitUntil(t, "a child has a session of its own", func() bool {
		for _, pid := range children(cmd.Process.Pid) {
			for _, c := range children(pid) {
				if session, err := unix.Getsid(c); err == nil && session == c {
					parent, child = pid, c
				}
			}
		}
		return child != 0
	})
	t.Cleanup(func() { _ = syscall.Kill(child, syscall.SIGKILL) })
	if err := syscall.Kill(parent, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	processtest.WaitUntil(t, "the child has ended", func() bool { return syscall.Kill(child, 0) != nil })
	<-ended // strace stays until then
}

// children returns the processes that a process has started.
func children(pid int) (list []int) {
	threads, _ := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/task")
	for _, thread := range threads {
		text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/task/" + thread.Name() + "/children")
		for word := range strings.FieldsSeq(string(text)) {
			if child, err := strconv.Atoi(word); err == nil {
				list = append(list, child)
			}
		}
	}
	return list
}
