package vim

import (
	"strings"
	"testing"
	"time"

	"pollux/internal/face/tui/buffer"
	"pollux/internal/face/tui/keys"
)

// start is the time at which each key of the tests is pressed.
var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// newBuffer returns a buffer with a text, in which "|" is the cursor.
func newBuffer(text string) *buffer.Buffer {
	b := &buffer.Buffer{}
	before, after, _ := strings.Cut(text, "|")
	b.SetText(before+after, len(before))
	return b
}

// show returns the text with the cursor.
func show(b *buffer.Buffer) string {
	return b.Shown()[:b.Cursor()] + "|" + b.Shown()[b.Cursor():]
}

// split returns keys: characters, and chords as keybindings.json has them in angle brackets, such as "<ctrl+r>".
func split(t *testing.T, text string) (list []keys.Key) {
	t.Helper()
	for text != "" {
		r := []rune(text)[0]
		k := keys.Key{Chord: keys.Chord{Code: r}, Text: string(r), At: start}
		n := len(k.Text)
		if end := strings.Index(text, ">"); r == '<' && end > 0 {
			chord, err := keys.ParseChord(text[1:end])
			if err != nil {
				t.Fatal(err)
			}
			k, n = keys.Key{Chord: chord, At: start}, end+1
		}
		list, text = append(list, k), text[n:]
	}
	return list
}

// press gives keys to a mode. The composer's part is done for those that it ignores. It returns the last outcome.
func press(t *testing.T, m *Mode, b *buffer.Buffer, text string) (o Outcome) {
	t.Helper()
	for _, k := range split(t, text) {
		o = m.Handle(k, b)
		switch {
		case o != Ignored:
		case k.Text != "" && m.Name() != "INSERT":
			t.Fatalf("%q is ignored in %s mode", k.Text, m.Name())
		case k.Text != "":
			b.Insert(k.Text)
		case k.Chord.Code == keys.Left:
			b.Left()
		case k.Chord.Code == keys.Backspace:
			b.DeleteLeft()
		}
	}
	return o
}

// row is a test: keys in NORMAL mode change one text to another. The cursor is "|".
type row struct{ before, keys, after string }

func check(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		b, m := newBuffer(r.before), &Mode{kind: normal}
		press(t, m, b, r.keys)
		if got := show(b); got != r.after {
			t.Errorf("%q and %s: %q, not %q", r.before, r.keys, got, r.after)
		}
	}
}

func TestModes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, keys, after, mode string }{
		{"ab|", "", "ab|", "INSERT"},
		{"ab|", "c<enter>", "abc|", "INSERT"},
		{"ab|", "<escape>", "a|b", "NORMAL"},
		{"ab|", "<ctrl+[>", "a|b", "NORMAL"},
		{"a\n|b", "<escape>", "a\n|b", "NORMAL"},
		{"|", "<escape>", "|", "NORMAL"},
		{"ab|", "<escape>iX", "aX|b", "INSERT"},
		{"ab|", "<escape>aX", "abX|", "INSERT"},
		{"|", "<escape>aX", "X|", "INSERT"},
		{"a\n|\nb", "<escape>aX", "a\nX|\nb", "INSERT"},
		{"  ab| c", "<escape>IX", "  X|ab c", "INSERT"},
		{"  |", "<escape>IX", "  X|", "INSERT"},
		{"a|b\nc", "<escape>AX", "abX|\nc", "INSERT"},
		{"a|b\nc", "<escape>oX", "ab\nX|\nc", "INSERT"},
		{"a|b\nc", "<escape>OX", "X|\nab\nc", "INSERT"},
		{"a\nb|c", "<escape>OX", "a\nX|\nbc", "INSERT"},
		{"ab|", "<escape>v", "a|b", "VISUAL"},
		{"ab|", "<escape>V", "a|b", "VISUAL"},
		{"ab|", "<escape>vV", "a|b", "VISUAL"},
		{"ab|", "<escape>vv", "a|b", "NORMAL"},
		{"ab|", "<escape>VV", "a|b", "NORMAL"},
		{"ab|", "<escape>v<escape>", "a|b", "NORMAL"},
		{"ab|", "<escape>vl<escape>", "a|b", "NORMAL"},
		{"|", "<escape>v", "|", "NORMAL"},
		{"ab|", "<escape>d<escape>l", "a|b", "NORMAL"},
		{"ab|", "<escape>ciw", "|", "INSERT"},
	} {
		b, m := newBuffer(c.before), &Mode{}
		press(t, m, b, c.keys)
		if got := show(b); got != c.after || m.Name() != c.mode {
			t.Errorf("%q and %s: %q in %s, not %q in %s", c.before, c.keys, got, m.Name(), c.after, c.mode)
		}
	}
}

