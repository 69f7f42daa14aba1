package sessions

import (
	"fmt"
	"strings"

	"pollux/internal/face/tui/inline"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/wording"
)

// maxRows is the maximum number of sessions on the screen.
const maxRows = 20

// parts are the parts of the screen above and below the list.
type parts struct{ title, search, columns, preview, notice, hints []styled.Line }

func (s *parts) height() int {
	return len(s.title) + len(s.search) + len(s.columns) + len(s.preview) + len(s.notice) + len(s.hints)
}

// fit leaves out parts until there is room for a row of the list. The search stays, and the question about deleting a
// session, for which asks is set.
func (s *parts) fit(height int, asks bool) {
	for _, part := range [...]*[]styled.Line{&s.columns, &s.hints, &s.title, &s.notice} {
		if s.height() < height {
			return
		}
		if part != &s.notice || !asks {
			*part = nil
		}
	}
	s.notice = s.notice[:min(len(s.notice), height)]
}

// View implements [pane.Pane].
func (p *Pane) View(width, height int, t theme.Theme) pane.View {
	if width < 1 || height < 1 {
		return pane.View{}
	}
	s := parts{title: p.titleLine(width, t), columns: p.columnLine(width, t), notice: p.noticeLines(width, t), hints: p.hintLines(width, t)}
	var cursor inline.Position
	if p.state == searching {
		s.search, cursor = p.searchLine(width, t)
	}
	s.fit(height, p.state == confirming)
	if p.look.isOpen {
		const minRows, minPreview = 3, 2
		room, rows := height-s.height(), min(len(p.list.rows), maxRows)
		if most := max(room-rows, room/2); most >= minPreview && room-most >= min(rows, minRows) {
			s.preview = p.previewLines(width, most, t)
		}
	}
	rows := p.listLines(width, min(maxRows, height-s.height()), t)
	v := pane.View{HasCursor: p.state == searching}
	v.Lines = append(v.Lines, s.title...)
	v.Cursor = inline.Position{Row: len(v.Lines) + cursor.Row, Column: cursor.Column}
	for _, lines := range [...][]styled.Line{s.search, s.columns, rows, s.preview, s.notice, s.hints} {
		v.Lines = append(v.Lines, lines...)
	}
	return v
}

func (p *Pane) titleLine(width int, t theme.Theme) []styled.Line {
	text := "Chat Sessions"
	if p.state != loading {
		count := fmt.Sprintf("%s total", wording.Number(len(p.list.entries)))
		if len(p.list.rows) < len(p.list.entries) {
			count += ", " + wording.Number(len(p.list.rows)) + " found"
		}
		text += " (" + count + ")"
	}
	bold := t.Text()
	bold.Attrs |= styled.Bold
	line := styled.Of(text, bold)
	if p.state != loading {
		line = append(line, styled.Span{Text: " sorted by " + p.order.String(), Style: t.Secondary()})
	}
	return line.Wrap(width, nil)
}

func (p *Pane) searchLine(width int, t theme.Theme) ([]styled.Line, inline.Position) {
	label := "Search: "
	if width < 2*len(label) {
		label = ""
	}
	lines, cursor, _ := p.search.field.Lines(width-len(label), 1, t)
	line := append(styled.Of(label, t.Accent()), lines[0]...)
	cursor.Column = min(cursor.Column+len(label), width-1)
	return []styled.Line{line.Cut(width)}, inline.Position{Column: cursor.Column}
}

// noticeLines returns the question about deleting a session, the command that runs, or a message.
func (p *Pane) noticeLines(width int, t theme.Theme) []styled.Line {
	text, style := p.notice, t.Warning()
	switch {
	case p.state == confirming:
		text = p.question()
	case p.running != "":
		text, style = p.running, t.Secondary()
	case p.notice != "" || p.state != searching:
	case p.search.problem != "":
		text = "Cannot search: " + styled.Text(p.search.problem)
	case p.search.cancel != nil:
		text, style = "Searching…", t.Secondary()
	case p.search.hasMore:
		text, style = fmt.Sprintf("These are the first %d sessions that have it in their text.", maxFound), t.Secondary()
	}
	if text == "" {
		return nil
	}
	return styled.Of(text, style).Wrap(width, nil)
}

// hintLines returns the keys with their effects.
func (p *Pane) hintLines(width int, t theme.Theme) []styled.Line {
	b := p.o.Bindings
	enter, esc := b.Hint(keys.BasicConfirm), b.Hint(keys.BasicCancel)
	hints := []string{enter + " resume", "/ search", "s sort", "r reverse", "x delete", "f copy", "p preview", esc + " close"}
	switch p.state {
	case searching:
		hints = []string{enter + " resume", esc + " end search"}
	case confirming:
		hints = []string{"y delete", esc + " keep"}
	case loading, waiting:
		hints = []string{esc + " close"}
	}
	var lines []styled.Line
	row := ""
	for _, h := range hints {
		if row != "" && len([]rune(row+" · "+h)) > width {
			lines = append(lines, styled.Of(row, t.Secondary()).Cut(width))
			row = ""
		}
		row = strings.TrimPrefix(row+" · "+h, " · ")
	}
	return append(lines, styled.Of(row, t.Secondary()).Cut(width))
}

// previewLines returns the last messages of the selected session in at most height lines, the newest at the end.
func (p *Pane) previewLines(width, height int, t theme.Theme) []styled.Line {
	e := p.list.current()
	if e == nil {
		return nil
	}
	rule := styled.Of(strings.Repeat("─", width), t.Border())
	var lines []styled.Line
	switch {
	case e.ID != p.look.id:
		lines = styled.Of("Reading…", t.Secondary()).Wrap(width, nil)
	case len(p.look.messages) == 0:
		lines = styled.Of("The end of the session has no text.", t.Secondary()).Wrap(width, nil)
	}
	for i := len(p.look.messages) - 1; i >= 0 && e.ID == p.look.id; i-- {
		block := p.look.messages[i].lines(width, t)
		if len(lines) > 0 && len(block)+len(lines) >= height {
			break
		}
		lines = append(block, lines...)
	}
	return append([]styled.Line{rule}, lines[:min(len(lines), height-1)]...)
}

// lines returns at most three lines of a message.
func (m message) lines(width int, t theme.Theme) []styled.Line {
	who, style := "Model: ", t.Response()
	if m.isPrompt {
		who, style = "You: ", t.Text()
	}
	const most = 3
	lines := styled.Line{{Text: who, Style: t.Secondary()}, {Text: m.text, Style: style}}.Wrap(width, nil)
	if len(lines) > most {
		lines[most-1] = append(lines[most-1], styled.Span{Text: " …"}).Cut(width)
		lines = lines[:most]
	}
	return lines
}
