package headless

import (
	"testing"

	"pollux/tool"
)

// unshown returns why a display is not shown as text: the formats show the result of
// the call in another form.
func unshown(d tool.Display) (why string) {
	switch d.(type) {
	case *tool.DiffDisplay, *tool.ListDisplay, *tool.MatchDisplay, *tool.TodoDisplay, *tool.AgentDisplay:
		return "Gemini CLI's formats have only text, and leave the others out"
	}
	return ""
}

// Each kind of display is shown, or unshown returns the reason.
func TestEveryDisplay(t *testing.T) {
	for _, d := range tool.Displays() {
		_, isShown := tool.DisplayText(d)
		if why := unshown(d); isShown == (why != "") {
			t.Errorf("headless: %T is shown: %v, and unshown says %q", d, isShown, why)
		}
	}
}
