package settings

import (
	"strings"

	"pollux/internal/config"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
)

// View implements [pane.Pane].
func (p *Pane) View(width, height int, t theme.Theme) pane.View {
	foot := []styled.Line{p.scopes.Line(t, p.bindings)}
	if len(p.late) > 0 {
		text := "Takes effect the next time you start Pollux: " + strings.Join(p.late, ", ") + "."
		foot = append(foot, wrap(text, width, t.Warning())...)
	}
	if p.notice != "" {
		style := t.Secondary()
		if p.isBad {
			style = t.Warning()
		}
		foot = append(foot, wrap(p.notice, width, style)...)
	}
	return p.picker.View(width, height, append(foot, p.hints(width, t)), t)
}

// wrap returns the first lines of a text.
func wrap(text string, width int, s styled.Style) []styled.Line {
	const most = 4
	lines := styled.Of(text, s).Wrap(max(width, 1), nil)
	return lines[:min(len(lines), most)]
}

func (p *Pane) hints(width int, t theme.Theme) styled.Line {
	if p.edited != nil {
		return pane.Hints(width, t, p.bindings,
			pane.Hint{Command: keys.BasicConfirm, Effect: "save"}, pane.Hint{Command: keys.BasicCancel, Effect: "back"})
	}
	return pane.Hints(width, t, p.bindings,
		pane.Hint{Command: keys.BasicConfirm, Effect: "change"}, pane.Hint{Command: keys.AppClearScreen, Effect: "reset"},
		pane.Hint{Command: keys.BasicCancel, Effect: "close"})
}

// about returns the description of a setting.
func (p *Pane) about(row, width, _ int, t theme.Theme) []styled.Line {
	s := &p.all[row]
	lines := styled.Of(s.key.Doc, t.Text()).Wrap(width, nil)
	facts := s.key.Path + " is " + s.key.DescribeType() + "."
	if s.key.Default != nil {
		facts += " Default: " + brief(s.key.Default) + "."
	}
	if value, from := p.current().Effective(s.key.Path); len(from) > 0 {
		facts += " In effect: " + styled.Text(brief(config.MaskSecrets(s.key.Path, value))) + " (" + strings.Join(from, " + ") + ")."
	}
	if sentence := s.key.Support.Explain(); sentence != "" {
		facts += " " + sentence
	}
	return append(lines, styled.Of(facts, t.Secondary()).Wrap(width, nil)...)
}
