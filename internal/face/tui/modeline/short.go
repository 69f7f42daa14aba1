package modeline

import (
	"fmt"

	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
)

// Short returns the row of the reduced screen in at most width columns: the mode, unless it is the default one, and the share of the
// context window in use, if it is so large that the history is about to be compressed. It returns nil if there is nothing to show.
func Short(m Mode, context, compressAt float64, width int, t theme.Theme) styled.Line {
	if width < 1 {
		return nil
	}
	line := m.dot(t)
	if compressAt <= 0 || context < compressAt {
		return line.Cut(width)
	}
	if len(line) > 0 {
		line = append(line, styled.Span{Text: separator, Style: t.Secondary()})
	}
	text := fmt.Sprintf("%d%% of the context used", min(int(context*100+0.5), 100))
	return append(line, styled.Span{Text: text, Style: t.Warning()}).Cut(width)
}

// dot returns a dot with the name of the mode, nil for the default one.
func (m Mode) dot(t theme.Theme) styled.Line {
	var name string
	var style styled.Style
	switch {
	case m.IsShell:
		name, style = "shell", t.Symbol()
	case m.Approval == "auto_edit":
		name, style = "auto-accept edits", t.Warning()
	case m.Approval == "sandboxed":
		name, style = "sandboxed", t.Warning()
	case m.Approval == "plan":
		name, style = "plan", t.Success()
	case m.Approval == "yolo":
		name, style = "YOLO", t.Error()
	default:
		return nil
	}
	return styled.Of("● "+name, style)
}
