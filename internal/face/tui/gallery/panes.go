package gallery

import (
	"pollux/internal/face/tui/footer"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/pane/footers"
	"pollux/internal/manage/settings"
)

// paneScenes returns the scenes of the dialogs that the user opens with a / command.
func paneScenes() []Scene {
	return []Scene{
		{"pane-footer", func(s *stage) { s.open(newFooters(s)) }},
		{"pane-footer-changed", func(s *stage) { s.open(newFooters(s), "down", "enter", "down", "left", "up", "up", "up", "enter") }},
	}
}

// open adds a pane after these keys.
func (s *stage) open(p pane.Pane, pressed ...string) {
	for _, k := range keysOf(pressed) {
		p.Handle(k, s.bindings)
	}
	v := p.View(s.width, paneHeight, s.theme)
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
