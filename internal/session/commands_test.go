package session_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"pollux/internal/command"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/scriptmodel/scripttest"
	"pollux/internal/session"
)

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
	p, err := s.PrepareCommand(t.Context(), c, command.Call{Line: "/c", Name: "c"})
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
		_, err := s.PrepareCommand(ctx, c, command.Call{Line: "/c", Name: "c"})
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
