package rewind

import (
	"strconv"
	"strings"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/terminal"
)

// list is the list of prompts. Its last row stays at the current position.
type list struct {
	turns      []turn
	selected   int  // len(turns) is the last row
	top        int  // the first row on the screen
	isExpanded bool // the selected prompt is shown in full
}

// stayText is the last row.
const stayText = "Stay at current position"

// stays reports whether the last row is selected.
func (l *list) stays() bool { return l.selected == len(l.turns) }

// press moves the selection, or expands the selected prompt, if the key says so.
func (l *list) press(k keys.Key, b *keys.Bindings) bool {
	command, _ := b.Match(k.Chord, keys.NavDialogUp, keys.NavDialogDown, keys.CursorRight, keys.CursorLeft, keys.ScrollPageUp,
		keys.ScrollPageDown, keys.ScrollHome, keys.ScrollEnd, keys.CursorHome, keys.CursorEnd)
	const page = 8
	switch command {
	case keys.NavDialogUp:
		l.move(-1)
	case keys.NavDialogDown:
		l.move(1)
	case keys.ScrollPageUp:
		l.move(-page)
	case keys.ScrollPageDown:
		l.move(page)
	case keys.ScrollHome, keys.CursorHome:
		l.move(-l.selected)
	case keys.ScrollEnd, keys.CursorEnd:
		l.move(len(l.turns))
	case keys.CursorRight:
		l.isExpanded = true
	case keys.CursorLeft:
		l.isExpanded = false
	default:
		return false
	}
	return true
}

func (l *list) move(by int) {
	to := max(0, min(l.selected+by, len(l.turns)))
	l.isExpanded = l.isExpanded && to == l.selected
	l.selected = to
}

// name returns the selected prompt as commands name it: by its ID, which stays the same, or if that is no plain word, by its
// number.
func (l *list) name() string {
	id := l.turns[l.selected].id
	isSign := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
	}
	const most = 100
	if id == "" || id[0] == '-' || len(id) > most || strings.ContainsFunc(id, isSign) {
		return strconv.Itoa(l.selected + 1)
	}
	return id
}

// listLines returns the screen with the prompts.
func (p *Pane) listLines(width, height int, t theme.Theme) []styled.Line {
	expand := p.hint(keys.CursorRight, "expand")
	switch {
	case p.list.stays():
		expand = ""
	case p.list.isExpanded:
		expand = p.hint(keys.CursorLeft, "collapse")
	}
	keysText := hints(p.hint(keys.BasicConfirm, "choose"), expand, p.hint(keys.BasicCancel, "close"))
	return pane.Frame(width, height, t, "Rewind to the state before a prompt", styled.Of(keysText, t.Secondary()), func(height int) []styled.Line {
		if !p.isRead {
			return []styled.Line{styled.Of("Loading prompts…", t.Secondary()).Cut(width)}
		}
		return p.list.lines(width, height, t)
	})
}

// lines returns at most height lines of the list, the selected row among them. Only the rows on the screen are drawn.
func (l *list) lines(width, height int, t theme.Theme) (lines []styled.Line) {
	l.scroll(width, height, t)
	for i := l.top; i <= len(l.turns) && len(lines) < height; i++ {
		lines = append(lines, l.row(i, width, height, t)...)
	}
	return lines[:min(len(lines), height)]
}

// scroll moves the first row on the screen so that the selected one is on it, and no room is left at the end.
func (l *list) scroll(width, height int, t theme.Theme) {
	used := 0
	first := l.selected
	for ; first >= 0; first-- { // the first row from which on there is room for the selected one
		if used += len(l.row(first, width, height, t)); used > height {
			break
		}
	}
	l.top = min(max(l.top, min(first+1, l.selected)), l.selected)
	used = 0
	for i := l.top; i <= len(l.turns) && used <= height; i++ {
		used += len(l.row(i, width, height, t))
	}
	for l.top > 0 {
		if used += len(l.row(l.top-1, width, height, t)); used > height {
			return
		}
		l.top--
	}
}

// row returns the lines of a row, at most height of them: two lines of the prompt, or as many as it has if it is expanded, and
// one about the changes of files.
func (l *list) row(i, width, height int, t theme.Theme) []styled.Line {
	marker, style := "  ", t.Text()
	if i == l.selected {
		marker, style = "❯ ", t.Selected()
	}
	indent := styled.Plain("  ")
	if width < 2*terminal.Width(marker) {
		marker, indent = "", nil
	}
	if i == len(l.turns) {
		return []styled.Line{styled.Of(marker+stayText, style).Cut(width)}
	}
	u := &l.turns[i]
	most := 2
	if l.isExpanded && i == l.selected {
		most = max(2, height-1)
	}
	lines := u.lines(marker, most, width, indent, style)
	return append(lines, append(indent[:len(indent):len(indent)], summary(u.changes, t)...).Cut(width))
}

// lines returns at most so many lines of the prompt.
func (u *turn) lines(marker string, most, width int, indent styled.Line, style styled.Style) []styled.Line {
	text := terminal.Cut(u.shown(), 8*most*width) // no more is on the screen
	lines := styled.Of(marker+text, style).Wrap(width, indent)
	if len(lines) > most {
		lines = lines[:most]
		lines[most-1] = append(lines[most-1], styled.Span{Text: "…", Style: style}).Cut(width)
	}
	return lines
}
