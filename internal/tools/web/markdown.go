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
)

const (
	// maxMarkup is how much of a page is looked at: enough for the characters
	// that a model gets, and little enough to be done in a second.
	maxMarkup     = 4 << 20
	markupTimeout = 10 * time.Second
)

// markdown returns a page of HTML as Markdown, with the addresses of its links
// (made absolute) or without them, and without images. A page that is not built
// as pages should be is returned as the text that is in it.
func markdown(ctx context.Context, page string, from *url.URL, links bool) (string, error) {
	if len(page) > maxMarkup {
		page = strings.ToValidUTF8(page[:maxMarkup], "")
	}
	ctx, cancel := context.WithTimeout(ctx, markupTimeout)
	defer cancel()
	// The libraries cannot be stopped. What goes on after that is small.
	done := make(chan string, 1)
	go func() {
		text, err := convert(page, from, links)
		if err != nil {
			text = plainText(page)
		}
		done <- text
	}()
	select {
	case text := <-done:
		return text, nil
	case <-ctx.Done():
		return "", errors.New("the page takes too long to make text of")
	}
}

func convert(page string, from *url.URL, links bool) (text string, err error) {
	defer func() { // foreign bytes, and not our code
		if r := recover(); r != nil {
			err = fmt.Errorf("convert HTML: %v", r)
		}
	}()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return "", err
	}
	prepare(doc, from, links)
	c := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()))
	b, err := c.ConvertNode(doc)
	return strings.TrimSpace(string(b)), err
}

// prepare takes out of a document what the model does not get.
func prepare(n *html.Node, base *url.URL, links bool) {
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		if child.Type == html.ElementNode && dropped(child.DataAtom) {
			n.RemoveChild(child)
		} else {
			prepare(child, base, links)
		}
		child = next
	}
	if n.Type == html.ElementNode && n.DataAtom == atom.A {
		if to := destination(n, base); links && to != "" {
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

// destination returns where a link leads, "" for nowhere that could be fetched.
func destination(a *html.Node, base *url.URL) string {
	for _, attr := range a.Attr {
		if attr.Key != "href" {
			continue
		}
		u, err := base.Parse(strings.TrimSpace(attr.Val))
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || strings.HasPrefix(attr.Val, "#") {
			return ""
		}
		return u.String()
	}
	return ""
}

// plainText returns the text between tags, whatever the tags are.
func plainText(page string) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(page))
	hidden := 0
	for {
		switch z.Next() {
		case html.ErrorToken:
			return strings.TrimSpace(b.String())
		case html.TextToken:
			if hidden == 0 {
				if text := strings.TrimSpace(string(z.Text())); text != "" {
					b.WriteString(text)
					b.WriteByte('\n')
				}
			}
		case html.StartTagToken:
			if name, _ := z.TagName(); hides(string(name)) {
				hidden++
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); hides(string(name)) && hidden > 0 {
				hidden--
			}
		}
	}
}

func hides(tag string) bool { return tag == "script" || tag == "style" }
