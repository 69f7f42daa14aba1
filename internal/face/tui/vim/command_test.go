package vim

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pollux/internal/face/tui/buffer"
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
	for _, c := range []struct{ keys, want string }{{"lj", "abcde|fgh"}, {"j", "abcdefg|h"}, {"k", "abc|defgh"}, {"k", "|abcdefgh"}} {
		if press(t, m, b, c.keys); show(b) != c.want {
			t.Errorf("%s in rows of 4 columns: %q, not %q", c.keys, show(b), c.want)
		}
	}
}

func TestOperators(t *testing.T) {
	t.Parallel()
	check(t, []row{
		{"|foo bar", "dw", "|bar"},
		{"|foo bar\nx", "2dw", "|\nx"},
		{"|a b c d e", "2d2w", "|e"},
		{"foo |bar\nx", "dw", "foo| \nx"},
		{"foo |bar\n  x", "dw", "foo| \n  x"},
		{"a |b  \n  x", "dw", "a |x"},
		{"|\nx", "dw", "|x"},
		{"foo b|ar", "db", "foo |ar"},
		{"|foo", "db", "|foo"},
		{"a b|", "d9b", "|b"},
		{"a\n|b", "db", "|b"},
		{"|foo bar", "de", "| bar"},
		{"fo|o bar", "de", "f|o"},
		{"|foo.a bar", "dE", "| bar"},
		{"|foo.a bar", "dW", "|bar"},
		{"a f.o|o", "dB", "a |o"},
		{"a|bc", "d$", "|a"},
		{"a|bc\nde\nf", "d2$", "|a\nf"},
		{"|abc\nde\nf", "d2$", "|f"},
		{"a|b\n\nc", "d2$", "|a\nc"},
		{"ab|c", "d0", "|c"},
		{" ab|c", "d^", " |c"},
		{"a|bc", "dl", "a|c"},
		{"a|bc", "dh", "|bc"},
		{"|abc", "dh", "|abc"},
		{"a\n|b\nc\nd", "dj", "a\n|d"},
		{"a\nb\n|c\nd", "dk", "a\n|d"},
		{"a\n|b", "dj", "a\n|b"},
		{"|a\nb", "dk", "|a\nb"},
		{"a\nb|\nc", "dgg", "|c"},
		{"a\nb|\nc", "dG", "|a"},
		{"a\nb|\nc", "d1G", "|c"},
		{"|abcabc", "dfc", "|abc"},
		{"|abcabc", "dtc", "|cabc"},
		{"abcab|c", "dFb", "abca|c"},
		{"abcab|c", "dTa", "abca|c"},
		{"|abcabc", "dfx", "|abcabc"},
		{"|abcabc", "fbd;", "a|c"},
		{"a|b\n  c\nd", "dd", "  |c\nd"},
		{"a\n b|", "dd", "|a"},
		{"|a\nb\nc", "2dd", "|c"},
		{"a\n|b\nc", "9dd", "|a"},
		{"a\n|b", "2dd", "a\n|b"},
		{"|a", "dd", "|"},
		{"|foo bar", "cwx<escape>", "|x bar"},
		{"|foo bar baz", "c2wx<escape>", "|x baz"},
		{"fo|o bar", "cwx<escape>", "fo|x bar"},
		{"foo| bar", "cwx<escape>", "foo|xbar"},
		{"|foo.a bar", "cWx<escape>", "|x bar"},
		{"a\n|b\nc", "ccx<escape>", "a\n|x\nc"},
		{"a\n|b\nc", "cjx<escape>", "a\n|x"},
		{"|abc", "c$x<escape>", "|x"},
		{"|\nb", "cwx<escape>", "|x\nb"},
		{"|abc", "cfxl", "a|bc"},
		{"|foo bar", "ywP", "foo| foo bar"},
		{"foo |bar", "ybP", "foo| foo bar"},
		{"|foo bar", "yeP", "fo|ofoo bar"},
		{"|foo bar", "y$P", "foo ba|rfoo bar"},
		{"fo|o\nbar", "yyp", "foo\n|foo\nbar"},
		{"fo|o\nbar", "Yp", "foo\n|foo\nbar"},
		{"foo\nb|ar", "yk", "f|oo\nbar"},
		{"foo\nb|ar", "ykP", "|foo\nbar\nfoo\nbar"},
		{"f|oo\nbar", "yj", "f|oo\nbar"},
		{"foo\n b|ar", "ygg", "|foo\n bar"},
		{"|foo", "dy", "|foo"},
		{"|foo bar", "dx", "|foo bar"},
		{"|foo bar", "ddw", "|"},
	})
}

