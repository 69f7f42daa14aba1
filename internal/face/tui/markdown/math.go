package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// maxMath is the length of the longest formula.
const maxMath = 1000

// math is a LaTeX formula.
type math struct {
	ast.BaseInline
	text string // in Unicode
}

func (*math) Kind() ast.NodeKind          { return inlineKind() }
func (n *math) Dump(source []byte, l int) { ast.DumpHelper(n, source, l, nil, nil) }

// mathParser parses formulas: $...$, $$...$$, \(...\), \[...\], and single commands such as \alpha.
type mathParser struct{}

func (mathParser) Trigger() []byte { return []byte{'$', '\\'} }

func (mathParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	_, segment := block.PeekLine()
	// The lines of the text follow each other in the source.
	rest := block.Source()[segment.Start:]
	rest = rest[:min(len(rest), maxMath)]
	if rest[0] == '\\' && len(rest) > 1 && isLetter(rest[1]) {
		return singleCommand(block, rest, before)
	}
	open, end := formula(rest)
	if end == 0 {
		return nil
	}
	source := string(rest[open : end-open])
	block.Advance(end)
	return &math{text: unicodeMath(source)}
}

// formula returns the length of the delimiters and of the formula with them. The length is 0 if none begins here.
func formula(rest []byte) (delimiter, end int) {
	var closing []byte
	switch {
	case bytes.HasPrefix(rest, []byte("$$")):
		closing = []byte("$$")
	case rest[0] == '$':
		return 1, dollars(rest)
	case bytes.HasPrefix(rest, []byte(`\(`)):
		closing = []byte(`\)`)
	case bytes.HasPrefix(rest, []byte(`\[`)):
		closing = []byte(`\]`)
	default:
		return 0, 0
	}
	n := bytes.Index(rest[2:], closing)
	if n <= 0 || closing[0] == '\\' && !isFormula(rest[2:2+n]) {
		return 0, 0
	}
	if closing[1] == ']' && !bytes.ContainsAny(rest[2:2+n], `\^_=+<>{`) {
		return 0, 0 // an escaped bracket
	}
	return 2, n + 4
}

// dollars returns the length of a formula between single dollars, 0 if the dollar is an amount or a variable.
func dollars(rest []byte) int {
	if len(rest) < 3 || strings.IndexByte(" \n{", rest[1]) >= 0 {
		return 0
	}
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case '`':
			return 0
		case '$':
			isInWord := i+1 < len(rest) && (isLetter(rest[i+1]) || isDigit(rest[i+1]))
			if rest[i-1] == ' ' || isInWord || i < 2 || !isFormula(rest[1:i]) {
				return 0
			}
			return i + 1
		}
	}
	return 0
}

// isFormula reports whether a text looks like a formula rather than like prose.
func isFormula(source []byte) bool {
	source = bytes.TrimSpace(source)
	return len(source) <= 2 && len(source) > 0 || bytes.ContainsAny(source, `\^_=+*/<>{`) || bytes.IndexByte(source, ' ') < 0 && bytes.ContainsAny(source, "-()|")
}

// singleCommand parses a command outside a formula, at the beginning of a word.
func singleCommand(block text.Reader, rest []byte, before rune) ast.Node {
	n := 1
	for n < len(rest) && isLetter(rest[n]) {
		n++
	}
	if strings.ContainsRune(`\/.:-_`, before) || before < 0x80 && (isLetter(byte(before)) || isDigit(byte(before))) {
		return nil // a path
	}
	symbol := symbol(string(rest[1:n]))
	if symbol == "" || n < 3 || n < len(rest) && strings.IndexByte(`\/._-`, rest[n]) >= 0 && rest[n] != '.' {
		return nil
	}
	block.Advance(n)
	return &math{text: symbol}
}
