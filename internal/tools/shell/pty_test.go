//go:build unix

package shell_test

import (
	"context"
	"strings"
	"testing"

	"github.com/creack/pty"

	"pollux/internal/tools/shell"
	"pollux/tool"
)

func ptyOptions(t *testing.T) shell.Options {
	t.Helper()
	requireBash(t)
	master, slave, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	_ = master.Close()
	_ = slave.Close()
	o := options(t)
	o.PTY = true
	return o
}

func TestPTY(t *testing.T) {
	t.Parallel()
	o := ptyOptions(t)
	for command, want := range map[string]string{
		"test -t 0 && test -t 1 && test -t 2 && echo terminal": "terminal\n",
		"stty size": "24 80\n",
		"printf '10%%\\r50%%\\r100%%\\n'; exit 3": "100%\nExit Code: 3\n",
		"echo /dev/tty >/dev/tty":                 "/dev/tty\n",
		"seq 1 3":                                 "1\n2\n3\n",
		"true":                                    "(empty)\n",
	} {
		if got := pgid(text(run(t, o, command))); got != "<untrusted_context>\nOutput: "+want+"Process Group PGID: N\n</untrusted_context>" {
			t.Errorf("%s: %q", command, got)
		}
	}
}

func TestPTYEnds(t *testing.T) {
	t.Parallel()
	o := ptyOptions(t)
	// One who holds the terminal does not keep the result back.
	got := text(run(t, o, "nohup bash -c 'trap \"\" HUP; echo $$ >p; exec sleep 1000' >/dev/null 2>&1 & while [ ! -s p ]; do :; done; echo after"))
	pidIn(t, o.Workspace.Root(), "p")
	if !strings.Contains(got, "Output: after\n") {
		t.Errorf("got %q", got)
	}

	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan *tool.Result, 1)
	inv := build(t, shell.New(o), args{"command": "echo $$ >q; echo waiting; read line"})
	go func() { done <- inv.Run(ctx, tool.Host{}) }()
	pid := pidIn(t, o.Workspace.Root(), "q")
	cancel()
	if got := text(<-done); !strings.HasPrefix(got, cancelledText) {
		t.Errorf("got %q", got)
	}
	eventually(t, "the process is gone", func() bool { return !alive(pid) })
}
