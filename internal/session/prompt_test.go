package session_test

import (
	"testing"

	"pollux/agent"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/scriptmodel/scripttest"
	"pollux/internal/session"
)

// TestSteer checks that a prompt which a person types while the model works joins the next request, with the
// files that it names, and that one which came too late is returned.
func TestSteer(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.file(h.dir+"/notes.txt", "The code word is heron.")
	model := scripttest.Gemini(t, `
turn
  call list_directory {"dir_path": "."}
turn
  expect prompt Look at @notes.txt
  expect prompt heron
  text Seen.
`)
	s, err := session.Open(t.Context(), session.Options{
		Project: project.Options{
			Dir: h.dir, Env: h.env, Folder: trust.Trusted,
		},
		Generator: model,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Steer(t.Context(), agent.TextPrompt("Read @missing.txt and @notes.txt")); err != nil {
		t.Error(err)
	}
	if got := s.Withdraw(); len(got) != 1 || got[0] != "Read @missing.txt and @notes.txt" {
		t.Errorf("withdrawn: %q", got)
	}
	joined := 0
	for e, err := range s.Run(t.Context(), agent.TextPrompt("List the files.")) {
		if err != nil {
			t.Error(err)
		}
		switch e := e.(type) {
		case agent.ToolRequested:
			if err := s.Steer(t.Context(), agent.TextPrompt("Look at @notes.txt")); err != nil {
				t.Error(err)
			}
		case agent.Joined:
			joined++
			if e.Prompt.Shown != "Look at @notes.txt" {
				t.Errorf("shown is %q", e.Prompt.Shown)
			}
		}
	}
	if joined != 1 || len(s.Withdraw()) != 0 {
		t.Errorf("%d prompts joined", joined)
	}
}
