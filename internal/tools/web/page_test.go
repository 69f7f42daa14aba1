package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"
)

func body(contentType, body string) *page {
	p := &page{header: http.Header{}, body: []byte(body)}
	if contentType != "" {
		p.header.Set("Content-Type", contentType)
	}
	return p
}

func TestDecoded(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ contentType, body, want string }{
		"UTF-8":                     {"text/plain; charset=utf-8", "Größe €", "Größe €"},
		"byte order mark":           {"text/plain", "\ufeffa", "a"},
		"Latin-1":                   {"text/plain; charset=iso-8859-1", "Gr\xf6\xdfe", "Größe"},
		"Windows":                   {"text/plain; charset=windows-1252", "5 \x80", "5 €"},
		"Japanese":                  {"text/html; charset=Shift_JIS", "\x93\xfa\x96{", "日本"},
		"in the page":               {"text/html", "<meta charset=\"koi8-r\">\xf0\xd2\xc9", "<meta charset=\"koi8-r\">При"},
		"UTF-16":                    {"text/plain", "\xff\xfea\x00\xac\x20", "a€"},
		"says UTF-8, is Latin-1":    {"text/plain; charset=utf-8", "Gr\xf6\xdfe", "Größe"},
		"says Latin-1, is UTF-8":    {"text/plain; charset=iso-8859-1", "Größe €", "Größe €"},
		"says nonsense":             {"text/plain; charset=klingon", "Größe", "Größe"},
		"malformed type":            {"text/plain; charset", "Größe", "Größe"},
		"UTF-8 with a broken piece": {"text/plain; charset=utf-8", "Gr\xc3ö\xff", "Gr\ufffdö\ufffd"},
		"controls":                  {"text/plain", "a\x00b\x1b[31mc\r\n\td\u009be\x7f", "ab[31mc\r\n\tde"},
		"nothing":                   {"text/plain", "", ""},
	} {
		if got := body(tt.contentType, tt.body).decoded(); got != tt.want {
			t.Errorf("%s: %q, not %q", name, got, tt.want)
		}
	}
	p := body("text/plain; charset=utf-8", "5 €"[:4])
	if p.cut = true; p.decoded() != "5 " {
		t.Errorf("cut: %q", p.decoded())
	}
}

func FuzzDecoded(f *testing.F) {
	f.Add("text/html; charset=utf-8", "Gr\xf6\xdfe €", true)
	f.Add("text/html; charset=utf-16", "\xff\xfea", false)
	f.Fuzz(func(t *testing.T, contentType, content string, cut bool) {
		p := body(contentType, content)
		p.cut = cut
		if got := p.decoded(); !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\x1b") {
			t.Errorf("%q", got)
		}
	})
}

func TestMediaType(t *testing.T) {
	t.Parallel()
	for _, tt := range [][3]string{
		{"text/html; charset=x", "", "text/html"},
		{"Application/JSON", "", "application/json"},
		{"", "<!doctype html>", "text/html"},
		{"", "plain words", "text/html"},
		{"", "\x89PNG\r\n\x1a\n", "image/png"},
		{"", "\x00\x01\x02", "application/octet-stream"},
		{"nonsense;;", "<html>", "text/html"},
	} {
		if got := body(tt[0], tt[1]).mediaType(); got != tt[2] {
			t.Errorf("%q, %q: %s", tt[0], tt[1], got)
		}
	}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	const page = `<!doctype html><html><head><title>T</title><style>x{}</style></head><body><script>alert(1)</script>
<h2>Head</h2><p>Go to <a href="../x?y=1#z" title="t">the <b>place</b></a> or <a href="javascript:alert(1)">not</a>,
<a href="#here">here</a>, <a href="data:text/html,x">data</a>.</p><img src="data:image/png;base64,AAAA" alt="pic">
<svg><text>drawn</text></svg><noscript>no</noscript><ul><li>one<li>two</ul><pre><code class="language-go">a := 1
</code></pre><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table></body></html>`
	from := address(t, "https://a.example/d/e/f")
	for links, first := range map[bool]string{
		true:  "Go to [the **place**](https://a.example/d/x?y=1#z) or not, here, data.",
		false: "Go to the **place** or not, here, data.",
	} {
		got, err := markdown(t.Context(), page, from, links)
		want := "## Head\n\n" + first + "\n\n- one\n- two\n\n```go\na := 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |"
		if got != want || err != nil {
			t.Errorf("links %v: %v\n%s", links, err, got)
		}
	}
}

