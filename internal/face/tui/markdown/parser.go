package markdown

import (
	"iter"
	"strings"
)

// nodeKind is the kind of a node.
type nodeKind uint8

// The kinds of nodes. Leaves have a text, the others have children.
const (
	textNode     nodeKind = iota // a leaf with escapes and character references; a line break in it is a space
	verbatimNode                 // a leaf that is shown as it is
	breakNode                    // a hard line break
	codeNode                     // a leaf
	addressNode                  // a leaf: a URL that is its own text
	emphasisNode
	strongNode
	strikeNode
	linkNode
	imageNode
)

// node is an element in the text of a paragraph. Siblings are a list.
type node struct {
	kind       nodeKind
	text       string // of a leaf
	at         int    // the place of the text in the source, if it is a textNode
	target     string // of an address, a link, or an image: its URL
	first      *node  // the first child
	prev, next *node
}

// parser parses the text of a paragraph: the inline elements of CommonMark except reference links, and strikethrough,
// URLs without marks around them, and formulas.
//
// It reads the tokens of the text from left to right and adds a node for each. Delimiters and brackets are nodes of
// text at first. The closing one of a pair makes the nodes between them the children of a new node. Each token that
// has no meaning in its place is text.
//
// A parser takes time in proportion to the length of the text: a search that fails is not repeated from a later place.
type parser struct {
	source string
	at     int // of the next token
	from   int // of the text before it that is in no node yet

	textKind nodeKind // of that text

	root  node  // before the first node
	last  *node // the node that the next one follows
	spare []node

	delimiters []delimiter // that may begin or end emphasis
	brackets   []bracket   // that may begin a link or an image
	inactive   int         // number of brackets that begin no link, because there is a link behind them

	lastTicks map[int]int // places of the last backticks, by their number; nil before a search for backticks fails
	missing   []string    // ends of markup that are not in the rest of the text
}

// parse returns the first node of a paragraph. Lines of the paragraph are not empty, and begin with no white space.
func parse(paragraph string) *node {
	p := parser{source: paragraph}
	p.last = &p.root
	for p.at < len(paragraph) {
		if !isSpecial[paragraph[p.at]] || !p.token() {
			p.at++
		}
	}
	p.addText(len(paragraph))
	p.pair(0)
	return p.merged(p.root.next)
}

// isSpecial has the characters that begin a token, and those within a URL.
var isSpecial = [256]bool{
	'\n': true, '\\': true, '`': true, '*': true, '_': true, '~': true, '!': true, '[': true, ']': true, '<': true,
	'$': true, ':': true, '.': true,
}

// token handles the next token. It returns false, and handles nothing, if the next character is text.
func (p *parser) token() bool {
	switch p.source[p.at] {
	case '\n':
		return p.lineEnd()
	case '\\':
		return p.command() || p.formula() || p.escape()
	case '$':
		return p.formula()
	case '`':
		return p.code()
	case '*', '_', '~':
		return p.delimiter()
	case '!', '[':
		return p.openBracket()
	case ']':
		return p.closeBracket()
	case '<':
		return p.autolink() || p.tag()
	}
	return p.url()
}

// add adds a node for the source up to end, and the text before start.
func (p *parser) add(n node, start, end int) *node {
	p.addText(start)
	p.at, p.from = end, end
	return p.appendNode(n)
}

// addText adds the source up to end that is in no node yet.
func (p *parser) addText(end int) {
	if p.from < end {
		p.appendNode(node{kind: p.textKind, text: p.source[p.from:end], at: p.from})
		p.from = end
	}
}

func (p *parser) appendNode(n node) *node {
	n.prev = p.last
	p.last = p.newNode(n)
	n.prev.next = p.last
	return p.last
}

func (p *parser) newNode(n node) *node {
	if len(p.spare) == 0 {
		p.spare = make([]node, 8)
	}
	added := &p.spare[0]
	p.spare = p.spare[1:]
	*added = n
	return added
}

// merged makes one node of texts that follow each other, such as marks that begin nothing. It returns the first node.
// A bracket begins a node, so that it makes no escape sequence with a character reference before it.
func (p *parser) merged(first *node) *node {
	for n := first; n != nil; n = n.next {
		if n.kind != textNode {
			continue
		}
		end := n.at + len(n.text)
		for n.next != nil && n.next.kind == textNode && n.next.at == end && !beginsBracket(n.next.text) {
			end += len(n.next.text)
			n.next = n.next.next
		}
		n.text = p.source[n.at:end]
	}
	return first
}

func beginsBracket(text string) bool { return strings.HasPrefix(strings.TrimPrefix(text, "!"), "[") }

// lineEnd handles the end of a line, which is a hard break behind two spaces.
func (p *parser) lineEnd() bool {
	text := p.source[p.from:p.at]
	end := p.from + len(strings.TrimRight(text, " \t\r"))
	switch {
	case strings.HasSuffix(text, "  "):
		p.add(node{kind: breakNode}, end, p.at+1)
	case end < p.at:
		p.addText(end)
		p.from = p.at
		p.at++
	default:
		p.at++
	}
	return true
}

// escape handles a backslash: before a line end it is a hard break, and before punctuation it makes that text.
func (p *parser) escape() bool {
	if p.at+1 == len(p.source) {
		return false
	}
	switch next := p.source[p.at+1]; {
	case next == '\n':
		p.add(node{kind: breakNode}, p.at, p.at+2)
	case isPunctuation(next):
		p.at += 2
	default:
		return false
	}
	return true
}

// code handles backticks: a code span, or text if there are not as many backticks again.
func (p *parser) code() bool {
	begin := p.at + runLength(p.source[p.at:])
	end := p.closingTicks(begin, begin-p.at)
	if end < 0 {
		p.at = begin
		return true
	}
	text := strings.ReplaceAll(p.source[begin:end], "\n", " ")
	if n := len(text) - 1; text[0] == ' ' && text[n] == ' ' && strings.Trim(text, " ") != "" {
		text = text[1:n]
	}
	p.add(node{kind: codeNode, text: text}, p.at, end+begin-p.at)
	return true
}

// closingTicks returns the place of the next run of n backticks, -1 if there is none.
func (p *parser) closingTicks(from, n int) int {
	if p.lastTicks != nil && p.lastTicks[n] < from {
		return -1
	}
	for i, length := range ticks(p.source, from) {
		if length == n {
			return i
		}
	}
	p.lastTicks = map[int]int{}
	for i, length := range ticks(p.source, from) {
		p.lastTicks[length] = i
	}
	return -1
}

// ticks yields the places and the lengths of the runs of backticks in a text, from a place on.
func ticks(text string, from int) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for {
			n := strings.IndexByte(text[from:], '`')
			if n < 0 {
				return
			}
			from += n
			length := runLength(text[from:])
			if !yield(from, length) {
				return
			}
			from += length
		}
	}
}

// runLength returns the number of times that a text repeats its first character.
func runLength(text string) int {
	n := 1
	for n < len(text) && text[n] == text[0] {
		n++
	}
	return n
}
