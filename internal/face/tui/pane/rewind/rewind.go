// Package rewind has the dialog with which the user goes back to the state before an earlier prompt: the list of the
// prompts, the question about the conversation and the files, and the changes that would be undone.
//
// The dialog itself changes nothing: it returns the /rewind command for the choice.
package rewind

import (
	"context"
	"time"

	"pollux/agent"
	"pollux/internal/face/tui/diff"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/theme"
	"pollux/internal/record"
)

// Options configures a [Pane]. Its functions are called on other goroutines, also during a run.
type Options struct {
	// History returns the conversation, and Calls the records of its calls by the IDs of the messages with their results,
	// as [record.Record.Calls] does.
	History func() []agent.Message
	Calls   func() map[string][]agent.CallRecord
	// Plan plans to undo the changes since a prompt, as [record.Changes.PlanUndo] does.
	Plan func(ctx context.Context, id string) (files []record.FileUndo, isPartial bool)
	// ShortPath returns a path as people read it.
	ShortPath func(path string) string
	Bindings  *keys.Bindings // for hints
	// DiffLayout is that of changes of files.
	DiffLayout diff.Layout
	Now        func() time.Time
	// Background calls work on another goroutine, and then the function that it returns on the goroutine of the pane.
	Background func(work func() (show func()))
}

// Pane is the dialog.
type Pane struct {
	ctx    context.Context // ends when the pane closes
	cancel context.CancelFunc
	o      Options
	list   list
	isRead bool    // the list is complete
	asks   *ask    // the question about the selected prompt, nil before that
	shows  *review // the changes since the selected prompt, nil unless the user looks at them
}

// New returns a dialog, whose content [Pane.Load] reads. ctx is that of the session.
func New(ctx context.Context, o Options) *Pane {
	p := &Pane{o: o}
	p.ctx, p.cancel = context.WithCancel(ctx)
	return p
}

// Load implements [pane.Loader].
func (p *Pane) Load() (show func()) {
	turns := turnsOf(p.o.History(), p.o.Calls(), p.o.ShortPath)
	return func() {
		p.list.turns, p.isRead = turns, true
		p.list.selected = len(turns)
	}
}

// Handle implements [pane.Pane].
func (p *Pane) Handle(e keys.Event, b *keys.Bindings) pane.Outcome {
	k, ok := e.(keys.Key)
	if !ok {
		return pane.Ignored{}
	}
	switch {
	case p.shows != nil:
		return p.pressReview(k, b)
	case p.asks != nil:
		return p.pressAsk(k, b)
	}
	command, _ := b.Match(k.Chord, keys.BasicCancel, keys.BasicConfirm)
	switch {
	case command == keys.BasicCancel, command == keys.BasicConfirm && p.isRead && p.list.stays():
		return p.close(pane.Closed{})
	case command == keys.BasicConfirm && p.isRead:
		p.ask()
		return pane.Changed{}
	case p.list.press(k, b):
		return pane.Changed{}
	}
	return pane.Ignored{}
}

// close ends the work of the pane with an outcome.
func (p *Pane) close(o pane.Outcome) pane.Outcome {
	p.cancel()
	return o
}

// View implements [pane.Pane].
func (p *Pane) View(width, height int, t theme.Theme) pane.View {
	if width < 1 || height < 1 {
		return pane.View{}
	}
	switch {
	case p.shows != nil:
		return pane.View{Lines: p.reviewLines(width, height, t)}
	case p.asks != nil:
		return pane.View{Lines: p.askLines(width, height, t)}
	}
	return pane.View{Lines: p.listLines(width, height, t)}
}

// hint returns the key of a command with its effect.
func (p *Pane) hint(command keys.Command, effect string) string {
	key := p.o.Bindings.Hint(command)
	if key == "" {
		return ""
	}
	return key + " " + effect
}

// hints joins the hints that there are.
func hints(list ...string) string {
	text := ""
	for _, h := range list {
		switch {
		case h == "":
		case text == "":
			text = h
		default:
			text += " · " + h
		}
	}
	return text
}
