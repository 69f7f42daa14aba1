package loopdetect

// lines scans the Markdown of a response character by character. It recognizes text that
// repeats itself by nature: code, tables, dividers. It also recognizes the start of a list
// item, heading or quotation, which may begin like the one before it. The zero value is the
// start of a response.
//
// The first characters of a line determine its kind. Until it is known, its characters are
// held. The result does not depend on how the response is split into pieces.
type lines struct {
	state state
	mark  rune // the character that the head of the line consists of
	marks int  // number of marks
	held  int

	fence  rune // of the code block that contains this line; 0 outside of code
	fences int  // number of marks of the fence that opened the code block
}

// verdict is the kind of a character.
type verdict uint8

const (
	plain  verdict = iota // text, as are the held characters before it
	held                  // text, unless the line turns out to be of another kind
	fresh                 // starts a block: the text so far must not count
	hidden                // ignored
)

type state uint8

const (
	head    state = iota // only blanks so far
	rule                 // -, =, *, ...: a divider or the mark of an item
	hash                 // marks of a heading
	number               // number of an item
	bullet               // the character after a number, or a bullet
	ticks                // fewer marks than a fence has
	fenced               // opening fence
	info                 // text after an opening fence
	closing              // possibly a closing fence
	tail                 // blanks after a closing fence
	body                 // text
	unseen               // the rest of the line is ignored
)

// maxHead is the maximum number of held characters. Then the line is text, so that endless
// dashes are a loop, too.
const maxHead = 500

// next processes a character.
func (l *lines) next(r rune) verdict {
	switch {
	case l.fence != 0:
		l.inCode(r)
		return hidden
	case r == '\n':
		return l.endLine()
	case l.state == body:
		return plain
	case l.state == unseen:
		return hidden
	case l.state == fenced || l.state == info:
		l.openFence(r)
		return hidden
	}
	if l.held++; l.held > maxHead {
		return l.startText()
	}
	if l.state == head {
		return l.startLine(r)
	}
	return l.continueLine(r)
}

// startLine processes the leading blanks of a line and the character after them.
func (l *lines) startLine(r rune) verdict {
	l.mark, l.marks = r, 1
	switch {
	case isBlank(r):
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
		return l.startBlock(head)
	case r == '|' || '\u2500' <= r && r <= '\u257F': // lines and corners of boxes
		return l.startBlock(unseen)
	default:
		return l.startText()
	}
	return held
}

// continueLine processes a character of a line whose kind is not known yet.
func (l *lines) continueLine(r rune) verdict {
	switch l.state {
	case rule:
		switch {
		case isRule(r):
			l.marks++
			return held
		case r == '|' && l.marks >= 3: // between the columns of a table
			return l.startBlock(unseen)
		case isBlank(r) && l.isRuleOrItem():
			return l.startBlock(head)
		}
	case hash:
		if isBlank(r) {
			return l.startBlock(body)
		}
		return l.addMark(r == '#', 6)
	case number:
		if r == '.' || r == ')' {
			l.state = bullet
			return held
		}
		return l.addMark('0' <= r && r <= '9', 9)
	case bullet:
		if isBlank(r) {
			return l.startBlock(head)
		}
	case ticks:
		if r == l.mark && l.marks == 2 {
			l.marks = 3
			return l.startBlock(fenced)
		}
		return l.addMark(r == l.mark, 2)
	}
	return l.startText()
}

// addMark counts one more mark, up to most. Any other character makes the line text.
func (l *lines) addMark(isMark bool, most int) verdict {
	if !isMark || l.marks == most {
		return l.startText()
	}
	l.marks++
	return held
}

// isRuleOrItem reports whether the marks are a divider or the mark of an item.
func (l *lines) isRuleOrItem() bool {
	return l.marks >= 3 || l.marks == 1 && (l.mark == '-' || l.mark == '*' || l.mark == '+')
}

func (l *lines) endLine() verdict {
	v := plain
	switch l.state {
	case rule:
		if l.isRuleOrItem() {
			v = fresh
		}
	case hash, bullet:
		v = fresh
	case fenced, info:
		l.fence, l.fences = l.mark, l.marks
		v = hidden
	case unseen:
		v = hidden
	}
	l.state, l.marks, l.held = head, 0, 0
	return v
}

// startBlock starts an item, a heading, a quotation or an ignored line.
func (l *lines) startBlock(s state) verdict {
	l.state, l.held = s, 0
	return fresh
}

// startText makes the rest of the line text.
func (l *lines) startText() verdict {
	l.state = body
	return plain
}

// openFence processes a character of the line that opens a code block. If a backtick follows
// the fence, the line contains inline code instead.
func (l *lines) openFence(r rune) {
	switch {
	case r == l.mark && l.state == fenced:
		l.marks++
	case r == '`' && l.mark == '`':
		l.state = unseen
	default:
		l.state = info
	}
}

func (l *lines) inCode(r rune) {
	switch {
	case r == '\n':
		if (l.state == closing || l.state == tail) && l.marks >= l.fences {
			l.fence = 0
		}
		l.state, l.marks = head, 0
	case r == l.fence && (l.state == head || l.state == closing):
		l.state = closing
		l.marks++
	case l.state == head && (isBlank(r) || r == '>'):
	case (l.state == closing || l.state == tail) && isBlank(r):
		l.state = tail
	default:
		l.state = unseen
	}
}

func isBlank(r rune) bool { return r == ' ' || r == '\t' || r == '\r' }

func isRule(r rune) bool { return r == '-' || r == '=' || r == '*' || r == '_' || r == '+' }
