package toolserver

import (
	"slices"
	"strings"
	"testing"

	"pollux/internal/face/kit"
	"pollux/internal/face/kit/kittest"
	"pollux/tool"
)

// A person at the client reads everything that a person at a terminal reads before they decide.
func TestQuestionHasEveryLine(t *testing.T) {
	t.Parallel()
	for name, details := range kittest.Approvals() {
		q := kit.NewQuestion(details, false, nil)
		text, options := render(q)
		lines := strings.Split(text, "\n")
		for _, line := range q.Warnings {
			if !slices.Contains(lines, line) {
				t.Errorf("%s: the question lacks %q:\n%s", name, line, text)
			}
		}
		if len(options) != 2 || options[0].Outcome() != tool.ProceedOnce || options[1].Outcome() != tool.Cancel {
			t.Errorf("%s: a call that a hook has changed has the options %v", name, options)
		}
	}
}

// TestEveryBlock checks that each kind of block of a question is shown.
func TestEveryBlock(t *testing.T) {
	t.Parallel()
	for _, b := range kit.Blocks() {
		if _, isText := b.(*kit.Text); !isText && blockText(b) == "" {
			t.Errorf("%T is new: show it in approve.go", b)
		}
	}
}
