package markdown

import (
	"bytes"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// inlineParser returns the parser of the text of a block. Blocks are the matter of the [Splitter]: the parser has only
// paragraphs. It has none of goldmark's extensions, whose package compiles regular expressions before main.
var inlineParser = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 1)),
		parser.WithInlineParsers(
			util.Prioritized(mathParser{}, 50),
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(urlParser{}, 400),
			util.Prioritized(parser.NewEmphasisParser(), 500),
			util.Prioritized(strikeParser{}, 500),
		),
	)
})

// maxMarks is the number of marks in a text above which the text is shown without formatting. The parser takes time in
// proportion to its square.
const maxMarks = 1000

// maxRun is the length of a run of marks above which the text is shown without formatting.
const maxRun = 64

// isExcessive reports whether a text has too many marks.
func isExcessive(source string) bool {
	marks, run := 0, 0
	for i := range len(source) {
		if strings.IndexByte("*_~[]<$\\!", source[i]) < 0 {
			run = 0
			continue
		}
		if run++; run == 1 || source[i] != source[i-1] {
			marks++
		}
		if marks > maxMarks || run > maxRun {
			return true
		}
	}
	return false
}

// parse returns the paragraphs of a text.
func parse(source []byte) ast.Node { return inlineParser().Parse(text.NewReader(source)) }

// inlineKind is the kind of the nodes of this package.
var inlineKind = sync.OnceValue(func() ast.NodeKind { return ast.NewNodeKind("Pollux") })

// strike is text that is struck out.
type strike struct{ ast.BaseInline }

func (*strike) Kind() ast.NodeKind          { return inlineKind() }
func (n *strike) Dump(source []byte, l int) { ast.DumpHelper(n, source, l, nil, nil) }

// strikeParser parses text between pairs of tildes.
type strikeParser struct{}

func (strikeParser) Trigger() []byte         { return []byte{'~'} }
func (strikeParser) IsDelimiter(b byte) bool { return b == '~' }
func (strikeParser) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char && opener.Length == 2 && closer.Length == 2
}
func (strikeParser) OnMatch(int) ast.Node { return &strike{} }

func (p strikeParser) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	d := parser.ScanDelimiter(line, before, 2, p)
	if d == nil || d.OriginalLength != 2 || before == '~' {
		return nil
	}
	d.Segment = segment.WithStop(segment.Start + 2)
	block.Advance(2)
	pc.PushDelimiter(d)
	return d
}

// url is a URL in the text, without marks around it.
type url struct {
	ast.BaseInline
	target, text string
}

func (*url) Kind() ast.NodeKind          { return inlineKind() }
func (n *url) Dump(source []byte, l int) { ast.DumpHelper(n, source, l, nil, nil) }

// urlParser parses URLs from their first colon, or from the first dot in "www.".
type urlParser struct{}

func (urlParser) Trigger() []byte { return []byte{':', '.'} }

func (urlParser) Parse(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, segment := block.PeekLine()
	last, ok := parent.LastChild().(*ast.Text)
	if !ok || last.Segment.Stop != segment.Start || last.Segment.IsEmpty() {
		return nil
	}
	before := last.Segment.Value(block.Source())
	scheme, isURL := schemeBefore(before, line)
	if !isURL {
		return nil
	}
	n := urlLength(line)
	if n < 4 {
		return nil
	}
	last.Segment = last.Segment.WithStop(last.Segment.Stop - len(scheme))
	block.Advance(n)
	shown := scheme + string(line[:n])
	target := shown
	if line[0] == '.' {
		target = "http://" + shown
	}
	return &url{target: target, text: shown}
}

// schemeBefore returns the end of the text before a line that, with the line, begins a URL.
func schemeBefore(before, line []byte) (scheme string, isURL bool) {
	schemes := []string{"https", "http", "file"}
	if line[0] == '.' {
		schemes = []string{"www"}
	} else if !bytes.HasPrefix(line, []byte("://")) {
		return "", false
	}
	for _, s := range schemes {
		head := len(before) - len(s)
		if head >= 0 && strings.EqualFold(string(before[head:]), s) && (head == 0 || !isLetter(before[head-1]) && !isDigit(before[head-1])) {
			return string(before[head:]), true
		}
	}
	return "", false
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// urlLength returns the length of the rest of a URL, without punctuation that belongs to the sentence.
func urlLength(line []byte) int {
	n := bytes.IndexFunc(line, func(r rune) bool {
		return r <= ' ' || strings.ContainsRune("<>\"`|[]，。；：、！？（）】」』》”’\u3000", r)
	})
	if n < 0 {
		n = len(line)
	}
	open := bytes.Count(line[:n], []byte("(")) - bytes.Count(line[:n], []byte(")"))
	for n > 0 {
		switch line[n-1] {
		case '?', '!', '.', ',', ':', ';', '*', '_', '~', '\'', '\\':
		case ')':
			if open >= 0 {
				return n
			}
			open++
		default:
			return n
		}
		n--
	}
	return n
}
