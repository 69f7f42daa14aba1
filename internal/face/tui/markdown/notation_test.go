package markdown

import (
	"image/color"
	"strings"

	"pollux/internal/face/tui/highlight"
	"pollux/internal/face/tui/styled"
)

// paint is a color that has a name in the notation of tests.
type paint uint8

const names = "heading strong emphasis code link quote rule border marker number"

// RGBA implements color.Color.
func (p paint) RGBA() (r, g, b, a uint32) { return color.Gray{Y: uint8(p)}.RGBA() }

func (p paint) String() string {
	if p >= 100 {
		return highlight.Kind(p - 100).String()
	}
	return strings.Fields(names)[p]
}

func named(i paint) styled.Style { return styled.Style{Fg: i} }

// testPalette returns a palette with a different color for each element.
func testPalette() Palette {
	return Palette{
		Heading: named(0), Strong: named(1), Emphasis: named(2), CodeSpan: named(3), Link: named(4), Quote: named(5),
		Rule: named(6), TableBorder: named(7), ListMarker: named(8), LineNumber: named(9),
		Code: func(k highlight.Kind) styled.Style {
			if k == highlight.Plain {
				return styled.Style{}
			}
			return named(100 + paint(k))
		},
	}
}

// notation writes lines with their styles: ‹color+attributes@link:text›.
func notation(lines []styled.Line) string {
	var b strings.Builder
	for _, l := range lines {
		for i := 0; i < len(l); i++ {
			s := l[i]
			for i+1 < len(l) && l[i+1].Style == s.Style && l[i+1].Link == s.Link {
				i++
				s.Text += l[i].Text
			}
			b.WriteString(spanNotation(s))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func spanNotation(s styled.Span) string {
	mark := ""
	if p, ok := s.Style.Fg.(paint); ok {
		mark = p.String()
	}
	for _, a := range []struct {
		bit  uint8
		name string
	}{{styled.Bold, "+b"}, {styled.Faint, "+f"}, {styled.Italic, "+i"}, {styled.Strikethrough, "+s"}} {
		if s.Style.Attrs&a.bit != 0 {
			mark += a.name
		}
	}
	if s.Link != "" {
		mark += "@" + s.Link
	}
	if mark == "" {
		return s.Text
	}
	return "‹" + mark + ":" + s.Text + "›"
}

// plain writes lines without their styles.
func plain(lines []styled.Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.String() + "\n")
	}
	return b.String()
}

// split returns the blocks of a text that comes in one chunk.
func split(text string) []Block {
	var s Splitter
	return append(s.Add(text), s.End()...)
}

// render returns the lines of all blocks of a text.
func render(r *Renderer, text string) (lines []styled.Line) {
	for _, b := range split(text) {
		lines = append(lines, r.Render(b)...)
	}
	return lines
}
