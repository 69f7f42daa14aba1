package prompt_test

import (
	"testing"

	"pollux/internal/prompt"
	"pollux/tool"
)

// An instruction is the same value as long as its text is the same, for each
// family of models.
func TestInstruction(t *testing.T) {
	t.Parallel()
	mode, asked, tools := "default", 0, uint64(1)
	var shown []string
	i := prompt.NewInstruction(func(tool.Form) prompt.System {
		asked++
		return session(0, mode, true, person)
	}, func() uint64 { return tools }, func(text string) { shown = append(shown, text) })
	new1, old1 := i.For(modern), i.For(legacy)
	if new1 == old1 || i.For(modern) != new1 || i.For(legacy) != old1 || asked != 2 || len(shown) != 2 {
		t.Errorf("asked %d times, shown %d texts for two families", asked, len(shown))
	}
	i.Refresh()
	if i.For(modern) != new1 || i.For(legacy) != old1 || asked != 4 || len(shown) != 2 {
		t.Errorf("nothing has changed, but another value (asked %d times, shown %d texts)", asked, len(shown))
	}
	mode = "yolo"
	i.Refresh()
	if new2 := i.For(modern); new2 == new1 || new2.Text() != shown[2] || new2.Text() != session(modern, "yolo", true, person).Text() {
		t.Error("the mode has changed and the text has not")
	}
	before := asked
	tools++
	if i.For(modern); asked != before+1 {
		t.Error("the tools have changed and the text was not made again")
	}
	if i.For(modern); asked != before+1 {
		t.Error("the text was made again without a reason")
	}
}
