// Package models is the pane in which the user chooses the model of a session: one list of the models of all providers.
package models

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"pollux/internal/face/tui/choice"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/models"
	"pollux/internal/wording"
	"pollux/llm/catalog"
)

// Directory is the directory of the models of a session, a [models.Directory].
type Directory interface {
	Current() models.Current
	KnownModels() []catalog.Model
	ServerModels(ctx context.Context) ([]catalog.Model, error)
	IsGoogle() bool
}

// Pane is the dialog. It is a [pane.Loader]: the models of the user's own server come later.
type Pane struct {
	ctx       context.Context // of the question to the server
	directory Directory
	bindings  *keys.Bindings
	picker    *pane.Picker
	models    []catalog.Model // by row
	isLoading bool            // a server has not answered yet
	problem   string          // why the server does not list its models
	isSaved   bool            // the model is for future sessions, too
	hasMoved  bool            // the user has selected a row or typed
}

// New returns the dialog with the known models, of which the current one is selected. ctx ends the question to the server.
func New(ctx context.Context, d Directory, b *keys.Bindings) *Pane {
	p := &Pane{ctx: ctx, directory: d, bindings: b, isLoading: true}
	if account := d.Current().Account; account.Profile == nil || account.Local == nil && !account.HasCustomAddress() {
		p.isLoading = false // there is no such server
	}
	p.models = list(d, d.KnownModels())
	p.picker = pane.NewPicker("Choose a model", p.rows())
	p.picker.About = p.about
	p.selectCurrent()
	return p
}

func (p *Pane) selectCurrent() {
	p.picker.Select(slices.IndexFunc(p.models, func(m catalog.Model) bool { return p.isCurrent(m.Name) }))
}

// Load implements [pane.Loader].
func (p *Pane) Load() (show func()) {
	own, err := p.directory.ServerModels(p.ctx)
	return func() {
		p.isLoading = false
		if err != nil {
			p.problem = "Cannot list the models of your server: " + styled.Text(wording.Reason(err)) + "."
		}
		if len(own) == 0 {
			return
		}
		known := p.directory.KnownModels()
		if err == nil {
			known = withoutVendor(known, p.directory.Current().Account.ID)
		}
		p.models = list(p.directory, slices.Concat(own, known))
		p.picker.SetRows(p.rows())
		if !p.hasMoved {
			p.selectCurrent()
		}
	}
}

// Handle implements [pane.Pane].
func (p *Pane) Handle(e keys.Event, b *keys.Bindings) pane.Outcome {
	if k, ok := e.(keys.Key); ok && k.Text == "" {
		switch command, _ := b.Match(k.Chord, keys.NavDialogNext, keys.BasicConfirm); {
		case command == keys.NavDialogNext:
			p.isSaved = !p.isSaved
			return pane.Changed{}
		case command == keys.BasicConfirm && p.picker.Selected() < 0 && isTypable(p.picker.Search()):
			return p.choose(p.picker.Search())
		}
	}
	switch p.picker.Handle(e, b) {
	case choice.Changed:
		p.hasMoved = true
		return pane.Changed{}
	case choice.Chosen:
		return p.choose(p.models[p.picker.Selected()].Name)
	case choice.Canceled:
		return pane.Closed{}
	}
	return pane.Ignored{}
}

func (p *Pane) choose(name string) pane.Outcome {
	command := "/model set " + name
	if p.isSaved {
		command += " --persist"
	}
	return pane.Chosen{Command: command}
}

// View implements [pane.Pane].
func (p *Pane) View(width, height int, t theme.Theme) pane.View {
	p.picker.Nothing = "No matches."
	if name := p.picker.Search(); isTypable(name) {
		p.picker.Nothing = fmt.Sprintf("No matches. %s chooses the model %s.", cmp.Or(p.bindings.Hint(keys.BasicConfirm), "The key to confirm"), name)
	}
	var foot []styled.Line
	switch {
	case p.isLoading:
		foot = append(foot, styled.Of("Loading the models of your server...", t.Secondary()))
	case p.problem != "":
		foot = append(foot, styled.Of(p.problem, t.Warning()))
	}
	toggle := ""
	if key := p.bindings.Hint(keys.NavDialogNext); key != "" {
		toggle = " (Press " + key + " to toggle)"
	}
	remember := fmt.Sprintf("Remember model for future sessions: %t%s", p.isSaved, toggle)
	foot = append(foot, styled.Of(remember, t.Text()).Wrap(max(width, 1), nil)...)
	foot = append(foot, pane.Hints(width, t, p.bindings,
		pane.Hint{Command: keys.BasicConfirm, Effect: "choose"}, pane.Hint{Command: keys.BasicCancel, Effect: "close"}))
	return p.picker.View(width, height, foot, t)
}

// about returns the name of a model in full, its context window and its price.
func (p *Pane) about(row, width, height int, t theme.Theme) []styled.Line {
	m := p.models[row]
	words := []string{styled.Text(m.Name)}
	if m.Input > 0 {
		words = append(words, wording.Number(m.Input)+" tokens")
	}
	if price := m.Price; price != nil {
		words = append(words, fmt.Sprintf("$%g in, $%g out per million", price.Input, price.Output))
	}
	if m.Name == auto && len(words) == 1 {
		words = append(words, "Pollux chooses one of Google's models for each prompt")
	}
	return styled.Of(strings.Join(words, " · "), t.Secondary()).Wrap(width, nil)
}
