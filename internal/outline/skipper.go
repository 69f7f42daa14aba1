package outline

import "strings"

// syntax describes comments and strings of a language.
type syntax struct {
	comments []string    // beginnings of comments that end with the line
	long     [][2]string // beginnings and ends of comments and strings that may have several lines
	quotes   string      // of strings that end with the line
	isChar   bool        // ' begins a character, not a string
	hasRegex bool        // a slash may begin an expression
}

// skipper finds out which lines of a text begin in a comment or a string.
type skipper struct {
	*syntax
	end string // the end of the comment or string at the beginning of the next line, "" in code
}

func (s *skipper) isInside() bool { return s.end != "" }

// line reads the next line.
func (s *skipper) line(line string) {
	before := byte(0) // the last byte of code that is no space
	for i := 0; i < len(line); {
		if s.end != "" {
			at := strings.Index(line[i:], s.end)
			if at < 0 {
				return
			}
			// An escaped quote is no end, unless the backslash is escaped itself.
			isEscaped := at > 0 && line[i+at-1] == '\\' && s.end != "*/" && (at < 2 || line[i+at-2] != '\\')
			i += at + len(s.end)
			if !isEscaped {
				s.end, before = "", '"'
			}
			continue
		}
		b := line[i]
		if b >= 'a' && b <= 'z' || b == ' ' || b == '\t' || b >= 'A' && b <= 'Z' {
			if b > ' ' {
				before = b
			}
			i++
			continue
		}
		n, isComment := s.special(line[i:], before)
		if isComment {
			return
		}
		i += n
		before = b
	}
}

// special returns the length of the string, or the beginning of a long one, at the beginning of a
// line's rest, 1 for any other code; and whether a comment until the line's end begins there.
func (s *skipper) special(rest string, before byte) (n int, isComment bool) {
	for _, l := range s.long {
		if strings.HasPrefix(rest, l[0]) {
			s.end = l[1]
			return len(l[0]), false
		}
	}
	for _, c := range s.comments {
		if strings.HasPrefix(rest, c) {
			return len(rest), true
		}
	}
	switch b := rest[0]; {
	case s.isChar && b == '\'':
		return character(rest), false
	case strings.IndexByte(s.quotes, b) >= 0, s.hasRegex && b == '/' && strings.IndexByte("\x00(,=:[!&|?{};", before) >= 0:
		return quoted(rest), false
	}
	return 1, false
}

// quoted returns the length of a string that ends with the byte that begins it, or with the line.
func quoted(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '\n':
			return i
		case s[0]:
			return i + 1
		}
	}
	return len(s)
}

// character returns the length of a character such as '"', 1 for another use of the quote.
func character(s string) int {
	switch {
	case len(s) > 2 && s[1] != '\\' && s[2] == '\'':
		return 3
	case len(s) > 3 && s[1] == '\\':
		if at := strings.IndexByte(s[3:min(len(s), 3+len("10FFFF")+1)], '\''); at >= 0 {
			return 3 + at + 1
		}
	}
	return 1
}