// TestOutcomes checks which keys the caller has to handle, and how.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before, keys string
		want         Outcome
		after        string
	}{
		{"a|b", "<enter>", Ignored, "a|b"},
		{"a|b", "d<enter>", Ignored, "a|b"},
		{"a|b", "<ctrl+a>", Ignored, "a|b"},
		{"a|b", "<alt+x>", Ignored, "a|b"},
		{"a|b", "<tab>", Ignored, "a|b"},
		{"a|b", "<shift+tab>", Ignored, "a|b"},
		{"a|b", "<pageup>", Ignored, "a|b"},
		{"a|b", "v<ctrl+r>", Ignored, "a|b"},
		{"a|b", "<ctrl+r>", Handled, "a|b"},
		{"a|b", "z", Handled, "a|b"},
		{"a|b", "?", Handled, "a|b"},
		{"a|b", "世", Handled, "a|b"},
		{"a|b", "r<left>", Handled, "a|b"},
		{"a|b", "r<left>x", Handled, "|a"},
		{"a|b", "d<ctrl+a>l", Handled, "a|b"},
		{"ab|c", "k", Handled, "|abc"},
		{"ab|c", "kk", HistoryPrevious, "|abc"},
		{"ab|c", "<up><up>", HistoryPrevious, "|abc"},
		{"ab|c\nd", "kk", HistoryPrevious, "|abc\nd"},
		{"a|bc", "j", Handled, "ab|c"},
		{"a|bc", "jj", HistoryNext, "ab|c"},
		{"abc\nd|e", "j", HistoryNext, "abc\nd|e"},
		{"|", "j", HistoryNext, "|"},
		{"|", "k", HistoryPrevious, "|"},
		{"|ab", "3k", Handled, "|ab"},
		{"a|b", "3j", Handled, "a|b"},
		{"|ab", "vk", Handled, "|ab"},
		{"a|b", "vj", Handled, "a|b"},
		{"a\n|", "j", HistoryNext, "a\n|"},
		{"a\n|", "k", Handled, "|a\n"},
		{"|a\n", "j", Handled, "a\n|"},
	} {
		b, m := newBuffer(c.before), &Mode{kind: normal}
		if got := press(t, m, b, c.keys); got != c.want || show(b) != c.after {
			t.Errorf("%q and %s: %d and %q, not %d and %q", c.before, c.keys, got, show(b), c.want, c.after)
		}
	}
}

// TestEscapeTwice checks that two presses of Esc clear a text, unless another key or much time is between them.
func TestEscapeTwice(t *testing.T) {
	t.Parallel()
	escape := keys.Chord{Code: keys.Escape}
	for _, c := range []struct {
		name, text string
		pause      time.Duration
		between    string
		want       Outcome
	}{
		{"at once", "ab", 0, "", ClearInput},
		{"500 ms later", "ab", 500 * time.Millisecond, "", ClearInput},
		{"later", "ab", 501 * time.Millisecond, "", Ignored},
		{"an empty text", "", 0, "", Ignored},
		{"a key between", "ab", 0, "l", Ignored},
		{"a command between", "ab", 0, "d", Handled},
	} {
		b, m := newBuffer(c.text), &Mode{kind: normal}
		if got := m.Handle(keys.Key{Chord: escape, At: start}, b); got != Ignored {
			t.Errorf("%s: the first is %d", c.name, got)
		}
		press(t, m, b, c.between)
		if got := m.Handle(keys.Key{Chord: escape, At: start.Add(c.pause)}, b); got != c.want {
			t.Errorf("%s: the second is %d, not %d", c.name, got, c.want)
		}
	}
	m, b := &Mode{}, newBuffer("ab|")
	if got := []Outcome{press(t, m, b, "<escape>"), press(t, m, b, "<escape>"), press(t, m, b, "<escape>"), press(t, m, b, "<escape>")}; got[0] != Handled || got[1] != Ignored || got[2] != ClearInput || got[3] != Ignored {
		t.Errorf("from INSERT mode: %d", got)
	}
}

func TestSelection(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, keys, want string }{
		{"a|bc", "v", "b"},
		{"a|bc", "vl", "bc"},
		{"a|bc", "vh", "ab"},
		{"a|bc\nd", "v$", "bc\n"},
		{"a|bc", "V", "abc"},
		{"a\nb|c\nd", "Vk", "a\nbc"},
		{"a|bc de", "viw", "abc"},
		{"a|bc de", "vaw", "abc "},
		{"x (|a)", "vi(", "a"},
		{"x (|)", "vi(", ")"},
		{"ab|cd", "vFa", "abc"},
		{"|ab\ncd", "vj", "ab\nc"},
	} {
		b, m := newBuffer(c.before), &Mode{kind: normal}
		if _, ok := m.Selection(b); ok {
			t.Error("something is selected in NORMAL mode")
		}
		press(t, m, b, c.keys)
		if r, ok := m.Selection(b); !ok || b.Text(r) != c.want {
			t.Errorf("%q and %s: %q, not %q", c.before, c.keys, b.Text(r), c.want)
		}
	}
	b, m := newBuffer("abc|"), &Mode{kind: normal}
	press(t, m, b, "v")
	b.Clear()
	m.Settle(b)
	if _, ok := m.Selection(b); ok || m.Name() != "NORMAL" {
		t.Errorf("%s mode in an empty text", m.Name())
	}
	b.SetText("ab", 2)
	if m.Settle(b); b.Cursor() != 1 {
		t.Errorf("the cursor is at %d", b.Cursor())
	}
	if m = (&Mode{}); m.Handle(keys.Key{Chord: keys.Chord{Code: 'x'}, Text: "x"}, b) != Ignored {
		t.Error("INSERT mode takes text")
	}
}
