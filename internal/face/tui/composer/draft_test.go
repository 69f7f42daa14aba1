package composer

import (
	"slices"
	"strings"
	"testing"

	"pollux/internal/face/tui/buffer"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/theme"
)

func TestPastes(t *testing.T) {
	t.Parallel()
	p := newTypist(&Composer{})
	text := strings.Repeat("one line of many\n", 1<<20/4) // 4 MB
	if o := p.Handle(keys.Paste{Text: text, At: p.now}, p.bindings); told(o) != "Collapsed" || p.Shown() != "[Pasted Text: 262145 lines]" {
		t.Errorf("%s: %q", told(o), p.Shown())
	}
	if o := p.press("ctrl+o"); told(o) != "Changed" || p.Shown() != text {
		t.Errorf("%s: %d bytes", told(o), len(p.Shown()))
	}
	if v := p.View(80, 24, theme.NoColor()); len(v.Lines) != 12 || v.Cursor.Row != 10 {
		t.Errorf("%d lines, cursor at %v", len(v.Lines), v.Cursor)
	}
	if o := p.press("ctrl+o x"); told(o) != "Changed" || p.Shown() != "[Pasted Text: 262145 lines]x" {
		t.Errorf("%s: %.100q", told(o), p.Shown())
	}
	o, _ := p.press("enter").(Submitted)
	if o.Text != text+"x" || o.Escaped != o.Text {
		t.Errorf("%d bytes", len(o.Text))
	}
	if p.press("up"); p.state() != "|[Pasted Text: 262145 lines]x" || p.Value() != o.Text {
		t.Errorf("%.100q", p.state())
	}
}

func TestEscapedPaste(t *testing.T) {
	t.Parallel()
	p := newTypist(&Composer{})
	p.Field().EscapeAt = true
	p.press("@ a _ »@b")
	if o, _ := p.press("enter").(Submitted); o.Text != "@a @b" || o.Escaped != `@a \@b` {
		t.Errorf("%+v", o)
	}
}

func TestDrop(t *testing.T) {
	t.Parallel()
	p := newTypist(&Composer{Drop: func(pasted string) (string, bool) { return "@" + pasted + " ", strings.HasPrefix(pasted, "/") }})
	p.press("a »/x »y »/z")
	if p.state() != "a @/x y @/z |" {
		t.Errorf("%q", p.state())
	}
	p.Clear()
	if p.press("! c »/x"); p.state() != "!c/x|" { // a command takes paths
		t.Errorf("%q", p.state())
	}
}

// TestInsertFile checks that a file is shown as a label, and sent as a mention.
func TestInsertFile(t *testing.T) {
	t.Parallel()
	c := &Composer{}
	c.Field().EscapeAt = true
	p := newTypist(c)
	p.press("a")
	c.InsertFile("[Image x.png]", "@dir/x.png")
	c.InsertFile("[Image x.png]", "@dir/y.png")
	if p.state() != "a [Image x.png] [Image x.png #2] |" || p.Value() != "a @dir/x.png @dir/y.png " {
		t.Errorf("%q, %q", p.state(), p.Value())
	}
	p.press("left ctrl+o")
	if p.state() != "a [Image x.png] @dir/y.png| " {
		t.Errorf("%q", p.state())
	}
	if o, ok := p.press("enter").(Submitted); !ok || o.Escaped != "a @dir/x.png @dir/y.png " {
		t.Errorf("%+v", o)
	}
}

func TestDrafts(t *testing.T) {
	t.Parallel()
	p := newTypist(&Composer{})
	p.press("! l s left")
	d := p.Draft()
	p.Clear()
	if p.press("! a"); p.state() != "a|" || d.Text != "ls" || !d.IsShell {
		t.Errorf("%q, %+v", p.state(), d)
	}
	if p.SetDraft(d); p.state() != "!l|s" {
		t.Errorf("%q", p.state())
	}
	if p.SetDraft(Draft{Text: "x"}); p.state() != "x|" {
		t.Errorf("%q", p.state())
	}
	if p.press("alt+z"); p.state() != "l|s" {
		t.Errorf("%q", p.state())
	}
	p.SetDraft(Draft{})
	p.press("»" + strings.Repeat("x", 600))
	o := p.press("enter").(Submitted)
	if p.SetDraft(o.Draft); p.Shown() != "[Pasted Text: 600 chars]" || p.Value() != o.Text {
		t.Errorf("%q", p.Shown())
	}
	p.Clear()
	if p.press("alt+z"); p.Shown() != "[Pasted Text: 600 chars]" {
		t.Errorf("Clear cannot be undone: %q", p.Shown())
	}
}

