// Package undo is the pane in which the user chooses a change of files to undo, with a preview of the effect.
package undo

import (
	"context"
	"time"

	"pollux/internal/face/tui/choice"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/manage/undo"
	"pollux/internal/sessions"
	"pollux/internal/wording"
)

// Options configures a [Pane]. Its functions are called on other goroutines, also during a run.
type Options struct {
	// List returns the changes, the newest first, as [undo.Changes] does, and Look the effect of an undo, as [undo.Look] does.
	List     func() ([]undo.Change, error)
	Look     func(ctx context.Context, c undo.Change) (*undo.Preview, error)
	Bindings *keys.Bindings // for hints
	Now      func() time.Time
	// Background calls work on another goroutine, and then the function that it returns on the goroutine of the pane.
	Background func(work func() (show func()))
}

// Pane is the dialog. The newest change is its first row. It is a [pane.Loader].
type Pane struct {
	ctx      context.Context
	o        Options
	picker   *pane.Picker
	changes  []undo.Change    // by row
	previews map[int]*preview // by the number of the change
	asked    int              // the change that is looked at now, 0 for none
	shows    *diff            // the diff of the selected change, nil if the list is shown
	asks     *ask             // nil if the list is shown
}

// New returns the dialog. ctx is that of the session.
func New(ctx context.Context, o Options) *Pane {
	p := &Pane{ctx: ctx, o: o, picker: pane.NewPicker("Undo a change of files", nil), previews: map[int]*preview{}}
	p.picker.Nothing = "Loading..."
	p.picker.About = p.about
	return p
}

// Load implements [pane.Loader].
func (p *Pane) Load() (show func()) {
	list, err := p.o.List()
	return func() {
		p.picker.Nothing = "No changes recorded."
		if err != nil {
			p.picker.Nothing = "Cannot read the undo log: " + styled.Text(wording.Sentence(err))
		}
		p.changes = list
		rows := make([]pane.Row, len(list))
		for i, c := range list {
			rows[i] = pane.Row{Label: c.Name() + "  " + c.Title, Detail: sessions.Ago(c.Ended, p.o.Now())}
			if c.IsOther {
				rows[i].Detail += ", in another session"
			}
			if c.IsUndone {
				rows[i].WhyNot = "undone already"
			}
		}
		p.picker.SetRows(rows)
		p.look()
	}
}

// look finds out in the background the effect of an undo of the selected change.
func (p *Pane) look() {
	i := p.picker.Selected()
	if i < 0 || p.asked != 0 || p.previews[p.changes[i].Number] != nil {
		return
	}
	c := p.changes[i]
	p.asked = c.Number
	p.o.Background(func() (show func()) {
		v, err := p.o.Look(p.ctx, c)
		made := newPreview(v, err)
		return func() {
			p.asked, p.previews[c.Number] = 0, made
			p.look() // the user may have moved on
		}
	})
}

// selected returns the selected change and its preview, which may be nil. There is a selected change.
func (p *Pane) selected() (undo.Change, *preview) {
	c := p.changes[p.picker.Selected()]
	return c, p.previews[c.Number]
}

// Handle implements [pane.Pane].
func (p *Pane) Handle(e keys.Event, b *keys.Bindings) pane.Outcome {
	k, isKey := e.(keys.Key)
	switch {
	case p.shows != nil && isKey:
		return p.pressDiff(k, b)
	case p.asks != nil && isKey:
		return p.pressAsk(k, b)
	case isKey && p.opensDiff(k, b):
		return pane.Changed{}
	case p.shows != nil, p.asks != nil:
		return pane.Ignored{}
	}
	switch p.picker.Handle(e, b) {
	case choice.Changed:
		p.look()
		return pane.Changed{}
	case choice.Chosen:
		return p.choose()
	case choice.Canceled:
		return pane.Closed{}
	}
	return pane.Ignored{}
}

// choose undoes the selected change, or asks what to do with paths that were changed since.
func (p *Pane) choose() pane.Outcome {
	c, v := p.selected()
	if v == nil || !v.canOverwrite {
		return pane.Chosen{Command: "/undo " + c.Name()}
	}
	p.asks = newAsk(c, v)
	return pane.Changed{}
}

// View implements [pane.Pane].
func (p *Pane) View(width, height int, t theme.Theme) pane.View {
	switch {
	case width < 1 || height < 1:
		return pane.View{}
	case p.shows != nil:
		return pane.View{Lines: p.diffLines(width, height, t)}
	case p.asks != nil:
		return pane.View{Lines: p.askLines(width, height, t)}
	}
	hints := []pane.Hint{{Command: keys.BasicConfirm, Effect: "undo"}, {Command: keys.CursorRight, Effect: "show the diff"}, {Command: keys.BasicCancel, Effect: "close"}}
	return p.picker.View(width, height, []styled.Line{pane.Hints(width, t, p.o.Bindings, hints...)}, t)
}
