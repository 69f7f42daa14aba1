// Package editors is the pane in which the user chooses the editor for prompts and proposed changes.
package editors

import (
	"pollux/internal/config"
	"pollux/internal/face/tui/choice"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/terminal"
)

// Options configures a [Pane].
type Options struct {
	IDs      []string                            // of the editors
	Current  func(s config.Scope) (string, bool) // the editor that the file of a scope names, false for none
	Used     string                              // the editor in use, "" for none
	Check    func(id string) error               // why an editor cannot be used, nil if it can; called in the background
	Scopes   *pane.Scopes
	Bindings *keys.Bindings // for hints
}

// Pane is the dialog. It is a [pane.Loader]: which editors are installed is known later.
type Pane struct {
	o        Options
	picker   *pane.Picker
	problems map[string]string // why editors cannot be used; nil until that is known
}

// New returns the dialog.
func New(o Options) *Pane {
	p := &Pane{o: o}
	p.picker = pane.NewPicker("Choose an editor", nil)
	p.fill()
	p.picker.Select(p.index(o.Used))
	return p
}

// Load implements [pane.Loader].
func (p *Pane) Load() (show func()) {
	problems := map[string]string{}
	for _, id := range p.o.IDs {
		if err := p.o.Check(id); err != nil {
			problems[id] = terminal.Line(err.Error())
		}
	}
	return func() {
		p.problems = problems
		p.fill()
	}
}

// index returns the row of an editor. The first row is for none.
func (p *Pane) index(id string) int {
	for i, other := range p.o.IDs {
		if other == id {
			return i + 1
		}
	}
	return 0
}

func (p *Pane) fill() {
	chosen, _ := p.o.Current(p.o.Scopes.Scope())
	mark := func(id, detail string) string {
		switch {
		case id == p.o.Used && detail != "":
			return "in use, " + detail
		case id == p.o.Used:
			return "in use"
		case id == chosen && chosen != "":
			return "chosen in these settings"
		}
		return detail
	}
	rows := []pane.Row{{Label: "None", Detail: mark("", "$VISUAL, $EDITOR or vi")}}
	for _, id := range p.o.IDs {
		row := pane.Row{Label: id, Detail: mark(id, "")}
		if p.problems[id] != "" {
			row.WhyNot = "not installed"
		}
		rows = append(rows, row)
	}
	p.picker.SetRows(rows)
}

// Handle implements [pane.Pane].
func (p *Pane) Handle(e keys.Event, b *keys.Bindings) pane.Outcome {
	if k, ok := e.(keys.Key); ok && k.Text == "" {
		if _, ok := b.Match(k.Chord, keys.NavDialogNext); ok {
			p.o.Scopes.Next()
			p.fill()
			return pane.Changed{}
		}
	}
	switch p.picker.Handle(e, b) {
	case choice.Changed:
		return pane.Changed{}
	case choice.Chosen:
		return pane.Chosen{Command: p.command(p.picker.Selected())}
	case choice.Canceled:
		return pane.Closed{}
	}
	return pane.Ignored{}
}

// command returns the / command that chooses the editor of a row.
func (p *Pane) command(row int) string {
	scope, key := p.o.Scopes.Scope(), string(config.PreferredEditor)
	switch {
	case row == 0:
		return pane.Unset(scope, key)
	case scope == config.User:
		return "/editor " + p.o.IDs[row-1]
	}
	return pane.SetText(scope, key, p.o.IDs[row-1])
}

// View implements [pane.Pane].
func (p *Pane) View(width, height int, t theme.Theme) pane.View {
	var foot []styled.Line
	if p.problems == nil {
		foot = append(foot, styled.Of("Looking for editors...", t.Secondary()))
	}
	foot = append(foot, p.o.Scopes.Line(t, p.o.Bindings), pane.Hints(width, t, p.o.Bindings,
		pane.Hint{Command: keys.BasicConfirm, Effect: "choose"}, pane.Hint{Command: keys.BasicCancel, Effect: "close"}))
	return p.picker.View(width, height, foot, t)
}
