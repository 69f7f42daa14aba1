package choice

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
)

func items(labels ...string) (list []Item) {
	for _, l := range labels {
		label, whyNot, _ := strings.Cut(l, "!")
		list = append(list, Item{Label: label, WhyNot: whyNot})
	}
	return list
}

// press types keys by their names, such as "down", and returns the effect of the last one.
func press(t *testing.T, l *List, names ...string) (a Action) {
	t.Helper()
	for _, name := range names {
		chord, err := keys.ParseChord(name)
		if err != nil {
			t.Fatal(err)
		}
		k := keys.Key{Chord: chord}
		if len(name) == 1 {
			k.Text = name
		}
		a = l.Handle(k, keys.Default("linux"))
	}
	return a
}

func TestHandle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		labels, keys string
		action       Action
		selected     int
	}{
		{"a b c", "enter", Chosen, 0},
		{"a b c", "down", Changed, 1},
		{"a b c", "j j", Changed, 2},
		{"a b c", "down down down", Changed, 0},
		{"a b c", "up", Changed, 2},
		{"a b c", "k k", Changed, 1},
		{"a b c", "2", Chosen, 1},
		{"a b c", "4", Changed, 0},
		{"a b c", "0", Changed, 0},
		{"a b c", "escape", Canceled, 0},
		{"a b c", "x", Ignored, 0},
		{"a b c", "end", Changed, 2},
		{"a b c", "end home", Changed, 0},
		{"a b c", "pagedown", Changed, 2},
		{"a b c", "end pageup", Changed, 0},
		{"a!no b c!no d", "enter", Chosen, 1},
		{"a!no b c!no d", "down", Changed, 3},
		{"a!no b c!no d", "down down", Changed, 1},
		{"a!no b c!no d", "3", Changed, 1},
		{"a!no b c!no d", "home", Changed, 1},
		{"a b!no", "end", Changed, 0},
		{"a b c!no", "pagedown", Changed, 1},
		{"a!no b!no", "down enter", Ignored, 0},
		{"", "down", Changed, -1},
		{"", "enter", Ignored, -1},
		{"", "1", Changed, -1},
		{"", "end", Changed, -1},
	} {
		l := New(items(strings.Fields(c.labels)...))
		if a := press(t, l, strings.Fields(c.keys)...); a != c.action || l.Selected() != c.selected {
			t.Errorf("%q, %s: action %d, item %d", c.labels, c.keys, a, l.Selected())
		}
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	if l := New(items(strings.Fields(strings.Repeat("x ", 20))...)); press(t, l, "2") != Changed {
		t.Error("2 of 20 items is chosen before 20 can be typed")
	}
	l := New(items(strings.Fields(strings.Repeat("x ", 25))...))
	if a := press(t, l, "2"); a != Changed || !l.IsWaiting() || l.Selected() != 1 {
		t.Errorf("2: %d, item %d", a, l.Selected())
	}
	if a := press(t, l, "3"); a != Chosen || l.IsWaiting() || l.Selected() != 22 {
		t.Errorf("23: %d, item %d", a, l.Selected())
	}
	press(t, l, "1")
	if a := l.Expire(); a != Chosen || l.Selected() != 0 || l.IsWaiting() {
		t.Errorf("1 and no more: %d, item %d", a, l.Selected())
	}
	if a := l.Expire(); a != Ignored {
		t.Errorf("nothing typed: %d", a)
	}
	if a := press(t, l, "2", "down", "5"); a != Chosen || l.Selected() != 4 {
		t.Errorf("a key between digits: %d, item %d", a, l.Selected())
	}
	l.HasNumbers = false
	if a := press(t, l, "2"); a != Ignored {
		t.Errorf("a list without numbers: %d", a)
	}
	if l.Select(7); l.Selected() != 7 {
		t.Errorf("item %d", l.Selected())
	}
	if l.Select(25); l.Selected() != 7 {
		t.Errorf("item %d", l.Selected())
	}
}

