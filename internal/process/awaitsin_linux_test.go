package process

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// TestPolls checks which epoll instances count as waiting for a terminal.
func TestPolls(t *testing.T) {
	t.Parallel()
	ours, theirs, err := openTerminal(TerminalSize{Columns: 80, Rows: 24})
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	defer theirs.Close()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer write.Close()
	files := openFiles("/proc/self")
	for f, want := range map[*os.File]bool{theirs: true, read: false} {
		fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fd)
		if err := unix.EpollCtl(fd, unix.EPOLL_CTL_ADD, int(f.Fd()), &unix.EpollEvent{Events: unix.EPOLLIN}); err != nil {
			t.Fatal(err)
		}
		if got := files.mayPollTerminal(strconv.Itoa(fd)); got != want {
			t.Errorf("%s: %v", f.Name(), got)
		}
		if got := files.isTerminal(strconv.Itoa(int(f.Fd()))); got != want {
			t.Errorf("%s is a terminal: %v", f.Name(), got)
		}
	}
	if !files.mayPollTerminal("1000000") {
		t.Error("an unknown one counts as one without a terminal")
	}
}

// descriptors are open files: whether each is a terminal, or may wait for one.
type descriptors map[string]bool

func (d descriptors) isTerminal(fd string) bool      { return d[fd] }
func (d descriptors) mayPollTerminal(fd string) bool { return d[fd] }

// TestAwaitsIn checks how the line about a system call is read.
func TestAwaitsIn(t *testing.T) {
	t.Parallel()
	files := descriptors{"0": true, "9": true, "4": false}
	line := func(call int, argument string) string {
		return fmt.Sprintf("%d %s 0x7f 0x1000 0x0 0x0 0x0 0x7ffd 0x7f9b\n", call, argument)
	}
	for _, c := range []struct {
		line string
		want Awaiting
	}{
		{line(unix.SYS_READ, "0x0"), AwaitsInput},
		{line(unix.SYS_READ, "0x9"), AwaitsInput},
		{line(unix.SYS_READV, "0x0"), AwaitsInput},
		{line(unix.SYS_READ, "0x4"), AwaitsNothing},
		{line(unix.SYS_READ, "0x5"), AwaitsNothing},
		{line(unix.SYS_READ, "x"), AwaitsUnknown},
		{line(unix.SYS_WAIT4, "0x0"), AwaitsNothing},
		{line(unix.SYS_CLOCK_NANOSLEEP, "0x0"), AwaitsNothing},
		{line(unix.SYS_EPOLL_PWAIT, "0x9"), AwaitsUnknown},
		{line(unix.SYS_EPOLL_PWAIT, "0x4"), AwaitsNothing},
		{line(unix.SYS_PPOLL, "0x0"), AwaitsUnknown},
		{"running\n", AwaitsNothing},
		{"-1 0x7ffd 0x7f9b\n", AwaitsUnknown},
		{"", AwaitsUnknown},
	} {
		if got := awaitsIn(c.line, files); got != c.want {
			t.Errorf("%q: %v, not %v", c.line, got, c.want)
		}
	}
}
