package rewind

import (
	"strings"

	"pollux/internal/face/tui/diff"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
)

// Bounds of the changes that are shown.
const (
	maxReview = 2000      // lines
	maxChange = 100 << 10 // bytes of a change
)

// review shows the changes since a prompt, the oldest first.
type review struct {
	pane.Pager
	width int // that the lines are made for
	theme string
}

// pressReview takes a key while the changes are shown.
func (p *Pane) pressReview(k keys.Key, b *keys.Bindings) pane.Outcome {
	command, _ := b.Match(k.Chord, keys.BasicCancel)
	switch {
	case p.shows.Handle(k, b):
	case command == keys.BasicCancel, k.Text == "d":
		p.shows = nil
	default:
		return pane.Ignored{}
	}
	return pane.Changed{}
}

// reviewLines returns the screen with the changes.
func (p *Pane) reviewLines(width, height int, t theme.Theme) []styled.Line {
	r := p.shows
	if r.Lines == nil || r.width != width || r.theme != t.Name {
		r.Lines, r.width, r.theme = changeLines(p.asks.changes, p.o.DiffLayout, width, t), width, t.Name
	}
	keysText := hints(p.hint(keys.BasicCancel, "back"), pane.ScrollHint(p.o.Bindings))
	return pane.Frame(width, height, t, "Changes since the prompt", styled.Of(keysText, t.Secondary()), r.View)
}

// changeLines returns the lines of changes.
func changeLines(changes []change, layout diff.Layout, width int, t theme.Theme) (lines []styled.Line) {
	styles := diff.StylesOf(t)
	for _, c := range changes {
		if len(lines) > maxReview {
			break
		}
		if c.diff == nil {
			lines = append(lines, c.line(t).Cut(width))
			continue
		}
		shown := diff.Change{DiffDisplay: *c.diff}
		if len(c.diff.Diff) > maxChange || c.diff.Before == nil && len(c.diff.After) > maxChange {
			lines = append(lines, c.line(t).Cut(width), styled.Of("This change is too large to be shown.", t.Secondary()).Cut(width))
			continue
		}
		lines = append(lines, shown.Head(c.path, styles).Cut(width))
		lines = appendWrapped(lines, shown.Lines(styles, layout, width), shown.Gutter(), width)
	}
	if len(lines) > maxReview {
		lines = append(lines[:maxReview], styled.Of("The rest is not shown.", t.Secondary()).Cut(width))
	}
	return lines
}

// appendWrapped appends the lines of a change, of which long ones go on behind the gutter.
func appendWrapped(lines, change []styled.Line, gutter, width int) []styled.Line {
	for _, line := range change {
		if len(lines) > maxReview {
			break
		}
		head, tail := line.Split(width)
		lines = append(lines, head)
		for room := width - gutter; tail.Width() > 0; { // one column is too narrow for some characters
			if room < 2 {
				break
			}
			head, tail = tail.Split(room)
			lines = append(lines, append(styled.Plain(strings.Repeat(" ", gutter)), head...))
		}
	}
	return lines
}