// TestOwnNumbers checks that items keep their numbers where one is missing.
func TestOwnNumbers(t *testing.T) {
	t.Parallel()
	list := []Item{{Label: "once", Number: 1}, {Label: "edit", Number: 3}, {Label: "no", Number: 4}, {Label: "more", Number: 12}}
	l := New(list)
	if got := texts(l.Lines(80, 9, theme.NoColor())); !slices.Equal(got, []string{"❯  1. once", "   3. edit", "   4. no", "  12. more"}) {
		t.Errorf("%q", got)
	}
	if a := press(t, l, "4"); a != Chosen || l.Selected() != 2 {
		t.Errorf("4: %d, item %d", a, l.Selected())
	}
	if a := press(t, l, "2"); a != Changed || l.IsWaiting() || l.Selected() != 2 {
		t.Errorf("2: %d, item %d", a, l.Selected())
	}
	if a := press(t, l, "1", "2"); a != Chosen || l.Selected() != 3 {
		t.Errorf("12: %d, item %d", a, l.Selected())
	}
	l = New([]Item{{Label: "eleven", Number: 11}})
	if a := press(t, l, "1"); a != Changed || !l.IsWaiting() || l.Expire() != Ignored || l.IsWaiting() {
		t.Errorf("1 of 11: %d", a)
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
	l := New([]Item{{Label: "Allow once"}, {Label: "Allow", Detail: "saved"}, {Label: "Edit", WhyNot: "no editor"}})
	if got, want := texts(l.Lines(80, 5, plain)), []string{"❯ 1. Allow once", "  2. Allow  saved", "  3. Edit  no editor"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got, want := texts(l.Lines(12, 9, plain)), []string{"❯ 1. Allow", "     once", "  2. Allow", "     saved", "  3. Edit", "     no", "     editor"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	ten := New(items(strings.Fields("a b c d e f g h i j")...))
	for _, c := range []struct {
		selected int
		want     []string
	}{
		{0, []string{"❯  1. a", "   2. b", "   3. c", "(1/10)"}},
		{4, []string{"   3. c", "   4. d", "❯  5. e", "(5/10)"}},
		{3, []string{"   3. c", "❯  4. d", "   5. e", "(4/10)"}},
		{9, []string{"   8. h", "   9. i", "❯ 10. j", "(10/10)"}},
	} {
		ten.Select(c.selected)
		if got := texts(ten.Lines(80, 4, plain)); !slices.Equal(got, c.want) {
			t.Errorf("item %d: %q", c.selected, got)
		}
	}
	if got := texts(ten.Lines(80, 6, plain)); !slices.Equal(got, []string{"   6. f", "   7. g", "   8. h", "   9. i", "❯ 10. j", "(10/10)"}) {
		t.Errorf("with more room: %q", got)
	}
	if got := texts(l.Lines(8, 2, plain)); !slices.Equal(got, []string{"❯ 1.", "(1/3)"}) {
		t.Errorf("in 8 columns: %q", got)
	}
	if got := texts(New(items("one two")).Lines(6, 5, plain)); !slices.Equal(got, []string{"❯ 1.", "one", "two"}) {
		t.Errorf("in 6 columns: %q", got)
	}
	if got := texts(ten.Lines(80, 20, plain)); len(got) != 10 {
		t.Errorf("%q", got)
	}
	if got := New(nil).Lines(80, 5, plain); got != nil {
		t.Errorf("an empty list: %q", texts(got))
	}
}

// TestFits checks that lists of all sizes keep to their room and show the selected item.
func TestFits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var list []Item
		for i := range rapid.IntRange(1, 15).Draw(t, "items") {
			list = append(list, Item{Label: fmt.Sprintf("item%d", i), Detail: rapid.StringOfN(rapid.SampledFrom([]rune("ab 中")), 0, 30, -1).Draw(t, "detail")})
		}
		l := New(list)
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			l.Select(rapid.IntRange(0, len(list)-1).Draw(t, "selected"))
			width, height := rapid.IntRange(12, 60).Draw(t, "width"), rapid.IntRange(1, 20).Draw(t, "height")
			lines := l.Lines(width, height, theme.NoColor())
			if len(lines) > height {
				t.Fatalf("%d lines in %d rows", len(lines), height)
			}
			isShown := false
			for _, line := range lines {
				isShown = isShown || strings.HasPrefix(line.String(), "❯")
				if line.Width() > width {
					t.Fatalf("%q is wider than %d", line, width)
				}
			}
			if !isShown {
				t.Fatalf("the selected item is hidden: %q", texts(lines))
			}
		}
	})
}
