package session_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/command"
	"pollux/internal/guard/trust"
	"pollux/internal/owncalls"
	"pollux/internal/project"
	"pollux/internal/scriptmodel/scripttest"
	"pollux/internal/session"
	"pollux/tool"
)

// asker gives the same answer to all questions about shell commands, and keeps these.
type asker struct {
	answer tool.Outcome
	asked  []*tool.ExecConfirmation
}

// Ask implements [session.Asker].
func (a *asker) Ask(context.Context, tool.Confirmation) (tool.Answer, error) {
	return tool.Answer{Outcome: tool.Cancel}, nil
}

// Approve implements [session.Asker].
func (a *asker) Approve(_ context.Context, q *agent.Question) (tool.Answer, error) {
	a.asked = append(a.asked, q.Details().(*tool.ExecConfirmation))
	return tool.Answer{Outcome: a.answer}, nil
}

// TestPrepareCommand checks that one question is asked about all shell commands of a custom command, that
// the answer counts for each of them, and that a refusal runs none.
func TestPrepareCommand(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	a := &asker{answer: tool.Cancel}
	s, err := session.Open(t.Context(), session.Options{
		Project: project.Options{
			Dir: h.dir, Env: h.env, Interactive: true, Folder: trust.Trusted, Asker: a,
		},
		Generator: scripttest.Gemini(t, "turn\n  text ok\n"),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	prepare := func(prompt string) (agent.Prompt, error) {
		return s.Composer.Command(t.Context(), &command.Command{Prompt: "Look: " + prompt}, command.Call{Line: "/c", Name: "c"})
	}
	const prompt = "!{touch one} !{echo fine} !{touch two > three} !{pwd}"
	if _, err := prepare(prompt); !errors.Is(err, owncalls.ErrRefused) {
		t.Error(err)
	}
	if len(a.asked) != 1 || a.asked[0].Command != "touch one\ntouch two > three" || a.asked[0].Title != "Confirm Shell Command of /c" {
		t.Fatalf("asked %d times: %+v", len(a.asked), a.asked[0])
	}
	if writes := a.asked[0].Writes; len(writes) != 1 || writes[0] != "three" {
		t.Errorf("the question lists the writes %q", writes)
	}
	if left, _ := filepath.Glob(filepath.Join(h.dir, "t*")); len(left) > 0 {
		t.Errorf("a refused command made %q", left)
	}
	a.answer = tool.ProceedOnce
	if _, err := prepare(prompt); err != nil || len(a.asked) != 2 {
		t.Fatal(err, len(a.asked))
	}
	for _, name := range []string{"one", "two", "three"} {
		if _, err := os.Stat(filepath.Join(h.dir, name)); err != nil {
			t.Error(err)
		}
	}
	// A lasting answer counts for each command, also alone.
	a.answer = tool.ProceedAlways
	const two = "!{mkdir a} !{rmdir a}"
	p, err := prepare(two)
	if err != nil || len(a.asked) != 3 {
		t.Fatal(err, len(a.asked))
	}
	if offers := a.asked[2].Offers; len(offers) == 0 || !strings.Contains(offers[0].Rule, "mkdir") || !strings.Contains(offers[0].Rule, "rmdir") {
		t.Errorf("offers %+v", offers)
	}
	for _, again := range []string{two, "!{mkdir a}", "!{rmdir a}"} {
		if _, err := prepare(again); err != nil || len(a.asked) != 3 {
			t.Error(again, err, len(a.asked))
		}
	}
	for _, err := range s.Run(t.Context(), p) {
		if err != nil {
			t.Error(err)
		}
	}
	// What one answer allowed does not allow what stands in it.
	a.answer = tool.Cancel
	if _, err := prepare("!{mkdir $(touch four)}"); !errors.Is(err, owncalls.ErrRefused) {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(h.dir, "four")); err == nil {
		t.Error("a substitution ran")
	}
}

// TestPrepareCommandBounds checks that long output is cut, and that a cancelled command ends.
func TestPrepareCommandBounds(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s, err := session.Open(t.Context(), session.Options{
		Project: project.Options{
			Dir: h.dir, Env: h.env, Interactive: true, Folder: trust.Trusted, ApprovalMode: "yolo",
		},
		Generator: scripttest.Gemini(t, "turn\n  expect smaller 200KB\n  expect prompt begin\n  expect prompt end\n  text ok\n"),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := &command.Command{Prompt: "!{echo begin; seq 1 1000000; echo end}"}
	p, err := s.Composer.Command(t.Context(), c, command.Call{Line: "/c", Name: "c"})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range s.Run(t.Context(), p) {
		if err != nil {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	began := filepath.Join(h.dir, "began")
	c = &command.Command{Prompt: "!{touch began; sleep 1000} !{touch after}"}
	done := make(chan error)
	go func() {
		_, err := s.Composer.Command(ctx, c, command.Call{Line: "/c", Name: "c"})
		done <- err
	}()
	for {
		if _, err := os.Stat(began); err == nil {
			break
		}
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(h.dir, "after")); err == nil {
		t.Error("a command ran after the end")
	}
}
