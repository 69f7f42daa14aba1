package settings

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pollux/internal/config"
	"pollux/internal/face/tui/golden"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/theme"
)

// only leaves few settings in the pane, so that screens do not change with each new one.
func (p *person) only(paths ...string) {
	p.pane.all = slices.DeleteFunc(p.pane.all, func(s setting) bool { return !slices.Contains(paths, s.key.Path) })
	p.pane.refresh()
}

// TestScreens compares the pane with its golden screens.
func TestScreens(t *testing.T) {
	t.Parallel()
	for _, width := range []int{40, 80, 160} {
		p := newPerson(t, `{"general": {"vimMode": true, "maxAttempts": 3}, "ui": {"theme": "Dracula"}}`, `{"general": {"vimMode": false, "plan": {"directory": "plans"}}}`)
		p.only("general.vimMode", "general.maxAttempts", "general.plan.directory", "general.notificationMethod", "ui.theme", "ui.footer.items", "ui.hideBanner",
			"ui.hideFooter", "mcpServers", "pollux.sessionTitles", "security.environmentVariableRedaction.allowed", "experimental.voice.backend")
		var all strings.Builder
		for _, c := range []struct {
			name, search, keys string
			height             int
		}{
			{"start", "", "", 24},
			{"modified", "vim mode", "", 24},
			{"workspace", "vim mode", "tab", 24},
			{"number", "max attempts", "tab tab enter", 24},
			{"list of values", "notification method", "", 24},
			{"no effect", "voice backend", "", 24},
			{"object", "mcpServers", "enter", 24},
			{"no match", "qwerty", "", 24},
			{"low", "hide", "down", 10},
			{"one row", "hide", "", 1},
		} {
			p.pane.shut()
			p.press("escape", "home")
			p.pane.Handle(keys.Paste{Text: c.search}, p.pane.bindings)
			p.press(strings.Fields(c.keys)...)
			fmt.Fprintf(&all, "== %s\n%s", c.name, p.text(width, c.height))
		}
		p.pane.shut()
		p.search("session titles")
		p.run(p.press("enter"))
		fmt.Fprintf(&all, "== needs a start\n%s", p.text(width, 24))
		golden.Check(t, fmt.Sprintf("settings.%d.txt", width), all.String())
	}
	p := newPerson(t, `{}`, "")
	p.pane.warn(strings.Repeat("A long problem. ", 20))
	p.pane.late = []string{"One", "Two"}
	for width := range 60 {
		for height := range 20 {
			p.text(width, height)
		}
	}
}

func BenchmarkHandle(b *testing.B) {
	s := &config.Settings{}
	scopes := pane.NewScopes(s, config.NewPaths(config.NewEnv("GEMINI_CLI_HOME="+b.TempDir()), b.TempDir()))
	p := New(func() *config.Settings { return s }, scopes, keys.Default("linux"))
	for b.Loop() {
		p.Handle(keys.Key{Chord: keys.Chord{Code: 'a'}, Text: "a"}, p.bindings)
		p.View(80, 24, theme.NoColor())
		p.Handle(keys.Key{Chord: keys.Chord{Code: keys.Backspace}}, p.bindings)
		p.View(80, 24, theme.NoColor())
	}
}
