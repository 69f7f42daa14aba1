package rows

import (
	"strings"
	"unicode/utf8"

	"pollux/internal/face/tui/styled"
	"pollux/internal/terminal"
)

// Sizes of pieces, in bytes.
const (
	usualPiece = 4 << 10
	maxPiece   = 16 << 10
)

// form is the look of a text that is not Markdown.
type form uint8

const (
	prompt form = iota
	note
	subject // of a thought
	thought
	argument
	output
	failure
)

// isProse reports whether the text is wrapped at spaces.
func (f form) isProse() bool { return f <= thought }

// sign returns the sign before the text, and before all other lines, where it is not shown.
func (f form) sign(l *Look) styled.Span {
	switch f {
	case prompt:
		return styled.Span{Text: "> ", Style: l.Theme.Accent()}
	case note:
		return styled.Span{Text: "ℹ ", Style: l.parts().NoteStyle()}
	case subject, thought:
		return styled.Span{}
	}
	return styled.Span{Text: "  "}
}

func (f form) style(l *Look) styled.Style {
	switch f {
	case prompt:
		return l.Theme.Message()
	case note:
		return l.parts().NoteStyle()
	case subject, thought:
		s := l.Theme.Comment()
		s.Attrs |= styled.Italic
		if f == subject {
			s.Attrs = s.Attrs&^styled.Italic | styled.Bold
		}
		return s
	case argument:
		return l.Theme.Secondary()
	case failure:
		return l.Theme.Error()
	}
	return styled.Style{}
}

// textPiece is some lines of a text.
type textPiece struct {
	text    string
	form    form
	isFirst bool // of the text: the sign is shown
}

// texts returns the pieces of a text. It looks at the ends of the pieces only.
func texts(text string, f form) source {
	text = strings.TrimRight(text, "\r\n")
	isFirst := true
	return func() (piece, bool) {
		if text == "" {
			return nil, false
		}
		n := pieceLength(text)
		p := &textPiece{text: text[:n], form: f, isFirst: isFirst}
		text, isFirst = text[n:], false
		return p, true
	}
}

// pieceLength returns the length of the first piece of a text: some lines, or a part of a long one.
func pieceLength(text string) int {
	if len(text) <= usualPiece {
		return len(text)
	}
	end := min(len(text), maxPiece)
	if n := strings.IndexByte(text[usualPiece:end], '\n'); n >= 0 {
		return usualPiece + n + 1
	}
	if end < len(text) {
		end = runeStart(text, end)
	}
	return end
}

// runeStart returns the index of the character that the byte at an index is a part of. Invalid text has characters of
// one byte.
func runeStart(text string, at int) int {
	for n := at; n > at-utf8.UTFMax; n-- {
		if utf8.RuneStart(text[n]) {
			return n
		}
	}
	return at
}

func (p *textPiece) size() int { return len(p.text) }

func (p *textPiece) rows(l *Look) (rows []Row) {
	sign, style := p.form.sign(l), p.form.style(l)
	indent := styled.Span{Text: strings.Repeat(" ", terminal.Width(sign.Text))}
	const least = 4 // columns beside a sign
	if l.Width < len(indent.Text)+least {
		indent.Text = ""
	}
	text := strings.ReplaceAll(strings.TrimRight(terminal.Text(p.text), "\n"), "\t", "    ")
	for line := range strings.SplitSeq(text, "\n") {
		before := indent
		if p.isFirst && len(rows) == 0 {
			before = sign
		}
		line = strings.TrimRight(line, " \r")
		switch {
		case p.form.isProse():
			rows = append(rows, l.wrapped(l.parts().Hang(before, []string{line}, style))...)
		case line == "":
			rows = append(rows, Row{})
		default:
			rows = append(rows, l.fit(styled.Line{indent, {Text: line, Style: style}}, styled.Line{indent})...)
		}
	}
	return rows
}