func TestEdited(t *testing.T) {
	t.Parallel()
	p := newTypist(&Composer{})
	long := strings.Repeat("x", 600)
	p.press("a »" + long)
	o := p.press("ctrl+g").(EditorWanted)
	if p.Collapse("b" + o.Text); p.state() != "ba[Pasted Text: 600 chars]|" {
		t.Errorf("%q", p.state())
	}
	if p.press("alt+z"); p.state() != "a[Pasted Text: 600 chars]|" {
		t.Errorf("%q", p.state())
	}
}

func TestInsert(t *testing.T) {
	t.Parallel()
	p := newTypist(&Composer{Help: someHelp})
	for _, e := range []keys.Event{keys.Key{Text: "!"}, keys.Key{Text: "?"}, keys.Paste{Text: "x"}, keys.Key{Chord: keys.Chord{Code: keys.Up}}, keys.Focus{}} {
		p.Insert(e)
	}
	if p.InsertText("y"); p.state() != "!?xy|" || p.IsShell() {
		t.Errorf("%q", p.state())
	}
}

func TestRestore(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 600)
	for _, c := range []struct {
		keys, restored, then, state string
	}{
		{"", "one", "", "one|"},
		{"a b left", "one", "", "one\n\na|b"},
		{"", "one two", "", "one\n\ntwo|"},
		{"a b left", "one two three", "", "one\n\ntwo\n\nthree\n\na|b"},
		{"a", "one two", "alt+z alt+z", "a|"},
		{"!", "one", "", "one|"},
		{"! l s", "one two", "", "!ls|"},
		{"! l s", "one two", "enter", "one\n\ntwo|"},
		{"! l s", "one", "escape", "one\n\nls|"},
		{"/ s", "one two", "", "/s|"},
		{"/ s", "one two", "enter", "one\n\ntwo|"},
		{"/ s", "one two", "ctrl+u", "|"},
		{"/ /", "one", "", "one\n\n//|"},
		{"", "/compress one two", "", "/compress|"},
		{"", "/compress one two", "enter", "one\n\ntwo|"},
		{"", "one /compress two", "", "one|"},
		{"", "one /compress two", "enter", "/compress|"},
		{"", "one /compress two", "enter enter", "two|"},
		{"a", "/compress one", "", "a|"},
		{"a", "/compress one", "enter enter", "one|"},
		{"! l s", "/compress one", "enter", "/compress|"},
		{"»" + long + " enter", long, "", "[Pasted Text: 600 chars]|"},
		{"»" + long + " enter", long, "backspace", "|"},
	} {
		p := newTypist(&Composer{})
		p.press(c.keys)
		for text := range strings.FieldsSeq(c.restored) {
			p.Restore(text)
		}
		if p.press(c.then); p.state() != c.state {
			t.Errorf("%s, %s: %q", c.keys, c.then, p.state())
		}
	}
	p := newTypist(&Composer{})
	p.Restore("one")
	p.press("a")
	if p.Restore("two"); p.state() != "two\n\nonea|" {
		t.Errorf("%q", p.state())
	}
	p.SetDraft(Draft{Text: "ls", IsShell: true})
	p.Restore("three")
	if p.Clear(); p.state() != "three|" {
		t.Errorf("%q", p.state())
	}
	p.SetDraft(Draft{Text: "/clear"})
	for _, text := range []string{"four", "five", "/stats"} {
		p.Restore(text)
	}
	if p.Refuse(p.send().Draft); p.state() != "/clear|" || !slices.Equal(p.Held(), []string{"four\n\nfive", "/stats"}) {
		t.Errorf("%q, %q", p.state(), p.Held())
	}
}

func TestField(t *testing.T) {
	t.Parallel()
	p := newTypist(&Composer{})
	p.Field().Insert("a\nb")
	if p.Field().Replace(buffer.Range{}, "x"); p.state() != "x|a\nb" {
		t.Errorf("%q", p.state())
	}
}
