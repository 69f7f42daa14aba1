package rewind

import (
	"fmt"
	"slices"

	"pollux/internal/face/tui/choice"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/record"
	"pollux/internal/sessions"
)

// ask is the question about the conversation and the files.
type ask struct {
	turn    *turn
	changes []change // since the prompt
	files   []change // the sum of the changes of each file
	options []option
	list    *choice.List
	plan    *plan // nil until it is known
}

// plan says which files can be reverted.
type plan struct {
	problems  map[string]string // why a file stays as it is, by its path as people read it
	files     int               // that can be reverted
	isPartial bool              // commands may have changed files, too
}

// option is an answer.
type option struct {
	label, files string // files is the value of --files, "" to do nothing
	reverts      bool
}

// ask asks about the selected prompt.
func (p *Pane) ask() {
	a := &ask{turn: &p.list.turns[p.list.selected]}
	for _, u := range p.list.turns[p.list.selected:] {
		a.changes = append(a.changes, u.changes...)
	}
	a.files = files(a.changes)
	for _, o := range [...]option{
		{"Rewind conversation and revert code changes", "revert", true},
		{"Rewind conversation", "keep", false},
		{"Revert code changes", "only", true},
		{"Do nothing (esc)", "", false},
	} {
		if !o.reverts || len(a.files) > 0 {
			a.options = append(a.options, o)
		}
	}
	a.list = choice.New(a.items())
	p.asks = a
	if len(a.files) > 0 {
		p.o.Background(func() func() {
			undos, isPartial := p.o.Plan(p.ctx, a.turn.id)
			made := newPlan(undos, isPartial, p.o.ShortPath)
			return func() { a.setPlan(made) }
		})
	}
}

func newPlan(undos []record.FileUndo, isPartial bool, shortPath func(string) string) *plan {
	made := &plan{problems: map[string]string{}, isPartial: isPartial}
	for _, u := range undos {
		if u.Problem == "" {
			made.files++
		} else {
			made.problems[styled.Text(shortPath(u.Path))] = styled.Text(u.Problem)
		}
	}
	return made
}

// setPlan notes which files can be reverted. If none can, the answers that revert files cannot be chosen.
func (a *ask) setPlan(made *plan) {
	a.plan = made
	selected := a.list.Selected()
	a.list = choice.New(a.items())
	if made.files > 0 || !a.options[selected].reverts {
		a.list.Select(selected)
	}
}

func (a *ask) items() (items []choice.Item) {
	for _, o := range a.options {
		item := choice.Item{Label: o.label}
		if o.reverts && a.plan != nil && a.plan.files == 0 {
			item.WhyNot = "no file can be reverted"
		}
		items = append(items, item)
	}
	return items
}

// pressAsk takes a key while the question is open.
func (p *Pane) pressAsk(k keys.Key, b *keys.Bindings) pane.Outcome {
	if k.Text == "d" && len(p.asks.changes) > 0 {
		p.shows = &review{}
		return pane.Changed{}
	}
	switch p.asks.list.Handle(k, b) {
	case choice.Ignored:
		return pane.Ignored{}
	case choice.Canceled:
		p.asks = nil
	case choice.Chosen:
		o := p.asks.options[p.asks.list.Selected()]
		if o.files != "" {
			return p.close(pane.Chosen{Command: "/rewind " + p.list.name() + " --files=" + o.files})
		}
		p.asks = nil
	}
	return pane.Changed{}
}

// askLines returns the screen with the question.
func (p *Pane) askLines(width, height int, t theme.Theme) []styled.Line {
	a := p.asks
	preview := ""
	if len(a.changes) > 0 {
		preview = "d show changes"
	}
	keysText := hints(p.hint(keys.BasicConfirm, "choose"), preview, p.hint(keys.BasicCancel, "back"))
	return pane.Frame(width, height, t, "Confirm Rewind", styled.Of(keysText, t.Secondary()), func(height int) []styled.Line {
		options := a.list.Lines(width, height, t)
		about := p.aboutLines(width, t)
		return append(about[:min(len(about), height-len(options))], options...)
	})
}

// aboutLines describes the effect: the prompt, its age, the totals, and a warning about other changes.
func (p *Pane) aboutLines(width int, t theme.Theme) []styled.Line {
	a := p.asks
	lines := a.turn.lines("> ", 2, width, styled.Plain("  "), t.Text())
	line := summary(a.changes, t)
	if !a.turn.at.IsZero() { // as in a conversation that was loaded
		line = append(line, styled.Span{Text: " · " + sessions.Ago(a.turn.at, p.o.Now()), Style: t.Secondary()})
	}
	lines = append(lines, line.Wrap(width, nil)...)
	if len(a.files) == 0 {
		return lines
	}
	text := "Changes that you have made are not reverted."
	if a.plan != nil && a.plan.isPartial {
		text = "Commands have run since. Changes that they or you have made are not reverted."
	}
	lines = append(lines, styled.Of(text, t.Warning()).Wrap(width, nil)...)
	return append(lines, a.fileLines(width, t)...)
}

// fileLines lists the first files if there are several, and the reasons for which files stay as they are.
func (a *ask) fileLines(width int, t theme.Theme) (lines []styled.Line) {
	const most = 5
	list := slices.Clone(a.files)
	slices.SortStableFunc(list, func(x, y change) int { return len(a.problem(y)) - len(a.problem(x)) }) // problems are important
	for i, c := range list {
		problem := a.problem(c)
		switch {
		case len(list) == 1 && problem == "":
		case i == most:
			return append(lines, styled.Of(fmt.Sprintf("  and %d more", len(list)-most), t.Secondary()).Cut(width))
		case problem != "":
			lines = append(lines, styled.Line{{Text: "  " + c.path, Style: t.Secondary()}, {Text: " stays: " + problem, Style: t.Warning()}}.Wrap(width, styled.Plain("  "))...)
		default:
			lines = append(lines, append(styled.Plain("  "), c.line(t)...).Cut(width))
		}
	}
	return lines
}

// problem returns why a file stays as it is, "" if it can be reverted or if that is not known yet.
func (a *ask) problem(c change) string {
	if a.plan == nil {
		return ""
	}
	return a.plan.problems[c.path]
}
