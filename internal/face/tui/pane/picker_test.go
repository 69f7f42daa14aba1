package pane

import (
	"slices"
	"strings"
	"testing"

	"pollux/internal/face/tui/choice"
	"pollux/internal/face/tui/keys"
)

func keyOf(name string) keys.Key {
	chord, err := keys.ParseChord(name)
	k := keys.Key{Chord: chord}
	if err != nil || len([]rune(name)) == 1 {
		k.Text = name
	}
	if name == "space" {
		k.Text = " "
	}
	return k
}

// press types keys by their names, and returns the effect of the last one.
func press(p *Picker, names ...string) (a choice.Action) {
	for _, name := range names {
		a = p.Handle(keyOf(name), keys.Default("linux"))
	}
	return a
}

func fruit() []Row {
	return []Row{
		{Label: "Apple", Detail: "red"},
		{Label: "Banana", Detail: "yellow", Also: "plantain"},
		{Label: "Cherry", WhyNot: "not ripe"},
		{Label: "Date"},
		{Label: "Elderberry of the whole northern hemisphere", Detail: "a long detail about this fruit"},
	}
}

func TestHandle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys     string
		action   choice.Action
		selected int
		search   string
	}{
		{"", choice.Ignored, 0, ""},
		{"enter", choice.Chosen, 0, ""},
		{"down", choice.Changed, 1, ""},
		{"down down", choice.Changed, 3, ""},
		{"up", choice.Changed, 4, ""},
		{"end", choice.Changed, 4, ""},
		{"end home", choice.Changed, 0, ""},
		{"d a t", choice.Changed, 3, "dat"},
		{"p l a n t", choice.Changed, 1, "plant"},
		{"j", choice.Changed, -1, "j"},
		{"k", choice.Changed, -1, "k"},
		{"a p home x", choice.Changed, -1, "xap"},
		{"a p left x", choice.Changed, -1, "axp"},
		{"1", choice.Changed, -1, "1"},
		{"z enter", choice.Ignored, -1, "z"},
		{"escape", choice.Canceled, 0, ""},
		{"z escape", choice.Changed, 0, ""},
		{"z escape escape", choice.Canceled, 0, ""},
		{"d a t escape", choice.Changed, 3, ""},
		{"d a t backspace backspace backspace", choice.Changed, 3, ""},
		{"down x y escape", choice.Changed, 1, ""},
		{"space", choice.Changed, 0, ""},
		{"e b space d", choice.Changed, 4, "eb d"},
		{"f12", choice.Ignored, 0, ""},
		{"tab", choice.Ignored, 0, ""},
	} {
		p := NewPicker("Fruit", fruit())
		if a := press(p, strings.Fields(c.keys)...); a != c.action || p.Selected() != c.selected || p.Search() != c.search {
			t.Errorf("%s: %v, %d, %q", c.keys, a, p.Selected(), p.Search())
		}
	}
	p := NewPicker("Fruit", fruit())
	if a := p.Handle(keys.Paste{Text: "Dat\n"}, keys.Default("linux")); a != choice.Changed || p.Selected() != 3 {
		t.Error(a, p.Selected())
	}
	if a := p.Handle(keys.Focus{}, keys.Default("linux")); a != choice.Ignored {
		t.Error(a)
	}
}

// TestOrder checks that the best match is the first one, and that a long search is one text.
func TestOrder(t *testing.T) {
	t.Parallel()
	p := NewPicker("", []Row{{Label: "gemini-2.5-flash-lite"}, {Label: "gemini-2.5-flash"}, {Label: "openai/flashy"}, {Label: strings.Repeat("a ", 20) + "b"}})
	press(p, "f", "l", "a", "s", "h")
	if !slices.Equal(p.found, []int{2, 1, 0}) {
		t.Error(p.found)
	}
	press(p, "space", "2", "5")
	if !slices.Equal(p.found, []int{1, 0}) {
		t.Error(p.found)
	}
	press(p, "escape")
	p.Handle(keys.Paste{Text: strings.Repeat("a ", 20)}, keys.Default("linux"))
	if !slices.Equal(p.found, []int{3}) {
		t.Error(p.found)
	}
	press(p, "escape")
	p.Handle(keys.Paste{Text: strings.Repeat("b a ", 20)}, keys.Default("linux"))
	if len(p.found) > 0 {
		t.Error(p.found)
	}
}

func TestSetRows(t *testing.T) {
	t.Parallel()
	p := NewPicker("Fruit", fruit())
	press(p, "down")
	p.SetRows(fruit()[1:])
	if p.Selected() != 0 {
		t.Error(p.Selected())
	}
	p.SetRows([]Row{{Label: "Cherry", WhyNot: "no"}, {Label: "Fig"}})
	if p.Selected() != 1 {
		t.Error(p.Selected())
	}
	p.SetRows(fruit())
	press(p, "home", "down", "down")
	if p.SetRows(append(fruit()[:3], Row{Label: "Fig"}, Row{Label: "Grape"})); p.Selected() != 0 {
		t.Error(p.Selected())
	}
	p.SetRows(nil)
	if p.Selected() != -1 || press(p, "enter") != choice.Ignored {
		t.Error(p.Selected())
	}
	rows := fruit()
	p.SetRows(rows)
	press(p, "e", "r", "b")
	p.SetRows(append([]Row{{Label: "Erb"}}, rows...))
	if p.Selected() != 5 || !slices.Equal(p.found, []int{0, 5}) || rows[0].Label != "Apple" {
		t.Error(p.Selected(), p.found)
	}
}
