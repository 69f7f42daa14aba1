package process_test

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"pollux/internal/process"
	"pollux/internal/process/processtest"
)

// TestAwaits checks the answer for programs in a pseudo-terminal.
func TestAwaits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, command string
		want          process.Awaiting
	}{
		{"reads", "read x", process.AwaitsInput},
		{"reads behind another shell", "sh -c 'read x; :'; :", process.AwaitsInput},
		{"reads the terminal in a pipe", "true | (read x </dev/tty)", process.AwaitsInput},
		{"reads without an echo", "stty -echo; read x", process.AwaitsInput},
		{"sleeps", "sleep 1000", process.AwaitsNothing},
		{"waits for a program", "sleep 1000 & wait", process.AwaitsNothing},
		{"reads from another", "sleep 1000 | cat", process.AwaitsNothing},
		{"computes", "while :; do :; done", process.AwaitsNothing},
		{"selects", python + "import select; select.select([0], [], [])'", process.AwaitsUnknown},
		{"polls the terminal", python + "import select; e = select.epoll(); e.register(0); e.poll()'", process.AwaitsUnknown},
		{"reads keys", "stty -icanon; read x", process.AwaitsInput},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath("python3"); err != nil && bytes.Contains([]byte(c.command), []byte(python)) {
				t.Skip("NOT TESTED: python3 is not installed")
			}
			p := startIn(t, c.command)
			processtest.WaitUntil(t, "the state is as it should be", func() bool { return p.Awaits() == c.want })
		})
	}
	p, err := process.Launcher{}.Start(t.Context(), &process.Command{Path: "/bin/sh", Args: []string{"-c", "read x"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = p.Wait() }()
	if got := p.Awaits(); got != process.AwaitsUnknown {
		t.Errorf("without a terminal: %v", got)
	}
}

const python = "exec python3 -c '"

// startIn starts a command in a pseudo-terminal.
func startIn(t *testing.T, command string) *process.Process {
	t.Helper()
	p, err := process.Launcher{}.Start(t.Context(), &process.Command{
		Path: "/bin/sh", Args: []string{"-c", command}, Env: os.Environ(), Terminal: &process.TerminalSize{Columns: 80, Rows: 24},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Terminate()
		_, _ = p.Wait()
	})
	return p
}
