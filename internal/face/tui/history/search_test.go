package history

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pollux/internal/face/tui/buffer"
	"pollux/internal/face/tui/golden"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
)

// press types keys by their names; others are text, "_" a space. It returns the effect of the last one.
func press(s *Search, names ...string) (a Action) {
	for _, name := range names {
		chord, err := keys.ParseChord(name)
		k := keys.Key{Chord: chord}
		if err != nil || len([]rune(name)) == 1 {
			k.Text = strings.ReplaceAll(name, "_", " ")
		}
		a = s.Handle(k, keys.Literal, keys.Default("linux"))
	}
	return a
}

func TestSearch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		query, keys string
		want        Action
		selected    string // "" for none
	}{
		{"", "escape", Canceled, "Make It"},
		{"", "tab", Accepted, "Make It"},
		{"", "enter", Submitted, "Make It"},
		{"", "f i x", Changed, "fix Ärger"},
		{"fix", "down enter", Submitted, "fix the build"},
		{"fix", "ctrl+r enter", Submitted, "fix the build"},
		{"fix", "ctrl+n ctrl+p tab", Accepted, "fix Ärger"},
		{"fix", "up tab", Accepted, "fix the build"}, // from the first one to the last one
		{"fix", "down down tab", Accepted, "fix Ärger"},
		{"MAKE", "tab", Accepted, "Make It"},
		{"äRG", "tab", Accepted, "fix Ärger"},
		{"build", "_ x", Changed, ""},
		{"build", "x enter", Changed, ""},
		{"build", "x tab", Changed, ""},
		{"build", "x backspace tab", Accepted, "fix the build"},
		{"", "ctrl+t", Ignored, "Make It"},
		{"fix", "left x", Changed, ""}, // the cursor is before the x
		{"", "down", Changed, "fix Ärger"},
	} {
		in := newPrompts("old")
		for _, text := range []string{"fix the build", "other", "fix Ärger", "other", "fix Ärger", "Make It"} {
			in.Add(text, buffer.Snapshot{})
		}
		for _, e := range in.entries {
			e.sent = nil
		}
		s := in.Search(c.query)
		got := press(s, strings.Fields(c.keys)...)
		var b buffer.Buffer
		if isFound := s.Write(&b); isFound != (c.selected != "") || b.Shown() != c.selected || b.Cursor() != b.Len() || got != c.want {
			t.Errorf("%s, %s: %d, %q", c.query, c.keys, got, state(&b))
		}
	}
}

func TestSearchPaste(t *testing.T) {
	t.Parallel()
	in := newPrompts("", "ab")
	s := in.Search("")
	if a := s.Handle(keys.Paste{Text: "A"}, keys.Literal, keys.Default("linux")); a != Changed || len(s.found) != 1 {
		t.Errorf("%d, %d found", a, len(s.found))
	}
	enter := keys.Key{Chord: keys.Chord{Code: keys.Enter}}
	if a := s.Handle(enter, keys.LineBreak, keys.Default("linux")); a != Changed || s.Query().Value() != "A " || len(s.found) != 0 {
		t.Errorf("a pasted line end: %d, %q", a, s.Query().Value())
	}
	if a := s.Handle(keys.Focus{}, keys.Literal, keys.Default("linux")); a != Ignored {
		t.Errorf("%d", a)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, query, want string }{
		{"abc", "B", "b"},
		{"ababc", "ABC", "abc"},
		{"Straße", "ß", "ß"},
		{"ΣΊΣΥΦΟΣ", "ς", "Σ"},
		{"300 K", "k", "K"}, // the sign of kelvins
		{"cafe\u0301s", "cafe", "cafe\u0301"},
		{"abc", "abcd", ""},
		{"abc", "c\uFFFD", ""},
		{"", "a", ""},
		{"a\xffb", "b", "b"},
		{strings.Repeat("x", maxSearched) + "y", "y", ""},
	} {
		start, end, ok := find(c.text, folded(c.query))
		if ok != (c.want != "") || c.text[start:end] != c.want {
			t.Errorf("%q in %q: %q, %v", c.query, c.text, c.text[start:end], ok)
		}
	}
	if _, end, ok := find("abc", nil); !ok || end != 0 {
		t.Error("an empty query")
	}
}

