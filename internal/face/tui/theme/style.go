package theme

import (
	"image/color"

	uv "github.com/charmbracelet/ultraviolet"

	"pollux/internal/face/tui/styled"
)

// styleOf returns the style of text in this color, or in a theme without colors the style with these attributes.
func (t Theme) styleOf(fg color.Color, attributes uint8) styled.Style {
	if t.Kind == Plain {
		return styled.Style{Attrs: attributes}
	}
	return styled.Style{Fg: fg}
}

// Text returns the style of ordinary text.
func (t Theme) Text() styled.Style { return styled.Style{Fg: t.Colors.Primary} }

// Response returns the style of the model's text.
func (t Theme) Response() styled.Style { return styled.Style{Fg: t.Colors.Response} }

// Secondary returns the style of text that matters less, such as hints.
func (t Theme) Secondary() styled.Style { return t.styleOf(t.Colors.Secondary, styled.Faint) }

// Accent returns the style of text that stands out, such as the names of commands.
func (t Theme) Accent() styled.Style { return t.styleOf(t.Colors.Accent, styled.Bold) }

// Link returns the style of links. Without colors they are underlined.
func (t Theme) Link() styled.Style {
	s := t.styleOf(t.Colors.Link, 0)
	if t.Kind == Plain {
		s.Underline = uv.UnderlineSingle
	}
	return s
}

// Comment returns the style of remarks of the user interface.
func (t Theme) Comment() styled.Style {
	return t.styleOf(t.Colors.Comment, styled.Faint|styled.Italic)
}

// Symbol returns the style of symbols such as list bullets.
func (t Theme) Symbol() styled.Style { return t.styleOf(t.Colors.Symbol, 0) }

// Active returns the style of the element that is at work or current.
func (t Theme) Active() styled.Style { return t.styleOf(t.Colors.Active, styled.Bold) }

// Dark returns the style of decoration.
func (t Theme) Dark() styled.Style { return t.styleOf(t.Colors.Dark, styled.Faint) }

// Focus returns the style of the element that gets the user's keys, without a background.
func (t Theme) Focus() styled.Style { return t.styleOf(t.Colors.Focus, styled.Bold) }

// Border returns the style of lines around boxes.
func (t Theme) Border() styled.Style { return t.styleOf(t.Colors.Border, styled.Faint) }

// Error returns the style of errors.
func (t Theme) Error() styled.Style { return t.styleOf(t.Colors.Error, styled.Bold|styled.Reverse) }

// Success returns the style of finished work.
func (t Theme) Success() styled.Style { return t.styleOf(t.Colors.Success, styled.Bold) }

// Warning returns the style of warnings.
func (t Theme) Warning() styled.Style {
	s := t.styleOf(t.Colors.Warning, styled.Bold)
	if t.Kind == Plain {
		s.Underline = uv.UnderlineSingle
	}
	return s
}

// Selected returns the style of the selected row of a list. Without colors it is reversed.
func (t Theme) Selected() styled.Style {
	s := t.styleOf(t.Colors.Focus, styled.Reverse)
	s.Bg = t.Colors.Selection
	return s
}

// Input returns the style of text in the input box. Its background is nil if the box has none.
func (t Theme) Input() styled.Style {
	return styled.Style{Fg: t.Colors.Primary, Bg: t.Colors.Input}
}

// Message returns the style of a message of the user. Its background is nil if messages have none.
func (t Theme) Message() styled.Style {
	return styled.Style{Fg: t.Colors.Primary, Bg: t.Colors.Message}
}

// DiffAdded returns the style of an added line of a diff.
func (t Theme) DiffAdded() styled.Style {
	s := t.styleOf(t.Colors.Primary, styled.Bold)
	s.Bg = t.Colors.DiffAdded
	return s
}

// DiffRemoved returns the style of a removed line of a diff.
func (t Theme) DiffRemoved() styled.Style {
	s := t.styleOf(t.Colors.Primary, styled.Faint)
	s.Bg = t.Colors.DiffRemoved
	return s
}
