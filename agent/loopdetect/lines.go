package loopdetect

// lines follows an answer's Markdown, a character at a time, as far as it takes
// to know which text repeats itself by nature: code, tables, dividers; and where
// something new begins that may well begin like the thing before it: an item, a
// heading, a quotation. The zero value is the beginning of an answer.
//
// A line is known by its first characters, and until it is known its characters
// are held. The result is the same however the answer is cut into pieces.
type lines struct {
	state state
	mark  rune // what the head of the line is made of
	n     int  // how many of them
	held  int

	fence  rune // of the code that this line is in; 0 outside
	fences int  // how many of them opened it
}

// verdict says what to do with a character.
type verdict uint8

const (
	plain  verdict = iota // text, and so is what was held
	held                  // text, unless the line turns out to be something else
	fresh                 // what came so far has nothing to do with what follows
	hidden                // not looked at
)

type state uint8

const (
	head    state = iota // only blanks so far
	rule                 // -, =, *, ... which may be a divider or an item's mark
	hash                 // a heading's marks
	number               // an item's number
	bullet               // the character behind that, or a bullet
	ticks                // fewer marks than a fence has
	fenced               // the opening fence
	info                 // the words behind it
	closing              // a closing fence, so far
	tail                 // blanks behind that
	body                 // text
	unseen               // the rest of the line is not looked at
)

// maxHead is how many characters a line may begin with before it must be text:
// a model that says nothing but dashes is in a loop all the same.
const maxHead = 500

// next takes the next character.
func (l *lines) next(r rune) verdict {
	switch {
	case l.fence != 0:
		l.inCode(r)
		return hidden
	case r == '\n':
		return l.end()
	case l.state == body:
		return plain
	case l.state == unseen:
		return hidden
	case l.state == fenced || l.state == info:
		l.opening(r)
		return hidden
	}
	if l.held++; l.held > maxHead {
		return l.text()
	}
	if l.state == head {
		return l.first(r)
	}
	return l.further(r)
}

// first takes the blanks that a line begins with, and the first character behind them.
func (l *lines) first(r rune) verdict {
	l.mark, l.n = r, 1
	switch {
	case blank(r):
		return held
	case isRule(r):
		l.state = rule
	case r == '#':
		l.state = hash
	case '0' <= r && r <= '9':
		l.state = number
	case r == '•':
		l.state = bullet
	case r == '`' || r == '~':
		l.state = ticks
	case r == '>':
		return l.begin(head)
	case r == '|' || '\u2500' <= r && r <= '\u257F': // lines and corners of boxes
		return l.begin(unseen)
	default:
		return l.text()
	}
	return held
}

// further takes a character behind the first ones.
func (l *lines) further(r rune) verdict {
	switch l.state {
	case rule:
		switch {
		case isRule(r):
			l.n++
			return held
		case r == '|' && l.n >= 3: // between the columns of a table
			return l.begin(unseen)
		case blank(r) && l.rules():
			return l.begin(head)
		}
	case hash:
		if blank(r) {
			return l.begin(body)
		}
		return l.more(r == '#', 6)
	case number:
		if r == '.' || r == ')' {
			l.state = bullet
			return held
		}
		return l.more('0' <= r && r <= '9', 9)
	case bullet:
		if blank(r) {
			return l.begin(head)
		}
	case ticks:
		if r == l.mark && l.n == 2 {
			l.n = 3
			return l.begin(fenced)
		}
		return l.more(r == l.mark, 2)
	}
	return l.text()
}

// more takes one more mark, of which there may be so many.
func (l *lines) more(isMark bool, most int) verdict {
	if !isMark || l.n == most {
		return l.text()
	}
	l.n++
	return held
}

// rules reports whether the marks are a divider, or mark an item.
func (l *lines) rules() bool {
	return l.n >= 3 || l.n == 1 && (l.mark == '-' || l.mark == '*' || l.mark == '+')
}

// end takes the end of a line.
func (l *lines) end() verdict {
	v := plain
	switch l.state {
	case rule:
		if l.rules() {
			v = fresh
		}
	case hash, bullet:
		v = fresh
	case fenced, info:
		l.fence, l.fences = l.mark, l.n
		v = hidden
	case unseen:
		v = hidden
	}
	l.state, l.n, l.held = head, 0, 0
	return v
}

// begin goes on to what begins here.
func (l *lines) begin(s state) verdict {
	l.state, l.held = s, 0
	return fresh
}

func (l *lines) text() verdict {
	l.state = body
	return plain
}

// opening takes a character of the line that opens a block of code. The words
// behind the fence hold no backtick; then it is a line that has code in it.
func (l *lines) opening(r rune) {
	switch {
	case r == l.mark && l.state == fenced:
		l.n++
	case r == '`' && l.mark == '`':
		l.state = unseen
	default:
		l.state = info
	}
}

// inCode takes a character of a block of code.
func (l *lines) inCode(r rune) {
	switch {
	case r == '\n':
		if (l.state == closing || l.state == tail) && l.n >= l.fences {
			l.fence = 0
		}
		l.state, l.n = head, 0
	case r == l.fence && (l.state == head || l.state == closing):
		l.state = closing
		l.n++
	case l.state == head && (blank(r) || r == '>'):
	case (l.state == closing || l.state == tail) && blank(r):
		l.state = tail
	default:
		l.state = unseen
	}
}

func blank(r rune) bool { return r == ' ' || r == '\t' || r == '\r' }

func isRule(r rune) bool { return r == '-' || r == '=' || r == '*' || r == '_' || r == '+' }
