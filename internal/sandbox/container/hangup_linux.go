package container

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"pollux/internal/crash"
	"pollux/internal/exit"
)

// hangupWait is the time after which the terminal is looked at again, in case that the context has ended.
const hangupWait = time.Second

// untilHangup returns a context that ends with the terminal of the session. The kernel tells only the container program of that end, which goes on.
func (o *Options) untilHangup(ctx context.Context) (context.Context, context.CancelFunc) {
	tty, ok := o.In.(*os.File)
	if !ok || !o.isTerminal() {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		defer crash.Recover()
		for ctx.Err() == nil {
			fds := []unix.PollFd{{Fd: int32(tty.Fd())}}
			if n, _ := unix.Poll(fds, int(hangupWait.Milliseconds())); n > 0 && fds[0].Revents&(unix.POLLHUP|unix.POLLERR) != 0 {
				cancel(exit.Errorf(exit.HungUp, "The terminal is closed."))
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}
