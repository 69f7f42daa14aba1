package question

import (
	"fmt"
	"slices"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
)

// body is the subject of a question with its warnings, of which the user can scroll a part into view.
type body struct {
	above    []string                                     // words of a hook
	draw     func(width int, t theme.Theme) []styled.Line // returns the subject
	warnings []string
	hint     string // the keys that scroll

	lines []styled.Line // of the subject and the warnings, in this width and theme
	width int
	theme string
	top   int // the first line that is shown
	rows  int // lines that were shown last
}

// scroll takes a key that scrolls. It returns false for other keys, and if all lines are shown.
func (b *body) scroll(k keys.Key, bindings *keys.Bindings) bool {
	if len(b.lines) <= b.rows {
		return false
	}
	command, ok := bindings.Match(k.Chord, keys.ScrollUp, keys.ScrollDown, keys.ScrollPageUp, keys.ScrollPageDown, keys.ScrollHome, keys.ScrollEnd)
	if !ok {
		return false
	}
	page := max(b.rows-1, 1)
	switch command {
	case keys.ScrollUp:
		b.top--
	case keys.ScrollDown:
		b.top++
	case keys.ScrollPageUp:
		b.top -= page
	case keys.ScrollPageDown:
		b.top += page
	case keys.ScrollHome:
		b.top = 0
	case keys.ScrollEnd:
		b.top = len(b.lines)
	}
	b.top = max(0, min(b.top, len(b.lines)-b.rows))
	return true
}

// view returns at most height lines, but at least two if there are as many. The last one names the position if lines
// are hidden.
func (b *body) view(width, height int, t theme.Theme) []styled.Line {
	if b.width != width || b.theme != t.Name {
		warn := func(texts []string) (lines []styled.Line) {
			for _, text := range texts {
				lines = append(lines, styled.Of(text, t.Warning()).Wrap(width, nil)...)
			}
			return lines
		}
		b.lines, b.width, b.theme = slices.Concat(warn(b.above), b.draw(width, t), warn(b.warnings)), width, t.Name
	}
	height = max(height, 2)
	if len(b.lines) <= height {
		b.top, b.rows = 0, height
		return b.lines
	}
	b.rows = height - 1
	b.top = max(0, min(b.top, len(b.lines)-b.rows))
	shown := slices.Clone(b.lines[b.top : b.top+b.rows])
	position, style := fmt.Sprintf("lines %d-%d of %d", b.top+1, b.top+b.rows, len(b.lines)), t.Secondary()
	if len(b.warnings) > 0 && b.top+b.rows < len(b.lines) {
		position, style = position+", warnings below", t.Warning()
	}
	return append(shown, styled.Of(position+" ("+b.hint+")", style).Cut(width))
}
