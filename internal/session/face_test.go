package session_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/project"
	"pollux/internal/scriptmodel/scripttest"
	"pollux/internal/session"
	"pollux/tool"
)

// face is the smallest face that does everything a session needs: it prints text and
// asks questions, a line each.
type face struct {
	in  *bufio.Scanner
	out io.Writer
}

// Ask implements [session.Asker].
func (f *face) Ask(_ context.Context, details tool.Confirmation) (tool.Answer, error) {
	switch d := details.(type) {
	case *tool.QuestionConfirmation:
		answers := map[string]string{}
		for i, q := range d.Questions {
			fmt.Fprintf(f.out, "? %s\n", firstLine(q.Text))
			answers[fmt.Sprint(i)] = f.line()
		}
		return tool.Answer{Outcome: tool.ProceedOnce, Reply: &tool.Reply{Answers: answers}}, nil
	case *tool.EditConfirmation:
		fmt.Fprintf(f.out, "? change %s\n", d.FileName)
	case *tool.ExecConfirmation:
		fmt.Fprintf(f.out, "? run %s\n", d.Command)
	}
	if f.line() == "y" {
		return tool.Answer{Outcome: tool.ProceedOnce}, nil
	}
	return tool.Answer{Outcome: tool.Cancel}, nil
}

// Approve implements [session.Asker].
func (f *face) Approve(ctx context.Context, q *agent.Question) (tool.Answer, error) {
	return f.Ask(ctx, q.Details())
}

func (f *face) line() string { f.in.Scan(); return f.in.Text() }

// talk opens a session and runs the prompts that are typed.
func (f *face) talk(ctx context.Context, o session.Options) error {
	o.Project.Asker, o.Project.Interactive = f, true
	o.Project.Warn = func(text string) { fmt.Fprintf(f.out, "! %s\n", firstLine(text)) }
	s, err := session.Open(ctx, o)
	if err != nil {
		return err
	}
	defer s.Close()
	for f.in.Scan() {
		for e, err := range s.Run(ctx, agent.TextPrompt(f.in.Text())) {
			switch e := e.(type) {
			case agent.Text:
				fmt.Fprint(f.out, e.Text)
			case agent.ToolAsked:
				answer, _ := f.Approve(ctx, e.Question)
				e.Answer(answer)
			case agent.ToolFinished:
				fmt.Fprintf(f.out, "%s: %s\n", e.Call.Name, e.Status)
			case agent.Finished:
				fmt.Fprintln(f.out)
			}
			if err != nil {
				fmt.Fprintf(f.out, "! %v\n", err)
			}
		}
	}
	return f.in.Err()
}

func firstLine(text string) string { line, _, _ := strings.Cut(text, "\n"); return line }

// TestFace drives a session from trust in its folder to an answer, with nothing but
// this package.
func TestFace(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.file(h.dir+"/notes.txt", "The code word is heron.")
	h.file(h.path+"/.gemini/settings.json", `{"security": {"folderTrust": {"enabled": true}}}`)
	model := scripttest.Gemini(t, `
turn
  expect prompt heron
  text I shall write it down.
  call write_file {"file_path": "word.txt", "content": "heron"}
turn
  text Done.
`)
	var out strings.Builder
	f := &face{in: bufio.NewScanner(strings.NewReader("Trust this folder\nRemember @notes.txt\ny\n")), out: &out}
	if err := f.talk(t.Context(), session.Options{
		Project: project.Options{
			Dir: h.dir, Env: h.env,
		},
		Generator: model,
	}); err != nil {
		t.Fatal(err)
	}
	if want := "! Welcome to Pollux. It reads and changes files and runs commands for you.\n? Do you trust the files in " + h.dir + "?\n! Attached: notes.txt (1 line)\nI shall write it down.\n? change word.txt\nwrite_file: success\nDone.\n"; out.String() != want {
		t.Errorf("the face shows\n%s\nwant\n%s", out.String(), want)
	}
	if got := h.read(t, h.dir+"/word.txt"); got != "heron" {
		t.Errorf("the file has %q", got)
	}
}
