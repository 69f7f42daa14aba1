package themes

import (
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/config"
	"pollux/internal/face/tui/golden"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/pane/panetest"
	"pollux/internal/face/tui/theme"
)

var (
	black = color.RGBA{A: 255}
	white = color.RGBA{R: 250, G: 250, B: 250, A: 255}
)

func newPane(t *testing.T, r theme.Request) *Pane {
	t.Helper()
	home := t.TempDir()
	e := config.NewEnv("GEMINI_CLI_HOME="+home, "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+home+"/none.json")
	paths := config.NewPaths(e, t.TempDir())
	s, _, err := config.Load(config.Sources{Paths: paths, Env: e})
	if err != nil {
		t.Fatal(err)
	}
	return New(r, pane.NewScopes(s, paths), keys.Default("linux"))
}

// press types keys by their names, and returns the effect of the last one.
func press(p *Pane, names ...string) (o pane.Outcome) {
	return panetest.Press(p, p.bindings, names...)
}

func TestChoose(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys    string
		want    pane.Outcome
		preview string
	}{
		{"", nil, "Ayu"},
		{"enter", pane.Chosen{Command: "/settings set ui.theme Ayu"}, "Ayu"},
		{"down", pane.Changed{}, "Default"},
		{"down down enter", pane.Chosen{Command: "/settings set ui.theme Dracula"}, "Dracula"},
		{"down down tab enter", pane.Chosen{Command: "/settings set --scope=workspace ui.theme Dracula"}, "Dracula"},
		{"t o k y o enter", pane.Chosen{Command: "/settings set ui.theme Tokyo Night"}, "Tokyo Night"},
		{"d r a escape", pane.Changed{}, "Dracula"},
		{"q q q", pane.Changed{}, "Ayu"},
		{"d r a c q q q", pane.Changed{}, "Dracula"},
		{"q q q enter", pane.Ignored{}, "Ayu"},
		{"down escape", pane.Closed{}, "Default"},
		{"f12", pane.Ignored{}, "Ayu"},
	} {
		p := newPane(t, theme.Request{Name: "Ayu", AutoSwitch: true, Background: black})
		if got := press(p, strings.Fields(c.keys)...); got != c.want || p.Preview().Name != c.preview {
			t.Errorf("%s: %#v, preview of %s", c.keys, got, p.Preview().Name)
		}
	}
}

// TestPreview checks that the preview is the theme that would be chosen, and that the pane is drawn in it.
func TestPreview(t *testing.T) {
	t.Parallel()
	p := newPane(t, theme.Request{Name: "Ayu", Background: black})
	press(p, "d", "r", "a")
	want, _ := theme.Choose(theme.Request{Name: "Dracula", Background: black})
	accent := want.Accent()
	if v := p.View(80, 24, theme.NoColor()); !v.Lines[0][0].Style.Equal(&accent) || v.Lines[0].String() != "Choose a theme" {
		t.Error(v.Lines[0])
	}
	if got := p.Preview(); got.Colors.Message != want.Colors.Message || got.Name != "Dracula" {
		t.Error(got)
	}
	view := func(p *Pane) string { return text(t, p, 80, 40) }
	const note = "On this terminal it is Default: ui.autoThemeSwitching is on."
	p = newPane(t, theme.Request{Name: "Default Light", AutoSwitch: true, Background: black})
	if !strings.Contains(view(p), note) || p.Preview().Name != "Default" {
		t.Error(view(p))
	}
	p = newPane(t, theme.Request{Name: "Default Light", Background: black})
	if strings.Contains(view(p), "On this") || p.Preview().Name != "Default Light" {
		t.Error(view(p))
	}
	p = newPane(t, theme.Request{Name: "Default", AutoSwitch: true, Background: black})
	if strings.Contains(view(p), "On this") {
		t.Error(view(p))
	}
}

