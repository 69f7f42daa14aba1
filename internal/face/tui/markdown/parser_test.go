package markdown

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// difference is a text that goldmark parses otherwise than this package, for a reason.
type difference struct {
	text, want, goldmark string
	isLike               func(text string) bool // reports whether a text may have the same difference
}

func like(expression string) func(string) bool { return regexp.MustCompile(expression).MatchString }

// differences returns all deliberate differences to goldmark.
func differences() []difference {
	return []difference{
		// A URL in HTML is a link, so that a terminal can follow it.
		{"<a b=\"http://c\">", "‹verbatim:<a b=\"›‹address http://c:http://c›‹verbatim:\">›", "‹verbatim:<a b=\"http://c\">›", like("(?is)<[^>]*[\\s\"'=!?[][^>]*(://|www[.])")},
		// CommonMark has no "<" in a URL in angle brackets.
		{"[a](<b<c>)", "[a](<b‹verbatim:<c>›)", "‹link b<c:a›", like(`\]\(\s*<(\\.|[^>\n])*<`)},
		// CommonMark requires white space before a title.
		{"[a](<b>\"c\")", "[a](‹verbatim:<b>›\"c\")", "‹link b:a›", like(`\]\(\s*<(\\.|[^>\n])*>["'(]`)},
		// CommonMark requires pairs of parentheses in a URL.
		{"[a](b(c )", "[a](b(c )", "‹link b(c:a›", hasOpenParenthesis},
		// Many nested parentheses would take too long.
		{"[a](" + strings.Repeat("(", 33) + strings.Repeat(")", 33) + ")", "[a](" + strings.Repeat("(", 33) + strings.Repeat(")", 33) + ")", "‹link " + strings.Repeat("(", 33) + strings.Repeat(")", 33) + ":a›", like(`\({33}`)},
		// goldmark takes the first character of a line as escaped if the line before ends in certain backslashes.
		{"\\\\\\\n*a*", "\\⏎‹em:a›", "\\\\ ‹em:a›", like(`\\(\\\\| [ \t]+)\n`)},
		{"a\\  \n\\*b*", "a\\⏎*b*", "a\\⏎\\‹em:b›", like(`\\  \n`)},
		// CommonMark has declarations in lower case.
		{"<!a*b*>", "‹verbatim:<!a*b*>›", "<!a‹em:b›>", like(`<![a-z]`)},
		// goldmark reads no tag beyond a replacement character.
		{"<a b=\"\ufffd*c*\">", "‹verbatim:<a b=\"\ufffd*c*\">›", "<a b=\"\ufffd‹em:c›\">", like("(?s)<.*\ufffd")},
		// CommonMark has no markup of three characters.
		{"<?>*a*?>", "‹verbatim:<?>*a*?>›", "‹verbatim:<?>›‹em:a›?>", like(`<\?>`)},
		// The length of a scheme is at most 32 in CommonMark. That of an email address has no limit.
		{"<" + strings.Repeat("a", 33) + ":>", "<" + strings.Repeat("a", 33) + ":>", "‹address " + strings.Repeat("a", 33) + "::" + strings.Repeat("a", 33) + ":›", like(`[\w.+-]{33}:`)},
		{"<" + strings.Repeat("a", 65) + "@b>", "‹address mailto:" + strings.Repeat("a", 65) + "@b:" + strings.Repeat("a", 65) + "@b›", "<" + strings.Repeat("a", 65) + "@b>", like(`[^<>]{64}@|@[^<>]{255}`)},
		// Browsers show these numbers as characters of Windows, and any number of digits.
		{"&#128;", "€", "\u0080", like(`&#(0*1[2-5][0-9]|[xX]0*[89][0-9a-fA-F]);`)},
		{"&#0000000065;", "A", "&#0000000065;", like(`&#[xX]?[0-9a-fA-F]{7}`)},
		// goldmark makes no link if there are brackets far before it.
		{"[[" + strings.Repeat("a", 999) + "[[a](b)", "[[" + strings.Repeat("a", 999) + "[‹link b:a›", "[[" + strings.Repeat("a", 999) + "[[a](b)", like(`(?s)\[.{900}`)},
	}
}

// hasOpenParenthesis reports whether a text may have the URL of a link with a parenthesis that is not closed.
func hasOpenParenthesis(text string) bool {
	for {
		_, rest, isFound := strings.Cut(text, "](")
		if !isFound {
			return false
		}
		text = rest
		depth := 0
		rest, _, _ = strings.Cut(strings.ReplaceAll(strings.TrimLeft(rest, " \n"), "\n", " "), " ")
		for i := 0; i < len(rest) && depth >= 0; i++ {
			switch rest[i] {
			case '\\':
				i++
			case '(':
				depth++
			case ')':
				depth--
			}
		}
		if depth > 0 {
			return true
		}
	}
}