// TestNarrowing checks that a search that goes on from its matches finds the same as a new one.
func TestNarrowing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := newPrompts("", rapid.SliceOfN(rapid.StringMatching(`[abAB]{1,5}`), 0, 8).Draw(t, "inputs")...)
		s := in.Search("")
		for _, key := range rapid.SliceOf(rapid.SampledFrom([]string{"a", "B", "backspace", "left", "delete"})).Draw(t, "keys") {
			press(s, key)
		}
		want := in.Search(s.Query().Value())
		if fmt.Sprint(s.found) != fmt.Sprint(want.found) {
			t.Fatalf("%q: %v, not %v", s.Query().Value(), s.found, want.found)
		}
	})
}

// checkGolden compares lines with a golden file.
func checkGolden(t *testing.T, name string, lines []styled.Line) {
	t.Helper()
	var got strings.Builder
	for _, line := range lines {
		got.WriteString(line.String() + "\n")
	}
	golden.Check(t, name+".golden", got.String())
}

// samples are inputs of all kinds, the oldest first.
func samples() *Inputs {
	in := Prompts(nil)
	for i := range 9 {
		in.Add(fmt.Sprintf("prompt %d", i), buffer.Snapshot{})
	}
	in.Add("write tests for\n\n\tinternal/face\x1b[31m\nand run them", buffer.Snapshot{})
	in.Add(strings.Repeat("many words before the ", 12)+"TEST"+strings.Repeat(" and more behind it", 12), buffer.Snapshot{})
	in.Add("世界 "+strings.Repeat("漢字", 30)+"test", buffer.Snapshot{})
	return in
}

func TestLines(t *testing.T) {
	t.Parallel()
	for _, width := range []int{40, 80, 160} {
		for name, c := range map[string]struct {
			query, keys string
			height      int
		}{
			"all":      {"", "", 20},
			"last":     {"", "up", 20},
			"low":      {"", "down down down", 3},
			"test":     {"test", "", 20},
			"expanded": {"test", "down right", 20},
			"short":    {"test", "down down right", 4},
			"none":     {"nothing", "", 20},
		} {
			s := samples().Search(c.query)
			s.Lines(width, c.height, theme.NoColor())
			press(s, strings.Fields(c.keys)...)
			checkGolden(t, fmt.Sprintf("%s_%d", name, width), s.Lines(width, c.height, theme.NoColor()))
		}
	}
}

func TestExpand(t *testing.T) {
	t.Parallel()
	s := newPrompts("", "short").Search("sh")
	s.Lines(80, 10, theme.NoColor())
	if press(s, "left", "right", "x"); s.Query().Value() != "shx" {
		t.Errorf("the keys did not move the cursor: %q", s.Query().Value())
	}
	s = samples().Search("")
	s.Lines(40, 20, theme.NoColor())
	for _, c := range []struct {
		key        string
		isExpanded bool
		want       Action
	}{{"right", true, Changed}, {"right", true, Changed}, {"left", false, Changed}, {"right", true, Changed}, {"down", false, Changed}} {
		if got := press(s, c.key); got != c.want || s.isExpanded != c.isExpanded {
			t.Errorf("%s: %d, %v", c.key, got, s.isExpanded)
		}
	}
}

func TestExpandedKeys(t *testing.T) {
	t.Parallel()
	for names, want := range map[string]string{
		"home right right x":     "txest", // the second one moves the cursor
		"right left left x":      "tesxt",
		"home right left right":  "test",
		"home right down x":      "xtest",
		"home right x backspace": "test",
	} {
		s := samples().Search("test")
		s.Lines(40, 20, theme.NoColor())
		if press(s, strings.Fields(names)...); s.Query().Value() != want {
			t.Errorf("%s: %q", names, s.Query().Value())
		}
	}
}

// TestWrite checks that the cursor is behind an input, wherever it was when the user sent it.
func TestWrite(t *testing.T) {
	t.Parallel()
	var b buffer.Buffer
	b.SetText("one two", 3)
	in := Prompts(nil)
	send(in, &b)
	if in.Search("").Write(&b); state(&b) != "one two|" {
		t.Errorf("%q", state(&b))
	}
}

