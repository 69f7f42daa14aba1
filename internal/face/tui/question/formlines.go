package question

import (
	"fmt"
	"slices"
	"strings"

	"pollux/internal/face/kit"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/tool"
)

// View implements [Dialog].
func (f *form) View(width, height int, t theme.Theme) View {
	lines := f.head(width, t)
	if f.hasReview() {
		lines = append(lines, f.tabs(width, t))
	}
	p := f.page()
	if p == nil {
		lines = append(lines, f.review.view(width, height-len(lines)-1, t)...)
		return View{Lines: append(lines, f.keys(width, t))}
	}
	const subject = 2 // lines of the question that are always shown, as long as there are three for the answers
	answers, cursor := p.lines(width, max(height-len(lines)-subject-1, 3), t)
	lines = append(lines, p.body.view(width, height-len(lines)-len(answers)-1, t)...)
	if len(lines)+len(answers)+2 <= height {
		lines = append(lines, nil)
	}
	cursor.Row += len(lines)
	lines = append(lines, answers...)
	return View{Lines: append(lines, f.keys(width, t)), Cursor: cursor, HasText: p.isTyping()}
}

// tabs returns the names of the questions. If they need more than the width, only the current one is named.
func (f *form) tabs(width int, t theme.Theme) (line styled.Line) {
	names := make([]string, 0, len(f.pages)+1)
	for _, p := range f.pages {
		name := styled.Text(p.field.Name)
		if p.answer() != "" {
			name += " ✓"
		}
		names = append(names, name)
	}
	names = append(names, "Review")
	for i, name := range names {
		if i > 0 {
			line = append(line, styled.Span{Text: " │ ", Style: t.Secondary()})
		}
		if i == f.at {
			line = append(line, styled.Span{Text: "❯ " + name, Style: t.Selected()})
		} else {
			line = append(line, styled.Span{Text: name, Style: t.Secondary()})
		}
	}
	if line.Width() <= width {
		return line
	}
	position := fmt.Sprintf(" (%d of %d)", f.at+1, len(names))
	return append(styled.Of("❯ "+names[f.at], t.Selected()).Cut(width-len(position)), styled.Span{Text: position, Style: t.Secondary()}).Cut(width)
}

// keys returns the line that lists the keys.
func (f *form) keys(width int, t theme.Theme) styled.Line {
	effect, next, back := "choose", "", ""
	p := f.page()
	switch {
	case p == nil:
		effect = "send"
	case p.isTyping():
		effect = map[bool]string{true: "next", false: "send"}[f.hasReview()]
	case p.isMulti():
		effect = "select"
	}
	if f.hasReview() && p != nil {
		next = f.hint(keys.NavDialogNext, "next")
	}
	if f.at > 0 {
		back = f.hint(keys.NavDialogPrevious, "back")
	}
	return f.hints(width, t, f.hint(keys.BasicConfirm, effect), f.hint(keys.BasicCancel, "cancel"), next, back)
}

// reviewLines returns the answers to all questions.
func (f *form) reviewLines(width int, t theme.Theme) (lines []styled.Line) {
	indent := hanging(2, width)
	missing := 0
	for _, p := range f.pages {
		answer := styled.Span{Text: styled.Text(p.answer()), Style: t.Text()}
		switch {
		case answer.Text == "":
			missing++
			answer = styled.Span{Text: "(no answer)", Style: t.Secondary()}
		case p.field.Kind == tool.SecretQuestion:
			answer = styled.Span{Text: "(not shown)", Style: t.Secondary()}
		}
		line := styled.Line{{Text: styled.Text(p.field.Name) + " → ", Style: t.Accent()}, answer}
		lines = append(lines, line.Wrap(width, indent)...)
	}
	if missing > 0 {
		warning := "⚠ You have " + wording.Count(missing, "unanswered question")
		lines = append(lines, styled.Of(warning, t.Warning()).Wrap(width, indent)...)
	}
	return lines
}

// textOf returns a function that draws the text of a question, indented so that it cannot pass for a line of Pollux,
// and its help.
func textOf(f *kit.Field) func(width int, t theme.Theme) []styled.Line {
	return func(width int, t theme.Theme) (lines []styled.Line) {
		indent := hanging(2, width)
		for text := range strings.SplitSeq(strings.TrimRight(terminal.Text(f.Text), "\n"), "\n") {
			for _, l := range styled.Of(styled.Text(text), t.Text()).Wrap(width-indent.Width(), nil) {
				lines = append(lines, append(slices.Clone(indent), l...))
			}
		}
		if kit.IsAltered(f.Text) {
			lines = append(lines, styled.Of(kit.Altered, t.Warning()).Wrap(width, nil)...)
		}
		if f.Help != "" {
			lines = append(lines, styled.Of(styled.Text(f.Help), t.Secondary()).Wrap(width, nil)...)
		}
		return lines
	}
}
