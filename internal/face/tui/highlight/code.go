package highlight

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// code scans a line of a programming or configuration language.
func (s *Scanner) code(t *tokens) {
	l := s.language
	if s.open > 0 {
		s.finish(t)
	}
	isFirst := true // no word before in this line, or in this list
	for t.at < len(t.line) {
		c := t.line[t.at]
		switch {
		case c == ' ' || c == '\t':
			t.add(Plain, t.at+1)
			continue
		case l.starts[c] && s.begin(t, &isFirst):
			continue
		case isFirst && strings.IndexByte(l.directive, c) >= 0 && t.isBlankBefore():
			t.add(Meta, t.at+directiveLength(t.rest()))
			isFirst = false
		case isDigit(c):
			t.add(Number, t.at+numberLength(t.rest()))
			isFirst = false
		case l.isWordStart(t.rest()):
			s.word(t, isFirst)
			isFirst = false
		default:
			s.mark(t, &isFirst)
		}
	}
}

// begin scans a comment or string that begins here. It returns false if none does.
func (s *Scanner) begin(t *tokens, isFirst *bool) bool {
	l, rest := s.language, t.rest()
	for i, d := range l.delimiters {
		if !strings.HasPrefix(rest, d.open) {
			continue
		}
		if d.isCharacter {
			n := characterLength(rest)
			if n == 0 {
				continue
			}
			t.add(String, t.at+n)
			return true
		}
		from := t.at
		s.open, s.depth = i+1, 1
		t.add(d.kind(), t.at+len(d.open))
		s.finish(t)
		if !d.isComment {
			if *isFirst && s.open == 0 && l.hasKeyMark(t.rest()) {
				t.recolor(from, Variable)
			}
			*isFirst = false
		}
		return true
	}
	if l.isSpaced && t.at > 0 && t.line[t.at-1] != ' ' && t.line[t.at-1] != '\t' {
		return false
	}
	for _, start := range l.line {
		if len(rest) < len(start) || rest[:len(start)] != start && !(l.isFolded && strings.EqualFold(rest[:len(start)], start)) {
			continue
		}
		if last := start[len(start)-1]; l.isLetter(last) && len(rest) > len(start) && l.isLetter(rest[len(start)]) {
			continue // a word, such as "rem", within another one
		}
		t.add(Comment, len(t.line))
		return true
	}
	return false
}

func (d delimiter) kind() Kind {
	if d.isComment {
		return Comment
	}
	return String
}

// finish scans until the end of the open comment or string, or of the line.
func (s *Scanner) finish(t *tokens) {
	d := s.language.delimiters[s.open-1]
	rest := t.rest()
	for i := 0; i < len(rest); {
		switch {
		case d.hasEscapes && rest[i] == '\\':
			i += 2
		case strings.HasPrefix(rest[i:], d.close):
			i += len(d.close)
			if s.depth--; s.depth == 0 {
				s.open = 0
				t.add(d.kind(), t.at+i)
				return
			}
		case d.isComment && s.language.isNested && strings.HasPrefix(rest[i:], d.open):
			i += len(d.open)
			s.depth++
		default:
			i++
		}
	}
	t.add(d.kind(), len(t.line))
	if !d.isMultiline {
		s.open = 0
	}
}

// word scans a word: a keyword, a type, a function, a key, or the prefix of a string.
func (s *Scanner) word(t *tokens, isFirst bool) {
	l, rest := s.language, t.rest()
	n := 1
	for n < len(rest) && (l.isLetter(rest[n]) || isDigit(rest[n])) {
		n++
	}
	name := rest[:n]
	if l.prefixed[name] && n < len(rest) && (rest[n] == '"' || rest[n] == '\'') {
		t.add(String, t.at+n)
		return
	}
	t.add(l.wordKind(name, rest[n:], isFirst), t.at+n)
}

// wordKind returns the kind of a word before the rest of its line.
func (l *language) wordKind(name, rest string, isFirst bool) Kind {
	if isFirst && l.hasKeyMark(rest) {
		return Variable
	}
	if l.isFolded && len(name) <= 32 {
		name = strings.ToLower(name)
	}
	kind, isKnown := l.words[name]
	switch {
	case isKnown && kind == Keyword && l.isLeading && !isFirst:
		return Plain
	case isKnown:
		return kind
	case !l.noCalls && strings.HasPrefix(rest, "("):
		return Function
	case l.isUpper && isUpperCase(name):
		return Type
	}
	return Plain
}

