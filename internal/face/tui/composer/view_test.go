package composer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pollux/internal/face/tui/golden"
	"pollux/internal/face/tui/history"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/face/tui/vim"
)

func keyOf(text string) keys.Key {
	return keys.Key{Text: text, Chord: keys.Chord{Code: []rune(text)[0]}}
}

func texts(lines []styled.Line) (all []string) {
	for _, l := range lines {
		all = append(all, l.String())
	}
	return all
}

// screen returns the lines of a view, with "▮" at the cursor.
func screen(v View) string {
	var b strings.Builder
	for i, l := range v.Lines {
		if i == v.Cursor.Row {
			if missing := v.Cursor.Column - l.Width(); missing > 0 {
				l = append(slices.Clip(l), styled.Span{Text: strings.Repeat(" ", missing)})
			}
			head, tail := l.Split(v.Cursor.Column)
			l = append(append(slices.Clip(head), styled.Span{Text: "▮"}), tail...)
		}
		b.WriteString(l.String() + "\n")
	}
	return b.String()
}

var long = strings.Repeat("All work and no play makes the agent a dull one. ", 3)

// scene is a golden screen.
type scene struct {
	mode   Mode
	isAway bool
	hasVim bool
	text   string
	keys   string
	height int
}

// open returns a composer for the scene.
func (s scene) open() *Composer {
	c := &Composer{Mode: s.mode, IsAway: s.isAway, Prompts: history.Prompts(manyPrompts)}
	if s.hasVim {
		c.Vim = &vim.Mode{}
	}
	return c
}

var scenes = map[string]scene{
	"empty":       {height: 24},
	"insert":      {hasVim: true, height: 24},
	"normal":      {hasVim: true, keys: "escape", height: 24},
	"shell":       {keys: "!", height: 24},
	"command":     {keys: "! l s _ - l", height: 24},
	"yolo":        {mode: Yolo, text: "delete it", height: 24},
	"plan":        {mode: Plan, isAway: true, text: "think", height: 24},
	"lines":       {text: "one\n\n\ttwo\nthree", keys: "up home", height: 24},
	"tokens":      {text: "/plan see @src/main.go and [Image shot.png]", height: 24},
	"long":        {text: long, height: 24},
	"wide":        {text: strings.Repeat("漢字", 50) + strings.Repeat("🇩🇪", 50), height: 24},
	"tall":        {text: strings.Repeat("line\n", 30), keys: "up up", height: 24},
	"paste":       {text: "see ", keys: "»" + strings.Repeat("x", 600), height: 24},
	"suggestions": {keys: "@ s", height: 24},
	"crowded":     {text: strings.Repeat("line\n", 30), keys: "@ s", height: 8},
	"search":      {keys: "ctrl+r 1", height: 24},
	"no_match":    {keys: "ctrl+r x", height: 24},
	"two_rows":    {text: "one\ntwo\nthree ", keys: "@ s", height: 2},
	"one_row":     {text: "one\ntwo\nthree", keys: "up", height: 1},
}

func manyPrompts() (texts []string) {
	for i := range 30 {
		texts = append(texts, fmt.Sprintf("prompt %d of the last session", i))
	}
	return texts
}

func TestScreens(t *testing.T) {
	t.Parallel()
	for name, scene := range scenes {
		for _, width := range []int{40, 80, 160} {
			p := newTypist(scene.open())
			p.View(width, scene.height, theme.NoColor())
			p.InsertText(scene.text)
			p.View(width, scene.height, theme.NoColor())
			p.pressEach(scene.keys)
			golden.Check(t, fmt.Sprintf("%s_%d"+".golden", name, width), screen(p.View(width, scene.height, theme.NoColor())))
		}
	}
}

