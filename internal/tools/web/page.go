package web

import (
	"bytes"
	"context"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// mediaType returns the type of a page according to the server or, if it gives none, the
// content.
func (p *page) mediaType() string {
	t, _, err := mime.ParseMediaType(p.header.Get("Content-Type"))
	if t == "" || err != nil && !strings.Contains(t, "/") {
		t, _, _ = mime.ParseMediaType(http.DetectContentType(p.body))
		if t == "text/plain" && p.header.Get("Content-Type") == "" {
			return "text/html" // usually true for pages without a type
		}
	}
	return t
}

// text returns a page in UTF-8, HTML as Markdown. ok is false if it is not text.
func (p *page) text(ctx context.Context, links bool) (text string, ok bool, err error) {
	t := p.mediaType()
	switch {
	case t == "text/html" || t == "application/xhtml+xml":
		text, err = markdown(ctx, p.decoded(), p.url, links)
		return text, err == nil, err
	case isText(t):
		return p.decoded(), true, nil
	}
	return "", false, nil
}

func isText(t string) bool {
	switch t {
	case "application/json", "application/xml", "application/javascript", "application/yaml", "application/x-yaml",
		"application/toml", "application/x-ndjson", "application/x-sh", "application/sql", "application/rtf":
		return true
	}
	return strings.HasPrefix(t, "text/") || strings.HasSuffix(t, "+json") || strings.HasSuffix(t, "+xml") || strings.HasSuffix(t, "+yaml")
}

// decoded returns the page's text in UTF-8. It corrects wrong information about the encoding
// from the server, replaces invalid characters, and removes control characters.
func (p *page) decoded() string {
	body := p.body
	if p.cut {
		body = body[:len(body)-partial(body)]
	}
	enc, name, _ := charset.DetermineEncoding(body[:min(len(body), 1024)], p.header.Get("Content-Type"))
	switch {
	case name == "utf-8" && !utf8.Valid(body) && !multibyte(body):
		enc, _ = charset.Lookup("windows-1252")
	case name != "utf-8" && !strings.HasPrefix(name, "utf-16") && utf8.Valid(body) && multibyte(body):
		name = "utf-8"
	}
	if name != "utf-8" || !utf8.Valid(body) && !multibyte(body) {
		if decoded, err := enc.NewDecoder().Bytes(body); err == nil {
			body = decoded
		}
	}
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0x7F || r >= 0x80 && r < 0xA0 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(body), "\ufffd"))
}

// multibyte reports whether a text contains UTF-8 characters of several bytes.
func multibyte(body []byte) bool {
	return bytes.ContainsFunc(body, func(r rune) bool { return r >= utf8.RuneSelf && r != utf8.RuneError })
}

// partial returns the number of bytes of an incomplete character at the end.
func partial(body []byte) int {
	for n := 1; n <= min(utf8.UTFMax, len(body)); n++ {
		if b := body[len(body)-n]; utf8.RuneStart(b) {
			if b >= utf8.RuneSelf && !utf8.FullRune(body[len(body)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}
