package plain

import (
	"bytes"
	"context"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pollux/internal/face/kit"
	"pollux/internal/terminal"
)

// TestQuestionIsWhole checks that nothing is written within a question, whatever the model says meanwhile.
func TestQuestionIsWhole(t *testing.T) {
	out := new(bytes.Buffer)
	s := newScreen(&terminal.Terminal{Out: terminal.NewWriter(out), Width: 80})
	s.width = func() int {
		runtime.Gosched() // the model's turn
		return 80
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	d := &dialog{
		q: &kit.Question{
			Title: "Shell Command", Warnings: slices.Repeat([]string{"Note"}, 200), Prompt: "Allow?", Options: []kit.Option{{Key: "y", Label: "Yes"}, {Key: "n", Label: "No"}},
		},
		screen: s, terminal: new(terminal.Terminal), ctx: ctx, cancel: cancel, input: make(chan string), page: newPage(s),
	}
	began, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for s.line("model"); ctx.Err() == nil; s.line("model") {
			select {
			case <-began:
			default:
				close(began)
			}
		}
	}()
	<-began
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		_, _ = d.ask()
	}()
	d.input <- "?"
	d.input <- "y"
	<-asked
	cancel()
	<-over
	s.flush()
	_, question, _ := strings.Cut(out.String(), "Question: ")
	question, answers, _ := strings.Cut(question, "Answer, ")
	_, help, _ := strings.Cut(answers, "1 or y: Yes")
	help, _, _ = strings.Cut(help, "Answer, ")
	for _, text := range []string{question, help} {
		if text == "" || strings.Contains(text, "model") {
			t.Errorf("a question is written in pieces: %q", text)
		}
	}
}
