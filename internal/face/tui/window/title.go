package window

import (
	"strings"

	"pollux/internal/face/tui/styled"
	"pollux/internal/terminal"
)

// State is the state of a session that the title shows.
type State uint8

// States of a session.
const (
	Ready   State = iota // waits for input
	Working              // works
	Asking               // waits for an answer of the user
	Quiet                // works, but a command has been silent for long
)

// Title is the content of the window's title.
type Title struct {
	State    State
	Context  string // such as the name of the folder, "" for none
	Thought  string // subject of the newest thought, shown while Pollux works; "" for none
	IsStatic bool   // the title does not show the state
}

// titleWidth is the number of columns of each title: a title that changes its length moves the tabs of some terminals.
const titleWidth = 80

// Text returns the title, 80 columns wide.
func (t Title) Text() string {
	head, isOptional := t.head()
	const longest = 4 * titleWidth // bytes of a text, more than can be shown
	context := terminal.Title(terminal.Cut(t.Context, longest))
	suffix := ""
	if context != "" {
		suffix = " (" + context + ")"
	}
	text := head + suffix
	if terminal.Width(text) > titleWidth {
		room := titleWidth - terminal.Width(head+" ()")
		text = head + " (" + styled.Plain(context).Cut(room).String() + ")"
		if isOptional {
			text = styled.Plain(head).Cut(titleWidth).String()
		}
	}
	return text + strings.Repeat(" ", max(titleWidth-terminal.Width(text), 0))
}

// head returns the title without the context, and whether the context is left out if there is no room for all of it.
func (t Title) head() (text string, isOptional bool) {
	if t.IsStatic {
		return "Pollux", false
	}
	thought := terminal.Title(terminal.Cut(t.Thought, 4*titleWidth))
	switch {
	case t.State == Working && thought != "":
		return "✦  " + thought, true
	case t.State == Working:
		return "✦  Working…", false
	case t.State == Asking:
		return "✋  Action Required", false
	case t.State == Quiet:
		return "⏲  Working…", false
	}
	return "◇  Ready", false
}

// Titler sets the title of the window when it changes. The zero value has set none.
type Titler struct{ last string }

// Set returns the sequence that sets a title, "" if the window has it already.
func (r *Titler) Set(t Title) string {
	text := t.Text()
	if text == r.last {
		return ""
	}
	r.last = text
	return osc("0;" + text)
}
