// Package tasks is the pane with the background commands of a session: which of them run, how the others have ended, and the
// terminal of the selected one, or the end of its output. A command with a terminal can get the keyboard.
package tasks

import (
	"fmt"
	"slices"
	"strings"

	"pollux/internal/face/tui/choice"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/terminal"
	"pollux/internal/tools/shell"
)

// Options configures a [Pane].
type Options struct {
	// List returns the background commands, as [shell.Processes.List] does.
	List func() []shell.Process
	// Screen returns the last rows of the terminal of a running command, false if it has none.
	Screen func(pid, most int) ([]styled.Line, bool)
	// Focus gives the keyboard to such a command, false if it has ended.
	Focus    func(pid int) bool
	Bindings *keys.Bindings // for hints
	// Background calls work on another goroutine, and then the function that it returns on the goroutine of the pane.
	Background func(work func() (show func()))
}

// Pane is the dialog. The latest command is its first row.
type Pane struct {
	o         Options
	picker    *pane.Picker
	commands  []shell.Process // by row
	output    output
	problem   string // of the last command, "" for none
	isReading bool
}

// output is the end of the output of a command.
type output struct {
	pid   int
	lines []string
	err   error
}

// maxLines is the number of lines of output that the pane keeps.
const maxLines = 200

// New returns the dialog with the commands of now, and reads the output of the latest one.
func New(o Options) *Pane {
	p := &Pane{o: o, picker: pane.NewPicker("Background commands", nil)}
	p.picker.Nothing = "No background commands."
	p.picker.About = p.about
	p.show(o.List())
	p.Refresh()
	return p
}

// IsLive reports whether a command runs, so that the pane changes by itself.
func (p *Pane) IsLive() bool {
	return slices.ContainsFunc(p.commands, func(c shell.Process) bool { return !c.Exited })
}

// Refresh reads the commands and the output of the selected one again.
func (p *Pane) Refresh() {
	if p.isReading {
		return
	}
	p.isReading = true
	selected := p.selected()
	p.o.Background(func() (show func()) {
		list := p.o.List()
		out := output{pid: selected}
		if i := slices.IndexFunc(list, func(c shell.Process) bool { return c.PID == selected }); i >= 0 {
			out.lines, out.err = list[i].LastLines(maxLines)
		}
		return func() {
			p.isReading, p.output = false, out
			if p.show(list); p.selected() != selected { // the user has moved on
				p.Refresh()
			}
		}
	})
}

// show replaces the rows. The selected command stays selected.
func (p *Pane) show(list []shell.Process) {
	p.commands = slices.Clone(list)
	slices.Reverse(p.commands)
	rows := make([]pane.Row, len(p.commands))
	for i := range p.commands {
		c := &p.commands[i]
		rows[i] = pane.Row{Label: fmt.Sprintf("%d  %s", c.PID, strings.Join(strings.Fields(c.Command), " ")), Detail: c.Phase()}
	}
	p.picker.SetRows(rows)
}

// selected returns the PID of the selected command, 0 for none.
func (p *Pane) selected() int {
	if i := p.picker.Selected(); i >= 0 {
		return p.commands[i].PID
	}
	return 0
}

// Handle implements [pane.Pane].
func (p *Pane) Handle(e keys.Event, b *keys.Bindings) pane.Outcome {
	if k, ok := e.(keys.Key); ok && k.Text == "" {
		switch command, _ := b.Match(k.Chord, keys.BackgroundToggle, keys.BackgroundKill, keys.BackgroundSelect, keys.AppFocusShellInput); {
		case command == keys.BackgroundToggle:
			return pane.Closed{}
		case command == keys.BackgroundKill:
			return p.stop()
		case command != "":
			return p.focus()
		}
	}
	before := p.selected()
	switch p.picker.Handle(e, b) {
	case choice.Changed:
		if p.selected() != before {
			p.problem = ""
			p.Refresh()
		}
		return pane.Changed{}
	case choice.Canceled:
		return pane.Closed{}
	}
	return pane.Ignored{}
}

func (p *Pane) stop() pane.Outcome {
	i := p.picker.Selected()
	if i < 0 {
		return pane.Ignored{}
	}
	if p.commands[i].Exited {
		p.problem = "The command has ended."
		return pane.Changed{}
	}
	p.problem = "Stopping the command..."
	return pane.Chosen{Command: fmt.Sprintf("/tasks stop %d", p.commands[i].PID), Stays: true}
}

// focus gives the keyboard to the selected command. The pane makes room for its terminal.
func (p *Pane) focus() pane.Outcome {
	switch i := p.picker.Selected(); {
	case i < 0:
		return pane.Ignored{}
	case p.o.Focus(p.commands[i].PID):
		return pane.Closed{}
	case p.commands[i].Exited:
		p.problem = "The command has ended."
	default:
		p.problem = "The command has no terminal to type into."
	}
	return pane.Changed{}
}

// Done implements [pane.Waiter].
func (p *Pane) Done(problem string) {
	p.problem = problem
	p.Refresh()
}

// View implements [pane.Pane].
func (p *Pane) View(width, height int, t theme.Theme) pane.View {
	var foot []styled.Line
	if p.problem != "" {
		foot = append(foot, styled.Of(styled.Text(p.problem), t.Warning()))
	}
	if i := p.picker.Selected(); i >= 0 {
		foot = append(foot, styled.Of("Log: "+styled.Text(p.commands[i].Log), t.Secondary()))
	}
	hints := []pane.Hint{{Command: keys.BackgroundKill, Effect: "stop"}, {Command: keys.BackgroundToggle, Effect: "close"}}
	if _, hasScreen := p.o.Screen(p.selected(), 1); hasScreen {
		hints = append([]pane.Hint{{Command: keys.AppFocusShellInput, Effect: "type into it"}}, hints...)
	}
	foot = append(foot, pane.Hints(width, t, p.o.Bindings, hints...))
	return p.picker.View(width, height, foot, t)
}

// about returns the terminal of a command, or the end of its output.
func (p *Pane) about(row, _, height int, t theme.Theme) []styled.Line {
	if row >= 0 {
		if lines, ok := p.o.Screen(p.commands[row].PID, height); ok && len(slices.Concat(lines...)) > 0 {
			return lines
		}
	}
	switch {
	case row < 0 || p.output.pid != p.commands[row].PID:
		return []styled.Line{styled.Of("Reading the output...", t.Secondary())}
	case p.output.err != nil:
		return []styled.Line{styled.Of("Cannot read the output: "+terminal.Brief(styled.Text(p.output.err.Error())), t.Warning())}
	case len(p.output.lines) == 0:
		return []styled.Line{styled.Of("No output yet.", t.Secondary())}
	}
	lines := make([]styled.Line, 0, height)
	for _, text := range p.output.lines[max(0, len(p.output.lines)-height):] {
		lines = append(lines, styled.Of(styled.Text(text), t.Text()))
	}
	return lines
}
