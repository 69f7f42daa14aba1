package plain

import (
	"context"
	"strings"
	"testing"
	"time"

	"pollux/internal/exit"
	"pollux/tool"
)

// TestEnd ends a session with a question.
func TestEnd(t *testing.T) {
	for name, tt := range map[string]struct {
		act  func(p *person) // after the question
		want string
		code exit.Code
	}{
		"answered":         {func(p *person) { p.answers("d") }, "Ended: Delete it.\n", exit.OK},
		"Ctrl+C":           {func(p *person) { time.Sleep(repeatWindow); p.ctrlC() }, "Ended: nothing.\n", exit.OK},
		"Ctrl+C at once":   {func(p *person) { p.ctrlC() }, "", exit.Interrupted}, // the third one
		"end of the input": {func(p *person) { _ = p.in.Close(); p.settle() }, "Ended: nothing.\n", exit.OK},
		"typed too early":  {func(p *person) { p.types("d"); p.answers("k") }, "Ended: Keep it.\n", exit.OK},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var p *person
				p = sit(t, backend{End: func(ctx context.Context) string {
					answer, _ := p.face.driver.Ask(ctx, &tool.QuestionConfirmation{Title: "Worktree", Questions: []tool.Question{{
						Text: "Keep it?", Kind: tool.ChoiceQuestion, Closed: true,
						Options: []tool.Option{{Key: "k", Label: "Keep it"}, {Key: "d", Label: "Delete it"}},
					}}})
					if answer.Outcome == tool.Cancel || answer.Reply == nil {
						return "Ended: nothing."
					}
					return "Ended: " + answer.Reply.Answers["0"] + "."
				}})
				p.types("hello")
				p.ctrlC()
				p.ctrlC()
				if !strings.Contains(p.skips(), "Question: Worktree\n") {
					t.Error("no question")
				}
				tt.act(p)
				err := <-p.done
				if code := exit.CodeOf(err); err != nil && code != tt.code || err == nil && tt.code != exit.OK {
					t.Error(err)
				}
				if text := p.skips(); !strings.HasSuffix(text, tt.want) {
					t.Errorf("%q", text)
				}
			})
		})
	}
}
