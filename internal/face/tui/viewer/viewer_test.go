package viewer

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pollux/internal/face/tui/theme"
	"pollux/internal/face/tui/viewer/rows"
)

// whole returns the text of all rows, and the index of the first row on the screen.
// check draws the viewer and compares the screen with the rows of the whole conversation.
// TestProperties does what users, models and terminals do, in any order.
// top returns the first row on the screen.
func TestFollow(t *testing.T) {
	t.Parallel()
	k := (&talk{}).prompt(lines(30))
	v := New(k.source(), Options{})
	grow := func(text, want string) {
		k.answer(text)
		v.Refresh()
		if got := screen(v, 40, 11); !strings.Contains(got, want) {
			t.Errorf("after %q:\n%s", text, got)
		}
	}
	if got := top(v, 40, 11); got != "line-020" {
		t.Errorf("the viewer opens at %q", got)
	}
	grow("new 1", "✦ new 1\nPrompt 1 of 1 · 100%")
	press(v, "k")
	grow("new 2", "line-021")
	grow("new 3", "line-021")
	press(v, "G")
	grow("new 4", "new 4")
	k.history = k.history[:1]
	v.Refresh()
	if got := top(v, 40, 11); got != "line-020" {
		t.Errorf("after a rewind: %q", got)
	}
	k.history = nil
	v.Refresh()
	if got := screen(v, 40, 3); got != "The conversation is empty.\n\n0% · q close · / search · c copy\n" {
		t.Errorf("an empty conversation is\n%s", got)
	}
	press(v, "j", "G", "g", "p", "P", "c", "y", "e", "n", "/", "a", "n", "enter", "tab")
	if v.Step() {
		t.Error("there is something to search")
	}
	grow("again", "✦ again")
}

// TestOpenCall checks that the result of a call appears when it comes.
func TestOpenCall(t *testing.T) {
	t.Parallel()
	k := (&talk{}).prompt("Go.").call("shell", "make", "{}", "the result", nil)
	history := k.history
	k.history = history[:2]
	v := New(k.source(), Options{})
	if got := screen(v, 60, 6); !strings.Contains(got, "o shell  → no result yet") {
		t.Errorf("a call without result is\n%s", got)
	}
	k.history = history
	v.Refresh()
	if got := screen(v, 60, 6); !strings.Contains(got, "✓ shell  make\n▌   the result") {
		t.Errorf("the call is\n%s", got)
	}
}

// TestResize checks that the text at the top stays there when the size changes.
func TestResize(t *testing.T) {
	t.Parallel()
	k := &talk{}
	for i := range 30 {
		k.prompt(fmt.Sprintf("prompt-%d", i)).answer(strings.Repeat(fmt.Sprintf("Some words of answer %d with more text. ", i), 20) + "\n\n```\n" + lines(20) + "```")
	}
	rapid.Check(t, func(t *rapid.T) {
		v := New(k.source(), Options{})
		v.View(80, 24, theme.NoColor())
		press(v, "g")
		v.scroll(rapid.IntRange(0, 900).Draw(t, "row"))
		v.View(80, 24, theme.NoColor())
		if v.atEnd {
			return
		}
		first := v.top
		text := v.sheet.row(v.top).Line.String()
		width := rapid.IntRange(20, 200).Draw(t, "width")
		v.View(width, 24, theme.NoColor())
		if v.top.item != first.item || v.top.piece != first.piece {
			t.Fatalf("the first row was %v and is %v", first, v.top)
		}
		word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
		if got := v.sheet.row(v.top).Line.String(); !strings.Contains(got, word) && word != "" {
			t.Fatalf("%q was the first row, and is %q", text, got)
		}
		v.View(rapid.IntRange(20, 200).Draw(t, "second width"), 24, theme.NoColor())
		v.View(80, 24, theme.NoColor())
		if v.top != first {
			t.Fatalf("the first row was %v and is %v", first, v.top)
		}
	})
}

// TestTarget checks which part of the screen the keys copy.
// TestBounded checks that only what is near the view is laid out.
func TestBounded(t *testing.T) {
	t.Parallel()
	opened := 0
	k := long(30_000)
	k.call("shell", "", "{}", strings.Repeat(numbered(100), 1000), nil)
	v := New(k.source(), Options{})
	count := func() (n int) {
		for _, g := range []map[int]kept[*rows.Document]{v.sheet.documents.newer, v.sheet.documents.older} {
			for _, d := range g {
				n += d.value.Size()
			}
		}
		for _, g := range []map[pieceKey]kept[[]rows.Row]{v.sheet.pieces.newer, v.sheet.pieces.older} {
			for _, k := range g {
				for _, r := range k.value {
					opened += len(r.Line)
				}
				n += len(k.value) * 60
			}
		}
		return n
	}
	v.View(120, 40, dark)
	if n := count(); n > 6<<20 {
		t.Errorf("at the end %d bytes are kept", n)
	}
	press(v, "g")
	for range 800 {
		press(v, " ")
	}
	if n := count(); n > 12<<20 || opened == 0 {
		t.Errorf("after 800 pages %d bytes are kept", n)
	}
	if v.top.item < 100 {
		t.Errorf("800 pages lead to %v", v.top)
	}
}

func TestNarrow(t *testing.T) {
	t.Parallel()
	v := New(sample().source(), Options{})
	for _, size := range [][2]int{{1, 1}, {0, 0}, {-1, -1}, {2, 1}, {1, 2}, {3, 3}} {
		got := v.View(size[0], size[1], dark)
		if len(got.Lines) != max(size[1], 1) {
			t.Errorf("%v has %d lines", size, len(got.Lines))
		}
		press(v, "/", "p", "n")
		if got := v.View(size[0], size[1], dark); got.HasCursor != (size[1] > 1) {
			t.Errorf("%v: the cursor is shown: %t", size, got.HasCursor)
		}
		press(v, "escape")
	}
}
