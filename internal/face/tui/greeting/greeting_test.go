package greeting

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
)

func text(lines []styled.Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.String() + "\n")
	}
	return b.String()
}

func TestTips(t *testing.T) {
	t.Parallel()
	b, plain := keys.Default("linux"), theme.NoColor()
	with, without := text(Tips(true, 80, plain, b)), text(Tips(false, 80, plain, b))
	if strings.Contains(with, "GEMINI.md") || strings.Contains(with, "4.") {
		t.Errorf("with instructions:\n%s", with)
	}
	if !strings.Contains(without, "3. /init writes a GEMINI.md") || !strings.Contains(without, "4. /help lists the commands, ? the keys. Esc Esc") {
		t.Errorf("without instructions:\n%s", without)
	}
}

// TestKeys checks that a tour names the user's own keys, and none that is not bound.
func TestKeys(t *testing.T) {
	t.Parallel()
	b, warnings := keys.Load("linux", []byte(`[{"command": "-basic.cancel", "key": "escape"}, {"command": "-basic.cancel", "key": "ctrl+["}, {"command": "history.search.start", "key": "ctrl+s"}]`), "keybindings.json")
	if len(warnings) > 0 {
		t.Fatal(warnings)
	}
	for name, got := range map[string]string{
		"tour": text(Tour(80, theme.NoColor(), b)), "tips": text(Tips(false, 80, theme.NoColor(), b)), "undo": Undo(b),
	} {
		if strings.Contains(got, "Esc") || strings.Contains(got, "Ctrl+R") || name == "tour" && !strings.Contains(got, "Ctrl+S     search") {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

func TestWidths(t *testing.T) {
	t.Parallel()
	b := keys.Default("linux")
	for width := 1; width < 100; width++ {
		all := append(Tour(width, theme.NoColor(), b), Tips(false, width, theme.NoColor(), b)...)
		for _, l := range append(all, Identity("Google\x1b[2J AI", "GEMINI_API_KEY", width, theme.NoColor())) {
			if l.Width() > width {
				t.Errorf("%d columns: %q", width, l)
			}
		}
	}
	if got := Identity("OpenAI", "OPENAI_API_KEY", 80, theme.NoColor()).String(); got != "Signed in to OpenAI, with the key in OPENAI_API_KEY  /auth" {
		t.Error(got)
	}
	if got := Identity("OpenAI", "OPENAI_API_KEY", 40, theme.NoColor()).String(); got != "Signed in to OpenAI  /auth" {
		t.Error(got)
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		hasNoColor        bool
		colors            colorprofile.Profile
		term, multiplexer string
		want              string
	}{
		{false, colorprofile.TrueColor, "xterm-256color", "", ""},
		{false, colorprofile.ANSI256, "xterm-256color", "", "true-color,minor"},
		{false, colorprofile.ANSI, "xterm", "", "256-color"},
		{true, colorprofile.ASCII, "xterm", "", ""},
		{false, colorprofile.ANSI, "screen", "tmux", "pollux-tmux-term"},
		{false, colorprofile.ANSI256, "screen-256color", "tmux", "true-color,minor"},
		{false, colorprofile.TrueColor, "screen", "screen", "pollux-screen,minor"},
		{false, colorprofile.ANSI, "screen", "screen", "256-color pollux-screen,minor"},
	} {
		var got []string
		for _, w := range Warnings(tt.hasNoColor, tt.colors, tt.term, tt.multiplexer) {
			id := w.ID
			if w.IsMinor {
				id += ",minor"
			}
			got = append(got, id)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}