// TestSizes draws the list in all small sizes.
func TestSizes(t *testing.T) {
	t.Parallel()
	for width := range 24 {
		for height := range 16 {
			for _, names := range []string{"", "down", "right", "down right", "up", "up right", "down down right", "t e s t", "t e s t right"} {
				s := samples().Search("")
				s.Lines(width, height, theme.NoColor())
				press(s, strings.Fields(names)...)
				lines := s.Lines(width, height, theme.NoColor())
				isMarked := height == 0 || width < 2
				for _, l := range lines {
					if l.Width() > width {
						t.Errorf("%d × %d, %s: %q is too wide", width, height, names, l)
					}
					isMarked = isMarked || strings.HasPrefix(l.String(), "❯")
				}
				if len(lines) > height || !isMarked {
					t.Errorf("%d × %d, %s: %q", width, height, names, lines)
				}
			}
		}
	}
}

func TestHighlight(t *testing.T) {
	t.Parallel()
	plain := theme.NoColor()
	for _, names := range []string{"", "right"} {
		s := newPrompts("", "one\nfix the TESTS of it").Search("tests")
		s.Lines(80, 10, plain)
		press(s, strings.Fields(names)...)
		var found []string
		for _, line := range s.Lines(80, 10, plain) {
			for _, span := range line {
				if accent := plain.Accent(); span.Style.Equal(&accent) {
					found = append(found, span.Text)
				}
			}
		}
		if len(found) != 1 || found[0] != "TESTS" {
			t.Errorf("%s: %q", names, found)
		}
	}
}

func BenchmarkSearchKey(b *testing.B) {
	in := Prompts(nil)
	for i := range maxPrompts {
		in.Add(fmt.Sprintf("%d %s", i, strings.Repeat("words of a prompt ", 20)), buffer.Snapshot{})
	}
	s := in.Search("")
	for b.Loop() {
		press(s, "z")
		s.Lines(80, 10, theme.NoColor())
		press(s, "backspace")
	}
}

// TestWiden checks that a second Ctrl+R adds the inputs of other projects once, and keeps the place.
func TestWiden(t *testing.T) {
	t.Parallel()
	s := newPrompts("", "fix a", "fix b", "other").Search("fix")
	if a := press(s, "ctrl+r"); a != Changed || s.selected != 1 {
		t.Errorf("without a key for it: %v, %d", a, s.selected)
	}
	s = newPrompts("", "fix a", "fix b", "other").Search("fix")
	s.WidenKey = "Ctrl+R"
	press(s, "down")
	if a := press(s, "ctrl+r"); a != Widening || s.selected != 1 {
		t.Errorf("%v, %d", a, s.selected)
	}
	if a := press(s, "ctrl+r"); a != Changed || s.selected != 0 {
		t.Errorf("while it loads: %v, %d", a, s.selected)
	}
	press(s, "down")
	s.Widen([]Past{{"fix c", "site, 2d"}, {"fix a", "site, 3d"}, {"fix c", "old, 9d"}, {" ", "old, 9d"}, {"rest", "old, 9d"}})
	var texts []string
	for _, m := range s.found {
		texts = append(texts, m.text)
	}
	if got := strings.Join(texts, ","); got != "fix b,fix a,fix c" || s.selected != 1 {
		t.Errorf("%s, %d", got, s.selected)
	}
	if a := press(s, "ctrl+r"); a != Changed || s.selected != 2 {
		t.Errorf("the next one: %v, %d", a, s.selected)
	}
	lines := s.Lines(60, 10, theme.NoColor())
	if row := lines[2].String(); !strings.HasPrefix(row, "❯ fix c") || !strings.HasSuffix(row, "  site, 2d") || lines[2].Width() != 60 {
		t.Errorf("%q", row)
	}
	for width := range 80 {
		for _, l := range s.Lines(width, 10, theme.NoColor()) {
			if l.Width() > max(width, 0) {
				t.Errorf("%d columns: %q", width, l)
			}
		}
	}
}
