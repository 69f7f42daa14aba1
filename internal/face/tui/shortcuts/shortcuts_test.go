package shortcuts

import (
	"strings"
	"testing"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/theme"
)

func screen(width int, b *keys.Bindings) string {
	var all []string
	for _, l := range Lines(width, theme.NoColor(), b) {
		all = append(all, l.String())
	}
	return strings.Join(all, "\n")
}

const (
	three = `Shortcuts
!       shell command     Ctrl+Y    YOLO mode        Ctrl+R search history
@       add a file        Shift+Tab approval mode    Ctrl+G open an editor
Esc Esc clear or rewind   Ctrl+V    paste an image
Tab     queue a prompt    Alt+M     raw Markdown`
	two = `Shortcuts
!       shell command     Shift+Tab approval mode
@       add a file        Ctrl+V    paste an image
Esc Esc clear or rewind   Alt+M     raw Markdown
Tab     queue a prompt    Ctrl+R    search history
Ctrl+Y  YOLO mode         Ctrl+G    open an editor`
	one = `Shortcuts
!         shell command
@         add a file
Esc Esc   clear or rewind
Tab       queue a prompt
Ctrl+Y    YOLO mode
Shift+Tab approval mode
Ctrl+V    paste an image
Alt+M     raw Markdown
Ctrl+R    search history
Ctrl+G    open an editor`
)

func TestScreens(t *testing.T) {
	t.Parallel()
	for width, want := range map[int]string{
		160: three, 80: three, 74: three, 73: two, 50: two, 49: one, 40: one, 0: "",
		12: "Shortcuts\n!         s…\n@         a…\nEsc Esc   c…\nTab       q…\nCtrl+Y    Y…\nShift+Tab a…\nCtrl+V    p…\nAlt+M     r…\nCtrl+R    s…\nCtrl+G    o…",
		1:  "…" + strings.Repeat("\n…", 10),
	} {
		if got := screen(width, keys.Default("linux")); got != want {
			t.Errorf("%d:\n%s\nnot\n%s", width, got, want)
		}
	}
}

// TestFits checks that no line is wider than the screen, and that a wider screen never takes more lines.
func TestFits(t *testing.T) {
	t.Parallel()
	last := 1000
	for width := 1; width < 200; width++ {
		lines := Lines(width, theme.NoColor(), keys.Default("linux"))
		for _, l := range lines {
			if l.Width() > width {
				t.Errorf("%q is wider than %d", l, width)
			}
		}
		if len(lines) > last {
			t.Errorf("%d lines in %d columns", len(lines), width)
		}
		last = len(lines)
	}
}

// TestBindings checks that the panel shows the keys of the user, and no command without one.
func TestBindings(t *testing.T) {
	t.Parallel()
	b, warnings := keys.Load("linux", []byte(`[
		{"command": "history.search.start", "key": "alt+r"}, {"command": "-app.toggleYolo", "key": "ctrl+y"},
		{"command": "basic.cancel", "key": "ctrl+g"}]`), "")
	got := screen(40, b)
	for _, want := range []string{"Alt+R         search history", "Ctrl+G Ctrl+G clear or rewind"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nwithout %q", got, want)
		}
	}
	if strings.Contains(got, "YOLO") || len(warnings) > 0 {
		t.Error(got, warnings)
	}
	b, _ = keys.Load("linux", []byte(`[{"command": "-basic.cancel", "key": "escape"}, {"command": "-basic.cancel", "key": "ctrl+["}]`), "")
	if got := screen(40, b); strings.Contains(got, "clear") {
		t.Error(got)
	}
}

func TestColors(t *testing.T) {
	t.Parallel()
	dark, _ := theme.Lookup(theme.DefaultDark)
	accent, secondary := dark.Accent(), dark.Secondary()
	for i, l := range Lines(40, dark, keys.Default("linux")) {
		if i == 0 && !l[0].Style.Equal(&accent) || i > 0 && (!l[1].Style.Equal(&accent) || !l[3].Style.Equal(&secondary)) {
			t.Error(l)
		}
	}
}