func TestCurrent(t *testing.T) {
	t.Parallel()
	custom := map[string]any{"Mine": map[string]any{"type": "custom"}, "no theme": 5}
	for _, c := range []struct {
		name    string
		request theme.Request
		want    string // the selected row
		warning string
	}{
		{"none, dark", theme.Request{AutoSwitch: true, Background: black}, "❯ Default                  dark, current (Matches terminal)", ""},
		{"none, light", theme.Request{AutoSwitch: true, Background: white}, "❯ Default Light            light, current (Matches terminal)", ""},
		{"unknown background", theme.Request{Name: "Xcode"}, "❯ Xcode                    light, current", ""},
		{"incompatible", theme.Request{Name: " Xcode ", Background: black}, "❯ Xcode                    light, current (Incompatible)", ""},
		{"custom", theme.Request{Name: "Mine", Custom: custom, Background: black}, "❯ Mine                     dark, custom, current (Matches terminal)", ""},
		{"missing", theme.Request{Name: "Nowhere"}, "❯ Default                  dark, current", `Theme "Nowhere" not found.`},
		{"misspelled", theme.Request{Name: "drakula"}, "❯ Dracula                  dark", `Theme "drakula" not found. Did you mean "Dracula"?`},
		{"missing file", theme.Request{Name: "/no/theme.json", Home: "/home/x"}, "❯ Default                  dark, current", `Theme "/no/theme.json" not found.`},
	} {
		screen := text(t, newPane(t, c.request), 80, 50)
		if !strings.Contains(screen, c.want+"\n") || !strings.Contains(screen, c.warning) || strings.Contains(screen, "no theme") || strings.Count(screen, "current") != 1 {
			t.Errorf("%s: want %s\n%s", c.name, c.want, screen)
		}
	}
}

func TestFile(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	path := filepath.Join(home, "night.json")
	if err := os.WriteFile(path, []byte(`{"name": "Night", "type": "custom"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newPane(t, theme.Request{Name: path, Home: home, Dir: home})
	if p.Preview().Name != "Night" || press(p, "enter") != (pane.Chosen{Command: "/settings set ui.theme " + path}) {
		t.Error(p.Preview().Name)
	}
}

func TestNoColor(t *testing.T) {
	t.Parallel()
	p := newPane(t, theme.Request{HasNoColor: true})
	if got := text(t, p, 80, 24); got != "Theme configuration unavailable due to NO_COLOR env variable.\nEsc close\n" {
		t.Error(got)
	}
	for key, want := range map[string]pane.Outcome{"escape": pane.Closed{}, "enter": pane.Closed{}, "down": pane.Ignored{}, "x": pane.Ignored{}} {
		if got := press(p, key); got != want {
			t.Errorf("%s: %#v", key, got)
		}
	}
	for width := range 70 {
		for height := range 5 {
			text(t, p, width, height)
		}
	}
}

// text returns the pane as text, with the cursor.
func text(t *testing.T, p *Pane, width, height int) string {
	t.Helper()
	return panetest.TextWithCursor(t, p, width, height)
}

// TestScreens compares the pane with its golden screens.
func TestScreens(t *testing.T) {
	t.Parallel()
	for _, width := range []int{40, 80, 160} {
		var all strings.Builder
		for _, c := range []struct {
			name, keys string
			height     int
			request    theme.Request
		}{
			{"usual", "", 24, theme.Request{Name: "Dracula", AutoSwitch: true, Background: black}},
			{"tall", "down tab", 50, theme.Request{Name: "Dracula", AutoSwitch: true, Background: black}},
			{"switching", "", 24, theme.Request{Name: "Default Light", AutoSwitch: true, Background: black}},
			{"search", "l i g h t", 24, theme.Request{Name: "Dracula", Background: white}},
			{"no match", "q w e", 24, theme.Request{Name: "Dracula"}},
			{"low", "", 10, theme.Request{Name: "Dracula"}},
			{"one row", "", 1, theme.Request{Name: "Dracula"}},
			{"misspelled", "", 24, theme.Request{Name: "Drakula", Background: black}},
			{"no colors", "", 24, theme.Request{HasNoColor: true}},
		} {
			p := newPane(t, c.request)
			press(p, strings.Fields(c.keys)...)
			fmt.Fprintf(&all, "== %s\n%s", c.name, text(t, p, width, c.height))
		}
		golden.Check(t, fmt.Sprintf("themes.%d.txt", width), all.String())
	}
	p := newPane(t, theme.Request{Name: "Default Light", AutoSwitch: true, Background: black})
	for width := range 60 {
		for height := range 26 {
			text(t, p, width, height)
		}
	}
}
