package viewer

import (
	"fmt"
	"strings"
	"testing"

	"pollux/internal/face/tui/golden"
)

// TestGolden compares screens with their golden files, in several sizes.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, size := range []struct{ width, height int }{{40, 12}, {80, 24}, {160, 50}} {
		v := New(sample().source(), Options{})
		var b strings.Builder
		show := func(title string) {
			fmt.Fprintf(&b, "---- %s\n%s", title, screen(v, size.width, size.height))
		}
		show("at the end")
		press(v, "b")
		show("a page before")
		press(v, "home")
		show("at the beginning")
		press(v, "P")
		show("the second prompt")
		press(v, "g", "/", "p", "a", "r", "s", "e", "r")
		for v.Step() {
		}
		show("typing a search")
		press(v, "enter", "n", "n")
		show("the third match")
		press(v, "c")
		show("copied")
		golden.Check(t, fmt.Sprintf("screens.%dx%d.txt", size.width, size.height), b.String())
	}
}
