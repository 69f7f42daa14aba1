package transcript

import (
	"slices"
	"strings"

	"pollux/internal/face/kit"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/terminal"
)

// Limits of texts in notes and prompts.
const (
	maxNote   = 16 << 10 // bytes
	maxPrompt = 64 << 10 // bytes
	maxLines  = 200
)

// infoStyle is the style of messages. Without colors they look like text, because their sign is enough.
func (t *Transcript) infoStyle() styled.Style {
	if t.Look.Theme.Kind == theme.Plain {
		return styled.Style{}
	}
	return t.Look.Theme.Warning()
}

// addNoteText adds a text of Pollux behind a sign.
func (t *Transcript) addNoteText(sign, text string, style func(t *Transcript) styled.Style) {
	text = excerpt(terminal.Visible(terminal.Cut(text, maxNote)), maxLines)
	t.add(note, t.fit(func(t *Transcript) []styled.Line { return t.noteLines(sign, style(t), text) }))
}

// noteLines returns a text behind a sign.
func (t *Transcript) noteLines(sign string, style styled.Style, text string) []styled.Line {
	room := t.width() - terminal.Width(sign)
	return t.hang(styled.Span{Text: sign, Style: style}, strings.Split(terminal.Wrap(text, max(room, 1)), "\n"), style)
}

// hang returns lines of text behind a sign, wrapped. All rows but the first are indented by the width of the sign.
func (t *Transcript) hang(sign styled.Span, texts []string, style styled.Style) (lines []styled.Line) {
	first, indent := styled.Line{sign}, styled.Plain(strings.Repeat(" ", terminal.Width(sign.Text)))
	room := t.width() - indent.Width()
	if room < 4 && sign.Text != "" { // too narrow for a margin
		lines = append(lines, trimRight(first))
		first, indent, room = nil, nil, t.width()
	}
	for i, text := range texts {
		for j, l := range styled.Of(strings.TrimRight(styled.Text(text), " "), style).Wrap(room, nil) {
			prefix := indent
			if i == 0 && j == 0 {
				prefix = first
			}
			lines = append(lines, trimRight(slices.Concat(prefix, l)))
		}
	}
	return lines
}

// excerpt returns the first lines of a text, cleaned.
func excerpt(text string, most int) string {
	lines, _ := kit.FirstLines(strings.TrimSpace(terminal.Cut(text, maxNote)), most)
	return strings.Join(lines, "\n")
}

// promptLines returns a text that the person has sent behind a sign.
func (t *Transcript) promptLines(sign, text string) []styled.Line {
	th := t.Look.Theme
	if len(text) > maxPrompt {
		text = terminal.Cut(text, maxPrompt)
	}
	texts, _ := kit.FirstLines(text, maxLines)
	lines := t.hang(styled.Span{Text: sign, Style: th.Accent()}, texts, th.Message())
	if sign == "> " && strings.HasPrefix(text, "/") && len(lines) > 0 {
		lines[0] = accentWord(lines[0], th)
	}
	return lines
}

// accentWord gives the first word of a prompt the color of commands.
func accentWord(l styled.Line, th theme.Theme) styled.Line {
	last := l[len(l)-1]
	word, rest, hasMore := strings.Cut(last.Text, " ")
	command := last
	command.Text, command.Style.Fg, command.Style.Attrs = word, th.Accent().Fg, th.Accent().Attrs
	l = append(l[:len(l)-1:len(l)-1], command)
	if hasMore {
		last.Text = " " + rest
		l = append(l, last)
	}
	return l
}

// cleanLines returns the lines of a text as they are, except for characters that cannot be shown.
func cleanLines(text string) (lines []styled.Line) {
	for line := range strings.SplitSeq(strings.TrimRight(terminal.Text(text), "\n"), "\n") {
		lines = append(lines, trimRight(styled.Plain(styled.Text(line))))
	}
	return lines
}

// trimRight returns the line without spaces at its end.
func trimRight(l styled.Line) styled.Line {
	for n := len(l); n > 0; n-- {
		text := strings.TrimRight(l[n-1].Text, " ")
		if text == "" {
			continue
		}
		if n == len(l) && text == l[n-1].Text {
			return l
		}
		last := l[n-1]
		last.Text = text
		return append(l[:n-1:n-1], last)
	}
	return nil
}
