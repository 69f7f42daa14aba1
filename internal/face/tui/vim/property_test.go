package vim

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pollux/internal/face/tui/buffer"
)

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

// TestProperties presses random keys: nothing panics, the cursor is on a character in NORMAL mode, and u takes back a
// change that Ctrl+R then repeats.
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
