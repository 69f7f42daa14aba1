package kit

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/companion"
	"pollux/internal/companion/companiontest"
	"pollux/internal/process/processtest"
	"pollux/internal/project/projecttest"
	"pollux/tool"
)

// inEditor is a session whose changes an editor shows, too.
type inEditor struct {
	scripted
	companion *companion.Companion
}

// ShowDiff implements [Session].
func (s inEditor) ShowDiff(ctx context.Context, path, text string) (*companion.Diff, string) {
	return s.companion.Diff(ctx, path, text), "VS Code"
}

// asksAbout asks about a change of a file, and returns the question, the notices of the driver and the answer.
type asksAbout struct {
	driver   *Driver
	editor   *companiontest.Editor
	asked    chan *Question
	notices  chan string
	answered chan tool.Answer
	isOver   chan error
}

// beginAsking starts a driver whose session is in an editor.
func beginAsking(t *testing.T) *asksAbout {
	t.Helper()
	a := &asksAbout{editor: companiontest.Start(nil), asked: make(chan *Question, 10), notices: make(chan string, 10), answered: make(chan tool.Answer, 10), isOver: make(chan error, 1)}
	t.Cleanup(a.editor.Stop)
	p := projecttest.New(t, `{"ide": {"enabled": true}}`, "TMPDIR="+t.TempDir())
	p.Options.Interactive = true
	if _, err := a.editor.List(p.Env().User().Get("TMPDIR"), os.Getpid(), p.Paths.Dir()); err != nil {
		t.Fatal(err)
	}
	c := companion.Open(p, nil)
	t.Cleanup(c.Close)
	processtest.WaitUntil(t, "the editor is connected", func() bool { return c.Status().Phase == companion.Connected })
	s := &scene{}
	a.driver = New(Options{Open: func(context.Context, *Driver) (Session, error) { return inEditor{scripted{s}, c}, nil }})
	opened := make(chan struct{})
	go func() {
		for e := range a.driver.Events() {
			switch e := e.(type) {
			case Opened:
				close(opened)
			case Asked:
				a.asked <- e.Question
			case Notice:
				a.notices <- e.Text
			}
		}
	}()
	go func() { a.isOver <- a.driver.Run(context.Background()) }()
	t.Cleanup(func() {
		a.driver.Leave(nil)
		<-a.isOver
	})
	<-opened
	return a
}

// ask asks about a change, and waits until the editor shows it.
func (a *asksAbout) ask(ctx context.Context, t *testing.T, text string) *Question {
	t.Helper()
	path := filepath.Join(string(filepath.Separator), "w", "a.go")
	go func() {
		answer, err := a.driver.Ask(ctx, &tool.EditConfirmation{Title: "Confirm Edit: a.go", Modifiable: true, DiffDisplay: tool.DiffDisplay{FilePath: path, After: text}})
		if err == nil {
			a.answered <- answer
		}
	}()
	if got := <-a.editor.Opened(); got != (companiontest.Change{Path: path, Text: text}) {
		t.Fatalf("the editor shows %+v", got)
	}
	return <-a.asked
}

// content returns the text of an answer, "" if it is the proposed one.
func content(a tool.Answer) string {
	if a.Content == nil {
		return ""
	}
	return *a.Content
}

// TestShowInEditor checks changes that the terminal and an editor show: the first answer counts, in the text that the person has
// approved, and closes the change in the other place.
func TestShowInEditor(t *testing.T) {
	t.Parallel()
	a := beginAsking(t)
	const path = "/w/a.go"

	q := a.ask(t.Context(), t, "one\n")
	if !strings.Contains(q.Prompt, "accept or reject it in VS Code.") || q.Option("e") != nil {
		t.Errorf("%q, %+v", q.Prompt, q.Options)
	}
	a.editor.Accept(path)
	if got := <-a.answered; got.Outcome != tool.ProceedOnce || content(got) != "" {
		t.Errorf("accepted in the editor: %+v", got)
	}
	if got := <-a.notices; got != "You have accepted the change in VS Code." {
		t.Error(got)
	}
	<-q.Context().Done()

	q = a.ask(t.Context(), t, "one\n")
	a.editor.Edit(path, "two\n")
	a.driver.Answer(q, tool.Answer{Outcome: tool.ProceedAlways})
	if got := <-a.answered; got.Outcome != tool.ProceedAlways || content(got) != "two\n" || <-a.editor.Closed() != path {
		t.Errorf("edited there, allowed here: %+v %q", got, content(got))
	}

	q = a.ask(t.Context(), t, "three\n")
	a.driver.Answer(q, tool.Answer{Outcome: tool.Cancel, Feedback: "no"})
	if got := <-a.answered; got.Outcome != tool.Cancel || content(got) != "" || got.Feedback != "no" || <-a.editor.Closed() != path {
		t.Errorf("edited there, refused here: %+v", got)
	}

	a.ask(t.Context(), t, "four\n")
	a.editor.Accept(path)
	if got := <-a.answered; got.Outcome != tool.ProceedOnce || content(got) != "two\n" {
		t.Errorf("edited and accepted in the editor: %+v %q", got, content(got))
	}
	<-a.notices

	a.ask(t.Context(), t, "five\n")
	a.editor.Reject(path)
	if got := <-a.answered; got.Outcome != tool.Cancel || <-a.notices != "You have rejected the change in VS Code." {
		t.Errorf("rejected in the editor: %+v", got)
	}

	a.ask(t.Context(), t, "six\n")
	a.driver.Refuse()
	if got := <-a.answered; got.Outcome != tool.Cancel || <-a.editor.Closed() != path {
		t.Errorf("stopped: %+v", got)
	}

	ctx, cancel := context.WithCancel(t.Context())
	q = a.ask(ctx, t, "seven\n")
	cancel()
	a.driver.Recheck()
	<-q.Context().Done()
	if got := <-a.editor.Closed(); got != path {
		t.Errorf("a question that needs no answer closes %q", got)
	}

	q = a.ask(t.Context(), t, "eight\n")
	a.editor.Stop()
	a.driver.Answer(q, tool.Answer{Outcome: tool.ProceedOnce})
	if got := <-a.answered; got.Outcome != tool.ProceedOnce || content(got) != "" {
		t.Errorf("without the editor: %+v", got)
	}
}
