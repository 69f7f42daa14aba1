package think

import "strings"

// literal finds the strings of objects in a text: of JSON, and of JSON as models write it
// by hand, with line breaks in strings. A byte that cannot be part of an object ends it. The
// zero value is outside of objects.
type literal struct {
	depth     int
	quote     byte // of the open string, 0 if none is open
	isEscaped bool // a backslash precedes
	last      byte // the last byte outside of strings that is not white space
}

// inText reports whether this place is inside a string.
func (l *literal) inText() bool { return l.quote != 0 }

// read reads s up to the beginning or the end of a string, at least one byte, and returns
// how much it has read.
func (l *literal) read(s string) int {
	wasQuoted := l.inText()
	for i := 0; i < len(s); i++ {
		if l.depth == 0 {
			n := strings.IndexByte(s[i:], '{')
			if n < 0 {
				return len(s)
			}
			i += n
			l.depth, l.last = 1, '{'
			continue
		}
		c := s[i]
		if l.quote != 0 {
			switch {
			case l.isEscaped:
				l.isEscaped = false
			case c == '\\':
				l.isEscaped = true
			case c == l.quote:
				l.quote = 0
				if wasQuoted {
					return i + 1
				}
			}
			continue
		}
		switch {
		case strings.IndexByte(" \t\r\n", c) >= 0:
			continue
		case c == '{' || c == '[':
			l.depth++
		case c == '}' || c == ']':
			l.depth--
		case c == '"', c == '\'' && strings.IndexByte("{[,:", l.last) >= 0:
			l.quote = c
		case c != '_' && c != '$' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && strings.IndexByte(",:+-./*#", c) < 0:
			*l = literal{}
			continue
		}
		l.last = c
		if l.quote != 0 {
			return i + 1
		}
	}
	return len(s)
}
