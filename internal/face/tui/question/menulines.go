package question

import (
	"pollux/internal/face/tui/inline"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
)

// View implements [Dialog].
func (m *menu) View(width, height int, t theme.Theme) View {
	head := m.head(width, t)
	tail, cursor := m.tail(width, max(height-len(head)-2, 3), t)
	v := View{Lines: head, HasText: m.text != nil}
	v.Lines = append(v.Lines, m.body.view(width, height-len(head)-len(tail), t)...)
	v.Cursor = inline.Position{Row: len(v.Lines) + cursor.Row, Column: cursor.Column}
	v.Lines = append(v.Lines, tail...)
	return v
}

// tail returns the lines below the subject, and the position of the cursor in them.
func (m *menu) tail(width, height int, t theme.Theme) (lines []styled.Line, cursor inline.Position) {
	if m.explains && m.question.Help != "" {
		lines = append(lines, styled.Of(styled.Text(m.question.Help), t.Secondary()).Wrap(width, nil)...)
	}
	if m.text != nil {
		return m.textLines(lines, width, t)
	}
	if m.question.Prompt != "" {
		lines = append(lines, styled.Of(m.question.Prompt, t.Text()).Wrap(width, nil)...)
	}
	lines = append(lines, m.list.Lines(width, max(height-len(lines)-1, 3), t)...)
	if help := m.option().Help; m.explains && help != "" {
		lines = append(lines, styled.Of(styled.Text(help), t.Secondary()).Wrap(width, nil)...)
	}
	return append(lines, m.hints(width, t, m.hint(keys.BasicConfirm, "choose"), m.hint(keys.BasicCancel, "refuse"), "? explain")), cursor
}

// textLines adds the field for the text of the selected option.
func (m *menu) textLines(lines []styled.Line, width int, t theme.Theme) ([]styled.Line, inline.Position) {
	lines = append(lines, styled.Of(m.option().TextPrompt, t.Text()).Wrap(width, nil)...)
	text, cursor := fieldLines(m.text, width, longField, "> ", t.Accent(), t)
	cursor.Row += len(lines)
	lines = append(lines, text...)
	return append(lines, m.hints(width, t, m.hint(keys.BasicConfirm, "send"), m.hint(keys.BasicCancel, "back"))), cursor
}
