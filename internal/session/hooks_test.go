package session_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"pollux/agent"
	"pollux/internal/guard/hook"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/scriptmodel/scripttest"
	"pollux/internal/session"
	"pollux/llm"
)

// recorder has a hook for each event that notes when it runs. The one for SessionStart has a
// context for the model and a message for the person.
type recorder struct {
	mu  sync.Mutex
	ran []string
}

func (r *recorder) hooks() []hook.Hook {
	var list []hook.Hook
	for _, e := range hook.Events() {
		list = append(list, hook.Hook{Event: e, Name: "recorder", Run: func(_ context.Context, input json.RawMessage) (json.RawMessage, error) {
			var in struct{ Source, Reason string }
			if err := json.Unmarshal(input, &in); err != nil {
				return nil, err
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			r.ran = append(r.ran, strings.TrimSuffix(string(e)+":"+in.Source+in.Reason, ":"))
			if e == hook.SessionStart {
				return json.RawMessage(`{"systemMessage":"Hello ` + in.Source + `","hookSpecificOutput":{"additionalContext":"The <code> is heron."}}`), nil
			}
			return nil, nil
		}})
	}
	return list
}

// TestHooks checks the order of the hooks of a session, and that SessionEnd runs once.
func TestHooks(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.file(h.dir+"/notes.txt", "x")
	model := scripttest.Gemini(t, `
turn
  expect prompt "<hook_context>The &lt;code&gt; is heron.</hook_context>"
  call read_file {"file_path": "notes.txt"}
turn
  text Read.
turn
  expect not anywhere heron
  text New.
`)
	var ran recorder
	var warnings []string
	s, err := session.Open(t.Context(), session.Options{
		Project: project.Options{
			Dir: h.dir, Env: h.env, Folder: trust.Trusted, Hooks: ran.hooks(), Warn: func(text string) { warnings = append(warnings, text) },
		},
		Generator: model,
	})
	if err != nil {
		t.Fatal(err)
	}
	run := func(text string) {
		for _, err := range s.Run(t.Context(), agent.TextPrompt(text)) {
			if err != nil {
				t.Error(err)
			}
		}
	}
	run("Read it.")
	if h := s.History(); h[1].Shown != "Read it." {
		t.Errorf("the prompt is shown as %q", h[1].Shown)
	}
	s.Clear(t.Context())
	run("Again.")
	s.Close()
	s.Close()
	got := strings.Join(ran.ran, ", ")
	const turn = "BeforeModel, BeforeToolSelection, AfterModel, "
	want := "SessionStart:startup, BeforeAgent, PreCompress, " + turn + "BeforeTool, AfterTool, PreCompress, " + turn + "AfterAgent, " +
		"SessionEnd:clear, SessionStart:clear, BeforeAgent, PreCompress, " + turn + "AfterAgent, SessionEnd:exit"
	if got != want {
		t.Errorf("hooks ran\n%s\nwant\n%s", got, want)
	}
	if all := strings.Join(warnings, ", "); all != "Hook system message: Hello startup, Hello startup, Hook system message: Hello clear, Hello clear" {
		t.Errorf("the person is shown %s", all)
	}
}

// In an interactive session, the conversation gets the context of hooks at its start.
func TestStartContextOfInteractiveSessions(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	model := scripttest.Gemini(t, `
turn
  expect prompt Hi.
  expect anywhere "<hook_context>The &lt;code&gt; is heron.</hook_context>"
  text Hello.
`)
	var ran recorder
	var warnings []string
	s, err := session.Open(t.Context(), session.Options{
		Project: project.Options{
			Dir: h.dir, Env: h.env, Folder: trust.Trusted, Hooks: ran.hooks(), Interactive: true, Warn: func(text string) { warnings = append(warnings, text) },
		},
		Generator: model,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, err := range s.Run(t.Context(), agent.TextPrompt("Hi.")) {
		if err != nil {
			t.Error(err)
		}
	}
	if all := strings.Join(warnings, ", "); all != "recorder: Hello startup" {
		t.Errorf("the person is shown %s", all)
	}
	if h := s.History(); len(h) < 2 || !strings.HasPrefix(llm.PartsText(h[1].Content.Parts), "<hook_context>") {
		t.Error("no context in the history")
	}
}

// A session without hooks has no set of them, and hooks that settings switch off are not even read.
func TestNoHooks(t *testing.T) {
	t.Parallel()
	for _, settings := range []string{
		`{}`,
		`{"hooks": {"BeforeTool": []}}`,
		`{"hooksConfig": {"enabled": false}, "hooks": {"Nope": 1, "BeforeTool": [{"hooks": [{"type": "command", "command": "true"}]}]}}`,
	} {
		h := newHome(t)
		h.file(h.path+"/.gemini/settings.json", settings)
		model := scripttest.Gemini(t, "turn\n  text x\n")
		s, err := session.Open(t.Context(), session.Options{
			Project: project.Options{
				Dir: h.dir, Env: h.env, Folder: trust.Trusted, Warn: func(text string) { t.Errorf("%s: %s", settings, text) },
			},
			Generator: model,
		})
		if err != nil {
			t.Fatal(err)
		}
		if s.Hooks() != nil {
			t.Errorf("%s: there are hooks", settings)
		}
		for _, err := range s.Run(t.Context(), agent.TextPrompt("Hi.")) {
			if err != nil {
				t.Error(err)
			}
		}
		s.Close()
	}
}

// TestSteer: a text that arrives while the model works joins its next request, with the files
// that it names; a text that came too late is given back.
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