func TestObjects(t *testing.T) {
	t.Parallel()
	check(t, []row{
		{"a f|oo b", "diw", "a | b"},
		{"a f|oo  b", "daw", "a |b"},
		{"a f|oo", "daw", "|a"},
		{"f|oo", "daw", "|"},
		{"a|  foo b", "diw", "a|foo b"},
		{"a|  foo b", "daw", "a| b"},
		{"|foo b", "diw", "| b"},
		{"|f.o", "diw", "|.o"},
		{"f|.o", "diw", "f|o"},
		{"|a b c", "d3iw", "| c"},
		{"|a b c", "d9iw", "|a b c"},
		{"|a b c d", "d2aw", "|c d"},
		{"|a b", "d9aw", "|a b"},
		{"a| b c", "d2aw", "|a"},
		{"a| ", "daw", "a| "},
		{"|\nb", "ciwx<escape>", "|x\nb"},
		{"|\nb", "daw", "|\nb"},
		{"  f|oo", "daw", " | "},
		{"a f|oo b", "ciwx<escape>", "a |x b"},
		{"a f|oo b", "yiwP", "a fo|ofoo b"},
		{`a "b| c" d`, `di"`, `a "|" d`},
		{`a "b| c" d`, `da"`, `a |d`},
		{`a "b| c"`, `da"`, `|a`},
		{`|a "b c" d`, `di"`, `a "|" d`},
		{`a |"b c" d`, `di"`, `a "|" d`},
		{`a "b c|" d`, `di"`, `a "|" d`},
		{`a "b" |c "d"`, `di"`, `a "b"|"d"`},
		{`a "b" c |"d"`, `di"`, `a "b" c "|"`},
		{`a "b\" |c" d`, `di"`, `a "|" d`},
		{`a "|" d`, `ci"x<escape>`, `a "|x" d`},
		{`|a "" d`, `ci"x<escape>`, `a "|x" d`},
		{`a |b`, `di"`, `a |b`},
		{`a "|b`, `di"`, `a "|b`},
		{"\"\n|b\"", `di"`, "\"\n|b\""},
		{"f(a, |b)", "di(", "f(|)"},
		{"f(a, |b)", "di)", "f(|)"},
		{"f(a, |b) c", "da(", "f| c"},
		{"f(a, |b) c", "da)", "f| c"},
		{"f(a(|b)c)", "di(", "f(a(|)c)"},
		{"f(a(|b)c)", "d2i(", "f(|)"},
		{"f(a(|b)c)", "d3i(", "f(a(|b)c)"},
		{"f(a(b)|c)", "di(", "f(|)"},
		{"f|(a(b)c)", "di(", "f(|)"},
		{"f(a(b)c|)", "di(", "f(|)"},
		{"f|oo(a) b", "di(", "foo(|) b"},
		{"f|) (a) b", "di(", "f) (|) b"},
		{"f|oo(a", "di(", "f|oo(a"},
		{"f|oo)", "di(", "f|oo)"},
		{"(|)", "ci(x<escape>", "(|x)"},
		{"f(\n  a|,\n  b\n) c", "di(", "f(\n|) c"},
		{"f(\n  a|,\n  b) c", "di(", "f(\n|) c"},
		{"f(a\n  |b)", "di(", "f(|)"},
		{"f(\n  |) c", "di(", "f(\n|  ) c"},
		{"f(a\n|)", "yi(P", "f(|aa\n)"},
		{"f|oo", "dix", "f|oo"},
		{"f|oo bar", "diW", "f|oo bar"},
	})
}

