//go:build amd64 || arm64

package seccomp

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Listener gets the system calls that a [Filter] wants to be decided on. The callers wait meanwhile.
type Listener struct {
	fd    int
	close sync.Once
}

// Call is a system call that waits for an answer. The memory behind its arguments may change at any time: an answer that
// depends on it acts on a copy, and does not let the kernel go on with the original.
type Call struct {
	ID     uint64
	PID    int // of the thread that makes the call
	Number uint32
	Args   [6]uint64

	listener *Listener
}

// The structures of the kernel.
type (
	notification struct {
		id    uint64
		pid   uint32
		flags uint32
		data  struct {
			number      int32
			arch        uint32
			instruction uint64
			args        [6]uint64
		}
	}
	response struct {
		id    uint64
		value int64
		error int32
		flags uint32
	}
	addition struct {
		id                             uint64
		flags, source, target, cloexec uint32
	}
)

// CanAsk returns why this process cannot answer system calls of programs that it starts, nil if it can. It tries it on itself: some containers
// do not allow it. Its settings say how far that is allowed for this process alone.
func CanAsk() error {
	if err := tracingOf("/").check(); err != nil {
		return err
	}
	self, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return fmt.Errorf("pidfd_open: %w", err)
	}
	defer unix.Close(self)
	file, err := unix.PidfdGetfd(self, self, 0)
	if err != nil {
		return fmt.Errorf("pidfd_getfd: %w", err)
	}
	_ = unix.Close(file)
	b, to := []byte{1}, []byte{0}
	from := unix.RemoteIovec{Base: uintptr(unsafe.Pointer(&b[0])), Len: 1}
	if _, err = unix.ProcessVMReadv(os.Getpid(), []unix.Iovec{{Base: &to[0], Len: 1}}, []unix.RemoteIovec{from}, 0); err != nil {
		return fmt.Errorf("process_vm_readv: %w", err)
	}
	return nil
}

// Serve calls answer with each call, in a goroutine of its own, until no program with the filter is left or the listener is closed.
func (l *Listener) Serve(answer func(*Call)) {
	for {
		fds := []unix.PollFd{{Fd: int32(l.fd), Events: unix.POLLIN}}
		_, err := unix.Poll(fds, -1)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || fds[0].Revents&unix.POLLIN == 0 {
			return
		}
		var n notification
		switch errno := l.ioctl(unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)); errno {
		case 0:
			go answer(&Call{ID: n.id, PID: int(n.pid), Number: uint32(n.data.number), Args: n.data.args, listener: l})
		case unix.EINTR, unix.ENOENT: // the caller was killed
		default:
			return
		}
	}
}

func (l *Listener) ioctl(request uint, p unsafe.Pointer) unix.Errno {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(l.fd), uintptr(request), uintptr(p))
	return errno
}

// Close ends the listener. Calls that wait fail.
func (l *Listener) Close() { l.close.Do(func() { _ = unix.Close(l.fd) }) }

// IsWaiting reports whether the caller still waits. Memory that was read before is then its own, and not that of another
// process with the same number.
func (c *Call) IsWaiting() bool {
	id := c.ID
	return c.listener.ioctl(unix.SECCOMP_IOCTL_NOTIF_ID_VALID, unsafe.Pointer(&id)) == 0
}

// Return ends the call with a value, or with an error if errno is not 0.
func (c *Call) Return(value int64, errno unix.Errno) {
	r := response{id: c.ID, value: value, error: -int32(errno)}
	if errno != 0 {
		r.value = 0
	}
	_ = c.listener.ioctl(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r)) // it fails if the caller was killed
}

// Continue lets the kernel make the call. It is for calls that no rule restricts, and for decisions about the values of arguments: memory
// behind them may change before it does.
func (c *Call) Continue() {
	r := response{id: c.ID, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
	_ = c.listener.ioctl(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r)) // it fails if the caller was killed
}

