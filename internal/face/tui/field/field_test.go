package field

import (
	"slices"
	"strings"
	"testing"

	"pollux/internal/face/tui/inline"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
)

// typeKeys types keys by their names; others are text. It returns whether the field had use for the last one.
func typeKeys(t *testing.T, f *Field, names ...string) (isUsed bool) {
	t.Helper()
	b, _ := keys.Load("linux", []byte(`[{"command": "edit.yank", "key": "f1"}, {"command": "edit.yankPop", "key": "f2"}]`), "keybindings.json")
	for _, name := range names {
		chord, err := keys.ParseChord(name)
		k := keys.Key{Chord: chord}
		if err != nil || len([]rune(name)) == 1 {
			k = keys.Key{Text: strings.ReplaceAll(name, "_", " ")}
		}
		isUsed = f.Handle(k, b)
	}
	return isUsed
}

func TestHandle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys string // separated by spaces; "_" is a space
		want string // with "|" at the cursor
		used bool
	}{
		{"a b c", "abc|", true},
		{"a b left X", "aX|b", true},
		{"a b c home right X", "aX|bc", true},
		{"a b home end c", "abc|", true},
		{"中 文 backspace", "中|", true},
		{"a b home delete", "|b", true},
		{"a b home ctrl+d", "|b", true},
		{"a b _ c d ctrl+w", "ab |", true},
		{"a b _ c d alt+b X", "ab X|cd", true},
		{"a b _ c d home alt+f X", "abX| cd", true},
		{"a b _ c d home alt+d", "| cd", true},
		{"a b left ctrl+k", "a|", true},
		{"a b left ctrl+u", "|b", true},
		{"a b ctrl+u f1 f1", "abab|", true},
		{"a ctrl+u b ctrl+u f1 f2", "a|", true},
		{"a b ctrl+u alt+z", "ab|", true},
		{"a b ctrl+u alt+z alt+shift+z", "|", true},
		{"a enter", "a|", false},
		{"a ctrl+j b", "ab|", true}, // one line
		{"a up up", "|a", false},
		{"a home down down", "a|", false},
		{"a f5", "a|", false},
		{"escape", "|", false},
	} {
		f := &Field{}
		used := typeKeys(t, f, strings.Fields(c.keys)...)
		got := f.Shown()[:f.Cursor()] + "|" + f.Shown()[f.Cursor():]
		if got != c.want || used != c.used {
			t.Errorf("%s: %q, %v", c.keys, got, used)
		}
	}
	f := &Field{HasLines: true}
	if typeKeys(t, f, "a", "ctrl+j", "b"); f.Value() != "a\nb" {
		t.Errorf("%q", f.Value())
	}
}

func TestPaste(t *testing.T) {
	t.Parallel()
	f := &Field{}
	if !f.Handle(keys.Paste{Text: " a\r\nb\nc\x1b[31m "}, keys.Default("linux")) || f.Value() != "a b c" {
		t.Errorf("one line: %q", f.Value())
	}
	f = &Field{HasLines: true}
	long := strings.Repeat("line\n", 9)
	if f.Handle(keys.Paste{Text: long}, keys.Default("linux")); f.Value() != long || !strings.HasPrefix(f.Shown(), "[Pasted Text: ") {
		t.Errorf("%q, %q", f.Value(), f.Shown())
	}
	if f.Handle(keys.Focus{}, keys.Default("linux")) {
		t.Error("the focus is no input")
	}
}

func texts(lines []styled.Line) (all []string) {
	for _, l := range lines {
		all = append(all, l.String())
	}
	return all
}

func TestLines(t *testing.T) {
	t.Parallel()
	plain := theme.NoColor()
	for _, c := range []struct {
		field         Field
		text          string
		width, height int
		want          []string
		cursor        inline.Position
	}{
		{Field{Placeholder: "Type a message"}, "", 10, 3, []string{"Type a me…"}, inline.Position{}},
		{Field{}, "one two", 80, 3, []string{"one two"}, inline.Position{Column: 7}},
		{Field{HasLines: true}, "one\ntwo\nthree", 80, 2, []string{"two", "three"}, inline.Position{Row: 1, Column: 5}},
		{Field{}, "中文字", 6, 3, []string{"中文字"}, inline.Position{Column: 0, Row: 1}},
		{Field{IsSecret: true}, "s3cret", 20, 1, []string{"••••••"}, inline.Position{Column: 6}},
		{Field{}, "a\tb", 20, 1, []string{"a    b"}, inline.Position{Column: 6}},
	} {
		f := c.field
		f.Insert(c.text)
		lines, cursor, _ := f.Lines(c.width, c.height, plain)
		if got := texts(lines); !slices.Equal(got[:min(len(got), len(c.want))], c.want) || cursor != c.cursor {
			t.Errorf("%q: %q, cursor %v", c.text, got, cursor)
		}
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	f := &Field{HasLines: true}
	f.Insert("/help see @a.go now")
	plain := theme.NoColor()
	lines, _, _ := f.Lines(80, 5, plain)
	var marked []string
	for _, s := range lines[0] {
		if accent := plain.Accent(); s.Style.Equal(&accent) {
			marked = append(marked, s.Text)
		}
	}
	if !slices.Equal(marked, []string{"/help", "@a.go"}) || lines[0].String() != f.Shown() {
		t.Errorf("%q in %q", marked, lines[0])
	}
	narrow, _, _ := f.Lines(6, 9, plain)
	if got := strings.Join(texts(narrow), ""); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(f.Shown(), " ", "") {
		t.Errorf("%q", got)
	}
}