func TestColors(t *testing.T) {
	t.Parallel()
	dark, _ := theme.Lookup(theme.DefaultDark)
	dark.Colors.Input = nil // the box has no background
	plain := theme.NoColor()
	for _, c := range []struct {
		composer     Composer
		isShell      bool
		theme        theme.Theme
		prefix, rule styled.Style
	}{
		{Composer{}, false, dark, dark.Accent(), dark.Focus()},
		{Composer{IsAway: true}, false, dark, dark.Accent(), dark.Border()},
		{Composer{Mode: AutoEdit}, false, dark, dark.Warning(), dark.Warning()},
		{Composer{Mode: Plan}, false, dark, dark.Success(), dark.Success()},
		{Composer{Mode: Yolo}, false, dark, dark.Error(), dark.Error()},
		{Composer{Mode: Yolo}, true, dark, dark.Symbol(), dark.Symbol()},
		{Composer{Mode: Yolo, IsAway: true}, false, dark, dark.Error(), dark.Border()},
		{Composer{}, false, plain, plain.Accent(), plain.Border()},
		{Composer{Mode: Yolo}, false, plain, plain.Error(), plain.Border()},
	} {
		c.composer.isShell = c.isShell
		v := c.composer.View(40, 24, c.theme)
		if rule := v.Lines[0][0].Style; !rule.Equal(&c.rule) || !v.Lines[2][0].Style.Equal(&c.rule) {
			t.Errorf("%+v: rule %+v", c.composer.Mode, rule)
		}
		if prefix := v.Lines[1][0].Style; !prefix.Equal(&c.prefix) {
			t.Errorf("%+v: prefix %+v", c.composer.Mode, prefix)
		}
	}
	p := newTypist(&Composer{})
	p.press("»" + strings.Repeat("x", 600))
	p.InsertText(" @a")
	var accents []string
	for _, s := range p.View(80, 24, dark).Lines[1][1:] {
		if accent := dark.Accent(); s.Style.Equal(&accent) {
			accents = append(accents, s.Text)
		}
	}
	if !slices.Equal(accents, []string{"[Pasted Text: 600 chars]", "@a"}) {
		t.Errorf("%q", accents)
	}
}

// checkView checks that a view fits and that the cursor is in the text.
func checkView(c *Composer, width, height int) (View, error) {
	v := c.View(width, height, theme.NoColor())
	if n := len(v.Lines); n < 1 || n > max(height, 1) {
		return v, fmt.Errorf("%d lines", n)
	}
	for _, l := range v.Lines {
		if l.Width() > max(width, 1) {
			return v, fmt.Errorf("%q is too wide", l)
		}
		for _, s := range l {
			if strings.ContainsAny(s.Text, "\n\t\x1b") {
				return v, fmt.Errorf("%q is not clean", l)
			}
		}
	}
	if v.Cursor.Row < 0 || v.Cursor.Row >= len(v.Lines) || v.Cursor.Column < 0 || v.Cursor.Column >= max(width, 1) {
		return v, fmt.Errorf("cursor at %v", v.Cursor)
	}
	if width > 1 && strings.HasPrefix(v.Lines[v.Cursor.Row].String(), "──") {
		return v, fmt.Errorf("cursor at %v, on a rule", v.Cursor)
	}
	return v, nil
}

// TestNarrow checks that all text is visible without room for the prefix.
func TestNarrow(t *testing.T) {
	t.Parallel()
	c := &Composer{}
	c.InsertText("abcdef")
	for width, want := range map[int][]string{3: {"abc", "def", ""}, 4: {"> ab", "  cd", "  ef"}, 5: {"> abc", "  def", ""}} {
		got := texts(c.View(width, 24, theme.NoColor()).Lines)
		if got = got[1 : len(got)-1]; !slices.Equal(got[:3], want) {
			t.Errorf("%d: %q", width, got)
		}
	}
}

// TestSizes draws all scenes in all small sizes.
func TestSizes(t *testing.T) {
	t.Parallel()
	for name, scene := range scenes {
		p := newTypist(scene.open())
		p.InsertText(scene.text)
		p.pressEach(scene.keys)
		for width := range 24 {
			for height := range 14 {
				if v, err := checkView(p.Composer, width, height); err != nil {
					t.Errorf("%s, %d × %d: %v\n%s", name, width, height, err, screen(v))
				}
			}
		}
	}
}

