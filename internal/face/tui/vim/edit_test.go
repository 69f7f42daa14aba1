package vim

import (
	"testing"
)

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
		{"|\na\nb", "ddp", "a\n|\nb"},
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
		{"a\n|b", "vkd", "|"},
		{"a|bc", "v$kd", "|a"},
		{"|abc", "vjd", "|bc"},
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
