//go:build unix

package terminal

import (
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// selectWaiter is a [waiter] that uses select(2), which supports terminals on every system.
type selectWaiter struct {
	fd   int
	r, w *os.File // writing a byte to w ends a wait
}

// newWaiter returns a waiter for a file descriptor, nil if that is impossible.
func newWaiter(fd int) waiter {
	r, w, err := os.Pipe()
	if err != nil {
		return nil
	}
	s := &selectWaiter{fd: fd, r: r, w: w}
	if most := max(fd, int(r.Fd())); fd < 0 || most >= unix.FD_SETSIZE {
		s.close()
		return nil
	}
	return s
}

func (s *selectWaiter) wait() { s.poll(nil) }

func (s *selectWaiter) isReady(within time.Duration) bool {
	limit := unix.NsecToTimeval(within.Nanoseconds())
	return s.poll(&limit)
}

// poll reports whether there is input within a time; nil waits forever. It returns true if
// waiting fails: reading then returns the error.
func (s *selectWaiter) poll(timeout *unix.Timeval) bool {
	for {
		var set unix.FdSet
		set.Set(s.fd)
		set.Set(int(s.r.Fd()))
		_, err := unix.Select(max(s.fd, int(s.r.Fd()))+1, &set, nil, nil, timeout)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return true
		}
		return set.IsSet(s.fd)
	}
}

func (s *selectWaiter) wake() { _, _ = s.w.Write([]byte{0}) }

func (s *selectWaiter) close() {
	_ = s.r.Close()
	_ = s.w.Close()
}
