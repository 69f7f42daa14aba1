package sessions

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/sessions"
	"pollux/internal/sessions/textindex"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// separator is between two columns.
const separator = " │ "

// columns are the widths of the columns before the last one, 0 for those that there is no room for.
type columns struct{ number, messages, age int }

// columns returns the widths for a width of the screen.
func (p *Pane) columns(width int) columns {
	const minName = 20
	c := columns{number: len("#" + strconv.Itoa(len(p.list.entries))), messages: len("Msgs"), age: len("999d")}
	if width < c.number+c.messages+c.age+minName {
		c.messages, c.age = 0, 0
	}
	return c
}

// line returns the cells of the columns before the last one.
func (c columns) line(number, messages, age string) string {
	cells := pad(number, c.number) + separator
	if c.messages > 0 {
		cells += fmt.Sprintf("%*s", c.messages, messages) + separator + fmt.Sprintf("%*s", c.age, age) + separator
	}
	return cells
}

func pad(text string, width int) string { return text + strings.Repeat(" ", max(0, width-len(text))) }

func (p *Pane) columnLine(width int, t theme.Theme) []styled.Line {
	if len(p.list.rows) == 0 {
		return nil
	}
	last := "Name"
	if p.search.text() != "" {
		last = "Match"
	}
	return []styled.Line{styled.Of("  "+p.columns(width).line("#", "Msgs", "Age")+last, t.Secondary()).Cut(width)}
}

// listLines returns the rows of at most height sessions.
func (p *Pane) listLines(width, height int, t theme.Theme) (lines []styled.Line) {
	if height < 1 {
		return nil
	}
	if len(p.list.rows) == 0 {
		return []styled.Line{styled.Of(p.emptyText(), t.Secondary()).Cut(width)}
	}
	now := p.o.Now()
	from, to := p.list.scroll(height)
	c := p.columns(width)
	for row := from; row < to; row++ {
		e := p.list.at(row)
		marker, style := "  ", t.Text()
		if e.ID == p.o.Current {
			style = t.Secondary()
		}
		if row == p.list.selected {
			marker, style = "❯ ", t.Selected()
		}
		head := marker + c.line("#"+strconv.Itoa(e.number), short(e.Prompts), wording.Age(now.Sub(e.Updated)))
		line := append(styled.Of(head, style), p.name(e, max(1, width-terminal.Width(head)), style, t)...)
		lines = append(lines, line.Cut(width))
	}
	return lines
}

// emptyText says why there are no rows.
func (p *Pane) emptyText() string {
	switch {
	case p.state == loading:
		return "Loading sessions…"
	case p.search.text() == "":
		return "No sessions found."
	case p.search.cancel != nil:
		return "No title has this text."
	}
	return "No session has this text."
}

// name returns the last cell of a row: the title, or the place of the session where the text is that is searched for.
func (p *Pane) name(e *entry, width int, style styled.Style, t theme.Theme) styled.Line {
	suffix := ""
	if e.ID == p.o.Current {
		suffix = " (current)"
	}
	label, text := "", styled.Text(e.Title)
	needle := textindex.Fold(nil, []byte(p.search.text()))
	if excerpts := p.search.excerpts[e.ID]; len(needle) > 0 && len(excerpts) > 0 {
		label, text = speaker(excerpts[0])+": ", styled.Text(excerpts[0].Text)
		const minWidth = 30
		if n := len(excerpts) - 1; n > 0 && width >= minWidth {
			suffix = fmt.Sprintf(" (+%d more)", n) + suffix
		}
	}
	const minText = 4
	if width < len(suffix)+minText {
		suffix = ""
	}
	found := style
	found.Attrs |= styled.Bold
	room := max(1, width-len(suffix)-len(label))
	line := append(styled.Of(label, style), highlight(text, needle, room, style, found)...).Cut(width - len(suffix))
	return append(line, styled.Span{Text: suffix, Style: t.Secondary()})
}

// speaker returns the source of an excerpt.
func speaker(e sessions.Excerpt) string {
	switch e.Kind {
	case "user":
		return "You"
	case "tool":
		return "Tool"
	}
	return "Model"
}

// highlight returns a text with the folded needle in another style. If that would be behind the width, the text begins
// near it.
func highlight(text string, needle []byte, width int, style, found styled.Style) styled.Line {
	at := -1
	if len(needle) > 0 {
		at = bytes.Index(textindex.Fold(nil, []byte(text)), needle)
	}
	if at < 0 {
		return styled.Of(text, style)
	}
	from, to := textindex.Unfold([]byte(text), at), textindex.Unfold([]byte(text), at+len(needle))
	head, match, tail := text[:from], text[from:to], text[to:]
	if terminal.Width(head)+terminal.Width(match) > width {
		head = "…" + lastColumns(head, width/3)
	}
	return styled.Line{{Text: head, Style: style}, {Text: match, Style: found}, {Text: tail, Style: style}}
}

// lastColumns returns the end of a text, at most so many characters.
func lastColumns(text string, n int) string {
	runes := []rune(text)
	return string(runes[max(0, len(runes)-n):])
}

// short returns a number in at most four characters.
func short(n int) string {
	switch {
	case n < 10_000:
		return strconv.Itoa(n)
	case n < 1_000_000:
		return strconv.Itoa(n/1000) + "k"
	}
	return "999k"
}
