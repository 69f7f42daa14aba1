package session_test

import (
	"context"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/guard"
	"pollux/internal/scriptmodel/scripttest"
	"pollux/internal/session"
	"pollux/llm"
	"pollux/tool"
)

// hooks writes down when they run, and has a word for the model at the start.
type hooks struct{ ran []string }

func (h *hooks) note(name string) { h.ran = append(h.ran, name) }

func (h *hooks) SessionStart(_ context.Context, source session.StartSource) agent.Verdict {
	h.note("start:" + string(source))
	return agent.Verdict{Context: "The <code> is heron.", SystemMessage: "Hello " + string(source)}
}

func (h *hooks) SessionEnd(_ context.Context, reason session.EndReason) {
	h.note("end:" + string(reason))
}

func (h *hooks) BeforeAgent(context.Context, string) agent.Verdict {
	h.note("before agent")
	return agent.Verdict{}
}

func (h *hooks) AfterAgent(context.Context, string, string, bool) agent.Verdict {
	h.note("after agent")
	return agent.Verdict{}
}

func (h *hooks) BeforeModel(context.Context, *llm.Request) (agent.Verdict, *llm.Response) {
	h.note("model")
	return agent.Verdict{}, nil
}

func (h *hooks) AfterModel(context.Context, *llm.Request, *llm.Response) (agent.Verdict, *llm.Response) {
	return agent.Verdict{}, nil
}

func (h *hooks) PreCompress(context.Context, agent.CompressTrigger) { h.note("compress") }

func (h *hooks) Before(context.Context, guard.HookedCall) guard.BeforeTool {
	h.note("before tool")
	return guard.BeforeTool{}
}

func (h *hooks) After(context.Context, guard.HookedCall, *tool.Result) guard.AfterTool {
	h.note("after tool")
	return guard.AfterTool{}
}

func (h *hooks) Notify(context.Context, guard.HookedCall, tool.Confirmation) { h.note("notify") }

// TestHooks checks the order of the hooks of a session, and that SessionEnd runs once.
func TestHooks(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.file(h.dir+"/notes.txt", "x")
	model := scripttest.Gemini(t, `
turn
  expect anywhere "<hook_context>The &lt;code&gt; is heron.</hook_context>"
  call read_file {"file_path": "notes.txt"}
turn
  text Read.
turn
  expect not anywhere heron
  text New.
`)
	var ran hooks
	var warnings []string
	s, err := session.Open(t.Context(), session.Options{
		Dir: h.dir, Env: h.env, Trusted: true, Generator: model, Hooks: &ran,
		Warn: func(text string) { warnings = append(warnings, text) },
	})
	if err != nil {
		t.Fatal(err)
	}
	run := func(text string) {
		for _, err := range s.Run(t.Context(), text) {
			if err != nil {
				t.Error(err)
			}
		}
	}
	run("Read it.")
	s.Clear(t.Context())
	run("Again.")
	s.Close()
	s.Close()
	got := strings.Join(ran.ran, ", ")
	want := "start:startup, before agent, compress, model, before tool, after tool, compress, model, after agent, " +
		"end:clear, start:clear, before agent, compress, model, after agent, end:exit"
	if got != want {
		t.Errorf("hooks ran\n%s\nwant\n%s", got, want)
	}
	if all := strings.Join(warnings, ", "); all != "Hello startup, Hello clear" {
		t.Errorf("the person is shown %s", all)
	}
}

// TestSteer: what is typed while the model works joins its next request, with the files
// that it names; what came too late is given back.
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
	s, err := session.Open(t.Context(), session.Options{Dir: h.dir, Env: h.env, Trusted: true, Generator: model})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Steer(t.Context(), "Read @missing.txt and @notes.txt"); err != nil {
		t.Error(err)
	}
	if got := s.Withdraw(); len(got) != 1 || got[0] != "Read @missing.txt and @notes.txt" {
		t.Errorf("withdrawn: %q", got)
	}
	joined := 0
	for e, err := range s.Run(t.Context(), "List the files.") {
		if err != nil {
			t.Error(err)
		}
		switch e := e.(type) {
		case agent.ToolRequested:
			if err := s.Steer(t.Context(), "Look at @notes.txt"); err != nil {
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
