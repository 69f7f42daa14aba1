// Package inventory is the pane for things of one kind that the user manages, such as MCP servers: a list to search, the
// details of the selected item, and a menu with the actions on it. The packages beside it, such as pane/servers, describe
// the items.
package inventory

import (
	"strings"

	"pollux/internal/face/tui/choice"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/styled"
)

// Listing is the content of the pane. All texts of it may be foreign.
type Listing struct {
	Items   []Item
	Note    string // about all of the items, "" for none
	Problem string // why items are missing, "" for none
}

// Item is something that the user manages.
type Item struct {
	Name  string // identifies the item
	State string // shown behind the name
	Also  string // more text to find the item by, which is not shown
	// About describes the item, a paragraph each.
	About []string
	// Actions are the actions on the item. The first one has a key of its own.
	Actions []Action
	// IsChanging means that the state changes soon, without an action of the user.
	IsChanging bool
}

// Action is something to do with an item.
type Action struct {
	Label   string
	Command string // the / command to run
	Leaves  bool   // the pane is closed before the command runs: it asks questions, or prints much
	Lists   []Item // shown in place of running a command, if not nil
	WhyNot  string // why this cannot be done, "" if it can
}

// maxName is the maximum length of a name in a command, in bytes.
const maxName = 300

// Run returns the action that runs a command with the name of an item behind it. It cannot be done if the name cannot be
// typed.
func Run(label, command, name string) Action {
	a := Action{Label: label, Command: command + " " + name}
	if len(name) > maxName || name == "" || strings.TrimSpace(name) != name || styled.Text(name) != name || strings.HasPrefix(name, "-") {
		a.WhyNot = "its name cannot be typed"
	}
	return a
}

// Options configures a [Pane].
type Options struct {
	Title   string
	Nothing string // in place of the list if there are no items
	// List reads the items. The pane calls it in the background.
	List     func() Listing
	Bindings *keys.Bindings // for hints
	// Background calls work on another goroutine, and then the function that it returns on the goroutine of the pane.
	Background func(work func() (show func()))
}

// Pane is the dialog.
type Pane struct {
	o         Options
	content   Listing
	list      *pane.Picker
	open      *sheet // over the list, nil for none
	note      string // text that the last command has printed
	problem   string // of the last command, "" for none
	isRunning bool   // a command runs
	isReading bool
	isStale   bool // the content has changed while it was read
}

// New returns the dialog, and reads the items.
func New(o Options) *Pane {
	p := &Pane{o: o, list: pane.NewPicker(o.Title, nil)}
	p.list.Nothing = "Loading..."
	p.list.About = aboutOf(func() []Item { return p.content.Items })
	p.Refresh()
	return p
}

// IsLive reports whether an item changes, or a command runs that may change one.
func (p *Pane) IsLive() bool {
	for i := range p.content.Items {
		if p.content.Items[i].IsChanging {
			return true
		}
	}
	return p.isRunning
}

// Refresh reads the items again.
func (p *Pane) Refresh() {
	if p.isReading {
		p.isStale = true
		return
	}
	p.isReading, p.isStale = true, false
	p.o.Background(func() (show func()) {
		content := p.o.List()
		return func() {
			p.isReading = false
			p.show(content)
			if p.isStale {
				p.Refresh()
			}
		}
	})
}

// show replaces the items. The selected one stays selected, and the open menu that of its item.
func (p *Pane) show(content Listing) {
	p.content = content
	p.list.Nothing = ""
	if len(content.Items) == 0 {
		p.list.Nothing = p.o.Nothing
	}
	p.list.SetRows(rowsOf(content.Items))
	if p.open != nil && p.open.isMenu {
		if i := p.find(p.open.item.Name); i >= 0 {
			p.open.setItem(&content.Items[i])
		} else {
			p.open = nil
		}
	}
}

func (p *Pane) find(name string) int {
	for i := range p.content.Items {
		if p.content.Items[i].Name == name {
			return i
		}
	}
	return -1
}

// Done implements [pane.Waiter].
func (p *Pane) Done(problem string) {
	p.isRunning, p.note, p.problem = false, "", problem
	p.Refresh()
}

// Report implements [pane.Reporter].
func (p *Pane) Report(text string) { p.note = text }

// Handle implements [pane.Pane].
func (p *Pane) Handle(e keys.Event, b *keys.Bindings) pane.Outcome {
	if p.open != nil {
		return p.handleSheet(e, b)
	}
	if k, ok := e.(keys.Key); ok && k.Text == "" {
		if _, ok := b.Match(k.Chord, keys.NavDialogNext); ok {
			return p.runFirst()
		}
	}
	before := p.list.Selected()
	switch p.list.Handle(e, b) {
	case choice.Changed:
		if p.list.Selected() != before {
			p.note, p.problem = "", ""
		}
		return pane.Changed{}
	case choice.Chosen:
		if item := p.selected(); item != nil && len(item.Actions) > 0 {
			p.open = newMenu(item)
		}
		return pane.Changed{}
	case choice.Canceled:
		return pane.Closed{}
	}
	return pane.Ignored{}
}

// selected returns the selected item, nil for none.
func (p *Pane) selected() *Item {
	if i := p.list.Selected(); i >= 0 {
		return &p.content.Items[i]
	}
	return nil
}

// runFirst does the first action of the selected item.
func (p *Pane) runFirst() pane.Outcome {
	item := p.selected()
	if item == nil || len(item.Actions) == 0 {
		return pane.Ignored{}
	}
	return p.run(&item.Actions[0])
}

// run does an action.
func (p *Pane) run(a *Action) pane.Outcome {
	p.note, p.problem = "", ""
	switch {
	case a.WhyNot != "":
		p.problem = "Cannot do this: " + a.WhyNot + "."
		return pane.Changed{}
	case p.isRunning:
		p.problem = "Wait for the end of the last command."
		return pane.Changed{}
	case a.Lists != nil:
		p.open = newPage(a.Label, a.Lists, p.open)
		return pane.Changed{}
	case a.Leaves:
		return pane.Chosen{Command: a.Command}
	}
	p.open, p.isRunning, p.note = nil, true, "Working..."
	return pane.Chosen{Command: a.Command, Stays: true}
}