// TestAnyKeys types at random in terminals of all sizes. What is drawn fits, and no text is lost: it is in the input,
// or undo brings it back.
func TestAnyKeys(t *testing.T) {
	t.Parallel()
	all := strings.Fields(`a b _ 世 🇩🇪 👩‍👩‍👧 é @ s / ! ? \ enter ctrl+j tab escape up down left right home end backspace delete ctrl+w ctrl+u
		ctrl+k alt+z alt+shift+z ctrl+p ctrl+n ctrl+r ctrl+o ctrl+x ctrl+e ctrl+g shift+tab ctrl+c »one_two »/a/b ctrl+d`)
	rapid.Check(t, func(t *rapid.T) {
		c := &Composer{Help: someHelp, IsBusy: rapid.Bool().Draw(t, "busy"), HasQueue: rapid.Bool().Draw(t, "queue")}
		c.Prompts = history.Prompts(manyPrompts)
		p := newTypist(c)
		width, height := rapid.IntRange(1, 30).Draw(t, "width"), rapid.IntRange(1, 14).Draw(t, "height")
		for _, key := range rapid.SliceOf(rapid.SampledFrom(all)).Draw(t, "keys") {
			before := c.Value()
			o := p.press(key)
			if rapid.Bool().Draw(t, "answer") {
				p.answer()
			}
			switch o := o.(type) {
			case Submitted:
				if !c.IsEmpty() || c.IsSearching() || strings.TrimSpace(o.Text) == "" || before == "" && o.Text == "" {
					t.Fatalf("%s: %+v", key, o)
				}
				c.SetDraft(o.Draft)
				if c.Value() != o.Text {
					t.Fatalf("%q is not %q", c.Value(), o.Text)
				}
			case Ignored, QueueWanted, Canceled:
				if c.Value() != before {
					t.Fatalf("%s: %T, but %q became %q", key, o, before, c.Value())
				}
			}
			if v, err := checkView(c, width, height); err != nil {
				t.Fatalf("%s: %v\n%s", key, err, screen(v))
			}
		}
	})
}

func BenchmarkKey(b *testing.B) {
	for name, text := range map[string]string{"lines": strings.Repeat(long+"\n", 70), "one line": strings.Repeat(long, 70), "path": strings.Repeat(long, 70) + "@a"} {
		b.Run(name, func(b *testing.B) {
			p := newTypist(&Composer{})
			p.InsertText(text)
			p.View(80, 24, theme.NoColor())
			for i := 0; b.Loop(); i++ {
				p.Handle(keyOf("abcde"[i%5:i%5+1]), p.bindings)
				p.Wanted()
				p.View(80, 24, theme.NoColor())
			}
		})
	}
}

func BenchmarkView(b *testing.B) {
	p := newTypist(&Composer{})
	p.InsertText(strings.Repeat(long+"\n", 70))
	for b.Loop() {
		p.View(80, 24, theme.NoColor())
	}
}

// TestShade checks that the box has its background in every column, and that its rows have no other text than without one.
func TestShade(t *testing.T) {
	t.Parallel()
	dark, _ := theme.Lookup(theme.DefaultDark)
	p := newTypist(&Composer{})
	p.InsertText("one\ntwo @a")
	v := p.View(20, 24, dark)
	if v.Lines[0].String() != strings.Repeat("▄", 20) || v.Lines[3].String() != strings.Repeat("▀", 20) || v.Lines[0][0].Style.Fg != dark.Input().Bg {
		t.Errorf("%q", v.Lines)
	}
	for i, want := range map[int]string{1: "> one", 2: "  two @a"} {
		line := v.Lines[i]
		for _, s := range line {
			if s.Style.Bg != dark.Input().Bg {
				t.Errorf("%+v", s)
			}
		}
		if line.Width() != 20 || strings.TrimRight(line.String(), " ") != want {
			t.Errorf("%q", line)
		}
	}
}
