package vim

import (
	"testing"
)

func TestMotions(t *testing.T) {
	t.Parallel()
	check(t, []row{
		{"ab|c", "h", "a|bc"},
		{"ab|c", "9h", "|abc"},
		{"a\n|b", "h", "a\n|b"},
		{"|abc", "2l", "ab|c"},
		{"|abc", "9l", "ab|c"},
		{"|abc", "<right><right>", "ab|c"},
		{"ab|c", "<left>", "a|bc"},
		{"ab|c", "<backspace>", "a|bc"},
		{"ab|c d", "<home>", "|abc d"},
		{"ab|c d", "2<home>", "|abc d"},
		{"|abc d", "<end>", "abc |d"},
		{"|e\u0301\U0001F468\u200d\U0001F469x", "l", "e\u0301|\U0001F468\u200d\U0001F469x"},
		{"|foo.bar baz", "w", "foo|.bar baz"},
		{"|foo.bar baz", "W", "foo.bar |baz"},
		{"|foo.bar baz", "3w", "foo.bar |baz"},
		{"foo |bar", "w", "foo ba|r"},
		{"foo.bar b|az", "b", "foo.bar |baz"},
		{"foo.bar |baz", "B", "|foo.bar baz"},
		{"foo.bar |baz", "2b", "foo|.bar baz"},
		{"|foo.bar baz", "e", "fo|o.bar baz"},
		{"|foo.bar baz", "E", "foo.ba|r baz"},
		{"|a b c", "2e", "a b |c"},
		{"fo|o\n", "e", "foo\n|"},
		{"fo|o", "e", "fo|o"},
		{"  ab|c", "0", "|  abc"},
		{"  ab|c", "^", "  |abc"},
		{"  | ", "^", "  | "},
		{"|abc", "$", "ab|c"},
		{"a|bc\nde\nf", "2$", "abc\nd|e\nf"},
		{"abc\nd|e", "2$", "abc\nd|e"},
		{"a\n b|", "gg", "|a\n b"},
		{" a\n b|", "gg", " |a\n b"},
		{"|a\nb\n c", "G", "a\nb\n |c"},
		{"|a\nb\n c", "2G", "a\n|b\n c"},
		{"|a\nb\n c", "3gg", "a\nb\n |c"},
		{"|a\nb\n c", "99G", "a\nb\n |c"},
		{"|a\nb\n c", "gx", "|a\nb\n c"},
		{"|abcabc", "fc", "ab|cabc"},
		{"|abcabc", "2fc", "abcab|c"},
		{"|abcabc", "3fc", "|abcabc"},
		{"|abcabc", "tc", "a|bcabc"},
		{"abcab|c", "Fb", "abca|bc"},
		{"abcab|c", "2Fb", "a|bcabc"},
		{"abcab|c", "Tb", "abcab|c"},
		{"abcab|c", "Ta", "abca|bc"},
		{"|abcabc", "fc;", "abcab|c"},
		{"|abcabc", "fc;,", "ab|cabc"},
		{"|abcabcabc", "tc;", "abca|bcabc"},
		{"|abcabcabc", "tc2;", "abca|bcabc"},
		{"|abcabc", "tc;;", "abca|bc"},
		{"|aXbX", "tX;,", "aX|bX"},
		{"abcab|c", "Ta;", "a|bcabc"},
		{"ab|c", ";", "ab|c"},
		{"ab|c", ",", "ab|c"},
		{"|a\nb", "fb", "|a\nb"},
		{"|a世b", "f世", "a|世b"},
	})
}

// TestRows checks j and k, which keep the column.
func TestRows(t *testing.T) {
	t.Parallel()
	check(t, []row{
		{"ab|c\nd\nefg", "j", "abc\n|d\nefg"},
		{"ab|c\nd\nefg", "jj", "abc\nd\nef|g"},
		{"ab|c\nd\nefg", "2j", "abc\nd\nef|g"},
		{"ab|c\nd\nefg", "9j", "abc\nd\nef|g"},
		{"ab|c\n\nefg", "jj", "abc\n\nef|g"},
		{"ab|c\nd\nefg", "jjkk", "ab|c\nd\nefg"},
		{"abc\nd\nef|g", "kk", "ab|c\nd\nefg"},
		{"abc\nd\nef|g", "9k", "ab|c\nd\nefg"},
		{"abc\nd\nef|g", "<up><up><down>", "abc\n|d\nefg"},
		{"ab|c\nd\nefg", "jlj", "abc\nd\n|efg"},
		{"ab|cd\ne\nfgh", "jxj", "abcd\n\n|fgh"},
		{"|ab\nc\ndefg", "$jj", "ab\nc\ndef|g"},
		{"|ab\nc\ndefg", "$jj$kk", "a|b\nc\ndefg"},
		{"a|b\nc\ndefg", "jj", "ab\nc\nd|efg"},
		{"ab\nc\nde|f", "kvkd", "a|b\ndef"},
		{"|a\n", "jk", "|a\n"},
		{"abc\nd|e\n", "jk", "abc\nd|e\n"},
	})
	b, m := newBuffer("|abcdefgh"), &Mode{kind: normal}
	b.Rows(4, 10)
	for _, c := range []struct{ keys, want string }{{"lj", "abcde|fgh"}, {"j", "abcdefg|h"}, {"k", "abc|defgh"}, {"k", "|abcdefgh"}, {"4lvkd", "|fgh"}} {
		if press(t, m, b, c.keys); show(b) != c.want {
			t.Errorf("%s in rows of 4 columns: %q, not %q", c.keys, show(b), c.want)
		}
	}
}
