package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"pollux/internal/crash"
	"pollux/internal/exit"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// interruptible returns a context that the first SIGINT, SIGTERM or SIGHUP cancels, and
// that is also cancelled when standard output is closed. Its cause is an [exit.Error] for a
// signal, or [errClosed]. While [program.catchInterrupts] is active, SIGINT goes to its
// channel instead. The returned function stops the signal handling.
//
// A SIGINT after the cancellation ends the process immediately. If the run has not ended
// [gracePeriod] after a signal cancelled it, the process ends too, because a write that
// blocks on a terminal or pipe ignores the context. A signal that is ignored when the
// process starts, as with nohup, stays ignored.
//
// interruptible also catches SIGPIPE, so that a write to a closed pipe returns an error
// instead of killing the process. If Pollux ignored SIGPIPE, child processes would too.
func (p *program) interruptible(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	p.closed.onClose(func() { cancel(errClosed) })

	signals := make(chan os.Signal, 8)
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(sig) {
			signal.Notify(signals, sig)
		}
	}
	broken := make(chan os.Signal, 1) // never read: Notify alone prevents the default action
	signal.Notify(broken, syscall.SIGPIPE)

	done := make(chan struct{})
	go func() {
		defer crash.Recover()
		var code exit.Code
		var timeout <-chan time.Time
		for {
			select {
			case <-done:
				return
			case <-timeout:
				p.exitNow(code)
			case sig := <-signals:
				switch caught := p.caught.Load(); {
				case sig == syscall.SIGINT && ctx.Err() != nil:
					p.exitNow(exit.Interrupted)
				case sig == syscall.SIGINT && caught != nil:
					select {
					case *caught <- struct{}{}:
					default:
						p.exitNow(exit.Interrupted)
					}
				case timeout == nil:
					p.record.Signalled(sig.String())
					end := signalError(sig)
					code, timeout = end.Code, time.After(gracePeriod)
					cancel(end)
				}
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		signal.Stop(broken)
		close(done)
		cancel(nil)
	}
}

// gracePeriod is the time that a run has to end after a signal.
var gracePeriod = 5 * time.Second

// exitNow restores the terminal and ends the process without waiting for the run.
func (p *program) exitNow(code exit.Code) {
	p.term.Restore()
	os.Exit(int(code))
}

// catchInterrupts sends each SIGINT to the returned channel instead of cancelling the run,
// until the caller calls release. If two interrupts are unread, a third one ends the
// process.
func (p *program) catchInterrupts() (interrupts <-chan struct{}, release func()) {
	caught := make(chan struct{}, 2)
	p.caught.Store(&caught)
	return caught, func() { p.caught.Store(nil) }
}

// signalError returns the error for a run that a signal cancelled.
func signalError(sig os.Signal) *exit.Error {
	code := exit.Interrupted
	switch sig {
	case syscall.SIGTERM:
		code = exit.Terminated
	case syscall.SIGHUP:
		code = exit.HungUp
	}
	return &exit.Error{Code: code, Message: wording.Cancelled, Err: context.Canceled}
}

// errClosed is the cancellation cause of a run whose standard output has no reader.
var errClosed = errors.New("standard output is closed")

// pipe is standard output. It detects that the reader has closed it, and so distinguishes
// this from broken connections to servers and tools, which return the same error.
type pipe struct {
	io.Writer
	isClosed atomic.Bool
	close    atomic.Pointer[func()]
	// writeErr is the first write error other than a closed reader.
	writeErr atomic.Pointer[error]
}

// watchOut returns a copy of the terminal whose output is a [pipe], and the pipe.
func watchOut(t *terminal.Terminal) (*terminal.Terminal, *pipe) {
	watched := *t
	p := &pipe{}
	watched.Out = t.Out.Through(func(stream io.Writer) io.Writer {
		p.Writer = stream
		return p
	})
	return &watched, p
}

func (p *pipe) Write(b []byte) (int, error) {
	n, err := p.Writer.Write(b)
	switch {
	case errors.Is(err, syscall.EPIPE):
		p.isClosed.Store(true)
		if f := p.close.Load(); f != nil {
			(*f)()
		}
	case err != nil:
		p.writeErr.CompareAndSwap(nil, &err)
	}
	return n, err
}

func (p *pipe) onClose(f func()) { p.close.Store(&f) }
