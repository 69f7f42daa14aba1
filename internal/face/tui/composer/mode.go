package composer

import (
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
)

// Mode is the approval mode that the composer shows.
type Mode uint8

// The approval modes.
const (
	Normal Mode = iota
	AutoEdit
	Sandboxed
	Plan
	Yolo
)

// prefix returns the text before the input.
func (c *Composer) prefix() string {
	switch {
	case c.search != nil:
		return "(r:) "
	case c.isShell:
		return "! "
	case c.Mode == Yolo:
		return "* "
	}
	return "> "
}

// placeholder returns the text of an empty input.
func (c *Composer) placeholder() string {
	switch {
	case c.isShell:
		return "  Type your shell command"
	case c.Vim != nil && c.inserts():
		return "  Press 'Esc' for NORMAL mode."
	case c.Vim != nil:
		return "  Press 'i' for INSERT mode."
	}
	return "  Type your message or @path/to/file"
}

// styles returns the styles of the prefix and of the rules.
func (c *Composer) styles(t theme.Theme) (prefix, rule styled.Style) {
	switch {
	case c.isShell:
		prefix = t.Symbol()
	case c.Mode == Yolo:
		prefix = t.Error()
	case c.Mode == Plan:
		prefix = t.Success()
	case c.Mode == AutoEdit, c.Mode == Sandboxed:
		prefix = t.Warning()
	default:
		return t.Accent(), c.plainRule(t)
	}
	if c.IsAway || t.Kind == theme.Plain { // attributes such as reverse are not for a whole line
		return prefix, t.Border()
	}
	return prefix, prefix
}

// plainRule returns the style of the rules without a mode.
func (c *Composer) plainRule(t theme.Theme) styled.Style {
	if c.IsAway || t.Kind == theme.Plain {
		return t.Border()
	}
	return t.Focus()
}
