package container

import (
	"context"
	"os"

	"golang.org/x/sys/unix"

	"pollux/internal/crash"
	"pollux/internal/exit"
)

// untilHangup returns a context that ends with the terminal of the session. The kernel tells only the container program of that end, which goes on.
func (o *Options) untilHangup(ctx context.Context) (context.Context, context.CancelFunc) {
	tty, ok := o.In.(*os.File)
	if !ok || !o.isTerminal() {
		return ctx, func() {}
	}
	over, end, err := os.Pipe()
	if err != nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		defer crash.Recover()
		defer over.Close()
		fds := []unix.PollFd{{Fd: int32(tty.Fd())}, {Fd: int32(over.Fd())}}
		for fds[0].Revents|fds[1].Revents == 0 {
			if _, err := unix.Poll(fds, -1); err != nil && err != unix.EINTR {
				return
			}
		}
		if fds[0].Revents&(unix.POLLHUP|unix.POLLERR) != 0 {
			cancel(exit.Errorf(exit.HungUp, "The terminal is closed."))
		}
	}()
	return ctx, func() {
		cancel(nil)
		_ = end.Close()
	}
}