// mark scans a variable, a decorator, an operator, or other punctuation.
func (s *Scanner) mark(t *tokens, isFirst *bool) {
	l, rest := s.language, t.rest()
	c := rest[0]
	hasNext := len(rest) > 1 && (l.isLetter(rest[1]) || rest[1] == c && len(rest) > 2 && l.isLetter(rest[2]))
	switch {
	case strings.IndexByte(l.sigils, c) >= 0 && len(rest) > 1:
		if n := l.variableLength(rest); n > 0 {
			t.add(Variable, t.at+n)
			*isFirst = false
			return
		}
	case strings.IndexByte(l.decorator, c) >= 0 && hasNext:
		t.add(Meta, t.at+l.wordLength(rest, "."))
		return
	case strings.IndexByte(l.symbols, c) >= 0 && hasNext && rest[1] != c && !t.isWordBefore(l, c):
		t.add(Number, t.at+l.wordLength(rest, ""))
		return
	}
	switch {
	case strings.IndexByte("+-*/%=<>!&|^~?:", c) >= 0:
		*isFirst = *isFirst && c == '-'
		t.add(Operator, t.at+1)
	case c == '{' || c == ',' || c == ';':
		*isFirst = true
		t.add(Plain, t.at+1)
	default:
		*isFirst = *isFirst && c == '['
		t.add(Plain, t.at+1)
	}
}

// variableLength returns the length of a variable with its sigil, 0 if it is none.
func (l *language) variableLength(rest string) int {
	switch c := rest[1]; {
	case rest[0] == '$' && (c == '{' || c == '('):
		end := "}"
		if c == '(' {
			if l.keys == "" {
				return 0 // a command, not a variable
			}
			end = ")"
		}
		// A name, not a nested expression: the search stays near.
		if n := strings.Index(rest[:min(len(rest), 64)], end); n > 0 {
			return n + 1
		}
	case l.isLetter(c), isDigit(c):
		return l.wordLength(rest, "")
	case c == rest[0] && len(rest) > 2 && l.isLetter(rest[2]):
		return l.wordLength(rest, "")
	case rest[0] == '$' && strings.IndexByte("@*#?!$-", c) >= 0:
		return 2
	}
	return 0
}

// wordLength returns the length of a word behind one or two marks.
func (l *language) wordLength(rest, more string) int {
	n := 1
	if n < len(rest) && rest[n] == rest[0] {
		n++
	}
	for n < len(rest) && (l.isLetter(rest[n]) || isDigit(rest[n]) || strings.IndexByte(more, rest[n]) >= 0) {
		n++
	}
	return n
}

func (l *language) isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= utf8.RuneSelf || strings.IndexByte(l.letters, c) >= 0
}

// isWordStart reports whether a word begins here. The additional letters of a language begin one only before a letter.
func (l *language) isWordStart(rest string) bool {
	if strings.IndexByte(l.letters, rest[0]) >= 0 {
		return len(rest) > 1 && l.isLetter(rest[1]) && strings.IndexByte(l.letters, rest[1]) < 0
	}
	return l.isLetter(rest[0])
}

// hasKeyMark reports whether the text before rest is a key.
func (l *language) hasKeyMark(rest string) bool {
	if l.keys == "" {
		return false
	}
	rest = strings.TrimLeft(rest, " \t")
	return rest != "" && strings.IndexByte(l.keys, rest[0]) >= 0 && !strings.HasPrefix(rest, "==")
}

// isBlankBefore reports whether the line begins here, after spaces.
func (t *tokens) isBlankBefore() bool { return strings.TrimLeft(t.line[:t.at], " \t") == "" }

// isWordBefore reports whether a word or the character c is directly before.
func (t *tokens) isWordBefore(l *language, c byte) bool {
	return t.at > 0 && (l.isLetter(t.line[t.at-1]) || isDigit(t.line[t.at-1]) || t.line[t.at-1] == c)
}

// recolor changes the kind of the text from an offset on, which is the start of a token or within the last one.
func (t *tokens) recolor(from int, kind Kind) {
	end := t.at
	for n := len(t.list); n > 0 && t.at > from; n = len(t.list) {
		text := t.list[n-1].Text
		if t.at-len(text) < from {
			t.list[n-1].Text = text[:from-(t.at-len(text))]
			t.at = from
			break
		}
		t.at -= len(text)
		t.list = t.list[:n-1]
	}
	t.add(kind, end)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isUpperCase(name string) bool {
	r, _ := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(r)
}
