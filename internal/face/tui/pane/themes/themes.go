// Package themes is the pane in which the user chooses the colors of the screen. It is drawn in the selected theme.
package themes

import (
	"cmp"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/face/tui/choice"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
)

// Pane is the dialog.
type Pane struct {
	request  theme.Request // the choice of the theme until now
	scopes   *pane.Scopes
	bindings *keys.Bindings
	picker   *pane.Picker
	names    []string // by row
	preview  theme.Theme
	of       string   // the name that preview is of
	warnings []string // about preview
	missing  string   // why the theme of the settings is not in use, "" if it is
}

// New returns the dialog with the built-in themes, and with those of the settings and the extensions that the request has.
// The request is the one that the current theme was chosen with.
func New(request theme.Request, scopes *pane.Scopes, b *keys.Bindings) *Pane {
	p := &Pane{request: request, scopes: scopes, bindings: b}
	current := strings.TrimSpace(request.Name)
	now, warnings := theme.Choose(request)
	switch isMissing := request.IsMissing(); {
	case isMissing:
		p.missing = warnings[0]
		current = now.Name
	case current == "":
		current = now.Name
	}
	custom, _ := p.request.CustomThemes()
	var rows []pane.Row
	for _, n := range theme.Names(custom...) {
		rows = append(rows, pane.Row{Label: n.Name, Detail: p.describe(n, n.Name == current)})
		p.names = append(p.names, n.Name)
	}
	if !slices.Contains(p.names, current) { // the path of a file
		rows = slices.Insert(rows, 0, pane.Row{Label: current, Detail: "current"})
		p.names = slices.Insert(p.names, 0, current)
	}
	p.picker = pane.NewPicker("Choose a theme", rows)
	p.picker.About = p.about
	selected := current
	if p.missing != "" {
		selected = cmp.Or(request.Similar(), current)
	}
	p.picker.Select(slices.Index(p.names, selected))
	p.Preview()
	return p
}

// describe returns the kind of a theme, and whether it goes with the background of the terminal.
func (p *Pane) describe(n theme.Name, isCurrent bool) string {
	text := n.Kind.String()
	if n.IsCustom {
		text += ", custom"
	}
	if isCurrent {
		text += ", current"
	}
	switch {
	case p.request.Background == nil:
		return text
	case n.Matches(p.request.Background):
		return text + " (Matches terminal)"
	}
	return text + " (Incompatible)"
}

// Preview returns the selected theme as it looks on the terminal. If none is selected, it is the last one that was.
func (p *Pane) Preview() theme.Theme {
	name := p.of
	if i := p.picker.Selected(); i >= 0 {
		name = p.names[i]
	}
	if name != p.of || p.preview.Name == "" {
		r := p.request
		r.Name = name
		p.preview, p.warnings = theme.Choose(r)
		p.of = name
	}
	return p.preview
}

// Handle implements [pane.Pane].
func (p *Pane) Handle(e keys.Event, b *keys.Bindings) pane.Outcome {
	k, isKey := e.(keys.Key)
	if p.request.HasNoColor {
		if _, ok := b.Match(k.Chord, keys.BasicCancel, keys.BasicConfirm); isKey && ok {
			return pane.Closed{}
		}
		return pane.Ignored{}
	}
	if _, ok := b.Match(k.Chord, keys.NavDialogNext); isKey && ok && k.Text == "" {
		p.scopes.Next()
		return pane.Changed{}
	}
	switch p.picker.Handle(e, b) {
	case choice.Changed:
		p.Preview() // stays while no row matches
		return pane.Changed{}
	case choice.Chosen:
		return pane.Chosen{Command: pane.SetText(p.scopes.Scope(), string(config.ThemeName), p.names[p.picker.Selected()])}
	case choice.Canceled:
		return pane.Closed{}
	}
	return pane.Ignored{}
}

// View implements [pane.Pane]. It draws with the selected theme in place of t.
func (p *Pane) View(width, height int, t theme.Theme) pane.View {
	if p.request.HasNoColor {
		if width < 1 {
			return pane.View{}
		}
		lines := styled.Of("Theme configuration unavailable due to NO_COLOR env variable.", t.Warning()).Wrap(width, nil)
		lines = append(lines, pane.Hints(width, t, p.bindings, pane.Hint{Command: keys.BasicCancel, Effect: "close"}))
		return pane.View{Lines: lines[:max(0, min(len(lines), height))]}
	}
	t = p.Preview()
	foot := []styled.Line{p.scopes.Line(t, p.bindings), pane.Hints(
		width, t, p.bindings, pane.Hint{Command: keys.BasicConfirm, Effect: "choose"}, pane.Hint{Command: keys.BasicCancel, Effect: "close"},
	)}
	return p.picker.View(width, height, foot, t)
}
