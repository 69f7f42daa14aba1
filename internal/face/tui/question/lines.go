package question

import (
	"fmt"
	"strings"

	"pollux/internal/face/tui/inline"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
)

// View is the dialog on the screen.
type View struct {
	Lines  []styled.Line
	Cursor inline.Position // of the text, if HasText
	// HasText is set while the user writes a text.
	HasText bool
}

// View returns the dialog in width columns and at most height rows, if that is possible: the options and two lines of the
// subject are always shown.
func (d *Dialog) View(width, height int, t theme.Theme) View {
	head := d.head(width, t)
	tail, cursor := d.tail(width, max(height-len(head)-2, 3), t)
	v := View{Lines: head, HasText: d.text != nil}
	if len(d.question.Blocks)+len(d.question.Warnings) > 0 {
		v.Lines = append(v.Lines, d.body.view(d.question, width, height-len(head)-len(tail), t)...)
	}
	v.Cursor = inline.Position{Row: len(v.Lines) + cursor.Row, Column: cursor.Column}
	v.Lines = append(v.Lines, tail...)
	return v
}

// head returns the title with the position among several questions.
func (d *Dialog) head(width int, t theme.Theme) []styled.Line {
	q := d.question
	title := q.Title
	if q.Agent != "" {
		title = styled.Text(q.Agent) + ": " + title
	}
	line := styled.Line{{Text: "? ", Style: t.Warning()}, {Text: title, Style: t.Text()}}
	if q.Count < 2 {
		return []styled.Line{line.Cut(width)}
	}
	position := fmt.Sprintf("%d of %d", q.Number, q.Count)
	room := width - len(position) - 1
	line = line.Cut(room)
	gap := strings.Repeat(" ", max(width-line.Width()-len(position), 1))
	return []styled.Line{append(line, styled.Span{Text: gap}, styled.Span{Text: position, Style: t.Secondary()}).Cut(width)}
}

// tail returns the lines below the subject, and the position of the cursor in them.
func (d *Dialog) tail(width, height int, t theme.Theme) (lines []styled.Line, cursor inline.Position) {
	if d.explains && d.question.Help != "" {
		lines = append(lines, styled.Of(styled.Text(d.question.Help), t.Secondary()).Wrap(width, nil)...)
	}
	if d.text != nil {
		return d.textLines(lines, width, t)
	}
	if d.question.Prompt != "" {
		lines = append(lines, styled.Of(d.question.Prompt, t.Text()).Wrap(width, nil)...)
	}
	lines = append(lines, d.list.Lines(width, max(height-len(lines)-1, 3), t)...)
	if help := d.option().Help; d.explains && help != "" {
		lines = append(lines, styled.Of(styled.Text(help), t.Secondary()).Wrap(width, nil)...)
	}
	const hint = "Enter choose · Esc refuse · ? explain"
	return append(lines, styled.Of(hint, t.Secondary()).Cut(width)), cursor
}

// textLines adds the field for the text of the selected option.
func (d *Dialog) textLines(lines []styled.Line, width int, t theme.Theme) ([]styled.Line, inline.Position) {
	lines = append(lines, styled.Of(d.option().TextPrompt, t.Text()).Wrap(width, nil)...)
	const most = 5
	text, cursor, _ := d.text.Lines(width-2, most, t)
	cursor = inline.Position{Row: len(lines) + cursor.Row, Column: cursor.Column + 2}
	for i, l := range text {
		marker := styled.Span{Text: "  "}
		if i == 0 {
			marker = styled.Span{Text: "> ", Style: t.Accent()}
		}
		lines = append(lines, append(styled.Line{marker}, l...))
	}
	return append(lines, styled.Of("Enter send · Esc back", t.Secondary()).Cut(width)), cursor
}
