// Package tui is the face for people at a terminal: it draws below the finished lines of the conversation, in the main
// screen, and takes each key.
//
// A [kit.Driver] does the work. [Face.Run] is a loop on one goroutine, which owns the parts of the screen and selects
//
//   - events of the driver (events.go), which go to each part that has a use for them
//   - input of the terminal, which package display decodes. A key goes to the open dialog or to the composer, and
//     if they have no use for it, to the commands of the application (keyboard.go)
//   - the end of the frame in progress, after which the next one is drawn if something has changed (draw.go). Package display
//     decides when
//   - the time at which a part looks different
//
// Each part is a package below this one that knows none of the others. The root alone routes: it draws nothing itself.
package tui

import (
	"context"
	"errors"
	"os"
	"sync/atomic"

	"pollux/internal/crash"
	"pollux/internal/exit"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/console"
	"pollux/internal/session"
	"pollux/internal/terminal"
)

// Options configures a [Face].
type Options struct {
	Terminal *terminal.Terminal
	// Interrupts has a value for each SIGINT. ctx must not end with one. Ctrl+C at the terminal is a key.
	Interrupts <-chan struct{}
	// Resumes has a value each time the process continues after Ctrl+Z, and Resizes each time the terminal has another size; see
	// [terminal.CatchResumes] and [terminal.CatchResizes].
	Resumes, Resizes <-chan os.Signal
	// Stops has a value each time another process asks this one to stop; see [terminal.CatchStops].
	Stops <-chan os.Signal
	// Session holds the options of the session that the face opens. The face answers its questions and shows its warnings.
	Session session.Options
	// First is a prompt or a / command to begin with.
	First string
	// Getenv returns variables of the environment, which describe the terminal.
	Getenv func(name string) string
	// FullScreen shows the session on a screen of its own, which scrolls in Pollux, instead of in the main screen.
	FullScreen bool
	// GOOS is the operating system, as in [runtime.GOOS], for the default keys.
	GOOS string
}

// New returns a face. It shows nothing before [Face.Run].
func New(o Options) *Face {
	f := &Face{options: o, shells: console.New()}
	f.driver = kit.New(kit.Options{First: o.First, Open: f.open})
	return f
}

// Face shows one session.
type Face struct {
	options Options
	driver  *kit.Driver
	shells  *console.Console // the running commands
	opened  chan *view       // has the view of the session once it is open
	// reportsKeys is set if the terminal has the protocol of keys of kitty.
	reportsKeys atomic.Bool
	// copyText puts a text into the clipboard, and returns how. It is set before the session is opened.
	copyText func(ctx context.Context, v *view, text string) (how string, err error)
}

// Run runs the session until the user leaves. It returns nil if the user left, the cause of ctx if ctx was cancelled, and
// another error if the user left without waiting for work, if the terminal failed, or if the session could not be opened.
// Run must be called only once.
func (f *Face) Run(ctx context.Context) error {
	defer f.driver.Close()
	f.opened = make(chan *view, 1)
	l := newLoop(f)
	l.ctx = ctx
	if err := l.display.Open(); err != nil {
		return failed("open", err)
	}
	ended := make(chan error, 1)
	go func() {
		defer crash.Recover()
		ended <- f.driver.Run(ctx)
	}()
	for l.step() {
	}
	err := <-ended
	l.finish(ctx.Err() == nil && (err == nil || l.view.isOpen()))
	if l.failure != nil && !errors.Is(err, context.Canceled) {
		return l.failure
	}
	return err
}

// failed returns the error of a session whose terminal has failed. Its exit code is that of a hang-up: the terminal may
// close before the signal arrives, and the signal may be ignored.
func failed(doing string, err error) error {
	text := doing + " the terminal: " + err.Error()
	return &exit.Error{Code: exit.HungUp, Message: text, Err: err}
}