func TestEdits(t *testing.T) {
	t.Parallel()
	check(t, []row{
		{"a|bc", "x", "a|c"},
		{"a|bc\nd", "9x", "|a\nd"},
		{"a|bc", "<delete>", "a|c"},
		{"|\na", "x", "|\na"},
		{"ab|c", "X", "a|c"},
		{"ab|c", "9X", "|c"},
		{"|aBé1", "4~", "AbÉ|1"},
		{"|ab\nc", "9~", "A|B\nc"},
		{"|ab", "~", "A|b"},
		{"a|bc", "rx", "a|xc"},
		{"|abc", "2rx", "x|xc"},
		{"|abc", "4rx", "|abc"},
		{"a|bc", "r世", "a|世c"},
		{"|\n", "rx", "|\n"},
		{"a|bc\nd", "D", "|a\nd"},
		{"a|bc\nd", "Cx<escape>", "a|x\nd"},
		{"a|bc\nd", "2D", "|a"},
		{"a|bc\nd", "Sx<escape>", "|x\nd"},
		{"a|bc", "sx<escape>", "a|xc"},
		{"a|bcd", "2sx<escape>", "a|xd"},
		{"|a\n  b\nc", "J", "a| b\nc"},
		{"|a\n  b\nc", "3J", "a b| c"},
		{"|a\nb\nc", "9J", "a b| c"},
		{"|a \nb", "J", "a |b"},
		{"|a\n)", "J", "a|)"},
		{"|a\n\nb", "J", "|a\nb"},
		{"|a\nb", "2J", "a| b"},
		{"|\nb", "J", "|b"},
		{"|a\n  ", "J", "|a"},
		{"a\n|b", "J", "a\n|b"},
		{"a\n|b", "2J", "a\n|b"},
		{"|abc", "p", "|abc"},
		{"|abc", "xp", "b|ac"},
		{"|abc", "x2p", "ba|ac"},
		{"|abc", "xP", "|abc"},
		{"|abc", "x3P", "aa|abc"},
		{"a|b\nc", "ddp", "c\n|ab"},
		{"a|b\nc", "ddP", "|ab\nc"},
		{"|a\nb", "yy2p", "a\n|a\na\nb"},
		{"a\n|b", "yy2P", "a\n|b\nb\nb"},
		{"a\n|  b", "yyP", "a\n  |b\n  b"},
		{"a\n|\nb", "ddp", "a\nb\n|"},
		{"a|b\ncd", "vjyp", "ab|b\ncd\ncd"},
		{"|", "ix<escape>ddp", "\n|x"},
		{"|a b", "x<right>x<home>p", " |b"},
		{"|a\n\nb", "xjxkp", "|a\n\nb"},
	})
}

func TestVisual(t *testing.T) {
	t.Parallel()
	check(t, []row{
		{"a|bcd", "vld", "a|d"},
		{"a|bcd", "vlx", "a|d"},
		{"ab|cd", "vhd", "a|d"},
		{"a|bcd", "vlcx<escape>", "a|xd"},
		{"a|bcd", "vlsx<escape>", "a|xd"},
		{"a|bcd", "vlyP", "ab|cbcd"},
		{"ab|cd", "vhy", "a|bcd"},
		{"a|b\ncd\ne", "vjd", "|a\ne"},
		{"a|b\ncd\ne", "Vjd", "|e"},
		{"a\n|b\nc", "Vcx<escape>", "a\n|x\nc"},
		{"a|b\ncd", "v$d", "a|cd"},
		{"a|b\ncd", "vlld", "a|cd"},
		{"a|b\ncd", "vj$d", "|a"},
		{"ab\nc|d", "Vky", "a|b\ncd"},
		{"a|b\ncd", "Vjy", "|ab\ncd"},
		{"a|b\ncd", "VyjP", "ab\n|ab\ncd"},
		{"a|bc de", "vwd", "a|e"},
		{"a|bc de", "viwd", "| de"},
		{"a|bc de", "vp", "a|bc de"},
		{"a|bc de", "vu", "a|bc de"},
		{"|a\nb\nc", "vGd", "|"},
		{"|abcdefgh", "vld.", "|efgh"},
		{"|abcdefgh", "vlcx<escape>l.", "x|xefgh"},
		{"|a\nb\nc\nd\ne", "Vjd.", "|e"},
		{"|ab\ncd\nef\ngh", "vjd.", "|f\ngh"},
		{"|ab\ncd", "v$dx.", "|"},
		{"|abc\nd", "vlljhd", "|"},
		{"ab\n|\ncd", "vd", "ab\n|cd"},
	})
}

