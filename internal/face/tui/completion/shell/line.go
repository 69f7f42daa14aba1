package shell

import (
	"slices"
	"strings"

	"pollux/internal/face/tui/buffer"
)

// word is the word at the cursor of a shell command, and the words before it.
type word struct {
	buffer.Range
	typed  string   // the part before the cursor, without quotes and backslashes
	before []string // the words of the same simple command
	// isOpaque means that the shell makes another text of the word, or that it is in a comment.
	isOpaque bool
	// isFile means that the word names a file: it follows a redirection.
	isFile bool
}

// scanner splits a command line into words. It knows the quotes and operators of bash, but not its grammar.
type scanner struct {
	text   string
	cursor int
	at     int
	word   word
	inWord bool
	quote  byte // ' or ", 0 outside of quotes
	value  strings.Builder
	typed  string
	isPast bool // the cursor is before the position
	// isComment means that the word is the rest of the line.
	isComment bool
}

// wordAt returns the word at the cursor of a command line.
func wordAt(text string, cursor int) word {
	s := &scanner{text: text, cursor: cursor}
	for ; s.at < len(text); s.at++ {
		s.pass()
		if !s.step(text[s.at]) {
			break
		}
	}
	s.pass()
	s.word.typed = s.typed
	if s.word.End = s.at; !s.inWord {
		s.word.Start, s.word.End = cursor, cursor
	}
	return s.word
}

// pass notes the text of the word when the scanner comes to the cursor.
func (s *scanner) pass() {
	if s.at >= s.cursor && !s.isPast {
		s.isPast, s.typed = true, s.value.String()
	}
}

// step takes a byte. It returns false at the end of the word that has the cursor.
func (s *scanner) step(c byte) bool {
	switch {
	case s.isComment && c != '\n': // skipped
	case s.quote == '\'' && c != '\'':
		s.value.WriteByte(c)
	case c == '\\' && s.at+1 < len(s.text):
		s.escape()
	case s.quote == c && c != 0:
		s.quote = 0
	case c == '$' || c == '`':
		s.begin()
		s.word.isOpaque = true
		s.value.WriteByte(c)
	case s.quote != 0:
		s.value.WriteByte(c)
	case c == '\'' || c == '"':
		s.begin()
		s.quote = c
	case strings.IndexByte(" \t\n|&;()<>", c) >= 0:
		return s.separate(c)
	default:
		if c == '#' && !s.inWord {
			s.isComment, s.word.isOpaque = true, true
		}
		s.begin()
		s.value.WriteByte(c)
	}
	return true
}

// separate takes a byte that ends words.
func (s *scanner) separate(c byte) bool {
	if s.isPast {
		return false
	}
	if c == '&' && s.at > 0 && strings.IndexByte("<>", s.text[s.at-1]) >= 0 { // 2>&1
		return true
	}
	s.end(strings.IndexByte("\n|&;()", c) >= 0)
	if c == '<' || c == '>' {
		s.word.isFile = true
	}
	return true
}

// escape takes a backslash with the byte behind it.
func (s *scanner) escape() {
	s.begin()
	next := s.text[s.at+1]
	if s.quote == '"' && strings.IndexByte("$`\"\\\n", next) < 0 {
		s.value.WriteByte('\\')
		return
	}
	if s.at++; s.at < s.cursor || s.isPast {
		s.value.WriteByte(next)
	}
}

// begin begins a word, unless the scanner is in one.
func (s *scanner) begin() {
	if !s.inWord {
		s.inWord, s.word.Start = true, s.at
	}
}

// end ends the word, and the simple command too if isLast.
func (s *scanner) end(isLast bool) {
	text := s.value.String()
	switch {
	case isLast:
		s.word.before = nil
	case s.inWord && !s.word.isFile && !(len(s.word.before) == 0 && isPrefix(text)):
		s.word.before = append(s.word.before, text)
	}
	if s.inWord || isLast {
		s.word.isFile = false
	}
	s.inWord, s.isComment, s.word.isOpaque = false, false, false
	s.value.Reset()
}

// prefixes are words before the name of a program.
var prefixes = []string{
	"sudo", "doas", "time", "nohup", "exec", "command", "builtin", "env", "nice", "xargs",
	"if", "then", "elif", "else", "while", "until", "do", "!", "{",
}

// isPrefix reports whether a word precedes the name of a program: a keyword, a variable with its value, or a program
// that runs another one.
func isPrefix(text string) bool { return slices.Contains(prefixes, text) || isAssignment(text) }

// isAssignment reports whether a word sets a variable.
func isAssignment(text string) bool {
	name, _, ok := strings.Cut(text, "=")
	return ok && name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// escape returns a text as bash takes it unchanged, with backslashes.
func escape(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; strings.IndexByte(" \t!\"#$&'()*;<>?[\\]^`{|}~", c) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
