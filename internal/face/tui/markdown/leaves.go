package markdown

import (
	"strings"

	"pollux/internal/face/tui/highlight"
	"pollux/internal/face/tui/styled"
	"pollux/internal/terminal"
)

// clean returns text of a block without control characters. It may have several lines.
func clean(text string) string { return terminal.Text(text) }

// addText adds a line, or a piece of one, to the open paragraph, or begins one.
func (s *Splitter) addText(source, text string) {
	if s.leaf.kind != Paragraph {
		s.closeLeaf()
		s.leaf = leaf{kind: Paragraph}
	}
	if len(s.leaf.text) > 0 && len(s.leaf.text)+len(text) > maxPiece {
		s.emitText(false)
	}
	for len(text) > maxPiece {
		n := pieceLength(text)
		end := len(withoutEnd(source)) - len(text) + n
		s.appendText(source[:end], text[:n])
		s.emitText(false)
		source, text = source[end:], text[n:]
	}
	s.appendText(source, text)
	s.startTable()
}

func (s *Splitter) appendText(source, text string) {
	if len(s.leaf.text) > 0 {
		s.leaf.text = append(s.leaf.text, '\n')
	}
	s.leaf.source = append(s.leaf.source, source...)
	s.leaf.text = append(s.leaf.text, text...)
}

// emitText emits the text of the open paragraph, which is the last one of it if isEnd.
func (s *Splitter) emitText(isEnd bool) {
	if len(s.leaf.source) > 0 {
		text := strings.TrimRight(string(s.leaf.text), " \t")
		s.emit(Block{Kind: Paragraph, Source: string(s.leaf.source), Continues: s.leaf.isCut, text: clean(text)})
	}
	s.leaf.source, s.leaf.text = nil, nil
	s.leaf.isCut = !isEnd
}

// addUnderline makes the open paragraph a heading. It returns false if the line is no underline.
func (s *Splitter) addUnderline(source, line string) bool {
	level := underlineLevel(line)
	if level == 0 || len(s.leaf.text) == 0 {
		return false
	}
	text := string(s.leaf.text)
	s.emit(Block{Kind: Heading, Source: string(s.leaf.source) + source, Level: level, text: clean(text)})
	s.leaf = leaf{}
	return true
}

// closeLeaf emits the open leaf.
func (s *Splitter) closeLeaf() {
	switch s.leaf.kind {
	case Paragraph:
		s.emitText(true)
	case Table:
		s.emitTable(true)
	case Code:
		if s.leaf.blanks != "" {
			s.lead = append(s.lead, s.leaf.blanks...)
			s.hasGap = true
		}
	}
	s.leaf = leaf{}
}

// addVerbatim adds a line to the open code or HTML. It returns false if the line is not a part of it.
func (s *Splitter) addVerbatim(source string, c *cursor) bool {
	switch {
	case s.leaf.kind == HTML:
		return s.addHTML(source, c)
	case s.leaf.indents:
		if c.isBlank() {
			c.take(4)
			s.leaf.blanks += source
			s.leaf.text = append(append(s.leaf.text, c.rest()...), '\n')
			return true
		}
		if c.indent() < 4 {
			return false
		}
		c.take(4)
		source = s.leaf.blanks + source
		s.leaf.blanks = ""
	case c.indent() <= 3 && s.leaf.fence.isEnd(c.trimmed()):
		s.lead = append(s.lead, source...)
		s.leaf = leaf{}
		return true
	default:
		c.take(s.leaf.fence.indent)
	}
	s.emitCode(source, string(s.leaf.text)+c.rest())
	return true
}

// addHTML adds a line to the open HTML.
func (s *Splitter) addHTML(source string, c *cursor) bool {
	if s.leaf.end == "\n" && c.isBlank() {
		return false
	}
	text := c.rest()
	s.emit(Block{Kind: HTML, Source: source, Continues: s.leaf.isCut, text: clean(text)})
	s.leaf.isCut = true
	if s.leaf.end != "\n" && strings.Contains(strings.ToLower(text), s.leaf.end) {
		s.leaf = leaf{}
	}
	return true
}

// emitCode emits lines of code.
func (s *Splitter) emitCode(source, text string) {
	l := &s.leaf
	if !l.isCut && l.language == "" && !l.indents {
		s.setLanguage(highlight.ForShebang(text))
	}
	b := Block{
		Kind: Code, Source: source, Continues: l.isCut,
		Language: l.language, number: l.number + 1, scanner: l.scanner,
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = styled.Text(strings.TrimSuffix(lines[i], "\r"))
		if l.language != "" {
			l.scanner.Line(lines[i])
		}
	}
	b.text = strings.Join(lines, "\n")
	l.number += len(lines)
	l.isCut = true
	l.text = nil
	s.emit(b)
}

// setLanguage sets the language of the open code.
func (s *Splitter) setLanguage(name string) {
	s.leaf.language = name
	s.leaf.scanner = highlight.NewScanner(name)
}

// languageOf returns the language that the text behind a fence names, such as "go", "{.python}" or "cmd/main.go".
func languageOf(info string) string {
	word, _, _ := strings.Cut(info, " ")
	word = strings.Trim(word, "{}.,")
	for _, part := range strings.FieldsFunc(word, func(r rune) bool { return r == ':' || r == ',' || r == '{' }) {
		if name := highlight.ForName(part); name != "" {
			return name
		}
		if name := highlight.ForFile(part); name != "" {
			return name
		}
	}
	return ""
}