func TestRepeat(t *testing.T) {
	t.Parallel()
	check(t, []row{
		{"|abc", ".", "|abc"},
		{"|abcd", "x.", "|cd"},
		{"|abcdef", "x3.", "|ef"},
		{"|abcdef", "2x.", "|ef"},
		{"|abcdefgh", "2x3..", "|"},
		{"|a b c d", "dw.", "|c d"},
		{"|a b c", "cwx<escape>w.", "x |x c"},
		{"|a b", "iX<escape>.", "|XXa b"},
		{"|a\nb", "AX<escape>j.", "aX\nb|X"},
		{"|a\nb", "oX<escape>.", "a\nX\n|X\nb"},
		{"|a b", "cwx<escape>u.", "|x b"},
		{"|a\nb\nc", "dd.", "|c"},
		{"|abc", "x4rz.", "|c"},
		{"ab|c", "i<backspace>xy<escape>.", "a|xyc"},
		{"|abab", "rx2l.", "xb|xb"},
		{"|a b", "~w.", "A |B"},
		{"|a\nb\nc", "J.", "a b| c"},
		{"|a b c", "xyw.", "|b c"},
		{"|abc", "xdfx.", "|c"},
		{"|(a) (b)", "ci(x<escape>$.", "(x) (|x)"},
		{"|abc", "xp.", "ba|ac"},
		{"|ab\nab", "fbrxj0;.", "ax\na|x"},
		{"|a b", "cwx<left>y<escape>$.", "yx y|x"},
	})
}

func TestUndo(t *testing.T) {
	t.Parallel()
	check(t, []row{
		{"a|bc", "xu", "a|bc"},
		{"|abc", "xxu", "|bc"},
		{"|abc", "xx2u", "|abc"},
		{"|abc", "xxuu<ctrl+r>", "|bc"},
		{"|abc", "xxuu2<ctrl+r>", "|c"},
		{"|a\nb", "yy3pu", "|a\nb"},
		{"|abc", "3~u", "|abc"},
		{"|a\nb\nc", "3Ju", "|a\nb\nc"},
		{"|abc", "iX<escape>..u", "|XXabc"},
		{"|ab.", "xl~u", "|ab."},
		{"|a b", "cwx<escape>u", "|a b"},
		{"|a b", "cwx y z<escape>u", "|a b"},
		{"|a b", "cwx y z<escape>u<ctrl+r>", "x y |z b"},
		{"|a b", "ox<escape>u", "|a b"},
		{"a| b", "xiX<escape>iY<escape>u", "a|Xb"},
		{"|ab", "xia<escape>u", "|b"},
		{"|a b", "cwa<escape>xu", "|a b"},
	})
}