// ReturnFile ends the call with a copy of a file of this process, which the caller gets. closes is whether programs that the caller
// starts do not get it.
func (c *Call) ReturnFile(fd int, closes bool) error {
	a := addition{id: c.ID, flags: unix.SECCOMP_ADDFD_FLAG_SEND, source: uint32(fd)}
	if closes {
		a.cloexec = unix.O_CLOEXEC
	}
	if errno := c.listener.ioctl(unix.SECCOMP_IOCTL_NOTIF_ADDFD, unsafe.Pointer(&a)); errno != 0 {
		return errno
	}
	return nil
}

// Give opens a copy of a file in the caller, and returns its descriptor there. flags may be O_CLOEXEC.
func (c *Call) Give(file int, flags uint32) (fd int, err error) {
	a := addition{id: c.ID, source: uint32(file), cloexec: flags}
	n, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(c.listener.fd), unix.SECCOMP_IOCTL_NOTIF_ADDFD, uintptr(unsafe.Pointer(&a)))
	if errno != 0 {
		return -1, errno
	}
	return int(n), nil
}

// Text returns a copy of the text at an address of the caller's memory, up to its zero byte.
func (c *Call) Text(at uint64) (string, unix.Errno) {
	var text []byte
	for page := uint64(os.Getpagesize()); len(text) < unix.PathMax; {
		b, err := c.Memory(at, int(page-at%page)) // the next page may not exist
		if err != nil {
			return "", unix.EFAULT
		}
		if i := bytes.IndexByte(b, 0); i >= 0 {
			return string(append(text, b[:i]...)), 0
		}
		text, at = append(text, b...), at+uint64(len(b))
	}
	return "", unix.ENAMETOOLONG
}

// SetMemory writes to the caller's memory at an address.
func (c *Call) SetMemory(at uint64, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	memory, err := os.OpenFile("/proc/"+strconv.Itoa(c.PID)+"/mem", os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer memory.Close()
	if !c.IsWaiting() { // else the memory could be that of another process with the same number
		return unix.ESRCH
	}
	_, err = memory.WriteAt(b, int64(at))
	return err
}

// Memory returns a copy of the caller's memory at an address.
func (c *Call) Memory(at uint64, size int) ([]byte, error) {
	b := make([]byte, size)
	local := []unix.Iovec{{Base: &b[0], Len: uint64(size)}}
	remote := []unix.RemoteIovec{{Base: uintptr(at), Len: size}}
	n, err := unix.ProcessVMReadv(c.PID, local, remote, 0)
	if err != nil {
		return nil, err
	}
	if n < size || !c.IsWaiting() {
		return nil, unix.EFAULT
	}
	return b, nil
}

// File returns a copy of an open file of the caller. The caller of File closes it.
func (c *Call) File(fd int) (int, error) {
	process, err := unix.PidfdOpen(c.PID, 0) // fails for a thread that is not the first
	if err != nil {
		process, err = unix.PidfdOpen(c.Process(), 0)
	}
	if err != nil {
		return -1, err
	}
	defer unix.Close(process)
	if !c.IsWaiting() {
		return -1, unix.ESRCH
	}
	return unix.PidfdGetfd(process, fd, 0)
}

// Process returns the number of the process that the caller's thread belongs to.
func (c *Call) Process() int {
	n, err := strconv.Atoi(strings.Join(Status(c.PID, "Tgid"), ""))
	if err != nil {
		return c.PID
	}
	return n
}

// Status returns the words of a line of a thread's status in /proc, none if there is no such thread or line.
func Status(pid int, name string) []string { return Statuses(pid, name)[0] }

// Statuses is [Status] for several lines at one time.
func Statuses(pid int, names ...string) [][]string {
	status, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	values := make([][]string, len(names))
	for i, name := range names {
		_, rest, _ := strings.Cut(string(status), "\n"+name+":")
		value, _, _ := strings.Cut(rest, "\n")
		values[i] = strings.Fields(value)
	}
	return values
}
