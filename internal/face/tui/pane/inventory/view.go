package inventory

import (
	"strings"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
)

// View implements [pane.Pane].
func (p *Pane) View(width, height int, t theme.Theme) pane.View {
	var foot []styled.Line
	add := func(text string, s styled.Style) {
		const most = 3 // lines
		lines := styled.Of(styled.Text(text), s).Wrap(max(width, 1), nil)
		foot = append(foot, lines[:min(len(lines), most)]...)
	}
	switch {
	case p.problem != "":
		add(p.problem, t.Warning())
	case p.note != "":
		add(p.note, t.Text())
	case p.content.Problem != "":
		add(p.content.Problem, t.Warning())
	case p.content.Note != "" && p.open == nil:
		add(p.content.Note, t.Secondary())
	}
	picker := p.list
	if p.open != nil {
		picker = p.open.picker
	}
	foot = append(foot, pane.Hints(width, t, p.o.Bindings, p.hints()...))
	return picker.View(width, height, foot, t)
}

// hints returns the keys with their effects.
func (p *Pane) hints() []pane.Hint {
	switch {
	case p.open != nil && p.open.isMenu:
		return []pane.Hint{{Command: keys.BasicConfirm, Effect: "choose"}, {Command: keys.BasicCancel, Effect: "back"}}
	case p.open != nil:
		return []pane.Hint{{Command: keys.BasicCancel, Effect: "back"}}
	}
	leave := pane.Hint{Command: keys.BasicCancel, Effect: "close"}
	item := p.selected()
	if item == nil || len(item.Actions) == 0 {
		return []pane.Hint{leave}
	}
	first, _, _ := strings.Cut(strings.ToLower(item.Actions[0].Label), " ")
	return []pane.Hint{{Command: keys.BasicConfirm, Effect: "actions"}, {Command: keys.NavDialogNext, Effect: first}, leave}
}
