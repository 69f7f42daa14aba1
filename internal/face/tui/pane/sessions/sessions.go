// Package sessions has the session browser: the list of the project's sessions, which the user sorts, searches and looks
// into, to resume, copy or delete one.
//
// Files are read in the background, one job of a kind at a time, and only a few kilobytes of them are kept: neither the
// number of the sessions nor their size holds up a key.
package sessions

import (
	"context"
	"time"

	"pollux/internal/face/tui/field"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/styled"
	"pollux/internal/sessions"
	"pollux/internal/terminal"
)

// Options configures a [Pane].
type Options struct {
	// List returns the sessions of the project, as [sessions.Store.List] does.
	List func(ctx context.Context) ([]sessions.Info, error)
	// Current is the ID of the session that the user is in.
	Current  string
	Bindings *keys.Bindings // for hints
	Now      func() time.Time
	// Background calls work on another goroutine, and then the function that it returns on the goroutine of the pane.
	Background func(work func() (show func()))
}

// Pane is the session browser.
type Pane struct {
	ctx    context.Context // ends when the pane closes
	cancel context.CancelFunc
	o      Options
	state  state
	list   list
	order  order
	search search
	look   look // into the selected session

	running string // the command that runs, "" for none
	deletes string // the ID of the session that the running command deletes, "" for none
	notice  string // about the last key, "" for none
}

// state is the meaning of keys.
type state uint8

const (
	loading    state = iota // the list is read
	browsing                // keys are commands
	searching               // keys edit the text to search for
	confirming              // the next key decides about deleting the selected session
	waiting                 // a command runs
)

// New returns a session browser, whose content [Pane.Load] reads. ctx is that of the session.
func New(ctx context.Context, o Options) *Pane {
	p := &Pane{o: o}
	p.ctx, p.cancel = context.WithCancel(ctx)
	p.search.field = field.Field{Placeholder: "Type to search"}
	return p
}

// Load implements [pane.Loader].
func (p *Pane) Load() (show func()) {
	infos, err := p.o.List(p.ctx)
	entries := newEntries(infos)
	return func() {
		p.running = ""
		p.state = browsing
		if err != nil {
			p.notice = "Cannot list the sessions: " + terminal.Brief(styled.Text(err.Error()))
			return
		}
		selected := p.selectedID()
		p.list.entries = entries
		p.arrange(selected)
	}
}

// Handle implements [pane.Pane].
func (p *Pane) Handle(e keys.Event, b *keys.Bindings) pane.Outcome {
	k, isKey := e.(keys.Key)
	if isKey {
		p.notice = ""
	}
	switch p.state {
	case searching:
		return p.pressSearching(e, b)
	case confirming:
		return p.pressConfirming(k)
	}
	if !isKey {
		return pane.Ignored{}
	}
	if command, _ := b.Match(k.Chord, keys.BasicCancel); command != "" || k.Text == "q" {
		return p.close(pane.Closed{})
	}
	if p.state != browsing {
		return pane.Changed{}
	}
	return p.pressBrowsing(k, b)
}

// close ends the work of the pane with an outcome.
func (p *Pane) close(o pane.Outcome) pane.Outcome {
	p.cancel()
	return o
}

// pressBrowsing takes a key while keys are commands.
func (p *Pane) pressBrowsing(k keys.Key, b *keys.Bindings) pane.Outcome {
	if p.navigate(k, b, keys.NavDialogUp, keys.NavDialogDown) {
		return pane.Changed{}
	}
	if command, _ := b.Match(k.Chord, keys.BasicConfirm); command != "" {
		return p.resume()
	}
	switch k.Text {
	case "/":
		p.state = searching
	case "s":
		p.arrangeBy(p.order.next())
	case "r":
		p.arrangeBy(order{p.order.key, !p.order.isReversed})
	case "p":
		p.look.isOpen = !p.look.isOpen
		p.showPreview()
	case "x":
		p.askToDelete()
	case "f":
		return p.fork()
	case "g":
		p.move(-len(p.list.rows))
	case "G":
		p.move(len(p.list.rows))
	default:
		return pane.Ignored{}
	}
	return pane.Changed{}
}

// navigate moves the selection if the key says so; up and down are the commands for one row.
func (p *Pane) navigate(k keys.Key, b *keys.Bindings, up, down keys.Command) bool {
	command, _ := b.Match(k.Chord, up, down, keys.ScrollPageUp, keys.ScrollPageDown, keys.ScrollHome, keys.ScrollEnd)
	switch command {
	case up:
		p.move(-1)
	case down:
		p.move(1)
	case keys.ScrollPageUp:
		p.move(-max(p.list.shown, 1))
	case keys.ScrollPageDown:
		p.move(max(p.list.shown, 1))
	case keys.ScrollHome:
		p.move(-len(p.list.rows))
	case keys.ScrollEnd:
		p.move(len(p.list.rows))
	default:
		return false
	}
	return true
}

// move moves the selection by a number of rows.
func (p *Pane) move(by int) {
	p.list.move(by)
	p.showPreview()
}
