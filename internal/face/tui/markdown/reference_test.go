package markdown

import (
	"bufio"
	"html"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	goldmark "github.com/yuin/goldmark/parser"
	writer "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// goldmarkParser returns the parser that the parser of this package is compared with: goldmark, with the marks that
// CommonMark does not have. Formulas and URLs are parsed by this package there too.
var goldmarkParser = sync.OnceValue(func() goldmark.Parser {
	return goldmark.NewParser(
		goldmark.WithBlockParsers(util.Prioritized(goldmark.NewParagraphParser(), 1)),
		goldmark.WithInlineParsers(
			util.Prioritized(ownParser{"$\\", parseFormula}, 50),
			util.Prioritized(goldmark.NewCodeSpanParser(), 100),
			util.Prioritized(goldmark.NewLinkParser(), 200),
			util.Prioritized(goldmark.NewAutoLinkParser(), 300),
			util.Prioritized(goldmark.NewRawHTMLParser(), 300),
			util.Prioritized(ownParser{":.", parseURL}, 400),
			util.Prioritized(goldmark.NewEmphasisParser(), 500),
			util.Prioritized(strikeParser{}, 500),
		),
	)
})

// ownNode is a node of this package in goldmark's tree.
type ownNode struct {
	ast.BaseInline
	node *node
}

var ownKind = sync.OnceValue(func() ast.NodeKind { return ast.NewNodeKind("Pollux") })

func (*ownNode) Kind() ast.NodeKind          { return ownKind() }
func (n *ownNode) Dump(source []byte, l int) { ast.DumpHelper(n, source, l, nil, nil) }

// ownParser is a parser of this package for goldmark.
type ownParser struct {
	marks string
	parse func(p *parser, before *ast.Text) bool
}

func (o ownParser) Trigger() []byte { return []byte(o.marks) }

func (o ownParser) Parse(parent ast.Node, block text.Reader, _ goldmark.Context) ast.Node {
	_, segment := block.PeekLine()
	p := parser{source: string(block.Source()), at: segment.Start, from: segment.Start}
	p.last = &p.root
	before, _ := parent.LastChild().(*ast.Text)
	if !o.parse(&p, before) {
		return nil
	}
	block.Advance(p.at - segment.Start)
	return &ownNode{node: p.last}
}

func parseFormula(p *parser, _ *ast.Text) bool {
	return p.source[p.at] == '\\' && p.command() || p.formula()
}

func parseURL(p *parser, before *ast.Text) bool {
	if before == nil || before.Segment.Stop != p.at {
		return false
	}
	p.from = before.Segment.Start
	if !p.url() {
		return false
	}
	before.Segment = before.Segment.WithStop(p.at - len(p.last.text))
	return true
}

// strikeParser parses text between pairs of tildes for goldmark.
type strikeParser struct{}

func (strikeParser) Trigger() []byte         { return []byte{'~'} }
func (strikeParser) IsDelimiter(b byte) bool { return b == '~' }
func (strikeParser) CanOpenCloser(opener, closer *goldmark.Delimiter) bool {
	return opener.Char == closer.Char
}
func (strikeParser) OnMatch(int) ast.Node { return &ownNode{node: &node{kind: strikeNode}} }

func (p strikeParser) Parse(_ ast.Node, block text.Reader, pc goldmark.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	d := goldmark.ScanDelimiter(line, before, 2, p)
	if d == nil || d.OriginalLength != 2 || before == '~' {
		return nil
	}
	d.Segment = segment.WithStop(segment.Start + 2)
	block.Advance(2)
	pc.PushDelimiter(d)
	return d
}

// goldmarkOutline writes the tree that goldmark makes of a paragraph as [nodeOutline] does.
func goldmarkOutline(paragraph string) string {
	source := []byte(paragraph)
	o := goldmarkWriter{source: source}
	for c := goldmarkParser().Parse(text.NewReader(source)).FirstChild(); c != nil; c = c.NextSibling() {
		o.children(c)
	}
	return o.String()
}

type goldmarkWriter struct {
	strings.Builder
	source []byte
}

func (o *goldmarkWriter) children(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		o.node(c)
	}
}

func (o *goldmarkWriter) element(name string, n ast.Node) {
	o.WriteString("‹" + name + ":")
	o.children(n)
	o.WriteString("›")
}

func (o *goldmarkWriter) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		o.WriteString(goldmarkText(n.Segment.Value(o.source)))
		if n.HardLineBreak() {
			o.WriteString("⏎")
		} else if n.SoftLineBreak() {
			o.WriteString(" ")
		}
	case *ast.CodeSpan:
		o.WriteString("‹code:")
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			o.WriteString(strings.ReplaceAll(string(c.(*ast.Text).Segment.Value(o.source)), "\n", " "))
		}
		o.WriteString("›")
	case *ast.Emphasis:
		o.element([]string{"", "em", "strong"}[n.Level], n)
	case *ast.AutoLink:
		target := string(n.URL(o.source))
		if n.AutoLinkType == ast.AutoLinkEmail {
			target = "mailto:" + target
		}
		o.WriteString("‹address " + target + ":" + string(n.Label(o.source)) + "›")
	case *ast.RawHTML:
		o.WriteString("‹verbatim:" + string(n.Segments.Value(o.source)) + "›")
	case *ast.Link:
		o.element("link "+goldmarkText(n.Destination), n)
	case *ast.Image:
		o.element("image "+goldmarkText(n.Destination), n)
	case *ownNode:
		if n.node.kind == strikeNode {
			o.element("strike", n)
		} else {
			o.WriteString(nodeOutline(&node{kind: n.node.kind, text: n.node.text, target: n.node.target}))
		}
	}
}

// goldmarkText replaces escapes and character references as goldmark does.
func goldmarkText(source []byte) string {
	var b strings.Builder
	w := bufio.NewWriter(&b)
	writer.DefaultWriter.Write(w, source)
	if err := w.Flush(); err != nil {
		panic(err)
	}
	return html.UnescapeString(b.String())
}

// nodeOutline writes nodes with their kinds: ‹kind target:content›. Text has no kind, and a hard line break is ⏎.
func nodeOutline(first *node) string {
	var b strings.Builder
	for n := first; n != nil; n = n.next {
		switch n.kind {
		case textNode:
			b.WriteString(decode(strings.ReplaceAll(n.text, "\n", " ")))
		case breakNode:
			b.WriteString("⏎")
		case linkNode, imageNode:
			b.WriteString("‹" + n.kind.name() + " " + decode(n.target) + ":" + nodeOutline(n.first) + "›")
		case addressNode:
			b.WriteString("‹address " + n.target + ":" + n.text + "›")
		default:
			b.WriteString("‹" + n.kind.name() + ":" + n.text + nodeOutline(n.first) + "›")
		}
	}
	return b.String()
}

// name returns the name of a kind of nodes in an outline.
func (k nodeKind) name() string {
	return []string{"", "verbatim", "", "code", "address", "em", "strong", "strike", "link", "image"}[k]
}
