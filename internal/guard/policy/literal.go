package policy

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// requiredTexts returns texts that every match of an ECMAScript expression contains. Most
// expressions of policies contain a name, and searching a text is much faster than searching an
// expression.
func requiredTexts(source string) []string {
	if !utf8.ValidString(source) {
		return nil
	}
	var list []string
	var run []byte
	end := func() {
		if len(run) > 0 {
			list = append(list, string(run))
		}
		run = run[:0]
	}
	for i := 0; i < len(source); i++ {
		switch c := source[i]; c {
		case '|':
			return nil // one of several
		case '(', '[':
			closing := groupEnd
			if c == '[' {
				closing = classEnd
			}
			n := closing(source[i:])
			if n < 0 {
				return nil
			}
			end()
			i += n
		case '\\':
			b, n := escaped(source[i+1:])
			if n == 0 {
				return nil
			}
			if i += n; b == 0xff {
				end() // a class, or a place
			} else {
				run = append(run, b)
			}
		case '*', '?', '{':
			_, n := utf8.DecodeLastRune(run) // which may be missing
			run = run[:len(run)-n]
			end()
			if c == '{' {
				n := strings.IndexByte(source[i:], '}')
				if n < 0 {
					return nil
				}
				i += n
			}
		case '+', '.', '^', '$', ')', ']', '}':
			end()
		default:
			run = append(run, c)
		}
	}
	end()
	return list
}

// escaped returns the character that an escape sequence stands for, 0xff for others, and the
// length of the sequence after its backslash, 0 if it is not understood.
func escaped(s string) (c byte, n int) {
	if s == "" {
		return 0, 0
	}
	switch c := s[0]; {
	case c == 'x' && len(s) >= 3:
		v, err := strconv.ParseUint(s[1:3], 16, 7) // ASCII
		if err != nil {
			return 0, 0
		}
		return byte(v), 3
	case strings.IndexByte("dDwWsSbB", c) >= 0:
		return 0xff, 1
	case c < 0x80 && strings.IndexByte(`/.-"'\()[]{}*+?|^$,:;!@#%&=<>~_ `, c) >= 0 && c != '_':
		return c, 1
	}
	return 0, 0
}

// groupEnd returns the offset of the parenthesis that closes the group at the beginning of s, -1 if
// there is none, or if the group changes how the rest is read.
func groupEnd(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			n := classEnd(s[i:])
			if n < 0 {
				return -1
			}
			i += n
		case '(':
			if strings.HasPrefix(s[i:], "(?") && (len(s) < i+3 || strings.IndexByte(":=!<", s[i+2]) < 0) {
				return -1
			}
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// classEnd returns the offset of the bracket that closes the class at the beginning of s, -1 if
// there is none.
func classEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case ']':
			if i == 1 || i == 2 && s[1] == '^' {
				return -1 // an empty class, or a bracket in it
			}
			return i
		}
	}
	return -1
}
