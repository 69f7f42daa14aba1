package markdown

import (
	"strings"
	"testing"

	"pollux/internal/face/tui/styled"
)

func TestInline(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want, links string }{
		{"*a* **b** ***c*** _d_", "‹emphasis+i:a› ‹strong+b:b› ‹strong+b+i:c› ‹emphasis+i:d›", ""},
		{"~~a~~ ~b~ ~~~c~~~ ~~d", "‹+s:a› ~b~ ~~~c~~~ ~~d", ""},
		{"`a *b*` ``c`d``", "‹code:a *b*› ‹code:c`d›", ""},
		{"`a\nb`", "‹code:a b›", ""},
		{"a\\\nb  \nc\nd", "a\nb\nc d", ""},
		{"[a](http://b)", "‹link:a› (‹link:http://b›)", "‹link@http://b:a›"},
		{"[a](HTTPS://b 'c')", "‹link:a› (‹link:HTTPS://b›)", "‹link@HTTPS://b:a›"},
		{"[http://b](http://b)", "‹link:http://b›", "‹link@http://b:http://b›"},
		{"[http://b](http://b/)", "‹link:http://b›", "‹link@http://b/:http://b›"},
		{"[**a**](b.md)", "‹strong+b:a› (‹link:b.md›)", "‹strong+b:a› (‹link:b.md›)"},
		{"[a](javascript:b)", "‹link:a› (‹link:javascript:b›)", "‹link:a› (‹link:javascript:b›)"},
		{"[a](<http://b c>)", "‹link:a› (‹link:http://b c›)", "‹link:a› (‹link:http://b c›)"},
		{"[a](http://b&#27;c)", "‹link:a› (‹link:http://b›)", "‹link:a› (‹link:http://b›)"},
		{"[a](http://b&#x202e;c)", "‹link:a› (‹link:http://bc›)", "‹link:a› (‹link:http://bc›)"},
		{"[a]()", "‹link:a›", ""},
		{"[a] [b][c] [^1]", "[a] [b][c] [^1]", ""},
		{"[a@b.c](mailto:a@b.c)", "‹link:a@b.c›", "‹link@mailto:a@b.c:a@b.c›"},
		{"<a@b.c> <file:///a>", "‹link:a@b.c› ‹link:file:///a›", "‹link@mailto:a@b.c:a@b.c› ‹link@file:///a:file:///a›"},
		{"<ftp://a>", "‹link:ftp://a›", "‹link:ftp://a›"},
		{"![a *b*](c) ![](d)", "[image: a b] (‹link:c›) [image] (‹link:d›)", ""},
		{"(http://a/b_(c)_d), http://e.", "(‹link:http://a/b_(c)_d›), ‹link:http://e›.", "(‹link@http://a/b_(c)_d:http://a/b_(c)_d›), ‹link@http://e:http://e›."},
		{"**http://a** *http://b*", "‹link+b:http://a› ‹link+i:http://b›", ""},
		{"www.a.b xhttp://c http:// a:b 见http://d。", "‹link:www.a.b› xhttp://c http:// a:b 见‹link:http://d›。", "‹link@http://www.a.b:www.a.b› xhttp://c http:// a:b 见‹link@http://d:http://d›。"},
		{"见http://a.b/c【注】和www.a.b——", "见‹link:http://a.b/c›【注】和‹link:www.a.b›——", "见‹link@http://a.b/c:http://a.b/c›【注】和‹link@http://www.a.b:www.a.b›——"},
		{"\\*a\\* \\&lt; &lt; &#65; &x;", "*a* &lt; < A &x;", ""},
		{"&#27;[1m\x1b[31mb&#x202e;\u202ec", "[1mbc", ""},
		{"<b>a</b> <!-- c -->", "<b>a</b> <!-- c -->", ""},
		{"a <b c=\"&amp;*d*\"> <!-- *e* -->", "a <b c=\"&amp;*d*\"> <!-- *e* -->", ""},
		{"a <b c=\"http://d\">*e*</b>", "a <b c=\"‹link:http://d›\">‹emphasis+i:e›</b>", "a <b c=\"‹link@http://d:http://d›\">‹emphasis+i:e›</b>"},
		{"HTTP://a Www.b.c 1http://d http://e/(f) www.g", "‹link:HTTP://a› ‹link:Www.b.c› 1http://d ‹link:http://e/(f)› www.g", "‹link@HTTP://a:HTTP://a› ‹link@http://Www.b.c:Www.b.c› 1http://d ‹link@http://e/(f):http://e/(f)› www.g"},
		{"&#27;![1ma &#27;[1mb*", "![1ma [1mb*", ""},
		{"2\\pi a\\pi \\pi \\a", "2\\pi a\\pi π \\a", ""},
		{"*a*\n\u200b\n\u200b\n    *b*", "‹emphasis+i:a›\n‹emphasis+i:b›", ""},
		{"$a_1^{2n}$ and $x$", "a₁²ⁿ and x", ""},
		{"$$\n\\frac{a+b}{2} \\leq\n\\sqrt{x}\n$$ c", "(a+b)/2 ≤ √x c", ""},
		{"\\(\\alpha\\) \\[x^2\\] \\[x\\] \\(a b\\)", "α x² [x] (a b)", ""},
		{"$5 and $10, $HOME:$PATH, $a $b, US$", "$5 and $10, $HOME:$PATH, $a $b, US$", ""},
		{"$A_B$C, $1+$2, ${A}_$B", "$A_B$C, $1+$2, ${A}_$B", ""},
		{"a \\to b, C:\\to\\pi, \\topi, \\beta.", "a → b, C:\\to\\pi, \\topi, β.", ""},
		{"`$x^2$`", "‹code:$x^2$›", ""},
		{"$\\unknown{a} x^{q+?} \\mathbb{R} \\left( \\Omega \\text{if } y' \\right)$", "\\unknowna x^(q+?) ℝ ( Ω if  y′ )", ""},
		{"${a}^{$ b", "${a}^{$ b", ""},
		{"*a **b `c [d](", "*a **b `c [d](", ""},
	} {
		for _, isLink := range []bool{false, true} {
			want := tt.want
			if isLink && tt.links == "" {
				continue
			} else if isLink {
				want = tt.links
			}
			r := &Renderer{Links: isLink, Theme: testPalette()}
			if got := strings.TrimSuffix(notation(render(r, tt.text)), "\n"); got != want {
				t.Errorf("%q, links %t:\ngot  %s\nwant %s", tt.text, isLink, got, want)
			}
		}
	}
}

