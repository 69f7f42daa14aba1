package composer

import (
	"strings"
	"testing"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/theme"
)

// TestClick checks where clicks move the cursor, and that two of them show and hide pasted text.
func TestClick(t *testing.T) {
	t.Parallel()
	var c Composer
	c.SetText("first\n中文 second")
	c.View(20, 10, theme.NoColor())
	for _, click := range []struct{ below, column, row, at int }{
		{-1, 4, 1, 4},
		{0, 2, 1, 2},
		{1, 4, 2, 4},
		{0, 19, 2, 13},
		{-1, 0, 1, 2},
		{-1, 5, 1, 2}, // above the text
		{2, 5, 1, 2},  // below it
	} {
		c.Click(click.below, click.column, false)
		if v := c.View(20, 10, theme.NoColor()); v.Cursor.Row != click.row || v.Cursor.Column != click.at {
			t.Errorf("%v: the cursor is at %v", click, v.Cursor)
		}
	}
	c.Clear()
	pasted := strings.Repeat("line\n", 7)
	c.Handle(keys.Paste{Text: pasted}, keys.Default("linux"))
	c.View(40, 10, theme.NoColor())
	for _, want := range []string{pasted, "[Pasted Text: 8 lines]"} {
		c.Click(0, 5, false)
		c.Click(0, 5, true)
		if c.Shown() != want {
			t.Errorf("%q, not %q", c.Shown(), want)
		}
		c.View(40, 10, theme.NoColor())
	}
}
