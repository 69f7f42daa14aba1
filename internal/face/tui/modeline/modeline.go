// Package modeline has the row between the status and the input: the mode, with the key that changes it, at the left,
// and a summary of the context at the right.
package modeline

import (
	"strings"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
)

// Mode says how Pollux treats the next input and the calls of the model.
type Mode struct {
	Approval string // the approval mode by its name in settings: "default", "auto_edit", "sandboxed", "plan" or "yolo"
	HasPlan  bool   // the user can switch to plan mode
	HasBox   bool   // the user can switch to mode sandboxed
	IsShell  bool   // the next input is a shell command
	IsRaw    bool   // Markdown is shown as the model writes it
}

// separator stands between the parts of the row.
const separator = " · "

// Line returns the row in at most width columns. It leaves out parts of the context that do not fit. It returns nil if
// there is nothing to show.
func Line(m Mode, c Context, width int, t theme.Theme, b *keys.Bindings) styled.Line {
	if width < 1 {
		return nil
	}
	line := m.line(t, b).Cut(width)
	const gap = 2
	room := width - line.Width()
	if len(line) > 0 {
		room -= gap
	}
	right := styled.Of(c.text(room, b), t.Secondary())
	if right.Width() == 0 {
		return line
	}
	space := strings.Repeat(" ", width-line.Width()-right.Width())
	return append(append(line, styled.Span{Text: space}), right...)
}

// line returns the left part of the row.
func (m Mode) line(t theme.Theme, b *keys.Bindings) styled.Line {
	line := m.approval(t, b)
	if m.IsShell {
		line = styled.Of("shell mode enabled", t.Symbol())
		line = append(line, toggle(b.Hint(keys.BasicCancel), "disable", t)...)
	}
	if !m.IsRaw {
		return line
	}
	if len(line) > 0 {
		line = append(line, styled.Span{Text: separator, Style: t.Secondary()})
	}
	line = append(line, styled.Span{Text: "raw markdown mode", Style: t.Text()})
	return append(line, toggle(b.Hint(keys.AppToggleMarkdown), "toggle", t)...)
}

// approval returns the approval mode and the key that changes it. The default mode has no name.
func (m Mode) approval(t theme.Theme, b *keys.Bindings) styled.Line {
	cycle := b.Hint(keys.AppCycleApprovalMode)
	switch m.Approval {
	case "auto_edit":
		next := m.afterEdits()
		if m.HasBox {
			next = "to sandboxed"
		}
		return append(styled.Of("auto-accept edits", t.Warning()), key(cycle, next, t)...)
	case "sandboxed":
		return append(styled.Of("sandboxed", t.Warning()), key(cycle, m.afterEdits(), t)...)
	case "plan":
		return append(styled.Of("plan", t.Success()), key(cycle, "to manual", t)...)
	case "yolo":
		return append(styled.Of("YOLO", t.Error()), key(b.Hint(keys.AppToggleYolo), "", t)...)
	}
	if cycle == "" {
		return nil
	}
	return styled.Of(cycle+" to accept edits", t.Secondary())
}

// afterEdits returns the effect of the key that leaves the modes which accept edits.
func (m Mode) afterEdits() string {
	if m.HasPlan {
		return "to plan"
	}
	return "to manual"
}

// key returns the hint of a key and its effect, as the continuation of a line; nil if there is no key.
func key(hint, effect string, t theme.Theme) styled.Line {
	if hint == "" {
		return nil
	}
	return styled.Of(strings.TrimRight(" "+hint+" "+effect, " "), t.Secondary())
}

// toggle returns a key that ends a mode, in parentheses; nil if there is no key.
func toggle(hint, effect string, t theme.Theme) styled.Line {
	if hint == "" {
		return nil
	}
	return styled.Of(" ("+strings.ToLower(hint)+" to "+effect+")", t.Secondary())
}
