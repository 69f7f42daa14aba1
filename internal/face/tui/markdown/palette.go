package markdown

import (
	"pollux/internal/face/tui/highlight"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
)

// Palette has the colors of rendered Markdown. The renderer adds the attributes, such as bold for strong text, so
// that a palette of zero styles still tells the elements apart.
type Palette struct {
	Heading     styled.Style // of levels 1 and 2
	Strong      styled.Style
	Emphasis    styled.Style
	CodeSpan    styled.Style
	Link        styled.Style
	Quote       styled.Style // of the bar and the text
	Rule        styled.Style
	TableBorder styled.Style
	ListMarker  styled.Style
	LineNumber  styled.Style
	// Code returns the style of a kind of tokens in code. Nil is plain text.
	Code func(highlight.Kind) styled.Style
}

// PaletteOf returns the palette of a theme.
func PaletteOf(t theme.Theme) Palette {
	return Palette{
		Heading: t.Link(), CodeSpan: t.Accent(), Link: t.Link(), Quote: t.Secondary(), Rule: t.Border(), TableBorder: t.Border(),
		ListMarker: t.Symbol(), LineNumber: t.Secondary(), Code: t.Code,
	}
}

// code returns the style of a kind of tokens.
func (p *Palette) code(k highlight.Kind) styled.Style {
	if p.Code == nil {
		return styled.Style{}
	}
	return p.Code(k)
}

// heading returns the style of a heading.
func (p *Palette) heading(level int) styled.Style {
	switch level {
	case 1, 2:
		return with(p.Heading, styled.Bold)
	case 3:
		return styled.Style{Attrs: styled.Bold}
	}
	return styled.Style{Attrs: styled.Italic | styled.Faint}
}

// with returns a style with more attributes.
func with(s styled.Style, attributes uint8) styled.Style {
	s.Attrs |= attributes
	return s
}

// over returns the style of an inner element within text of an outer style.
func over(outer, inner styled.Style) styled.Style {
	if inner.Fg != nil {
		outer.Fg = inner.Fg
	}
	if inner.Bg != nil {
		outer.Bg = inner.Bg
	}
	if inner.Underline != 0 {
		outer.Underline, outer.UnderlineColor = inner.Underline, inner.UnderlineColor
	}
	outer.Attrs |= inner.Attrs
	return outer
}