// compare checks that this package and goldmark parse a text to the same nodes.
func compare(t rapid.TB, text string, known []difference) {
	t.Helper()
	for _, paragraph := range paragraphs(clean(text)) {
		if slices.ContainsFunc(known, func(d difference) bool { return d.isLike(paragraph) }) {
			continue
		}
		if got, want := nodeOutline(parse(paragraph)), goldmarkOutline(paragraph); got != want {
			t.Errorf("%q:\ngot  %s\nwant %s", paragraph, got, want)
		}
	}
}

func TestCorpus(t *testing.T) {
	t.Parallel()
	for _, text := range corpus() {
		compare(t, text, differences())
	}
}

func TestDifferences(t *testing.T) {
	t.Parallel()
	for _, d := range differences() {
		if got := nodeOutline(parse(d.text)); got != d.want {
			t.Errorf("%q:\ngot  %s\nwant %s", d.text, got, d.want)
		}
		if got := goldmarkOutline(d.text); got != d.goldmark {
			t.Errorf("%q: goldmark\ngot  %s\nwant %s", d.text, got, d.goldmark)
		}
		if !d.isLike(d.text) {
			t.Errorf("%q is not recognized", d.text)
		}
	}
}

// TestRandomTexts compares texts of characters and pieces that have a meaning.
func TestRandomTexts(t *testing.T) {
	t.Parallel()
	alphabets := [][]string{
		strings.Split("*_[]()<>!\\&;~ab 中\n\"'`:/.", ""),
		strings.Split("***___~ab .", ""),
		append(strings.Split("*_[]()ab !", ""), "](", "](c)", "~~", "[a](b)", "!["),
		append(strings.Split("`` \\a\n*", ""), "``", "```", "``` ", "  \n", "\\\n"),
		append(strings.Split("<>a/='\" \n-b:*", ""), "<a", "<!--", "-->", "</", "<a b=\"", "/>", "<?", "?>", "<![CDATA[", "]]>", "<aa:", "@", "a.b", "<!A"),
		append(strings.Split("[]()<>\"' \n\\ab*", ""), "](", "[a](", "](<", ">)", " \"t\")", "![", "\")"),
		append(strings.Split("&#;xa1\\*lt ", ""), "&#x", "&amp;", "&lt", "&copy", "&ampx;", "&semi;", "&#59;", "&nosuch;"),
		append(strings.Split("$\\()[]{}^_ a1*`\n+", ""), "\\(", "\\)", "\\alpha", "$$", "\\[", "\\]"),
		append(strings.Split("a.:/)(*_~? \n[]<>中，1", ""), "http://", "www.", "https://a", "file://", "](", "**", "[a"),
		append(strings.Split("*_~a\u00a0\ufffd¿€。\"", ""), "**", "~~"),
	}
	known := differences()
	rapid.Check(t, func(t *rapid.T) {
		alphabet := rapid.SampledFrom(alphabets).Draw(t, "alphabet")
		compare(t, strings.Join(rapid.SliceOfN(rapid.SampledFrom(alphabet), 2, 40).Draw(t, "text"), ""), known)
	})
}

// TestMergedTexts checks that marks without a meaning make no nodes.
func TestMergedTexts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want int
	}{
		{"a * b _c ` d", 1},
		{"*a** b", 4}, // with an empty one for the opener
		{"*a _b*", 4},
		{"[a * b](c)", 2},
		{"a [b * c] d", 2},
		{"a ![b * c] d", 2},
		{"a\nb", 1},
		{"*a* *b*", 7},
	} {
		if got := countNodes(parse(tt.text)); got != tt.want {
			t.Errorf("%q has %d nodes, want %d", tt.text, got, tt.want)
		}
	}
}

func countNodes(first *node) (n int) {
	for ; first != nil; first = first.next {
		n += 1 + countNodes(first.first)
	}
	return n
}

func TestParagraphs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{" \n\t\n", nil},
		{"a\nb", []string{"a\nb"}},
		{" a  \n  b \n\tc ", []string{"a  \nb \nc"}},
		{"a\n\tb", []string{"a\nb"}},
		{"a\n \t\n\n\n b", []string{"a", "b"}},
	} {
		if got := paragraphs(tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

func FuzzParser(f *testing.F) {
	for _, text := range corpus() {
		f.Add(text)
	}
	known := differences()
	f.Fuzz(func(t *testing.T, text string) {
		compare(t, text, known)
	})
}