// TestPlaceholders checks that the placeholder of a large paste is one character, and that it keeps its text.
func TestPlaceholders(t *testing.T) {
	t.Parallel()
	pasted := strings.Repeat("line\n", 6)
	for _, c := range []struct {
		keys  string
		shown string
		value string
	}{
		{"0", "|[Pasted Text: 7 lines] b", pasted + " b"},
		{"0~", "[Pasted Text: 7 lines]| b", pasted + " b"},
		{"0x", "| b", " b"},
		{"0xp", " |[Pasted Text: 7 lines]b", " " + pasted + "b"},
		{"0diw", "| b", " b"},
		{"0cwx<escape>", "|x b", "x b"},
		{"0rx", "|x b", "x b"},
		{"0yl$p", "[Pasted Text: 7 lines] b|[Pasted Text: 7 lines #2]", pasted + " b" + pasted},
		{"Ox<escape>J", "x| [Pasted Text: 7 lines] b", "x " + pasted + " b"},
		{"oc<escape>kJ", "[Pasted Text: 7 lines] b| c", pasted + " b c"},
	} {
		b, m := &buffer.Buffer{}, &Mode{}
		b.Paste(pasted)
		press(t, m, b, " b<escape>"+c.keys)
		if got := show(b); got != c.shown || b.Value() != c.value {
			t.Errorf("%s: %q for %q, not %q for %q", c.keys, got, b.Value(), c.shown, c.value)
		}
	}
}

// TestProperties presses random keys: nothing panics, the cursor is on a character in NORMAL mode, and u takes back a change
// that Ctrl+R then repeats.
func TestProperties(t *testing.T) {
	t.Parallel()
	pieces := []string{"a", "foo", " ", "  ", "\n", "\t", ".", "(", ")", `"`, `\`, "世", "e\u0301", "\U0001F468\u200d\U0001F469", "\u0301"}
	single := strings.Fields("h j k l w b e W B E 0 ^ $ g G f F t T ; , d c y i a I A o O r ~ x X D C s S J p P u . v V Y 1 2 3 9 ( ) \" <escape> <ctrl+r> <left> <up> <enter> <home> z")
	motions := strings.Fields("h j k l w b e W B E 0 ^ $ gg G fa ta F( T. ; , iw aw i( a( i\" a\"")
	whole := rapid.Custom(func(t *rapid.T) string {
		operator := rapid.SampledFrom([]string{"d", "c", "y", "v", "V", ""}).Draw(t, "operator")
		count := rapid.SampledFrom([]string{"", "", "2", "5"}).Draw(t, "count")
		return operator + count + rapid.SampledFrom(motions).Draw(t, "motion")
	})
	rapid.Check(t, func(rt *rapid.T) {
		b, m := &buffer.Buffer{}, &Mode{kind: normal}
		for _, piece := range rapid.SliceOfN(rapid.SampledFrom(pieces), 3, 25).Draw(rt, "text") {
			b.Insert(piece)
		}
		if rapid.Bool().Draw(rt, "has paste") {
			b.Paste(strings.Repeat("(x)\n", 7))
		}
		b.Rows(rapid.IntRange(1, 12).Draw(rt, "width"), 5)
		m.Settle(b)
		for _, key := range rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(single), whole), 5, 40).Draw(rt, "keys") {
			if len(key) > 1 && key[0] != '<' {
				m.pending = pending{} // the key is a whole command
			}
			before, mode := b.Shown(), m.kind
			press(t, m, b, key)
			if m.kind != normal {
				continue
			}
			at := b.Cursor()
			if at != b.Prev(b.Next(at)) && at != b.Len() {
				rt.Fatalf("%s: the cursor is within a character: %q", key, show(b))
			}
			if at == b.LineEnd(at) && at > b.LineStart(at) {
				rt.Fatalf("%s: the cursor is not on a character: %q", key, show(b))
			}
			after := b.Shown()
			if mode != normal || before == after || key == "u" || key == "<ctrl+r>" {
				continue
			}
			m.pending = pending{} // a count would be that of u
			if press(t, m, b, "u"); b.Shown() != before {
				rt.Fatalf("%s: undone to %q, not %q", key, b.Shown(), before)
			}
			if press(t, m, b, "<ctrl+r>"); b.Shown() != after {
				rt.Fatalf("%s: redone to %q, not %q", key, b.Shown(), after)
			}
		}
	})
}
