package viewer

import (
	"fmt"
	"sort"

	uv "github.com/charmbracelet/ultraviolet"

	"pollux/internal/face/tui/inline"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/terminal"
)

const underlined = uv.UnderlineSingle

// separator stands between the parts of the last line.
const separator = " · "

// addStatus adds the last line.
func (v *Viewer) addStatus(view *pane.View, width int, t theme.Theme) {
	if v.isTyping {
		v.addField(view, width, t)
		return
	}
	line := styled.Of(v.position(), t.Text())
	if text := v.searchText(); text != "" {
		line = append(line, styled.Span{Text: separator + text, Style: t.Accent()})
	}
	if v.notice != "" {
		notice := styled.Span{Text: styled.Text(v.notice), Style: t.Text()}
		if all := append(line, styled.Span{Text: separator}, notice); all.Width() <= width {
			view.Lines = append(view.Lines, all)
		} else {
			view.Lines = append(view.Lines, styled.Line{notice}.Cut(width))
		}
		return
	}
	for _, hint := range v.hints() {
		if line.Width()+terminal.Width(separator+hint) > width {
			break
		}
		line = append(line, styled.Span{Text: separator + hint, Style: t.Secondary()})
	}
	view.Lines = append(view.Lines, line.Cut(width))
}

// addField adds the search that the user types.
func (v *Viewer) addField(view *pane.View, width int, t theme.Theme) {
	sign := styled.Of("/", t.Accent())
	if width < 4 {
		sign = nil
	}
	result := styled.Of(v.countText(), t.Secondary())
	room := width - sign.Width() - result.Width() - 2
	if room < width/2 || len(v.countText()) == 0 {
		result, room = nil, width-sign.Width()
	}
	lines, cursor, _ := v.field.Lines(max(room, 1), 1, t)
	var text styled.Line
	if len(lines) > 0 {
		text = lines[0]
	}
	line := append(sign, text...)
	if len(result) > 0 {
		line = append(line, styled.Span{Text: "  "})
		line = append(line, result...)
	}
	view.Cursor, view.HasCursor = inline.Position{Row: len(view.Lines), Column: min(cursor.Column+sign.Width(), width-1)}, true
	view.Lines = append(view.Lines, line.Cut(width))
}

// position says where the screen is.
func (v *Viewer) position() string {
	c := v.sheet.conversation
	if c.Len() == 0 {
		return "0%"
	}
	prompts := c.Prompts()
	n := sort.SearchInts(prompts, v.top.item+1)
	text := fmt.Sprintf("%d%%", v.percent())
	if len(prompts) > 0 && n > 0 {
		text = fmt.Sprintf("Prompt %d of %d%s%s", n, len(prompts), separator, text)
	}
	return text
}

// percent returns the share of the conversation before the screen, 100 at the end.
func (v *Viewer) percent() int {
	c := v.sheet.conversation
	if v.atEnd {
		return 100
	}
	before := c.Start(v.top.item)
	d := v.sheet.document(v.top.item)
	for i := range v.top.piece {
		before += d.PieceSize(i)
	}
	return min(int(float64(before)/float64(max(c.Size(), 1))*100), 99)
}

// searchText describes the search.
func (v *Viewer) searchText() string {
	if v.search == nil {
		return ""
	}
	return "/" + styled.Text(v.search.text) + " " + v.countText()
}

// countText returns the number of the current match and of all.
func (v *Viewer) countText() string {
	s := v.search
	if s == nil {
		return ""
	}
	total := s.finder.total()
	switch {
	case !s.finder.isDone && s.wanted != nowhere:
		return "searching…"
	case !s.finder.isDone:
		return fmt.Sprintf("%d found so far", total)
	case total == 0:
		return "no matches"
	case s.hasCurrent:
		return fmt.Sprintf("%d of %d", min(s.finder.number(s.current), total), total)
	}
	return fmt.Sprintf("%d found", total)
}

// hints returns what the keys do, the most useful first.
func (v *Viewer) hints() []string {
	code := "c copy"
	if t := v.target(); t.code > 0 {
		code = "c copy code"
	}
	list := []string{"q close", "/ search", code, "p/P prompts", "y copy answer", "e editor", "Tab next code"}
	if v.search != nil {
		list = append([]string{"n/N matches"}, list...)
	}
	return list
}
