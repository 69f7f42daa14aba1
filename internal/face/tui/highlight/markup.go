package highlight

import "strings"

// Delimiters of a markup language, in the order of its row.
const (
	openComment = 1
	openFence   = 2
)

// markup scans a line of HTML or XML.
func (s *Scanner) markup(t *tokens) {
	for t.at < len(t.line) {
		rest := t.rest()
		switch {
		case s.open == openComment:
			end := strings.Index(rest, "-->")
			if end < 0 {
				t.add(Comment, len(t.line))
				return
			}
			s.open = 0
			t.add(Comment, t.at+end+3)
		case s.inTag:
			s.tag(t)
		case strings.HasPrefix(rest, "<!--"):
			s.open = openComment
			t.add(Comment, t.at+4)
		case isTagStart(rest):
			s.inTag = true
			n := 1
			for n < len(rest) && (isNameByte(rest[n]) || rest[n] == '/' && n == 1 || rest[n] == '!' || rest[n] == '?') {
				n++
			}
			t.add(Keyword, t.at+n)
		case rest[0] == '&':
			t.add(Number, t.at+entityLength(rest))
		default:
			n := strings.IndexAny(rest[1:], "<&")
			if n < 0 {
				t.add(Plain, len(t.line))
				return
			}
			t.add(Plain, t.at+1+n)
		}
	}
}

// tag scans the next part of a tag.
func (s *Scanner) tag(t *tokens) {
	rest := t.rest()
	switch c := rest[0]; {
	case c == '>':
		s.inTag = false
		t.add(Keyword, t.at+1)
	case c == '/' || c == '?':
		t.add(Keyword, t.at+1)
	case c == '=':
		t.add(Operator, t.at+1)
	case c == '"' || c == '\'':
		end := strings.IndexByte(rest[1:], c)
		if end < 0 {
			end = len(rest) - 2
		}
		t.add(String, t.at+end+2)
	case isNameByte(c):
		n := 1
		for n < len(rest) && isNameByte(rest[n]) {
			n++
		}
		t.add(Variable, t.at+n)
	default:
		t.add(Plain, t.at+1)
	}
}

func isTagStart(rest string) bool {
	return len(rest) > 1 && rest[0] == '<' && (isNameByte(rest[1]) && !isDigit(rest[1]) || strings.IndexByte("/!?", rest[1]) >= 0)
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || isDigit(c) || c == '-' || c == '_' || c == ':' || c == '.' || c == '@'
}

// entityLength returns the length of a character reference, 1 for a plain ampersand.
func entityLength(rest string) int {
	for n := 1; n < len(rest) && n < 34; n++ {
		if rest[n] == ';' {
			return n + 1
		}
		if !isNameByte(rest[n]) && rest[n] != '#' {
			break
		}
	}
	return 1
}

// diffKind returns the kind of a line of a diff.
func diffKind(line string) Kind {
	switch {
	case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "index "):
		return Comment
	case strings.HasPrefix(line, "@@"):
		return Meta
	case line[0] == '+' || line[0] == '>':
		return Number
	case line[0] == '-' || line[0] == '<':
		return Variable
	}
	return Plain
}

// markdown scans a line of Markdown source.
func (s *Scanner) markdown(t *tokens) {
	text := strings.TrimLeft(t.line, " ")
	indent := len(t.line) - len(text)
	isFence := strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~")
	switch {
	case isFence:
		s.open ^= openFence
		t.add(String, len(t.line))
		return
	case s.open == openFence:
		t.add(String, len(t.line))
		return
	case strings.HasPrefix(text, "#"):
		t.add(Keyword, len(t.line))
		return
	case strings.HasPrefix(text, ">"):
		t.add(Comment, len(t.line))
		return
	case strings.HasPrefix(text, "- "), strings.HasPrefix(text, "* "), strings.HasPrefix(text, "+ "):
		t.add(Operator, indent+1)
	}
	for t.at < len(t.line) {
		rest := t.rest()
		n := strings.IndexByte(rest, '`')
		if n < 0 {
			return
		}
		t.add(Plain, t.at+n)
		end := strings.IndexByte(rest[n+1:], '`')
		if end < 0 {
			return
		}
		t.add(String, t.at+end+2)
	}
}
