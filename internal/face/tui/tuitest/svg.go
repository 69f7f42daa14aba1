package tuitest

import (
	"encoding/xml"
	"fmt"
	"image/color"
	"strconv"
	"strings"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
)

// Sizes of an SVG, in pixels.
const (
	cellWidth  = 8.4 // of most monospace fonts at fontSize
	cellHeight = 19
	fontSize   = 14
	margin     = 14 // around the rows
	barHeight  = 30 // of the window
)

// SVG returns the rows as a picture of a window with a title. It contains neither scripts nor fonts: the reader's own font
// is fitted to the cells.
func (p Picture) SVG(title string) []byte {
	s := svg{picture: p, classes: map[string]string{}}
	for y, row := range p.Rows {
		s.row(row, barHeight+margin+y*cellHeight)
	}
	width, height := 2*margin+cellWidth*float64(p.Width), barHeight+2*margin+len(p.Rows)*cellHeight
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %d" width="%[1]s" height="%[2]d" role="img" xml:space="preserve">`+"\n", number(width), height)
	fmt.Fprintf(&b, "<title>%s</title>\n<style>\ntext{font:%dpx ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace;fill:%s}\n%s</style>\n",
		escape(title), fontSize, hex(p.Foreground), s.rules.String())
	fmt.Fprintf(&b, `<rect x=".5" y=".5" width="%s" height="%d" rx="9" fill="%s" stroke="#808080"/>`+"\n", number(width-1), height-1, hex(p.Background))
	for i, fill := range []string{"#ff5f57", "#febc2e", "#28c840"} {
		fmt.Fprintf(&b, `<circle cx="%d" cy="17" r="5.5" fill="%s"/>`+"\n", 20+18*i, fill)
	}
	fmt.Fprintf(&b, `<text x="%s" y="21" text-anchor="middle" opacity=".6">%s</text>`+"\n", number(width/2), escape(title))
	b.WriteString(s.body.String() + "</svg>\n")
	return []byte(b.String())
}

// svg is a picture in progress.
type svg struct {
	picture Picture
	body    strings.Builder
	rules   strings.Builder   // of the style sheet
	classes map[string]string // names by declarations
}

// row adds a row, whose upper edge is at y.
func (s *svg) row(row []uv.Cell, y int) {
	var texts strings.Builder
	column := 0
	for len(row) > 0 {
		n, width, text := run(row)
		fg, bg := s.colors(row[0].Style)
		if bg != nil {
			fmt.Fprintf(&s.body, `<rect x="%s" y="%d" width="%s" height="%d" fill="%s"/>`+"\n", s.x(column), y, number(cellWidth*float64(width)), cellHeight, hex(bg))
		}
		s.span(&texts, row[0].Style, fg, column, width, text)
		row, column = row[n:], column+width
	}
	if texts.Len() > 0 {
		fmt.Fprintf(&s.body, `<text y="%d">%s</text>`+"\n", y+cellHeight-5, texts.String())
	}
}

// span adds text of one style in width columns. Spaces at its ends are left out, unless a line is to be seen there.
func (s *svg) span(b *strings.Builder, style uv.Style, fg color.Color, column, width int, text string) {
	if style.Underline == uv.UnderlineNone && style.Attrs&uv.AttrStrikethrough == 0 {
		rest := strings.TrimLeft(text, " ")
		column, width = column+len(text)-len(rest), width-len(text)+len(rest)
		text = strings.TrimRight(rest, " ")
		width -= len(rest) - len(text)
	}
	if text == "" {
		return
	}
	fmt.Fprintf(b, `<tspan x="%s"%s`, s.x(column), s.class(fg, style))
	if width > 1 || text[0] >= utf8.RuneSelf {
		fmt.Fprintf(b, ` textLength="%s" lengthAdjust="spacingAndGlyphs"`, number(cellWidth*float64(width)))
	}
	fmt.Fprintf(b, ">%s</tspan>", escape(text))
}

// run returns the number of the first cells that are drawn at once, their columns and their text: ASCII of one style, or one other
// character as often as it is repeated. A font may have a width of its own for the latter.
func run(row []uv.Cell) (n, width int, text string) {
	isASCII := func(c uv.Cell) bool { return len(c.Content) == 1 }
	for n < len(row) && row[n].Style.Equal(&row[0].Style) && (isASCII(row[0]) && isASCII(row[n]) || row[n].Content == row[0].Content) {
		width += max(row[n].Width, 1)
		text += row[n].Content
		n++
	}
	return n, width, text
}

// colors returns the colors of a style. The background is nil if it is that of the screen.
func (s *svg) colors(style uv.Style) (fg, bg color.Color) {
	fg, bg = style.Fg, style.Bg
	if style.Attrs&uv.AttrReverse != 0 {
		if fg == nil {
			fg = s.picture.Foreground
		}
		if bg == nil {
			bg = s.picture.Background
		}
		return bg, fg
	}
	return fg, bg
}

// class returns the attribute for a style, "" for plain text.
func (s *svg) class(fg color.Color, style uv.Style) string {
	var rule, lines strings.Builder
	if fg != nil && hex(fg) != hex(s.picture.Foreground) {
		rule.WriteString("fill:" + hex(fg) + ";")
	}
	for _, a := range []struct {
		attribute   uint8
		declaration string
	}{{uv.AttrBold, "font-weight:bold;"}, {uv.AttrFaint, "opacity:.6;"}, {uv.AttrItalic, "font-style:italic;"}} {
		if style.Attrs&a.attribute != 0 {
			rule.WriteString(a.declaration)
		}
	}
	if style.Underline != uv.UnderlineNone {
		lines.WriteString(" underline")
	}
	if style.Attrs&uv.AttrStrikethrough != 0 {
		lines.WriteString(" line-through")
	}
	if lines.Len() > 0 {
		rule.WriteString("text-decoration:" + lines.String()[1:] + ";")
	}
	if rule.Len() == 0 {
		return ""
	}
	name, isKnown := s.classes[rule.String()]
	if !isKnown {
		name = "s" + strconv.Itoa(len(s.classes))
		s.classes[rule.String()] = name
		fmt.Fprintf(&s.rules, ".%s{%s}\n", name, strings.TrimSuffix(rule.String(), ";"))
	}
	return ` class="` + name + `"`
}

// x returns the left edge of a column.
func (s *svg) x(column int) string { return number(margin + cellWidth*float64(column)) }

// number returns a number with at most one decimal.
func number(x float64) string { return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0") }

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // it does not fail
	return b.String()
}
