package markdown

import (
	"strings"

	"pollux/internal/face/tui/styled"
)

// maxMarks is the number of marks in a text above which the text is shown without formatting. It bounds the depth of
// nodes.
const maxMarks = 1000

// maxRun is the length of a run of marks above which the text is shown without formatting.
const maxRun = 64

// inline renders the text of a block: lines of any width, one for each hard line break.
func (r *Renderer) inline(source string, style styled.Style) []styled.Line {
	if isPlain(source) || isExcessive(source) {
		return []styled.Line{styled.Of(styled.Text(source), style)}
	}
	w := inliner{renderer: r, lines: make([]styled.Line, 1)}
	for i, paragraph := range paragraphs(source) {
		if i > 0 {
			w.lines = append(w.lines, nil)
		}
		w.siblings(parse(paragraph), style, "")
	}
	return w.lines
}

// paragraphs returns the parts of a text that are separated by empty lines, without white space at the beginning of
// lines. A text has several only if characters that are not shown were removed from its lines.
func paragraphs(source string) (list []string) {
	if strings.Contains(source, "\n ") || strings.Contains(source, "\n\t") {
		lines := strings.Split(source, "\n")
		for i := range lines {
			lines[i] = strings.TrimLeft(lines[i], " \t")
		}
		source = strings.Join(lines, "\n")
	}
	for part := range strings.SplitSeq(source, "\n\n") {
		if part = strings.Trim(part, " \t\n"); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// isPlain reports whether a text has no formatting.
func isPlain(source string) bool {
	return !strings.ContainsAny(source, "*_~[]<$\\&`\n") && !strings.Contains(source, "://") && !strings.Contains(source, "www.")
}

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

// inliner turns the nodes of a text into lines.
type inliner struct {
	renderer *Renderer
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

func (w *inliner) siblings(first *node, style styled.Style, link string) {
	for n := first; n != nil; n = n.next {
		w.node(n, style, link)
	}
}

// node adds a node. The depth of nodes is bounded: see isExcessive.
func (w *inliner) node(n *node, style styled.Style, link string) {
	p := &w.renderer.Theme
	switch n.kind {
	case textNode:
		w.add(decode(n.text), style, link)
	case verbatimNode:
		w.add(n.text, style, link)
	case breakNode:
		w.lines = append(w.lines, nil)
	case codeNode:
		w.add(n.text, over(style, p.CodeSpan), link)
	case addressNode:
		w.address(n.text, n.target, style, link)
	case emphasisNode:
		w.siblings(n.first, over(style, with(p.Emphasis, styled.Italic)), link)
	case strongNode:
		w.siblings(n.first, over(style, with(p.Strong, styled.Bold)), link)
	case strikeNode:
		w.siblings(n.first, with(style, styled.Strikethrough), link)
	case linkNode:
		w.link(n, decode(n.target), style)
	case imageNode:
		label := "[image]"
		if alt := alt(n); alt != "" {
			label = "[image: " + alt + "]"
		}
		w.add(label, style, link)
		w.target(decode(n.target), style)
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
func (w *inliner) link(n *node, target string, style styled.Style) {
	link := ""
	if w.renderer.Links {
		link = safeURL(target)
	}
	at := len(w.lines) - 1
	before := len(w.lines[at])
	w.siblings(n.first, over(style, w.renderer.Theme.Link), link)
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

// alt returns the text of an image.
func alt(n *node) string {
	plain := inliner{renderer: &Renderer{}, lines: make([]styled.Line, 1)}
	plain.siblings(n.first, styled.Style{}, "")
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
