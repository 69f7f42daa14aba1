// Package field has the text field: it edits a [buffer.Buffer] with keys, and shows it with its cursor. The composer and the
// dialogs use it.
package field

import (
	"strings"

	"pollux/internal/face/tui/buffer"
	"pollux/internal/face/tui/inline"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/terminal"
)

// Field is a text that the user edits. The zero value is an empty field of one line.
type Field struct {
	buffer.Buffer
	Placeholder string // shown while the field is empty
	// HasLines lets the user write several lines; else a line break of pasted text becomes a space.
	HasLines bool
	// IsSecret shows "•" in place of each character.
	IsSecret bool
}

// editing are the commands that a field handles, in the order in which it asks for them.
var editing = [...]keys.Command{
	keys.InputNewline, keys.CursorHome, keys.CursorEnd, keys.CursorUp, keys.CursorDown, keys.CursorLeft, keys.CursorRight,
	keys.CursorWordLeft, keys.CursorWordRight, keys.EditDeleteRightAll, keys.EditDeleteLeftAll, keys.EditDeleteWordLeft,
	keys.EditDeleteWordRight, keys.EditDeleteLeft, keys.EditDeleteRight, keys.EditUndo, keys.EditRedo, keys.EditYank, keys.EditYankPop,
}

// Handle takes a key or a paste. It returns false if the field has no use for the event: for other keys, and for keys up and
// down at the end of the text.
func (f *Field) Handle(e keys.Event, b *keys.Bindings) bool {
	switch e := e.(type) {
	case keys.Paste:
		f.paste(e.Text)
		return true
	case keys.Key:
		if command, ok := b.Match(e.Chord, editing[:]...); ok {
			return f.do(command)
		}
		if e.Text == "" {
			return false
		}
		f.Insert(e.Text)
		return true
	}
	return false
}

func (f *Field) paste(text string) {
	if !f.HasLines {
		f.Insert(strings.TrimSpace(oneLine.Replace(text)))
		return
	}
	f.Paste(text)
}

var oneLine = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

// do runs a command. It returns false if the command is none of the field's.
func (f *Field) do(command keys.Command) bool {
	switch command {
	case keys.CursorUp:
		return f.Up()
	case keys.CursorDown:
		return f.Down()
	case keys.InputNewline:
		if f.HasLines {
			f.Insert("\n")
		}
		return f.HasLines
	case keys.EditUndo:
		f.Undo()
	case keys.EditRedo:
		f.Redo()
	case keys.EditYank:
		f.Yank()
	case keys.EditYankPop:
		f.YankPop()
	default:
		f.edit(command)
	}
	return true
}

// edit moves the cursor or deletes text.
func (f *Field) edit(command keys.Command) {
	switch command {
	case keys.CursorHome:
		f.Home()
	case keys.CursorEnd:
		f.End()
	case keys.CursorLeft:
		f.Left()
	case keys.CursorRight:
		f.Right()
	case keys.CursorWordLeft:
		f.WordLeft()
	case keys.CursorWordRight:
		f.WordRight()
	case keys.EditDeleteRightAll:
		f.KillToEnd()
	case keys.EditDeleteLeftAll:
		f.KillToStart()
	case keys.EditDeleteWordLeft:
		f.DeleteWordLeft()
	case keys.EditDeleteWordRight:
		f.DeleteWordRight()
	case keys.EditDeleteLeft:
		f.DeleteLeft()
	case keys.EditDeleteRight:
		f.DeleteRight()
	}
}

// Lines returns at most height rows of the text, each at most width columns wide, and the position of the cursor in them.
// The view says which rows are hidden.
func (f *Field) Lines(width, height int, t theme.Theme) ([]styled.Line, inline.Position, buffer.View) {
	width = max(width, 2)
	view := f.Rows(width, height)
	cursor := inline.Position{Row: view.CursorRow, Column: view.CursorColumn}
	if f.Len() == 0 {
		return []styled.Line{styled.Of(f.Placeholder, t.Secondary()).Cut(width)}, cursor, view
	}
	lines := make([]styled.Line, len(view.Rows))
	if f.IsSecret {
		for i, row := range view.Rows {
			lines[i] = styled.Of(strings.Repeat("•", min(terminal.Width(row.Text), width)), t.Text())
		}
		return lines, cursor, view
	}
	tokens := f.Tokens()
	for i, row := range view.Rows {
		lines[i] = highlight(row, tokens, t)
	}
	return lines, cursor, view
}

// highlight returns a row with its tokens in the color of accents.
func highlight(row buffer.Row, tokens []buffer.Token, t theme.Theme) (line styled.Line) {
	at := row.Start
	add := func(to int, s styled.Style) {
		if to = min(to, row.End); to > at {
			line = append(line, styled.Span{Text: styled.Text(row.Text[at-row.Start : to-row.Start]), Style: s})
			at = to
		}
	}
	for _, token := range tokens {
		if token.End > at && token.Start < row.End {
			add(token.Start, t.Text())
			add(token.End, t.Accent())
		}
	}
	add(row.End, t.Text())
	return line
}
