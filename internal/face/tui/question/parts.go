package question

import (
	"fmt"
	"strings"

	"pollux/internal/face/tui/field"
	"pollux/internal/face/tui/inline"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/terminal"
)

// head returns the title with the position among several questions.
func (o *opened) head(width int, t theme.Theme) []styled.Line {
	q := o.question
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

// body returns the subject of the question, which draw draws, with the question's warnings.
func (o *opened) body(draw func(width int, t theme.Theme) []styled.Line) body {
	hint := o.bindings.Hint(keys.ScrollPageUp) + ", " + o.bindings.Hint(keys.ScrollPageDown)
	return body{draw: draw, above: o.question.Hook, warnings: o.question.Warnings, hint: hint}
}

// hint returns the key of a command with its effect, "" if none is bound.
func (o *opened) hint(command keys.Command, effect string) string {
	key := o.bindings.Hint(command)
	if key == "" {
		return ""
	}
	return key + " " + effect
}

// hints returns the last line of a dialog, which lists the keys. It is empty until they count.
func (o *opened) hints(width int, t theme.Theme, hints ...string) styled.Line {
	if !o.isOpen {
		return nil
	}
	text := ""
	for _, h := range hints {
		if text != "" && h != "" {
			text += " · "
		}
		text += h
	}
	return styled.Of(text, t.Secondary()).Cut(width)
}

// hanging returns an indentation of n columns for the lines below a first one, none if little room would remain.
func hanging(n, width int) styled.Line {
	if width < 2*n {
		return nil
	}
	return styled.Plain(strings.Repeat(" ", n))
}

// longField is the number of rows of a field that stands alone.
const longField = 5

// fieldLines returns at most height rows of a field behind a marker, and the position of its cursor in them.
func fieldLines(f *field.Field, width, height int, marker string, s styled.Style, t theme.Theme) ([]styled.Line, inline.Position) {
	indent := terminal.Width(marker)
	if width < 2*indent {
		marker, indent = "", 0
	}
	lines, cursor, _ := f.Lines(width-indent, height, t)
	for i, l := range lines {
		span := styled.Span{Text: strings.Repeat(" ", indent)}
		if i == 0 {
			span = styled.Span{Text: marker, Style: s}
		}
		lines[i] = append(styled.Line{span}, l...).Cut(width)
	}
	cursor.Column = max(0, min(cursor.Column+indent, width-1))
	return lines, cursor
}
