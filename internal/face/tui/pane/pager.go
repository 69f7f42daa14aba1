package pane

import (
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
)

// Pager shows a part of its lines, and scrolls in them.
type Pager struct {
	Lines []styled.Line

	top    int // the first line on the screen
	height int // of the last view
}

// Handle takes a key that scrolls. It returns false for other keys.
func (p *Pager) Handle(k keys.Key, b *keys.Bindings) bool {
	command, _ := b.Match(k.Chord, keys.NavDialogUp, keys.NavDialogDown, keys.ScrollUp, keys.ScrollDown, keys.ScrollPageUp,
		keys.ScrollPageDown, keys.ScrollHome, keys.ScrollEnd, keys.CursorHome, keys.CursorEnd)
	switch command {
	case keys.NavDialogUp, keys.ScrollUp:
		p.top--
	case keys.NavDialogDown, keys.ScrollDown:
		p.top++
	case keys.ScrollPageUp:
		p.top -= max(p.height, 1)
	case keys.ScrollPageDown:
		p.top += max(p.height, 1)
	case keys.ScrollHome, keys.CursorHome:
		p.top = 0
	case keys.ScrollEnd, keys.CursorEnd:
		p.top = len(p.Lines)
	default:
		return false
	}
	p.clamp()
	return true
}

// Top returns the index of the first line on the screen.
func (p *Pager) Top() int { return p.top }

// View returns the lines that are on the screen, at most height.
func (p *Pager) View(height int) []styled.Line {
	p.height = height
	p.clamp()
	return p.Lines[p.top:min(p.top+height, len(p.Lines))]
}

func (p *Pager) clamp() { p.top = max(0, min(p.top, len(p.Lines)-p.height)) }

// ScrollHint returns the keys that scroll a page, with their effect, "" if there are none.
func ScrollHint(b *keys.Bindings) string {
	up, down := b.Hint(keys.ScrollPageUp), b.Hint(keys.ScrollPageDown)
	if up == "" || down == "" {
		return ""
	}
	return up + ", " + down + " scroll"
}
