package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// delimiter is a run of one of the characters of emphasis and strikethrough.
type delimiter struct {
	node     *node // the characters that are still text
	order    int   // among the delimiters that are paired at once
	length   int   // of the run in the source
	canOpen  bool
	canClose bool
}

// delimiter handles a run of asterisks, underscores, or tildes. Only two tildes strike text out.
func (p *parser) delimiter() bool {
	mark := p.source[p.at]
	end := p.at + runLength(p.source[p.at:])
	before, after := p.runeBefore(p.at), p.runeAt(end)
	if mark == '~' && (end-p.at != 2 || before == '~') {
		p.at = end
		return true
	}
	d := delimiter{length: end - p.at}
	d.canOpen, d.canClose = flanks(mark, before, after)
	d.node = p.add(node{text: p.source[p.at:end], at: p.at}, p.at, end)
	if d.canOpen || d.canClose {
		p.delimiters = append(p.delimiters, d)
	}
	return true
}

// runeBefore returns the character before a place, a line break at the beginning.
func (p *parser) runeBefore(at int) rune {
	if at == 0 {
		return '\n'
	}
	r, _ := utf8.DecodeLastRuneInString(p.source[:at])
	return r
}

// runeAt returns the character at a place, a line break at the end.
func (p *parser) runeAt(at int) rune {
	if at == len(p.source) {
		return '\n'
	}
	r, _ := utf8.DecodeRuneInString(p.source[at:])
	return r
}

// flanks reports whether a run of marks can open and can close emphasis, from the characters before and behind it.
func flanks(mark byte, before, after rune) (canOpen, canClose bool) {
	beforeSpace, afterSpace := unicode.IsSpace(before), unicode.IsSpace(after)
	beforeMark, afterMark := isMark(before), isMark(after)
	isLeft := !afterSpace && (!afterMark || beforeSpace || beforeMark)
	isRight := !beforeSpace && (!beforeMark || afterSpace || afterMark)
	if mark == '_' {
		return isLeft && (!isRight || beforeMark), isRight && (!isLeft || afterMark)
	}
	return isLeft, isRight
}

func isMark(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }

// pair makes nodes of the delimiters behind the first n ones that belong together, and forgets the others. It is the
// procedure "process emphasis" of CommonMark.
func (p *parser) pair(n int) {
	openers := p.delimiters[n:n]
	var bottoms [13]int // by class: the first opener that was not compared with a closer yet
	for order, d := range p.delimiters[n:] {
		d.order = order
		for d.canClose && d.node.text != "" {
			i := d.opener(openers, bottoms[d.class()])
			if i < 0 {
				bottoms[d.class()] = order
				break
			}
			p.enclose(openers[i].node, d.node)
			openers = openers[:i+1]
			if openers[i].node.text == "" {
				openers = openers[:i]
			}
		}
		if d.canOpen && d.node.text != "" {
			openers = append(openers, d)
		}
	}
	p.delimiters = p.delimiters[:n]
}

// opener returns the index of the opener that a closer ends, -1 if there is none from the bottom on.
func (d *delimiter) opener(openers []delimiter, bottom int) int {
	for i := len(openers) - 1; i >= 0 && openers[i].order >= bottom; i-- {
		if o := &openers[i]; o.node.text[0] == d.node.text[0] && !isOdd(o, d) {
			return i
		}
	}
	return -1
}

// isOdd reports whether two delimiters do not belong together because of their lengths. This keeps "**" in "*a**b*".
func isOdd(opener, closer *delimiter) bool {
	return (opener.canClose || closer.canOpen) && (opener.length+closer.length)%3 == 0 && closer.length%3 != 0
}

// class returns a number that closers share if the same openers belong to them.
func (d *delimiter) class() int {
	switch mark := d.node.text[0]; {
	case mark == '~':
		return 12
	case d.canOpen:
		return strings.IndexByte("*_", mark)*6 + 3 + d.length%3
	default:
		return strings.IndexByte("*_", mark)*6 + d.length%3
	}
}

// enclose makes the nodes between an opener and a closer the children of a new node, and takes its marks from both.
func (p *parser) enclose(opener, closer *node) {
	n, kind := 1, emphasisNode
	if len(opener.text) > 1 && len(closer.text) > 1 {
		n, kind = 2, strongNode
	}
	if opener.text[0] == '~' {
		kind = strikeNode
	}
	opener.text, closer.text = opener.text[n:], closer.text[n:]
	closer.at += n
	closer.prev.next = nil
	outer := p.newNode(node{kind: kind, first: p.merged(opener.next), prev: opener, next: closer})
	opener.next, closer.prev = outer, outer
}

// bracket is the beginning of the text of a link or an image.
type bracket struct {
	node       *node
	isImage    bool
	delimiters int // before the bracket
}

// openBracket handles "[" and "![".
func (p *parser) openBracket() bool {
	end := p.at + 1
	isImage := p.source[p.at] == '!'
	if isImage {
		if !strings.HasPrefix(p.source[end:], "[") {
			return false
		}
		end++
	}
	n := p.add(node{text: p.source[p.at:end], at: p.at}, p.at, end)
	p.brackets = append(p.brackets, bracket{node: n, isImage: isImage, delimiters: len(p.delimiters)})
	return true
}

// closeBracket handles "]", which ends the last bracket. Behind the text of a link is its URL. A link is in no link.
func (p *parser) closeBracket() bool {
	last := len(p.brackets) - 1
	if last < 0 {
		return false
	}
	b := p.brackets[last]
	p.brackets = p.brackets[:last]
	isInactive := last < p.inactive && !b.isImage
	p.inactive = min(p.inactive, last)
	if isInactive {
		return false
	}
	target, n := linkTarget(p.source[p.at+1:])
	if n == 0 {
		return false
	}
	p.addText(p.at)
	p.pair(b.delimiters)
	kind := imageNode
	if !b.isImage {
		kind = linkNode
		p.inactive = last
	}
	children := b.node.next
	p.last = b.node.prev
	p.add(node{kind: kind, target: target, first: p.merged(children)}, p.at, p.at+1+n)
	return true
}
