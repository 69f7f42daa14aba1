package markdown

import (
	"strings"
	"testing"
)

// hostile returns texts that a parser may read again and again, each repeated up to a size.
func hostile(size int) (texts []string) {
	for _, unit := range []string{
		"[", "*", "`", "<", "![](", "]", "![", "[a](", "[a](b", "[a](<b", "[a](<b ", "[a](b \"c", "[a](b 'c", "[a](b (c", "[](a)[", "![[](a)",
		"*a ", "*a_", "**a_ ", "_a*b ", "a**b", "*a **b***c ", "~~a", "~~a *", "*a~~ ", "a*b_c", "***a **b*c ", "[*a](b)", "*[a](b)",
		"<a", "<a ", "<a b", "<a b=", "<a b=\"", "<a b='", "<a b=\"<a c='\" d='", "<!--", "<?", "<![CDATA[", "<!A", "<a:", "<a@", "<a@b.", "</a", "</a ", "<a b=c ",
		"`a``", "``a`b", "\\`", "$a ", "$$a", "\\(a ", "\\[a ", "\\a", "\\", "\\\\(", "http://", "http://a ", "www.", "www.( ", "://", "http:", "&", "&a", "&#x", "&amp;", "\\\n", "a  \n",
	} {
		texts = append(texts, strings.Repeat(unit, size/len(unit)))
	}
	ticks := strings.Builder{}
	for n := 1; ticks.Len() < size; n++ {
		ticks.WriteString("a" + strings.Repeat("`", n))
	}
	half := size / 6
	return append(texts, ticks.String(), strings.Repeat("[", size/2)+strings.Repeat("]", size/2), strings.Repeat("*a ", half)+strings.Repeat("b* ", half),
		strings.Repeat("[a", half)+strings.Repeat("](b)", half), strings.Repeat("![", half)+strings.Repeat("](b)", half), strings.Repeat("**a", half)+strings.Repeat("b*", half))
}

// TestHostileTexts parses long texts. With time in proportion to the square of the length, it would take hours.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	for _, text := range hostile(1 << 19) {
		if parse(text) == nil {
			t.Errorf("%.20q has no nodes", text)
		}
	}
}

// TestFailedSearches checks that a parser does not repeat a search that has failed.
func TestFailedSearches(t *testing.T) {
	t.Parallel()
	p := parser{source: "`a``b`"}
	if p.closingTicks(1, 3) >= 0 || p.lastTicks == nil {
		t.Error("a search for three backticks is not remembered")
	}
	p.source = "`a```b`"
	if p.closingTicks(1, 3) >= 0 {
		t.Error("three backticks are searched for again")
	}
	if got := p.closingTicks(1, 1); got != 6 {
		t.Error("place of the last backtick:", got)
	}
	if p.lengthTo("-->", "<!--") > 0 || p.lengthTo("-->", "<!-- -->") > 0 {
		t.Error("the end of a comment is searched for again")
	}
}

// BenchmarkParser measures texts of 1 MB without the limits for marks. All take about the same time per byte.
func BenchmarkParser(b *testing.B) {
	for _, text := range hostile(1 << 20) {
		b.Run(text[:min(len(text), 12)], func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				parse(text)
			}
		})
	}
}
