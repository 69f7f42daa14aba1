// Package restore is the pane in which the user chooses the call before which the conversation goes on, with the files
// that this would bring back.
package restore

import (
	"context"
	"strings"
	"time"

	"pollux/internal/face/tui/choice"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/record"
	"pollux/internal/sessions"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// Options configures a [Pane]. Its functions are called on other goroutines, also during a run.
type Options struct {
	// List returns the checkpoints, the oldest first, as [record.Changes.Checkpoints] does.
	List func() []record.Checkpoint
	// Plan plans to undo the changes since a checkpoint, as [record.Changes.PlanRestore] does.
	Plan func(ctx context.Context, p record.Checkpoint) (files []record.FileUndo, isPartial bool)
	// Undone counts the prompts and changes that the conversation forgets, as [record.Changes.Undone] does.
	Undone    func(p record.Checkpoint) (prompts, changes int)
	ShortPath func(path string) string // returns a path as people read it
	Bindings  *keys.Bindings           // for hints
	Now       func() time.Time
	// Background calls work on another goroutine, and then the function that it returns on the goroutine of the pane.
	Background func(work func() (show func()))
}

// Pane is the dialog. The latest call is its first row. It is a [pane.Loader].
type Pane struct {
	ctx    context.Context
	o      Options
	picker *pane.Picker
	calls  []record.Checkpoint // by row
	plans  map[string]*planned // by the name of the checkpoint
	asked  string              // the checkpoint whose plan is made now, "" for none
}

// planned describes the effect of a return to a checkpoint.
type planned struct{ lines []string }

// New returns the dialog. ctx is that of the session.
func New(ctx context.Context, o Options) *Pane {
	p := &Pane{ctx: ctx, o: o, picker: pane.NewPicker("Restore the state before a tool call", nil), plans: map[string]*planned{}}
	p.picker.Nothing = "Loading..."
	p.picker.About = p.about
	return p
}

// Load implements [pane.Loader].
func (p *Pane) Load() (show func()) {
	list := p.o.List()
	return func() {
		p.picker.Nothing = "No restorable tool calls found."
		p.calls = make([]record.Checkpoint, 0, len(list))
		for i := len(list) - 1; i >= 0; i-- {
			p.calls = append(p.calls, list[i])
		}
		rows := make([]pane.Row, len(p.calls))
		for i := range p.calls {
			c := &p.calls[i]
			rows[i] = pane.Row{Label: c.Tool + "  " + terminal.Cut(c.Describe(), 100), Detail: sessions.Ago(c.Time, p.o.Now()), Also: c.Name}
			if styled.Text(c.Name) != c.Name || strings.TrimSpace(c.Name) != c.Name {
				rows[i].WhyNot = "its name cannot be typed"
			}
		}
		p.picker.SetRows(rows)
		p.plan()
	}
}

// plan finds out in the background the effect of a return to the selected call. The picker selects by labels, which
// may be the same for several calls; the plans are kept by name.
func (p *Pane) plan() {
	i := p.picker.Selected()
	if i < 0 || p.asked != "" || p.plans[p.calls[i].Name] != nil {
		return
	}
	c := p.calls[i]
	p.asked = c.Name
	p.o.Background(func() (show func()) {
		made := p.makePlan(c)
		return func() {
			p.asked, p.plans[c.Name] = "", made
			p.plan() // the user may have moved on
		}
	})
}

// makePlan describes the effect of a return to a checkpoint.
func (p *Pane) makePlan(c record.Checkpoint) *planned {
	prompts, changes := p.o.Undone(c)
	forgets := "Forgets this call"
	if c.IsInFile() {
		prompts, changes, forgets = 0, 0, "Replaces the conversation by that of the file"
	}
	if changes > 1 {
		forgets += " and " + wording.Count(changes-1, "later one")
	}
	if prompts > 0 {
		forgets += ", and " + wording.Count(prompts, "prompt")
	}
	made := &planned{lines: []string{forgets}}
	files, isPartial := p.o.Plan(p.ctx, c)
	for _, f := range files {
		path := p.o.ShortPath(f.Path)
		switch {
		case f.Problem != "":
			made.lines = append(made.lines, "Keeps "+path+": "+terminal.Line(f.Problem))
		case f.Removes:
			made.lines = append(made.lines, "Removes "+path)
		default:
			made.lines = append(made.lines, "Brings back "+path)
		}
	}
	if len(files) == 0 {
		made.lines = append(made.lines, "No files to bring back")
	}
	if isPartial {
		made.lines = append(made.lines, "Other changes, such as those of commands, stay.")
	}
	return made
}

// Handle implements [pane.Pane].
func (p *Pane) Handle(e keys.Event, b *keys.Bindings) pane.Outcome {
	switch p.picker.Handle(e, b) {
	case choice.Changed:
		p.plan()
		return pane.Changed{}
	case choice.Chosen:
		return pane.Chosen{Command: "/restore " + p.calls[p.picker.Selected()].Name}
	case choice.Canceled:
		return pane.Closed{}
	}
	return pane.Ignored{}
}

// View implements [pane.Pane].
func (p *Pane) View(width, height int, t theme.Theme) pane.View {
	return p.picker.View(width, height, []styled.Line{pane.Hints(width, t, p.o.Bindings,
		pane.Hint{Command: keys.BasicConfirm, Effect: "restore"}, pane.Hint{Command: keys.BasicCancel, Effect: "close"})}, t)
}

// about describes the effect of a return to a call.
func (p *Pane) about(row, width, height int, t theme.Theme) (lines []styled.Line) {
	if row < 0 || row >= len(p.calls) {
		return nil
	}
	made := p.plans[p.calls[row].Name]
	if made == nil {
		return []styled.Line{styled.Of("Looking for changes...", t.Secondary())}
	}
	for _, text := range made.lines {
		lines = append(lines, styled.Of(styled.Text(text), t.Secondary()).Wrap(max(width, 1), styled.Plain("  "))...)
	}
	if len(lines) > height {
		lines = append(lines[:max(height-1, 0)], styled.Of("...", t.Secondary()))
	}
	return lines
}
