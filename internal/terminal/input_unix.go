//go:build unix

package terminal

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// selecting is a [waiter] by select(2), which knows terminals on every system.
type selecting struct {
	fd   int
	r, w *os.File // a byte in it ends a wait
}

// newWaiter returns a waiter for a file, nil if there can't be one.
func newWaiter(fd int) waiter {
	r, w, err := os.Pipe()
	if err != nil {
		return nil
	}
	s := &selecting{fd: fd, r: r, w: w}
	if most := max(fd, int(r.Fd())); fd < 0 || most >= unix.FD_SETSIZE {
		s.close()
		return nil
	}
	return s
}

func (s *selecting) wait() { s.look(nil) }

func (s *selecting) now() bool { return s.look(&unix.Timeval{}) }

// look reports whether there is something to read within a time, nil for any. What
// can't be waited for is left to the read, which can say what is wrong with it.
func (s *selecting) look(within *unix.Timeval) bool {
	for {
		var set unix.FdSet
		set.Set(s.fd)
		set.Set(int(s.r.Fd()))
		_, err := unix.Select(max(s.fd, int(s.r.Fd()))+1, &set, nil, nil, within)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return true
		}
		return set.IsSet(s.fd)
	}
}

func (s *selecting) wake() { _, _ = s.w.Write([]byte{0}) }

func (s *selecting) close() {
	_ = s.r.Close()
	_ = s.w.Close()
}
