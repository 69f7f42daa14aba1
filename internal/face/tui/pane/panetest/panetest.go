// Package panetest is for the tests of panes: it presses keys in one, and reads it as text.
package panetest

import (
	"fmt"
	"strings"
	"testing"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/theme"
)

// Press types keys by their names, such as "down", and returns the effect of the last one. A name of no key is a text that is typed
// at once.
func Press(p pane.Pane, b *keys.Bindings, names ...string) (o pane.Outcome) {
	for _, name := range names {
		chord, err := keys.ParseChord(name)
		k := keys.Key{Chord: chord}
		switch {
		case err != nil, len(name) == 1:
			k.Text = name
		case name == "space":
			k.Text = " "
		}
		o = p.Handle(k, b)
	}
	return o
}

// Text returns a pane as text, without colors. It fails the test if the pane has more lines or columns than it was given.
func Text(t testing.TB, p pane.Pane, width, height int) string {
	t.Helper()
	return text(t, p.View(width, height, theme.NoColor()), width, height, false)
}

// TextWithCursor is [Text] with a note about the cursor behind its line.
func TextWithCursor(t testing.TB, p pane.Pane, width, height int) string {
	t.Helper()
	return text(t, p.View(width, height, theme.NoColor()), width, height, true)
}

func text(t testing.TB, v pane.View, width, height int, hasCursor bool) string {
	t.Helper()
	var b strings.Builder
	for i, l := range v.Lines {
		if l.Width() > width {
			t.Errorf("%q is wider than %d", l, width)
		}
		line := strings.TrimRight(l.String(), " ")
		if hasCursor && v.HasCursor && i == v.Cursor.Row {
			line += fmt.Sprintf("   <- cursor at %d", v.Cursor.Column)
		}
		b.WriteString(line + "\n")
	}
	if len(v.Lines) > height {
		t.Errorf("%d lines in %d", len(v.Lines), height)
	}
	return b.String()
}