// TestExcessiveMarks checks that text with too many marks is shown as it is, and text below the limit is formatted.
func TestExcessiveMarks(t *testing.T) {
	t.Parallel()
	r := &Renderer{Theme: testPalette()}
	for _, tt := range []struct {
		text        string
		isFormatted bool
	}{
		{strings.Repeat("*a* ", maxMarks/2), true},
		{strings.Repeat("*a* ", maxMarks/2) + "*b*", false},
		{strings.Repeat("*", maxRun) + "a" + strings.Repeat("*", maxRun), true},
		{strings.Repeat("*", maxRun+1) + "a" + strings.Repeat("*", maxRun+1), false},
		{strings.Repeat("[", 10_000), false},
		{strings.Repeat(">", 10_000), false},
	} {
		lines := r.inline(tt.text, styled.Style{})
		if got := plain(lines) != strings.TrimRight(tt.text, " ")+"\n" && plain(lines) != tt.text+"\n"; got != tt.isFormatted {
			t.Errorf("%.20q is formatted: %t", tt.text, got)
		}
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text  string
		width int
		want  string
	}{
		{"", 5, "\n"},
		{"aa bb cc", 5, "aa bb\ncc\n"},
		{"aa bb cc", 4, "aa\nbb\ncc\n"},
		{"aa  bb", 6, "aa  bb\n"},
		{"aa     bb", 6, "aa\nbb\n"},
		{"abcdef gh", 4, "abcd\nef\ngh\n"},
		{"a bcdefgh", 4, "a\nbcde\nfgh\n"},
		{"  ab cd", 4, "  ab\ncd\n"},
		{"中文字符", 4, "中文\n字符\n"},
		{"中文，字", 4, "中\n文，\n字\n"},
		{"a中文b c", 5, "a中文\nb c\n"},
		{"中", 1, "中\n"},
		{"é́é́é́", 2, "é́é́\né́\n"},
		{"ab ", 2, "ab\n"},
		{"ab", 0, "a\nb\n"},
	} {
		if got := plain(wrap(styled.Plain(tt.text), tt.width)); got != tt.want {
			t.Errorf("%q at %d: %q, want %q", tt.text, tt.width, got, tt.want)
		}
	}
	line := styled.Line{{Text: "a b"}, {Text: "c d", Link: "x"}, {Text: " e"}}
	if got := notation(wrap(line, 3)); got != "a\nb‹@x:c›\n‹@x:d› e\n" {
		t.Errorf("spans: %q", got)
	}
}

func TestColorsOfInnerElements(t *testing.T) {
	t.Parallel()
	outer := styled.Style{Fg: named(1).Fg, Attrs: styled.Bold}
	inner := styled.Style{Bg: named(2).Fg, Underline: 1, Attrs: styled.Italic}
	want := styled.Style{Fg: outer.Fg, Bg: inner.Bg, Underline: 1, Attrs: styled.Bold | styled.Italic}
	if got := over(outer, inner); got != want {
		t.Errorf("%+v", got)
	}
	r := &Renderer{Width: 20} // no colors
	got := notation(render(r, "# a\n### b\n##### c\n**d** *e*\n```go\nif\n```"))
	if want := "‹+b:a›\n‹+b:b›\n‹+f+i:c›\n‹+b:d› ‹+i:e›\nif\n"; got != want {
		t.Errorf("without colors: %q", got)
	}
}
