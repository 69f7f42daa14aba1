package laxjson

// hasUnclearBreak reports whether one of the escapes \n at these offsets in text, the inside of
// a JSON string, may stand for a backslash and an n: in a string literal or a regular expression
// of the code that text holds, or in a sentence. Elsewhere it can only be a line break.
func hasUnclearBreak(text []byte, escapes []int) bool {
	var q quotes
	for i := 0; i < len(text); {
		c, size := text[i], 1
		if c == '\\' {
			c, size = unescape(text[i+1]), 2
			if text[i+1] == 'u' {
				size = 6
			}
		}
		if len(escapes) > 0 && i == escapes[0] {
			if q.isOpen() || q.isProse() {
				return true
			}
			escapes = escapes[1:]
		}
		q.add(c)
		i += size
	}
	return false
}

// unescape returns the byte for which a backslash and c stand, 0 for \u.
func unescape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case 'b', 'f', 'u':
		return 0
	}
	return c
}

// quotes finds out whether the end of some code is in a string literal. An apostrophe in a comment
// counts as a quote up to the end of the line.
type quotes struct {
	double, single bool // opened in this line
	back, triple   bool // opened, maybe in a line before
	last           byte
	run            int  // number of equal quotes at the end
	isEscaped      bool // the next byte follows a backslash
}

func (q *quotes) isOpen() bool { return q.double || q.single || q.back || q.triple }

// isProse reports whether a line rarely ends here, while the name of the line break is often
// written: behind a blank, as in a sentence or a comment, and in a regular expression.
func (q *quotes) isProse() bool {
	switch q.last {
	case ' ', '\t', '^', '/', '|', '[', '`':
		return true
	}
	return false
}

// add adds the next byte of the code.
func (q *quotes) add(c byte) {
	if q.isEscaped && c != '\n' {
		q.last, q.run, q.isEscaped = c, 0, false
		return
	}
	q.isEscaped = c == '\\'
	if c != q.last {
		q.run = 0
	}
	q.last = c
	switch c {
	case '\n':
		q.double, q.single = false, false
	case '`':
		q.back = !q.back
	case '"':
		q.double = !q.double
	case '\'':
		q.single = !q.single
	default:
		return
	}
	if q.run++; q.run == 3 && (c == '"' || c == '\'') {
		q.triple, q.double, q.single, q.run = !q.triple, false, false, 0
	}
}
