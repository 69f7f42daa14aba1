package modeline

import (
	"testing"

	"pgregory.net/rapid"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/theme"
)

var (
	usual = Context{OpenFiles: 2, ContextFiles: 1, ContextName: "GEMINI.md", Servers: 3, Blocked: 1, Skills: 4, Processes: 2}
	one   = Context{OpenFiles: 1, ContextFiles: 2, Servers: 1, Skills: 1, Processes: 1}
)

func TestLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		mode    Mode
		context Context
		width   int
		want    string
	}{
		{"default", Mode{Approval: "default"}, Context{}, 80, "Shift+Tab to accept edits"},
		{"unknown mode", Mode{}, Context{}, 80, "Shift+Tab to accept edits"},
		{"edits", Mode{Approval: "auto_edit"}, Context{}, 80, "auto-accept edits Shift+Tab to manual"},
		{"edits before a plan", Mode{Approval: "auto_edit", HasPlan: true}, Context{}, 80, "auto-accept edits Shift+Tab to plan"},
		{"plan", Mode{Approval: "plan", HasPlan: true}, Context{}, 80, "plan Shift+Tab to manual"},
		{"YOLO", Mode{Approval: "yolo"}, Context{}, 80, "YOLO Ctrl+Y"},
		{"shell", Mode{Approval: "yolo", IsShell: true}, Context{}, 80, "shell mode enabled (esc to disable)"},
		{"raw", Mode{Approval: "plan", IsRaw: true}, Context{}, 80, "plan Shift+Tab to manual · raw markdown mode (alt+m to toggle)"},
		{"raw shell", Mode{IsRaw: true, IsShell: true}, Context{}, 80, "shell mode enabled (esc to disable) · raw markdown mode (alt+m to toggle)"},
		{"own prompt", Mode{}, Context{HasOwnPrompt: true, Skills: 1}, 50, "Shift+Tab to accept edits     custom system prompt"},
		{"only blocked servers", Mode{}, Context{Blocked: 1}, 50, "Shift+Tab to accept edits     1 Blocked MCP server"},
		{"blocked servers", Mode{}, Context{Blocked: 2}, 50, "Shift+Tab to accept edits    2 Blocked MCP servers"},
		{"hostile name", Mode{}, Context{ContextFiles: 1, ContextName: "a\x1b[1m\nb"}, 50, "Shift+Tab to accept edits               1 a b file"},
		{"exact", Mode{}, Context{Skills: 1}, 34, "Shift+Tab to accept edits  1 skill"},
		{"one column too few", Mode{}, Context{Skills: 1}, 33, "Shift+Tab to accept edits"},
		{"tiny", Mode{}, usual, 1, "…"},
		{"40", Mode{}, usual, 40, "Shift+Tab to accept edits       4 skills"},
		{"80", Mode{}, usual, 80, "Shift+Tab to accept edits           2 open files (F4 to view) · 1 GEMINI.md file"},
		{"160", Mode{}, usual, 160, "Shift+Tab to accept edits                            2 open files (F4 to view) · 1 GEMINI.md file · 3 MCP servers, 1 Blocked · 4 skills · 2 Background processes"},
		{"one of each", Mode{Approval: "yolo"}, one, 120, "YOLO Ctrl+Y                   1 open file (F4 to view) · 2 context files · 1 MCP server · 1 skill · 1 Background process"},
	} {
		got := Line(c.mode, c.context, c.width, theme.NoColor(), keys.Default("linux"))
		if got.String() != c.want {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
	}
	if Line(Mode{}, usual, 0, theme.NoColor(), keys.Default("linux")) != nil {
		t.Error("a line without a column")
	}
}

// TestWithoutKeys checks the row of a user who has unbound the keys.
func TestWithoutKeys(t *testing.T) {
	t.Parallel()
	b, _ := keys.Load("linux", []byte(`[
		{"command": "-app.cycleApprovalMode", "key": "shift+tab"}, {"command": "-app.toggleYolo", "key": "ctrl+y"},
		{"command": "-basic.cancel", "key": "escape"}, {"command": "-basic.cancel", "key": "ctrl+["},
		{"command": "-app.showIdeContextDetail", "key": "f4"}]`), "")
	for mode, want := range map[Mode]string{
		{}:                                "                              1 open file",
		{Approval: "auto_edit"}:           "auto-accept edits             1 open file",
		{Approval: "yolo"}:                "YOLO                          1 open file",
		{Approval: "yolo", IsShell: true}: "shell mode enabled            1 open file",
	} {
		if got := Line(mode, Context{OpenFiles: 1}, 41, theme.NoColor(), b); got.String() != want {
			t.Errorf("%+v: %q, not %q", mode, got, want)
		}
	}
	if got := Line(Mode{}, Context{OpenFiles: 1}, 11, theme.NoColor(), b); got.String() != "1 open file" {
		t.Errorf("alone: %q", got)
	}
	if got := Line(Mode{}, Context{}, 41, theme.NoColor(), b); got != nil {
		t.Errorf("nothing to show: %q", got)
	}
}

func TestColors(t *testing.T) {
	t.Parallel()
	dark, _ := theme.Lookup(theme.DefaultDark)
	warning, failure, success := dark.Warning(), dark.Error(), dark.Success()
	for mode, want := range map[string]any{"auto_edit": warning, "yolo": failure, "plan": success} {
		if got := Line(Mode{Approval: mode}, Context{}, 80, dark, keys.Default("linux"))[0].Style; any(got) != want {
			t.Errorf("%s: %v, not %v", mode, got, want)
		}
	}
}

// TestFits checks that no row is wider than the screen, and that the summary ends at its edge.
func TestFits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		few := rapid.IntRange(0, 3)
		c := Context{
			OpenFiles: few.Draw(t, "files"), ContextFiles: few.Draw(t, "context"), ContextName: rapid.SampledFrom([]string{"", "中.md"}).Draw(t, "name"),
			Servers: few.Draw(t, "servers"), Blocked: few.Draw(t, "blocked"), Skills: few.Draw(t, "skills"), Processes: few.Draw(t, "processes"),
		}
		m := Mode{Approval: rapid.SampledFrom([]string{"", "plan", "yolo"}).Draw(t, "mode"), IsRaw: rapid.Bool().Draw(t, "raw")}
		width := rapid.IntRange(1, 170).Draw(t, "width")
		l, left := Line(m, c, width, theme.NoColor(), keys.Default("linux")), Line(m, Context{}, width, theme.NoColor(), keys.Default("linux"))
		if w := l.Width(); w > width || w != width && w != left.Width() {
			t.Fatalf("%q in %d columns", l, width)
		}
	})
}
