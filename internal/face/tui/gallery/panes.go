package gallery

import (
	"context"
	"image/color"
	"time"

	"pollux/internal/config"
	"pollux/internal/face/tui/footer"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/pane/footers"
	"pollux/internal/face/tui/pane/models"
	settingpane "pollux/internal/face/tui/pane/settings"
	themepane "pollux/internal/face/tui/pane/themes"
	"pollux/internal/face/tui/receipt"
	"pollux/internal/face/tui/theme"
	"pollux/internal/manage/settings"
)

// paneScenes returns the scenes of the dialogs that the user opens with a / command, and of the line behind an answer.
func paneScenes() []Scene {
	return []Scene{
		{"receipt", func(s *stage) {
			line := receipt.Receipt{Time: 12300 * time.Millisecond, Requests: 3, Input: 18_200, Cached: 15_300, Output: 1_100, Cost: 0.021, HasCost: true}
			s.add(line.Line(s.width, s.theme))
		}},
		{"pane-footer", func(s *stage) { s.open(newFooters(s)) }},
		{"pane-footer-changed", func(s *stage) { s.open(newFooters(s), "down", "enter", "down", "left", "up", "up", "up", "enter") }},
		{"pane-editor", func(s *stage) { s.open(newEditors(s)) }},
		{"pane-models", func(s *stage) { s.open(models.New(context.Background(), directory{}, s.bindings)) }},
		{"pane-settings", func(s *stage) {
			s.open(settingpane.New(func() *config.Settings { return &config.Settings{} }, scopes(), s.bindings), "hide context summary")
		}},
		{"pane-theme", func(s *stage) {
			s.open(themepane.New(theme.Request{Name: "Dracula", Background: color.Black}, scopes(), s.bindings))
		}},
		{"pane-servers", func(s *stage) { s.open(newServers(s)) }},
		{"pane-server-actions", func(s *stage) { s.open(newServers(s), "down", "enter") }},
		{"pane-agents", func(s *stage) { s.open(newAgents(s), "down") }},
		{"pane-extensions", func(s *stage) { s.open(newExtensions(s)) }},
		{"pane-hooks", func(s *stage) { s.open(newHooks(s), "down") }},
		{"pane-memory", func(s *stage) { s.open(newMemory(s), "down") }},
		{"pane-skills", func(s *stage) { s.open(newSkills(s)) }},
		{"pane-permissions", func(s *stage) { s.open(newPermissions(s), "down") }},
		{"pane-logs", func(s *stage) { s.open(newLogs(s)) }},
		{"pane-tasks", func(s *stage) { s.open(newTasks(s)) }},
		{"pane-sessions", func(s *stage) { s.open(newSessions(s)) }},
		{"pane-rewind", func(s *stage) { s.open(newRewind(s), "up", "up") }},
		{"pane-rewind-confirm", func(s *stage) { s.open(newRewind(s), "up", "up", "enter") }},
		{"pane-restore", func(s *stage) { s.open(newRestore(s)) }},
		{"pane-undo", func(s *stage) { s.open(newUndo(s)) }},
		{"pane-undo-diff", func(s *stage) { s.open(newUndo(s), "right") }},
		{"pane-undo-since", func(s *stage) { s.open(newUndo(s), "down", "enter") }},
		{"viewer", func(s *stage) { s.showPane(newViewer().View(s.width, paneHeight, s.theme)) }},
	}
}

// open adds a pane after these keys.
func (s *stage) open(p pane.Pane, pressed ...string) {
	if l, ok := p.(pane.Loader); ok {
		l.Load()()
	}
	for _, k := range keysOf(pressed) {
		p.Handle(k, s.bindings)
	}
	s.showPane(p.View(s.width, paneHeight, s.theme))
}

// showPane adds a pane as it is drawn.
func (s *stage) showPane(v pane.View) {
	if v.HasCursor {
		s.addWithCursor(v.Lines, v.Cursor)
		return
	}
	s.add(v.Lines...)
}

// paneHeight is the number of rows for a pane.
const paneHeight = 24

// newFooters returns the pane with the items of the footer.
func newFooters(s *stage) pane.Pane {
	var items []footers.Item
	for _, i := range settings.FooterItems() {
		items = append(items, footers.Item{ID: i.ID, About: i.About})
	}
	usual := footer.Settings{ShowLabels: true}.Options()
	return footers.New(footers.Options{
		Items: items, Now: usual, Default: usual, Values: used(), Bindings: s.bindings, Save: settings.FooterSetCommand, Reset: settings.FooterResetCommand,
	})
}
