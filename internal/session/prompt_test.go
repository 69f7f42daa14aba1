package session_test

import (
	"testing"

	"pollux/agent"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/scriptmodel/scripttest"
	"pollux/internal/session"
	"pollux/llm"
)

// TestPromptParts checks that each text of a prompt may name files, that the other parts stay where they are, and that a prompt
// with Shown is sent as it is.
func TestPromptParts(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.file(h.dir+"/notes.txt", "The code word is heron.")
	h.file(h.dir+"/more.txt", "It flies.")
	model := scripttest.Gemini(t, `
turn
  expect prompt heron
  expect prompt It flies.
  expect media image/png
  text Seen.
turn
  expect prompt As it is: @notes.txt
  text Seen.
`)
	s, err := session.Open(t.Context(), session.Options{
		Project:   project.Options{Dir: h.dir, Env: h.env, Folder: trust.Trusted},
		Generator: model,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	image := llm.Part{InlineData: &llm.Blob{MIMEType: "image/png", Data: []byte("\x89PNG")}}
	parts := []llm.Part{llm.Text("Read @notes.txt"), image, llm.Text("and @more.txt")}
	for _, p := range []agent.Prompt{{Parts: parts}, {Parts: []llm.Part{llm.Text("As it is: @notes.txt")}, Shown: "/notes"}} {
		for _, err := range s.Run(t.Context(), p) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	var prompts []agent.Message
	for _, m := range s.History() {
		if m.IsPrompt {
			prompts = append(prompts, m)
		}
	}
	if len(prompts) != 2 || prompts[0].Shown != llm.PartsText(parts) || prompts[1].Shown != "/notes" || len(prompts[1].Content.Parts) != 1 {
		t.Errorf("history: %+v", prompts)
	}
}
