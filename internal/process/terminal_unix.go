//go:build unix

package process

import (
	"os"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// openTerminal makes a pseudo-terminal. ours can be waited for together with pipes, where the system can do that.
func openTerminal(size TerminalSize) (ours, theirs *os.File, err error) {
	blocking, theirs, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	defer blocking.Close()
	if ours, err = repoll(blocking); err == nil {
		err = resizeTerminal(ours, size)
	}
	if err != nil {
		closeFile(ours)
		closeFile(theirs)
		return nil, nil, err
	}
	return ours, theirs, nil
}

// repoll returns another handle of a terminal, whose reads and writes end when it is closed or a deadline passes, if the
// system can wait for terminals.
func repoll(f *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	if err := syscall.SetNonblock(fd, true); err != nil {
		_ = syscall.Close(fd)
		return nil, os.NewSyscallError("fcntl", err)
	}
	polled := os.NewFile(uintptr(fd), f.Name())
	if polled.SetDeadline(time.Time{}) != nil {
		err = syscall.SetNonblock(fd, false)
	}
	return polled, err
}

func resizeTerminal(f *os.File, size TerminalSize) error {
	limit := func(n int) uint16 { return uint16(min(max(n, 1), 1<<16-1)) }
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var resized error
	err = conn.Control(func(fd uintptr) {
		resized = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: limit(size.Rows), Col: limit(size.Columns)})
	})
	if err != nil {
		return err
	}
	return os.NewSyscallError("resize terminal", resized)
}
