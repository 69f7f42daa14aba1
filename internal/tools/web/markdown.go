package web

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"pollux/internal/crash"
)

const (
	// maxMarkup is the number of bytes of a page that are converted: enough for the limit of
	// text, and converted within a second.
	maxMarkup     = 4 << 20
	markupTimeout = 10 * time.Second

	// Limits beyond which the libraries take too long; such pages are converted to plain text.
	maxElements = 30_000
	maxDepth    = 12    // nesting depth of quotes and lists, whose prefix is repeated on every line
	maxCells    = 2_000 // of tables; with more of them, tables become paragraphs
)

// markdown converts an HTML page to Markdown without images. Addresses of links are made
// absolute, or removed. A page that cannot be converted is returned as plain text.
func markdown(ctx context.Context, page string, from *url.URL, links bool) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, markupTimeout)
	defer cancel()
	// The libraries cannot be interrupted. The work after this point is small.
	done := make(chan string, 1)
	go func() {
		defer crash.Recover()
		done <- asText(page, from, links)
	}()
	select {
	case text := <-done:
		return text, nil
	case <-ctx.Done():
		return "", errors.New("the page takes too long to make text of")
	}
}

// asText returns a page as Markdown or, if that fails, as plain text.
func asText(page string, from *url.URL, links bool) string {
	if len(page) > maxMarkup {
		page = strings.ToValidUTF8(page[:maxMarkup], "")
	}
	text, err := convert(page, from, links)
	if err != nil {
		return plainText(page)
	}
	return text
}

func convert(page string, from *url.URL, links bool) (text string, err error) {
	defer func() { // external data in a library
		if r := recover(); r != nil {
			err = fmt.Errorf("convert HTML: %v", r)
		}
	}()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return "", err
	}
	d := document{from: from, links: links}
	d.prepare(doc, 0)
	if d.elements > maxElements || d.depth > maxDepth {
		return "", errors.New("convert HTML: there are too many elements")
	}
	plugins := []converter.Plugin{base.NewBasePlugin(), commonmark.NewCommonmarkPlugin()}
	if d.cells <= maxCells {
		plugins = append(plugins, table.NewTablePlugin())
	}
	// A model reads Markdown as text: escapes would only disturb.
	c := converter.NewConverter(converter.WithPlugins(plugins...), converter.WithEscapeMode(converter.EscapeModeDisabled))
	b, err := c.ConvertNode(doc)
	return strings.TrimSpace(string(b)), err
}

// document is a page during the conversion to Markdown.
type document struct {
	from            *url.URL
	links           bool
	elements, cells int
	depth           int
}

// prepare removes parts of a document that the model does not get, and attributes that could
// multiply the output, and counts the rest.
func (d *document) prepare(n *html.Node, depth int) {
	switch n.DataAtom {
	case atom.Blockquote, atom.Ul, atom.Ol:
		depth++
		d.depth = max(d.depth, depth)
	}
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		if child.Type == html.ElementNode && dropped(child.DataAtom) {
			n.RemoveChild(child)
		} else {
			d.prepare(child, depth)
		}
		child = next
	}
	if n.Type != html.ElementNode {
		return
	}
	d.elements++
	switch n.DataAtom {
	case atom.Td, atom.Th:
		d.cells++
		n.Attr = nil // prevents cells that span millions of columns
	case atom.A:
		if to := d.destination(n); to != "" {
			n.Attr = []html.Attribute{{Key: "href", Val: to}}
		} else {
			n.Data, n.DataAtom, n.Attr = "span", atom.Span, nil
		}
	}
}

func dropped(a atom.Atom) bool {
	switch a {
	case atom.Img, atom.Picture, atom.Svg, atom.Video, atom.Audio, atom.Canvas, atom.Map, atom.Iframe, atom.Object, atom.Embed,
		atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Head:
		return true
	}
	return false
}

// destination returns the target of a link, "" if it is not useful to the model.
func (d *document) destination(a *html.Node) string {
	if !d.links {
		return ""
	}
	for _, attr := range a.Attr {
		if attr.Key != "href" {
			continue
		}
		u, err := d.from.Parse(strings.TrimSpace(attr.Val))
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || strings.HasPrefix(attr.Val, "#") {
			return ""
		}
		return u.String()
	}
	return ""
}

func plainText(page string) string {
	var b strings.Builder
	space := ""
	hidden := 0
	for z := html.NewTokenizer(strings.NewReader(page)); ; {
		switch token := z.Next(); token {
		case html.ErrorToken:
			return b.String()
		case html.TextToken:
			if hidden > 0 {
				continue
			}
			text := strings.TrimSpace(string(z.Text()))
			if text == "" {
				continue
			}
			if b.Len() > 0 {
				b.WriteString(space)
			}
			b.WriteString(text)
			space = " "
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			name, _ := z.TagName()
			switch a := atom.Lookup(name); {
			case a != atom.Script && a != atom.Style:
				space = between(a, space)
			case token == html.EndTagToken:
				hidden = max(0, hidden-1)
			default:
				hidden++
			}
		}
	}
}

// between returns the separator for two texts with a tag between them.
func between(tag atom.Atom, before string) string {
	switch tag {
	case atom.A, atom.B, atom.I, atom.Em, atom.Strong, atom.Span, atom.Code, atom.Small, atom.Sub, atom.Sup, atom.U, atom.Font, atom.Td, atom.Th, 0:
		return before
	}
	return "\n"
}
