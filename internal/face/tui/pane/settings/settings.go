// Package settings is the pane in which the user changes settings: a searchable list of all settings that have an effect.
package settings

import (
	"pollux/internal/config"
	"pollux/internal/face/tui/choice"
	"pollux/internal/face/tui/field"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/styled"
)

// Pane is the dialog. It is a [pane.Waiter]: it stays open while the settings change.
type Pane struct {
	current  func() *config.Settings
	scopes   *pane.Scopes
	bindings *keys.Bindings
	picker   *pane.Picker
	all      []setting // by row
	edited   *setting  // whose value is in the field of the picker, nil for none
	before   string    // the text that was in the field first
	changing *setting  // of the command that runs, nil for none
	notice   string    // about the last key
	isBad    bool      // notice is a problem
	late     []string  // labels of changed settings that take effect at the next start
}

// New returns the dialog. current returns the settings of the session as they are at the moment.
func New(current func() *config.Settings, scopes *pane.Scopes, b *keys.Bindings) *Pane {
	p := &Pane{current: current, scopes: scopes, bindings: b, all: settings()}
	p.picker = pane.NewPicker("Settings", p.rows())
	p.picker.About = p.about
	return p
}

// Handle implements [pane.Pane].
func (p *Pane) Handle(e keys.Event, b *keys.Bindings) pane.Outcome {
	if p.edited != nil {
		return p.edit(e, b)
	}
	k, isKey := e.(keys.Key)
	selected := p.selected()
	if isKey && k.Text == "" {
		switch command, _ := b.Match(k.Chord, keys.NavDialogNext, keys.AppClearScreen); {
		case command == keys.NavDialogNext:
			p.scopes.Next()
			p.refresh()
			return pane.Changed{}
		case command == keys.AppClearScreen && selected != nil:
			return p.reset(selected)
		}
	}
	if isKey && isDigit(k.Text) && selected != nil && selected.kind() == "number" && p.picker.Search() == "" {
		p.open(selected)
		p.picker.Field.SetText(k.Text, len(k.Text))
		return pane.Changed{}
	}
	switch p.picker.Handle(e, b) {
	case choice.Changed:
		p.notice = ""
		return pane.Changed{}
	case choice.Chosen:
		return p.choose(selected)
	case choice.Canceled:
		return pane.Closed{}
	}
	return pane.Ignored{}
}

func isDigit(text string) bool { return len(text) == 1 && text[0] >= '0' && text[0] <= '9' }

// selected returns the selected setting, nil for none.
func (p *Pane) selected() *setting {
	if i := p.picker.Selected(); i >= 0 {
		return &p.all[i]
	}
	return nil
}

// choose changes a setting, or opens the field for its value.
func (p *Pane) choose(s *setting) pane.Outcome {
	p.notice = ""
	value, _ := p.valueOf(s)
	switch s.kind() {
	case "bool":
		if value == true {
			return p.set(s, "false")
		}
		return p.set(s, "true")
	case "enum":
		return p.set(s, s.next(value))
	case "number", "string", "strings", "string|strings":
		p.open(s)
		return pane.Changed{}
	}
	p.warn("The value is JSON. To change it, run /settings set " + s.key.Path + " VALUE.")
	return pane.Changed{}
}

func (p *Pane) warn(text string) { p.notice, p.isBad = text, true }

// set returns the command that sets a setting to a value in JSON, or to a text that is none.
func (p *Pane) set(s *setting, value string) pane.Outcome {
	p.changing = s
	return pane.Chosen{Command: pane.SetValue(p.scopes.Scope(), s.key.Path, value), Stays: true}
}

// reset removes a setting from the chosen scope.
func (p *Pane) reset(s *setting) pane.Outcome {
	if _, isSet := p.valueOf(s); !isSet {
		p.notice, p.isBad = "This setting is not in the "+p.scopes.Scope().String()+" settings.", false
		return pane.Changed{}
	}
	p.changing, p.notice = s, ""
	return pane.Chosen{Command: pane.Unset(p.scopes.Scope(), s.key.Path), Stays: true}
}

// open shows the field for the value of a setting.
func (p *Pane) open(s *setting) {
	value, _ := p.valueOf(s)
	p.before = editable(value)
	f := &field.Field{Placeholder: "Empty for the default"}
	f.SetText(p.before, len(p.before))
	p.edited, p.picker.Field, p.picker.FieldLabel, p.notice = s, f, s.label, ""
}

// shut removes the field.
func (p *Pane) shut() { p.edited, p.picker.Field = nil, nil }

// edit takes a key for the field.
func (p *Pane) edit(e keys.Event, b *keys.Bindings) pane.Outcome {
	if k, ok := e.(keys.Key); ok && k.Text == "" {
		switch command, _ := b.Match(k.Chord, keys.BasicConfirm, keys.BasicCancel); command {
		case keys.BasicCancel:
			p.shut()
			p.notice = ""
			return pane.Changed{}
		case keys.BasicConfirm:
			return p.save()
		}
	}
	if p.picker.Field.Handle(e, b) {
		p.notice = ""
		return pane.Changed{}
	}
	return pane.Ignored{}
}

// save returns the command that sets the edited setting to the text in the field. No text resets it.
func (p *Pane) save() pane.Outcome {
	s, text := p.edited, p.picker.Field.Value()
	switch {
	case text == p.before:
		p.shut()
		return pane.Changed{}
	case text == "":
		if o, ok := p.reset(s).(pane.Chosen); ok {
			return o
		}
		p.shut()
		return pane.Changed{}
	}
	if value, ok := s.inJSON(text); ok {
		return p.set(s, value)
	}
	p.changing = s
	return pane.Chosen{Command: pane.SetText(p.scopes.Scope(), s.key.Path, text), Stays: true}
}

// Done implements [pane.Waiter].
func (p *Pane) Done(problem string) {
	s := p.changing
	p.changing = nil
	p.refresh()
	if problem != "" {
		p.warn(styled.Text(problem))
		return
	}
	p.notice = ""
	if s == nil {
		return
	}
	if p.edited == s {
		p.shut()
	}
	if winner := p.winner(s); winner != "" {
		p.warn("The " + winner + " settings have another value, which wins.")
	}
	p.noteLate(s)
}
