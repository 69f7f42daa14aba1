package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
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
//
// To catch signals, two threads take turns, for which the run does not wait, only its first write, and a session when its settings are loaded.
func (p *program) interruptible(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	p.closed.onClose(func() { cancel(errClosed) })

	signals := make(chan os.Signal, 8)
	broken := make(chan os.Signal, 1) // never read: Notify alone prevents the default action
	p.catching.Add(1)
	done := make(chan struct{})
	go func() {
		defer crash.Recover()
		for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
			if !signal.Ignored(sig) {
				signal.Notify(signals, sig)
			}
		}
		signal.Notify(broken, syscall.SIGPIPE)
		p.catching.Done()
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
		p.catching.Wait()
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

// watch makes the terminal that of the program: its standard output is the [pipe], and the first write waits until closed pipes cause errors.
func (p *program) watch(t *terminal.Terminal) {
	watched := *t
	p.closed = &pipe{}
	watched.Out = t.Out.Through(func(stream io.Writer) io.Writer {
		p.closed.Writer = awaiting{stream, &p.catching}
		return p.closed
	})
	watched.Err = t.Err.Through(func(stream io.Writer) io.Writer { return awaiting{stream, &p.catching} })
	p.term = &watched
}

// awaiting writes when a group is done.
type awaiting struct {
	io.Writer
	group *sync.WaitGroup
}

func (a awaiting) Write(b []byte) (int, error) {
	a.group.Wait()
	return a.Writer.Write(b)
}

func (p *pipe) Write(b []byte) (int, error) {
	n, err := p.Writer.Write(b)
	switch {
	case terminal.IsClosedPipe(err):
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