// Malformed pages are converted in bounded time (else this test does not end), with all their
// words.
func TestMarkdownHostile(t *testing.T) {
	t.Parallel()
	fill := func(s string) string { return strings.Repeat(s, 1<<18/len(s)) }
	for name, page := range map[string]string{
		"deep":         strings.Repeat("<div>", 100_000) + "word",
		"deep lists":   strings.Repeat("<ul><li>", 200) + "word",
		"quotes":       strings.Repeat("<blockquote>", 200) + "word",
		"never closed": fill("<b><i><a href=x>") + "word",
		"formatting":   fill("<b>x</i><i>") + "word",
		"cells":        "<table>" + fill("<tr><td>x") + "<td>word",
		"spans":        "<table><tr><td colspan=999999999 rowspan=999999999>word</table>",
		"tables":       strings.Repeat("<table><tr><td>", 150) + "word",
		"brackets":     fill("[") + "word" + fill("*_`"),
		"spaces":       fill(" ") + "word" + fill("\n"),
		"open tag":     "word<a " + fill("x=y "),
		"entities":     "word" + fill("&amp"),
		"headings":     fill("<h1>") + "word",
		"breaks":       fill("<br>") + "word",
		"forms":        fill("<p>x<select><option>") + "word",
		"quoted lines": strings.Repeat("<blockquote>", maxDepth-1) + strings.Repeat("x<br>", maxElements-2*maxDepth-5) + "word",
		"listed lines": strings.Repeat("<ul><li>", maxDepth-1) + strings.Repeat("x<br>", maxElements-2*maxDepth-5) + "word",
		"emphasised":   strings.Repeat("<b>x", maxDepth-1) + strings.Repeat("x<br>", maxElements-2*maxDepth-5) + "word",
		"marks":        fill("*a_b`c~[d](") + "word",
		"row":          "<table><tr>" + fill("<td>x") + "<td>word",
		"some cells":   "<table>" + strings.Repeat("<tr><td>x", maxCells-1) + "<td>word",
		"some columns": "<table>" + strings.Repeat("<td>x", maxCells-1) + "<td>word",
		"some tables":  strings.Repeat("<table><td>x</table>", maxCells-1) + "word",
		"breaks 2":     strings.Repeat("<br>", maxElements-10) + "word",
		"headings 2":   strings.Repeat("<h1>x", maxElements-10) + "word",
		"bold":         strings.Repeat("<b>x</b>", maxElements-10) + "word",
		"items":        "<ol>" + strings.Repeat("<li>x", maxElements-10) + "word",
		"links":        strings.Repeat("<a href=x>x</a> ", maxElements-10) + "word",
		"code":         "<pre>" + fill("`x ") + "word",
		"backticks":    strings.Repeat("<code>`x</code>", maxElements-10) + "word",
	} {
		if got := asText(page, address(t, "http://a.example/"), true); !strings.Contains(got, "word") {
			t.Errorf("%s: %.100q", name, got)
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	f.Add("<p>Hello <a href='/x'>there</a>", true)
	f.Add("<table><td colspan=3>x<li>", false)
	from := address(&testing.T{}, "http://a.example/")
	f.Fuzz(func(t *testing.T, page string, links bool) {
		got := asText(page, from, links)
		if !links && strings.Contains(got, "](http://a.example") && !strings.Contains(page, "](http") && !strings.Contains(page, "&") {
			t.Errorf("a link: %q", got)
		}
	})
}

// The pages share the room evenly, and small ones leave theirs to larger ones.
func TestShares(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		sizes []int
		total int
		want  string
	}{
		{[]int{10, 20}, 100, "[10 20]"},
		{[]int{100, 10, 100}, 90, "[40 10 40]"},
		{[]int{50, 50, 50}, 100, "[33 33 33]"},
		{[]int{0, 500}, 100, "[0 100]"},
		{nil, 10, "[]"},
	} {
		texts := make([]string, len(tt.sizes))
		for i, size := range tt.sizes {
			texts[i] = strings.Repeat("#", size)
		}
		question := (&fetchCall{}).question(make([]target, len(texts)), texts, make([]error, len(texts)), tt.total)
		var got []int
		for _, page := range strings.Split(question, "\nPage ")[1:] {
			got = append(got, strings.Count(page, "#"))
		}
		if got := fmt.Sprint(got); got != tt.want {
			t.Errorf("%v of %d: %s", tt.sizes, tt.total, got)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		n    int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "abc!"}, {"äöü€", 4, "äöü€"}, {"a😀b", 4, "a😀b"}, {"a😀b", 3, "a😀!"}, {"a😀b", 2, "a!"}, {"ab", 0, "!"}} {
		if got := cut(tt.text, tt.n, "!"); got != tt.want {
			t.Errorf("cut(%q, %d) = %q", tt.text, tt.n, got)
		}
	}
}
