package viewer

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pollux/internal/face/tui/theme"
)

func whole(v *Viewer) (all []string, top int) {
	if v.sheet.isEmpty() {
		return nil, 0
	}
	for p, ok := (place{}), true; ok; p, ok = v.sheet.next(p) {
		if p == v.top {
			top = len(all)
		}
		all = append(all, v.sheet.row(p).Line.String())
	}
	return all, top
}

func check(t *rapid.T, v *Viewer, width, height int) {
	view := v.View(width, height, theme.NoColor())
	if len(view.Lines) != height {
		t.Fatalf("%d lines in %d rows", len(view.Lines), height)
	}
	for _, l := range view.Lines {
		if n := l.Width(); n > width && !(width == 1 && n == 2) {
			t.Fatalf("%q is wider than %d", l, width)
		}
	}
	if view.HasCursor && (view.Cursor.Row != height-1 || view.Cursor.Column >= width) {
		t.Fatalf("the cursor is at %v", view.Cursor)
	}
	all, top := whole(v)
	rowCount := max(height-1, 1)
	if top+rowCount > len(all) && top > 0 {
		t.Fatalf("the screen begins at row %d of %d", top, len(all))
	}
	if isEnd := top+rowCount >= len(all); isEnd != v.atEnd || isEnd != v.follows {
		t.Fatalf("the end is on the screen: %t, noted: %t, followed: %t", isEnd, v.atEnd, v.follows)
	}
	for i := range min(rowCount, len(all)-top) {
		if got := view.Lines[i].String(); !strings.HasSuffix(got, all[top+i]) {
			t.Fatalf("row %d is %q, not %q", i, got, all[top+i])
		}
	}
	if len(all) > 0 && len(v.codes()) > 0 != strings.Contains(fmt.Sprint(view.Lines), "code") && !v.target().isSet {
		t.Fatal("nothing can be copied")
	}
}

func TestProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		k := &talk{}
		v := New(k.source(), Options{})
		width, height := 80, 24
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"key", "key", "key", "grow", "resize", "step", "rewind"}).Draw(t, "step") {
			case "key":
				press(v, rapid.SampledFrom([]string{
					"j", "k", "g", "G", " ", "b", "p", "P", "/", "n", "N", "c", "y", "e", "o", "x", "up", "down", "pageup", "pagedown", "home", "end", "enter", "escape",
					"tab", "shift+tab", "ctrl+home", "shift+end", "backspace",
				}).Draw(t, "key"))
			case "grow":
				grow(t, k)
				v.Refresh()
			case "resize":
				width = rapid.SampledFrom([]int{1, 2, 5, 15, 16, 40, 80, 300}).Draw(t, "width")
				height = rapid.SampledFrom([]int{1, 2, 3, 10, 24, 100}).Draw(t, "height")
			case "step":
				v.Step()
			case "rewind":
				k.history = k.history[:rapid.IntRange(0, len(k.history)).Draw(t, "kept")]
				v.Refresh()
			}
			check(t, v, width, height)
		}
	})
}

func grow(t *rapid.T, k *talk) {
	n := rapid.IntRange(0, 400).Draw(t, "length")
	switch rapid.SampledFrom([]string{"prompt", "answer", "code", "call"}).Draw(t, "message") {
	case "prompt":
		k.prompt("x " + strings.Repeat("prompt ", n))
	case "answer":
		k.answer(strings.Repeat("one **word** of *text* ", n))
	case "code":
		k.answer("```\n" + strings.Repeat("code\tx\n", n) + "```\ntext\n```\nx\n```")
	case "call":
		k.call("tool", "about", `{"a":"b"}`, strings.Repeat("output x\n", n), nil)
	}
}
