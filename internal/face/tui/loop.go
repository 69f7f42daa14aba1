package tui

import (
	"context"
	"sync"
	"time"

	"pollux/internal/face/kit"
	"pollux/internal/face/tui/choice"
	"pollux/internal/face/tui/composer"
	"pollux/internal/face/tui/display"
	"pollux/internal/face/tui/draft"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/question"
	"pollux/internal/face/tui/recap"
	"pollux/internal/face/tui/shortcuts"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/face/tui/toast"
	"pollux/internal/face/tui/todo"
	"pollux/internal/face/tui/transcript"
	"pollux/internal/face/tui/viewer"
	"pollux/internal/face/tui/window"
	"pollux/internal/face/tui/working"
	"pollux/internal/slash"
)

// loop is the state of the screen, part by part. Only the goroutine of [Face.Run] uses it.
type loop struct {
	*Face
	ctx   context.Context // of [Face.Run]
	view  *view           // of the open session; before that, of none
	timer *time.Timer
	posts chan func() // calls for the loop

	// The terminal and its window.
	display *display.Display
	pointer pointer
	drawn   drawn
	title   window.Titler
	notices window.Notifier

	// The work of the session.
	turn     turn
	waiting  waiting             // inputs, for the end of the work
	beside   []kit.BesideCommand // that run beside the work
	counting sync.WaitGroup      // of notices that were seen

	// The rows of the screen.
	transcript    transcript.Transcript
	working       working.Row
	todo          todo.Tray
	toast         toast.Toast
	recap         recap.Keeper
	shellsAt      shellsAt // the screen for which the running commands have their size
	status        status   // of the footer
	footerCommand footerCommand
	choices       choices // settings of the screen
	reduced       reduced
	debugging     debugging

	// The input.
	composer  *composer.Composer
	keeper    draft.Keeper
	writing   *writing       // the draft in the user's editor, nil for none
	clipboard clipboardPaste // in progress
	armed     armed          // keys that were pressed once
	pressed   time.Time      // when the last key was pressed
	early     []keys.Event   // keys that wait for the session

	// Over the input.
	dialog    question.Dialog // the open question, nil for none
	pane      pane.Pane       // that the user has opened, nil for none
	refreshed time.Time       // when the pane last looked at its content
	wanted    slash.Call      // whose pane opens when the session is open
	viewing   *viewer.Viewer  // the viewer that the user has opened, nil for none

	ending  string // the last text to show
	failure error  // how the terminal failed
}

func newLoop(f *Face) *loop {
	l := &loop{Face: f, view: &view{bindings: keys.Default(f.options.GOOS)}, composer: &composer.Composer{}, timer: time.NewTimer(time.Hour), posts: make(chan func(), 16)}
	f.copyText = l.copyText
	o := &f.options
	l.display = display.New(display.Options{Terminal: o.Terminal, Getenv: o.Getenv, FullScreen: o.FullScreen, GOOS: o.GOOS})
	l.transcript.Options.Screen, l.transcript.Options.Color = l.shellTail, l.shells.Color
	l.transcript.Look.Refits = o.FullScreen
	l.working.Options.IsStill = true // until the settings are known
	l.composer.Help = func(width int, t theme.Theme) []styled.Line { return shortcuts.Lines(width, t, l.view.bindings) }
	l.composer.Guard.IsPasteMarked = l.display.Look.MarksPastes()
	return l
}

// step draws the changes, and handles the next event of any kind. It returns false at the end.
func (l *loop) step() bool {
	now := time.Now()
	l.closeSettled()
	l.draw(now)
	l.timer.Reset(l.deadline(now).Sub(now))
	select {
	case e, ok := <-l.driver.Events():
		if !ok {
			return false
		}
		l.handle(e, time.Now())
	case c := <-l.display.Chunks():
		l.read(c)
	case r := <-l.display.Written():
		l.written(r)
	case <-l.timer.C:
		l.expire(time.Now())
	case r := <-l.view.suggestions():
		if o, ok := l.composer.Found(r).(composer.Queued); ok {
			l.act(o, time.Now())
		}
		l.display.Change()
	case <-l.shells.Changed():
		l.display.Change()
	case f := <-l.posts:
		f()
	case <-l.options.Resizes:
		l.display.Redraw()
	case <-l.options.Resumes:
		l.resume()
	case <-l.options.Stops:
		l.stop(time.Now())
	case <-l.options.Interrupts:
		l.driver.Interrupt(l.display.IsLent())
	}
	return true
}

// deadline returns the time at which something is to happen without an event.
func (l *loop) deadline(now time.Time) time.Time {
	first := now.Add(time.Hour)
	sooner := func(t time.Time, ok bool) {
		if ok && t.Before(first) {
			first = t
		}
	}
	sooner(l.display.Deadline())
	if l.display.IsLent() {
		return first
	}
	sooner(now, l.viewing != nil && l.viewing.IsSearching())
	sooner(l.working.Next(now))
	sooner(l.toast.Deadline(now))
	sooner(l.keeper.Due(l.unsent()))
	sooner(l.footerCommand.Due())
	sooner(l.refreshDue())
	sooner(l.memoryDue())
	sooner(l.revealDue(now))
	sooner(l.shells.Deadline(now))
	if l.dialog != nil {
		sooner(l.dialog.PauseEnds())
	}
	sooner(l.pressed.Add(choice.NumberWait), l.dialog != nil && l.dialog.IsWaiting())
	sooner(l.pressed.Add(keys.SequenceWait), l.composer.IsWaiting())
	if len(l.beside) > 0 {
		const step = 500 * time.Millisecond
		sooner(now.Truncate(step).Add(step), true)
	}
	if l.transcript.IsTicking() {
		sooner(now.Truncate(time.Second).Add(time.Second), true)
	}
	return first
}

// expire does the work whose time has come.
func (l *loop) expire(now time.Time) {
	if events, ok := l.display.Flush(now); ok {
		for _, e := range events {
			l.take(e)
		}
		if l.dialog != nil {
			l.dialog.Rest(now)
		}
	}
	if l.dialog != nil && l.dialog.IsWaiting() && now.Sub(l.pressed) >= choice.NumberWait {
		l.answered(l.dialog.Expire())
	}
	if l.composer.IsWaiting() && now.Sub(l.pressed) >= keys.SequenceWait {
		l.act(l.composer.Expire(), now)
	}
	l.display.Expire(now)
	l.runFooterCommand(now)
	l.expireShells(now)
	if l.viewing != nil {
		l.viewing.Step()
	}
	l.refreshPane(now)
	l.refreshItems(now)
	l.keepDraft(now)
	l.display.Change()
}

// post calls f on the goroutine of the loop, unless the loop has ended.
func (l *loop) post(f func()) {
	select {
	case l.posts <- f:
	case <-l.driver.Done():
	}
}

// closeSettled closes the open question if it needs no answer any more.
func (l *loop) closeSettled() {
	if l.dialog != nil && l.dialog.Question().Context().Err() != nil {
		l.keepWritten()
		l.closeDialog()
	}
}

// open is the function with which the driver opens the session.
func (f *Face) open(ctx context.Context, d *kit.Driver) (kit.Session, error) {
	live, err := kit.Open(ctx, d, f.options.Session, f.options.Terminal, "")
	if err != nil {
		return nil, err
	}
	v := newView(live, f.options)
	v.connectShells(f.shells)
	live.Commands.Copy = func(ctx context.Context, text string) (how string, err error) { return f.copyText(ctx, v, text) }
	live.Commands.ReportsKeys = f.reportsKeys.Load
	f.opened <- v
	return live, nil
}
