// Package footers is the pane in which the user chooses the items of the footer, their order, and whether they have labels. It shows
// the footer as it will look. The choice is saved when the pane is closed with Esc.
package footers

import (
	"slices"
	"strings"

	"pollux/internal/face/tui/choice"
	"pollux/internal/face/tui/footer"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
)

// Item is an item that the footer can have.
type Item struct {
	ID, About string
}

// Options configures a [Pane].
type Options struct {
	Items    []Item
	Now      footer.Options // the footer as it is
	Default  footer.Options // the footer without settings
	Values   footer.Values  // for the preview; those that are not known are made up
	Bindings *keys.Bindings // for hints
	// Save returns the / command that saves a choice, and Reset is the one that removes it from the settings.
	Save  func(ids []string, showsLabels bool) string
	Reset string
}

// Pane is the dialog.
type Pane struct {
	o        Options
	items    []Item          // in the order of the rows
	isShown  map[string]bool // by ID
	labels   bool
	isReset  bool // the choice is the default one, since the user has reset it
	selected int
	before   footer.Options // the choice at the beginning
}

// New returns the dialog with the items of the footer first, in their order.
func New(o Options) *Pane {
	p := &Pane{o: o}
	p.take(o.Now)
	p.before = p.choice()
	return p
}

// take makes options of the footer the choice.
func (p *Pane) take(o footer.Options) {
	p.items, p.isShown, p.labels = nil, map[string]bool{}, o.ShowLabels
	for _, id := range o.Items {
		i := slices.IndexFunc(p.o.Items, func(item Item) bool { return item.ID == id })
		if i >= 0 && !p.isShown[id] {
			p.isShown[id], p.items = true, append(p.items, p.o.Items[i])
		}
	}
	for _, item := range p.o.Items {
		if !p.isShown[item.ID] {
			p.items = append(p.items, item)
		}
	}
}

// choice returns the options of the footer that the user has chosen.
func (p *Pane) choice() footer.Options {
	o := footer.Options{ShowLabels: p.labels}
	for _, item := range p.items {
		if p.isShown[item.ID] {
			o.Items = append(o.Items, item.ID)
		}
	}
	return o
}

// Handle implements [pane.Pane].
func (p *Pane) Handle(e keys.Event, b *keys.Bindings) pane.Outcome {
	k, isKey := e.(keys.Key)
	if !isKey {
		return pane.Ignored{}
	}
	switch command, _ := b.Match(k.Chord, keys.SuggestCollapse, keys.SuggestExpand, keys.AppClearScreen); {
	case command == keys.SuggestCollapse:
		return p.move(-1)
	case command == keys.SuggestExpand:
		return p.move(1)
	case command == keys.AppClearScreen:
		p.reset()
		return pane.Changed{}
	case k.Text == " ":
		return p.toggle()
	}
	list := p.list(0)
	switch list.Handle(k, b) {
	case choice.Changed:
		p.selected = list.Selected()
		return pane.Changed{}
	case choice.Chosen:
		return p.toggle()
	case choice.Canceled:
		return p.close()
	}
	return pane.Ignored{}
}

// close returns the command that saves the choice, if there is something to save.
func (p *Pane) close() pane.Outcome {
	o := p.choice()
	switch {
	case p.isReset:
		return pane.Chosen{Command: p.o.Reset}
	case slices.Equal(o.Items, p.before.Items) && o.ShowLabels == p.before.ShowLabels:
		return pane.Closed{}
	}
	return pane.Chosen{Command: p.o.Save(o.Items, o.ShowLabels)}
}

func (p *Pane) reset() {
	p.take(p.o.Default)
	p.isReset = true
}

// toggle changes the selected row: it shows or hides an item or the labels, or resets the choice.
func (p *Pane) toggle() pane.Outcome {
	switch i := p.selected - len(p.items); {
	case i < 0:
		id := p.items[p.selected].ID
		p.isShown[id], p.isReset = !p.isShown[id], false
	case i == 0:
		p.labels, p.isReset = !p.labels, false
	default:
		p.reset()
	}
	return pane.Changed{}
}

// move moves the selected item by a step.
func (p *Pane) move(step int) pane.Outcome {
	from, to := p.selected, p.selected+step
	if from >= len(p.items) || to < 0 || to >= len(p.items) {
		return pane.Changed{}
	}
	p.items[from], p.items[to] = p.items[to], p.items[from]
	p.selected, p.isReset = to, false
	return pane.Changed{}
}

// list returns the rows as a list, whose details begin below each other.
func (p *Pane) list(width int) *choice.List {
	const labels, reset = "Labels", "Reset"
	size := len(labels)
	for _, item := range p.items {
		size = max(size, len(item.ID))
	}
	row := func(mark, label, about string) choice.Item {
		text := mark + " " + label
		room := width - len("  "+mark+"   ") - size
		if room < 1 {
			return choice.Item{Label: text}
		}
		return choice.Item{Label: text + strings.Repeat(" ", size-len(label)), Detail: styled.Plain(about).Cut(room).String()}
	}
	mark := func(isOn bool) string {
		if isOn {
			return "[x]"
		}
		return "[ ]"
	}
	var items []choice.Item
	for _, item := range p.items {
		items = append(items, row(mark(p.isShown[item.ID]), item.ID, item.About))
	}
	items = append(items, row(mark(p.labels), labels, "A line with labels above the items"), row("   ", reset, "Back to the default items"))
	list := choice.New(items)
	list.HasNumbers = false
	list.Select(p.selected)
	return list
}

// View implements [pane.Pane].
func (p *Pane) View(width, height int, t theme.Theme) pane.View {
	var v pane.View
	if width < 1 || height < 1 {
		return v
	}
	foot := p.foot(width, t)
	const least = 3 // rows of the list
	for len(foot) > 0 && height-len(foot)-1 < least {
		foot = foot[1:]
	}
	if height > least {
		v.Lines = append(v.Lines, styled.Of("Items of the footer", t.Accent()).Cut(width))
	}
	for _, l := range p.list(width).Lines(width, max(height-len(v.Lines)-len(foot), 1), t) {
		v.Lines = append(v.Lines, l.Cut(width))
	}
	v.Lines = append(v.Lines, foot...)
	return v
}

// foot returns the preview and the keys.
func (p *Pane) foot(width int, t theme.Theme) []styled.Line {
	lines := []styled.Line{nil, styled.Of("Preview", t.Secondary()).Cut(width)}
	preview := footer.Lines(sample(p.o.Values), p.choice(), width, t)
	if len(preview) == 0 {
		preview = []styled.Line{styled.Of("The footer has no items.", t.Secondary()).Cut(width)}
	}
	b := p.o.Bindings
	move := b.Hint(keys.SuggestCollapse) + "/" + b.Hint(keys.SuggestExpand)
	hints := []string{move + " move"}
	for _, h := range [...]struct {
		command keys.Command
		effect  string
	}{{keys.BasicConfirm, "show or hide"}, {keys.BasicCancel, "save and close"}, {keys.BasicQuit, "discard"}} {
		if key := b.Hint(h.command); key != "" {
			hints = append(hints, key+" "+h.effect)
		}
	}
	lines = append(append(lines, preview...), nil)
	return append(lines, styled.Of(strings.Join(hints, " · "), t.Secondary()).Wrap(width, nil)...)
}
