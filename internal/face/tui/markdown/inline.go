package markdown

import (
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"pollux/internal/face/tui/styled"
)

// inline renders the text of a block: lines of any width, one for each hard line break.
func (r *Renderer) inline(source string, style styled.Style) []styled.Line {
	if isPlain(source) || isExcessive(source) {
		return []styled.Line{styled.Of(styled.Text(source), style)}
	}
	w := inliner{renderer: r, source: []byte(source), lines: make([]styled.Line, 1)}
	for n := parse(w.source).FirstChild(); n != nil; n = n.NextSibling() {
		w.children(n, style, "")
		if n.NextSibling() != nil {
			w.lines = append(w.lines, nil)
		}
	}
	return w.lines
}

// isPlain reports whether a text has no formatting.
func isPlain(source string) bool {
	return !strings.ContainsAny(source, "*_~[]<$\\&`\n") && !strings.Contains(source, "://") && !strings.Contains(source, "www.")
}

// inliner turns the nodes of a text into lines.
type inliner struct {
	renderer *Renderer
	source   []byte
	lines    []styled.Line
}

// add adds foreign text.
func (w *inliner) add(text string, style styled.Style, link string) {
	if text = styled.Text(text); text == "" {
		return
	}
	line := &w.lines[len(w.lines)-1]
	*line = append(*line, styled.Span{Text: text, Style: style, Link: link})
}

func (w *inliner) children(n ast.Node, style styled.Style, link string) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.node(c, style, link)
	}
}

// node adds a node. The depth of nodes is bounded: see isExcessive.
func (w *inliner) node(n ast.Node, style styled.Style, link string) {
	p := &w.renderer.Theme
	switch n := n.(type) {
	case *ast.Text:
		text := decode(string(n.Segment.Value(w.source)))
		if n.SoftLineBreak() && !n.HardLineBreak() {
			text += " "
		}
		w.add(text, style, link)
		if n.HardLineBreak() {
			w.lines = append(w.lines, nil)
		}
	case *ast.CodeSpan:
		w.add(w.raw(n), over(style, p.CodeSpan), link)
	case *ast.Emphasis:
		if n.Level == 1 {
			w.children(n, over(style, with(p.Emphasis, styled.Italic)), link)
		} else {
			w.children(n, over(style, with(p.Strong, styled.Bold)), link)
		}
	case *strike:
		w.children(n, with(style, styled.Strikethrough), link)
	case *math:
		w.add(n.text, style, link)
	case *url:
		w.address(n.text, n.target, style, link)
	case *ast.AutoLink:
		text := string(n.Label(w.source))
		target := string(n.URL(w.source))
		if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(target, "mailto:") {
			target = "mailto:" + target
		}
		w.address(text, target, style, link)
	case *ast.Link:
		w.link(n, decode(string(n.Destination)), style)
	case *ast.Image:
		label := "[image]"
		if alt := w.alt(n); alt != "" {
			label = "[image: " + alt + "]"
		}
		w.add(label, style, link)
		w.target(decode(string(n.Destination)), style)
	default:
		w.children(n, style, link)
	}
}

// address adds a URL that is its own text.
func (w *inliner) address(text, target string, style styled.Style, outer string) {
	if outer == "" && w.renderer.Links {
		outer = safeURL(target)
	}
	w.add(text, over(style, w.renderer.Theme.Link), outer)
}

// link adds a link with a text. The URL is shown if the terminal cannot follow the link, unless it is the text.
func (w *inliner) link(n *ast.Link, target string, style styled.Style) {
	link := ""
	if w.renderer.Links {
		link = safeURL(target)
	}
	at := len(w.lines) - 1
	before := len(w.lines[at])
	w.children(n, over(style, w.renderer.Theme.Link), link)
	if link != "" {
		return
	}
	text := styled.Line(w.lines[at][before:]).String()
	if len(w.lines)-1 == at && isSameURL(text, target) {
		return
	}
	w.target(target, style)
}

// isSameURL reports whether the text of a link is its URL.
func isSameURL(text, target string) bool {
	target = strings.TrimPrefix(styled.Text(target), "mailto:")
	return text == target || text == strings.TrimSuffix(target, "/")
}

// target adds the URL of a link or image in parentheses.
func (w *inliner) target(target string, style styled.Style) {
	if target == "" {
		return
	}
	w.add(" (", style, "")
	w.address(target, target, style, "")
	w.add(")", style, "")
}

// raw returns the text of a node without formatting.
func (w *inliner) raw(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(w.source))
		}
	}
	return b.String()
}

// alt returns the text of an image.
func (w *inliner) alt(n ast.Node) string {
	plain := inliner{renderer: &Renderer{}, source: w.source, lines: make([]styled.Line, 1)}
	plain.children(n, styled.Style{}, "")
	var b strings.Builder
	for i, l := range plain.lines {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(l.String())
	}
	return b.String()
}

// safeURL returns a URL that a terminal may open, "" for all others.
func safeURL(target string) string {
	scheme, _, _ := strings.Cut(target, ":")
	switch strings.ToLower(scheme) {
	case "http", "https", "file", "mailto":
	default:
		return ""
	}
	clean := styled.Text(target)
	if clean != target || strings.ContainsAny(target, " \x1b\x07\\") || len(target) > 2048 {
		return ""
	}
	return target
}

// decode replaces backslash escapes and character references.
func decode(text string) string {
	if !strings.ContainsAny(text, `\&`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text) && util.IsPunct(text[i+1]):
			i++
			b.WriteByte(text[i])
		case text[i] == '&':
			n := strings.IndexByte(text[i:min(len(text), i+34)], ';')
			if n < 0 {
				b.WriteByte('&')
				continue
			}
			b.WriteString(html.UnescapeString(text[i : i+n+1]))
			i += n
		default:
			b.WriteByte(text[i])
		}
	}
	return b.String()
}
