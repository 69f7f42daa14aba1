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

	"pollux/internal/exit"
	"pollux/internal/terminal"
)

// interruptible returns a context that ends with the first SIGINT, SIGTERM or
// SIGHUP, or when standard output is closed; its cause is then an [exit.Error]
// or errClosed. A further SIGINT ends the process at once, and so does the end of
// mercy: what writes to a terminal or pipe that nobody reads hears of no context. A
// signal that was ignored when the process started, as nohup does, stays ignored.
// While a person is talked with ([program.catchInterrupts]) each SIGINT is handed to
// the face instead.
//
// SIGPIPE is caught too, so that a write to a closed pipe fails instead of
// killing the process. (Ignored, it would be ignored in all children.)
func (p *program) interruptible(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	p.closed.onClose(func() { cancel(errClosed) })

	signals := make(chan os.Signal, 8)
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(sig) {
			signal.Notify(signals, sig)
		}
	}
	broken := make(chan os.Signal, 1) // never read: it is enough to be notified
	signal.Notify(broken, syscall.SIGPIPE)

	done := make(chan struct{})
	go func() {
		var code exit.Code
		var late <-chan time.Time
		for {
			select {
			case <-done:
				return
			case <-late:
				p.die(code)
			case sig := <-signals:
				switch caught := p.caught.Load(); {
				case sig == syscall.SIGINT && ctx.Err() != nil:
					p.die(exit.Interrupted)
				case sig == syscall.SIGINT && caught != nil:
					select {
					case *caught <- struct{}{}:
					default:
						p.die(exit.Interrupted)
					}
				case late == nil:
					end := interruption(sig)
					code, late = end.Code, time.After(mercy)
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

// mercy is how long a run that was told to end has for that (spec/cli.md §6.10).
var mercy = 5 * time.Second

// die ends the process where nothing else does.
func (p *program) die(code exit.Code) {
	p.term.Restore()
	os.Exit(int(code))
}

// catchInterrupts hands each SIGINT to the returned channel, until release is
// called: from then on it ends the program again. A third one while two have not
// been heard ends it, too.
func (p *program) catchInterrupts() (interrupts <-chan struct{}, release func()) {
	caught := make(chan struct{}, 2)
	p.caught.Store(&caught)
	return caught, func() { p.caught.Store(nil) }
}

// interruption is what a signal means for the run.
func interruption(sig os.Signal) *exit.Error {
	code := exit.Interrupted
	switch sig {
	case syscall.SIGTERM:
		code = exit.Terminated
	case syscall.SIGHUP:
		code = exit.HungUp
	}
	return &exit.Error{Code: code, Message: "Operation cancelled.", Err: context.Canceled}
}

// errClosed is the end of a run whose output no one reads any more.
var errClosed = errors.New("standard output is closed")

// pipe is standard output. It notices when its reader is gone, which no other
// broken pipe (to a server, to a tool) must be taken for.
type pipe struct {
	io.Writer
	gone  atomic.Bool
	close atomic.Pointer[func()]
	// lost is why something could not be written though there is a reader.
	lost atomic.Pointer[error]
}

// watchOut returns the terminal with its output watched.
func watchOut(t *terminal.Terminal) (*terminal.Terminal, *pipe) {
	watched := *t
	p := &pipe{Writer: t.Out}
	watched.Out = p
	return &watched, p
}

func (p *pipe) Write(b []byte) (int, error) {
	n, err := p.Writer.Write(b)
	switch {
	case errors.Is(err, syscall.EPIPE):
		p.gone.Store(true)
		if f := p.close.Load(); f != nil {
			(*f)()
		}
	case err != nil:
		p.lost.CompareAndSwap(nil, &err)
	}
	return n, err
}

func (p *pipe) onClose(f func()) { p.close.Store(&f) }
