package undo

import (
	"pollux/internal/face/tui/choice"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/manage/undo"
)

// ask is the question about paths that were changed since.
type ask struct {
	change  undo.Change
	preview *preview
	list    *choice.List
}

// answers are the answers, with the options of the command that each runs.
var answers = [...]struct{ label, options string }{
	{"Undo the rest, and leave these files as they are", ""},
	{"Merge: bring these files back, too, and keep what was changed since", " --merge"},
	{"Overwrite: bring these files back, and lose what was changed since", " --overwrite"},
}

func newAsk(c undo.Change, v *preview) *ask {
	items := make([]choice.Item, len(answers))
	for i, a := range answers {
		items[i].Label = a.label
	}
	if v.keepsAll {
		items[0].WhyNot = "there is no rest"
	}
	return &ask{change: c, preview: v, list: choice.New(items)}
}

// pressAsk takes a key while the question is open.
func (p *Pane) pressAsk(k keys.Key, b *keys.Bindings) pane.Outcome {
	switch p.asks.list.Handle(k, b) {
	case choice.Ignored:
		return pane.Ignored{}
	case choice.Canceled:
		p.asks = nil
	case choice.Chosen:
		return pane.Chosen{Command: "/undo " + p.asks.change.Name() + answers[p.asks.list.Selected()].options}
	}
	return pane.Changed{}
}

// askLines returns the screen with the question.
func (p *Pane) askLines(width, height int, t theme.Theme) []styled.Line {
	hints := pane.Hints(width, t, p.o.Bindings, pane.Hint{Command: keys.BasicConfirm, Effect: "choose"}, pane.Hint{Command: keys.BasicCancel, Effect: "back"})
	return pane.Frame(width, height, t, "Some files were changed since "+p.asks.change.Name(), hints, func(height int) []styled.Line {
		options := p.asks.list.Lines(width, height, t)
		about := p.asks.preview.stayLines(width, height-len(options), t)
		return append(about, options...)
	})
}

// stayLines names the paths that stay, in at most height lines.
func (v *preview) stayLines(width, height int, t theme.Theme) (lines []styled.Line) {
	for _, text := range v.stays {
		lines = append(lines, styled.Of("  "+text, t.Secondary()).Cut(width))
	}
	if len(lines) > height {
		lines = append(lines[:max(height-1, 0)], styled.Of("  ...", t.Secondary()))[:max(height, 0)]
	}
	return lines
}
